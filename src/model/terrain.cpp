#include "model/terrain.h"

#include <fmt/format.h>

#include <algorithm>
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

[[noreturn]] void damaged(std::uint64_t node, const std::string& what) {
  throw Error(ErrorKind::kData, fmt::format("the neighbours of node {} are damaged: {}", node, what),
              "agentnet inspect FILE checks all of the file; convert the data again");
}

}  // namespace

template <class S>
void Terrain<S>::begin(const ModelConfig& config, std::span<const GraphView> graphs,
                       const NeighbourSampling& sampling) {
  config_ = &config;
  graphs_ = graphs;
  sampling_ = sampling;
  map_.begin(graphs, static_cast<std::uint64_t>(config.agents) * static_cast<std::uint64_t>(config.steps + 1));
  pages_.begin();
  entries_read_ = 0;
  graph_of_row_.clear();
  place_of_row_.clear();
  node_of_row_.clear();
  label_of_row_.clear();
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

// All lists are found before the first is read: what their pages cost to fetch, they cost together.
template <class S>
void Terrain<S>::visit(std::span<const Index> rows) {
  lists_.clear();
  for (const Index row : rows) {
    if (place_of_row_[static_cast<std::size_t>(row)] != kNone) continue;
    place_of_row_[static_cast<std::size_t>(row)] = static_cast<Index>(places_.size() + lists_.size());
    lists_.push_back({.row = row});
    const GraphView& graph = graph_at(row);
    pages_.will_read(graph, graph.offsets + node_of(row), 2 * sizeof(std::uint64_t));
  }
  for (List& list : lists_) {
    list = find_list(list.row);
    will_read_list(list);
  }
  for (const List& list : lists_) make_place(list);
}

template <class S>
typename Terrain<S>::List Terrain<S>::find_list(Index row) {
  const GraphView& graph = graph_at(row);
  const std::uint64_t node = node_of(row);
  List list{.row = row};
  list.first = graph.offsets[node];
  const std::uint64_t last = graph.offsets[node + 1];
  if (last < list.first || last > graph.most_edges) damaged(node, "they lie outside the graph");
  list.degree = last - list.first;
  list.sampled = sampling_.most > 0 && list.degree > sampling_.most;
  if (!list.sampled) return list;
  // 64 random bits, scaled to the degree.
  constexpr int kWord = 32;
  const auto bits =
      philox(random_counter(sampling_.graph_ids[static_cast<std::size_t>(graph_of(row))],
                            static_cast<std::uint32_t>(node), static_cast<std::uint32_t>(node >> kWord), 0),
             sampling_.key);
  const std::uint64_t draw = (static_cast<std::uint64_t>(bits[0]) << kWord) | bits[1];
  __extension__ using Wide = unsigned __int128;
  list.start = static_cast<std::uint64_t>((static_cast<Wide>(draw) * list.degree) >> 64);
  const auto& hubs = graph.hubs.nodes;
  const auto hub = std::lower_bound(hubs.begin(), hubs.end(), node);
  if (hub != hubs.end() && *hub == node) {
    const auto number = static_cast<std::uint64_t>(hub - hubs.begin());
    list.hub = number + 1;
    list.hub_entry = graph.hubs.first[number];
    const std::uint64_t end = graph.hubs.first[number + 1];
    if (end > graph.hubs.entries || list.hub_entry > end || end - list.hub_entry != list.degree)
      damaged(node, "its list of a hub has another length");
  }
  return list;
}

template <class S>
void Terrain<S>::will_read_list(const List& list) {
  const GraphView& graph = graph_at(list.row);
  const auto width = static_cast<std::uint64_t>(graph.node_categories.width);
  const auto read = [&](const auto* array, std::uint64_t first, std::uint64_t count, std::uint64_t per_entry) {
    if (array != nullptr) pages_.will_read(graph, array + first * per_entry, count * per_entry * sizeof(*array));
  };
  const auto read_all = [&](const auto& arrays, std::uint64_t first, std::uint64_t count) {
    read(arrays.neighbours, first, count, 1);
    read(arrays.wide_neighbours, first, count, 1);
    read(arrays.labels, first, count, width);
  };
  entries_read_ += list.sampled ? sampling_.most : list.degree;
  if (!list.sampled) return read_all(graph, list.first, list.degree);
  const HubOrder order(node_of(list.row), list.degree);
  for (std::uint64_t i = 0; i < sampling_.most; ++i) {
    const std::uint64_t at = (list.start + i) % list.degree;
    if (list.hub > 0) {
      read_all(graph.hubs, list.hub_entry + at, 1);
    } else {
      read_all(graph, list.first + order(at), 1);
    }
  }
}

template <class S>
void Terrain<S>::take_all(const GraphView& graph, const List& list) {
  const auto width = static_cast<std::uint64_t>(graph.node_categories.width);
  for (std::uint64_t entry = list.first; entry < list.first + list.degree; ++entry) {
    neighbours_.push_back(
        {graph.neighbour(entry), entry, graph.labels != nullptr ? graph.labels + entry * width : nullptr});
  }
}

// The same neighbours whether the list was written in the order of samples or not.
template <class S>
void Terrain<S>::take_sample(const GraphView& graph, const List& list, std::uint64_t node) {
  const auto width = static_cast<std::uint64_t>(graph.node_categories.width);
  const HubOrder order(node, list.degree);
  for (std::uint64_t i = 0; i < sampling_.most; ++i) {
    const std::uint64_t at = (list.start + i) % list.degree;
    Neighbour neighbour;
    neighbour.entry = list.first + order(at);
    if (list.hub > 0) {
      const HubLists& hubs = graph.hubs;
      const std::uint64_t entry = list.hub_entry + at;
      neighbour.node = hubs.wide_neighbours != nullptr ? hubs.wide_neighbours[entry] : hubs.neighbours[entry];
      if (hubs.labels != nullptr) neighbour.label = hubs.labels + entry * width;
    } else {
      neighbour.node = graph.neighbour(neighbour.entry);
      if (graph.labels != nullptr) neighbour.label = graph.labels + neighbour.entry * width;
    }
    neighbours_.push_back(neighbour);
  }
  std::sort(neighbours_.begin(), neighbours_.end(),
            [](const Neighbour& a, const Neighbour& b) { return a.node < b.node; });
}

template <class S>
void Terrain<S>::make_place(const List& list) {
  const Index graph = graph_of(list.row);
  const GraphView& g = graph_at(list.row);
  const std::uint64_t node = node_of(list.row);
  neighbours_.clear();
  if (list.sampled) {
    take_sample(g, list, node);
  } else {
    take_all(g, list);
  }
  Place place;
  place.first = static_cast<std::int64_t>(candidates_.size());
  place.degree = static_cast<Index>(neighbours_.size());
  place.true_degree = list.degree;
  for (const Neighbour& neighbour : neighbours_) {
    if (neighbour.node >= g.num_nodes) damaged(node, fmt::format("there is no node {}", neighbour.node));
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
  const std::uint8_t* label = label_of_row_[static_cast<std::size_t>(row)];
  if (label != nullptr) return categories.renumbered(label[column], column);
  return categories.value(node_of(row), column);
}

template <class S>
void Terrain<S>::will_embed(Index first, Index last) {
  for (Index row = first; row < last; ++row) {
    const GraphView& graph = graph_at(row);
    if (graph.file == nullptr) continue;
    const auto read = [&](const auto* array, int width) {
      if (array == nullptr || width == 0) return;
      const auto values = static_cast<std::uint64_t>(width);
      pages_.will_read(graph, array + node_of(row) * values, values * sizeof(*array));
    };
    read(graph.node_dense.f32, graph.node_dense.width);
    if (label_of_row_[static_cast<std::size_t>(row)] == nullptr) {
      read(graph.node_categories.data, graph.node_categories.width);
    }
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
  return map_.memory() + pages_.memory() + numbers * sizeof(S) + indices * sizeof(Index) +
         node_of_row_.capacity() * sizeof(std::uint64_t) + label_of_row_.capacity() * sizeof(const std::uint8_t*) +
         places_.capacity() * sizeof(Place) + edge_origin_.capacity() * sizeof(EdgeOrigin) +
         lists_.capacity() * sizeof(List) + neighbours_.capacity() * sizeof(Neighbour);
}

template class Terrain<float>;
template class Terrain<double>;

}  // namespace agentnet
