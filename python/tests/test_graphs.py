"""Every form of graphs gives the same arrays."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from standins import Batch, Data, Dataset, DGLGraph, Tensor, ogb_graph

from agentnet.graphs import GraphArrays, to_arrays, to_networkx

# Two molecules, nearly: C-N=O with a charge per atom, and C-C. Edges as pairs, listed once.
ATOMS = [[6, 7, 8], [6, 6]]
CHARGES = [[0.5, -0.25, -0.5], [0.0, 1.5]]
EDGES = [[(0, 1), (1, 2)], [(0, 1)]]
BONDS = [[1, 2], [1]]


def both_ways(edges):
    return np.array([pair for u, v in edges for pair in ((u, v), (v, u))], np.int64).T


def expected_entries(arrays):
    """Every graph's entries (graph, u, v, the edge's word), reverses included, in order."""
    entries = []
    for g in range(len(arrays)):
        one = arrays[g]
        for e in range(one.num_edges):
            u, v = one.edge_index[:, e].tolist()
            word = "" if one.edge_categories is None else one.edge_vocabularies[0][one.edge_categories[e, 0]]
            entries.append((g, u, v, word))
            if one.undirected and u != v:
                entries.append((g, v, u, word))
    return sorted(entries)


ALL_ENTRIES = sorted(
    (g, *pair, str(bond))
    for g in range(2)
    for (u, v), bond in zip(EDGES[g], BONDS[g])
    for pair in ((u, v), (v, u))
)


def as_tuples():
    return [(both_ways(EDGES[g]), np.array(ATOMS[g]), np.repeat(BONDS[g], 2)) for g in range(2)]


def as_lists():
    return [(both_ways(EDGES[g]).tolist(), ATOMS[g], np.repeat(BONDS[g], 2).tolist()) for g in range(2)]


def as_pyg():
    return [
        Data(
            x=Tensor(np.array(ATOMS[g]).reshape(-1, 1)),
            edge_index=Tensor(both_ways(EDGES[g])),
            edge_attr=Tensor(np.repeat(BONDS[g], 2).reshape(-1, 1)),
            y=Tensor([g]),
        )
        for g in range(2)
    ]


def as_dgl():
    graphs = []
    for g in range(2):
        source, target = both_ways(EDGES[g])
        data = {"feat": Tensor(ATOMS[g]), "_ID": Tensor([0] * len(ATOMS[g]))}
        graphs.append(DGLGraph(source, target, len(ATOMS[g]), data, {"w": Tensor(np.repeat(BONDS[g], 2))}))
    return graphs


def as_ogb():
    columns = [([[a] for a in ATOMS[g]], [[b] for b in BONDS[g]]) for g in range(2)]
    return Dataset([(ogb_graph(EDGES[g], *columns[g]), np.array([g])) for g in range(2)])


def as_networkx():
    networkx = pytest.importorskip("networkx")
    graphs = []
    for g in range(2):
        graph = networkx.Graph()
        graph.add_nodes_from((f"atom{i}", {"element": a}) for i, a in enumerate(ATOMS[g]))
        graph.add_edges_from((f"atom{u}", f"atom{v}", {"bond": b}) for (u, v), b in zip(EDGES[g], BONDS[g]))
        graphs.append(graph)
    return graphs


def as_igraph():
    igraph = pytest.importorskip("igraph")
    graphs = []
    for g in range(2):
        graph = igraph.Graph(n=len(ATOMS[g]), edges=EDGES[g])
        graph.vs["name"] = [f"atom{i}" for i in range(len(ATOMS[g]))]
        graph.vs["element"] = ATOMS[g]
        graph.es["bond"] = BONDS[g]
        graphs.append(graph)
    return graphs


def as_tables():
    pandas = pytest.importorskip("pandas")
    nodes = [(f"m{g}", f"a{i}", a) for g in range(2) for i, a in enumerate(ATOMS[g])]
    edges = [(f"m{g}", f"a{u}", f"a{v}", b) for g in range(2) for (u, v), b in zip(EDGES[g], BONDS[g])]
    return (
        pandas.DataFrame(nodes, columns=["graph", "node", "element"]).sort_values("node", kind="stable"),
        pandas.DataFrame(edges, columns=["graph", "source", "target", "bond"]),
    )


def as_table_pairs():
    pandas = pytest.importorskip("pandas")
    pairs = []
    for g in range(2):
        names = [f"a{i}" for i in range(len(ATOMS[g]))]
        nodes = pandas.DataFrame({"element": ATOMS[g]}, index=names)
        ends = [(f"a{u}", f"a{v}", b) for (u, v), b in zip(EDGES[g], BONDS[g])]
        pairs.append((nodes, pandas.DataFrame(ends, columns=["source", "target", "bond"])))
    return pairs


FORMS = {
    "tuples": as_tuples,
    "lists": as_lists,
    "iterator": lambda: iter(as_tuples()),
    "pyg": as_pyg,
    "pyg data set": lambda: Dataset(as_pyg()),
    "pyg batch": lambda: Batch(as_pyg()),
    "pyg loader": lambda: iter([Batch(as_pyg()[:1]), Batch(as_pyg()[1:])]),
    "dgl": as_dgl,
    "ogb": as_ogb,
    "networkx": as_networkx,
    "igraph": as_igraph,
    "tables": as_tables,
    "table pairs": as_table_pairs,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_graphs(form):
    arrays = to_arrays(FORMS[form]())
    assert arrays.node_offsets.tolist() == [0, 3, 5]
    assert arrays.node_vocabularies == [["6", "7", "8"]]
    assert arrays.node_categories.ravel().tolist() == [0, 1, 2, 0, 0]
    assert arrays.node_dense is None and arrays.edge_dense is None
    assert arrays.edge_vocabularies == [["1", "2"]]
    assert expected_entries(arrays) == ALL_ENTRIES
    for name in ("node_offsets", "edge_offsets", "edge_index", "node_categories", "edge_categories"):
        assert getattr(arrays, name).flags.c_contiguous, name
    assert arrays.edge_index.dtype == np.uint32
    assert arrays.node_categories.dtype == np.int32


def test_names_of_columns_come_from_the_form():
    assert to_arrays(as_tuples()).node_category_names == ["node_feat0"]
    assert to_arrays(as_pyg()).edge_category_names == ["edge_attr0"]
    assert to_arrays(as_dgl()).node_category_names == ["feat"]
    assert to_arrays(as_networkx()).node_category_names == ["element"]
    assert to_arrays(as_tables()).edge_category_names == ["bond"]


def test_targets_and_ids_that_come_with_the_graphs():
    assert to_arrays(as_ogb()).targets.tolist() == [0, 1]
    assert to_arrays(as_pyg()).targets.tolist() == [0, 1]
    assert to_arrays(as_tuples()).targets is None
    assert to_arrays(as_tables()).ids == ["m0", "m1"]


def test_tables_with_targets_and_directions():
    pandas = pytest.importorskip("pandas")
    nodes, edges = as_tables()
    graphs = pandas.DataFrame({"graph": ["m1", "m0"], "directed": [1, 0], "y": ["b", "a"]})
    arrays = to_arrays({"nodes": nodes, "edges": edges, "graphs": graphs})
    assert arrays.ids == ["m1", "m0"]
    assert arrays.targets.tolist() == ["b", "a"]
    assert not arrays.undirected
    assert arrays[0].edge_index.tolist() == [[0], [1]]
    assert arrays[1].edge_index.tolist() == [[0, 1, 1, 2], [1, 2, 0, 1]]


def test_floats_are_numbers_and_borrowed():
    x = np.array([[1.0, 2.0], [0.0, 1.0], [3.0, 1.0]], np.float32)
    arrays = to_arrays([(np.array([[0, 1], [1, 2]], np.uint32), x)])
    assert np.shares_memory(arrays.node_dense, x)
    assert arrays.node_dense_names == ["node_feat0", "node_feat1"]
    assert arrays.node_categories is None


def test_kinds_of_columns_as_the_program_takes_them():
    x = np.arange(300).reshape(-1, 1)
    ring = np.stack([np.arange(300), np.roll(np.arange(300), 1)])
    assert to_arrays([(ring, x)]).node_dense_names == ["node_feat0"], "more than 256 different values"
    assert to_arrays([(ring, x)], node_features="categories").node_category_names == ["node_feat0"]
    assert to_arrays([(ring, x % 2)]).node_vocabularies == [["0", "1"]]
    assert to_arrays([(ring, x % 2)], node_features="dense").node_dense[:4, 0].tolist() == [0, 1, 0, 1]
    assert to_arrays([(ring, x % 2 == 0)]).node_vocabularies == [["false", "true"]]
    assert to_arrays([(ring, x % 2 * (1 << 23))]).node_dense_names == ["node_feat0"], "too large for a label"
    by_name = to_arrays([(ring, np.hstack([x % 2, x % 3]))], node_features={"node_feat1": "dense"})
    assert (by_name.node_dense_names, by_name.node_category_names) == (["node_feat1"], ["node_feat0"])
    with pytest.raises(ValueError, match="'numbers'; it may be auto, categories, dense"):
        to_arrays([(ring, x)], node_features="numbers")


def test_words_and_numbers_together():
    networkx = pytest.importorskip("networkx")
    graph = networkx.path_graph(5)
    for node, value in enumerate(["b", 10, "a", 9, "b"]):
        graph.nodes[node]["label"] = value
        graph.nodes[node]["place"] = [0.5 * node, node]
    arrays = to_arrays([graph])
    assert arrays.node_vocabularies[0] == ["9", "10", "a", "b"]
    assert arrays.node_categories[:, 0].tolist() == [3, 1, 2, 0, 3]
    assert arrays.node_dense_names == ["place0"]
    assert arrays.node_category_names == ["label", "place1"]


def test_later_graphs_are_read_as_earlier_ones():
    arrays = to_arrays(as_networkx())
    later = as_networkx()
    later[0].nodes["atom0"]["element"] = 17
    later[0].nodes["atom0"]["further"] = 1.5
    for graph in later:
        for node in graph:
            graph.nodes[node].setdefault("further", 0)
    read = to_arrays(later, schema=pickle.loads(pickle.dumps(arrays.schema)))
    assert read.node_vocabularies == arrays.node_vocabularies
    assert read.node_categories[:, 0].tolist() == [3, 1, 2, 0, 0]
    assert read.unseen == {"element=17": 1}
    assert read.node_dense is None, "columns that the schema does not have are left out"


def test_a_column_of_numbers_stays_one():
    ring = np.array([[0, 1, 2], [1, 2, 0]])
    schema = to_arrays([(ring, np.array([0.5, 1.0, 2.0]))]).schema
    read = to_arrays([(ring, np.array([0, 1, 1]))], schema=schema)
    assert read.node_dense[:, 0].tolist() == [0, 1, 1]
    schema = to_arrays([(ring, np.array([4, 5, 6]))]).schema
    assert to_arrays([(ring, np.array([6.0, 4.0, 4.5]))], schema=schema).node_categories[:, 0].tolist() == [2, 0, 3]


def test_columns_of_other_names_are_matched_by_place_if_all_differ():
    schema = to_arrays(as_networkx()).schema
    read = to_arrays(as_tuples(), schema=schema)
    assert read.node_category_names == ["element"]
    assert read.node_categories[:, 0].tolist() == [0, 1, 2, 0, 0]
    with pytest.raises(ValueError, match="the edge column 'bond' is missing"):
        to_arrays([(graph[0], graph[1]) for graph in as_tuples()], schema=schema)


def test_columns_that_the_engine_computes_may_be_missing():
    schema = to_arrays(as_tuples()).schema
    schema.nodes.categories.append("degree")
    schema.nodes.vocabularies.append(["1", "2"])
    schema.edges.dense.append("distance")
    read = to_arrays(as_tuples(), schema=schema)
    assert read.node_category_names == ["node_feat0"] and read.edge_dense_names == []
    assert to_arrays(to_arrays(as_tuples()), schema=schema).node_category_names == ["node_feat0"]
    assert to_arrays([(np.zeros((2, 0)), np.array([6]))], schema=schema).edge_dense_names == []
    networkx = pytest.importorskip("networkx")
    own = networkx.path_graph(3)
    networkx.set_node_attributes(own, {n: {"node_feat0": 6, "degree": n} for n in own})
    networkx.set_edge_attributes(own, 1, "edge_attr0")
    assert to_arrays([own], schema=schema).node_categories[:, 1].tolist() == [2, 0, 1], "a column of their own"


def test_graphs_without_edges_fit_any_edge_columns():
    schema = to_arrays(as_tuples()).schema
    read = to_arrays([(np.zeros((2, 0)), np.array([6]))], schema=schema)
    assert read.edge_categories.shape == (0, 1)
    mixed = to_arrays([*as_tuples(), (np.zeros((2, 0), int), np.array([6]), None)])
    assert mixed.edge_offsets.tolist() == [0, 4, 6, 6]


def test_columns_are_chosen_by_name():
    graphs = as_networkx()
    for graph in graphs:
        for i, node in enumerate(graph):
            graph.nodes[node]["ragged"] = list(range(i))
    arrays = to_arrays(graphs, node_columns=["element"], edge_columns=["none"])
    assert arrays.node_category_names == ["element"]
    assert arrays.edge_categories is None
    two = [(both_ways(EDGES[g]), np.stack([ATOMS[g], CHARGES[g]], axis=1)) for g in range(2)]
    assert to_arrays(two, node_columns=["node_feat1"]).node_dense[:, 0].tolist() == CHARGES[0] + CHARGES[1]
    with pytest.raises(ValueError, match="there is no node column 'charge'"):
        to_arrays(two, node_columns=["charge"])


def test_directions():
    once = [(np.array([[0, 1, 1], [1, 2, 1]]), 3)]
    assert not to_arrays(once).undirected
    assert to_arrays(once, directed=False).undirected
    half = [(np.array([[0, 1, 1], [1, 0, 2]]), 3, np.array([5, 6, 7]))]
    arrays = to_arrays(half, directed=False)
    assert not arrays.undirected
    assert arrays.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert arrays.edge_vocabularies[0][arrays.edge_categories[3, 0]] == "7"
    networkx = pytest.importorskip("networkx")
    assert to_arrays([networkx.path_graph(3)]).undirected
    assert not to_arrays([networkx.path_graph(3)], directed=True).undirected
    mixed = to_arrays([networkx.path_graph(3), networkx.DiGraph([(0, 1)])])
    assert not mixed.undirected
    assert mixed[0].num_edges == 4 and mixed[1].num_edges == 1


def test_the_bulk_form_is_borrowed():
    arrays = to_arrays(as_tuples())
    again = to_arrays(
        GraphArrays(
            node_offsets=arrays.node_offsets,
            edge_offsets=arrays.edge_offsets,
            edge_index=arrays.edge_index,
            node_categories=arrays.node_categories,
        )
    )
    for name in ("node_offsets", "edge_offsets", "edge_index", "node_categories"):
        assert np.shares_memory(getattr(again, name), getattr(arrays, name)), name
    assert again.node_vocabularies == [["0", "1", "2"]]
    assert to_arrays(arrays, schema=arrays.schema).node_categories is arrays.node_categories
    other = to_arrays([(g[0], g[1] + 1, g[2]) for g in as_tuples()])
    assert to_arrays(other, schema=arrays.schema).unseen == {"node_feat0=9": 1}


def test_scikit_learn_divides_them():
    selection = pytest.importorskip("sklearn.model_selection")
    arrays = to_arrays([(both_ways(EDGES[i % 2]), np.array(ATOMS[i % 2]) + i) for i in range(10)])
    train, test, numbers, others = selection.train_test_split(arrays, range(10), random_state=0)
    assert isinstance(train, GraphArrays) and len(train) == 7 and len(test) == 3
    for part, chosen in ((train, numbers), (test, others)):
        assert part.node_categories.tolist() == arrays[chosen].node_categories.tolist()


def test_graphs_that_the_engine_holds():
    class Held:
        def __init__(self, arrays):
            self._arrays = arrays
            self.edge_index = arrays.edge_index

        def arrays(self):
            return self._arrays

        def to_networkx(self):
            raise AssertionError

    whole = to_arrays(as_tuples())
    again = to_arrays([Held(whole[0]), Held(whole[1])])
    assert again.node_categories.tolist() == whole.node_categories.tolist()
    assert to_arrays(Held(whole)).node_categories is whole.node_categories


def test_indexing():
    arrays = to_arrays(as_tables())
    assert len(arrays) == 2 and len(list(arrays)) == 2
    assert np.shares_memory(arrays[1:].node_categories, arrays.node_categories)
    assert arrays[-1].ids == ["m1"]
    twice = arrays[[1, 0, 1]]
    assert twice.node_offsets.tolist() == [0, 2, 5, 7]
    assert twice.edge_index.tolist() == [[0, 0, 1, 0], [1, 1, 2, 1]]
    assert twice.ids == ["m1", "m0", "m1"]
    assert arrays[np.array([False, True])].num_nodes == 2
    assert to_arrays([arrays[1], arrays[0]]).node_categories.tolist() == arrays[[1, 0]].node_categories.tolist()
    with pytest.raises(IndexError):
        arrays[2]
    with pytest.raises(IndexError):
        arrays[[0, 5]]
    assert arrays[::-1].ids == ["m1", "m0"]


def test_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    ones = [np.ones(2 * len(e)) for e in EDGES]
    matrices = [sparse.coo_matrix((ones[g], both_ways(EDGES[g])), (len(ATOMS[g]),) * 2) for g in range(2)]
    arrays = to_arrays([(m.tocsr(), np.array(a)) for m, a in zip(matrices, ATOMS)])
    assert arrays.edge_dense is None
    assert sorted(zip(*arrays[0].edge_index.tolist())) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert to_arrays(matrices).node_offsets.tolist() == [0, 3, 5], "matrices alone"
    weighted = to_arrays([(m.tocsr() * 0.5, np.array(a)) for m, a in zip(matrices, ATOMS)])
    assert weighted.edge_dense_names == ["weight"]
    rows = to_arrays([(m, np.array(a), np.repeat(b, 2)) for m, a, b in zip(matrices, ATOMS, BONDS)])
    assert expected_entries(rows) == ALL_ENTRIES
    features = to_arrays([(m, sparse.eye(m.shape[0], 3, format="csr")) for m in matrices])
    assert features.node_dense.shape == (5, 3)


def test_smiles_are_left_to_the_program():
    assert to_arrays(["CCO", "c1ccccc1"]).smiles == ["CCO", "c1ccccc1"]
    assert to_arrays(np.array(["CCO"])).smiles == ["CCO"]
    assert to_arrays(np.array(["CCO", "C"], object))[1].smiles == ["C"]
    pandas = pytest.importorskip("pandas")
    assert to_arrays(pandas.DataFrame({"smiles": ["CCO"]})["smiles"]).smiles == ["CCO"]


def test_paths_are_left_to_the_program(tmp_path):
    assert to_arrays("synthetic:4cycles").path == "synthetic:4cycles"
    assert to_arrays(tmp_path).path == str(tmp_path)


def test_molecules_have_the_features_of_ogb():
    Chem = pytest.importorskip("rdkit.Chem")
    # Aspirin's first atoms as ogb.utils.smiles2graph gives them: methyl, carbonyl carbon, oxygen.
    arrays = to_arrays([Chem.MolFromSmiles("CC(=O)Oc1ccccc1C(=O)O"), Chem.MolFromSmiles("[Na+]")])
    assert arrays.node_offsets.tolist() == [0, 13, 14]
    assert arrays.node_categories[:3].tolist() == [
        [5, 0, 4, 5, 3, 0, 2, 0, 0],
        [5, 0, 3, 5, 0, 0, 1, 0, 0],
        [7, 0, 1, 5, 0, 0, 1, 0, 0],
    ]
    assert arrays.node_categories[13].tolist() == [10, 0, 0, 6, 0, 0, 5, 0, 0]
    assert arrays.edge_categories[:2].tolist() == [[0, 0, 0], [1, 0, 1]]
    assert arrays.undirected
    assert [len(words) for words in arrays.node_vocabularies] == [119, 5, 12, 12, 10, 6, 6, 2, 2]
    assert to_arrays([Chem.MolFromSmiles("C")], schema=arrays.schema).node_categories.shape == (1, 9)


def test_nothing_is_imported_that_the_user_has_not():
    program = (
        "import sys, numpy, agentnet.graphs as g\n"
        "arrays = g.to_arrays([(numpy.array([[0], [1]]), numpy.ones((2, 1)))])\n"
        "g.to_arrays(['CCO']); g.to_arrays([{'edge_index': [[0], [1]], 'x': [1, 2]}])\n"
        "wanted = {'networkx', 'pandas', 'scipy', 'sklearn', 'torch', 'igraph', 'rdkit', 'dgl', 'matplotlib'}\n"
        "print(sorted(wanted & set(sys.modules)))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    if "agentnet/__init__.py" in result.stderr:
        pytest.skip("the package itself does not load: " + result.stderr[-200:])
    assert result.stdout.strip() == "[]", result.stderr


def test_back_to_networkx():
    networkx = pytest.importorskip("networkx")
    graphs = as_networkx()
    arrays = to_arrays(graphs)
    for g, graph in enumerate(graphs):
        back = to_networkx(arrays, g)
        named = networkx.relabel_nodes(back, dict(enumerate(graph)))
        assert type(back) is networkx.Graph
        assert dict(named.nodes(data=True)) == dict(graph.nodes(data=True))
        assert {frozenset(e[:2]): e[2] for e in named.edges(data=True)} == {
            frozenset(e[:2]): e[2] for e in graph.edges(data=True)
        }
    assert type(to_networkx(to_arrays(as_tuples()))) is networkx.Graph, "both directions with the same features"
    one_way = to_networkx(to_arrays([(np.array([[0], [1]]), np.array([[0.5], [1.5]]))]))
    assert type(one_way) is networkx.DiGraph
    assert one_way.nodes[1] == {"node_feat0": 1.5}
    double = networkx.MultiGraph([(0, 1, {"b": 1}), (0, 1, {"b": 2})])
    assert type(to_networkx(to_arrays([double]))) is networkx.MultiGraph
