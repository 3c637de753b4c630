"""The conversion in bulk against a plain one that takes graph by graph, node by node, on random graphs."""

import numpy as np
import pytest

from agentnet.graphs import GraphArrays, to_arrays

KINDS = ["numbers", "whole numbers", "many whole numbers", "words", "mixed", "truth"]


def random_column(random, kind, count):
    words = ["C", "N", "", "é", "10", "zz"]
    if kind == "numbers":
        return random.normal(size=count).round(3).tolist()
    if kind == "whole numbers":
        return random.integers(-3, 12, count).tolist()
    if kind == "many whole numbers":
        return random.integers(0, 10**6, count).tolist()
    if kind == "words":
        return [words[i] for i in random.integers(0, len(words), count)]
    if kind == "mixed":
        return [words[i] if i < 3 else int(i) for i in random.integers(0, 8, count)]
    return [bool(b) for b in random.integers(0, 2, count)]


def random_set(seed, graphs):
    """Lists of (nodes, edges, node rows, edge rows), the same columns in all."""
    random = np.random.default_rng(seed)
    node_kinds = random.choice(KINDS, 3).tolist()
    edge_kinds = random.choice(KINDS, 2).tolist()
    result = []
    for _ in range(graphs):
        nodes = int(random.integers(1, 30))
        edges = int(random.integers(0, 3 * nodes))
        ends = random.integers(0, nodes, (2, edges)).tolist()
        rows = list(zip(*(random_column(random, kind, nodes) for kind in node_kinds)))
        edge_rows = list(zip(*(random_column(random, kind, edges) for kind in edge_kinds)))
        result.append((nodes, ends, rows, edge_rows))
    return result


def word_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def plain_columns(rows, width, name):
    """{column: ("dense", [value ...]) or ("categories", vocabulary, [number ...])} by the rules of docs/data.md."""
    columns = {}
    for c in range(width):
        values = [row[c] for row in rows]
        has_words = any(isinstance(v, (str, bool)) for v in values)
        whole = all(isinstance(v, (int, str)) for v in values)
        if not has_words and not (whole and len(set(values)) <= 256):
            columns[f"{name}{c}"] = ("dense", [float(np.float32(v)) for v in values])
            continue
        numbers = {value for value in values if type(value) is int}
        words = {word_of(value) for value in values} - {str(number) for number in numbers}
        vocabulary = [str(n) for n in sorted(numbers)] + sorted(words)
        columns[f"{name}{c}"] = ("categories", vocabulary, [vocabulary.index(word_of(v)) for v in values])
    return columns


def bulk_columns(arrays, owner):
    columns = {}
    for c, name in enumerate(getattr(arrays, f"{owner}_dense_names")):
        columns[name] = ("dense", getattr(arrays, f"{owner}_dense")[:, c].tolist())
    for c, name in enumerate(getattr(arrays, f"{owner}_category_names")):
        vocabulary = getattr(arrays, f"{owner}_vocabularies")[c]
        columns[name] = ("categories", vocabulary, getattr(arrays, f"{owner}_categories")[:, c].tolist())
    return columns


@pytest.mark.parametrize("seed", range(12))
def test_columns(seed):
    graphs = random_set(seed, graphs=40)
    arrays = to_arrays([(ends, [list(r) for r in rows], [list(r) for r in edges]) for _, ends, rows, edges in graphs])
    assert np.diff(arrays.node_offsets).tolist() == [g[0] for g in graphs]
    assert np.diff(arrays.edge_offsets).tolist() == [len(g[1][0]) for g in graphs]
    assert arrays.edge_index.tolist() == [[v for g in graphs for v in g[1][side]] for side in range(2)]
    node_rows = [row for g in graphs for row in g[2]]
    edge_rows = [row for g in graphs for row in g[3]]
    assert bulk_columns(arrays, "node") == plain_columns(node_rows, 3, "node_feat")
    assert bulk_columns(arrays, "edge") == plain_columns(edge_rows, 2, "edge_attr")


@pytest.mark.parametrize("seed", range(6))
def test_missing_reverses(seed):
    graphs = random_set(100 + seed, graphs=20)
    numbered = [(ends, n, np.arange(len(ends[0]), dtype=float)) for n, ends, _, _ in graphs]
    arrays = to_arrays(numbered, directed=False)
    for g, (_, ends, _, _) in enumerate(graphs):
        listed = list(zip(*ends))
        expected = [(u, v, float(e)) for e, (u, v) in enumerate(listed)]
        expected += [(v, u, float(e)) for e, (u, v) in enumerate(listed) if u != v and (v, u) not in listed]
        one = arrays[g]
        rows = one.edge_dense[:, 0].tolist() if one.edge_dense is not None else []
        entries = list(zip(*one.edge_index.tolist(), rows))
        if one.undirected:
            entries += [(v, u, row) for u, v, row in entries if u != v]
        assert sorted(entries) == sorted(expected)


@pytest.mark.parametrize("seed", range(6))
def test_choosing_graphs(seed):
    graphs = random_set(200 + seed, graphs=15)
    items = [(ends, [list(r) for r in rows], [list(r) for r in edges]) for _, ends, rows, edges in graphs]
    arrays = to_arrays(items)
    chosen = np.random.default_rng(seed).integers(0, 15, 10)
    again = to_arrays([items[i] for i in chosen], schema=arrays.schema)
    taken = arrays[chosen]
    for name in ("node_offsets", "edge_offsets", "edge_index", "node_dense", "node_categories", "edge_categories"):
        one, other = getattr(taken, name), getattr(again, name)
        assert (one is None) == (other is None), name
        if one is not None:
            assert np.array_equal(one, other), name
    whole = to_arrays([arrays[i] for i in range(15)])
    assert isinstance(whole, GraphArrays)
    assert np.array_equal(whole.edge_index, arrays.edge_index)
    assert np.array_equal(whole.node_offsets, arrays.node_offsets)
