"""What used to be left out, guessed or ignored without a word."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import agentnet
from agentnet import AgentNetClassifier, AgentNetRegressor, GraphSet, Model
from agentnet.estimators import are_numbers
from agentnet.graph_set import class_values

TABLE = "smiles,y\nCCO,1\nC1CC(,0\nCCN,1\nCCC,0\nCCCC,0\nCCCO,1\n"


@pytest.fixture
def labelled(rings):
    X, y = rings
    return GraphSet(X, targets=y)


def test_rows_of_a_file_that_are_no_graphs_are_told(tmp_path, small, recwarn):
    table = tmp_path / "table.csv"
    table.write_text(TABLE)
    with pytest.warns(UserWarning, match=r"1 of 6 rows are no graphs .*table\.csv:3:1"):
        graphs = GraphSet(table)
    assert len(graphs) == 5
    model = AgentNetClassifier(**small).fit(graphs)
    with pytest.warns(UserWarning, match="1 of 6 rows"):
        assert model.predict(table).shape == (5,)
    recwarn.clear()
    assert len(GraphSet(table, skip_bad_rows=True)) == 5
    assert not [warning for warning in recwarn if "rows are no graphs" in str(warning.message)]


def test_targets_from_python_are_written_and_divided_by(labelled, tmp_path):
    for part in (labelled, labelled[3:9], labelled[np.flatnonzero(labelled.y == "red")]):
        part.save(tmp_path / "part.agentset", force=True)
        assert GraphSet(tmp_path / "part.agentset").y.tolist() == part.y.tolist()
    for fold in labelled.split("stratified-kfold:4"):
        share = np.mean(labelled.y[fold["test"]] == "red")
        assert abs(share - np.mean(labelled.y == "red")) < 0.1
    numbers = GraphSet(labelled, targets=np.linspace(0, 1, len(labelled)))
    numbers.save(tmp_path / "numbers.agentset")
    assert np.allclose(GraphSet(tmp_path / "numbers.agentset").y, numbers.y)


def test_graphs_of_a_set_keep_their_targets(labelled):
    part = labelled[5:20]
    assert GraphSet([part[i] for i in (3, -1, 0)]).y.tolist() == part.y[[3, -1, 0]].tolist()


def test_options_without_influence_are_refused(labelled, tmp_path):
    with pytest.raises(TypeError, match="read already"):
        GraphSet(labelled, degree=True)
    with pytest.raises(TypeError, match="read already"):
        GraphSet(labelled, schema=labelled.schema)
    with pytest.raises(TypeError, match="schema"):
        GraphSet("synthetic:4cycles?graphs=4", schema=labelled.schema)


@pytest.mark.parametrize("key", [[0.5, 1.7], ["a"], 1.0, None], ids=repr)
def test_graphs_are_chosen_by_whole_numbers(labelled, key):
    with pytest.raises(TypeError, match="whole numbers"):
        labelled[key]


def test_a_file_is_scored_by_the_targets_of_the_model(tmp_path, small):
    table = tmp_path / "two.csv"
    table.write_text("smiles,a,b\n" + "".join(f"{'C' * i}O,{i * 1.5},{-i * i}\n" for i in range(1, 21)))
    graphs = GraphSet(table, target_columns="b")
    model = AgentNetRegressor(**small).fit(graphs)
    assert model.score(table) == pytest.approx(model.score(graphs, graphs.y))
    assert model.score(table) != pytest.approx(model.score(graphs, GraphSet(table, target_columns="a").y))


def test_scores_of_what_cannot_be_compared(fitted, labelled, rings, small):
    model = AgentNetClassifier(**small).fit(labelled)
    with pytest.raises(ValueError, match="classes are of type"):
        model.score(labelled, np.arange(len(labelled)))
    with pytest.raises(ValueError, match="all blank"):
        model.score(labelled, np.array([None] * len(labelled), dtype=object))
    with pytest.raises(ValueError, match="sample_weight has the shape"):
        model.score(labelled, sample_weight=[1, 2])


@pytest.mark.parametrize(
    "y, words",
    [
        (np.array(["a", 1] * 24, dtype=object), "texts and other values"),
        (np.array([0.0, np.inf] * 24), "not finite"),
        (np.array([["a", "b"]] * 48), "yes/no questions"),
    ],
    ids=["mixed", "infinite", "texts"],
)
def test_classes_of_a_wrong_kind(labelled, small, y, words):
    with pytest.raises(ValueError, match=words):
        AgentNetClassifier(**small).fit(labelled, y)


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"class_weight": {"green": 2}}, "'green', a class that y does not have"),
        ({"settings": {"train.seed": 5}}, "random_state"),
        ({"settings": "model.hidden=8"}, "dictionary"),
        ({"validation_fraction": None}, "validation_fraction is None"),
    ],
    ids=lambda value: str(value),
)
def test_parameters_without_influence(labelled, small, parameters, words):
    with pytest.raises(ValueError, match=words):
        AgentNetClassifier(**{**small, **parameters}).fit(labelled)


def test_classes_that_only_look_like_numbers(rings, small):
    assert class_values(["2", "-3"]) == [2, -3]
    for strange in (["\u00b2", "1"], ["--5", "1"], ["007", "1"]):
        assert class_values(strange) == strange
    X, y = rings
    model = AgentNetClassifier(**small).fit(X, np.where(y == "red", "\u00b2", "--5"))
    assert AgentNetClassifier._adopt(again := AgentNetClassifier(), model.model_) is None
    assert again.classes_.tolist() == model.classes_.tolist() == ["--5", "\u00b2"]


@pytest.mark.parametrize(
    "y, classes",
    [([0, 1], True), ([1, 2, 3], True), ([3, 7, 9], False), ([10, 250, 40], False), (range(48), False), ([0.5, 2], False)],
    ids=str,
)
def test_numbers_or_classes_as_the_program_guesses(rings, tmp_path, y, classes):
    values = np.resize(np.array(list(y)), 48)
    assert are_numbers(values) is not classes
    (tmp_path / "table.csv").write_text("smiles,y\n" + "".join(f"{'C' * (i + 1)},{v}\n" for i, v in enumerate(values)))
    info = GraphSet(tmp_path / "table.csv", target_columns="y").info
    assert (info["schema"]["task"] == "classification") is classes
    settings = {"train.epochs": 1, "model.hidden": 4, "model.agents": 2, "model.steps": 2}
    for task in ("auto", "regression") if list(y) == [1, 2, 3] else ("auto",):
        result = agentnet.cross_validate(rings[0], values, folds=2, settings={**settings, "data.task": task})
        assert result["metric"] == ("accuracy" if classes and task == "auto" else "mae")


def test_blanks_of_pandas(labelled, small):
    pandas = pytest.importorskip("pandas")
    y = pandas.array([None] + [0, 1] * 23 + [1], dtype="Int64")
    assert AgentNetClassifier(**small).fit(labelled, y).classes_.tolist() == [0, 1]
    assert AgentNetRegressor(**small).fit(labelled, y).predict(labelled[:2]).shape == (2,)


def test_view_needs_a_fitted_model(labelled):
    with pytest.raises(NotFittedError):
        agentnet.view(AgentNetClassifier(), labelled)


def test_model_bytes_of_any_kind(fitted):
    data = fitted.model_.to_bytes()
    for same in (bytearray(data), memoryview(data)):
        assert Model.from_bytes(same).to_bytes() == data
    with pytest.raises(TypeError, match="not str"):
        Model.from_bytes("model")


def test_pickled_parts_keep_their_targets(labelled):
    part = labelled[4:9]
    assert pickle.loads(pickle.dumps(part)).y.tolist() == part.y.tolist()
