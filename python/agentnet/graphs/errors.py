"""The one error of graphs that do not fit."""

from __future__ import annotations

from typing import Optional


class GraphError(ValueError):
    """Something is wrong with a graph; ``graph`` and ``row`` say where, both counted from 0.

    ``row`` is a node or an edge of that graph, as the message says, or None where the whole graph is meant. ``hint`` is
    the next step.

    >>> error = graph_error("node_feat is NaN", graph=3, row=5, owner="node", hint="replace missing values")
    >>> print(error)
    graph 3, node 5: node_feat is NaN (replace missing values)
    >>> error.graph, error.row
    (3, 5)
    """

    graph: Optional[int] = None
    row: Optional[int] = None
    hint: str = ""


def graph_error(
    message: str,
    graph: Optional[int] = None,
    row: Optional[int] = None,
    owner: str = "row",
    name: Optional[object] = None,
    hint: str = "",
) -> GraphError:
    """The error with its place in front and its hint behind; ``name`` is what the user calls the node or edge."""
    place = ""
    if graph is not None:
        place = f"graph {graph}"
        if row is not None:
            place += f", {owner} {row}"
            if name is not None and name != row:
                place += f" ({name!r})"
        place += ": "
    error = GraphError(f"{place}{message}" + (f" ({hint})" if hint else ""))
    error.graph = graph
    error.row = row
    error.hint = hint
    return error
