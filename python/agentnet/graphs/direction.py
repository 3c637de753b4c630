"""Which way edges can be walked: the reverses that are meant but not listed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from .raw import RawGraphs, offsets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


def settle_direction(raw: RawGraphs, directed: Optional[bool]) -> RawGraphs:
    """Makes ``undirected`` one answer for all graphs, True or False.

    In an undirected graph an edge whose reverse is not listed gets one, with the same features. ``directed=None`` is
    what the form of the graphs says, True takes edges as listed, False takes all graphs for undirected.
    """
    undirected = np.broadcast_to(raw.undirected if directed is None else not directed, raw.edge_counts.shape)
    if not undirected.any():
        return replace(raw, undirected=False)
    no_loop = raw.edge_index[0] != raw.edge_index[1]
    alone = no_loop & ~has_reverse(raw)
    if undirected.all() and np.array_equal(alone, no_loop):
        return replace(raw, undirected=True)  # every edge is listed once: the engine adds the reverses
    return with_reverses(raw, alone & np.repeat(undirected, raw.edge_counts))


def has_reverse(raw: RawGraphs) -> NDArray[np.bool_]:
    """[E] whether the reverse of each edge is listed, too."""
    first = np.repeat(offsets_of(raw.node_counts)[:-1], raw.edge_counts)  # [E] the graph's first node
    source, target = raw.edge_index.astype(np.int64) + first
    nodes = int(raw.node_counts.sum())
    return np.isin(target * nodes + source, source * nodes + target)


def with_reverses(raw: RawGraphs, which: NDArray[np.bool_]) -> RawGraphs:
    """The reverses of some edges are listed behind the others of their graph."""
    if not which.any():
        return replace(raw, undirected=False)
    added = np.flatnonzero(which)
    graphs = np.repeat(np.arange(len(raw.edge_counts)), raw.edge_counts)  # [E]
    rows = np.concatenate([np.arange(len(which)), added])
    order = np.argsort(graphs[rows], kind="stable")
    edges = np.concatenate([raw.edge_index, raw.edge_index[::-1, added]], axis=1)[:, order]
    blocks = [replace(block, values=block.values[rows[order]]) for block in raw.edge_blocks]
    counts = np.bincount(graphs[rows], minlength=len(raw.edge_counts)).astype(np.int64)
    return replace(raw, edge_index=edges, edge_counts=counts, edge_blocks=blocks, undirected=False)


def is_symmetric(edge_index: NDArray[Any], nodes: int, features: Optional[NDArray[Any]]) -> bool:
    """Whether every edge of one graph can be walked back, with the same features."""
    source, target = edge_index.astype(np.int64)
    forth = np.argsort(source * nodes + target, kind="stable")
    back = np.argsort(target * nodes + source, kind="stable")
    if not np.array_equal((source * nodes + target)[forth], (target * nodes + source)[back]):
        return False
    return features is None or bool(np.array_equal(features[forth], features[back]))
