"""The binding knows every function of the C header, and what it lends is given back."""

import ctypes
import gc
import logging
import pathlib
import re
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import agentnet
from agentnet import GraphSet, _library, graph_set

HEADER = pathlib.Path(__file__).parents[2] / "include" / "agentnet" / "agentnet.h"


def declared():
    """{name: number of arguments} of the header."""
    if not HEADER.exists():
        pytest.skip("the header is not beside the tests")
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    found = re.findall(r"AGENTNET_API\s+[\w\s*]+?\bagentnet_(\w+)\(([^;]*)\);", text)
    counted = {}
    for name, arguments in found:
        flat = re.sub(r"\(\*?\w*\)\([^)]*\)", "callback", arguments)
        counted[name] = 0 if flat.strip() == "void" else flat.count(",") + 1
    return counted


def test_every_function_is_bound_with_its_arguments():
    bound = {name: len(arguments) + 1 for name, arguments in _library.FALLIBLE.items()}
    bound.update({name: len(arguments) for name, (_, arguments) in _library.PLAIN.items()})
    assert bound == declared()


def test_structs_have_the_fields_of_the_header():
    text = HEADER.read_text() if HEADER.exists() else pytest.skip("the header is not beside the tests")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for struct, name in [
        (_library.Control, "control"),
        (_library.Arrays, "arrays"),
        (_library.SetView, "set_view"),
        (_library.SplitArrays, "split"),
    ]:
        body = re.search(r"typedef struct agentnet_%s \{(.*?)\} agentnet_%s;" % (name, name), text, re.S).group(1)
        fields = []
        for line in body.split(";"):
            if "(*" in line:
                fields.append(re.search(r"\(\*(\w+)\)", line).group(1))
            elif line.strip():
                fields += [re.search(r"(\w+)\s*$", part).group(1) for part in line.split(",")]
        ours = [{"source": "from", "target": "to"}.get(f, f) for f, _ in struct._fields_]
        assert ours == fields, name


def test_what_is_lent_is_given_back():
    gc.collect()
    before = len(graph_set._KEPT)
    x = np.ones((3, 1), np.float32)
    edges = np.array([[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]], np.uint32)
    arrays = agentnet.graphs.GraphArrays(np.array([0, 3]), np.array([0, 6]), edges, node_dense=x, node_dense_names=["a"])
    graphs = GraphSet(arrays)
    view = graphs._view()
    assert view.node_dense == x.ctypes.data, "borrowed, not copied"
    assert view.neighbours == edges[1].ctypes.data
    part = graphs[:1]
    del graphs
    assert len(graph_set._KEPT) == before + 1
    del part
    gc.collect()
    assert len(graph_set._KEPT) == before


def test_arrays_of_the_engine_outlive_the_set():
    graphs = GraphSet("synthetic:4cycles?graphs=10&seed=1")
    handle = weakref.ref(graphs._handle)
    features = graphs.arrays().node_dense
    copy = features.copy()
    del graphs
    gc.collect()
    assert np.array_equal(features, copy) and handle() is not None


def test_importing_costs_no_framework():
    code = "import sys, agentnet; print([m for m in ('sklearn', 'torch', 'networkx', 'pandas', 'rdkit') if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


def test_a_library_that_is_not_there_says_what_to_do(tmp_path):
    import os

    code = "import agentnet; agentnet.version()"
    environment = {**os.environ, "AGENTNET_LIBRARY": str(tmp_path / "none.so")}
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert said.returncode != 0 and "make python" in said.stderr and "none.so" in said.stderr


def test_errors_have_a_code_and_a_hint():
    with pytest.raises(agentnet.UsageError) as caught:
        GraphSet("synthetic:4cycles?graphs=10", taks="none")
    assert caught.value.code == 2 and "task" in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_logging(graphs, small, caplog):
    with caplog.at_level(logging.DEBUG, logger="agentnet"):
        agentnet.AgentNetClassifier(**small).fit(graphs)
    assert any("epoch 2" in line for line in caplog.messages)
    assert any(line.startswith("train.learning_rate = ") for line in caplog.messages)


def test_a_progress_bar(graphs, small, capsys):
    agentnet.AgentNetClassifier(**small, verbose=2).fit(graphs)
    said = capsys.readouterr().err
    assert "epoch 2/2" in said


def test_ctrl_c_stops_in_order_and_keeps_the_best_model(graphs, small):
    import _thread

    endless = agentnet.AgentNetClassifier(**{**small, "epochs": 1000000})
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with pytest.warns(UserWarning, match="interrupted"):
        endless.fit(graphs)
    timer.join()
    assert 0 < endless.n_iter_ < 1000000
    assert endless.predict(graphs).shape == (len(graphs),)


def test_ctrl_c_ends_a_prediction(fitted):
    import _thread

    many = GraphSet("synthetic:4cycles?graphs=2000&seed=1")
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        fitted.model_.predict(many, rollouts=100000)
    timer.join()
    assert fitted.predict(many[:3]).shape == (3,)


def test_other_threads_run_meanwhile(graphs, fitted):
    many = GraphSet("synthetic:4cycles?graphs=1000&seed=1")
    counted = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted.append(1)

    thread = threading.Thread(target=count)
    thread.start()
    before = len(counted)
    fitted.model_.predict(many, rollouts=20, n_jobs=1)
    during = len(counted) - before
    stop.set()
    thread.join()
    assert during > 100


def test_from_another_thread(graphs, small):
    answers = []

    def work():
        model = agentnet.AgentNetClassifier(**small).fit(graphs)
        answers.append(model.predict_proba(graphs))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 3 and all(np.array_equal(answers[0], other) for other in answers)


def test_structs_grow_at_their_end():
    view = _library.SetView()
    view.size = ctypes.sizeof(ctypes.c_size_t) + 8  # of a caller that knows the first two fields
    graphs = GraphSet("synthetic:4cycles?graphs=10&seed=1")
    _library.call("set_arrays", graphs._handle.pointer, ctypes.byref(view))
    assert view.graphs == 10 and view.nodes == 0
