"""Whatever is given: graphs come out that belong together, or a ValueError."""

import random
import warnings

import numpy as np
import pytest
from standins import Data, DGLGraph, Tensor

from agentnet.graphs import GraphArrays, to_arrays


def some_array(draw):
    shape = [draw.randrange(4) for _ in range(draw.randrange(4))]
    kind = draw.choice([float, int, bool, "U3", object, np.uint8, complex, "datetime64[s]", "S2", np.float16])
    values = np.random.default_rng(draw.randrange(1000)).integers(-1, 4, shape)
    if kind == "datetime64[s]":
        return values.astype("int64").astype(kind)
    array = np.asarray(values).astype(kind)
    if array.dtype == object and array.size:
        array.reshape(-1)[0] = draw.choice([None, "x", 2.5, float("nan"), [], {}, 10**40])
    return array


def some_value(draw, depth=0):
    simple = [
        lambda: draw.randrange(-3, 5),
        lambda: draw.choice([0.5, float("nan"), float("inf"), 1e300, 10**30, 10**400]),
        lambda: draw.choice(["", "C", "CCO", "ü"]),
        lambda: None,
        lambda: True,
        lambda: some_array(draw),
        lambda: Tensor(some_array(draw)),
        lambda: np.array([[0, 1], [1, 0]]),
        lambda: [[0, 1], [1, 0]],
        lambda: np.float32(2),
        object,
    ]
    nested = [
        lambda: [some_value(draw, depth + 1) for _ in range(draw.randrange(4))],
        lambda: tuple(some_value(draw, depth + 1) for _ in range(draw.randrange(5))),
        lambda: {
            draw.choice(["edge_index", "x", "node_feat", "edge_attr", "num_nodes", "pos", "y", 3]): some_value(draw, 3)
            for _ in range(draw.randrange(5))
        },
        lambda: Data(*(some_value(draw, 3) for _ in range(draw.randrange(6)))),
        lambda: DGLGraph(some_array(draw), some_array(draw), draw.randrange(-1, 4), {"f": some_value(draw, 3)}),
    ]
    return draw.choice(simple if depth > 2 else simple + nested * 3)()


def consistent(arrays):
    if arrays.path is not None or arrays.smiles is not None:
        return True
    again = arrays.check()
    return again.edge_index.shape == (2, arrays.num_edges) and arrays.num_nodes >= len(arrays) > 0


@pytest.mark.parametrize("seed", range(8))
def test_anything(seed):
    draw = random.Random(seed)
    read = 0
    for _ in range(500):
        X = some_value(draw)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                arrays = to_arrays(X)
        except ValueError as error:
            assert str(error)
            continue
        assert consistent(arrays), X
        read += 1
    assert read > 0


@pytest.mark.parametrize("seed", range(8))
def test_graphs_with_one_thing_changed(seed):
    draw = random.Random(1000 + seed)
    read = 0
    for _ in range(300):
        edges = np.array([[0, 1, 2], [1, 2, 0]])
        graphs = [[edges, np.ones((3, 2)), np.arange(3)] for _ in range(3)]
        for part in draw.sample(range(3), draw.randrange(3)):
            graphs[draw.randrange(3)][part] = some_value(draw, 2)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                arrays = to_arrays([tuple(graph) for graph in graphs])
        except ValueError:
            continue
        assert isinstance(arrays, GraphArrays) and consistent(arrays)
        read += 1
    assert read > 0
