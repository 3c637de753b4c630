"""scikit-learn's conventions, one by one: its own check_estimator has no inputs that are graphs."""

import copy
import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, permutation_test_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

import agentnet
from agentnet import (
    AgentNetClassifier,
    AgentNetRegressor,
    AgentNetTransformer,
    GraphNetClassifier,
    GraphNetRegressor,
    GraphSet,
)

ALL = [AgentNetClassifier, AgentNetRegressor, AgentNetTransformer, GraphNetClassifier, GraphNetRegressor]


def quick(kind, **parameters):
    own = {"epochs": 2, "batch": 8, "random_state": 0, "n_jobs": 1, **parameters}
    if kind in (GraphNetClassifier, GraphNetRegressor):
        return kind("gin", {"hidden": 8, "layers": 2}, **own)
    return kind(hidden=8, agents=3, steps=3, **own)


def target_of(kind, graphs):
    return np.arange(float(len(graphs))) if "Regressor" in kind.__name__ else graphs.y


@pytest.fixture(params=ALL, ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


def test_init_only_stores_its_arguments(kind):
    signature = inspect.signature(kind.__init__)
    values = {name: object() for name in signature.parameters if name != "self"}
    estimator = kind(**values)
    assert {name: getattr(estimator, name) for name in values} == values
    assert set(vars(estimator)) == set(values)


def test_parameters_go_in_and_out(kind):
    estimator = kind()
    parameters = estimator.get_params()
    assert estimator.set_params(epochs=7) is estimator and estimator.epochs == 7
    assert clone(kind(**parameters)).get_params() == parameters
    with pytest.raises(ValueError):
        estimator.set_params(epoch=7)
    assert "epochs=7" in repr(estimator)


def test_fit_returns_self_and_changes_no_parameter(kind, graphs):
    estimator = quick(kind)
    before = copy.deepcopy(estimator.get_params())
    assert estimator.fit(graphs, target_of(kind, graphs)) is estimator
    assert estimator.get_params() == before
    public = [name for name in vars(estimator) if name not in before and not name.startswith("_")]
    assert public and all(name.endswith("_") for name in public)
    check_is_fitted(estimator)


def test_before_fit_there_is_nothing_to_ask(kind, graphs):
    estimator = quick(kind)
    questions = [estimator.predict, estimator.explain, estimator.walks, lambda X: estimator.save("nowhere"), estimator.score]
    questions += [getattr(estimator, name) for name in ("predict_proba", "transform") if hasattr(estimator, name)]
    for ask in questions:
        with pytest.raises(NotFittedError, match=kind.__name__):
            ask(graphs)
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator)


def test_fitting_again_starts_anew(kind, graphs):
    y = target_of(kind, graphs)
    once = quick(kind).fit(graphs, y)
    twice = quick(kind).fit(graphs, y).fit(graphs, y)
    assert once.model_.to_bytes() == twice.model_.to_bytes()


def test_a_warm_start_goes_on(graphs):
    cold = quick(AgentNetClassifier, warm_start=False)
    warm = quick(AgentNetClassifier, warm_start=True, validation_fraction=0.0)
    first = warm.fit(graphs).model_.parameters.copy()
    again = warm.fit(graphs).model_.parameters
    assert not np.array_equal(first, again)
    cold.set_params(validation_fraction=0.0)
    assert np.array_equal(cold.fit(graphs).model_.parameters, first)
    with pytest.raises(agentnet.MismatchError, match="start from"):
        warm.set_params(hidden=4).fit(graphs)


def test_nothing_that_is_given_changes(rings):
    X, y = rings
    X_before, y_before = copy.deepcopy(X), y.copy()
    weights = np.ones(len(y))
    estimator = quick(AgentNetClassifier).fit(X, y, sample_weight=weights)
    estimator.predict(X)
    estimator.score(X, y)
    assert all(np.array_equal(a, b) for one, other in zip(X, X_before) for a, b in zip(one, other))
    assert np.array_equal(y, y_before) and np.array_equal(weights, np.ones(len(y)))


def test_a_list_and_a_set_are_the_same(rings):
    X, y = rings
    by_list, by_set = quick(AgentNetClassifier).fit(X, y), quick(AgentNetClassifier).fit(GraphSet(X), y)
    assert by_list.model_.to_bytes() == by_set.model_.to_bytes()
    assert np.array_equal(by_list.predict_proba(X), by_set.predict_proba(GraphSet(X)))


def test_answers_do_not_depend_on_the_place(kind, graphs):
    estimator = quick(kind).fit(graphs, target_of(kind, graphs))
    assert np.array_equal(estimator.predict(graphs[5:]), estimator.predict(graphs)[5:])
    order = np.random.default_rng(0).permutation(len(graphs))
    questions = [estimator.predict] + [getattr(estimator, n) for n in ("predict_proba", "transform") if hasattr(estimator, n)]
    for ask in questions:
        assert np.array_equal(ask(graphs[order]), ask(graphs)[order])
    assert np.array_equal(estimator.predict(graphs), estimator.predict(graphs))


def test_by_row_copies_are_walked_differently(graphs):
    copies = graphs[np.zeros(6, int)]
    same = quick(AgentNetClassifier).fit(graphs)
    assert len(np.unique(same.predict_proba(copies)[:, 0])) == 1
    assert len(np.unique(same.set_params(draws="row").predict_proba(GraphSet(copies.arrays()))[:, 0])) > 1


def test_classes_keep_their_type(rings):
    X, words = rings
    for y in (words, np.where(words == "red", 7, -3), np.where(words == "red", True, False), list(words)):
        estimator = quick(AgentNetClassifier).fit(X, y)
        assert np.array_equal(estimator.classes_, np.unique(np.asarray(y)))
        assert estimator.classes_.dtype.kind == np.asarray(y).dtype.kind
        assert set(estimator.predict(X).tolist()) <= set(np.asarray(y).tolist())
        probabilities = estimator.predict_proba(X)
        assert probabilities.shape == (len(X), 2) and np.allclose(probabilities.sum(axis=1), 1)


def test_blanks_count_for_nothing(rings):
    X, y = rings
    blank = y.astype(object)
    blank[::4] = None
    estimator = quick(AgentNetClassifier).fit(X, blank)
    assert list(estimator.classes_) == ["blue", "red"]
    assert 0 <= estimator.score(X, blank) <= 1
    numbers = np.array([len(x) for _, x in X], float)
    several = np.stack([numbers, -numbers], axis=1)
    several[::3, 1] = np.nan
    regressor = quick(AgentNetRegressor).fit(X, several)
    assert regressor.predict(X).shape == several.shape
    assert np.isfinite(regressor.score(X, several))


def test_several_questions(rings):
    X, y = rings
    answers = np.stack([y == "red", np.arange(len(y)) % 3 == 0], axis=1).astype(float)
    answers[::5, 1] = np.nan
    estimator = quick(AgentNetClassifier).fit(X, answers)
    assert estimator.predict_proba(X).shape == answers.shape
    assert set(np.unique(estimator.predict(X))) <= {0, 1}
    assert [list(c) for c in estimator.classes_] == [[0, 1], [0, 1]]
    assert 0 <= estimator.score(X, answers) <= 1


def test_weights_of_graphs_count(rings):
    X, y = rings
    plain = quick(AgentNetClassifier).fit(X, y).model_.parameters
    assert np.array_equal(quick(AgentNetClassifier).fit(X, y, sample_weight=np.full(len(y), 3.0)).model_.parameters, plain)
    uneven = np.where(y == "red", 5.0, 1.0)
    weighted = quick(AgentNetClassifier).fit(X, y, sample_weight=uneven).model_.parameters
    assert not np.array_equal(weighted, plain)
    by_class = quick(AgentNetClassifier, class_weight={"red": 5.0}).fit(X, y).model_.parameters
    assert np.array_equal(by_class, weighted)
    with pytest.raises(ValueError, match="fitted as a whole"):
        GraphNetClassifier("wl", random_state=0).fit(X, y, sample_weight=uneven)


def test_the_same_state_is_the_same_model(rings):
    X, y = rings

    def parameters(state):
        return quick(AgentNetClassifier, random_state=state).fit(X, y).model_.parameters

    assert np.array_equal(parameters(3), parameters(3))
    assert not np.array_equal(parameters(3), parameters(4))
    assert np.array_equal(parameters(np.random.RandomState(1)), parameters(np.random.RandomState(1)))


def test_copies_and_pickles(kind, graphs):
    unfitted = pickle.loads(pickle.dumps(quick(kind)))
    assert unfitted.get_params() == quick(kind).get_params()
    estimator = quick(kind).fit(graphs, target_of(kind, graphs))
    for copied in (pickle.loads(pickle.dumps(estimator)), copy.deepcopy(estimator)):
        assert np.array_equal(copied.predict(graphs), estimator.predict(graphs))
        assert copied.model_.to_bytes() == estimator.model_.to_bytes()
    assert not hasattr(clone(estimator), "model_")


def test_validation_data(rings):
    X, y = rings
    estimator = quick(AgentNetClassifier, epochs=3).fit(X[:30], y[:30], validation_data=(X[30:], y[30:]))
    assert all("accuracy" in record["valid"] for record in estimator.history_)
    without = quick(AgentNetClassifier, validation_fraction=0).fit(X, y)
    assert without.best_epoch_ == without.n_iter_
    assert all(record.get("metric") is None for record in without.history_)
    with pytest.raises(ValueError, match="a class that the training data does not have"):
        quick(AgentNetClassifier).fit(X[:30], y[:30], validation_data=(X[30:], np.array(["green"] * 18)))


def test_it_works_in_pipelines_searches_and_their_like(rings):
    X, y = rings
    graphs = GraphSet(X)
    pipe = Pipeline([("graphs", FunctionTransformer(GraphSet)), ("net", quick(AgentNetClassifier))])
    assert pipe.fit(X, y).predict(X[:4]).shape == (4,)
    search = GridSearchCV(quick(AgentNetClassifier), {"hidden": [4, 8]}, cv=2).fit(graphs, y)
    assert search.best_params_["hidden"] in (4, 8)
    assert search.predict(graphs).shape == y.shape
    assert cross_val_score(quick(AgentNetClassifier), graphs, y, cv=3).shape == (3,)
    assert cross_val_score(quick(AgentNetClassifier), X, y, cv=2).shape == (2,)  # a plain list of graphs
    assert cross_val_predict(quick(AgentNetClassifier), graphs, y, cv=2, method="predict_proba").shape == (len(y), 2)
    calibrated = CalibratedClassifierCV(quick(AgentNetClassifier), cv=2).fit(graphs, y)
    assert calibrated.predict_proba(graphs).shape == (len(y), 2)
    prefit = CalibratedClassifierCV(quick(AgentNetClassifier).fit(graphs, y), cv="prefit").fit(graphs, y)
    assert prefit.predict(graphs).shape == y.shape
    score, scores, p = permutation_test_score(quick(AgentNetClassifier), graphs, y, cv=2, n_permutations=2)
    assert len(scores) == 2 and 0 <= p <= 1
    embedded = make_pipeline(quick(AgentNetTransformer), LogisticRegression(max_iter=500)).fit(graphs, y)
    assert embedded.predict(graphs).shape == y.shape
    voting = VotingClassifier([("a", quick(AgentNetClassifier)), ("b", quick(GraphNetClassifier))], voting="soft")
    assert voting.fit(graphs, y).predict(graphs).shape == y.shape


def test_it_works_in_other_processes(rings):
    X, y = rings
    alone = cross_val_score(quick(AgentNetClassifier), GraphSet(X), y, cv=2)
    beside = cross_val_score(quick(AgentNetClassifier), GraphSet(X), y, cv=2, n_jobs=2)
    assert np.array_equal(alone, beside)


def test_what_scikit_learn_asks(kind):
    estimator = kind()
    assert is_classifier(estimator) == ("Regressor" not in kind.__name__)
    assert is_regressor(estimator) == ("Regressor" in kind.__name__)
    tags = estimator._get_tags() if hasattr(estimator, "_get_tags") else None
    if tags is not None:  # before 1.6
        assert tags["requires_y"] and tags["multioutput"] and tags["X_types"] == ["graphs"]


def test_tags_of_newer_versions():
    """The tags of scikit-learn 1.6 and later, on what those versions hand out."""

    class Tags:
        def __init__(self):
            self.input_tags = type("Input", (), {"two_d_array": True, "one_d_array": False})()
            self.target_tags = type("Target", (), {"required": False, "multi_output": False})()
            self.non_deterministic = True
            self.no_validation = False

    class Newer:
        def __sklearn_tags__(self):
            return Tags()

    from agentnet.estimators import GraphEstimator

    class Estimator(GraphEstimator, Newer):
        def __init__(self):
            pass

    own = Estimator.__mro__
    assert own.index(GraphEstimator) < own.index(Newer)
    from sklearn.base import BaseEstimator

    if hasattr(BaseEstimator, "__sklearn_tags__"):
        tags = AgentNetClassifier().__sklearn_tags__()
    else:
        tags = Estimator().__sklearn_tags__()
    assert tags.target_tags.required and tags.target_tags.multi_output and tags.no_validation
    assert not tags.input_tags.two_d_array


def test_embeddings_have_names(graphs):
    transformer = quick(AgentNetTransformer)
    rows = transformer.fit_transform(graphs, graphs.y)
    assert rows.shape == (len(graphs), 32) == (len(graphs), len(transformer.get_feature_names_out()))
    assert rows.dtype == np.float32 and np.isfinite(rows).all()


def test_walk_spread_and_confidence(graphs):
    estimator = quick(AgentNetClassifier).fit(graphs)
    answer = estimator.predict_with_spread(graphs, rollouts=4)
    assert (answer.rollouts == 4).all() and (answer.walk_spread > 0).any() and answer.settled is None
    assert (answer.likeliest == answer.mean.argmax(axis=1)).all() and answer.deviation is answer.walk_spread
    settled = estimator.predict_with_spread(graphs, confidence=0.9)
    assert settled.settled is not None and settled.rollouts.min() < settled.rollouts.max() + 1
    regressor = quick(AgentNetRegressor).fit(graphs, target_of(AgentNetRegressor, graphs))
    mean, spread = regressor.predict(graphs, return_std=True)
    assert mean.shape == spread.shape == (len(graphs),) and (spread >= 0).all()
