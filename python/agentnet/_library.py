"""The shared library behind the package: its functions as ctypes sees them, errors as exceptions, and long calls.

ctypes releases the GIL while a function runs, so other Python threads go on. A long call runs in a thread of its own if
it was made in the main thread: there Ctrl-C arrives at once, and the engine is asked to end in order.
"""

from __future__ import annotations

import ctypes
import json
import logging
import os
import threading
from ctypes import POINTER, c_char_p, c_float, c_int, c_int32, c_size_t, c_uint64
from ctypes import c_void_p
from pathlib import Path
from typing import Any, Callable, Dict, Optional, TypeVar

ABI = 1
Result = TypeVar("Result")
log = logging.getLogger("agentnet")

_USAGE, _DATA, _MISMATCH, _INTERRUPTED = 2, 3, 4, 130


class AgentNetError(Exception):
    """Something that the engine refused. ``hint`` says what to do next; ``code`` is the program's exit code."""

    code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.hint)


class EngineError(AgentNetError, RuntimeError):
    """The machine or the file system failed, or the loss stopped being finite."""


class UsageError(AgentNetError, ValueError):
    """An option or argument makes no sense."""

    code = _USAGE


class DataError(AgentNetError, ValueError):
    """The data, or a model file, is malformed."""

    code = _DATA


class MismatchError(AgentNetError, ValueError):
    """Model and data, each fine by itself, do not match."""

    code = _MISMATCH


class Control(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("threads", c_int32),
        ("user", c_void_p),
        ("progress", ctypes.CFUNCTYPE(c_int, c_void_p, c_char_p)),
        ("say", ctypes.CFUNCTYPE(None, c_void_p, c_char_p)),
        ("stop", POINTER(c_int32)),
    ]


class Arrays(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("graphs", c_uint64),
        ("node_offsets", c_void_p),
        ("edge_offsets", c_void_p),
        ("source", c_void_p),  # `from` in C
        ("target", c_void_p),
        ("undirected", c_int32),
        ("node_dense_columns", c_int32),
        ("node_category_columns", c_int32),
        ("edge_dense_columns", c_int32),
        ("edge_category_columns", c_int32),
        ("node_dense", c_void_p),
        ("node_categories", c_void_p),
        ("edge_dense", c_void_p),
        ("edge_categories", c_void_p),
        ("id_offsets", c_void_p),
        ("id_text", c_void_p),
        ("positions", c_void_p),
    ]


class SetView(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("graphs", c_uint64),
        ("nodes", c_uint64),
        ("edges", c_uint64),
        ("edge_rows", c_uint64),
        ("first_node", c_void_p),
        ("first_edge", c_void_p),
        ("offsets", c_void_p),
        ("neighbours", c_void_p),
        ("first_row", c_void_p),
        ("rows", c_void_p),
        ("node_dense_columns", c_int32),
        ("node_category_columns", c_int32),
        ("edge_dense_columns", c_int32),
        ("edge_category_columns", c_int32),
        ("target_columns", c_int32),
        ("node_dense", c_void_p),
        ("node_categories", c_void_p),
        ("edge_dense", c_void_p),
        ("edge_categories", c_void_p),
        ("targets", c_void_p),
        ("id_offsets", c_void_p),
        ("id_text", c_void_p),
        ("positions", c_void_p),
        ("marks", c_void_p),
    ]


class SplitArrays(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("train", c_void_p),
        ("train_count", c_uint64),
        ("valid", c_void_p),
        ("valid_count", c_uint64),
        ("weights", c_void_p),
        ("start", c_void_p),
    ]


RELEASE = ctypes.CFUNCTYPE(None, c_void_p)
_OUT, _TEXT = POINTER(c_void_p), c_char_p
_CONTROL = POINTER(Control)
_ASK = [c_void_p, c_void_p, c_void_p, c_uint64, _TEXT, _CONTROL]  # model, set, graphs, count, options, control

# Arguments of every function that can fail, without the error at the end.
FALLIBLE: Dict[str, Any] = {
    "describe": [_OUT],
    "set_from_arrays": [POINTER(Arrays), _TEXT, _TEXT, RELEASE, c_void_p, _OUT],
    "set_read": [_TEXT, _TEXT, _CONTROL, _OUT],
    "set_read_text": [_TEXT, _TEXT, c_size_t, _TEXT, _CONTROL, _OUT],
    "set_read_for_model": [c_void_p, _TEXT, _TEXT, _CONTROL, _OUT],
    "set_subset": [c_void_p, c_void_p, c_uint64, _OUT],
    "set_join": [c_void_p, c_void_p, _OUT],
    "set_with_targets": [c_void_p, _TEXT, c_void_p, _OUT],
    "set_fit": [c_void_p, c_void_p, _OUT, _OUT],
    "set_info": [c_void_p, _OUT],
    "set_split": [c_void_p, _TEXT, c_uint64, _OUT],
    "set_write": [c_void_p, _TEXT, _TEXT, c_int32],
    "set_arrays": [c_void_p, POINTER(SetView)],
    "train": [c_void_p, _TEXT, POINTER(SplitArrays), _CONTROL, _OUT, _OUT],
    "model_load": [_TEXT, _OUT],
    "model_save": [c_void_p, _TEXT],
    "model_to_bytes": [c_void_p, _OUT, POINTER(c_size_t)],
    "model_from_bytes": [c_char_p, c_size_t, _OUT],
    "model_info": [c_void_p, _OUT],
    "model_parameters": [c_void_p, POINTER(POINTER(c_float)), POINTER(c_uint64)],
    "predict": [*_ASK, c_void_p, c_void_p, c_void_p, c_void_p],
    "embed": [*_ASK, _OUT, POINTER(c_int32)],
    "walks": [*_ASK, _OUT, POINTER(c_uint64), POINTER(c_uint64)],
    "explain": [*_ASK, _OUT],
    "page": [*_ASK, _OUT],
    "run": [_TEXT, c_void_p, _TEXT, _TEXT, _CONTROL, _OUT],
    "run_info": [_TEXT, _OUT],
    "cross_validate": [_TEXT, c_void_p, _TEXT, _TEXT, _CONTROL, _OUT],
    "tune": [_TEXT, c_void_p, _TEXT, _TEXT, _CONTROL, _OUT],
    "compare": [_TEXT, c_void_p, _TEXT, _TEXT, _CONTROL, _OUT],
}
# (result, arguments) of all others.
PLAIN: Dict[str, Any] = {
    "version": (c_char_p, []),
    "abi": (c_int32, []),
    "error_code": (c_int, [c_void_p]),
    "error_message": (c_char_p, [c_void_p]),
    "error_hint": (c_char_p, [c_void_p]),
    "error_free": (None, [c_void_p]),
    "text_free": (None, [c_void_p]),
    "numbers_free": (None, [c_void_p]),
    "set_free": (None, [c_void_p]),
    "set_size": (c_uint64, [c_void_p]),
    "model_free": (None, [c_void_p]),
    "model_outputs": (c_int32, [c_void_p]),
}


def library_path() -> Path:
    """Where the shared library is: beside this file, or where AGENTNET_LIBRARY says."""
    said = os.environ.get("AGENTNET_LIBRARY")
    return Path(said) if said else Path(__file__).with_name("libagentnet_c.so")


def _load() -> ctypes.CDLL:
    path = library_path()
    try:
        lib = ctypes.CDLL(str(path))
    except OSError as error:
        raise ImportError(
            f"the engine of agentnet cannot be loaded from {path}: {error}; `make python` builds and installs it, "
            "scripts/install-deps program installs the libraries that it needs"
        ) from error
    if lib.agentnet_abi() != ABI:
        raise ImportError(f"{path} has the binary interface {lib.agentnet_abi()}, this package needs {ABI}")
    return lib


def _bound(cdll: ctypes.CDLL, name: str) -> Any:
    """A function of the library with the types of its arguments."""
    try:
        function = getattr(cdll, name)
    except AttributeError:
        raise ImportError(f"{library_path()} is older than this package: it has no {name}; `make python`") from None
    short = name[len("agentnet_") :]
    if short in FALLIBLE:
        function.restype, function.argtypes = c_int, [*FALLIBLE[short], _OUT]
    else:
        function.restype, function.argtypes = PLAIN[short]
    return function


class _Library:
    """The functions of the library, which is loaded when the first of them is asked for: agentnet.graphs needs none."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        cdll = self.__dict__.setdefault("_cdll", None) or _load()
        self.__dict__["_cdll"] = cdll
        function = _bound(cdll, name)
        self.__dict__[name] = function
        return function


lib = _Library()


def _raise(status: int, error: c_void_p) -> None:
    try:
        message = lib.agentnet_error_message(error).decode("utf-8", "replace")
        hint = lib.agentnet_error_hint(error).decode("utf-8", "replace")
    finally:
        lib.agentnet_error_free(error)
    if status == _INTERRUPTED:
        raise KeyboardInterrupt(message)
    kinds = {_USAGE: UsageError, _DATA: DataError, _MISMATCH: MismatchError}
    raise kinds.get(status, EngineError)(message or f"the engine ended with code {status}", hint)


def call(name: str, *arguments: Any) -> None:
    """Calls agentnet_NAME; raises what went wrong."""
    error = c_void_p()
    status = getattr(lib, "agentnet_" + name)(*arguments, ctypes.byref(error))
    if status != 0:
        _raise(status, error)


def text_of(name: str, *arguments: Any) -> str:
    """The text that the last output of a function is."""
    out = c_void_p()
    call(name, *arguments, ctypes.byref(out))
    return take_text(out)


def take_text(out: c_void_p) -> str:
    try:
        return ctypes.string_at(out).decode("utf-8")
    finally:
        lib.agentnet_text_free(out)


def encoded(value: Any) -> Optional[bytes]:
    """Options as the engine takes them: None stays None; a text or path, else JSON."""
    if value is None:
        return None
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if "\0" in text:
            raise ValueError("a text with a zero byte cannot be given to the engine")
        return text.encode("utf-8")
    try:
        return json.dumps(value, allow_nan=False, default=_plain).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise UsageError(f"a setting cannot be written as JSON: {error}", "give plain numbers, texts and lists") from None


def _plain(value: Any) -> Any:
    """Numbers of NumPy as Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{value!r} is a {type(value).__name__}")


class Handle:
    """An object of the engine, freed with the last reference."""

    __slots__ = ("pointer", "_free", "__weakref__")

    def __init__(self, pointer: c_void_p, free: Callable[[c_void_p], None]) -> None:
        self.pointer = pointer
        self._free = free

    def __del__(self) -> None:
        if self.pointer:
            self._free(self.pointer)
            self.pointer = c_void_p()


def new_handle(kind: str, name: str, *arguments: Any) -> Handle:
    """What a function with the object as its last output makes; `kind` is set or model."""
    out = c_void_p()
    call(name, *arguments, ctypes.byref(out))
    return Handle(out, getattr(lib, f"agentnet_{kind}_free"))


def threads_for(n_jobs: Optional[int]) -> int:
    """How many threads `n_jobs` means: None takes OMP_NUM_THREADS, which joblib sets in its workers, else all cores;
    -1 all cores, -2 all but one.

    >>> threads_for(3)
    3
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        said = os.environ.get("OMP_NUM_THREADS", "")
        return max(1, int(said)) if said.isdigit() else cores
    if n_jobs == 0:
        raise ValueError("n_jobs is 0; give a number of threads, or -1 for all")
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


class Caller:
    """What a long call needs: threads, somebody to tell, and a way to be stopped."""

    def __init__(
        self, n_jobs: Optional[int] = None, progress: Optional[Callable[[Dict[str, Any]], Optional[bool]]] = None
    ) -> None:
        self.stop = c_int32(0)
        self.interrupted = False
        self._failure: Optional[BaseException] = None
        self._control = Control()
        self._control.size = ctypes.sizeof(Control)
        self._control.threads = threads_for(n_jobs)
        self._control.stop = ctypes.pointer(self.stop)
        self._control.say = type(self._control.say)(lambda user, line: log.info("%s", line.decode("utf-8", "replace")))
        if progress is not None:
            tell = progress

            def on_progress(user: Any, text: bytes) -> int:
                try:
                    return 1 if tell(json.loads(text)) else 0
                except BaseException as error:  # ctypes would print it and go on
                    self._failure = error
                    return 1

            self._control.progress = type(self._control.progress)(on_progress)

    @property
    def control(self) -> Any:
        return ctypes.byref(self._control)

    def run(self, work: Callable[[], Result]) -> Result:
        """Does work(), which calls the engine with this control. In the main thread, Ctrl-C ends it in order:
        `interrupted` is set, and either work() still returns, or KeyboardInterrupt is raised."""
        result = self._run_beside(work) if threading.current_thread() is threading.main_thread() else work()
        if self._failure is not None:
            raise self._failure
        return result

    def _run_beside(self, work: Callable[[], Result]) -> Result:
        done: Dict[str, Any] = {}
        finished = threading.Event()  # not Thread.join(), which takes a thread for stopped when it is interrupted

        def target() -> None:
            try:
                done["result"] = work()
            except BaseException as error:
                done["error"] = error
            finally:
                finished.set()

        threading.Thread(target=target, name="agentnet", daemon=True).start()
        while True:
            try:
                while not finished.wait(0.2):  # a signal that another thread was given wakes nobody
                    pass
                break
            except KeyboardInterrupt:
                self.interrupted = True
                self.stop.value = 1
        if "error" in done:
            if self._failure is not None:
                raise self._failure from None
            raise done["error"]
        result: Result = done["result"]
        return result


def pointer_to(array: Any) -> Optional[int]:
    """Where a NumPy array begins; None for None."""
    return None if array is None else array.ctypes.data


__all__ = ["AgentNetError", "EngineError", "UsageError", "DataError", "MismatchError"]
