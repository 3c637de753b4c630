// Local contexts: node i of a graph has a row for each node j of the same graph (the one whose identifier is j), and in
// the published code for as many more as the largest graph of the batch has nodes.
//
// Letters: w_i the rows of node i (n_i, the nodes of its graph, or with padding the most that any graph has); R the sum
// of all of them; L the sum over edges of w.
#pragma once

#include <cstdint>
#include <span>

#include "nets/taped/formula.h"

namespace agentnet {

template <class S>
struct Contexts {
  tape::Segments blocks;    // of each node: its rows, R rows
  tape::Segments own;       // of each node: row (i, i)
  tape::Segments real;      // of each node: rows (i, j) of nodes j, without padding
  tape::Segments around;    // of each row (i, j): rows (k, j) of the nodes k that i receives from
  tape::Value<S> shares;    // [N, 1]: 1 / n_i
  tape::Value<S> per_edge;  // [R, 1]: 1 / (edges per node) of the graph; 1 where there are no edges
};

// Rows (e, j) of edges, ordered by receiver i, then j, then e.
struct EdgeContexts {
  tape::Segments received;         // of each row (i, j): its rows (e, j); R segments of L rows, one after the other
  std::span<const Index> senders;  // [L] the row (k, j) of the sender k
  std::span<const Index> edges;    // [L] e
  tape::Segments sent;             // of each row (k, j): its places among `senders`
  tape::Segments of_edge;          // of each edge: its places among `edges`
};

// Arrays that live as long as the recording. Throws Error (kData) where there are more rows than a matrix can have.
template <class S>
[[nodiscard]] Contexts<S> make_contexts(Formula<S>& f, bool padded);
template <class S>
[[nodiscard]] EdgeContexts make_edge_contexts(Formula<S>& f, const Contexts<S>& contexts);

}  // namespace agentnet
