#include "model/terrain.h"

#include <algorithm>
#include <utility>

namespace agentnet {

void RowMap::begin(std::span<const GraphView> graphs, std::uint64_t visits) {
  sparse_.clear();
  first_.clear();
  std::int64_t total = 0;
  for (const GraphView& g : graphs) {
    const bool dense = g.num_nodes <= 4 * visits;
    first_.push_back(dense ? total : -1);
    if (dense) total += static_cast<std::int64_t>(g.num_nodes);
  }
  dense_.assign(static_cast<std::size_t>(total), kNone);
}

Index& RowMap::at(Index graph, std::uint64_t node) {
  const std::int64_t first = first_[static_cast<std::size_t>(graph)];
  if (first >= 0) return dense_[static_cast<std::size_t>(first) + static_cast<std::size_t>(node)];
  constexpr int kGraphShift = 40;  // graphs of a shard are few, nodes of a graph fit 40 bits
  const std::uint64_t key = (static_cast<std::uint64_t>(graph) << kGraphShift) | node;
  return sparse_.try_emplace(key, kNone).first->second;
}

std::size_t RowMap::memory() const {
  struct Entry {  // of a chained hash table: the link beside key and value
    void* next;
    std::pair<const std::uint64_t, Index> value;
  };
  return first_.capacity() * sizeof(std::int64_t) + dense_.capacity() * sizeof(Index) + sparse_.size() * sizeof(Entry) +
         sparse_.bucket_count() * sizeof(void*);
}

template <class S>
void Terrain<S>::begin(const ModelConfig& config, std::span<const GraphView> graphs) {
  config_ = &config;
  graphs_ = graphs;
  map_.begin(graphs, static_cast<std::uint64_t>(config.agents) * static_cast<std::uint64_t>(config.steps + 1));
  graph_of_row_.clear();
  place_of_row_.clear();
  node_of_row_.clear();
  places_.clear();
  candidates_.clear();
  edge_origin_.clear();
  embedded_nodes = embedded_edges = 0;
  node_ld_ = leading_dimension<S>(config.hidden);
  edge_ld_ = leading_dimension<S>(std::max(1, config.edge_width()));
}

template <class S>
Index Terrain<S>::observe(Index graph, std::uint64_t node) {
  Index& row = map_.at(graph, node);
  if (row == kNone) {
    row = rows();
    graph_of_row_.push_back(graph);
    node_of_row_.push_back(node);
    place_of_row_.push_back(kNone);
  }
  return row;
}

template <class S>
void Terrain<S>::visit(Index row) {
  if (place_of_row_[static_cast<std::size_t>(row)] != kNone) return;
  place_of_row_[static_cast<std::size_t>(row)] = static_cast<Index>(places_.size());
  const Index graph = graph_of(row);
  const GraphView& g = graphs_[static_cast<std::size_t>(graph)];
  const std::uint64_t node = node_of(row);
  const auto neighbours = g.neighbours_of(node);

  Place place;
  place.first = static_cast<std::int64_t>(candidates_.size());
  place.degree = static_cast<Index>(neighbours.size());
  for (const std::uint32_t n : neighbours) {
    if (n == node) place.self = static_cast<Index>(candidates_.size() - static_cast<std::size_t>(place.first));
    candidates_.push_back(observe(graph, n));
  }
  place.candidates = place.degree;
  if (config_->self_loops && place.self == kNone) {
    place.self = place.candidates++;
    candidates_.push_back(row);
  }
  if (config_->has_edges()) add_edges(row, place, g.offsets[node]);
  places_.push_back(place);
}

template <class S>
void Terrain<S>::add_edges(Index row, Place& place, std::uint64_t first_entry) {
  place.first_edge = edge_rows();
  for (Index c = 0; c < place.degree; ++c) {
    edge_origin_.push_back({graph_of(row), false, kNone, first_entry + static_cast<std::uint64_t>(c)});
  }
  if (config_->self_loops) {
    place.loop_edge = edge_rows();
    const bool own = place.self < place.degree;
    edge_origin_.push_back({graph_of(row), true, own ? place.first_edge + place.self : kNone, 0});
  }
}

template <class S>
void Terrain<S>::grow() {
  const auto grow_to = [](std::vector<S>& v, std::size_t n) {
    if (v.size() < n) v.resize(std::max(n, v.size() * 3 / 2));
  };
  const auto nodes = static_cast<std::size_t>(rows());
  grow_to(node_states_, nodes * static_cast<std::size_t>(node_ld_));
  grow_to(node_mean_, nodes);
  grow_to(node_m2_, nodes);
  const auto edges = static_cast<std::size_t>(edge_rows());
  grow_to(edge_states_, edges * static_cast<std::size_t>(edge_ld_));
  grow_to(edge_mean_, edges);
  grow_to(edge_m2_, edges);
}

template <class S>
std::size_t Terrain<S>::memory() const {
  const std::size_t numbers = node_states_.capacity() + node_mean_.capacity() + node_m2_.capacity() +
                              edge_states_.capacity() + edge_mean_.capacity() + edge_m2_.capacity();
  const std::size_t indices = graph_of_row_.capacity() + place_of_row_.capacity() + candidates_.capacity();
  return map_.memory() + numbers * sizeof(S) + indices * sizeof(Index) +
         node_of_row_.capacity() * sizeof(std::uint64_t) + places_.capacity() * sizeof(Place) +
         edge_origin_.capacity() * sizeof(EdgeOrigin);
}

template class Terrain<float>;
template class Terrain<double>;

}  // namespace agentnet
