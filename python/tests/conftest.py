"""Small sets and settings that tests share."""

import os
import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).parents[2]
SOURCE = "synthetic:4cycles?graphs=40&seed=1"
SMALL = {"hidden": 8, "agents": 3, "steps": 3, "epochs": 2, "batch": 8, "random_state": 0, "n_jobs": 1}


@pytest.fixture(scope="session")
def program():
    """The command-line program of the same build."""
    path = os.environ.get("AGENTNET_PROGRAM", "")
    if not path or not os.path.exists(path):
        pytest.skip("there is no program to compare with (AGENTNET_PROGRAM)")
    return path


@pytest.fixture(scope="session")
def graphs():
    import agentnet

    return agentnet.GraphSet(SOURCE)


@pytest.fixture
def small():
    return dict(SMALL)


def ring(nodes, colours):
    """(edge_index, x) of a ring, every edge in both directions."""
    u = np.arange(nodes)
    v = (u + 1) % nodes
    return np.stack([np.concatenate([u, v]), np.concatenate([v, u])]), np.asarray(colours)[:, None]


@pytest.fixture(scope="session")
def rings():
    """Rings of red and blue nodes: [(edge_index, x)], and whether red is in the majority."""
    random = np.random.default_rng(0)
    sizes = random.integers(5, 9, 48)
    listed, classes = [], []
    for size in sizes:
        colours = random.integers(0, 2, size)
        listed.append(ring(size, colours))
        classes.append("red" if 2 * colours.sum() > size else "blue")
    return listed, np.array(classes)


@pytest.fixture(scope="session")
def fitted(graphs):
    import agentnet

    return agentnet.AgentNetClassifier(**SMALL).fit(graphs)
