"""Graphs that hold an edge_index: tuples, dictionaries of OGB and of JSON lines, PyTorch Geometric's Data, DGL."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence

import numpy as np

from .check import MOST_NODES
from .errors import graph_error
from .raw import Block, RawGraphs, counts_of
from .stack import as_array, concatenated, stack_edges, stack_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What the keys of a dictionary may be called; the first are ours, and name the columns.
NODE_KEYS = ("node_feat", "x", "node_features", "node_attr")
EDGE_KEYS = ("edge_attr", "edge_feat", "edge_features")
COUNT_KEYS = ("num_nodes", "n_nodes")
POSITION_KEYS = ("pos", "positions")
TARGET_KEYS = ("y", "label", "labels", "target", "targets", "class")


def assembled(
    edges: Sequence[Any],
    nodes: Sequence[Any],
    edge_rows: Sequence[Any],
    sizes: Optional[Sequence[Optional[int]]] = None,
    positions: Optional[Sequence[Any]] = None,
) -> RawGraphs:
    """One graph per entry: edge_index [2, e], rows of nodes, rows of edges, and its number of nodes where known.

    Without a number of nodes it is that of the rows, or else as many as the edges name.
    """
    edge_index, edge_counts = stack_edges(edges)
    blocks = []
    declared = None
    if sizes is not None and any(size is not None for size in sizes):
        declared = node_counts(sizes, nodes, edge_index, edge_counts)
    node_block = stack_rows(nodes, "node_feat", "node", declared)
    if declared is not None:
        counts = declared
    elif node_block is not None:
        counts = counts_of([len(as_array(part, "node_feat", g)) for g, part in enumerate(nodes)])
    else:
        counts = node_counts([None] * len(nodes), nodes, edge_index, edge_counts)
    if node_block is not None:
        blocks.append(node_block)
    edge_block = stack_rows(edge_rows, "edge_attr", "edge", edge_counts)
    return RawGraphs(
        node_counts=counts,
        edge_counts=edge_counts,
        edge_index=edge_index,
        node_blocks=blocks,
        edge_blocks=[edge_block] if edge_block is not None else [],
        positions=stacked_positions(positions, counts),
    )


def node_counts(
    sizes: Sequence[Optional[int]], nodes: Sequence[Any], edge_index: NDArray[Any], edge_counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """[B]: what is said, else the rows that there are, else one more than the largest number that an edge names."""
    counts = np.zeros(len(sizes), np.int64)
    ends = np.cumsum(edge_counts)
    for g, size in enumerate(sizes):
        if size is not None:
            counts[g] = int(size)
        elif nodes[g] is not None:
            counts[g] = len(as_array(nodes[g], "node_feat", g))
        elif edge_counts[g]:
            counts[g] = int(edge_index[:, ends[g] - edge_counts[g] : ends[g]].max()) + 1
    return counts


def stacked_positions(positions: Optional[Sequence[Any]], counts: NDArray[np.int64]) -> Optional[NDArray[Any]]:
    """[N, 3], where every graph has three coordinates per node."""
    if positions is None or any(p is None for p in positions):
        return None
    arrays = [as_array(p, "pos", g) for g, p in enumerate(positions)]
    if any(a.ndim != 2 or a.shape[1] != 3 or a.shape[0] != counts[g] for g, a in enumerate(arrays)):
        return None  # coordinates in a plane, say: nothing that distances could be taken of
    return np.ascontiguousarray(concatenated(arrays), dtype=np.float32)


def read_tuples(graphs: Sequence[Any]) -> RawGraphs:
    """``(edge_index, x)``, ``(edge_index, x, edge_attr)``; x may be None or the number of nodes."""
    lengths = set(map(len, graphs))
    if lengths - {1, 2, 3}:
        g = next(i for i, graph in enumerate(graphs) if len(graph) not in (1, 2, 3))
        raise graph_error(f"a tuple of {len(graphs[g])}", g, hint="give (edge_index, x, edge_attr)")
    edges = [graph[0] for graph in graphs]
    nodes = [graph[1] if len(graph) > 1 else None for graph in graphs]
    sizes: Optional[List[Optional[int]]] = None
    if any(isinstance(part, (int, np.integer)) for part in nodes):
        sizes = [plain_size(part, g) if isinstance(part, (int, np.integer)) else None for g, part in enumerate(nodes)]
        nodes = [None if isinstance(part, (int, np.integer)) else part for part in nodes]
    rows = [graph[2] if len(graph) > 2 else None for graph in graphs]
    return assembled(edges, nodes, rows, sizes)


def first_of(graph: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """The value of the first key that the graph has."""
    for key in keys:
        value = graph.get(key)
        if value is not None:
            return value
    return None


def read_dicts(graphs: Sequence[Mapping[str, Any]]) -> RawGraphs:
    """OGB's library-agnostic graphs, rows of the Hugging Face graph sets, JSON lines."""
    raw = assembled(
        [graph.get("edge_index") for graph in graphs],
        [first_of(graph, NODE_KEYS) for graph in graphs],
        [first_of(graph, EDGE_KEYS) for graph in graphs],
        [plain_size(first_of(graph, COUNT_KEYS), g) for g, graph in enumerate(graphs)],
        [first_of(graph, POSITION_KEYS) for graph in graphs],
    )
    raw.targets = [first_of(graph, TARGET_KEYS) for graph in graphs]
    raw.ids = [str(graph.get("id", "")) for graph in graphs]
    return raw


def plain_size(size: Any, graph: int) -> Optional[int]:
    """A number of nodes, which may be a tensor of one; None for none."""
    if size is None:
        return None
    try:
        number = int(size.item()) if hasattr(size, "item") else int(size)
    except (TypeError, ValueError, OverflowError):
        raise graph_error(f"num_nodes is {size!r}, not a whole number", graph) from None
    if not 0 <= number <= MOST_NODES:
        raise graph_error(f"num_nodes is {number}", graph, hint="a graph has at most 2^32 - 1 nodes")
    return number


def read_pyg(graphs: Sequence[Any]) -> RawGraphs:
    """PyTorch Geometric's Data: edge_index, x, edge_attr (or edge_weight), num_nodes, pos, y."""
    for g, graph in enumerate(graphs):
        if getattr(graph, "edge_index", None) is None:
            if getattr(graph, "adj_t", None) is not None:
                raise graph_error("the graph has adj_t, but no edge_index", g, hint="leave out ToSparseTensor")
            if getattr(graph, "node_types", None) is not None:
                raise graph_error("the graph has nodes of several types", g, hint="use data.to_homogeneous()")
    nodes = [getattr(graph, "x", None) for graph in graphs]
    # Data.num_nodes guesses, with a warning, where there is neither x nor pos nor a number that was set.
    sizes = None
    if any(x is None for x in nodes):
        sizes = [plain_size(stored_size(graph), g) if nodes[g] is None else None for g, graph in enumerate(graphs)]
    rows = [getattr(graph, "edge_attr", None) for graph in graphs]
    if all(row is None for row in rows):
        rows = [getattr(graph, "edge_weight", None) for graph in graphs]
    raw = assembled(
        [getattr(graph, "edge_index", None) for graph in graphs],
        nodes,
        rows,
        sizes,
        [getattr(graph, "pos", None) for graph in graphs],
    )
    raw.targets = [getattr(graph, "y", None) for graph in graphs]
    return raw


def stored_size(graph: Any) -> Any:
    """num_nodes of a Data that has no x: as it was set, or of its positions, or guessed from the edges, as we do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is a guess
        try:
            return getattr(graph, "num_nodes", None)
        except Exception:  # edges that are none: they are looked at later, with a message of ours
            return None


def read_dgl(graphs: Sequence[Any]) -> RawGraphs:
    """DGL's graphs of one type: every entry of ndata and edata is a feature, but for those that DGL adds itself."""
    edges: List[NDArray[Any]] = []
    for g, graph in enumerate(graphs):
        if not getattr(graph, "is_homogeneous", True):
            raise graph_error("the graph has several types of nodes or edges", g, hint="use dgl.to_homogeneous()")
        if getattr(graph, "batch_size", 1) != 1:
            raise graph_error("several graphs in one batch", g, hint="use dgl.unbatch()")
        source, target = (as_array(ends, "edges", g) for ends in graph.edges())
        if source.ndim != 1 or source.shape != target.shape or {source.dtype.kind, target.dtype.kind} - set("iu"):
            raise graph_error("edges() are not two lists of numbers of nodes", g)
        edges.append(np.stack([source, target]))
    edge_index, edge_counts = stack_edges(edges)
    counts = counts_of([int(graph.num_nodes()) for graph in graphs])
    return RawGraphs(
        node_counts=counts,
        edge_counts=edge_counts,
        edge_index=edge_index,
        node_blocks=frame_blocks([graph.ndata for graph in graphs], "node", counts),
        edge_blocks=frame_blocks([graph.edata for graph in graphs], "edge", edge_counts),
    )


def frame_blocks(frames: Sequence[Mapping[str, Any]], owner: str, counts: NDArray[np.int64]) -> List[Block]:
    """A block per entry, [rows] or [rows, columns]; columns are numbered where there are several."""
    names: Dict[str, None] = {}
    for frame, count in zip(frames, counts):
        for name in frame:
            if not str(name).startswith("_") and count:
                names[str(name)] = None
    blocks = []
    for name in names:
        values = [frame[name] if name in frame else None for frame in frames]
        block = stack_rows(values, name, owner, counts)
        if block is not None:
            single = all(v is None or getattr(v, "ndim", 1) == 1 for v in values)
            blocks.append(Block([name], block.values) if single else block)
    return blocks


def read_sparse(graphs: Sequence[Any]) -> RawGraphs:
    """Adjacency matrices of scipy: alone, ``(A, x)`` or ``(A, x, edge_attr)``, edges in the order of A.tocoo().

    Numbers in A that are not all 1 are a feature of edges, ``weight``. What A stores is an edge; zeros that are stored
    are none.
    """
    edges, nodes, rows, weights, sizes = [], [], [], [], []
    for g, graph in enumerate(graphs):
        parts = graph if isinstance(graph, (tuple, list)) else (graph,)
        matrix = parts[0].tocoo()
        if matrix.shape[0] != matrix.shape[1]:
            raise graph_error(f"the adjacency matrix has the shape {matrix.shape}", g, hint="it should be square")
        own_rows = parts[2] if len(parts) > 2 else None
        stored = np.asarray(matrix.data)
        kept = slice(None) if own_rows is not None else stored != 0
        edges.append(np.stack([matrix.row[kept], matrix.col[kept]]))
        weights.append(stored[kept])
        nodes.append(parts[1] if len(parts) > 1 else None)
        rows.append(own_rows)
        sizes.append(int(matrix.shape[0]))
    raw = assembled(edges, nodes, rows, sizes)
    if all(row is None for row in rows):
        weight = concatenated(weights)
        if weight.dtype.kind != "b" and not (weight == 1).all():
            raw.edge_blocks.append(Block(["weight"], weight.reshape(-1, 1)))
    return raw
