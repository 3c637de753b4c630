"""A fitted model gives the same graphs the same answers, to the last bit, in whatever form they come."""

import numpy as np
import pytest
from test_graphs import FORMS, as_tuples, both_ways

agentnet = pytest.importorskip("agentnet")
if not hasattr(agentnet, "GraphSet"):
    pytest.skip("the engine is not there, agentnet.graphs alone is", allow_module_level=True)

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
