#!/usr/bin/env python3
"""What the Python package costs: getting graphs into the engine beside an epoch of training, two threads beside one,
and a call through ctypes.

usage: build/release/python/venv/bin/python bench/python_package.py [GRAPHS]      (100,000 graphs of 20 nodes)
"""

import sys
import threading
import time

import numpy as np

import agentnet
from agentnet import AgentNetClassifier, GraphSet
from agentnet.graphs import to_arrays

NODES, RING = 20, 40  # rings in which every edge is listed in both directions, in order


def pairs(count):
    random = np.random.default_rng(0)
    u = np.arange(NODES)
    both = np.concatenate([np.stack([u, (u + 1) % NODES]), np.stack([u, (u - 1) % NODES])], axis=1)
    edge_index = both[:, np.lexsort((both[1], both[0]))]
    return [(edge_index, random.normal(size=(NODES, 4)).astype(np.float32)) for _ in range(count)]


def processor_seconds(work, repeats=3):
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def epoch_seconds(graphs):
    """Of one processor, by a small part: an epoch's cost is proportional to its graphs."""
    y = np.arange(len(graphs)) % 2
    model = AgentNetClassifier(64, NODES, 8, epochs=1, batch=32, validation_fraction=0, random_state=0, n_jobs=1,
                               settings={"train.steps_per_epoch": 0, "train.sampling": "shuffle"})
    start = time.process_time()
    model.fit(graphs, y)
    return time.process_time() - start


def throughput(model, graphs, threads):
    """Graphs per second of `threads` Python threads that predict, one engine thread each."""
    times = []
    for _ in range(3):
        workers = [threading.Thread(target=model.predict, args=(graphs,), kwargs={"n_jobs": 1}) for _ in range(threads)]
        start = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        times.append(time.perf_counter() - start)
    return threads * len(graphs) / min(times)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    listed = pairs(count)
    arrays = to_arrays(listed)
    as_list = processor_seconds(lambda: GraphSet(listed))
    in_bulk = processor_seconds(lambda: GraphSet(arrays))
    part = min(count, 1000)
    epoch = epoch_seconds(GraphSet(arrays)[:part]) * count / part
    print("| what | s | graphs per second | share of an epoch at h = 64 |\n| --- | --- | --- | --- |")
    print(f"| list of `(edge_index, x)` to GraphSet | {as_list:.3f} | {count / as_list:,.0f} | {as_list / epoch:.4f} |")
    print(f"| bulk arrays to GraphSet | {in_bulk:.3f} | {count / in_bulk:,.0f} | {in_bulk / epoch:.4f} |")
    print(f"| one epoch, one processor | {epoch:.1f} | {count / epoch:,.0f} | 1 |")
    assert as_list < epoch / 10, "getting graphs in takes more than a tenth of an epoch"

    graphs = GraphSet(arrays)[:part]
    model = AgentNetClassifier(64, NODES, 8, epochs=1, random_state=0).fit(graphs[:64], np.arange(64) % 2).model_
    one, two = throughput(model, graphs, 1), throughput(model, graphs, 2)
    print(f"\npredictions: {one:,.0f} graphs/s with one Python thread, {two:,.0f} with two: {two / one:.2f} times")
    handle, calls = graphs._handle.pointer, 100_000
    size = agentnet._library.lib.agentnet_set_size
    start = time.perf_counter()
    for _ in range(calls):
        size(handle)
    print(f"a call through ctypes: {(time.perf_counter() - start) / calls * 1e9:.0f} ns")


main()
