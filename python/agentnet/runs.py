"""What keeps a folder: runs, cross-validations, comparisons; and what there is to choose from."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from typing import Any, Dict, List, Optional, Union

from . import _library as engine
from .graph_set import GraphSet
from .model import Model

PathLike = Union[str, "os.PathLike[str]"]


def describe() -> Dict[str, Any]:
    """Everything there is to choose from: kinds of networks with their options, settings, presets."""
    described: Dict[str, Any] = json.loads(engine.text_of("describe"))
    return described


def kinds() -> List[str]:
    """The networks that this build has.

    >>> "agentnet" in kinds() and "gin" in kinds()
    True
    """
    return [kind["name"] for kind in describe()["kinds"]]


def version() -> str:
    """The version of the engine."""
    return str(engine.lib.agentnet_version().decode())


def sections(settings: Dict[str, Any]) -> Dict[str, Any]:
    """{"model.agents": 4, "preset": "fast"} as the sections of a settings file; sections may be given as they are.

    >>> sections({"train.epochs": 3, "model": {"hidden": 8}})
    {'train': {'epochs': 3}, 'model': {'hidden': 8}}
    """
    nested: Dict[str, Any] = {}
    for name, value in settings.items():
        section, dot, key = name.partition(".")
        if dot:
            nested.setdefault(section, {})[key] = value
        elif isinstance(value, dict):
            nested.setdefault(name, {}).update(value)
        else:
            nested[name] = value
    return nested


class _Work:
    """A folder that stays, or one that goes when the work is done."""

    def __init__(self, folder: Optional[PathLike]) -> None:
        self._passing = tempfile.TemporaryDirectory(prefix="agentnet-") if folder is None else None
        self.path = os.fspath(folder) if folder is not None else os.path.join(str(self._passing and self._passing.name), "work")

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *error: Any) -> None:
        if self._passing is not None:
            self._passing.cleanup()


def _set_of(
    data: Any, y: Any, n_jobs: Optional[int], task: Optional[str] = None
) -> tuple[Optional[engine.Handle], Dict[str, Any]]:
    """The engine's set with targets; for a path nothing but the setting that names it."""
    if data is None or (isinstance(data, (str, os.PathLike)) and y is None):
        return None, {} if data is None else {"source": os.fspath(data)}
    graphs = data if isinstance(data, GraphSet) else GraphSet(data, n_jobs=n_jobs)
    if y is None and graphs._y is None:
        return graphs.all_of(), {}
    from .estimators import labelled_set

    return labelled_set(graphs, graphs.y if y is None else y, task), {}


def _in_folder(
    name: str,
    folder: Optional[PathLike],
    data: Any,
    y: Any,
    settings: Optional[Dict[str, Any]],
    options: Dict[str, Any],
    n_jobs: Optional[int],
    progress: Any,
) -> Dict[str, Any]:
    nested = sections(settings or {})
    from_python = y is not None or isinstance(data, GraphSet) and data._y is not None
    task = nested.get("data", {}).pop("task", None) if from_python else None
    handle, source = _set_of(data, y, n_jobs, task)
    if source:
        nested["data"] = {**source, **nested.get("data", {})}
    resuming = data is None
    caller = engine.Caller(n_jobs, progress)
    asked = engine.encoded({key: value for key, value in options.items() if value is not None})
    with _Work(folder) as path:
        text = caller.run(
            lambda: engine.text_of(
                name,
                engine.encoded(path),
                handle.pointer if handle is not None else None,
                None if resuming else engine.encoded(nested),
                asked,
                caller.control,
            )
        )
    result: Dict[str, Any] = json.loads(text)
    return result


class Run:
    """A training that keeps a folder: its model, curves and results, as the program's ``agentnet train -o`` makes it."""

    def __init__(self, folder: PathLike, summary: Optional[Dict[str, Any]] = None) -> None:
        self.folder = os.fspath(folder)
        self._summary = summary

    @property
    def info(self) -> Dict[str, Any]:
        found: Dict[str, Any] = json.loads(engine.text_of("run_info", engine.encoded(self.folder)))
        return found

    @property
    def history(self) -> List[Dict[str, Any]]:
        """A record per epoch."""
        return list(self.info["history"])

    @property
    def summary(self) -> Dict[str, Any]:
        """How it ended, and the scores of its parts."""
        if self._summary is None:
            with open(os.path.join(self.folder, "summary.json"), encoding="utf-8") as file:
                self._summary = json.load(file)
        return self._summary

    def model(self) -> Model:
        return Model.load(self.info["model"])

    def resume(self, data: Any = None, y: Any = None, n_jobs: Optional[int] = None) -> Run:
        """Goes on after an interruption; of a run at its end, the result. ``data``, ``y``: those of the run, unless it
        was a path."""
        handle = _set_of(data, y, n_jobs)[0]
        caller = engine.Caller(n_jobs)
        text = caller.run(
            lambda: engine.text_of(
                "run", engine.encoded(self.folder), handle and handle.pointer, None, None, caller.control
            )
        )
        summary: Dict[str, Any] = json.loads(text)
        _tell_interruption(summary)
        self._summary = summary
        return self

    def __repr__(self) -> str:
        return f"Run({self.folder!r})"


def train(
    data: Any,
    folder: PathLike,
    y: Any = None,
    *,
    settings: Optional[Dict[str, Any]] = None,
    force: bool = False,
    max_seconds: Optional[float] = None,
    n_jobs: Optional[int] = None,
    progress: Any = None,
) -> Run:
    """Trains in a folder, which an interruption or a crash does not harm: ``Run(folder).resume()`` goes on.

    data : graphs in any form, or a path. settings : {"train.epochs": 20, "model.kind": "gin", "data.split": ...}, as in
    a settings file (docs/settings.md). The folder is the same that ``agentnet train`` makes, byte for byte.
    """
    options = {"force": force, "max_seconds": max_seconds}
    summary = _in_folder("run", folder, data, y, settings or {}, options, n_jobs, progress)
    _tell_interruption(summary)
    return Run(folder, summary)


def _tell_interruption(summary: Dict[str, Any]) -> None:
    if summary.get("ending") == "interrupted":
        warnings.warn("training was interrupted; Run(folder).resume() goes on", stacklevel=3)


def cross_validate(
    data: Any,
    y: Any = None,
    *,
    protocol: str = "fair",
    folds: int = 10,
    settings: Optional[Dict[str, Any]] = None,
    split: Optional[str] = None,
    folder: Optional[PathLike] = None,
    force: bool = False,
    n_jobs: Optional[int] = None,
    jobs: Optional[int] = None,
    progress: Any = None,
    only_folds: Optional[List[int]] = None,
    max_seconds: Optional[float] = None,
) -> Dict[str, Any]:
    """How good settings are on a set, by one of three protocols (docs/protocols.md): "fair", "gin", "agentnet", "all".

    Returns what ``agentnet cv --json`` prints. With a ``folder`` the work can be taken up again: the same call with
    ``data=None`` goes on.

    only_folds : the folds to run, from 0; all others are left for later.
    max_seconds : folds that are not done by then keep a checkpoint; the result stands on those that are.
    """
    options: Dict[str, Any] = {
        "protocol": protocol,
        "folds": folds,
        "split": split,
        "jobs": jobs,
        "force": force,
        "only_folds": only_folds,
        "max_seconds": max_seconds,
    }
    return _in_folder("cross_validate", folder, data, y, settings or {}, options, n_jobs, progress)


def compare(
    data: Any,
    y: Any = None,
    *,
    models: Optional[List[str]] = None,
    protocol: str = "fair",
    folds: int = 10,
    seeds: int = 1,
    budget: float = 1800,
    settings: Optional[Dict[str, Any]] = None,
    split: Optional[str] = None,
    folder: Optional[PathLike] = None,
    force: bool = False,
    n_jobs: Optional[int] = None,
    jobs: Optional[int] = None,
    progress: Any = None,
) -> Dict[str, Any]:
    """Several models on the same folds, and which differences are real; what ``agentnet compare --json`` prints.

    budget : seconds that training may take in all.
    """
    options: Dict[str, Any] = {
        "models": models,
        "protocol": protocol,
        "folds": folds,
        "seeds": seeds,
        "budget": budget,
        "split": split,
        "jobs": jobs,
        "force": force,
    }
    return _in_folder("compare", folder, data, y, settings or {}, options, n_jobs, progress)


def tune(
    data: Any,
    y: Any = None,
    *,
    trials: int = 40,
    budget: float = 7200,
    space: str = "small",
    grid: bool = False,
    nested: bool = False,
    folds: Optional[int] = None,
    keep: Optional[int] = None,
    seed: int = 0,
    settings: Optional[Dict[str, Any]] = None,
    folder: Optional[PathLike] = None,
    force: bool = False,
    n_jobs: Optional[int] = None,
    jobs: Optional[int] = None,
    progress: Any = None,
) -> Dict[str, Any]:
    """A search for settings that does not see the test part (docs/tune.md); what ``agentnet tune --json`` prints.

    space : "small", "wide", or a file. With a ``folder``, the best model is in ``folder/best``, and other processes may
    join the work with ``tune(None, folder=folder)``.
    """
    options: Dict[str, Any] = {
        "trials": trials,
        "budget": budget,
        "space": space,
        "grid": grid,
        "nested": nested,
        "folds": folds,
        "keep": keep,
        "seed": seed,
        "jobs": jobs,
        "force": force,
    }
    return _in_folder("tune", folder, data, y, settings or {}, options, n_jobs, progress)
