"""Trained models: the same files as the program's."""

from __future__ import annotations

import ctypes
import json
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _library as engine
from .explanation import Explanation, explanations_from
from .graph_set import GraphSet


@dataclass
class Predictions:
    """What a model says of graphs, averaged over rollouts."""

    mean: NDArray[np.float64]  # [graphs, outputs] probabilities, or numbers
    walk_spread: NDArray[np.float64]  # [graphs, outputs] how much single rollouts differ: their standard deviation
    rollouts: NDArray[np.int32]  # [graphs] how many were run
    settled: Optional[NDArray[np.bool_]]  # [graphs] whether the decision is settled; None without a confidence

    @property
    def likeliest(self) -> NDArray[np.intp]:
        """[graphs] the class with the largest mean, as its place in the model's classes; the first of equals."""
        places: NDArray[np.intp] = self.mean.argmax(axis=1)
        return places

    @property
    def deviation(self) -> NDArray[np.float64]:
        """The old name of ``walk_spread``."""
        return self.walk_spread


class Model:
    """A network with its weights, as it stands in a model file.

    ``Model.load(path)`` reads what the program, C++ or Python wrote; ``save`` writes it. It can be pickled, copied, and
    used by any number of threads at once.
    """

    def __init__(self, handle: engine.Handle) -> None:
        self._handle = handle
        self._info: Optional[Dict[str, Any]] = None

    @classmethod
    def load(cls, path: Union[str, os.PathLike[str]]) -> Model:
        """Reads a model file, or the model of a run's folder."""
        if os.path.isdir(path):
            path = os.path.join(path, "model.safetensors")
        return cls(engine.new_handle("model", "model_load", engine.encoded(path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"a model file is bytes, not {type(data).__name__}")
        data = bytes(data)
        return cls(engine.new_handle("model", "model_from_bytes", data, len(data)))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the model file, complete or not at all."""
        engine.call("model_save", self._handle.pointer, engine.encoded(path))

    def to_bytes(self) -> bytes:
        """The bytes of the model file."""
        out, length = ctypes.c_void_p(), ctypes.c_size_t()
        engine.call("model_to_bytes", self._handle.pointer, ctypes.byref(out), ctypes.byref(length))
        try:
            return ctypes.string_at(out, length.value)
        finally:
            engine.lib.agentnet_text_free(out)

    def __reduce__(self) -> Any:
        return Model.from_bytes, (self.to_bytes(),)

    def __deepcopy__(self, memo: Any) -> Model:
        return self  # models never change

    # --- What it is --------------------------------------------------------------------------------------------------

    @property
    def info(self) -> Dict[str, Any]:
        """Kind, options, shape, task, labels, schema, how its data was read, its training, its tensors."""
        if self._info is None:
            self._info = json.loads(engine.text_of("model_info", self._handle.pointer))
        return self._info

    @property
    def task(self) -> str:
        """"classification", "multilabel", "regression" or "none"."""
        return str(self.info["task"])

    @property
    def labels(self) -> List[str]:
        """The names of the outputs: classes, or targets."""
        return list(self.info["labels"])

    @property
    def parameters(self) -> NDArray[np.float32]:
        """All weights in one array that cannot be written to; ``info["tensors"]`` is its map."""
        values, count = ctypes.POINTER(ctypes.c_float)(), ctypes.c_uint64()
        engine.call("model_parameters", self._handle.pointer, ctypes.byref(values), ctypes.byref(count))
        if count.value == 0:
            return np.zeros(0, np.float32)
        buffer = (ctypes.c_float * count.value).from_address(ctypes.addressof(values.contents))
        buffer._owner = self._handle  # type: ignore[attr-defined]
        array: NDArray[np.float32] = np.frombuffer(memoryview(buffer).cast("B"), np.float32)
        array.flags.writeable = False
        return array

    def tensors(self) -> Dict[str, NDArray[np.float32]]:
        """Every weight under its name."""
        flat = self.parameters
        return {
            t["name"]: flat[t["offset"] : t["offset"] + int(np.prod(t["shape"]))].reshape(t["shape"])
            for t in self.info["tensors"]
        }

    def __repr__(self) -> str:
        return f"<Model: {self.info['description']}, {self.info['parameters']} parameters>"

    # --- Questions ---------------------------------------------------------------------------------------------------

    def graphs(self, X: Any, n_jobs: Optional[int] = None) -> GraphSet:
        """Graphs in any form as this model reads them: a path as its training data was read."""
        if isinstance(X, GraphSet):
            return X
        if isinstance(X, (str, os.PathLike)):
            return self._read_path(os.fspath(X), n_jobs)
        reading = self.info["reading"] or {}  # columns that the engine computes, as it did for the training data
        computed = {name: True for name in ("degree", "constant", "distances") if reading.get(name)}
        return GraphSet(X, schema=self._schema_for(X), n_jobs=n_jobs, _reading=reading, **computed)

    def _read_path(self, path: str, n_jobs: Optional[int]) -> GraphSet:
        read = GraphSet.__new__(GraphSet)
        read._index = read._info = read._arrays = read._y = None
        read._recipe = {"path": path, "options": {}}
        read._handle = GraphSet._open(read._recipe, n_jobs, self._handle.pointer)
        read._tell_bad_rows()
        return read

    def _schema_for(self, X: Any) -> Any:
        from .graphs import ColumnSchema, GraphSchema

        own = self.info["schema"]
        if own is None:
            return None

        def columns(owner: str) -> ColumnSchema:
            categories = own[owner]["categories"]
            return ColumnSchema(
                list(own[owner]["dense"]), [c["name"] for c in categories], [list(c["values"]) for c in categories]
            )

        return GraphSchema(nodes=columns("nodes"), edges=columns("edges"))

    def predict(
        self,
        X: Any,
        *,
        rollouts: Optional[int] = None,
        confidence: Optional[float] = None,
        seed: int = 0,
        greedy: bool = False,
        draws: str = "content",
        max_neighbours: Optional[int] = None,
        n_jobs: Optional[int] = None,
    ) -> Predictions:
        """Probabilities or numbers, and how much rollouts differ.

        A graph's answer does not depend on its place in X or on what else is in it (``draws="row"``: it does, copies of
        a graph are then walked differently). With a ``confidence``, rollouts go on until each decision is settled.
        """
        graphs = self.graphs(X, n_jobs)
        options = asked_options(
            rollouts=rollouts, confidence=confidence, seed=seed, greedy=greedy, draws=draws, max_neighbours=max_neighbours
        )
        count, outputs = len(graphs), int(engine.lib.agentnet_model_outputs(self._handle.pointer))
        mean, walk_spread = np.empty((count, outputs)), np.empty((count, outputs))
        runs, settled = np.empty(count, np.int32), np.empty(count, np.uint8)
        if count > 0:
            self._ask("predict", graphs, options, n_jobs, *(engine.pointer_to(a) for a in (mean, walk_spread, runs, settled)))
        return Predictions(mean, walk_spread, runs, settled.astype(bool) if confidence is not None else None)

    def embed(
        self, X: Any, *, rollouts: int = 8, seed: int = 0, draws: str = "content", n_jobs: Optional[int] = None
    ) -> NDArray[np.float32]:
        """What an AgentNet knows of each graph before it decides: the input of its last layer, [graphs, width]."""
        graphs = self.graphs(X, n_jobs)
        rows, width = ctypes.c_void_p(), ctypes.c_int32()
        options = asked_options(rollouts=rollouts, seed=seed, draws=draws)
        self._ask("embed", graphs, options, n_jobs, ctypes.byref(rows), ctypes.byref(width))
        return taken((len(graphs), width.value), np.float32, rows)

    def walks(
        self, X: Any, *, rollout: int = 0, seed: int = 0, greedy: bool = False, n_jobs: Optional[int] = None
    ) -> NDArray[np.int64]:
        """Where agents went in one rollout: nodes of their graph, [graphs, agents, visits]."""
        graphs = self.graphs(X, n_jobs)
        positions, visits, agents = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_uint64()
        options = asked_options(rollout=rollout, seed=seed, greedy=greedy)
        self._ask("walks", graphs, options, n_jobs, *(ctypes.byref(out) for out in (positions, visits, agents)))
        shape = (int(visits.value), len(graphs), int(agents.value))
        return np.ascontiguousarray(taken(shape, np.uint64, positions).astype(np.int64).transpose(1, 2, 0))

    def explain(self, X: Any, *, n_jobs: Optional[int] = None, **options: Any) -> List[Explanation]:
        """Why the model says what it says of each graph (docs/explain.md).

        Options: ``rollouts``, ``seed``, ``greedy``, ``draws``, ``output`` (a number, or the name of a class or target),
        ``influence``, ``recorded``, ``most_nodes``, ``leave_one_out``, ``fidelity``.
        """
        graphs = self.graphs(X, n_jobs)
        if isinstance(options.get("output"), str):
            options["output"] = self._output_number(options["output"])
        lines = ctypes.c_void_p()
        self._ask("explain", graphs, asked_options(**options), n_jobs, ctypes.byref(lines))
        return explanations_from(engine.take_text(lines), graphs)

    def page(self, X: Any, *, n_jobs: Optional[int] = None, **options: Any) -> str:
        """The viewer's page about these graphs, one HTML document. Options: those of predict, ``title``, ``walks`` (of
        how many graphs), ``recorded``."""
        html = ctypes.c_void_p()
        self._ask("page", self.graphs(X, n_jobs), asked_options(**options), n_jobs, ctypes.byref(html))
        return engine.take_text(html)

    def _output_number(self, name: str) -> int:
        if name not in self.labels:
            raise ValueError(f"the model has no output {name!r}; it has {', '.join(self.labels)}")
        return self.labels.index(name)

    def _ask(self, name: str, graphs: GraphSet, options: Any, n_jobs: Optional[int], *outputs: Any) -> None:
        caller = engine.Caller(n_jobs)
        pointer, index, count = graphs.chosen()
        caller.run(
            lambda: engine.call(name, self._handle.pointer, pointer, index, count, options, caller.control, *outputs)
        )


def asked_options(**options: Any) -> Optional[bytes]:
    """What was asked for, without what was not."""
    return engine.encoded({name: value for name, value in options.items() if value is not None})


def taken(shape: Tuple[int, ...], dtype: Any, address: ctypes.c_void_p) -> NDArray[Any]:
    """A copy of numbers that the engine made, which are freed."""
    try:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        return np.frombuffer(ctypes.string_at(address, size), dtype).reshape(shape).copy()
    finally:
        engine.lib.agentnet_numbers_free(address)


def load(path: Union[str, os.PathLike[str]]) -> Model:
    """Reads a model file, or the model of a run's folder."""
    return Model.load(path)
