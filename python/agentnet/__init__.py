"""AgentNet: classification and regression of graphs with neural agents, and all that it is compared with.

>>> import agentnet
>>> graphs = agentnet.GraphSet("synthetic:4cycles?graphs=40&seed=1")
>>> model = agentnet.AgentNetClassifier(hidden=8, agents=3, steps=4, epochs=2, random_state=0)
>>> model.fit(graphs[:30]).predict(graphs[30:]).shape
(10,)

The engine is a library in C++, the same as the program's: the same data, settings and seed give the same bytes.
docs/python.md is the guide.
"""

import logging as _logging
from typing import TYPE_CHECKING, Any

from ._library import AgentNetError, DataError, EngineError, MismatchError, UsageError
from .explanation import Explanation
from .graph_set import Graph, GraphSet
from .graphs import GraphArrays, GraphError, to_arrays, to_networkx
from .model import Model, Predictions, load
from .notebook import View, view
from .runs import Run, compare, cross_validate, describe, kinds, train, tune, version

if TYPE_CHECKING:
    from .estimators import (
        AgentNetClassifier,
        AgentNetRegressor,
        AgentNetTransformer,
        GraphNetClassifier,
        GraphNetRegressor,
    )

_logging.getLogger("agentnet").addHandler(_logging.NullHandler())

_ESTIMATORS = (
    "AgentNetClassifier",
    "AgentNetRegressor",
    "AgentNetTransformer",
    "GraphNetClassifier",
    "GraphNetRegressor",
)


def __getattr__(name: str) -> Any:
    """Estimators come with scikit-learn, which who only asks models need not wait for; the version with the engine."""
    if name == "__version__":
        return version()
    if name in _ESTIMATORS:
        from . import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module 'agentnet' has no attribute {name!r}")


def explain(model: Any, data: Any, **options: Any) -> Any:
    """Why a model says what it says of graphs (``Model.explain``); ``model`` may be a fitted estimator or a path."""
    return _model_of(model).explain(data, **options)


def walks(model: Any, data: Any, **options: Any) -> Any:
    """Where agents went, [graphs, agents, visits] (``Model.walks``)."""
    return _model_of(model).walks(data, **options)


def predict(model: Any, data: Any, **options: Any) -> Predictions:
    """Means over rollouts and the spread between walks (``Model.predict``)."""
    return _model_of(model).predict(data, **options)


def _model_of(model: Any) -> Model:
    import os

    if isinstance(model, (str, os.PathLike)):
        return Model.load(model)
    own = getattr(model, "model_", model)
    if not isinstance(own, Model):
        raise TypeError(f"{model!r} is no model; give a Model, a fitted estimator or a path")
    return own


__all__ = [
    "AgentNetClassifier",
    "AgentNetError",
    "AgentNetRegressor",
    "AgentNetTransformer",
    "DataError",
    "EngineError",
    "Explanation",
    "Graph",
    "GraphArrays",
    "GraphError",
    "GraphNetClassifier",
    "GraphNetRegressor",
    "GraphSet",
    "MismatchError",
    "Model",
    "Predictions",
    "Run",
    "UsageError",
    "View",
    "compare",
    "cross_validate",
    "describe",
    "explain",
    "kinds",
    "load",
    "predict",
    "to_arrays",
    "to_networkx",
    "train",
    "tune",
    "version",
    "view",
    "walks",
]
