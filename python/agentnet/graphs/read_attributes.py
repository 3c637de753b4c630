"""Graphs whose nodes and edges carry attributes by name: networkx and igraph."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .errors import GraphError, graph_error
from .raw import Block, RawGraphs, counts_of

GRAPH_TARGETS = ("y", "label", "class", "target")


def spread(values: Mapping[Any, Any]) -> Dict[str, Any]:
    """Attributes as columns: a list of k values is k columns, numbered."""
    columns: Dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, (list, tuple)) or (hasattr(value, "shape") and value.shape):
            parts = value.tolist() if hasattr(value, "tolist") else value
            for i, part in enumerate(parts):
                columns[f"{key}{i}"] = part
        else:
            columns[str(key)] = value
    return columns


def plain_columns(rows: Sequence[Mapping[Any, Any]]) -> Optional[Dict[str, List[Any]]]:
    """The columns of rows that all have the same keys, in the same order, and single values; None for other rows."""
    keys = set(map(tuple, rows))
    if len(keys) != 1:
        return None
    columns = {str(key): [row[key] for row in rows] for key in keys.pop()}
    for values in columns.values():
        for kind in set(map(type, values)):
            if issubclass(kind, (list, tuple)) or (hasattr(kind, "shape") and not issubclass(kind, np.generic)):
                return None
    return columns


class AttributeTable:
    """The attributes of all nodes, or of all edges, as columns in the order in which they are met."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.columns: Dict[str, List[Any]] = {}
        self.rows = 0
        self.first_graph = 0  # the first with rows, which decides what columns there are

    def add(self, rows: Sequence[Mapping[Any, Any]], graph: int, names: Sequence[Any]) -> None:
        """The rows of a graph."""
        if not rows:
            return
        columns = plain_columns(rows)
        if columns is None:
            rows = [spread(row) for row in rows]
        if self.rows == 0:
            self.first_graph = graph
            self.columns = {key: [] for key in (columns if columns is not None else rows[0])}
        if columns is None or columns.keys() != self.columns.keys():
            for number, row in enumerate(rows):
                if len(row) != len(self.columns) or any(str(key) not in self.columns for key in row):
                    raise self.difference(row, graph, number, names[number])
            columns = {str(key): [row[key] for row in rows] for key in rows[0]}
        for key, values in columns.items():
            self.columns[key].extend(values)
        self.rows += len(rows)

    def difference(self, row: Mapping[Any, Any], graph: int, number: int, name: Any) -> GraphError:
        """What is wrong with a row whose attributes are not those of the others."""
        own = {str(key) for key in row}
        lacks = [key for key in self.columns if key not in own]
        if lacks:
            return graph_error(
                f"the {self.owner} has no {lacks[0]!r}, unlike others",
                graph,
                number,
                self.owner,
                name,
                f"give every {self.owner} a value, or choose columns with {self.owner}_columns",
            )
        more = sorted(own - self.columns.keys())
        return graph_error(
            f"the {self.owner} has {more[0]!r}, which those of graph {self.first_graph} do not have",
            graph,
            number,
            self.owner,
            name,
            f"give every {self.owner} a value, or choose columns with {self.owner}_columns",
        )

    def blocks(self) -> List[Block]:
        """A block per column."""
        return [Block([name], column_of(values)) for name, values in self.columns.items()]


def column_of(values: List[Any]) -> Any:
    """[rows, 1] of one type where all values have it, else of Python objects."""
    types = set(map(type, values))
    if types <= {int} or types <= {float} or types <= {bool}:
        try:
            return np.array(values).reshape(-1, 1)
        except OverflowError:
            pass
    column = np.empty((len(values), 1), object)
    column[:, 0] = values
    return column


def chosen(values: Mapping[Any, Any], names: Optional[Sequence[str]]) -> Mapping[Any, Any]:
    """Only the attributes that are asked for: what others hold does not matter."""
    if names is None:
        return values
    return {key: value for key, value in values.items() if wants(names, str(key))}


def wants(names: Sequence[str], column: str) -> bool:
    """A name also stands for the numbered columns of that name: ``label`` for label0, label1, ... and the reverse."""
    if list(names) == ["none"]:
        return False
    return any(column.startswith(n) and (column[len(n) :] == "" or column[len(n) :].isdigit()) for n in names) or any(
        n.startswith(column) and n[len(column) :].isdigit() for n in names
    )


def read_networkx(
    graphs: Sequence[Any], node_columns: Optional[Sequence[str]], edge_columns: Optional[Sequence[str]]
) -> RawGraphs:
    """networkx: nodes in the graph's order, attributes as columns; DiGraph is directed, Graph is not."""
    nodes, edges = AttributeTable("node"), AttributeTable("edge")
    ends: List[Tuple[int, int]] = []
    node_counts, edge_counts, names = [], [], []
    for g, graph in enumerate(graphs):
        own_names = list(graph.nodes)
        names.append(own_names)
        number = {name: i for i, name in enumerate(own_names)}
        nodes.add([chosen(values, node_columns) for _, values in graph.nodes(data=True)], g, own_names)
        own_edges = list(graph.edges(data=True))
        pairs = [(u, v) for u, v, _ in own_edges]
        edges.add([chosen(values, edge_columns) for _, _, values in own_edges], g, pairs)
        ends.extend((number[u], number[v]) for u, v in pairs)
        node_counts.append(len(own_names))
        edge_counts.append(len(pairs))
    return RawGraphs(
        node_counts=counts_of(node_counts),
        edge_counts=counts_of(edge_counts),
        edge_index=np.array(ends, np.int64).reshape(-1, 2).T,
        undirected=np.array([not graph.is_directed() for graph in graphs], bool),
        node_blocks=nodes.blocks(),
        edge_blocks=edges.blocks(),
        ids=[str(graph.graph.get("id", graph.graph.get("name", ""))) for graph in graphs],
        targets=[first_target(graph.graph) for graph in graphs],
        node_names=names,
    )


def first_target(attributes: Mapping[str, Any]) -> Any:
    """What a graph says of its target."""
    return next((attributes[name] for name in GRAPH_TARGETS if name in attributes), None)


def read_igraph(
    graphs: Sequence[Any], node_columns: Optional[Sequence[str]], edge_columns: Optional[Sequence[str]]
) -> RawGraphs:
    """igraph: attributes of vertices and edges as columns. ``name`` is left out where no two nodes share one."""
    nodes, edges = AttributeTable("node"), AttributeTable("edge")
    ends: List[Any] = []
    names = []
    as_names = names_only(graphs) and (node_columns is None or "name" not in node_columns)
    for g, graph in enumerate(graphs):
        own_names = graph.vs["name"] if "name" in graph.vs.attributes() else list(range(graph.vcount()))
        names.append(own_names)
        rows = [vertex.attributes() for vertex in graph.vs]
        if as_names:
            rows = [{k: v for k, v in row.items() if k != "name"} for row in rows]
        pairs = graph.get_edgelist()
        nodes.add([chosen(row, node_columns) for row in rows], g, own_names)
        edges.add([chosen(edge.attributes(), edge_columns) for edge in graph.es], g, pairs)
        ends.extend(pairs)
    return RawGraphs(
        node_counts=counts_of([graph.vcount() for graph in graphs]),
        edge_counts=counts_of([graph.ecount() for graph in graphs]),
        edge_index=np.array(ends, np.int64).reshape(-1, 2).T,
        undirected=np.array([not graph.is_directed() for graph in graphs], bool),
        node_blocks=nodes.blocks(),
        edge_blocks=edges.blocks(),
        ids=[str(attributes.get("id", attributes.get("name", ""))) for attributes in map(graph_attributes, graphs)],
        targets=[first_target(graph_attributes(graph)) for graph in graphs],
        node_names=names,
    )


def graph_attributes(graph: Any) -> Dict[str, Any]:
    """igraph's attributes of the graph itself."""
    return {name: graph[name] for name in graph.attributes()}


def names_only(graphs: Sequence[Any]) -> bool:
    """Whether ``name`` tells the nodes of every graph apart, as igraph uses it."""
    several = False
    for graph in graphs:
        if "name" not in graph.vs.attributes():
            continue
        names = graph.vs["name"]
        if len(set(names)) != len(names):
            return False
        several = several or len(names) > 1
    return several
