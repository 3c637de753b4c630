"""Tables of nodes and edges, as pandas (or what looks like it) holds them; columns are called as in csv sets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .columns import Place, some
from .errors import graph_error
from .raw import Block, RawGraphs

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRAPH_NAMES = ("graph", "graph_id")
NODE_NAMES = ("node", "node_id", "id")
SOURCE_NAMES = ("source", "from", "src", "u")
TARGET_NAMES = ("target", "to", "dst", "v")


def is_frame(value: Any) -> bool:
    """Whether this looks like a DataFrame."""
    return hasattr(value, "columns") and hasattr(value, "iloc") and hasattr(value, "dtypes")


def find_column(frame: Any, names: Sequence[str]) -> Optional[str]:
    """The first of these columns that the table has."""
    return next((name for name in names if name in frame.columns), None)


def needed(frame: Any, names: Sequence[str], table: str) -> str:
    """The same, or an error."""
    found = find_column(frame, names)
    if found is None:
        raise graph_error(
            f"the table of {table} has no column {names[0]!r}",
            hint=f"name it one of {', '.join(names)}; it has {some([str(c) for c in frame.columns])}",
        )
    return found


def feature_blocks(frame: Any, others: Sequence[Optional[str]], order: NDArray[np.int64]) -> List[Block]:
    """A block per column but the others, rows in the given order."""
    blocks = []
    for name in frame.columns:
        if name in others:
            continue
        values = frame[name]
        if str(values.dtype) == "category":
            values = values.astype(object)
        array = np.asarray(values.to_numpy())[order]
        blocks.append(Block([str(name)], array.reshape(-1, 1)))
    return blocks


def graph_numbers(values: Any, known: Dict[Any, int], table: str, may_be_new: bool) -> NDArray[np.int64]:
    """[rows] the number of each row's graph, by the value in its graph column."""
    numbers = np.zeros(len(values), np.int64)
    for row, value in enumerate(values):
        number = known.get(value)
        if number is None:
            if value is None or value != value or not may_be_new:
                raise graph_error(f"row {row} of the table of {table}: there is no graph {value!r}")
            number = known[value] = len(known)
        numbers[row] = number
    return numbers


def read_frames(nodes: Any, edges: Any, graphs: Optional[Any] = None) -> RawGraphs:
    """A whole set: nodes (graph, node, features ...), edges (graph, source, target, features ...) and, where there
    are targets, graphs (graph, targets ...). Without a column ``graph`` the tables are those of one graph."""
    single = find_column(nodes, GRAPH_NAMES) is None and find_column(edges, GRAPH_NAMES) is None and graphs is None
    known: Dict[Any, int] = {}
    listed = False
    if graphs is not None:
        listed = True
        id_name = needed(graphs, GRAPH_NAMES + ("id",), "graphs")
        for row, value in enumerate(graphs[id_name]):
            if value in known:
                raise graph_error(f"row {row} of the table of graphs: the graph {value!r} is there twice")
            known[value] = len(known)
    node_graph_name = None if single else needed(nodes, GRAPH_NAMES, "nodes")
    edge_graph_name = None if single else needed(edges, GRAPH_NAMES, "edges")
    if single:
        known[0] = 0
        of_node, of_edge = np.zeros(len(nodes), np.int64), np.zeros(len(edges), np.int64)
    else:
        of_node = graph_numbers(nodes[node_graph_name], known, "nodes", not listed)
        of_edge = graph_numbers(edges[edge_graph_name], known, "edges", False)
    node_order = np.argsort(of_node, kind="stable")
    edge_order = np.argsort(of_edge, kind="stable")
    node_counts = np.bincount(of_node, minlength=len(known)).astype(np.int64)
    edge_counts = np.bincount(of_edge, minlength=len(known)).astype(np.int64)
    node_name = find_column(nodes, NODE_NAMES)
    labels = nodes[node_name] if node_name is not None else (nodes.index if single else None)
    names, edge_index = edge_ends(edges, labels, of_node, of_edge, node_order, edge_order, node_counts)
    source, target = needed(edges, SOURCE_NAMES, "edges"), needed(edges, TARGET_NAMES, "edges")
    raw = RawGraphs(
        node_counts=node_counts,
        edge_counts=edge_counts,
        edge_index=edge_index,
        undirected=True,
        node_blocks=feature_blocks(nodes, (node_graph_name, node_name), node_order),
        edge_blocks=feature_blocks(edges, (edge_graph_name, source, target), edge_order),
        ids=None if single else [str(value) for value in known],
        node_names=names,
    )
    if graphs is not None:
        read_graph_table(raw, graphs, id_name)
    return raw


def edge_ends(
    edges: Any,
    labels: Optional[Any],
    of_node: NDArray[np.int64],
    of_edge: NDArray[np.int64],
    node_order: NDArray[np.int64],
    edge_order: NDArray[np.int64],
    node_counts: NDArray[np.int64],
) -> Tuple[Optional[List[List[Any]]], NDArray[np.int64]]:
    """What the nodes are called, per graph, and edge_index [2, E]; nodes without names are 0, 1, 2, ..."""
    source = list(edges[needed(edges, SOURCE_NAMES, "edges")])
    target = list(edges[needed(edges, TARGET_NAMES, "edges")])
    if labels is None:
        ends = np.asarray([source, target])
        if ends.size and ends.dtype.kind not in "iu":
            raise graph_error("the table of edges does not name nodes by numbers", hint="give nodes a column 'node'")
        return None, ends.reshape(2, -1)[:, edge_order]
    all_labels = list(labels)
    names: List[List[Any]] = [[] for _ in node_counts]
    number: List[Dict[Any, int]] = [{} for _ in node_counts]
    for row in node_order:
        g, label = int(of_node[row]), all_labels[row]
        if label in number[g]:
            raise graph_error(f"the node {label!r} is there twice", g, hint="give every node of a graph its own name")
        number[g][label] = len(names[g])
        names[g].append(label)
    ends = np.zeros((2, len(source)), np.int64)
    starts = np.concatenate([[0], np.cumsum(np.bincount(of_edge, minlength=len(node_counts)))])
    for place, row in enumerate(edge_order):
        g = int(of_edge[row])
        for end, label in enumerate((source[row], target[row])):
            known = number[g].get(label)
            if known is None:
                where = Place("edge", starts)
                raise where.error(f"the graph has no node {label!r}", place, "list the node, or leave the edge out")
            ends[end, place] = known
    return names, ends


def read_graph_table(raw: RawGraphs, graphs: Any, id_name: str) -> None:
    """Targets and directions; rows are in the order of the graphs."""
    directed = find_column(graphs, ("directed",))
    if directed is not None:
        flags = np.asarray(graphs[directed].to_numpy()).astype(bool)
        raw.undirected = ~flags
    columns = [name for name in graphs.columns if name not in (id_name, directed)]
    if columns:
        raw.targets = [row if len(columns) > 1 else row[0] for row in graphs[columns].to_numpy().tolist()]


def read_frame_pairs(graphs: Sequence[Any]) -> RawGraphs:
    """A list of (nodes, edges) tables, one pair per graph; edges name nodes by the column ``node`` or by the index."""
    pandas = sys.modules["pandas"]  # the user has it: these are its tables
    tables: Dict[str, List[Any]] = {"node": [], "edge": []}
    for g, pair in enumerate(graphs):
        for owner, table, first in zip(("node", "edge"), pair, graphs[0]):
            if len(table) and set(table.columns) != set(first.columns):
                raise graph_error(
                    f"the {owner} columns are {some([str(c) for c in table.columns])}, those of graph 0 are "
                    f"{some([str(c) for c in first.columns])}",
                    g,
                )
            named = owner == "edge" or find_column(table, NODE_NAMES) is not None
            tables[owner].append((table if named else table.assign(node=table.index)).assign(graph=g))
    node_table, edge_table = (pandas.concat(tables[owner], ignore_index=True) for owner in ("node", "edge"))
    everything = pandas.DataFrame({"graph": range(len(graphs))})
    raw = read_frames(node_table, edge_table, everything)
    raw.ids = None
    return raw
