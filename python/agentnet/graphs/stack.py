"""Small arrays, one per graph, become long ones: a check of all shapes at once, then one concatenation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

import numpy as np

from .errors import graph_error
from .raw import Block

if TYPE_CHECKING:
    from numpy.typing import NDArray


def as_array(values: Any, what: str, graph: int) -> NDArray[Any]:
    """An array of whatever holds numbers: NumPy, torch (also on a device), sparse matrices, pandas, lists."""
    if type(values) is np.ndarray:
        return values
    if hasattr(values, "detach"):  # a torch tensor
        return np.asarray(values.detach().cpu().numpy())
    if hasattr(values, "toarray") and hasattr(values, "tocoo"):  # scipy.sparse
        return np.asarray(values.toarray())
    if hasattr(values, "to_numpy"):  # pandas
        return np.asarray(values.to_numpy())
    if not isinstance(values, (list, tuple)):
        if not hasattr(values, "__array__") and not hasattr(values, "__len__"):
            raise graph_error(f"{what} is a {type(values).__name__}, not an array", graph)
        return np.asarray(values)
    return array_of_list(values, what, graph)


def array_of_list(values: Sequence[Any], what: str, graph: int) -> NDArray[Any]:
    """Lists of rows, or of single values; every value keeps its own type."""
    if any(hasattr(row, "detach") for row in values):  # a tensor per row
        values = [as_array(row, what, graph).tolist() if hasattr(row, "detach") else row for row in values]
    rows = [row if isinstance(row, (list, tuple)) else None for row in values]
    if rows and rows[0] is not None:
        for i, row in enumerate(rows):
            if row is None or len(row) != len(rows[0]):
                has = "is a single value" if row is None else f"has {len(row)} values"
                raise graph_error(
                    f"this row of {what} {has}, row 0 has {len(rows[0])}",
                    graph,
                    i,
                    hint="give all rows the same number of values",
                )
    plain = np.asarray(values, dtype=object)
    # Only values of one type become an array of it: True beside 2 is no number, and 2 beside 0.5 is a whole one.
    types = set(map(type, plain.reshape(-1).tolist()))
    return np.asarray(values) if types in ({int}, {float}, {bool}) else plain


def stack_rows(parts: Sequence[Any], what: str, owner: str, counts: Optional[NDArray[np.int64]]) -> Optional[Block]:
    """[rows, columns] of all graphs, or None if no graph has any.

    ``counts``, where it is known, says how many rows each graph must have; a graph of no rows may have none of them.
    """
    if all(part is None for part in parts):
        return None
    arrays = list(parts)
    if not all(type(a) is np.ndarray for a in arrays):
        for g, part in enumerate(arrays):
            if part is not None:
                arrays[g] = as_array(part, what, g)
            elif counts is None or counts[g] != 0:
                raise graph_error(f"the graph has no {what}, unlike others", g, hint="give all graphs the same columns")
    shapes = [a.shape if a is not None else (0,) for a in arrays]
    if () in shapes:
        raise graph_error(f"{what} is a single value, not rows", shapes.index(()))
    widths = {s[1] if len(s) == 2 else -len(s) for s, a in zip(shapes, arrays) if a is not None}
    if widths != {-1} and (len(widths) > 1 or min(widths) < 0):
        arrays = align_widths(arrays, what)
    if counts is not None:
        check_counts(np.fromiter((s[0] for s in shapes), np.int64, len(shapes)), counts, what, owner)
    whole = concatenated([a for a in arrays if a is not None])
    if whole.ndim == 1:
        whole = whole.reshape(-1, 1)
    return Block([f"{what}{c}" for c in range(whole.shape[1])], whole)


def align_widths(arrays: List[Any], what: str) -> List[Any]:
    """[rows] counts as [rows, 1]; anything else that differs is an error. Empty arrays fit any width."""
    width: Optional[Tuple[int, int]] = None  # columns, and the graph that has them
    result: List[Any] = []
    for g, array in enumerate(arrays):
        if array is None or (array.ndim <= 2 and array.shape[:1] == (0,) and array.size == 0):
            result.append(None)
            continue
        if array.ndim not in (1, 2):
            raise graph_error(f"{what} has the shape {array.shape}", g, hint="give rows of columns")
        columns = array.shape[1] if array.ndim == 2 else 1
        if width is not None and width[0] != columns:
            raise graph_error(
                f"{what} has {columns} columns, that of graph {width[1]} has {width[0]}",
                g,
                hint="give all graphs the same columns",
            )
        width = width or (columns, g)
        result.append(array.reshape(-1, 1) if array.ndim == 1 else array)
    if width is None:  # no rows at all
        return [np.zeros((0, 0), np.float32)]
    return result


def check_counts(rows: NDArray[np.int64], counts: NDArray[np.int64], what: str, owner: str) -> None:
    """As many rows as nodes or edges."""
    wrong = np.flatnonzero(rows != counts)
    if len(wrong):
        g = int(wrong[0])
        raise graph_error(
            f"{what} has {rows[g]} rows, but the graph has {counts[g]} {owner}s", g, hint=f"give one row per {owner}"
        )


def concatenated(arrays: List[NDArray[Any]]) -> NDArray[Any]:
    """One long array. Words and numbers together stay what they are."""
    if len(arrays) == 1:
        return arrays[0]
    kinds = {a.dtype.kind for a in arrays}
    if kinds - set("biufUSO"):
        wrong = next(a for a in arrays if a.dtype.kind not in "biufUSO")
        raise graph_error(f"there are features of the type {wrong.dtype}", hint="give numbers or text")
    if kinds & set("USO") and len(kinds) > 1:
        arrays = [a.astype(object) for a in arrays]
    elif "b" in kinds and len(kinds) > 1:
        arrays = [a.astype(object) if a.dtype.kind == "b" else a for a in arrays]
    return np.concatenate(arrays)


def stack_edges(parts: Sequence[Any]) -> Tuple[NDArray[Any], NDArray[np.int64]]:
    """edge_index [2, E] of all graphs, and [B] how many edges each has."""
    arrays = list(parts)
    if not all(type(a) is np.ndarray for a in arrays):
        none = np.zeros((2, 0), np.int64)
        arrays = [none if part is None else as_array(part, "edge_index", g) for g, part in enumerate(arrays)]
    shapes = [a.shape for a in arrays]
    if any(len(s) != 2 or s[0] != 2 for s in shapes):
        for g, (array, shape) in enumerate(zip(arrays, shapes)):
            if len(shape) == 2 and shape[0] == 2:
                continue
            if array.size == 0:  # a graph without edges: [], [[], []], shape (0, 2)
                arrays[g] = np.zeros((2, 0), np.int64)
                continue
            transposed = len(shape) == 2 and shape[1] == 2
            raise graph_error(
                f"edge_index has the shape {shape}, not (2, edges)",
                g,
                hint="transpose it: edge_index.T" if transposed else "a row of first ends, a row of second ends",
            )
    counts = np.fromiter((a.shape[1] for a in arrays), np.int64, len(arrays))
    filled = [a for a in arrays if a.shape[1]]
    if not filled:
        return np.zeros((2, 0), np.int64), counts
    for g, array in enumerate(arrays):
        if array.dtype.kind not in "iu" and array.size:
            check_whole(array, g)
    return (filled[0] if len(filled) == 1 else np.concatenate(filled, axis=1)), counts


def check_whole(array: NDArray[Any], graph: int) -> None:
    """Numbers of nodes may come as floats, but must be whole."""
    if array.dtype.kind == "f" and bool((array == np.floor(array)).all()):
        return
    raise graph_error(f"edge_index holds {array.dtype}, not numbers of nodes", graph)
