"""What does not fit is a ValueError that names the graph and the row."""

import pickle

import numpy as np
import pytest
from standins import Data, DGLGraph, Tensor

from agentnet.graphs import GraphArrays, GraphError, to_arrays

EDGE = np.array([[0, 1], [1, 0]])
ONES = np.ones((2, 1), np.float32)
GOOD = (EDGE, ONES)
GOOD_DGL = DGLGraph([0], [1], 2)


def arrays(**others):
    parts = {
        "node_offsets": np.array([0, 2, 4]),
        "edge_offsets": np.array([0, 1, 2]),
        "edge_index": np.array([[0, 1], [1, 0]]),
        **others,
    }
    return GraphArrays(**parts)


# name: (X, what the message must say, graph, row)
BAD = {
    "node out of range": ([GOOD, (np.array([[0, 1], [1, 2]]), ONES)], "edge_index names node 2, .* 0 to 1", 1, 1),
    "negative node": ([GOOD, GOOD, (np.array([[0, -1], [1, 0]]), ONES)], "names node -1", 2, 1),
    "node out of range, more nodes elsewhere": (
        [(np.array([[0], [4]]), np.ones((5, 1))), (np.array([[0, 0], [1, 3]]), np.ones((3, 1)))],
        "names node 3, but the graph's nodes are 0 to 2",
        1,
        1,
    ),
    "edge_index of fractions": ([(np.array([[0.5], [1]]), ONES)], "edge_index holds float64, not numbers", 0, None),
    "edge_index of NaN": ([(np.array([[np.nan], [1]]), ONES)], "edge_index holds float64, not numbers", 0, None),
    "edge_index of words": ([([["a"], ["b"]], ONES)], "edge_index holds object", 0, None),
    "edge_index transposed": ([GOOD, (np.array([[0, 1], [1, 0], [1, 1]]), ONES)], r"\(3, 2\).*edge_index.T", 1, None),
    "edge_index flat": ([GOOD, (np.array([0, 1]), ONES)], r"edge_index has the shape \(2,\)", 1, None),
    "edge_index ragged": ([([[0, 1], [1]], ONES)], "row of edge_index has 1 values, row 0 has 2", 0, 1),
    "features ragged": ([GOOD, (EDGE, [[1, 2], [3]])], "row of node_feat has 1 values, row 0 has 2", 1, 1),
    "features of a single value": ([(EDGE, [[1, 2], 3])], "row of node_feat is a single value", 0, 1),
    "features too deep": ([GOOD, (EDGE, np.ones((2, 1, 1)))], r"node_feat has the shape \(2, 1, 1\)", 1, None),
    "other columns": ([GOOD, GOOD, (EDGE, np.ones((2, 3)))], "has 3 columns, that of graph 0 has 1", 2, None),
    "too few rows": (
        [{"edge_index": EDGE, "x": np.ones((3, 1)), "num_nodes": 2}],
        "node_feat has 3 rows, but the graph has 2 nodes",
        0,
        None,
    ),
    "too few rows of edges": (
        [(EDGE, ONES, np.ones(2)), (EDGE, ONES, np.ones(1))],
        "edge_attr has 1 rows, but the graph has 2 edges",
        1,
        None,
    ),
    "features missing": ([GOOD, (EDGE, None)], "has no node_feat, unlike others", 1, None),
    "edge features missing": ([(EDGE, ONES, ONES), (EDGE, ONES)], "has no edge_attr, unlike others", 1, None),
    "NaN": ([GOOD, (EDGE, np.array([[1], [np.nan]], np.float32))], "node_feat0 is NaN .*missing", 1, 1),
    "NaN of an edge": ([(EDGE, ONES, np.array([[1, 1], [1, np.nan]]))], "edge 1: edge_attr1 is NaN", 0, 1),
    "infinite": ([(EDGE, np.array([[np.inf], [1]]))], "node_feat0 is infinite", 0, 0),
    "both infinities": ([(EDGE, np.array([[np.inf], [-np.inf]]))], "node_feat0 is infinite", 0, 0),
    "too large": ([(EDGE, np.array([[1e300], [1]]))], "1e.300, too large for a float", 0, 0),
    "an enormous whole number": ([(EDGE, [1, 10**400])], "too large for a float", 0, 1),
    "a large whole number": ([(EDGE, [1, 10**100])], "e.100, too large for a float", 0, 1),
    "None among numbers": ([(EDGE, [1, None])], "node_feat0 is missing", 0, 1),
    "objects as features": ([(EDGE, [1, {}])], "node_feat0 is a dict, not a number or text", 0, 1),
    "fraction among words": ([(EDGE, ["C", 0.5])], "node_feat0 is 0.5, but a word elsewhere", 0, 1),
    "complex numbers": ([(EDGE, np.ones((2, 1), complex))], "has the type complex", None, None),
    "no nodes": ([GOOD, (np.zeros((2, 0)), np.zeros((0, 1)))], "the graph has no nodes", 1, None),
    "nothing at all": ([GOOD, ()], "of the form empty tuple, graph 0 of the form tuple", 1, None),
    "no graphs": ([], "there are no graphs", None, None),
    "no list": (5, "int is no set of graphs", None, None),
    "None": (None, "NoneType is no set of graphs", None, None),
    "an array of numbers": (np.ones((3, 4)), "ndarray of shape .4,. is no graph", 0, None),
    "a dictionary without edges": ([{"nodes": 3}], "dict is no graph", 0, None),
    "different forms": ([GOOD, "CCO"], "of the form smiles, graph 0 of the form tuple", 1, None),
    "a single graph": (GOOD, r"single graph \(tuple\).*\[graph\]", None, None),
    "a number that is no size": ([{"edge_index": EDGE, "num_nodes": "two"}], "num_nodes is 'two'", 0, None),
    "negative size": ([{"edge_index": EDGE, "num_nodes": -2}], "num_nodes is -2", 0, None),
    "missing SMILES": (["CCO", None], "is None, not a SMILES string", 1, None),
    "blank SMILES": (["CCO", " "], "is a blank", 1, None),
    "PyG without edge_index": ([Data(x=Tensor(ONES), adj_t=1)], "adj_t, but no edge_index", 0, None),
    "DGL of several types": ([DGLGraph([0], [1], 2, homogeneous=False)], "several types", 0, None),
    "DGL's batches": ([GOOD_DGL, DGLGraph([0], [1], 2, batch_size=2)], "several graphs in one batch", 1, None),
    "DGL with a feature that others lack": (
        [DGLGraph([0], [1], 2, {"a": Tensor([1, 2])}), DGLGraph([0], [1], 2)],
        "has no a, unlike others",
        1,
        None,
    ),
    "bulk: offsets fall": (arrays(node_offsets=np.array([0, 3, 2])), "node_offsets falls from 3 to 2", 1, None),
    "bulk: offsets of 1": (arrays(edge_offsets=np.array([1, 1, 2])), "edge_offsets begins with 1", None, None),
    "bulk: other numbers of graphs": (arrays(edge_offsets=np.array([0, 2])), "2 graphs in node_offsets", None, None),
    "bulk: a graph without nodes": (arrays(node_offsets=np.array([0, 0, 4])), "the graph has no nodes", 0, None),
    "bulk: too few edges": (arrays(edge_index=np.zeros((2, 1), int)), "but edge_offsets ends with 2", None, None),
    "bulk: node out of range": (arrays(edge_index=np.array([[0, 2], [1, 0]])), "names node 2", 1, 0),
    "bulk: too few rows": (arrays(node_dense=np.ones((3, 1))), r"node_dense has the shape \(3, 1\)", None, None),
    "bulk: NaN": (arrays(node_dense=np.array([[1], [1], [1], [np.nan]])), "node_feat0 is nan", 1, 1),
    "bulk: unknown word": (
        arrays(
            edge_categories=np.array([[0], [3]]), edge_category_names=["b"], edge_vocabularies=[["x", "y"]]
        ),
        "b is number 3 of 2 words",
        1,
        0,
    ),
    "bulk: negative word": (arrays(node_categories=np.array([[0], [0], [-1], [0]])), "is number -1 of 1 words", 1, 0),
    "bulk: names": (arrays(node_dense=np.ones((4, 1)), node_dense_names=["a", "b"]), "2 names .a, b.", None, None),
    "bulk: ids": (arrays(ids=["a"]), "1 ids for 2 graphs", None, None),
}


@pytest.mark.parametrize("name", BAD)
def test_bad(name):
    X, message, graph, row = BAD[name]
    with pytest.raises(GraphError, match=message) as caught:
        to_arrays(X)
    assert isinstance(caught.value, ValueError)
    assert (caught.value.graph, caught.value.row) == (graph, row)
    if graph is not None:
        assert f"graph {graph}" in str(caught.value)


def test_networkx_names_the_node():
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_node("a", charge=1.0)
    graph.add_node("b")
    with pytest.raises(ValueError, match=r"graph 1, node 1 \('b'\): the node has no 'charge', unlike others"):
        to_arrays([networkx.Graph(graph.subgraph("a")), graph])
    graph.nodes["b"]["charge"] = float("nan")
    with pytest.raises(ValueError, match=r"graph 0, node 1 \('b'\): charge is NaN"):
        to_arrays([graph])
    graph.nodes["b"]["charge"] = 2
    graph.nodes["b"]["mass"] = 1
    with pytest.raises(ValueError, match=r"graph 0, node 1 \('b'\): the node has 'mass', which those of graph 0"):
        to_arrays([graph])
    with pytest.raises(ValueError, match=r"single graph \(networkx\)"):
        to_arrays(graph)
    with pytest.raises(ValueError, match="graph 0: the graph has no nodes"):
        to_arrays([networkx.Graph()])
    weighted = networkx.path_graph(3)
    weighted.edges[0, 1]["weight"] = 2
    with pytest.raises(ValueError, match=r"graph 0, edge 1 \(\(1, 2\)\): the edge has no 'weight'"):
        to_arrays([weighted])
    lists = networkx.path_graph(2)
    networkx.set_node_attributes(lists, {0: [1, 2], 1: [3]}, "x")
    with pytest.raises(ValueError, match=r"graph 0, node 1: the node has no 'x1', unlike others"):
        to_arrays([lists])


def test_tables_name_the_row():
    pandas = pytest.importorskip("pandas")
    nodes = pandas.DataFrame({"graph": [1, 1, 2], "node": ["a", "b", "a"], "x": [1.0, 2.0, 3.0]})
    edges = pandas.DataFrame({"graph": [1], "source": ["a"], "target": ["b"]})
    assert len(to_arrays((nodes, edges))) == 2
    with pytest.raises(ValueError, match="graph 0, edge 0: the graph has no node 'c'"):
        to_arrays((nodes, edges.assign(target="c")))
    with pytest.raises(ValueError, match="row 0 of the table of edges: there is no graph 7"):
        to_arrays((nodes, edges.assign(graph=7)))
    with pytest.raises(ValueError, match="row 2 of the table of nodes: there is no graph 2"):
        to_arrays({"nodes": nodes, "edges": edges, "graphs": pandas.DataFrame({"graph": [1]})})
    with pytest.raises(ValueError, match="row 1 of the table of graphs: the graph 1 is there twice"):
        to_arrays({"nodes": nodes, "edges": edges, "graphs": pandas.DataFrame({"graph": [1, 1]})})
    with pytest.raises(ValueError, match="graph 0: the node 'a' is there twice"):
        to_arrays((nodes.assign(node="a"), edges))
    with pytest.raises(ValueError, match="the table of edges has no column 'target'"):
        to_arrays((nodes, edges.rename(columns={"target": "finish"})))
    with pytest.raises(ValueError, match=r"graph 1, node 0 \('a'\): x is NaN"):
        to_arrays((nodes.assign(x=[1, 2, None]), edges))
    with pytest.raises(ValueError, match="graph 1: the node columns are x, y, those of graph 0 are x"):
        both = nodes[["x"]][:2], edges.drop(columns="graph").replace({"a": 0, "b": 1})
        to_arrays([both, (both[0].assign(y=1), both[1])])
    with pytest.raises(ValueError, match="a table is no set of graphs"):
        to_arrays(nodes)


def test_molecules_that_are_none():
    Chem = pytest.importorskip("rdkit.Chem")
    good = Chem.MolFromSmiles("CCO")
    with pytest.raises(ValueError, match="graph 1: is None, not a molecule"):
        to_arrays([good, None])
    with pytest.raises(ValueError, match="graph 0: is None, not a molecule"):
        to_arrays([None, good])
    with pytest.raises(ValueError, match="graph 1: the molecule has no atoms"):
        to_arrays([good, Chem.MolFromSmiles("")])
    with pytest.raises(ValueError, match="graph 1: the molecule is not sanitised"):
        to_arrays([good, Chem.MolFromSmiles("CCO", sanitize=False)])


def test_sparse_matrices_that_are_not_square():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match=r"graph 1: the adjacency matrix has the shape \(2, 3\)"):
        to_arrays([sparse.eye(2, format="csr"), sparse.csr_matrix((2, 3))])


def test_columns_that_a_schema_does_not_find():
    schema = to_arrays([(EDGE, np.array([1, 2]))]).schema
    with pytest.raises(ValueError, match="the node column 'node_feat0' is missing .*had .*these have none"):
        to_arrays([(EDGE, 2)], schema=schema)
    dense = to_arrays([(EDGE, np.array([0.5, 2]))]).schema
    with pytest.raises(ValueError, match="graph 0, node 0: node_feat0 should be a number, but is 'C'"):
        to_arrays([(EDGE, ["C", "N"])], schema=dense)


def test_errors_survive_a_pickle():
    with pytest.raises(GraphError) as caught:
        to_arrays([GOOD, (EDGE, np.array([[1], [np.nan]]))])
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.graph, again.row) == (str(caught.value), 1, 1)


def test_the_graphs_that_are_given_stay_as_they_are():
    x = np.array([[1.0], [2.0]], np.float32)
    edges = np.array([[0, 1], [1, 0]], np.uint32)
    X = [(edges, x)]
    to_arrays(X, directed=False)
    assert X[0][0] is edges and edges.tolist() == [[0, 1], [1, 0]] and x.tolist() == [[1], [2]]
    networkx = pytest.importorskip("networkx")
    graph = networkx.path_graph(3)
    networkx.set_node_attributes(graph, {n: [1, n] for n in graph}, "x")
    to_arrays([graph])
    assert dict(graph.nodes(data=True)) == {n: {"x": [1, n]} for n in range(3)}
    assert list(graph.edges(data=True)) == [(0, 1, {}), (1, 2, {})]
