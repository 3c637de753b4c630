// The graphs of a batch as the few long arrays that a formula on the tape reads.
//
// Letters: B graphs, N nodes, E edges of all of them together. An edge is a row of edge features: one that the data
// gives twice counts twice. Node v receives from its neighbours, as an agent on v would look around.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agentnet/network.h"
#include "nn/network.h"
#include "tape/segments.h"

namespace agentnet {

// How a network wants the features.
struct FeatureWish {
  // Categories of nodes as columns of zeros and one 1, one column for each that training knew; else as rows of tables.
  bool one_hot_nodes = true;
  bool one_hot_edges = true;  // the same of edges
  bool edges = false;         // whether it reads edge features at all
  int random_columns = 0;     // more columns, which the formula fills in
};

// Dense columns: those of the data, then the one-hot ones; a constant 1 where there would be neither these nor tables.
[[nodiscard]] int node_columns(const DataShape& shape, const FeatureWish& wish);
[[nodiscard]] int edge_columns(const DataShape& shape, const FeatureWish& wish);

template <class S>
class GraphArrays {
 public:
  // Copies the graphs into the arrays, their numbers as `inputs` says; memory is used again. Throws Error: kMismatch
  // for other columns than the shape says, kData for a damaged file and for graphs that are too large for one batch.
  void assign(const DataShape& shape, const FeatureWish& wish, const InputScale& inputs, const Batch& batch);

  [[nodiscard]] Index graphs() const { return static_cast<Index>(ids_.size()); }
  [[nodiscard]] Index nodes() const { return static_cast<Index>(node_number_.size()); }
  [[nodiscard]] Index edges() const { return static_cast<Index>(senders_.size()); }

  [[nodiscard]] Index node_columns() const { return node_columns_; }
  [[nodiscard]] Index edge_columns() const { return edge_columns_; }
  [[nodiscard]] std::span<S> node_features() { return node_features_; }              // [N, node_columns]
  [[nodiscard]] std::span<const S> node_features() const { return node_features_; }  // [N, node_columns]
  [[nodiscard]] std::span<const S> edge_features() const { return edge_features_; }  // [E, edge_columns]
  // [N, categorical columns], [E, ...]: rows of tables. A value past the vocabulary is its last row: never seen.
  [[nodiscard]] std::span<const Index> node_categories() const { return node_categories_; }
  [[nodiscard]] std::span<const Index> edge_categories() const { return edge_categories_; }

  // [E] the node that an edge comes from; edges are in the order of the nodes that receive them.
  [[nodiscard]] std::span<const Index> senders() const { return senders_; }
  // Of each node: the nodes that it receives from, N segments of N rows.
  [[nodiscard]] const tape::Segments& neighbours() const { return neighbours_; }
  // Of each node: the edges that it receives, N segments of E rows.
  [[nodiscard]] const tape::Segments& received() const { return received_; }
  // Of each node: the edges that it sends, N segments of E rows; the way back of gather(h, senders()).
  [[nodiscard]] const tape::Segments& sent() const { return sent_segments_; }
  // Of each graph: its nodes.
  [[nodiscard]] const tape::Segments& members() const { return members_; }

  // What random draws are keyed by.
  [[nodiscard]] std::span<const std::uint64_t> ids() const { return ids_; }                   // [B]
  [[nodiscard]] std::span<const std::uint64_t> graph_of_node() const { return node_graph_; }  // [N] the id
  [[nodiscard]] std::span<const std::uint32_t> number_in_graph() const { return node_number_; }

  [[nodiscard]] std::size_t memory() const;

 private:
  void count(const Batch& batch, const FeatureWish& wish);
  // What the rows of a batch are read by.
  struct Reading {
    const DataShape& shape;
    const FeatureWish& wish;
    const InputScale& inputs;
  };
  void add_nodes(const Reading& reading, const GraphView& graph, std::uint64_t id);
  void add_edges(const Reading& reading, const GraphView& graph, Index first_node);
  void add_edge(const Reading& reading, const GraphView& graph, std::uint64_t row);

  Index node_columns_ = 0, edge_columns_ = 0;
  std::vector<S> node_features_, edge_features_;
  std::vector<Index> node_categories_, edge_categories_;
  std::vector<Index> senders_;
  std::vector<std::int64_t> receiver_offsets_, graph_offsets_;
  std::vector<std::uint64_t> ids_, node_graph_;
  std::vector<std::uint32_t> node_number_;
  tape::Segments neighbours_, received_, members_, sent_segments_;
  tape::Transposed receivers_;
  tape::Grouping sent_;
};

extern template class GraphArrays<float>;
extern template class GraphArrays<double>;

}  // namespace agentnet
