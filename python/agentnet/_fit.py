"""Training in memory, as the estimators do it."""

from __future__ import annotations

import ctypes
import json
import logging
import sys
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

from . import _library as engine
from .graph_set import GraphSet
from .model import Model

log = logging.getLogger("agentnet")


@dataclass
class FitResult:
    model: Model
    report: Dict[str, Any]  # as agentnet_train() of the C API gives it


class Progress:
    """What a training shows: nothing, a bar (tqdm, if it is there), or the bar and every epoch."""

    def __init__(self, verbose: int) -> None:
        self.verbose = verbose
        self.bar: Any = None

    def __call__(self, event: Dict[str, Any]) -> None:
        if event["event"] == "epoch":
            log.debug("epoch %s: loss %s, metric %s", event["epoch"], event["loss"], event.get("metric"))
        if self.verbose <= 0:
            return
        if event["event"] == "step":
            self._show(int(event["done"]), int(event["of"]))
            return
        if "epochs" in event:
            self._show_epoch(event)

    def _show(self, done: int, of: int) -> None:
        if self.bar is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self.bar = False
            else:
                self.bar = tqdm(total=of, unit="step", leave=True)
        if self.bar:
            self.bar.update(done - self.bar.n)

    def _show_epoch(self, event: Dict[str, Any]) -> None:
        metric = event.get("metric")
        said = f"loss {event['loss']:.4f}" + (f", metric {metric:.4f}" if isinstance(metric, float) else "")
        if self.bar:
            self.bar.set_postfix_str(said)
        if self.verbose > 1 or not self.bar:
            line = f"epoch {event['epoch']}/{event['epochs']}  {said}"
            if self.bar:
                self.bar.write(line, file=sys.stderr)
            else:
                print(line, file=sys.stderr)

    def close(self) -> None:
        if self.bar:
            self.bar.close()


def parts(
    labelled: engine.Handle, count: int, task: str, fraction: float, seed: int
) -> Tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Which graphs to learn from, and which to choose the best epoch by."""
    if not isinstance(fraction, (int, float)) or not 0 <= fraction < 1:
        raise ValueError(f"validation_fraction is {fraction}; it is a share from 0, and below 1")
    everything = np.arange(count, dtype=np.uint64)
    if fraction == 0 or round(fraction * count) < 1:
        return everything, everything[:0]
    kind = "stratified" if task == "classification" else "random"
    spec = f"{kind}:{1 - fraction!r},{fraction!r},0"
    split = json.loads(engine.text_of("set_split", labelled.pointer, spec.encode(), seed))["splits"][0]
    return np.array(split["train"], np.uint64), np.array(split["valid"], np.uint64)


def train(
    graphs: GraphSet,
    targets: NDArray[np.float64],
    schema: Dict[str, Any],
    settings: Dict[str, Any],
    *,
    weights: Optional[NDArray[np.float64]],
    valid: Optional[Tuple[GraphSet, NDArray[np.float64]]],
    fraction: float,
    seed: int,
    start: Optional[Model],
    n_jobs: Optional[int],
    verbose: int,
) -> FitResult:
    """Trains; Ctrl-C ends it in order, with the best model so far and report["stopped"]."""
    count = len(graphs)
    handle = graphs.all_of()
    own_name = graphs.info["schema"]["targets"]
    if len(own_name) == len(schema["targets"]):  # targets that came with the graphs keep their names
        schema = {**schema, "targets": own_name}
    if valid is not None:
        others, their_targets = valid
        other_handle = others.all_of()
        handle = engine.new_handle("set", "set_join", handle.pointer, other_handle.pointer)
        targets = np.concatenate([targets, their_targets])
    rows = np.ascontiguousarray(targets, np.float64)
    labelled = engine.new_handle(
        "set", "set_with_targets", handle.pointer, engine.encoded(schema), engine.pointer_to(rows)
    )
    if valid is not None:
        learned, chosen_by = np.arange(count, dtype=np.uint64), np.arange(count, len(rows), dtype=np.uint64)
    else:
        learned, chosen_by = parts(labelled, count, schema["task"], fraction, seed)
    split = engine.SplitArrays()
    split.size = ctypes.sizeof(split)
    split.train, split.train_count = engine.pointer_to(learned), len(learned)
    split.valid, split.valid_count = engine.pointer_to(chosen_by), len(chosen_by)
    if weights is not None:
        weights = np.concatenate([weights, np.ones(len(rows) - count)])
        split.weights = engine.pointer_to(weights)
    if start is not None:
        split.start = start._handle.pointer
    progress = Progress(verbose)
    wanted = verbose > 0 or log.isEnabledFor(logging.DEBUG)
    caller = engine.Caller(n_jobs, progress if wanted else None)
    model, report = ctypes.c_void_p(), ctypes.c_void_p()
    text = engine.encoded(settings)
    try:
        caller.run(
            lambda: engine.call(
                "train", labelled.pointer, text, ctypes.byref(split), caller.control, ctypes.byref(model), ctypes.byref(report)
            )
        )
    finally:
        progress.close()
    trained = Model(engine.Handle(model, engine.lib.agentnet_model_free))
    return FitResult(trained, json.loads(engine.take_text(report)))
