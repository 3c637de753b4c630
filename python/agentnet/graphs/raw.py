"""What a recogniser makes of the user's graphs, before columns have their types."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Union

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass
class Block:
    """Columns that came as one array. ``values`` has whatever type the user's data has; ``object`` means mixed."""

    names: List[str]
    values: NDArray[Any]  # [rows, len(names)]


@dataclass
class RawGraphs:
    """B graphs with N nodes and E edges over all of them, as listed."""

    node_counts: NDArray[np.int64]  # [B]
    edge_counts: NDArray[np.int64]  # [B]
    edge_index: NDArray[Any]  # [2, E], not checked yet
    undirected: Union[bool, NDArray[np.bool_]] = False  # or [B], one per graph
    node_blocks: List[Block] = field(default_factory=list)
    edge_blocks: List[Block] = field(default_factory=list)
    ids: Optional[List[str]] = None
    positions: Optional[NDArray[Any]] = None  # [N, 3]
    targets: Optional[List[Any]] = None  # one per graph
    node_names: Optional[Sequence[Sequence[Any]]] = None  # what the user calls the nodes, for messages


def offsets_of(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """[B] -> [B + 1]: where each graph's rows begin.

    >>> offsets_of(np.array([3, 0, 2])).tolist()
    [0, 3, 3, 5]
    """
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def counts_of(values: Sequence[int]) -> NDArray[np.int64]:
    """Sizes as an array."""
    return np.fromiter(values, np.int64, len(values))
