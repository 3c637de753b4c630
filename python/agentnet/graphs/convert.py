"""Any graphs to arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, List, Optional, Sequence

import numpy as np

from .arrays import GraphArrays, empty_arrays, joined
from .columns import COMPUTED, FeatureKind, Place, Typed, apply_schema, type_columns
from .check import check_edge_index, check_nodes
from .direction import settle_direction
from .errors import graph_error
from .molecules import read_molecules
from .raw import Block, RawGraphs, offsets_of
from .read_attributes import read_igraph, read_networkx, wants
from .read_frames import is_frame, read_frame_pairs, read_frames
from .read_pairs import read_dgl, read_dicts, read_pyg, read_sparse, read_tuples
from .recognise import has_arrays, items_of, one_form
from .schema import ColumnSchema, GraphSchema


def to_arrays(
    X: Any,
    *,
    schema: Optional[GraphSchema] = None,
    node_features: FeatureKind = "auto",
    edge_features: FeatureKind = "auto",
    node_columns: Optional[Sequence[str]] = None,
    edge_columns: Optional[Sequence[str]] = None,
    directed: Optional[bool] = None,
) -> GraphArrays:
    """Graphs in any form that docs/python.md lists, as GraphArrays.

    Parameters
    ----------
    X : a list of graphs, a data set, GraphArrays, tables of nodes and edges, SMILES strings, or a path.
    schema : the columns of earlier graphs (``GraphArrays.schema``), by which these are read. Without it, columns get
        their types from the values, as ``node_features`` and ``edge_features`` say.
    node_features, edge_features : "auto", "categories" or "dense", for all columns or as a dictionary by name. "auto"
        takes words, truth values and whole numbers with at most 256 different values for categories, and all other
        numbers, arrays of floats among them whatever their values, for numbers.
    node_columns, edge_columns : names of the columns to read; None for all, ["none"] for none. "label" also stands for
        label0, label1, ...
    directed : None for what the form of the graphs says; True for edges as listed; False adds the reverse of an edge
        where it is not listed.

    Raises
    ------
    GraphError (a ValueError) that names the graph and the row.

    Examples
    --------
    >>> import numpy as np
    >>> path = (np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), np.array([[6], [8], [6]]))
    >>> pair = (np.array([[0, 1], [1, 0]]), np.array([[6], [7]]))
    >>> arrays = to_arrays([path, pair])
    >>> arrays
    GraphArrays(2 graphs, 5 nodes, 6 edges; node_feat0)
    >>> arrays.node_vocabularies, arrays.node_categories.ravel().tolist()
    ([['6', '7', '8']], [0, 2, 0, 0, 1])

    A number of later graphs that the earlier ones do not have:

    >>> later = to_arrays([(np.array([[0, 1], [1, 0]]), np.array([[9], [7]]))], schema=arrays.schema)
    >>> later.node_categories.ravel().tolist(), later.unseen
    ([3, 1], {'node_feat0=9': 1})
    """
    if isinstance(X, GraphArrays) or has_arrays(X):
        return adopted(arrays_of(X), schema)
    if isinstance(X, (str, os.PathLike)):
        return empty_arrays(path=os.fspath(X))
    whole = tables_of(X)
    if whole is not None:
        return finish(read_frames(*whole), schema, node_features, edge_features, node_columns, edge_columns, directed)
    items = items_of(X)
    form = one_form(items)
    if form == "labelled":
        labels = [item[1] for item in items]
        arrays = to_arrays(
            [item[0] for item in items],
            schema=schema,
            node_features=node_features,
            edge_features=edge_features,
            node_columns=node_columns,
            edge_columns=edge_columns,
            directed=directed,
        )
        return replace(arrays, targets=targets_array(labels))
    if form == "smiles":
        return empty_arrays(smiles=strings(items))
    if form == "arrays":
        return adopted(joined([arrays_of(item) for item in items]), schema)
    if form == "molecule":
        return adopted(read_molecules(items), schema)
    raw = read_form(form, items, node_columns, edge_columns)
    return finish(raw, schema, node_features, edge_features, node_columns, edge_columns, directed)


def arrays_of(graphs: Any) -> GraphArrays:
    """Graphs that are arrays already, or that the engine holds."""
    arrays: GraphArrays = graphs if isinstance(graphs, GraphArrays) else graphs.arrays()
    return arrays.check()


def tables_of(X: Any) -> Optional[List[Any]]:
    """Nodes, edges and graphs, if X is tables of a whole set."""
    if isinstance(X, Mapping) and is_frame(X.get("nodes")) and is_frame(X.get("edges")):
        return [X["nodes"], X["edges"], X.get("graphs")]
    if isinstance(X, tuple) and len(X) in (2, 3) and all(is_frame(table) for table in X):
        return list(X)
    return None


def read_form(
    form: str, items: List[Any], node_columns: Optional[Sequence[str]], edge_columns: Optional[Sequence[str]]
) -> RawGraphs:
    """The reader of a form."""
    if form == "networkx":
        return read_networkx(items, node_columns, edge_columns)
    if form == "igraph":
        return read_igraph(items, node_columns, edge_columns)
    readers = {
        "tuple": read_tuples,
        "dictionary": read_dicts,
        "pyg": read_pyg,
        "dgl": read_dgl,
        "sparse": read_sparse,
        "tables": read_frame_pairs,
    }
    return readers[form](items)


def strings(items: List[Any]) -> List[str]:
    """SMILES strings, none of which is missing or blank."""
    for g, item in enumerate(items):
        if not isinstance(item, str):
            raise graph_error(f"is {item!r}, not a SMILES string", g, hint="leave missing molecules out")
        if not item.strip():
            raise graph_error("is a blank, not a SMILES string", g, hint="leave missing molecules out")
    return items


def finish(
    raw: RawGraphs,
    schema: Optional[GraphSchema],
    node_features: FeatureKind,
    edge_features: FeatureKind,
    node_columns: Optional[Sequence[str]],
    edge_columns: Optional[Sequence[str]],
    directed: Optional[bool],
) -> GraphArrays:
    """Raw graphs are checked, get their directions and the types of their columns."""
    node_offsets = offsets_of(raw.node_counts)
    check_nodes(node_offsets)
    # Numbers of nodes are checked before directions, which compute with them.
    raw.edge_index = check_edge_index(raw.edge_index, node_offsets, offsets_of(raw.edge_counts))
    raw = settle_direction(raw, directed)
    edge_offsets = offsets_of(raw.edge_counts)
    node_place, edge_place = Place("node", node_offsets, raw.node_names), Place("edge", edge_offsets)
    node_blocks = choose(raw.node_blocks, node_columns, "node")
    edge_blocks = choose(raw.edge_blocks, edge_columns, "edge")
    if schema is None:
        nodes = type_columns(node_blocks, node_features, node_place)
        edges = type_columns(edge_blocks, edge_features, edge_place)
    else:
        nodes = apply_schema(node_blocks, schema.nodes, node_place)
        # Graphs without edges have no edge columns, and fit any.
        bare = edge_offsets[-1] == 0
        edges = empty_columns(schema.edges) if bare else apply_schema(edge_blocks, schema.edges, edge_place)
    return GraphArrays(
        node_offsets=node_offsets,
        edge_offsets=edge_offsets,
        edge_index=np.ascontiguousarray(raw.edge_index, dtype=np.uint32),
        undirected=bool(raw.undirected),
        node_dense=nodes.dense,
        node_categories=nodes.categories,
        edge_dense=edges.dense,
        edge_categories=edges.categories,
        node_dense_names=list(nodes.schema.dense),
        node_category_names=list(nodes.schema.categories),
        node_vocabularies=[list(words) for words in nodes.schema.vocabularies],
        edge_dense_names=list(edges.schema.dense),
        edge_category_names=list(edges.schema.categories),
        edge_vocabularies=[list(words) for words in edges.schema.vocabularies],
        ids=raw.ids if raw.ids is not None and any(raw.ids) else None,
        positions=raw.positions,
        targets=targets_array(raw.targets),
        unseen={**nodes.unseen, **edges.unseen},
    )


def empty_columns(schema: ColumnSchema) -> Typed:
    """Columns of no rows; those that the engine computes, it adds itself."""
    schema = schema.without(list(COMPUTED))
    return Typed(
        np.zeros((0, len(schema.dense)), np.float32) if schema.dense else None,
        np.zeros((0, len(schema.categories)), np.int32) if schema.categories else None,
        schema,
    )


def choose(blocks: List[Block], names: Optional[Sequence[str]], owner: str) -> List[Block]:
    """The columns that are asked for."""
    if names is None:
        return blocks
    there = [name for block in blocks for name in block.names]
    for name in names:
        if name != "none" and not any(wants([name], column) for column in there):
            raise graph_error(f"there is no {owner} column {name!r}", hint=f"there are {', '.join(there) or 'none'}")
    chosen = []
    for block in blocks:
        kept = [c for c, name in enumerate(block.names) if wants(names, name)]
        if len(kept) == len(block.names):
            chosen.append(block)
        elif kept:
            chosen.append(Block([block.names[c] for c in kept], block.values[:, kept]))
    return chosen


def adopted(arrays: GraphArrays, schema: Optional[GraphSchema]) -> GraphArrays:
    """Arrays with the columns and the numbers of an earlier set."""
    if schema is None or arrays.smiles is not None or arrays.path is not None or arrays.schema == schema:
        return arrays
    node_place, edge_place = Place("node", arrays.node_offsets), Place("edge", arrays.edge_offsets)
    nodes = apply_schema(blocks_of(arrays, "node"), schema.nodes, node_place)
    bare = arrays.num_edges == 0
    edges = empty_columns(schema.edges) if bare else apply_schema(blocks_of(arrays, "edge"), schema.edges, edge_place)
    return replace(
        arrays,
        node_dense=nodes.dense,
        node_categories=nodes.categories,
        edge_dense=edges.dense,
        edge_categories=edges.categories,
        node_dense_names=list(nodes.schema.dense),
        node_category_names=list(nodes.schema.categories),
        node_vocabularies=[list(words) for words in nodes.schema.vocabularies],
        edge_dense_names=list(edges.schema.dense),
        edge_category_names=list(edges.schema.categories),
        edge_vocabularies=[list(words) for words in edges.schema.vocabularies],
        unseen={**nodes.unseen, **edges.unseen},
    )


def blocks_of(arrays: GraphArrays, owner: str) -> List[Block]:
    """Typed columns as raw ones again: numbers, and the words that categories stand for."""
    dense = getattr(arrays, f"{owner}_dense")
    categories = getattr(arrays, f"{owner}_categories")
    blocks = [] if dense is None else [Block(list(getattr(arrays, f"{owner}_dense_names")), dense)]
    names, vocabularies = getattr(arrays, f"{owner}_category_names"), getattr(arrays, f"{owner}_vocabularies")
    for c, name in enumerate(names):
        # The number after the last stands for words that are not listed, and for none of any other vocabulary.
        words = np.array([*vocabularies[c], "\0unseen"], object)
        blocks.append(Block([name], words[categories[:, c]].reshape(-1, 1)))
    return blocks


def targets_array(targets: Optional[List[Any]]) -> Optional[Any]:
    """[B] or [B, T] of what the graphs say, or None if some say nothing."""
    if targets is None or any(target is None for target in targets):
        return None
    rows = []
    for target in targets:
        if hasattr(target, "detach"):
            target = target.detach().cpu().numpy()
        rows.append(np.asarray(target).reshape(-1))
    if len({len(row) for row in rows}) != 1:
        return None  # targets of nodes, say
    stacked = np.stack(rows)
    return stacked[:, 0] if stacked.shape[1] == 1 else stacked
