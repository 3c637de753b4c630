#include "nets/agentnet/terrain.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "agentnet/error.h"
#include "graph/hub_order.h"

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

namespace {

[[noreturn]] void damaged(const GraphView& graph, std::uint64_t node, const std::string& what) {
  graph.damaged(fmt::format("the neighbours of node {} are damaged: {}", node, what));
}

[[noreturn]] void too_many_neighbours(const GraphView& graph, std::uint64_t node, std::uint64_t degree) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{}node {} has {} neighbours, too many to look at all of them", graph.place(), node, degree),
              "have a sample of them looked at: --max-neighbours 64");
}

}  // namespace

template <class S>
void Terrain<S>::begin(const AgentNetConfig& config, std::span<const GraphView> graphs,
                       const NeighbourSampling& sampling) {
  config_ = &config;
  graphs_ = graphs;
  sampling_ = sampling;
  // With an agent on every node no graph is too large for an array of its rows.
  const std::uint64_t visits = static_cast<std::uint64_t>(config.agents) * static_cast<std::uint64_t>(config.steps + 1);
  map_.begin(graphs, config.start == StartPolicy::kEveryNode ? std::numeric_limits<std::uint32_t>::max() : visits);
  pages_.begin();
  entries_read_ = 0;
  graph_of_row_.clear();
  place_of_row_.clear();
  node_of_row_.clear();
  label_of_row_.clear();
  categories_of_row_.clear();
  places_.clear();
  candidates_.clear();
  edge_origin_.clear();
  embedded_nodes = embedded_edges = 0;
  node_ld_ = leading_dimension<S>(config.hidden);
  edge_ld_ = leading_dimension<S>(std::max(1, config.edge_width()));
}

template <class S>
Index Terrain<S>::observe(Index graph, std::uint64_t node) {
  return observe(graph, Neighbour{node, 0, nullptr});
}

template <class S>
Index Terrain<S>::observe(Index graph, const Neighbour& neighbour) {
  Index& row = map_.at(graph, neighbour.node);
  if (row == kNone) {
    row = rows();
    graph_of_row_.push_back(graph);
    node_of_row_.push_back(neighbour.node);
    label_of_row_.push_back(neighbour.label);
    place_of_row_.push_back(kNone);
  }
  return row;
}

// All lists are asked for before the first is used: what their pages cost to fetch, they cost together.
template <class S>
void Terrain<S>::visit(std::span<const Index> rows) {
  lists_.clear();
  for (const Index row : rows) {
    if (place_of_row_[static_cast<std::size_t>(row)] != kNone) continue;
    place_of_row_[static_cast<std::size_t>(row)] = static_cast<Index>(places_.size() + lists_.size());
    const GraphView& graph = graph_at(row);
    lists_.push_back({.row = row, .offsets = pages_.fetch(graph, graph.offsets + node_of(row), 2)});
  }
  pages_.finish();
  for (List& list : lists_) {
    find(list);
    fetch(list);
  }
  pages_.finish();
  for (const List& list : lists_) make_place(list);
}

template <class S>
void Terrain<S>::find(List& list) const {
  const std::uint64_t node = node_of(list.row);
  list.first = list.offsets[0];
  const std::uint64_t last = list.offsets[1];
  const GraphView& graph = graph_at(list.row);
  if (last < list.first || last > graph.most_edges) damaged(graph, node, "they lie outside the graph");
  list.degree = last - list.first;
  list.sampled = sampling_.most > 0 && list.degree > sampling_.most;
  if (!list.sampled) {
    if (list.degree >= std::numeric_limits<Index>::max()) too_many_neighbours(graph, node, list.degree);
    return;
  }
  // 64 random bits, scaled to the degree.
  constexpr int kWord = 32;
  const auto bits =
      philox(random_counter(sampling_.graph_ids[static_cast<std::size_t>(graph_of(list.row))],
                            static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(node >> kWord), 0),
             sampling_.key);
  const std::uint64_t draw = (static_cast<std::uint64_t>(bits[0]) << kWord) | bits[1];
  __extension__ using Wide = unsigned __int128;
  list.start = static_cast<std::uint64_t>((static_cast<Wide>(draw) * list.degree) >> 64);
}

template <class S>
void Terrain<S>::fetch(List& list) {
  const GraphView& graph = graph_at(list.row);
  const auto width = static_cast<std::uint64_t>(graph.node_categories.width);
  entries_read_ += list.sampled ? sampling_.most : list.degree;
  if (list.sampled && list.degree > kLongList) {
    const auto& hubs = graph.hubs.nodes;
    const auto hub = std::lower_bound(hubs.begin(), hubs.end(), node_of(list.row));
    if (hub != hubs.end() && *hub == node_of(list.row)) {
      return fetch_sample_of_hub(list, static_cast<std::uint64_t>(hub - hubs.begin()));
    }
    if (PageReader::in_huge_file(graph, graph.offsets)) return fetch_sample_by_entries(list);
  }
  const auto from = [&](const auto* array, std::uint64_t per_entry) {
    return array == nullptr ? array : pages_.fetch(graph, array + list.first * per_entry, list.degree * per_entry);
  };
  list.narrow = from(graph.neighbours, 1);
  list.wide = from(graph.wide_neighbours, 1);
  list.labels = from(graph.labels, width);
}

// The sample is a stretch of the hub's own list, which goes on at its beginning.
template <class S>
void Terrain<S>::fetch_sample_of_hub(List& list, std::uint64_t hub) {
  const GraphView& graph = graph_at(list.row);
  const std::uint64_t entry = graph.hubs.first[hub], end = graph.hubs.first[hub + 1];
  if (end > graph.hubs.entries || entry > end || end - entry != list.degree) {
    damaged(graph, node_of(list.row), "the list of the hub has another length");
  }
  const std::uint64_t before_end = std::min(sampling_.most, list.degree - list.start);
  const auto from = [&]<class T>(const T* array, std::uint64_t per_entry) -> const T* {
    if (array == nullptr) return nullptr;
    T* out = pages_.template room<T>(sampling_.most * per_entry);
    pages_.request(graph, array + (entry + list.start) * per_entry, before_end * per_entry, out);
    pages_.request(graph, array + entry * per_entry, (sampling_.most - before_end) * per_entry,
                   out + before_end * per_entry);
    return out;
  };
  list.in_order_of_sample = true;
  list.narrow = from(graph.hubs.neighbours, 1);
  list.wide = from(graph.hubs.wide_neighbours, 1);
  list.labels = from(graph.hubs.labels, static_cast<std::uint64_t>(graph.node_categories.width));
}

// A file without lists of hubs: a page for each entry.
template <class S>
void Terrain<S>::fetch_sample_by_entries(List& list) {
  const GraphView& graph = graph_at(list.row);
  const HubOrder order(node_of(list.row), list.degree);
  const auto from = [&]<class T>(const T* array, std::uint64_t per_entry) -> const T* {
    if (array == nullptr) return nullptr;
    T* out = pages_.template room<T>(sampling_.most * per_entry);
    for (std::uint64_t i = 0; i < sampling_.most; ++i) {
      const std::uint64_t entry = list.first + order((list.start + i) % list.degree);
      pages_.request(graph, array + entry * per_entry, per_entry, out + i * per_entry);
    }
    return out;
  };
  list.in_order_of_sample = true;
  list.narrow = from(graph.neighbours, 1);
  list.wide = from(graph.wide_neighbours, 1);
  list.labels = from(graph.labels, static_cast<std::uint64_t>(graph.node_categories.width));
}

// Ascending, and the same neighbours however their list was read.
template <class S>
void Terrain<S>::take_neighbours(const List& list) {
  const auto width = static_cast<std::uint64_t>(graph_at(list.row).node_categories.width);
  const auto add = [&](std::uint64_t entry, std::uint64_t i) {
    neighbours_.push_back(
        {list.node(i), list.first + entry, list.labels != nullptr ? list.labels + i * width : nullptr});
  };
  neighbours_.clear();
  if (!list.sampled) {
    for (std::uint64_t i = 0; i < list.degree; ++i) add(i, i);
    return;
  }
  const HubOrder order(node_of(list.row), list.degree);
  for (std::uint64_t i = 0; i < sampling_.most; ++i) {
    const std::uint64_t entry = order((list.start + i) % list.degree);
    add(entry, list.in_order_of_sample ? i : entry);
  }
  std::sort(neighbours_.begin(), neighbours_.end(),
            [](const Neighbour& a, const Neighbour& b) { return a.node < b.node; });
}

template <class S>
void Terrain<S>::make_place(const List& list) {
  const Index graph = graph_of(list.row);
  const GraphView& g = graph_at(list.row);
  const std::uint64_t node = node_of(list.row);
  take_neighbours(list);
  Place place;
  place.first = static_cast<std::int64_t>(candidates_.size());
  place.degree = static_cast<Index>(neighbours_.size());
  place.true_degree = list.degree;
  const std::uint64_t* before = nullptr;
  for (const Neighbour& neighbour : neighbours_) {
    if (neighbour.node >= g.num_nodes) damaged(g, node, fmt::format("there is no node {}", neighbour.node));
    if (before != nullptr && neighbour.node <= *before) damaged(g, node, "they are out of order");
    before = &neighbour.node;
    if (neighbour.node == node)
      place.self = static_cast<Index>(candidates_.size() - static_cast<std::size_t>(place.first));
    candidates_.push_back(observe(graph, neighbour));
  }
  place.candidates = place.degree;
  if (config_->self_loops && place.self == kNone) {
    place.self = place.candidates++;
    candidates_.push_back(list.row);
  }
  if (config_->has_edges()) add_edges(list.row, place);
  places_.push_back(place);
}

template <class S>
void Terrain<S>::add_edges(Index row, Place& place) {
  place.first_edge = edge_rows();
  for (const Neighbour& neighbour : neighbours_) edge_origin_.push_back({graph_of(row), false, kNone, neighbour.entry});
  if (config_->self_loops) {
    place.loop_edge = edge_rows();
    const bool own = place.self < place.degree;
    edge_origin_.push_back({graph_of(row), true, own ? place.first_edge + place.self : kNone, 0});
  }
}

template <class S>
std::int32_t Terrain<S>::category(Index row, std::size_t column) const {
  const CategoryRows& categories = graph_at(row).node_categories;
  const auto at = static_cast<std::size_t>(row);
  if (label_of_row_[at] != nullptr) return categories.renumbered(label_of_row_[at][column], column);
  return categories.renumbered(categories_of_row_[at][column], column);
}

template <class S>
void Terrain<S>::fetch_categories(Index first, Index last) {
  categories_of_row_.resize(static_cast<std::size_t>(last), nullptr);
  for (Index row = first; row < last; ++row) {
    const CategoryRows& categories = graph_at(row).node_categories;
    const auto width = static_cast<std::uint64_t>(categories.width);
    if (width == 0 || label_of_row_[static_cast<std::size_t>(row)] != nullptr) continue;
    categories_of_row_[static_cast<std::size_t>(row)] =
        pages_.fetch(graph_at(row), categories.data + node_of(row) * width, width);
  }
  pages_.finish();
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
  return map_.memory() + pages_.memory() + numbers * sizeof(S) + indices * sizeof(Index) +
         node_of_row_.capacity() * sizeof(std::uint64_t) +
         (label_of_row_.capacity() + categories_of_row_.capacity()) * sizeof(const void*) +
         places_.capacity() * sizeof(Place) + edge_origin_.capacity() * sizeof(EdgeOrigin) +
         lists_.capacity() * sizeof(List) + neighbours_.capacity() * sizeof(Neighbour);
}

template <class S>
Index Terrain<S>::find_neighbour(const Place& place, Index row) const {
  const Index* list = candidates(place);
  const Index* end = list + place.degree;
  constexpr Index kShort = 16;
  if (place.degree <= kShort) {
    const Index* at = std::find(list, end, row);
    return at == end ? kNone : static_cast<Index>(at - list);
  }
  const std::uint64_t node = node_of(row);
  const Index* at = std::lower_bound(list, end, node, [&](Index r, std::uint64_t n) { return node_of(r) < n; });
  return at == end || *at != row ? kNone : static_cast<Index>(at - list);
}

template class Terrain<float>;
template class Terrain<double>;

}  // namespace agentnet
