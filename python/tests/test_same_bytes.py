"""The package is the same engine as the program: the same files, the same bytes, the same answers."""

import csv
import json
import subprocess

import numpy as np
import pytest

import agentnet
from agentnet import AgentNetClassifier, GraphSet, Model

SOURCE = "synthetic:4cycles?graphs=40&seed=1"
SETTINGS = ["hidden=8", "agents=3", "steps=3"]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True)


@pytest.fixture(scope="module")
def run_folder(program, tmp_path_factory):
    folder = tmp_path_factory.mktemp("program") / "run"
    options = [word for setting in SETTINGS for word in ("--set", f"model.{setting}")]
    run(program, "train", SOURCE, "-o", folder, "--epochs", "3", "--batch", "8", "--seed", "7", "--no-rivals", *options)
    return folder


def test_the_model_of_an_estimator(run_folder):
    split = json.loads((run_folder / "splits.json").read_text())
    graphs = GraphSet(SOURCE)
    learned, chosen_by = graphs[split["train"]], graphs[split["valid"]]
    settings = agentnet.Run(run_folder)
    ours = AgentNetClassifier(8, 3, 3, epochs=3, batch=8, random_state=7).fit(learned, validation_data=chosen_by)
    theirs = settings.model()
    assert np.array_equal(ours.model_.parameters, theirs.parameters)
    assert ours.model_.info["training"] == theirs.info["training"]
    ours.save(run_folder.parent / "ours.safetensors")
    assert (run_folder.parent / "ours.safetensors").read_bytes() == (run_folder / "model.safetensors").read_bytes()


def test_the_same_graphs_as_arrays(run_folder):
    split = json.loads((run_folder / "splits.json").read_text())
    read = GraphSet(SOURCE)
    arrays = GraphSet(read.arrays())
    # Arrays do not know the order that the classes have in the set; numbers keep it.
    y = (np.asarray(read.y) == "4-cycle").astype(int)
    ours = AgentNetClassifier(8, 3, 3, epochs=3, batch=8, random_state=7)
    ours.fit(arrays[split["train"]], y[split["train"]], validation_data=(arrays[split["valid"]], y[split["valid"]]))
    assert np.array_equal(ours.model_.parameters, Model.load(run_folder).parameters)


def test_a_run_folder(run_folder, tmp_path):
    settings = {f"model.{s.split('=')[0]}": int(s.split("=")[1]) for s in SETTINGS}
    ours = agentnet.train(SOURCE, tmp_path / "run", settings={**settings, "train.epochs": 3, "train.batch": 8, "train.seed": 7})
    for name in ("model.safetensors", "config.toml", "splits.json", "predictions.csv"):
        assert (tmp_path / "run" / name).read_bytes() == (run_folder / name).read_bytes(), name
    assert ours.summary["ending"] == "finished"


def test_predictions(program, run_folder, tmp_path):
    out = tmp_path / "predictions.csv"
    run(program, "predict", run_folder / "model.safetensors", SOURCE, "-o", out)
    with open(out, newline="") as file:
        rows = list(csv.DictReader(file))
    ours = Model.load(run_folder).predict(SOURCE).mean
    names = [name for name in rows[0] if name.startswith("p_")] or [n for n in rows[0] if n.startswith("probability")]
    theirs = np.array([[float(row[name]) for name in names] for row in rows])
    assert theirs.shape == ours.shape
    assert np.allclose(theirs, ours, rtol=1e-5, atol=1e-8)


def test_the_program_reads_what_python_writes(program, tmp_path):
    graphs = GraphSet(SOURCE)
    model = AgentNetClassifier(8, 3, 3, epochs=1, random_state=0).fit(graphs)
    model.save(tmp_path / "model.safetensors")
    info = json.loads(run(program, "info", tmp_path / "model.safetensors", "--json").stdout)
    assert info["options"]["hidden"] == 8
    graphs.save(tmp_path / "graphs.jsonl")
    again = GraphSet(str(tmp_path / "graphs.jsonl"))
    assert np.array_equal(model.predict_proba(again), model.predict_proba(graphs))


def test_threads_do_not_matter():
    graphs = GraphSet(SOURCE)
    one, two = (AgentNetClassifier(8, 3, 3, epochs=2, random_state=0, n_jobs=n).fit(graphs) for n in (1, 2))
    assert one.model_.to_bytes() == two.model_.to_bytes()
    assert np.array_equal(one.predict_proba(graphs), two.predict_proba(graphs))
