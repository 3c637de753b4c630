"""Graphs back to networkx."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from .arrays import GraphArrays
from .direction import is_symmetric
from .errors import graph_error


def to_networkx(arrays: GraphArrays, graph: int = 0) -> Any:
    """One of the graphs as a networkx Graph, or a DiGraph if some edge goes one way; needs networkx.

    Columns become attributes: numbers as float, categories as the words of their vocabulary (whole numbers as int).
    Edges that are listed twice make a multigraph.

    >>> import networkx as nx
    >>> from agentnet.graphs import to_arrays
    >>> ring = nx.cycle_graph(4)
    >>> nx.set_node_attributes(ring, {0: "N", 1: "C", 2: "C", 3: "C"}, "element")
    >>> back = to_networkx(to_arrays([ring]))
    >>> back.nodes[0], nx.is_isomorphic(ring, back)
    ({'element': 'N'}, True)
    """
    import networkx

    if arrays.smiles is not None or arrays.path is not None:
        raise graph_error("the program reads these graphs itself", hint="open them as a GraphSet first")
    one = arrays[graph]
    nodes, listed = one.num_nodes, one.num_edges
    source, target = one.edge_index.astype(np.int64)
    node_rows = attribute_rows(one, "node", nodes)
    edge_rows = attribute_rows(one, "edge", listed)
    parts = [part for part in (one.edge_dense, one.edge_categories) if part is not None]
    features = np.concatenate([part.astype(np.float64) for part in parts], axis=1) if parts else None
    undirected = one.undirected or is_symmetric(one.edge_index, nodes, features)
    if undirected and not one.undirected:  # both directions are listed: one of them stands for both
        kept = np.flatnonzero(source <= target)
    else:
        kept = np.arange(listed)
    ends = np.sort(one.edge_index[:, kept], axis=0) if undirected else one.edge_index[:, kept]
    several = len(np.unique(ends, axis=1).T) != len(kept)
    kinds = {
        (True, False): networkx.Graph,
        (False, False): networkx.DiGraph,
        (True, True): networkx.MultiGraph,
        (False, True): networkx.MultiDiGraph,
    }
    result = kinds[undirected, several]()
    result.add_nodes_from(zip(range(nodes), node_rows))
    result.add_edges_from((int(source[e]), int(target[e]), edge_rows[e]) for e in kept)
    if one.ids is not None:
        result.graph["id"] = one.ids[0]
    return result


def attribute_rows(one: GraphArrays, owner: str, count: int) -> List[Dict[str, Any]]:
    """A dictionary per node or edge."""
    rows: List[Dict[str, Any]] = [{} for _ in range(count)]
    dense = getattr(one, f"{owner}_dense")
    if dense is not None:
        for c, name in enumerate(getattr(one, f"{owner}_dense_names")):
            for row, value in zip(rows, dense[:, c].tolist()):
                row[name] = value
    categories = getattr(one, f"{owner}_categories")
    if categories is not None:
        names, vocabularies = getattr(one, f"{owner}_category_names"), getattr(one, f"{owner}_vocabularies")
        for c, name in enumerate(names):
            words = [plain(word) for word in vocabularies[c]] + [None]  # None: a word that is not listed
            for row, number in zip(rows, categories[:, c].tolist()):
                row[name] = words[number]
    return rows


def plain(word: str) -> Any:
    """Whole numbers as int, truth as bool.

    >>> plain("7"), plain("C"), plain("true"), plain("007")
    (7, 'C', True, '007')
    """
    if word in ("true", "false"):
        return word == "true"
    try:
        number = int(word)
    except ValueError:
        return word
    return number if str(number) == word else word
