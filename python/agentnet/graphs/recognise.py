"""What did the user give? Graphs are known by what they have, not by their class: nothing is imported for it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Dict, List, Tuple

from .arrays import GraphArrays
from .errors import graph_error
from .read_frames import is_frame

FORMS = (
    "networkx, PyTorch Geometric's Data, DGL, igraph, (edge_index, x, edge_attr), scipy.sparse matrices, RDKit "
    "molecules, SMILES strings, dictionaries with edge_index, (nodes, edges) tables"
)


def has(value: Any, *names: str) -> bool:
    """Whether it has all of these attributes."""
    return all(hasattr(value, name) for name in names)


def has_arrays(value: Any) -> bool:
    """A graph, or a set of graphs, that the engine holds: ``arrays()`` gives them in bulk."""
    return callable(getattr(value, "arrays", None)) and has(value, "to_networkx")


def is_sparse(value: Any) -> bool:
    """A matrix of scipy.sparse."""
    return has(value, "tocoo", "nnz", "shape")


def form_of(graph: Any) -> str:
    """The form of one graph, "" if it is none.

    >>> form_of("CCO"), form_of({"edge_index": [[0], [1]]}), form_of(([[0], [1]], None)), form_of(3)
    ('smiles', 'dictionary', 'tuple', '')
    """
    if isinstance(graph, str):
        return "smiles"
    if isinstance(graph, GraphArrays) or has_arrays(graph):
        return "arrays"
    if isinstance(graph, Mapping):
        return "dictionary" if "edge_index" in graph else ""
    if isinstance(graph, (tuple, list)):
        return form_of_tuple(graph)
    if has(graph, "GetAtoms", "GetBonds"):
        return "molecule"
    if has(graph, "ndata", "edata", "edges"):
        return "dgl"
    if has(graph, "vs", "es", "get_edgelist"):
        return "igraph"
    if has(graph, "nodes", "edges", "adj", "is_directed"):
        return "networkx"
    if has(graph, "edge_index") or has(graph, "adj_t"):
        return "pyg"
    return "sparse" if is_sparse(graph) else ""


def form_of_tuple(graph: Any) -> str:
    """A pair of a graph and its label, tables, a sparse matrix with features, or an edge_index with features."""
    if not len(graph):
        return ""
    first = graph[0]
    if is_sparse(first):
        return "sparse"
    if is_frame(first):
        return "tables" if len(graph) == 2 and is_frame(graph[1]) else ""
    if len(graph) == 2 and not isinstance(first, (str, tuple, list)):
        form = form_of(first)
        if form in ("dictionary", "dgl", "pyg", "networkx", "igraph", "molecule"):
            return "labelled" if form_of(graph[1]) != form else ""
    shape = getattr(first, "shape", None)
    if shape is not None:
        return "tuple" if len(shape) == 2 or 0 in tuple(shape) else ""
    if not isinstance(first, (list, tuple)):
        return ""
    rows = not len(first) or isinstance(first[0], (list, tuple)) or has(first[0], "shape")
    return "tuple" if rows else ""


def items_of(X: Any) -> List[Any]:
    """The graphs of a list, a data set, an array of objects or an iterator; an error for a single graph."""
    if isinstance(X, (bytes, int, float)) or X is None:
        raise graph_error(f"{type(X).__name__} is no set of graphs", hint=f"give a list of {FORMS}")
    if has(X, "to_data_list"):  # a Batch of PyTorch Geometric
        return list(X.to_data_list())
    # A list is a list of graphs whatever it holds; a tuple may be a graph itself.
    single = "" if isinstance(X, list) or (isinstance(X, tuple) and is_tuple_of_graphs(X)) else form_of(X)
    if single:
        raise graph_error(f"this is a single graph ({single})", hint="put it in a list: [graph]")
    if is_frame(X):
        raise graph_error("a table is no set of graphs", hint="give its column of SMILES strings, or (nodes, edges)")
    if has(X, "tolist") and getattr(X, "ndim", 0) == 1:  # an array of objects or strings, a Series
        return list(X.tolist())
    if isinstance(X, list):
        return unbatched(X)
    try:
        if has(X, "__len__", "__getitem__") and not isinstance(X, (tuple, Mapping)):
            return unbatched([X[i] for i in range(len(X))])  # a data set
        return unbatched(list(X))
    except TypeError:
        raise graph_error(f"{type(X).__name__} is no set of graphs", hint=f"give a list of {FORMS}") from None


def unbatched(items: List[Any]) -> List[Any]:
    """The graphs of the batches that PyTorch Geometric's DataLoader gives; any other items as they are."""
    if not items or not has(items[0], "to_data_list"):
        return items
    return [graph for batch in items for graph in batch.to_data_list()]


def is_tuple_of_graphs(X: Tuple[Any, ...]) -> bool:
    """Whether the first entry is itself a graph: ((edge_index, x), ...), not (edge_index, x)."""
    if not X or not isinstance(X[0], (list, tuple)):
        return False
    return form_of_tuple(X[0]) in ("tuple", "sparse", "labelled", "tables")


def one_form(items: List[Any]) -> str:
    """The form that all graphs have."""
    if not items:
        raise graph_error("there are no graphs", hint="give at least one")
    form = form_of(items[0])
    if not form and items[0] is None:
        form = next((form_of(item) for item in items if item is not None), "")
    if not form:
        if isinstance(items[0], os.PathLike):
            raise graph_error("a list of paths", 0, hint="give one path, or read each into a GraphSet")
        raise graph_error(f"{describe(items[0])} is no graph", 0, hint=f"give {FORMS}")
    # Items of the same types are of the same form: one of each is looked at, for there may be very many.
    signatures = [signature(item) for item in items]
    forms: Dict[int, str] = {}
    for kind in set(signatures):
        g = signatures.index(kind)
        other = form_of(items[g])
        if other != form and not (form in ("molecule", "smiles") and items[g] is None):
            forms[g] = other or describe(items[g])
    if forms:
        g = min(forms)
        message = f"is of the form {forms[g]}, graph 0 of the form {form}"
        raise graph_error(message, g, hint="give all graphs in the same form")
    return form


def signature(item: Any) -> Tuple[type, ...]:
    """The types of a tuple and of what it holds."""
    return (type(item), *map(type, item)) if isinstance(item, (tuple, list)) else (type(item),)


def describe(value: Any) -> str:
    """A few words for a message."""
    shape: Tuple[int, ...] = tuple(getattr(value, "shape", ()))
    empty = "empty " if isinstance(value, (tuple, list)) and not value else ""
    return empty + type(value).__name__ + (f" of shape {shape}" if shape else "")
