// psi: what a node sends to a neighbour that looks around (docs/spec.md, section 2, step 2; section 3, edge
// features and QM9), and the scaled sum of it.
//
// Without edge features the message is the node's state. With them, the part of the message that
// depends on the sender alone ("product") is computed once per change of the sender's state and the
// part that depends on the edge once per edge; per edge and visit only vector operations remain.
#pragma once

#include <vector>

#include "nets/agentnet/walk.h"

namespace agentnet {

template <class S>
struct MessageRecord {
  Index targets = 0;
  const Index* rows = nullptr;          // [targets] who looks around
  const std::int64_t* first = nullptr;  // [targets] their neighbours in Terrain::all_candidates()
  const std::int64_t* last = nullptr;
  const S* scale = nullptr;  // [targets]

  // With edge features: the senders whose products were recomputed before this sum.
  Index refreshed = 0;
  Index brand_new = 0;             // the last of them, which had no product before
  const Index* senders = nullptr;  // [refreshed]
  Matrix<S> states;                // [refreshed, h] what the products were computed from
  Matrix<S> old_products;          // [refreshed - brand_new, product width]
  const S* old_mean = nullptr;
  const S* old_m2 = nullptr;
};

template <class S>
class Messages {
 public:
  void begin(const Walk<S>& walk);

  // These rows have changed since the last sum.
  void changed(Index count, const Index* rows);

  // out [targets, h] = scaled sum of the neighbours' messages, plus the offset row.
  void forward(const Walk<S>& walk, MessageRecord<S>& record, Index targets, const Index* rows, OffsetRows<S> offsets,
               Matrix<S> out);

  void begin_backward(const Walk<S>& walk);
  // Adds the gradients of d_out [targets, h] to the neighbours' states, the edges and the weights.
  void backward(const Walk<S>& walk, const MessageRecord<S>& record, Matrix<S> d_out);
  // Hands on what was collected per edge; after the last backward.
  void finish_backward(const Walk<S>& walk);

  // Bytes held.
  [[nodiscard]] std::size_t memory() const;

 private:
  enum class Kind { kState, kEdge, kKernel };

  void refresh(const Walk<S>& walk, MessageRecord<S>& record);
  void refresh_edges(const Walk<S>& walk);
  void sum_edges(const Walk<S>& walk, const MessageRecord<S>& record, Index target, S* out) const;
  void sum_edges_backward(const Walk<S>& walk, const MessageRecord<S>& record, Index target, const S* d_out);
  void sum_kernels(const Walk<S>& walk, const MessageRecord<S>& record, Index target, S* out) const;
  void sum_kernels_backward(const Walk<S>& walk, const MessageRecord<S>& record, Index target, const S* d_out);
  void flush(const Walk<S>& walk, const MessageRecord<S>& record);
  // mu and 1 / sigma of the layer norm over [v of the sender, e].
  void norm_of_edge(const Walk<S>& walk, Index sender, Index edge, S& mean, S& rstd) const;

  [[nodiscard]] S* product(Index row) { return products_.data() + static_cast<Stride>(row) * width_; }
  [[nodiscard]] const S* product(Index row) const { return products_.data() + static_cast<Stride>(row) * width_; }

  Kind kind_ = Kind::kState;
  Index h_ = 0;
  Stride width_ = 0;       // of a product
  Stride edge_width_ = 0;  // of an edge's own part: h, or the kernel's hidden units
  Index known_rows_ = 0, known_edges_ = 0;
  std::vector<Index> stale_;
  std::vector<char> is_stale_;
  std::vector<S> products_, mean_, m2_;  // per node row, as of the last refresh
  std::vector<S> edge_parts_;            // per edge row

  // Backward.
  std::vector<S> d_products_, d_scale_, d_shift_;              // per node row
  std::vector<S> d_edge_parts_, d_edge_scale_, d_edge_shift_;  // per edge row
  std::vector<S> d_direction_;                                 // [h] of W' 1
};

}  // namespace agentnet
