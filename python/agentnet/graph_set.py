"""Sets of graphs, held once by the engine."""

from __future__ import annotations

import ctypes
import json
import os
import re
import warnings
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _library as engine
from .graphs import ColumnSchema, GraphArrays, GraphSchema, to_arrays
from .graphs.errors import graph_error

_KEPT: Dict[int, Any] = {}  # what the engine has borrowed, until it gives it back


@engine.RELEASE
def _release(owner: Optional[int]) -> None:
    _KEPT.pop(owner or 0, None)


def _lend(owner: Any) -> int:
    number = id(owner)
    _KEPT[number] = owner
    return number


class GraphSet:
    """Graphs that the engine can use at once, whatever they were before.

    ``GraphSet(X)`` takes what ``agentnet.graphs.to_arrays`` takes: lists of networkx graphs, PyG or DGL graphs, igraph,
    sparse matrices, ``(edge_index, x)`` tuples, tables, molecules, SMILES strings, bulk arrays; and the path of any data
    set that the program reads, or a built-in one such as ``"synthetic:..."``. Arrays that fit are borrowed, not copied;
    mapped sets are opened in place. A set indexes and slices without copying graphs, iterates over ``Graph`` objects,
    and works wherever scikit-learn expects an X.

    Parameters
    ----------
    X : graphs, or a path
    schema : the columns of earlier graphs (``GraphSet.schema``), by which these are read
    targets : the targets of the graphs, unless X brings them: kept in ``y``
    n_jobs : threads for reading
    skip_bad_rows : rows of a file that are no graphs are left out, with a warning; True: without
    options : for a path or SMILES strings the program's data options (``task``, ``degree``, ``format``, ...,
        docs/settings.md) and ``target_columns``, the names of the targets; for anything else those of ``to_arrays``
        and ``degree``, ``constant``, ``distances``

    Examples
    --------
    >>> import numpy as np
    >>> from agentnet import GraphSet
    >>> triangle = np.array([[0, 1, 2], [1, 2, 0]])
    >>> graphs = GraphSet([(triangle, np.ones((3, 1), np.float32)), (triangle, np.zeros((3, 1), np.float32))])
    >>> len(graphs), len(graphs[1:])
    (2, 1)
    """

    def __init__(
        self,
        X: Any,
        *,
        schema: Optional[GraphSchema] = None,
        targets: Any = None,
        n_jobs: Optional[int] = None,
        **options: Any,
    ) -> None:
        self._index: Optional[NDArray[np.uint64]] = None
        self._info: Optional[Dict[str, Any]] = None
        self._arrays: Optional[GraphArrays] = None
        self._recipe: Optional[Dict[str, Any]] = None  # how to read it again
        self._y: Any = None
        if isinstance(X, GraphSet):
            if schema is not None or options:
                raise TypeError("a GraphSet is read already: options and a schema have no influence on it any more")
            self._take_over(X)
        elif isinstance(X, (list, tuple)) and X and all(isinstance(one, Graph) for one in X):
            self._collect(X)
        else:
            self._read(X, schema, n_jobs, options)
        if targets is not None:
            self._y = np.asarray(targets)
            if len(self._y) != len(self):
                raise ValueError(f"there are {len(self)} graphs, but {len(self._y)} targets")

    # --- How it comes about ------------------------------------------------------------------------------------------

    def _take_over(self, other: GraphSet) -> None:
        self.__dict__.update(other.__dict__)

    def _collect(self, graphs: Sequence[Graph]) -> None:
        """Graphs of one set, or of several with the same columns."""
        sets = {id(graph.set._handle): graph.set for graph in graphs}
        if len(sets) == 1:
            self._take_over(graphs[0].set)
            self._index = np.array([graph.number for graph in graphs], np.uint64)
            ys = [graph.set._y for graph in graphs]
            kept = all(y is not None for y in ys)  # targets that were given are of each set, not of the engine's
            self._y = np.array([y[graph.place] for y, graph in zip(ys, graphs)]) if kept else None
            return
        arrays = to_arrays([graph.arrays() for graph in graphs])
        self._read(arrays, None, None, {})

    def _read(self, X: Any, schema: Optional[GraphSchema], n_jobs: Optional[int], options: Dict[str, Any]) -> None:
        quiet = bool(options.pop("skip_bad_rows", False))
        if isinstance(X, (str, os.PathLike)):
            if "target_columns" in options:  # `targets` are values
                names = options.pop("target_columns")
                options["targets"] = [names] if isinstance(names, str) else list(names)
            if schema is not None:
                raise TypeError("a schema is for graphs from Python; Model.graphs() reads a path as its training data")
            self._recipe = {"path": os.fspath(X), "options": options}
            self._handle = self._open(self._recipe, n_jobs)
            if not quiet:
                self._tell_bad_rows()
            return
        computed = {name: options.pop(name) for name in ("degree", "constant", "distances") if name in options}
        data_options = dict(options)
        reading = data_options.pop("_reading", {})  # a model's: its molecules were read so
        convert = {name: data_options.pop(name) for name in _OF_TO_ARRAYS if name in data_options}
        arrays = X if isinstance(X, GraphArrays) and schema is None else to_arrays(X, schema=schema, **convert)
        if arrays.path is not None or arrays.smiles is not None:
            kind: Dict[str, Any] = {"path": arrays.path} if arrays.path is not None else {"smiles": arrays.smiles}
            read_as = {name: reading[name] for name in ("largest_fragment", "max_atoms") if name in reading}
            self._recipe = {**kind, "options": {**read_as, **data_options, **computed}}
            self._handle = self._open(self._recipe, n_jobs)
            if arrays.smiles is not None:
                self._refuse_bad_rows()
            elif not quiet:
                self._tell_bad_rows()
            return
        if data_options:
            raise TypeError(f"GraphSet() of graphs has no option {sorted(data_options)[0]!r}")
        self._handle = _from_arrays(arrays.check() if isinstance(X, GraphArrays) else arrays, computed)
        if arrays.targets is not None:
            self._y = arrays.targets

    def _tell_bad_rows(self) -> None:
        """Rows of a file that are no graphs are left out: answers are fewer than rows, which must be seen."""
        bad = self.info["bad_rows"]
        if bad:
            warnings.warn(
                f"{len(bad)} of {len(bad) + len(self)} rows are no graphs and are left out; the first: "
                f"{bad[0]['where']}: {bad[0]['message']} (info['bad_rows'] lists them; skip_bad_rows=True is silent)",
                stacklevel=4,
            )

    def _refuse_bad_rows(self) -> None:
        """Of a list of strings every one is a graph: answers and targets belong to them by their places."""
        for bad in self.info["bad_rows"]:
            raise graph_error(bad["message"], int(bad["row"]), hint="leave what is no molecule out")

    @staticmethod
    def _open(recipe: Dict[str, Any], n_jobs: Optional[int], model: Any = None) -> engine.Handle:
        caller = engine.Caller(n_jobs)
        options = engine.encoded(recipe["options"])
        if "smiles" in recipe:
            text = "smiles\n" + "".join(f"{_csv_field(s)}\n" for s in recipe["smiles"])
            data = text.encode("utf-8")
            more = engine.encoded({"format": "smiles", "smiles_column": "smiles", **recipe["options"]})
            return caller.run(
                lambda: engine.new_handle("set", "set_read_text", b"smiles.csv", data, len(data), more, caller.control)
            )
        path = engine.encoded(recipe["path"])
        if model is not None:
            return caller.run(
                lambda: engine.new_handle("set", "set_read_for_model", model, path, options, caller.control)
            )
        return caller.run(lambda: engine.new_handle("set", "set_read", path, options, caller.control))

    # --- What it is --------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        if self._index is not None:
            return len(self._index)
        return int(engine.lib.agentnet_set_size(self._handle.pointer))

    @property
    def shape(self) -> tuple[int]:
        """One dimension: scikit-learn then slices the set instead of taking it to pieces."""
        return (len(self),)

    @property
    def ndim(self) -> int:
        return 1

    @property
    def info(self) -> Dict[str, Any]:
        """What the engine knows of all graphs that were read: source, format, schema, notes, rows that are no graph."""
        if self._info is None:
            self._info = json.loads(engine.text_of("set_info", self._handle.pointer))
        return self._info

    @property
    def schema(self) -> GraphSchema:
        """The columns, by which other graphs can be read: ``GraphSet(X, schema=earlier.schema)``."""
        own = self.info["schema"]

        def columns(owner: str) -> ColumnSchema:
            categories = own[owner]["categories"]
            return ColumnSchema(
                list(own[owner]["dense"]), [c["name"] for c in categories], [list(c["values"]) for c in categories]
            )

        return GraphSchema(nodes=columns("nodes"), edges=columns("edges"))

    @property
    def y(self) -> Any:
        """The targets that came with the graphs, as fit() takes them; None without."""
        if self._y is not None:
            return self._y if self._index is None or len(self._y) == len(self._index) else self._y[self._index]
        schema = self.info["schema"]
        if schema["task"] == "none":
            return None
        view = self._view()
        rows = _borrow(view.targets, (int(view.graphs), int(view.target_columns)), np.float64).copy()
        if self._index is not None:
            rows = rows[self._index]
        if schema["task"] == "classification":
            return _class_names(rows[:, 0], schema["classes"])
        return rows[:, 0] if rows.shape[1] == 1 else rows

    @property
    def ids(self) -> Optional[List[str]]:
        """The names of the graphs, if they have any."""
        view = self._view()
        if not view.id_offsets:
            return None
        first = _borrow(view.id_offsets, (int(view.graphs) + 1,), np.uint64).tolist()
        text = ctypes.string_at(view.id_text, first[-1]) if view.id_text else b""
        numbers = np.arange(int(view.graphs)) if self._index is None else self._index.astype(np.int64)
        return [text[first[g] : first[g + 1]].decode("utf-8") for g in numbers.tolist()]

    def __repr__(self) -> str:
        columns = ", ".join(self.schema.nodes.names + self.schema.edges.names)
        return f"GraphSet({len(self)} graphs from {self.info['source']}; {columns})"

    # --- Parts -------------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Union[int, slice, Sequence[int], NDArray[Any]]) -> Any:
        """``set[3]`` is a Graph; slices, lists of numbers and masks give sets, which copy no graph."""
        numbers = np.arange(len(self), dtype=np.int64) if self._index is None else self._index
        if isinstance(key, (int, np.integer)):
            if not -len(self) <= int(key) < len(self):
                raise IndexError(f"graph {key} of {len(self)}")
            place = int(key) % len(self)
            return Graph(self, int(numbers[place]), place)
        if not isinstance(key, slice):
            key = np.asarray(key)
            if key.size and key.dtype.kind not in "biu":
                raise TypeError(f"graphs are chosen by whole numbers, slices and masks, not by values of type {key.dtype}")
            if key.dtype == np.bool_ and key.shape != (len(self),):
                raise IndexError(f"a mask of shape {key.shape} for {len(self)} graphs")
            if key.dtype != np.bool_:
                key = key.astype(np.int64).reshape(-1)
                if key.size and (key.min() < -len(self) or key.max() >= len(self)):
                    raise IndexError(f"graphs {key.min()} to {key.max()} of {len(self)}")
        part = GraphSet.__new__(GraphSet)
        part.__dict__.update(self.__dict__)
        part._index = np.ascontiguousarray(numbers[key], np.uint64)
        if self._y is not None:
            part._y = self._y[key]
        return part

    def __iter__(self) -> Iterator[Graph]:
        return (self[i] for i in range(len(self)))

    def split(self, spec: str = "stratified:0.8,0.1,0.1", seed: int = 0) -> List[Dict[str, NDArray[np.int64]]]:
        """The splits that a text names (docs/data.md), as numbers of graphs: ``[{"train", "valid", "test"}]``."""
        whole = self.labelled()
        text = engine.text_of("set_split", whole.pointer, engine.encoded(spec), seed)
        return [{part: np.array(rows, np.int64) for part, rows in one.items()} for one in json.loads(text)["splits"]]

    def save(self, path: Union[str, os.PathLike[str]], format: Optional[str] = None, force: bool = False) -> None:
        """Writes the graphs to a file of a format that the program knows (``graphs.agentset``, ``graphs.jsonl``)."""
        whole = self.labelled()  # held during the call
        engine.call("set_write", whole.pointer, engine.encoded(path), engine.encoded(format), int(force))

    # --- For the engine ----------------------------------------------------------------------------------------------

    def all_of(self) -> engine.Handle:
        """A set of the engine with these graphs and no others."""
        if self._index is None:
            return self._handle
        index = self._index
        return engine.new_handle("set", "set_subset", self._handle.pointer, engine.pointer_to(index), len(index))

    def labelled(self) -> engine.Handle:
        """The same with the targets that were given in Python, which the engine does not have yet."""
        if self._y is None:
            return self.all_of()
        from .estimators import labelled_set

        return labelled_set(self, self._y)

    def chosen(self) -> tuple[Any, Any, int]:
        """The engine's set, and which of its graphs: handle, pointer, count."""
        return self._handle.pointer, engine.pointer_to(self._index), len(self)

    # --- Back again --------------------------------------------------------------------------------------------------

    def _view(self) -> engine.SetView:
        view = engine.SetView()
        view.size = ctypes.sizeof(view)
        engine.call("set_arrays", self._handle.pointer, ctypes.byref(view))
        return view

    def arrays(self) -> GraphArrays:
        """These graphs as bulk arrays; both directions of undirected edges are listed."""
        if self._arrays is None:
            self._arrays = _to_arrays(self._view(), self.schema, self._handle)
        whole = self._arrays
        return whole if self._index is None else whole[self._index.astype(np.int64)]

    def to_networkx(self) -> List[Any]:
        """Every graph as one of networkx."""
        from .graphs import to_networkx

        arrays = self.arrays()
        return [to_networkx(arrays, g) for g in range(len(self))]

    # --- Copies for other processes ----------------------------------------------------------------------------------

    def __getstate__(self) -> Dict[str, Any]:
        state: Dict[str, Any] = {"y": self._y}
        if self._recipe is not None:
            return {**state, "recipe": self._recipe, "index": self._index}
        return {**state, "arrays": self.arrays(), "ids": self.ids}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self._info = self._arrays = None
        self._recipe = state.get("recipe")
        self._index = state.get("index")
        self._y = state["y"]
        if self._recipe is not None:
            self._handle = self._open(self._recipe, None)
        else:
            arrays = state["arrays"]
            arrays.ids = state["ids"]
            self._handle = _from_arrays(arrays.check(), {})


class Graph:
    """One graph of a set."""

    def __init__(self, set: GraphSet, number: int, place: int) -> None:
        self.set = set
        self.number = number  # in the engine's set
        self.place = place  # in `set`, which may be a part

    def arrays(self) -> GraphArrays:
        whole = GraphSet.__new__(GraphSet)
        whole.__dict__.update(self.set.__dict__)
        whole._index = np.array([self.number], np.uint64)
        return whole.arrays()

    @property
    def edge_index(self) -> NDArray[np.uint32]:
        """[2, E], both directions of undirected edges."""
        return self.arrays().edge_index

    @property
    def num_nodes(self) -> int:
        return self.arrays().num_nodes

    def to_networkx(self) -> Any:
        from .graphs import to_networkx

        return to_networkx(self.arrays(), 0)

    def __repr__(self) -> str:
        one = self.arrays()
        return f"Graph({one.num_nodes} nodes, {one.num_edges} entries of neighbour lists)"


_OF_TO_ARRAYS = ("node_features", "edge_features", "node_columns", "edge_columns", "directed")


def _csv_field(text: str) -> str:
    if text == "" or any(c in text for c in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


def class_values(classes: Sequence[str]) -> List[Any]:
    """Classes as Python has them: numbers, if all are spelled as whole numbers.

    >>> class_values(["0", "-1"]), class_values(["1", "01"]), class_values(["\u00b2"])
    ([0, -1], ['1', '01'], ['\u00b2'])
    """
    whole = all(re.fullmatch("-?[0-9]+", c) and str(int(c)) == c for c in classes)
    return [int(c) for c in classes] if whole else list(classes)


def _class_names(numbers: NDArray[np.float64], classes: List[str]) -> NDArray[Any]:
    """Classes as the set spells them; numbers if all spellings are whole numbers. A blank is None."""
    values = class_values(classes)
    if not np.isnan(numbers).any():
        return np.array(values)[numbers.astype(np.int64)]
    return np.array([None if np.isnan(n) else values[int(n)] for n in numbers], dtype=object)


def _borrow(address: Optional[int], shape: tuple[int, ...], dtype: Any, keep: Any = None) -> NDArray[Any]:
    """An array of the engine, not copied; `keep` is what it belongs to."""
    size = int(np.prod(shape, dtype=np.int64))
    if not address or size == 0:
        return np.zeros(shape, dtype)
    buffer = (ctypes.c_char * (size * np.dtype(dtype).itemsize)).from_address(address)
    buffer._owner = keep  # type: ignore[attr-defined]
    array: NDArray[Any] = np.frombuffer(memoryview(buffer), dtype).reshape(shape)
    array.flags.writeable = False
    return array


def _to_arrays(view: engine.SetView, schema: GraphSchema, keep: Any) -> GraphArrays:
    graphs, nodes, edges = int(view.graphs), int(view.nodes), int(view.edges)
    first_node = _borrow(view.first_node, (graphs + 1,), np.uint64).astype(np.int64)
    first_edge = _borrow(view.first_edge, (graphs + 1,), np.uint64).astype(np.int64)
    offsets = _borrow(view.offsets, (nodes + graphs,), np.uint64).astype(np.int64)
    inside = np.ones(nodes + graphs, bool)  # entries of `offsets` that begin a list
    inside[first_node[1:] + np.arange(graphs)] = False
    degrees = np.diff(np.append(offsets, 0))[inside]  # [N]
    of_node = np.arange(nodes) - np.repeat(first_node[:-1], np.diff(first_node))  # number within the graph
    source = np.repeat(of_node, degrees).astype(np.uint32)
    target = _borrow(view.neighbours, (edges,), np.uint32)
    if view.rows:  # entries that own several rows of features are listed once for each
        rows = _borrow(view.rows, (edges + graphs,), np.uint64).astype(np.int64)
        begins = np.ones(edges + graphs, bool)
        begins[first_edge[1:] + np.arange(graphs)] = False
        times = np.diff(np.append(rows, 0))[begins]
        source, target = np.repeat(source, times), np.repeat(target, times)
        first_edge = _borrow(view.first_row, (graphs + 1,), np.uint64).astype(np.int64)
    listed = int(view.edge_rows)

    def features(address: Any, rows: int, columns: int, dtype: Any) -> Any:
        return _borrow(address, (rows, columns), dtype, keep) if columns > 0 else None

    positions = _borrow(view.positions, (nodes, 3), np.float32, keep) if view.positions else None
    return GraphArrays(
        node_offsets=first_node,
        edge_offsets=first_edge,
        edge_index=np.ascontiguousarray(np.stack([source, target])),
        node_dense=features(view.node_dense, nodes, view.node_dense_columns, np.float32),
        node_categories=features(view.node_categories, nodes, view.node_category_columns, np.int32),
        edge_dense=features(view.edge_dense, listed, view.edge_dense_columns, np.float32),
        edge_categories=features(view.edge_categories, listed, view.edge_category_columns, np.int32),
        node_dense_names=schema.nodes.dense,
        node_category_names=schema.nodes.categories,
        node_vocabularies=schema.nodes.vocabularies,
        edge_dense_names=schema.edges.dense,
        edge_category_names=schema.edges.categories,
        edge_vocabularies=schema.edges.vocabularies,
        positions=positions,
    )


def _from_arrays(arrays: GraphArrays, computed: Dict[str, Any]) -> engine.Handle:
    """The engine's set over these arrays, which it borrows."""
    source, target = (np.ascontiguousarray(row, np.uint32) for row in arrays.edge_index)
    kept: List[Any] = [source, target]

    def pointer(array: Any, dtype: Any) -> Optional[int]:
        if array is None:
            return None
        fitting = np.ascontiguousarray(array, dtype)
        kept.append(fitting)
        return engine.pointer_to(fitting)

    def columns(array: Any) -> int:
        return 0 if array is None else int(array.shape[1])

    given = engine.Arrays()
    given.size = ctypes.sizeof(given)
    given.graphs = len(arrays.node_offsets) - 1
    given.node_offsets = pointer(arrays.node_offsets, np.int64)
    given.edge_offsets = pointer(arrays.edge_offsets, np.int64)
    given.source, given.target = engine.pointer_to(source), engine.pointer_to(target)
    given.undirected = int(arrays.undirected)
    for name in ("node_dense", "edge_dense"):
        setattr(given, name + "_columns", columns(getattr(arrays, name)))
        setattr(given, name, pointer(getattr(arrays, name), np.float32))
    for kind in ("node", "edge"):
        values = getattr(arrays, kind + "_categories")
        setattr(given, kind + "_category_columns", columns(values))
        setattr(given, kind + "_categories", pointer(values, np.int32))
    given.positions = pointer(arrays.positions, np.float32)
    if arrays.ids is not None:
        words = [str(one).encode("utf-8") for one in arrays.ids]
        given.id_offsets = pointer(np.cumsum([0] + [len(word) for word in words]), np.uint64)
        text = b"".join(words)
        kept.append(text)
        given.id_text = ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p)
    schema = {
        "nodes": _columns_json(arrays.node_dense_names, arrays.node_category_names, arrays.node_vocabularies),
        "edges": _columns_json(arrays.edge_dense_names, arrays.edge_category_names, arrays.edge_vocabularies),
    }
    owner = _lend(kept)
    try:
        return engine.new_handle(
            "set", "set_from_arrays", ctypes.byref(given), engine.encoded(schema), engine.encoded(computed), _release, owner
        )
    except BaseException:
        _KEPT.pop(owner, None)
        raise


def _columns_json(dense: List[str], categories: List[str], vocabularies: List[List[str]]) -> Dict[str, Any]:
    pairs = zip(categories, vocabularies)
    return {"dense": list(dense), "categories": [{"name": n, "values": [str(w) for w in words]} for n, words in pairs]}
