"""A fitted model gives the same graphs the same answers, to the last bit, in whatever form they come."""

import json
import pathlib
import random

import numpy as np
import pytest
from test_graphs import FORMS, as_tuples, both_ways
from test_graphs_plain import random_set

agentnet = pytest.importorskip("agentnet")
if not hasattr(agentnet, "GraphSet"):
    pytest.skip("the engine is not there, agentnet.graphs alone is", allow_module_level=True)

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "data"
SMALL = {"hidden": 8, "agents": 3, "steps": 3, "epochs": 2, "random_state": 0, "n_jobs": 1}


@pytest.fixture(scope="module")
def model():
    """Fitted on graphs with the columns of as_tuples()."""
    X, y = [], []
    for i in range(20):
        edges, atoms, bonds = as_tuples()[i % 2]
        X.append((edges, np.roll(atoms, i), bonds))
        y.append("abc"[i % 3])
    return agentnet.AgentNetClassifier(**SMALL).fit(X, y)


@pytest.mark.parametrize("form", FORMS)
def test_answers(model, form):
    expected = model.predict_proba(as_tuples())
    assert not np.array_equal(expected[0], expected[1])
    assert np.array_equal(model.predict_proba(FORMS[form]()), expected)


def test_a_set_that_is_held(model):
    expected = model.predict_proba(as_tuples())
    held = agentnet.GraphSet(as_tuples(), schema=model.model_.graphs(as_tuples()).schema)
    assert np.array_equal(model.predict_proba(held), expected)
    assert np.array_equal(model.predict_proba(list(held)), expected)
    assert np.array_equal(model.predict_proba(held.arrays()), expected)
    assert np.array_equal(model.predict_proba(held.to_networkx()), expected)


def test_words_that_were_not_there(model):
    unknown = [(edges, np.where(atoms == 7, 99, atoms), bonds) for edges, atoms, bonds in as_tuples()]
    other = [(edges, np.where(atoms == 7, 53, atoms), bonds) for edges, atoms, bonds in as_tuples()]
    answers = model.predict_proba(unknown)
    assert np.isfinite(answers).all()
    assert np.array_equal(answers, model.predict_proba(other)), "all unknown words are the same"


def test_bad_graphs_are_named_by_the_estimator_too(model):
    good = as_tuples()
    with pytest.raises(ValueError, match="graph 1, edge 0: edge_index names node 7"):
        model.predict([good[0], (np.array([[7], [0]]), np.array([6, 6]), np.array([1]))])
    with pytest.raises(ValueError, match="graph 1, node 0: node_feat0 is missing"):
        model.fit([good[0], (np.array([[0], [1]]), [None, 6], [1])], [0, 1])


def test_columns_that_the_engine_computes():
    rings = [(both_ways([(i, (i + 1) % n) for i in range(n)]), n) for n in (3, 4, 5, 6) * 5]
    y = [n % 2 for _, n in rings]
    bare = agentnet.AgentNetClassifier(**SMALL).fit(rings, y)
    assert bare.predict(rings[:3]).shape == (3,)
    with_degrees = agentnet.GraphSet(rings, degree=True)
    model = agentnet.AgentNetClassifier(**SMALL).fit(with_degrees, y)
    assert np.array_equal(model.predict_proba(rings), model.predict_proba(with_degrees))


def same_sets(ours, read):
    """Our conversion and the program's reader agree on every array, name and word."""
    assert ours.schema == read.schema
    for name in ("node_offsets", "edge_offsets", "edge_index", "node_dense", "node_categories", "edge_dense"):
        one, other = getattr(ours.arrays(), name), getattr(read.arrays(), name)
        assert (one is None) == (other is None) and (one is None or np.array_equal(one, other)), name
    one, other = ours.arrays().edge_categories, read.arrays().edge_categories
    assert (one is None) == (other is None) and (one is None or np.array_equal(one, other))
    return True


@pytest.mark.parametrize("seed", range(4))
def test_lines_of_json_are_what_the_program_reads(tmp_path, seed):
    lines = [
        {"edge_index": ends, "num_nodes": nodes, "node_feat": rows, "edge_attr": edge_rows}
        for nodes, ends, rows, edge_rows in random_set(seed, 30)
    ]
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    read = agentnet.GraphSet(tmp_path / "set.jsonl")
    as_the_file = [json.loads(line) for line in (tmp_path / "set.jsonl").read_text().splitlines()]
    assert same_sets(agentnet.GraphSet(as_the_file), read)


def test_networkx_is_what_the_program_reads_of_its_json(tmp_path):
    networkx = pytest.importorskip("networkx")
    draw = random.Random(0)
    graphs = []
    for i in range(30):
        graph = networkx.gnm_random_graph(6, 8, seed=i, directed=i % 3 == 0)
        for node in graph:
            graph.nodes[node].update(label=draw.choice(["C", "N", 7, 10, "a"]), charge=draw.random())
            graph.nodes[node].update(flag=draw.random() < 0.5, place=[draw.randrange(3), 0.5])
        for u, v in graph.edges:
            graph.edges[u, v].update(weight=draw.randrange(4), kind=draw.choice("xyz"))
        graphs.append(graph)
    text = json.dumps([networkx.node_link_data(graph) for graph in graphs])
    (tmp_path / "set.json").write_text(text)
    assert same_sets(agentnet.GraphSet(graphs), agentnet.GraphSet(tmp_path / "set.json"))


def test_tables_are_what_the_program_reads(tmp_path):
    pandas = pytest.importorskip("pandas")
    if not EXAMPLES.exists():
        pytest.skip("the examples are not beside the tests")
    tables = {name: pandas.read_csv(EXAMPLES / "csv" / f"{name}.csv") for name in ("nodes", "edges", "graphs")}
    ours, read = agentnet.GraphSet(tables), agentnet.GraphSet(EXAMPLES / "csv")
    assert same_sets(ours, read)
    assert ours.y.tolist() == read.y.tolist() and ours.ids == read.ids


def test_strings_that_are_no_molecules():
    pytest.importorskip("rdkit.Chem")
    with pytest.raises(ValueError, match="graph 1: 'C1CC' is no molecule: unclosed ring") as caught:
        agentnet.GraphSet(["CCO", "C1CC", "C"])
    assert caught.value.graph == 1
    for text in ("C\nC", "C,C", '"C"', "C\r"):
        with pytest.raises(ValueError, match="graph 0: "):
            agentnet.GraphSet([text, "C"])
    model = agentnet.AgentNetClassifier(**SMALL).fit(["CCO", "CC", "CCC", "CN"] * 5, [0, 1] * 10)
    with pytest.raises(ValueError, match="graph 2: 'X' is no molecule"):
        model.predict(["CCO", "C", "X"])


def test_strings_are_read_as_those_that_the_model_was_trained_on():
    pytest.importorskip("rdkit.Chem")
    salts = ["CCO", "CC.[Na+]", "CCC", "CN.Cl"] * 5
    model = agentnet.AgentNetClassifier(**SMALL).fit(agentnet.GraphSet(salts, largest_fragment=True), [0, 1] * 10)
    assert np.array_equal(model.predict_proba(["CC.[Na+]"]), model.predict_proba(["CC"]))


def test_targets_of_a_table_by_their_names(tmp_path):
    pytest.importorskip("rdkit.Chem")
    (tmp_path / "table.csv").write_text("smiles,a,b\nCCO,1.5,yes\nC,2.5,no\n")
    assert agentnet.GraphSet(tmp_path / "table.csv", target_columns="a").y.tolist() == [1.5, 2.5]
    assert agentnet.GraphSet(tmp_path / "table.csv", target_columns=["b"]).y.tolist() == ["yes", "no"]


def test_molecules_and_their_strings():
    Chem = pytest.importorskip("rdkit.Chem")
    strings = ["CCO", "CC(=O)O", "c1ccccc1", "C/C=C/C", "[Na+].[Cl-]", "N[C@@H](C)C(=O)O"]
    try:
        read = agentnet.GraphSet(strings)
    except ValueError as error:
        if "rdkit" not in str(error).lower():
            raise
        pytest.skip("the engine was built without RDKit")
    molecules = agentnet.GraphSet([Chem.MolFromSmiles(s) for s in strings]).arrays()
    for name in ("node_offsets", "edge_offsets", "edge_index", "node_categories", "edge_categories"):
        assert np.array_equal(getattr(read.arrays(), name), getattr(molecules, name)), name
    assert read.schema == agentnet.GraphSet([Chem.MolFromSmiles("C")]).schema
    model = agentnet.AgentNetClassifier(**SMALL).fit(strings * 3, [0, 1] * 9)
    expected = model.predict_proba(strings)
    assert np.array_equal(model.predict_proba([Chem.MolFromSmiles(s) for s in strings]), expected)
