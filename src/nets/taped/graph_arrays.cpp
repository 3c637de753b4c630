#include "nets/taped/graph_arrays.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "agentnet/error.h"
#include "core/checked.h"

namespace agentnet {
namespace {

// The last of a vocabulary stands for values that were never seen.
int known(int vocabulary) { return vocabulary - 1; }

CheckedSize width_of(int dense, const std::vector<int>& categories, bool one_hot) {
  CheckedSize columns = static_cast<std::uint64_t>(dense);
  if (one_hot) {
    for (const int vocabulary : categories) columns += static_cast<std::uint64_t>(known(vocabulary));
  }
  return columns;
}

int fitting(CheckedSize columns) {
  const auto width = columns.valid() ? checked_cast<int>(columns.value()) : std::nullopt;
  if (width && static_cast<std::uint64_t>(*width) <= kMostElements) return *width;
  throw Error(ErrorKind::kUsage, "one column per category is more than a network can have",
              "use a network that has tables for categories, such as gin-mol, or fewer categories");
}

// Appends `columns` zeros, with a 1 at `value` if it is one of them.
template <class S>
void append_one_hot(std::int32_t value, int columns, std::vector<S>& out) {
  const std::size_t first = out.size();
  out.resize(first + static_cast<std::size_t>(columns), S(0));
  if (value >= 0 && value < columns) out[first + static_cast<std::size_t>(value)] = S(1);
}

// A row of features of a graph, at the end of the arrays.
template <class S>
void append_row(const DenseRows& dense, const std::vector<ColumnScale>& scale, const CategoryRows& categories,
                const std::vector<int>& vocabularies, bool one_hot, std::uint64_t row, std::vector<S>& numbers,
                std::vector<Index>& table_rows) {
  const std::size_t first = numbers.size();
  numbers.resize(first + static_cast<std::size_t>(dense.width));
  if (dense.width > 0) {
    dense.copy(row, numbers.data() + first);
    scale_row(scale, numbers.data() + first);
  }
  for (std::size_t c = 0; c < vocabularies.size(); ++c) {
    const std::int32_t value = categories.value(row, c);
    if (one_hot) {
      append_one_hot(value, known(vocabularies[c]), numbers);
    } else {
      table_rows.push_back(value >= 0 && value < vocabularies[c] ? value : vocabularies[c] - 1);
    }
  }
}

template <class T>
std::size_t bytes(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

}  // namespace

int node_columns(const DataShape& shape, const FeatureWish& wish) {
  CheckedSize columns = width_of(shape.node_features, shape.node_categories, wish.one_hot_nodes);
  const bool tables = !wish.one_hot_nodes && !shape.node_categories.empty();
  if (columns.equals(0) && !tables) columns = 1;
  return fitting(columns + static_cast<std::uint64_t>(wish.random_columns));
}

int edge_columns(const DataShape& shape, const FeatureWish& wish) {
  if (!wish.edges) return 0;
  const CheckedSize columns = width_of(shape.edge_features, shape.edge_categories, wish.one_hot_edges);
  const bool tables = !wish.one_hot_edges && !shape.edge_categories.empty();
  return columns.equals(0) && !tables && wish.one_hot_edges ? 1 : fitting(columns);
}

// Room for a whole batch at once: growing row by row, the arrays would end with up to twice what they need.
template <class S>
void GraphArrays<S>::count(const Batch& batch, const FeatureWish& wish) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Index>::max() / 2);
  CheckedSize nodes = 0, edges = 0;
  for (const GraphView& graph : batch.graphs) {
    nodes += graph.num_nodes;
    edges += graph.edge_feature_rows();
    if (nodes.valid() && edges.valid() && nodes.value() < kMost && edges.value() < kMost) continue;
    throw Error(ErrorKind::kData,
                graph.place() + "this network reads all of a graph, and the batch has more nodes or edges than fit",
                "use smaller graphs or batches, or an AgentNet, which reads where its agents go");
  }
  node_features_.reserve(nodes.value() * static_cast<std::size_t>(node_columns_));
  node_graph_.reserve(nodes.value());
  node_number_.reserve(nodes.value());
  receiver_offsets_.reserve(nodes.value() + 1);
  senders_.reserve(edges.value());
  if (wish.edges) edge_features_.reserve(edges.value() * static_cast<std::size_t>(edge_columns_));
}

template <class S>
void GraphArrays<S>::assign(const DataShape& shape, const FeatureWish& wish, const InputScale& inputs,
                            const Batch& batch) {
  check_columns(shape, batch);
  node_columns_ = agentnet::node_columns(shape, wish);
  edge_columns_ = agentnet::edge_columns(shape, wish);
  count(batch, wish);
  for (auto* numbers : {&node_features_, &edge_features_}) numbers->clear();
  for (auto* indices : {&node_categories_, &edge_categories_, &senders_}) indices->clear();
  for (auto* offsets : {&receiver_offsets_, &graph_offsets_}) offsets->assign(1, 0);
  node_graph_.clear();
  node_number_.clear();
  ids_.assign(batch.ids.begin(), batch.ids.end());

  const Reading reading{shape, wish, inputs};
  for (std::size_t g = 0; g < batch.graphs.size(); ++g) {
    const Index first_node = nodes();
    add_nodes(reading, batch.graphs[g], batch.ids[g]);
    add_edges(reading, batch.graphs[g], first_node);
    graph_offsets_.push_back(nodes());
  }

  const Index N = nodes();
  neighbours_ = {.count = N, .rows = N, .offsets = receiver_offsets_.data(), .members = senders_.data()};
  receivers_.assign(neighbours_);
  neighbours_.transposed = &receivers_.segments();
  received_ = {.count = N, .rows = edges(), .offsets = receiver_offsets_.data(), .disjoint = true};
  if (wish.edges) {
    sent_.assign(senders_, N);
    sent_segments_ = sent_.segments();
  }
  members_ = {.count = graphs(), .rows = N, .offsets = graph_offsets_.data(), .disjoint = true};
}

template <class S>
void GraphArrays<S>::add_nodes(const Reading& reading, const GraphView& graph, std::uint64_t id) {
  for (std::uint64_t v = 0; v < graph.num_nodes; ++v) {
    const std::size_t first = node_features_.size();
    append_row(graph.node_dense, reading.inputs.nodes, graph.node_categories, reading.shape.node_categories,
               reading.wish.one_hot_nodes, v, node_features_, node_categories_);
    node_features_.resize(first + static_cast<std::size_t>(node_columns_), S(1));  // a constant, and room for draws
    node_graph_.push_back(id);
    node_number_.push_back(static_cast<std::uint32_t>(v));
  }
}

template <class S>
void GraphArrays<S>::add_edges(const Reading& reading, const GraphView& graph, Index first_node) {
  for (std::uint64_t v = 0; v < graph.num_nodes; ++v) {
    for (auto [entry, last] = graph.entries_of(v); entry < last; ++entry) {
      const auto sender = first_node + static_cast<Index>(graph.neighbour(entry));
      for (auto [row, last_row] = graph.edge_rows_of(entry); row < last_row; ++row) {
        senders_.push_back(sender);
        if (reading.wish.edges) add_edge(reading, graph, row);
      }
    }
    receiver_offsets_.push_back(edges());
  }
}

template <class S>
void GraphArrays<S>::add_edge(const Reading& reading, const GraphView& graph, std::uint64_t row) {
  const std::size_t first = edge_features_.size();
  append_row(graph.edge_dense, reading.inputs.edges, graph.edge_categories, reading.shape.edge_categories,
             reading.wish.one_hot_edges, row, edge_features_, edge_categories_);
  edge_features_.resize(first + static_cast<std::size_t>(edge_columns_), S(1));
}

template <class S>
std::size_t GraphArrays<S>::memory() const {
  return bytes(node_features_) + bytes(edge_features_) + bytes(node_categories_) + bytes(edge_categories_) +
         4 * bytes(senders_) + 2 * bytes(receiver_offsets_) + bytes(graph_offsets_) + bytes(ids_) + bytes(node_graph_) +
         bytes(node_number_);
}

template class GraphArrays<float>;
template class GraphArrays<double>;

}  // namespace agentnet
