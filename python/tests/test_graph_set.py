"""Sets of graphs: held once, indexed lazily, and back again."""

import pickle

import numpy as np
import pytest

import agentnet
from agentnet import Graph, GraphSet
from agentnet.graphs import to_arrays

nx = pytest.importorskip("networkx")


def coloured(n, seed):
    graph = nx.gnp_random_graph(n, 0.4, seed=seed)
    for v in graph:
        graph.nodes[v]["colour"] = "red" if (v + seed) % 2 else "blue"
        graph.nodes[v]["size"] = 0.5 * v
    for u, v in graph.edges:
        graph.edges[u, v]["weight"] = float(u + v) + 0.25
    return graph


@pytest.fixture(scope="module")
def listed():
    return [coloured(4 + seed % 4, seed) for seed in range(12)]


def same(a, b):
    return nx.is_isomorphic(a, b, node_match=lambda x, y: x == y, edge_match=lambda x, y: x == y) and a.nodes(data=True) == b.nodes(data=True)


def test_networkx_and_back(listed):
    for before, after in zip(listed, GraphSet(listed).to_networkx()):
        assert type(after) is nx.Graph
        assert same(before, after)


def test_one_graph(listed):
    graphs = GraphSet(listed)
    one = graphs[3]
    assert isinstance(one, Graph) and one.num_nodes == len(listed[3])
    assert same(one.to_networkx(), listed[3])
    assert [g.num_nodes for g in graphs] == [len(g) for g in listed]


def test_slices_masks_and_lists(listed):
    graphs = GraphSet(listed)
    sizes = np.array([len(g) for g in listed])
    for key in (slice(2, 9), slice(None, None, -2), [5, 1, 1], np.arange(12) % 3 == 0, np.array([-1, 0])):
        part = graphs[key]
        assert len(part) == len(sizes[key])
        assert [g.num_nodes for g in part] == sizes[key].tolist()
        assert part._handle is graphs._handle, "no graph is copied"
    assert [g.num_nodes for g in graphs[2:9][1:3]] == sizes[2:9][1:3].tolist()
    assert graphs.shape == (12,)


def test_targets_come_along(listed):
    graphs = GraphSet(listed, targets=np.arange(12) * 10)
    assert graphs[[3, 1]].y.tolist() == [30, 10]
    assert graphs[2:][:2].y.tolist() == [20, 30]
    with pytest.raises(ValueError, match="12 graphs, but 3 targets"):
        GraphSet(listed, targets=[1, 2, 3])
    read = GraphSet("synthetic:4cycles?graphs=10&seed=1")
    assert set(read.y) == {"4-cycle", "no 4-cycle"}
    assert read[4:6].y.tolist() == read.y[4:6].tolist()


def test_graphs_of_a_set_make_a_set(listed):
    graphs = GraphSet(listed)
    again = GraphSet([graphs[4], graphs[2]])
    assert [g.num_nodes for g in again] == [len(listed[4]), len(listed[2])]
    assert again._handle is graphs._handle
    mixed = GraphSet([graphs[0], GraphSet(listed)[1]])
    assert [g.num_nodes for g in mixed] == [len(listed[0]), len(listed[1])]


def test_bulk_arrays_are_the_same_graphs(listed):
    graphs = GraphSet(listed)
    again = GraphSet(graphs.arrays())
    assert again.schema == graphs.schema
    assert all(same(a, b) for a, b in zip(again.to_networkx(), listed))


def test_arrays_that_list_edges_twice():
    edges = np.array([[0, 0, 1], [1, 1, 0]])
    graphs = GraphSet([(edges, np.ones((2, 1)), np.array([[1.0], [2.0], [3.0]]))])
    arrays = graphs.arrays()
    assert arrays.edge_index.tolist() == [[0, 0, 1], [1, 1, 0]]
    assert arrays.edge_dense.ravel().tolist() == [1, 2, 3]


def test_pickles_and_copies(listed):
    for graphs in (GraphSet(listed, targets=np.arange(12)), GraphSet("synthetic:4cycles?graphs=12&seed=1")):
        part = pickle.loads(pickle.dumps(graphs[3:6]))
        assert len(part) == 3
        assert list(part.y) == list(graphs[3:6].y)
        assert np.array_equal(part.arrays().edge_index, graphs[3:6].arrays().edge_index)


def test_a_schema_reads_later_graphs_as_earlier_ones(listed):
    graphs = GraphSet(listed[:6])
    later = listed[6:]
    for graph in later:
        graph.nodes[0]["colour"] = "green"
    arrays = GraphSet(later, schema=graphs.schema).arrays()
    assert arrays.node_vocabularies == [["blue", "red"]]
    assert arrays.node_categories.max() == 2


def test_smiles():
    pytest.importorskip("rdkit")
    if "smiles" not in str(agentnet.describe()):
        pytest.skip("this build reads no SMILES")
    graphs = GraphSet(["CCO", "c1ccccc1", "CC(=O)O"])
    assert [g.num_nodes for g in graphs] == [3, 6, 4]
    assert "atomic_num" in " ".join(graphs.schema.nodes.names)
    molecules = to_arrays([__import__("rdkit.Chem").Chem.MolFromSmiles(s) for s in ("CCO", "c1ccccc1", "CC(=O)O")])
    assert molecules.num_nodes == 13


def test_features_that_the_engine_computes():
    edges = np.array([[0, 1], [1, 0]])
    graphs = GraphSet([(edges, 2), (edges, 3)], degree=True)
    assert graphs.schema.nodes.categories == ["degree"]
    assert GraphSet([(edges, 2)]).schema.nodes.dense == ["constant"]


def test_files(tmp_path, listed):
    graphs = GraphSet(listed, targets=np.arange(12) % 2)
    graphs.save(tmp_path / "graphs.agentset")
    with pytest.raises(ValueError, match="exist"):
        graphs.save(tmp_path / "graphs.agentset")
    graphs[:3].save(tmp_path / "graphs.agentset", force=True)
    mapped = GraphSet(tmp_path / "graphs.agentset")
    assert len(mapped) == 3 and mapped.info["format"] == "agentset"
    assert all(same(a, b) for a, b in zip(mapped.to_networkx(), listed))


def test_options_that_there_are_not(listed):
    with pytest.raises(TypeError, match="colour"):
        GraphSet(listed, colour=True)
    with pytest.raises(ValueError, match="degree"):
        GraphSet("synthetic:4cycles?graphs=4", degre=True)


def test_splits():
    graphs = GraphSet("synthetic:4cycles?graphs=40&seed=1")
    folds = graphs.split("stratified-kfold:4")
    assert len(folds) == 4
    assert sorted(np.concatenate([fold["test"] for fold in folds]).tolist()) == list(range(40))
