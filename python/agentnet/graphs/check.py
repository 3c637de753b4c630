"""Do the arrays of a set belong together? Every check is over all graphs at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, List, Optional

import numpy as np

from .columns import Place
from .errors import graph_error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .arrays import GraphArrays

MOST_NODES = 2**32 - 1  # of one graph: numbers of nodes have 32 bits


def check_offsets(offsets: NDArray[Any], owner: str) -> NDArray[np.int64]:
    """[B + 1] ascending from 0."""
    if offsets.ndim != 1 or not len(offsets) or offsets.dtype.kind not in "iu":
        raise graph_error(f"{owner}_offsets should be a list of whole numbers, is {offsets.dtype}{offsets.shape}")
    result = np.ascontiguousarray(offsets, dtype=np.int64)
    if result[0] != 0:
        raise graph_error(f"{owner}_offsets begins with {result[0]}, not with 0")
    falls = np.flatnonzero(np.diff(result) < 0)
    if len(falls):
        raise graph_error(f"{owner}_offsets falls from {result[falls[0]]} to {result[falls[0] + 1]}", int(falls[0]))
    return result


def check_nodes(node_offsets: NDArray[np.int64]) -> None:
    """Every graph has nodes, and there is a graph."""
    counts = np.diff(node_offsets)
    if not len(counts):
        raise graph_error("there are no graphs", hint="give at least one")
    if not counts.all():
        raise graph_error("the graph has no nodes", int(np.argmin(counts)), hint="leave empty graphs out")
    if counts.max() > MOST_NODES:
        raise graph_error("the graph has more than 2^32 nodes", int(np.argmax(counts)), hint="split the graph")


def check_edge_index(
    edge_index: NDArray[Any], node_offsets: NDArray[np.int64], edge_offsets: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """Node numbers [2, E] within their graphs, borrowed if they have their type already."""
    if edge_index.size and edge_index.dtype.kind not in "iu":
        whole = edge_index.dtype.kind == "f" and bool((edge_index == np.floor(edge_index)).all())
        if not whole:
            raise graph_error(f"edge_index holds {edge_index.dtype}, not numbers of nodes")
    if not edge_index.size:
        return np.zeros((2, 0), np.uint32)
    counts = np.diff(node_offsets)
    # One comparison with the smallest graph settles most sets; only the others pay for a limit per edge.
    if edge_index.min() < 0 or edge_index.max() >= counts.min():
        limits = np.repeat(counts, np.diff(edge_offsets))  # [E]
        wrong = np.flatnonzero(((edge_index < 0) | (edge_index >= limits)).any(axis=0))
        if len(wrong):
            edge = int(wrong[0])
            node = next(int(n) for n in edge_index[:, edge] if n < 0 or n >= limits[edge])
            raise Place("edge", edge_offsets).error(
                f"edge_index names node {node}, but the graph's nodes are 0 to {limits[edge] - 1}",
                edge,
                "number the nodes of every graph from 0",
            )
    return np.ascontiguousarray(edge_index, dtype=np.uint32)


def check_rows(array: Optional[Any], rows: int, kind: Any, name: str) -> Optional[NDArray[Any]]:
    """[rows, columns] of one type, or None."""
    if array is None:
        return None
    values = np.asarray(array)
    if values.ndim != 2 or values.shape[0] != rows:
        raise graph_error(f"{name} has the shape {values.shape}, but there are {rows} rows")
    return np.ascontiguousarray(values, dtype=kind)


def check_words(
    categories: Optional[NDArray[np.int32]], names: List[str], vocabularies: List[List[str]], place: Place
) -> List[List[str]]:
    """Numbers are from 0 to the length of the column's vocabulary, which stands for unlisted words."""
    width = 0 if categories is None else categories.shape[1]
    if categories is None or width == 0:
        return vocabularies
    if not vocabularies:
        largest = categories.max(axis=0) if len(categories) else np.zeros(width, np.int32)
        vocabularies = [[str(i) for i in range(int(last) + 1)] for last in largest]
    if len(vocabularies) != width or len(names) != width:
        raise graph_error(f"{width} {place.owner} columns of categories, but {len(vocabularies)} vocabularies")
    limits = np.array([len(v) for v in vocabularies])
    wrong = np.argwhere((categories < 0) | (categories > limits))
    if len(wrong):
        row, c = (int(i) for i in wrong[0])
        raise place.error(f"{names[c]} is number {categories[row, c]} of {limits[c]} words", row)
    return vocabularies


def check_finite(dense: Optional[NDArray[np.float32]], names: List[str], place: Place) -> None:
    """Neither NaN nor infinite."""
    if dense is None or np.isfinite(dense.sum()) or np.isfinite(dense).all():
        return
    row, c = (int(i) for i in np.argwhere(~np.isfinite(dense))[0])
    raise place.error(f"{names[c]} is {dense[row, c]}", row, "replace missing and infinite values")


def named(names: List[str], prefix: str, array: Optional[NDArray[Any]]) -> List[str]:
    """Names for columns that have none."""
    width = 0 if array is None else array.shape[1]
    if names and len(names) != width:
        raise graph_error(f"{len(names)} names ({', '.join(names[:8])}) for {width} columns of {prefix}")
    return names if names else [f"{prefix}{c}" for c in range(width)]


def checked(arrays: GraphArrays) -> GraphArrays:
    """See GraphArrays.check()."""
    if arrays.smiles is not None or arrays.path is not None:
        return arrays
    node_offsets = check_offsets(np.asarray(arrays.node_offsets), "node")
    edge_offsets = check_offsets(np.asarray(arrays.edge_offsets), "edge")
    if len(node_offsets) != len(edge_offsets):
        raise graph_error(f"{len(node_offsets) - 1} graphs in node_offsets, {len(edge_offsets) - 1} in edge_offsets")
    check_nodes(node_offsets)
    nodes, edges = int(node_offsets[-1]), int(edge_offsets[-1])
    edge_index = np.asarray(arrays.edge_index)
    if edge_index.shape != (2, edges):
        raise graph_error(f"edge_index has the shape {edge_index.shape}, but edge_offsets ends with {edges}")
    node_dense = check_rows(arrays.node_dense, nodes, np.float32, "node_dense")
    node_categories = check_rows(arrays.node_categories, nodes, np.int32, "node_categories")
    edge_dense = check_rows(arrays.edge_dense, edges, np.float32, "edge_dense")
    edge_categories = check_rows(arrays.edge_categories, edges, np.int32, "edge_categories")
    # Names as a reader of such arrays gives them; a set with both kinds of columns should name them.
    result = replace(
        arrays,
        node_offsets=node_offsets,
        edge_offsets=edge_offsets,
        edge_index=check_edge_index(edge_index, node_offsets, edge_offsets),
        node_dense=node_dense,
        node_categories=node_categories,
        edge_dense=edge_dense,
        edge_categories=edge_categories,
        node_dense_names=named(arrays.node_dense_names, "node_feat", node_dense),
        node_category_names=named(arrays.node_category_names, "node_label", node_categories),
        edge_dense_names=named(arrays.edge_dense_names, "edge_attr", edge_dense),
        edge_category_names=named(arrays.edge_category_names, "edge_label", edge_categories),
    )
    node, edge = Place("node", node_offsets), Place("edge", edge_offsets)
    check_finite(node_dense, result.node_dense_names, node)
    check_finite(edge_dense, result.edge_dense_names, edge)
    if arrays.ids is not None and len(arrays.ids) != len(node_offsets) - 1:
        raise graph_error(f"{len(arrays.ids)} ids for {len(node_offsets) - 1} graphs")
    return replace(
        result,
        node_vocabularies=check_words(node_categories, result.node_category_names, arrays.node_vocabularies, node),
        edge_vocabularies=check_words(edge_categories, result.edge_category_names, arrays.edge_vocabularies, edge),
    )
