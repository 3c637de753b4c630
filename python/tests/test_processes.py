"""Leaks, and models in other processes."""

import multiprocessing
import os
import resource
import subprocess
import sys

import numpy as np
import pytest

import agentnet
from agentnet import AgentNetClassifier, GraphSet

LOOP = """
import gc, os
import numpy as np
from agentnet import AgentNetClassifier, GraphSet

edges = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
X = [(edges, np.array([[i % 2], [0], [1]])) for i in range(8)]
y = [i % 2 for i in range(8)]

def memory():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

def once():
    model = AgentNetClassifier(4, 2, 2, epochs=1, batch=8, settings={"train.steps_per_epoch": 1}, random_state=0, n_jobs=1)
    model.fit(X, y).predict(X)

for _ in range(50):
    once()
before = memory()
for _ in range(1000):
    once()
print(memory() - before)
"""


def test_a_thousand_fits_leave_nothing_behind():
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("this system does not say how much memory a process has")
    said = subprocess.run([sys.executable, "-c", LOOP], capture_output=True, text=True, check=True).stdout
    assert int(said) < 5 << 20, f"{int(said) / 2**20:.1f} MB"


def ask(model, graphs):
    return model.predict_proba(graphs)


def ask_and_train(model, graphs, send):
    own = AgentNetClassifier(8, 3, 3, epochs=1, random_state=0, n_jobs=2).fit(graphs)
    send.send((model.predict_proba(graphs), own.predict_proba(graphs)))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_in_another_process(method, graphs):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}")
    model = AgentNetClassifier(8, 3, 3, epochs=1, random_state=0, n_jobs=2).fit(graphs)
    expected = model.predict_proba(graphs)  # now the model has threads that a forked process would not have
    context = multiprocessing.get_context(method)
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=ask_and_train, args=(model, graphs, send))
    process.start()
    assert receive.poll(120), "the other process does not answer"
    asked, trained = receive.recv()
    process.join(30)
    assert process.exitcode == 0
    assert np.array_equal(asked, expected) and np.array_equal(trained, expected)


def test_models_and_sets_travel(graphs, fitted):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert np.array_equal(pool.apply(ask, (fitted, graphs[:7])), fitted.predict_proba(graphs[:7]))


def test_threads_are_those_that_were_asked_for(monkeypatch):
    from agentnet._library import threads_for

    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert threads_for(None) == 3 and threads_for(2) == 2
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert threads_for(None) == threads_for(-1) >= 1


def test_a_large_set_is_not_copied_to_be_asked_about(fitted):
    """Asking about a slice takes memory for the slice, not for the set."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    many = GraphSet("synthetic:4cycles?graphs=20000&seed=3")
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fitted.predict(many[:100])
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - held < max(4096, (held - before) // 2)
