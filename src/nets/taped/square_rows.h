// Matrices [n, n] of channels over the graphs of a batch, as PPGN has them: row offsets[b] + i m + j is entry (i, j) of
// graph b, where m is the number of its nodes, or of those of the largest graph where matrices are padded.
#pragma once

#include <cstdint>
#include <span>

#include "nets/taped/formula.h"

namespace agentnet {

struct SquareRows {
  tape::Squares squares;
  tape::Segments graphs;             // of each graph: its rows, padding included
  std::span<const Index> diagonal;   // [N] the row of (v, v), for every node of the batch
  std::span<const Index> first_row;  // [N] the row of (v, first node of the graph)

  [[nodiscard]] Index rows() const { return graphs.rows; }
};

// Arrays that live as long as the recording. Throws Error (kData), naming the graph, where there are more rows than a
// matrix can have.
template <class S>
[[nodiscard]] SquareRows square_rows(Formula<S>& f, bool padded);

// Of each graph: the rows of (i, j) with i != j both nodes of the graph.
template <class S>
[[nodiscard]] tape::Segments off_diagonal(Formula<S>& f, const SquareRows& rows);

// [E] the row of (receiver, sender) of every edge.
template <class S>
[[nodiscard]] std::span<const Index> edge_rows(Formula<S>& f, const SquareRows& rows);

// [rows, 1]: the number of edges that i receives from j, or 1 if there are any.
enum class Multiples { kCount, kOnce };
template <class S>
[[nodiscard]] S* adjacency(Formula<S>& f, const SquareRows& rows, Multiples multiples);

// [rows, 1]: 1 at (i, j) of nodes, 0 in the padding.
template <class S>
[[nodiscard]] tape::Value<S> mask_of_padding(Formula<S>& f, const SquareRows& rows);

}  // namespace agentnet
