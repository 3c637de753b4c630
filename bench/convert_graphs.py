#!/usr/bin/env python3
"""How fast Python's graphs become arrays: graphs per second of agentnet.graphs.to_arrays, by form; and a GraphSet of
the engine.

usage: build/release/python/venv/bin/python bench/convert_graphs.py [GRAPHS]    (100,000 graphs of 20 nodes, 40 entries)

Seconds are of the processor, so that other programs on the machine count less.
"""

import sys
import time
from types import SimpleNamespace

import numpy as np

import agentnet
from agentnet.graphs import to_arrays

NODES, ENTRIES, COLUMNS = 20, 40, 4


def graphs_of(count, kind):
    random = np.random.default_rng(0)
    for _ in range(count):
        x = random.integers(0, 10, (NODES, COLUMNS))
        yield random.integers(0, NODES, (2, ENTRIES)), x.astype(kind)


def data_of(count):
    for edge_index, x in graphs_of(count, np.float32):
        yield SimpleNamespace(edge_index=edge_index, x=x, edge_attr=None)


def networkx_of(count):
    import networkx

    for edge_index, x in graphs_of(count, np.int64):
        graph = networkx.Graph()
        graph.add_nodes_from((i, {"label": int(row[0]), "charge": 0.5 * int(row[1])}) for i, row in enumerate(x))
        graph.add_edges_from(edge_index.T.tolist())
        yield graph


def measure(name, X, count, convert=to_arrays, repeats=3):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        arrays = convert(X)
        times.append(time.process_time() - start)
    print(f"| {name} | {count:,} | {min(times):.3f} | {count / min(times):,.0f} |", flush=True)
    return arrays


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print("| form | graphs | s | graphs per second |\n| --- | --- | --- | --- |")
    numbers = measure("`(edge_index, x)`, numbers", list(graphs_of(count, np.float32)), count)
    measure("bulk, numbers", numbers, count)
    categories = measure("`(edge_index, x)`, 4 columns of categories", list(graphs_of(count, np.int64)), count)
    measure("bulk, categories", categories, count)
    measure("objects like PyG's `Data`", list(data_of(count)), count)
    measure("`GraphSet` of bulk arrays", numbers, count, agentnet.GraphSet)
    in_order = agentnet.GraphSet(numbers).arrays()
    measure("`GraphSet` of bulk arrays, edges in order", in_order, count, agentnet.GraphSet)
    fewer = max(count // 20, 1)
    try:
        measure("networkx, 2 attributes of nodes", list(networkx_of(fewer)), fewer)
    except ImportError:
        pass


main()
