// What the agents of a shard know of their graphs: a row for every node and edge observed so far.
//
// A node gets a row when it is first observed, that is, when an agent starts on it or stands next to
// it; a place (its list of candidates) when an agent first stands on it. Memory and time therefore
// depend on agents, steps and degrees, never on the number of nodes (docs/spec.md, section 4).
//
// Graphs in files are read here and in the embedder only. What a file says is checked before it is used as an index,
// and what all agents are about to read is asked for before the first of them waits for it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/graph.h"
#include "core/random.h"
#include "nets/agentnet/page_reader.h"
#include "tensor/matrix.h"

namespace agentnet {

constexpr Index kNone = -1;

// A node that an agent has stood on. Its candidates are its neighbours in ascending order and then,
// if staying is possible and the graph has no loop of its own there, the node itself.
struct Place {
  std::int64_t first = 0;         // of its candidates, in Terrain::candidates()
  Index degree = 0;               // neighbours, or the sample of them: candidates [0, degree)
  std::uint64_t true_degree = 0;  // all neighbours
  Index candidates = 0;           // degree, or degree + 1
  Index self = kNone;             // which candidate is the node itself
  Index first_edge = kNone;       // edge row of candidate 0; candidate c has first_edge + c
  Index loop_edge = kNone;        // edge row of staying, which differs from that of a loop in the data
};

// Where the features of an edge row come from.
struct EdgeOrigin {
  Index graph = 0;
  bool loop = false;  // the edge of staying: ones, plus row `own` if the data has that loop too
  Index own = kNone;
  std::uint64_t entry = 0;  // into the graph's neighbour array, unless `loop`
};

// How many neighbours of a node are looked at, and which.
struct NeighbourSampling {
  std::uint64_t most = 0;  // nodes with more neighbours show a uniform sample of so many; 0: all are looked at
  RandomKey key;           // the sample of a node is the same during a rollout
  std::span<const std::uint64_t> graph_ids = {};
};

// node -> row for one shard: an array for small graphs, a hash table for large ones.
class RowMap {
 public:
  // Forgets everything. A graph whose nodes outnumber `visits` many times over gets no array.
  void begin(std::span<const GraphView> graphs, std::uint64_t visits);
  // The row of a node, kNone if it has none yet; assign through the reference.
  [[nodiscard]] Index& at(Index graph, std::uint64_t node);

  // Bytes held, those of the hash table by estimate.
  [[nodiscard]] std::size_t memory() const;

 private:
  std::vector<std::int64_t> first_;  // [graphs] start in dense_, -1: in sparse_
  std::vector<Index> dense_;
  std::unordered_map<std::uint64_t, Index> sparse_;
};

template <class S>
class Terrain {
 public:
  // Starts over for a shard.
  void begin(const AgentNetConfig& config, std::span<const GraphView> graphs, const NeighbourSampling& sampling = {});

  // The row of a node, made if need be. New rows wait for their state until the embedder fills it.
  Index observe(Index graph, std::uint64_t node);
  // Makes the places of these rows and observes their neighbours, where that has not happened yet. Throws Error (kData)
  // if a neighbour list of a file is damaged.
  void visit(std::span<const Index> rows);
  // Whether the row has a place: an agent has stood there, or all nodes look around.
  [[nodiscard]] bool has_place(Index row) const { return place_of_row_[static_cast<std::size_t>(row)] != kNone; }
  [[nodiscard]] const Place& place(Index row) const {
    return places_[static_cast<std::size_t>(place_of_row_[static_cast<std::size_t>(row)])];
  }
  [[nodiscard]] const Index* candidates(const Place& place) const { return candidates_.data() + place.first; }
  [[nodiscard]] const Index* all_candidates() const { return candidates_.data(); }
  // Which neighbour, of those looked at, this row is; kNone: none of them. Neighbours are sorted by node, so long
  // lists are searched by halves.
  [[nodiscard]] Index find_neighbour(const Place& place, Index row) const;
  // The edge row of a candidate; only with edge features.
  [[nodiscard]] Index edge_of(const Place& place, Index candidate) const {
    return candidate == place.self && place.loop_edge != kNone ? place.loop_edge : place.first_edge + candidate;
  }

  [[nodiscard]] std::span<const GraphView> graphs() const { return graphs_; }
  [[nodiscard]] Index rows() const { return static_cast<Index>(node_of_row_.size()); }
  [[nodiscard]] Index edge_rows() const { return static_cast<Index>(edge_origin_.size()); }
  [[nodiscard]] Index graph_of(Index row) const { return graph_of_row_[static_cast<std::size_t>(row)]; }
  [[nodiscard]] std::uint64_t node_of(Index row) const { return node_of_row_[static_cast<std::size_t>(row)]; }
  // A category of the row's node, as the model numbers it.
  [[nodiscard]] std::int32_t category(Index row, std::size_t column) const;
  // Fetches the categories of the rows [first, last).
  void fetch_categories(Index first, Index last);
  // Where features are read from.
  [[nodiscard]] PageReader& pages() { return pages_; }
  [[nodiscard]] const EdgeOrigin& edge_origin(Index edge) const { return edge_origin_[static_cast<std::size_t>(edge)]; }

  // States of the observed nodes [rows, h] and edges [edge_rows, e]. The memory may move when rows are added.
  [[nodiscard]] Matrix<S> nodes() { return {node_states_.data(), node_ld_}; }
  [[nodiscard]] Matrix<S> edges() { return {edge_states_.data(), edge_ld_}; }
  // Mean and centred sum of squares of the states, for the layer norm of the keys.
  S* node_mean() { return node_mean_.data(); }
  S* node_m2() { return node_m2_.data(); }
  S* edge_mean() { return edge_mean_.data(); }
  S* edge_m2() { return edge_m2_.data(); }

  // Makes room for the states of all rows made so far; called before the embedder fills the new ones.
  void grow();
  // Rows and edge rows that have a state.
  Index embedded_nodes = 0;
  Index embedded_edges = 0;

  // Entries of neighbour lists that were read, and what was read of files.
  [[nodiscard]] std::uint64_t entries_read() const { return entries_read_; }
  [[nodiscard]] const PageReader& pages() const { return pages_; }

  [[nodiscard]] std::size_t memory() const;

 private:
  // A neighbour list, as it is read.
  struct List {
    Index row = 0;
    const std::uint64_t* offsets = nullptr;  // [2] where it begins and ends in the graph's neighbours
    std::uint64_t first = 0, degree = 0;     // the same
    bool sampled = false;
    std::uint64_t start = 0;  // of the sample, in the order of HubOrder
    // What was fetched: all entries in ascending order, or those of the sample in its own.
    bool in_order_of_sample = false;
    const std::uint32_t* narrow = nullptr;
    const std::uint64_t* wide = nullptr;
    const std::uint8_t* labels = nullptr;

    [[nodiscard]] std::uint64_t node(std::uint64_t i) const { return wide != nullptr ? wide[i] : narrow[i]; }
  };
  struct Neighbour {
    std::uint64_t node = 0, entry = 0;
    const std::uint8_t* label = nullptr;
  };

  [[nodiscard]] const GraphView& graph_at(Index row) const { return graphs_[static_cast<std::size_t>(graph_of(row))]; }
  void find(List& list) const;
  void fetch(List& list);
  void fetch_sample_of_hub(List& list, std::uint64_t hub);
  void fetch_sample_by_entries(List& list);
  void take_neighbours(const List& list);
  void make_place(const List& list);
  Index observe(Index graph, const Neighbour& neighbour);
  void add_edges(Index row, Place& place);

  const AgentNetConfig* config_ = nullptr;
  std::span<const GraphView> graphs_;
  NeighbourSampling sampling_;
  RowMap map_;
  PageReader pages_;
  std::uint64_t entries_read_ = 0;
  std::vector<List> lists_;                             // scratch of visit()
  std::vector<Neighbour> neighbours_;                   // scratch of make_place()
  std::vector<const std::int32_t*> categories_of_row_;  // as fetched; of the rows that were embedded
  std::vector<const std::uint8_t*> label_of_row_;       // null: the node's own categories
  std::vector<Index> graph_of_row_, place_of_row_;
  std::vector<std::uint64_t> node_of_row_;
  std::vector<Place> places_;
  std::vector<Index> candidates_;
  std::vector<EdgeOrigin> edge_origin_;
  Stride node_ld_ = 0, edge_ld_ = 0;
  std::vector<S> node_states_, node_mean_, node_m2_;
  std::vector<S> edge_states_, edge_mean_, edge_m2_;
};

}  // namespace agentnet
