"""Estimators with scikit-learn's manners."""

from __future__ import annotations

import logging
import os
import warnings
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from . import _library as engine
from ._fit import FitResult, train
from .explanation import Explanation
from .graph_set import GraphSet, class_values
from .model import Model, Predictions

log = logging.getLogger("agentnet")


class GraphEstimator(BaseEstimator):
    """What all estimators share: settings, fitting, questions to the fitted model."""

    _task = "classification"

    def __init__(self) -> None:  # replaced in each estimator; scikit-learn reads its arguments
        raise NotImplementedError

    # --- Settings ----------------------------------------------------------------------------------------------------

    def _kind(self) -> str:
        return "agentnet"

    def _settings(self) -> Dict[str, Any]:
        """The settings as a settings file has them; what is None is left to the data."""
        model: Dict[str, Any] = {"kind": self._kind()}
        train: Dict[str, Any] = {}
        for name in ("hidden", "agents", "steps"):
            if getattr(self, name, None) is not None:
                model[name] = getattr(self, name)
        for name in ("epochs", "batch", "learning_rate", "metric", "patience"):
            if getattr(self, name) is not None:
                train[name] = getattr(self, name)
        if getattr(self, "class_weight", None) == "balanced":
            train["class_weights"] = "balanced"
        for name, value in (getattr(self, "options", None) or {}).items():
            model[name] = value
        if not isinstance(self.settings, (dict, type(None))):
            raise ValueError(f"settings is {self.settings!r}; give a dictionary")
        for name, value in (self.settings or {}).items():
            if name == "train.seed":
                raise ValueError("the setting 'train.seed' is random_state here; leave it out")
            section, dot, key = name.partition(".")
            if not dot or section not in ("model", "train"):
                raise engine.UsageError(f"setting {name!r} has no section", 'write it like "model.reduce" or "train.warmup"')
            (model if section == "model" else train)[key] = value
        settings: Dict[str, Any] = {"model": model, "train": train}
        if self.preset is not None:
            settings["preset"] = self.preset
        return settings

    def _seed(self) -> int:
        """A whole number stays what it is, so that the program gives the same bytes with it."""
        if isinstance(self.random_state, (int, np.integer)):
            if self.random_state < 0:
                raise ValueError(f"random_state is {self.random_state}; it is not negative")
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    # --- Fitting -----------------------------------------------------------------------------------------------------

    def _encode(
        self, y: Any, count: int, fitting: bool, own: Sequence[str] = ()
    ) -> Tuple[NDArray[np.float64], Dict[str, Any]]:
        """Targets as the engine has them, and the schema of them. `own` are the classes that the graphs bring, whose
        order is kept, as the program keeps it."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, validation_data: Any = None) -> Any:
        """Trains on graphs X with targets y.

        X : graphs in any form that GraphSet takes, or a path.
        y : targets, one per graph; None takes those that the graphs bring (``GraphSet.y``).
        sample_weight : how much each graph counts in the loss.
        validation_data : (X, y) to choose the best epoch by; else ``validation_fraction`` of X.
        """
        start = getattr(self, "model_", None) if self.warm_start else None
        graphs = X if isinstance(X, GraphSet) else GraphSet(X, schema=_schema_of(start, X), n_jobs=self.n_jobs)
        if len(graphs) == 0:
            raise ValueError("there are no graphs to learn from")
        own = graphs.info["schema"]["classes"]
        targets, schema = self._encode(_targets_of(graphs, y), len(graphs), fitting=True, own=own)
        weights = self._weights(sample_weight, targets, len(graphs))
        valid: Optional[Tuple[GraphSet, NDArray[np.float64]]] = None
        if validation_data is not None:
            others, their_y = _pair(validation_data)
            if not isinstance(others, GraphSet):  # columns of a file are found again when the sets are joined
                file = isinstance(others, (str, os.PathLike))
                others = GraphSet(others, schema=None if file else graphs.schema, n_jobs=self.n_jobs)
            valid = (others, self._encode(_targets_of(others, their_y), len(others), fitting=False)[0])
        seed = self._seed()
        settings = self._settings()
        settings["train"]["seed"] = seed
        result = train(
            graphs,
            targets,
            schema,
            settings,
            weights=weights,
            valid=valid,
            fraction=self.validation_fraction,
            seed=seed,
            start=start,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        return self._keep(result, graphs)

    def _weights(
        self, sample_weight: Any, targets: NDArray[np.float64], count: int
    ) -> Optional[NDArray[np.float64]]:
        class_weight = getattr(self, "class_weight", None)
        weights = None
        if sample_weight is not None:
            weights = np.array(sample_weight, np.float64)
            if weights.shape != (count,):
                raise ValueError(f"sample_weight has the shape {weights.shape}, but there are {count} graphs")
        if isinstance(class_weight, dict):
            if isinstance(self.classes_, list):
                raise ValueError("class_weight with a dictionary is for one target; give sample_weight")
            strange = [c for c in class_weight if c not in self.classes_.tolist()]
            if strange:
                raise ValueError(f"class_weight names {strange[0]!r}, a class that y does not have")
            by_class = np.ones(len(self.classes_))  # in the order of the engine
            by_class[self._order] = [class_weight.get(c, 1.0) for c in self.classes_.tolist()]
            own = np.where(np.isnan(targets), 1.0, by_class[np.nan_to_num(targets).astype(int)])
            weights = own if weights is None else weights * own
        elif class_weight not in (None, "balanced"):
            raise ValueError(f"class_weight is {class_weight!r}; it may be None, 'balanced' or a dictionary")
        return weights

    def _keep(self, result: FitResult, graphs: GraphSet) -> Any:
        self.model_ = result.model
        self.history_ = result.report["history"]
        self.n_iter_ = len(self.history_)
        self.best_epoch_ = int(result.report["best_epoch"])
        self.settings_ = result.report["settings"]
        self.n_features_in_ = len(graphs.schema.nodes.names)
        for choice in result.report["choices"]:
            log.info("%s = %s: %s", choice["key"], choice["value"], choice["why"])
        if result.report["stopped"]:
            warnings.warn("training was interrupted; the best model so far is kept", stacklevel=3)
        return self

    # --- Questions ---------------------------------------------------------------------------------------------------

    def _fitted(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError(
                f"this {type(self).__name__} is not fitted yet; call fit() with graphs and targets, or load() a model"
            )
        return self.model_

    def predict_with_spread(
        self, X: Any, *, rollouts: Optional[int] = None, confidence: Optional[float] = None, seed: int = 0
    ) -> Predictions:
        """Means over rollouts, how much single rollouts differ, how many were run, and whether each decision is settled.

        The spread between walks is no error bar: it says nothing about how far an answer is from the truth.
        """
        return self._fitted().predict(
            X,
            rollouts=rollouts if rollouts is not None or confidence is not None else self.rollouts,
            confidence=confidence,
            seed=seed,
            draws=self.draws,
            n_jobs=self.n_jobs,
        )

    def predict_with_deviation(self, X: Any, **options: Any) -> Predictions:
        """The old name of ``predict_with_spread``."""
        return self.predict_with_spread(X, **options)

    def _to_score(self, X: Any, y: Any) -> GraphSet:
        """A file that brings the targets is read with those of the model, not with what is guessed of the file."""
        model = self._fitted()
        if y is not None or not isinstance(X, (str, os.PathLike)):
            return model.graphs(X, self.n_jobs)
        reading = {name: value for name, value in (model.info["reading"] or {}).items() if value not in ("", [])}
        reading["task"] = model.task
        asked = reading.pop("targets", None)
        names = asked or (model.info["schema"] or {}).get("targets")
        try:
            return GraphSet(X, n_jobs=self.n_jobs, target_columns=names or [], **reading)
        except engine.UsageError:  # no such column: y was given from elsewhere, or the format has targets without names
            if asked:
                raise
            return GraphSet(X, n_jobs=self.n_jobs, **reading)

    def _mean(self, X: Any, rollouts: Optional[int], confidence: Optional[float]) -> NDArray[np.float64]:
        return self.predict_with_spread(X, rollouts=rollouts, confidence=confidence).mean

    def explain(self, X: Any, **options: Any) -> List[Explanation]:
        """Why the model says what it says of each graph: arrays per node and edge (Model.explain)."""
        return self._fitted().explain(X, n_jobs=self.n_jobs, **options)

    def walks(self, X: Any, **options: Any) -> NDArray[np.int64]:
        """Where agents went, [graphs, agents, visits]."""
        return self._fitted().walks(X, n_jobs=self.n_jobs, **options)

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the model file, which the program reads."""
        self._fitted().save(path)

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]], **parameters: Any) -> Any:
        """An estimator that is fitted: the model of a file, or of a run's folder."""
        estimator = cls(**parameters)
        estimator._adopt(Model.load(path))
        return estimator

    def _adopt(self, model: Model) -> None:
        if model.task not in self._tasks():
            raise ValueError(
                f"the model is for {model.task}, and {type(self).__name__} for {' and '.join(self._tasks())}"
            )
        schema = model.info["schema"] or {"nodes": {"dense": [], "categories": []}}
        self.model_ = model
        self.history_ = []
        self.n_iter_ = 0
        self.best_epoch_ = int(model.info["training"].get("epoch", 0))
        self.n_features_in_ = len(schema["nodes"]["dense"]) + len(schema["nodes"]["categories"])

    def _tasks(self) -> Tuple[str, ...]:
        return ("classification", "multilabel")

    # --- What scikit-learn asks --------------------------------------------------------------------------------------

    def _more_tags(self) -> Dict[str, Any]:
        """For scikit-learn before 1.6."""
        return {
            "X_types": ["graphs"],
            "no_validation": True,
            "allow_nan": False,
            "multioutput": True,
            "requires_y": True,
            "non_deterministic": False,
            "_skip_test": "the inputs are graphs, not arrays",
        }

    def __sklearn_tags__(self) -> Any:
        """For scikit-learn from 1.6 on."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = False
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.non_deterministic = False
        tags.no_validation = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")


class _Classifier(ClassifierMixin, GraphEstimator):
    _order: NDArray[np.int64]  # [classes_] the output of each
    _least_classes = 2

    def _encode(
        self, y: Any, count: int, fitting: bool, own: Sequence[str] = ()
    ) -> Tuple[NDArray[np.float64], Dict[str, Any]]:
        labels = _as_labels(y)
        if len(labels) != count:
            raise ValueError(f"there are {count} graphs, but {len(labels)} targets in y")
        if labels.ndim == 2 and labels.shape[1] > 1:
            return self._encode_questions(labels, fitting)
        labels = labels.reshape(-1)
        blank = _blanks(labels)
        if blank.all():
            raise ValueError("y is all blank")
        known = labels[~blank]
        if labels.dtype.kind == "f" and np.isinf(known).any():
            raise ValueError("y has values that are not finite; NaN stands for a blank")
        if labels.dtype.kind == "O" and len({isinstance(value, str) for value in known}) > 1:
            raise ValueError("y holds texts and other values; give one type of values")
        if labels.dtype.kind == "f" and np.any(known != np.floor(known)):
            raise ValueError("y has numbers that are not whole: use AgentNetRegressor, or make classes of them")
        if fitting:
            self.classes_ = np.unique(np.array(known.tolist()))
            if len(self.classes_) < self._least_classes:
                raise ValueError(f"y has one class only, {self.classes_[0]!r}: there is nothing to tell apart")
        elif isinstance(self.classes_, list):
            raise ValueError("the validation data has one target, the training data several")
        names = [str(c) for c in self.classes_.tolist()]
        if len(set(names)) < len(names):
            raise ValueError("two classes are spelled the same; give y one type of values")
        if fitting:
            classes = [c for c in own if c in names]
            classes = classes if len(classes) == len(names) else names
            self._order = np.array([classes.index(name) for name in names])
        classes = [names[i] for i in np.argsort(self._order)]
        numbers = np.full(len(labels), np.nan)
        places = {value: int(self._order[i]) for i, value in enumerate(self.classes_.tolist())}
        for i in np.flatnonzero(~blank):
            value = labels[i].item() if hasattr(labels[i], "item") else labels[i]
            if value not in places:
                raise ValueError(f"y[{i}] is {value!r}, a class that the training data does not have")
            numbers[i] = places[value]
        return numbers, {"task": "classification", "targets": ["class"], "classes": classes}

    def _encode_questions(self, labels: NDArray[Any], fitting: bool) -> Tuple[NDArray[np.float64], Dict[str, Any]]:
        try:
            answers = _numbers_of(labels)
        except (TypeError, ValueError):
            raise ValueError("y with several columns holds answers to yes/no questions: 0, 1 or NaN") from None
        if not np.all(np.isin(answers, (0, 1)) | np.isnan(answers)):
            raise ValueError("y with several columns holds answers to yes/no questions: 0, 1 or NaN")
        if fitting:
            self.classes_ = [np.array([0, 1])] * answers.shape[1]
        names = [f"target{c}" for c in range(answers.shape[1])]
        if not fitting and (not isinstance(self.classes_, list) or len(self.classes_) != len(names)):
            raise ValueError("the validation data has other targets than the training data")
        return answers, {"task": "multilabel", "targets": names}

    def predict_proba(
        self, X: Any, *, rollouts: Optional[int] = None, confidence: Optional[float] = None
    ) -> NDArray[np.float64]:
        """[graphs, classes] probabilities; of yes/no questions [graphs, questions] the probability of each yes."""
        return self._mean(X, rollouts, confidence)

    def predict_with_spread(
        self, X: Any, *, rollouts: Optional[int] = None, confidence: Optional[float] = None, seed: int = 0
    ) -> Predictions:
        answer = super().predict_with_spread(X, rollouts=rollouts, confidence=confidence, seed=seed)
        if not isinstance(self.classes_, list):
            answer.mean, answer.walk_spread = answer.mean[:, self._order], answer.walk_spread[:, self._order]
        return answer

    def predict(self, X: Any, *, rollouts: Optional[int] = None, confidence: Optional[float] = None) -> NDArray[Any]:
        """The likeliest class of each graph; of yes/no questions 1 for yes, 0 for no."""
        probabilities = self.predict_proba(X, rollouts=rollouts, confidence=confidence)
        if isinstance(self.classes_, list):
            return (probabilities > 0.5).astype(np.int64)
        likeliest: NDArray[Any] = self.classes_[np.argmax(probabilities, axis=1)]
        return likeliest

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of right answers over all entries of y that are not blank."""
        self._fitted()
        graphs = self._to_score(X, y)
        truth = _as_labels(_targets_of(graphs, y))
        answers = self.predict(graphs)
        if truth.shape != answers.shape:
            truth = truth.reshape(answers.shape) if truth.size == answers.size else truth
        if truth.shape != answers.shape:
            raise ValueError(f"there are {len(answers)} graphs, but y has the shape {truth.shape}")
        known = ~_blanks(truth)
        if not known.any():
            raise ValueError("y is all blank: there is nothing to score")
        if truth.dtype.kind != "O" and (truth.dtype.kind in "US") != (answers.dtype.kind in "US"):
            raise ValueError(f"y holds values of type {truth.dtype}, but the classes are of type {answers.dtype}")
        right = np.asarray(truth == answers, bool)
        weights = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, np.float64)
        if weights.shape != (len(truth),):
            raise ValueError(f"sample_weight has the shape {weights.shape}, but there are {len(truth)} graphs")
        weights = np.broadcast_to(weights.reshape((-1,) + (1,) * (truth.ndim - 1)), truth.shape)
        return float(np.average(right[known], weights=weights[known]))

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        if model.task == "multilabel":
            self.classes_ = [np.array([0, 1])] * len(model.labels)
            return
        self.classes_, self._order = np.unique(class_values(model.labels), return_index=True)


class _Regressor(RegressorMixin, GraphEstimator):
    _one_target: bool

    def _tasks(self) -> Tuple[str, ...]:
        return ("regression",)

    def _encode(
        self, y: Any, count: int, fitting: bool, own: Sequence[str] = ()
    ) -> Tuple[NDArray[np.float64], Dict[str, Any]]:
        try:
            values = _numbers_of(y)
        except (TypeError, ValueError) as error:
            raise ValueError(f"y is not all numbers: {error}") from None
        if values.ndim not in (1, 2) or len(values) != count:
            raise ValueError(f"there are {count} graphs, but y has the shape {values.shape}")
        if np.isinf(values).any():
            raise ValueError("y has values that are not finite; NaN stands for a blank")
        if fitting:
            self._one_target = values.ndim == 1
            self.n_targets_ = 1 if values.ndim == 1 else values.shape[1]
        columns = 1 if values.ndim == 1 else values.shape[1]
        if columns != self.n_targets_:
            raise ValueError(f"the validation data has {columns} targets, the training data {self.n_targets_}")
        names = ["target"] if columns == 1 else [f"target{c}" for c in range(columns)]
        return values, {"task": "regression", "targets": names}

    def predict(
        self,
        X: Any,
        *,
        rollouts: Optional[int] = None,
        confidence: Optional[float] = None,
        return_std: bool = False,
    ) -> Any:
        """Numbers, [graphs] or [graphs, targets] as y was; with ``return_std`` also the spread between walks, which is
        not the error of the answer.
        """
        answer = self.predict_with_spread(X, rollouts=rollouts, confidence=confidence)
        mean, spread = answer.mean, answer.walk_spread
        if self._one_target:
            mean, spread = mean[:, 0], spread[:, 0]
        return (mean, spread) if return_std else mean

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """R squared over the entries of y that are not blank; the mean over targets."""
        from sklearn.metrics import r2_score

        self._fitted()
        graphs = self._to_score(X, y)
        truth = np.asarray(_targets_of(graphs, y), np.float64)
        answers = self.predict(graphs)
        if truth.shape != answers.shape:
            raise ValueError(f"the predictions have the shape {answers.shape}, but y has {truth.shape}")
        truth, answers = truth.reshape(len(truth), -1), answers.reshape(len(answers), -1)
        scores = []
        for column in range(truth.shape[1]):
            known = ~np.isnan(truth[:, column])
            weights = None if sample_weight is None else np.asarray(sample_weight)[known]
            scores.append(r2_score(truth[known, column], answers[known, column], sample_weight=weights))
        return float(np.mean(scores))

    def _adopt(self, model: Model) -> None:
        super()._adopt(model)
        self.n_targets_ = len(model.labels)
        self._one_target = self.n_targets_ == 1


class AgentNetClassifier(_Classifier):
    """AgentNet tells classes of graphs apart, or answers yes/no questions about them.

    Parameters
    ----------
    hidden, agents, steps : the size of the network: width of states, agents per graph, moves of each; None: the data
        decides, as in the program.
    epochs, batch, learning_rate, metric, patience : the training (docs/settings.md); None: the data decides.
    preset : settings with a name, such as "fast" or "paper-tu".
    settings : any other setting, {"model.reduce": "mean", "train.warmup": 100}.
    class_weight : None, "balanced", or {class: weight}.
    validation_fraction : share of the training graphs that the best epoch is chosen by; 0: the last epoch is taken.
    rollouts : how many walks each prediction averages.
    draws : "content", the same graph gets the same answer in any row; "row", copies of a graph are walked differently.
    warm_start : fit() goes on from the weights that are there.
    random_state : a whole number is the program's seed: the same data, settings and seed give the same bytes.
    n_jobs : threads; None: all that there are, or OMP_NUM_THREADS. Results do not depend on it.
    verbose : 1 shows a progress bar (tqdm, if it is there), 2 also every epoch.

    Attributes
    ----------
    classes_ : the classes in the order of the outputs; of yes/no questions a list, [0, 1] each.
    model_ : the Model. history_, best_epoch_, n_iter_, settings_ : of the training. n_features_in_ : columns of nodes.

    Examples
    --------
    >>> from agentnet import AgentNetClassifier, GraphSet
    >>> graphs = GraphSet("synthetic:4cycles?graphs=40&seed=1")
    >>> model = AgentNetClassifier(hidden=8, agents=3, steps=4, epochs=2, random_state=0).fit(graphs)
    >>> model.predict_proba(graphs[:3]).shape
    (3, 2)
    """

    def __init__(
        self,
        hidden: Optional[int] = None,
        agents: Optional[int] = None,
        steps: Optional[int] = None,
        *,
        epochs: Optional[int] = None,
        batch: Optional[int] = None,
        learning_rate: Optional[float] = None,
        metric: Optional[str] = None,
        patience: Optional[int] = None,
        preset: Optional[str] = None,
        settings: Optional[Dict[str, Any]] = None,
        class_weight: Any = None,
        validation_fraction: float = 0.1,
        rollouts: int = 8,
        draws: str = "content",
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
    ) -> None:
        self.hidden = hidden
        self.agents = agents
        self.steps = steps
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.metric = metric
        self.patience = patience
        self.preset = preset
        self.settings = settings
        self.class_weight = class_weight
        self.validation_fraction = validation_fraction
        self.rollouts = rollouts
        self.draws = draws
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class AgentNetRegressor(_Regressor):
    """AgentNet predicts numbers of graphs: one, or several with blanks (NaN).

    Parameters are those of AgentNetClassifier, without class_weight.

    >>> import numpy as np
    >>> from agentnet import AgentNetRegressor, GraphSet
    >>> graphs = GraphSet("synthetic:4cycles?graphs=40&seed=1")
    >>> y = np.arange(40.0)
    >>> AgentNetRegressor(hidden=8, agents=3, steps=4, epochs=2, random_state=0).fit(graphs, y).predict(graphs).shape
    (40,)
    """

    def __init__(
        self,
        hidden: Optional[int] = None,
        agents: Optional[int] = None,
        steps: Optional[int] = None,
        *,
        epochs: Optional[int] = None,
        batch: Optional[int] = None,
        learning_rate: Optional[float] = None,
        metric: Optional[str] = None,
        patience: Optional[int] = None,
        preset: Optional[str] = None,
        settings: Optional[Dict[str, Any]] = None,
        validation_fraction: float = 0.1,
        rollouts: int = 8,
        draws: str = "content",
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
    ) -> None:
        self.hidden = hidden
        self.agents = agents
        self.steps = steps
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.metric = metric
        self.patience = patience
        self.preset = preset
        self.settings = settings
        self.validation_fraction = validation_fraction
        self.rollouts = rollouts
        self.draws = draws
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose


class GraphNetClassifier(_Classifier):
    """Every other network that the program has, as a classifier: ``kind="gin"``, ``"pna"``, ``"wl"``, ...

    Parameters
    ----------
    kind : the network (docs/networks.md); ``agentnet.kinds()`` lists them.
    options : the options of that kind, {"layers": 4, "hidden": 32}; the rest as in AgentNetClassifier.

    >>> from agentnet import GraphNetClassifier, GraphSet
    >>> graphs = GraphSet("synthetic:4cycles?graphs=40&seed=1")
    >>> GraphNetClassifier("gin", epochs=2, random_state=0).fit(graphs).predict(graphs).shape
    (40,)
    """

    def __init__(
        self,
        kind: str = "gin",
        options: Optional[Dict[str, Any]] = None,
        *,
        epochs: Optional[int] = None,
        batch: Optional[int] = None,
        learning_rate: Optional[float] = None,
        metric: Optional[str] = None,
        patience: Optional[int] = None,
        preset: Optional[str] = None,
        settings: Optional[Dict[str, Any]] = None,
        class_weight: Any = None,
        validation_fraction: float = 0.1,
        rollouts: int = 8,
        draws: str = "content",
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
    ) -> None:
        self.kind = kind
        self.options = options
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.metric = metric
        self.patience = patience
        self.preset = preset
        self.settings = settings
        self.class_weight = class_weight
        self.validation_fraction = validation_fraction
        self.rollouts = rollouts
        self.draws = draws
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _kind(self) -> str:
        return self.kind


class GraphNetRegressor(_Regressor):
    """Every other network that the program has, as a regressor; parameters as GraphNetClassifier."""

    def __init__(
        self,
        kind: str = "gin",
        options: Optional[Dict[str, Any]] = None,
        *,
        epochs: Optional[int] = None,
        batch: Optional[int] = None,
        learning_rate: Optional[float] = None,
        metric: Optional[str] = None,
        patience: Optional[int] = None,
        preset: Optional[str] = None,
        settings: Optional[Dict[str, Any]] = None,
        validation_fraction: float = 0.1,
        rollouts: int = 8,
        draws: str = "content",
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: Optional[int] = None,
        verbose: int = 0,
    ) -> None:
        self.kind = kind
        self.options = options
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.metric = metric
        self.patience = patience
        self.preset = preset
        self.settings = settings
        self.validation_fraction = validation_fraction
        self.rollouts = rollouts
        self.draws = draws
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _kind(self) -> str:
        return self.kind


class AgentNetTransformer(TransformerMixin, AgentNetClassifier):
    """Embeddings of graphs: what an AgentNet knows of each before it decides, for any model of scikit-learn behind it.

    It is fitted like AgentNetClassifier if y holds classes, and ``transform`` gives [graphs, 4 hidden] numbers.

    >>> from agentnet import AgentNetTransformer, GraphSet
    >>> graphs = GraphSet("synthetic:4cycles?graphs=40&seed=1")
    >>> AgentNetTransformer(hidden=8, agents=3, steps=4, epochs=2, random_state=0).fit_transform(graphs, graphs.y).shape
    (40, 32)
    """

    def transform(self, X: Any) -> NDArray[np.float32]:
        """[graphs, width]"""
        return self._fitted().embed(X, rollouts=self.rollouts, draws=self.draws, n_jobs=self.n_jobs)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        width = int(self._fitted().info["options"]["hidden"])
        head = bool(self._fitted().info["options"]["head_mlp"])
        return np.array([f"agentnet{i}" for i in range((2 if head else 4) * width)], dtype=object)


def are_numbers(values: NDArray[Any]) -> bool:
    """Whether targets are numbers rather than classes or answers: the program's rule for files (docs/data.md).

    >>> are_numbers(np.array([1, 2, 2, 1])), are_numbers(np.array([0.5, 2])), are_numbers(np.array([10, 250, 40]))
    (False, True, True)
    """
    if values.dtype.kind not in "iuf":
        return False
    distinct = np.unique(values[~np.isnan(values)])
    if np.isin(distinct, (0, 1)).all():
        return False
    if values.ndim == 2 and values.shape[1] > 1 or np.any(distinct != np.floor(distinct)) or len(distinct) > 20:
        return True
    if len(distinct) <= 2:
        return False
    gaps = not -1 <= distinct[0] <= 1 or distinct[-1] - distinct[0] + 1 >= 2 * len(distinct)
    return bool(gaps or len(distinct) > 10 and np.count_nonzero(~np.isnan(values)) < 5 * len(distinct))


def labelled_set(graphs: GraphSet, y: Any, task: Optional[str] = None) -> engine.Handle:
    """The engine's set with these targets. What they are is guessed as for a file, unless `task` says it, or the graphs
    bring classes and these are among them."""
    values, own = np.asarray(y), graphs.info["schema"]["classes"]
    if values.dtype.kind == "O" and not any(isinstance(value, str) for value in values.ravel()):
        values = _numbers_of(values)
    if task not in (None, "auto", "classification", "multilabel", "regression"):
        raise ValueError(f"data.task is {task!r}; it can be classification, multilabel, regression or auto")
    if task in (None, "auto"):
        known = own and values.ndim == 1 and set(class_values(own)).issuperset(values[~_blanks(values)].tolist())
        task = "regression" if are_numbers(values) and not known else "classification"
    encoder: Any = AgentNetRegressor() if task == "regression" else AgentNetClassifier()
    encoder._least_classes = 1  # there is nothing to learn yet
    targets, schema = encoder._encode(values, len(graphs), fitting=True, own=own)
    rows, whole = np.ascontiguousarray(targets, np.float64), graphs.all_of()
    return engine.new_handle(
        "set", "set_with_targets", whole.pointer, engine.encoded(schema), engine.pointer_to(rows)
    )


def _schema_of(start: Optional[Model], X: Any) -> Any:
    return None if start is None or isinstance(X, (str, os.PathLike)) else start._schema_for(X)


def _targets_of(graphs: Any, y: Any) -> Any:
    if y is not None:
        return y
    own = graphs.y if isinstance(graphs, GraphSet) else GraphSet(graphs).y
    if own is None:
        raise ValueError("y is missing, and the graphs bring no targets")
    return own


def _pair(validation_data: Any) -> Tuple[Any, Any]:
    if isinstance(validation_data, GraphSet):
        return validation_data, None
    try:
        X, y = validation_data
    except (TypeError, ValueError):
        raise ValueError("validation_data is a pair (X, y)") from None
    return X, y


def _as_labels(y: Any) -> NDArray[Any]:
    labels = np.asarray(y)
    if labels.dtype.kind not in "OUSbiuf":
        raise ValueError(f"y holds values of type {labels.dtype}, which are no classes")
    if labels.ndim not in (1, 2):
        raise ValueError(f"y has the shape {labels.shape}; give one class per graph, or a column per question")
    return labels


def _blanks(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """NaN, None and NA of pandas."""
    if labels.dtype.kind == "f":
        missing: NDArray[np.bool_] = np.isnan(labels)
        return missing
    if labels.dtype.kind == "O":
        return np.array([_is_blank(v) for v in labels.ravel()], bool).reshape(labels.shape)
    return np.zeros(labels.shape, bool)


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")


def _numbers_of(values: Any) -> NDArray[np.float64]:
    """Numbers, with NaN for every blank, also for that of pandas."""
    listed = np.asarray(values)
    if listed.dtype.kind == "O":
        listed = np.where(_blanks(listed), np.nan, listed)
    return np.array(listed, np.float64)
