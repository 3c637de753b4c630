"""Graphs in bulk: a few long arrays with offsets."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from .errors import graph_error
from .raw import offsets_of
from .schema import ColumnSchema, GraphSchema

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(eq=False)
class GraphArrays:
    """A set of B graphs as long arrays: N nodes and E edges over all of them.

    The nodes of graph ``g`` are the rows ``node_offsets[g]:node_offsets[g + 1]`` of the node arrays, its edges the
    columns ``edge_offsets[g]:edge_offsets[g + 1]`` of ``edge_index`` and the same rows of the edge arrays. Node numbers
    count from 0 within their graph. Arrays of the right type and layout are borrowed, never copied: what is given here
    must not change while the graphs are in use.

    Indexing gives graphs, always as GraphArrays: ``arrays[3]`` (a set of one), ``arrays[10:20]``, ``arrays[mask]``.

    >>> import numpy as np
    >>> path_and_edge = GraphArrays(
    ...     node_offsets=np.array([0, 3, 5]),
    ...     edge_offsets=np.array([0, 2, 3]),
    ...     edge_index=np.array([[0, 1, 0], [1, 2, 1]]),
    ...     undirected=True,
    ... ).check()
    >>> len(path_and_edge)
    2
    >>> path_and_edge[1].edge_index.tolist()
    [[0], [1]]
    """

    node_offsets: NDArray[np.int64]  # [B + 1]
    edge_offsets: NDArray[np.int64]  # [B + 1]
    edge_index: NDArray[np.uint32]  # [2, E] directed entries as listed
    undirected: bool = False  # the reverse of every entry is meant, too
    node_dense: Optional[NDArray[np.float32]] = None  # [N, F]
    node_categories: Optional[NDArray[np.int32]] = None  # [N, C]
    edge_dense: Optional[NDArray[np.float32]] = None  # [E, Fe]
    edge_categories: Optional[NDArray[np.int32]] = None  # [E, Ce]
    node_dense_names: List[str] = field(default_factory=list)
    node_category_names: List[str] = field(default_factory=list)
    node_vocabularies: List[List[str]] = field(default_factory=list)  # words of each categorical column
    edge_dense_names: List[str] = field(default_factory=list)
    edge_category_names: List[str] = field(default_factory=list)
    edge_vocabularies: List[List[str]] = field(default_factory=list)
    ids: Optional[List[str]] = None
    #: Molecules that the program's own reader reads; every array is empty then.
    smiles: Optional[List[str]] = None
    #: Data that the program reads itself (a file, a folder, ``synthetic:NAME``); every array is empty then.
    path: Optional[str] = None
    positions: Optional[NDArray[np.float32]] = None  # [N, 3]
    #: What the graphs themselves say of their targets: [B] or [B, T].
    targets: Optional[NDArray[Any]] = None
    #: Values that the schema of an earlier set does not list, "column=value" -> times.
    unseen: Dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.smiles) if self.smiles is not None else len(self.node_offsets) - 1

    @property
    def shape(self) -> Tuple[int]:
        """One dimension: scikit-learn then picks graphs with one index, instead of one by one."""
        return (len(self),)

    @property
    def ndim(self) -> int:
        """1."""
        return 1

    @property
    def num_nodes(self) -> int:
        """N, of all graphs together."""
        return int(self.node_offsets[-1])

    @property
    def num_edges(self) -> int:
        """E, the entries listed for all graphs together."""
        return int(self.edge_offsets[-1])

    @property
    def schema(self) -> GraphSchema:
        """The columns and their vocabularies, which later sets are read with."""
        return GraphSchema(
            nodes=ColumnSchema(self.node_dense_names, self.node_category_names, self.node_vocabularies),
            edges=ColumnSchema(self.edge_dense_names, self.edge_category_names, self.edge_vocabularies),
        )

    def __iter__(self) -> Iterator[GraphArrays]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Union[int, slice, Sequence[int], NDArray[Any]]) -> GraphArrays:
        """The graphs of these numbers, in this order. A slice without a step copies no array."""
        count = len(self)
        if isinstance(key, (int, np.integer)):
            number = int(key)
            if not -count <= number < count:
                raise IndexError(f"graph {number} of {count}")
            number %= count
            return self._range(number, number + 1)
        if isinstance(key, slice):
            start, stop, step = key.indices(count)
            if step == 1:
                return self._range(start, max(start, stop))
            return self._take(np.arange(start, stop, step))
        numbers = np.asarray(key)
        if numbers.dtype == np.bool_:
            if numbers.shape != (count,):
                raise IndexError(f"a mask of shape {numbers.shape} for {count} graphs")
            return self._take(np.flatnonzero(numbers))
        if numbers.size and (numbers.min() < -count or numbers.max() >= count):
            raise IndexError(f"graphs {numbers.min()} to {numbers.max()} of {count}")
        return self._take(numbers.astype(np.int64).reshape(-1) % max(count, 1))

    def _range(self, first: int, last: int) -> GraphArrays:
        """Graphs first .. last - 1; the arrays of the result are views."""
        part = _pick_lists(self, slice(first, last))
        if self.smiles is not None:
            return replace(part, smiles=self.smiles[first:last])
        n0, n1 = int(self.node_offsets[first]), int(self.node_offsets[last])
        e0, e1 = int(self.edge_offsets[first]), int(self.edge_offsets[last])
        nodes, edges = slice(n0, n1), slice(e0, e1)
        return replace(
            part,
            node_offsets=self.node_offsets[first : last + 1] - n0,
            edge_offsets=self.edge_offsets[first : last + 1] - e0,
            edge_index=self.edge_index[:, edges],
            node_dense=_rows(self.node_dense, nodes),
            node_categories=_rows(self.node_categories, nodes),
            edge_dense=_rows(self.edge_dense, edges),
            edge_categories=_rows(self.edge_categories, edges),
            positions=_rows(self.positions, nodes),
        )

    def _take(self, graphs: NDArray[np.int64]) -> GraphArrays:
        part = _pick_lists(self, graphs)
        if self.smiles is not None:
            return replace(part, smiles=[self.smiles[i] for i in graphs])
        node_offsets, nodes = _gather(self.node_offsets, graphs)
        edge_offsets, edges = _gather(self.edge_offsets, graphs)
        return replace(
            part,
            node_offsets=node_offsets,
            edge_offsets=edge_offsets,
            edge_index=self.edge_index[:, edges],
            node_dense=_rows(self.node_dense, nodes),
            node_categories=_rows(self.node_categories, nodes),
            edge_dense=_rows(self.edge_dense, edges),
            edge_categories=_rows(self.edge_categories, edges),
            positions=_rows(self.positions, nodes),
        )

    def check(self) -> GraphArrays:
        """The same graphs with every array of its type and layout; ValueError if they do not belong together."""
        from .check import checked

        return checked(self)

    def to_networkx(self, graph: int = 0) -> Any:
        """One of the graphs as a networkx graph; needs networkx."""
        from .to_networkx import to_networkx

        return to_networkx(self, graph)

    def __repr__(self) -> str:
        if self.path is not None:
            return f"GraphArrays(path={self.path!r})"
        if self.smiles is not None:
            return f"GraphArrays({len(self)} SMILES strings)"
        columns = ", ".join(
            self.node_dense_names + self.node_category_names + self.edge_dense_names + self.edge_category_names
        )
        sizes = ((len(self), "graph"), (self.num_nodes, "node"), (self.num_edges, "edge"))
        text = "GraphArrays(" + ", ".join(f"{n} {what}" + ("" if n == 1 else "s") for n, what in sizes)
        return text + (f"; {columns})" if columns else ")")


def empty_arrays(**others: Any) -> GraphArrays:
    """A GraphArrays without arrays, for what the program reads itself."""
    zero = np.zeros(1, np.int64)
    return GraphArrays(node_offsets=zero, edge_offsets=zero, edge_index=np.zeros((2, 0), np.uint32), **others)


def _pick_lists(arrays: GraphArrays, key: Any) -> GraphArrays:
    if arrays.path is not None:
        raise TypeError(f"the graphs of {arrays.path!r} are read by the program; open them as a GraphSet to index them")
    ids = arrays.ids
    if ids is not None:
        ids = ids[key] if isinstance(key, slice) else [ids[i] for i in key]
    return replace(arrays, ids=ids, targets=None if arrays.targets is None else arrays.targets[key])


def _rows(array: Optional[NDArray[Any]], rows: Any) -> Optional[NDArray[Any]]:
    return None if array is None else array[rows]


def _gather(offsets: NDArray[np.int64], graphs: NDArray[np.int64]) -> Tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Offsets of the chosen graphs, and the rows that belong to them, one graph after the other."""
    counts = offsets[graphs + 1] - offsets[graphs]  # [chosen]
    starts = offsets_of(counts)
    rows = np.arange(starts[-1]) + np.repeat(offsets[graphs] - starts[:-1], counts)
    return starts, rows


def joined(sets: Sequence[GraphArrays]) -> GraphArrays:
    """Sets with the same columns and vocabularies as one set, one behind the other."""
    first = sets[0]
    if len(sets) == 1:
        return first
    for i, other in enumerate(sets):
        if other.schema != first.schema or other.undirected != first.undirected:
            raise graph_error("its columns or directions differ from those of the first", graph=i)
        if (other.smiles is None) != (first.smiles is None) or other.path is not None:
            raise graph_error("SMILES strings, paths and arrays do not go together", graph=i)
    if first.smiles is not None:
        return replace(first, smiles=[s for part in sets for s in part.smiles or []], ids=_joined_ids(sets))

    def stacked(name: str) -> Any:
        parts = [getattr(part, name) for part in sets]
        return None if any(p is None for p in parts) else np.concatenate(parts)

    def offsets(name: str) -> NDArray[np.int64]:
        return offsets_of(np.concatenate([np.diff(getattr(part, name)) for part in sets]))

    return replace(
        first,
        node_offsets=offsets("node_offsets"),
        edge_offsets=offsets("edge_offsets"),
        edge_index=np.concatenate([part.edge_index for part in sets], axis=1),
        ids=_joined_ids(sets),
        **{
            name: stacked(name)
            for name in ("node_dense", "node_categories", "edge_dense", "edge_categories", "positions", "targets")
        },
    )


def _joined_ids(sets: Sequence[GraphArrays]) -> Optional[List[str]]:
    if all(part.ids is None for part in sets):
        return None
    return [name for part in sets for name in (part.ids if part.ids is not None else [""] * len(part))]
