"""What cannot be is refused with an exception that says what and where, and nothing crashes."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import agentnet
from agentnet import AgentNetClassifier, AgentNetRegressor, GraphNetClassifier, GraphSet, Model


@pytest.fixture
def model(small):
    return AgentNetClassifier(**small)


@pytest.mark.parametrize("X", [None, 7, object(), [1, 2, 3], [None], {"a": 1}, np.zeros((3, 4))], ids=repr)
def test_what_is_no_graph(model, X):
    with pytest.raises((TypeError, ValueError)):
        model.fit(X, [0, 1, 0])


def test_empty_lists(model):
    with pytest.raises(ValueError):
        model.fit([], [])
    with pytest.raises(ValueError):
        GraphSet([])


def test_no_graph_to_predict(fitted, graphs):
    assert fitted.predict(graphs[:0]).shape == (0,)
    assert fitted.predict_proba(graphs[:0]).shape == (0, 2)


def test_one_class_only(model, graphs):
    with pytest.raises(ValueError, match="one class only"):
        model.fit(graphs, ["a"] * len(graphs))


def test_y_longer_than_x(model, graphs):
    with pytest.raises(ValueError, match="40 graphs, but 41 targets"):
        model.fit(graphs, np.arange(41) % 2)
    with pytest.raises(ValueError, match="40 graphs"):
        AgentNetRegressor().fit(graphs, np.arange(41.0))


def test_no_y(model, rings):
    with pytest.raises(ValueError, match="y is missing"):
        model.fit(rings[0])


@pytest.mark.parametrize(
    "y, words",
    [
        (np.linspace(0, 1, 40), "not whole"),
        (np.full(40, np.nan), "all blank"),
        (np.zeros((40, 2, 2)), "shape"),
        (np.arange(80).reshape(40, 2), "yes/no questions"),
        (np.arange(40) * 1j, "no classes"),
    ],
)
def test_y_of_a_wrong_kind(model, graphs, y, words):
    with pytest.raises(ValueError, match=words):
        model.fit(graphs, y)


def test_numbers_of_a_wrong_kind(graphs, small):
    regressor = AgentNetRegressor(**small)
    for y, words in [(["a"] * 40, "not all numbers"), (np.full(40, np.inf), "not finite"), (np.zeros((40, 2, 2)), "shape")]:
        with pytest.raises(ValueError, match=words):
            regressor.fit(graphs, y)


def test_unseen_labels_at_predict_time(rings, small):
    X, y = rings
    model = AgentNetClassifier(**small).fit(X, y)
    edge_index, x = X[0]
    strange = [(edge_index, np.full_like(x, 9))]  # a colour that the training data does not have
    assert model.predict_proba(strange).shape == (1, 2)
    truth = np.array(["green"])
    assert model.score(strange, truth) == 0.0


def test_other_columns_at_predict_time(rings, small):
    X, y = rings
    model = AgentNetClassifier(**small).fit(X, y)
    edge_index, x = X[0]
    with pytest.raises(ValueError):
        model.predict([(edge_index, np.concatenate([x, x], axis=1))])


def test_weights_of_a_wrong_kind(model, graphs):
    for weights, words in [(np.ones(3), "shape"), (-np.ones(40), "weight of graph 0 is -1"), (np.zeros(40), "above 0")]:
        with pytest.raises(ValueError, match=words):
            model.fit(graphs, sample_weight=weights)


@pytest.mark.parametrize(
    "parameters, words",
    [
        ({"hidden": -1}, "hidden"),
        ({"epochs": 0}, "epochs"),
        ({"learning_rate": "fast"}, "learning_rate"),
        ({"metric": "mae"}, "metric mae does not fit"),
        ({"preset": "quick"}, "preset"),
        ({"settings": {"model.agentz": 3}}, "did you mean 'agents'"),
        ({"settings": {"agents": 3}}, "no section"),
        ({"settings": {"train.epochs": object()}}, "JSON"),
        ({"validation_fraction": 1.5}, "validation_fraction"),
        ({"random_state": -3}, "random_state"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"class_weight": "even"}, "class_weight"),
    ],
    ids=str,
)
def test_parameters_that_make_no_sense(small, graphs, parameters, words):
    with pytest.raises(ValueError, match=words):
        AgentNetClassifier(**{**small, **parameters}).fit(graphs)


def test_a_kind_that_there_is_not(graphs):
    with pytest.raises(agentnet.UsageError, match="gim"):
        GraphNetClassifier("gim").fit(graphs)


def test_a_model_file_of_another_kind(fitted, graphs, small, tmp_path):
    fitted.save(tmp_path / "classes.safetensors")
    with pytest.raises(ValueError, match="classification"):
        AgentNetRegressor.load(tmp_path / "classes.safetensors")
    network = GraphNetClassifier("gin", {"hidden": 8, "layers": 2}, epochs=1, random_state=0).fit(graphs)
    network.save(tmp_path / "gin.safetensors")
    loaded = AgentNetClassifier.load(tmp_path / "gin.safetensors")  # any network that tells classes apart
    assert loaded.predict(graphs).shape == (40,)
    with pytest.raises(ValueError, match="nobody walks"):
        loaded.walks(graphs)
    with pytest.raises(ValueError, match="embeddings"):
        loaded.model_.embed(graphs)


def test_a_damaged_file(fitted, tmp_path):
    path = tmp_path / "model.safetensors"
    fitted.save(path)
    whole = path.read_bytes()
    for damaged in (b"", b"no model", whole[: len(whole) // 2], whole[:-1] + bytes([whole[-1] ^ 1])):
        path.write_bytes(damaged)
        with pytest.raises(agentnet.DataError):
            Model.load(path)
    with pytest.raises((agentnet.AgentNetError, OSError)):
        Model.load(tmp_path / "not there")
    with pytest.raises(agentnet.DataError):
        Model.from_bytes(whole[:-3])


def test_pickles_of_an_unfitted_estimator(small, graphs):
    model = pickle.loads(pickle.dumps(AgentNetClassifier(**small)))
    with pytest.raises(NotFittedError):
        model.predict(graphs)


def test_paths_that_are_none(model):
    with pytest.raises(agentnet.DataError, match="not here"):
        model.fit("not here.zip")
    with pytest.raises(ValueError, match="zero byte"):
        GraphSet("a\0b")


def test_graphs_that_there_are_not(graphs):
    for key in (40, -41, [0, 40], np.ones(39, bool)):
        with pytest.raises(IndexError):
            graphs[key]


def test_a_callback_that_fails_ends_the_training(graphs):
    def fails(event):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        agentnet.cross_validate(graphs, folds=2, settings={"train.epochs": 5}, progress=fails, n_jobs=1)
