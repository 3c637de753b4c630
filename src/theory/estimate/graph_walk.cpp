#include "theory/estimate/graph_walk.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "agentnet/error.h"
#include "core/files/mapped_file.h"

namespace agentnet::theory {

namespace {

constexpr std::size_t kPage = 4096, kPlaces = 4096, kRecent = 4096;
constexpr std::size_t kSmallFile = std::size_t{16} << 20;  // is used in place
constexpr std::size_t kMostListed = 4096;

[[noreturn]] void damaged(std::uint64_t node) {
  throw Error(ErrorKind::kData, fmt::format("the neighbours of node {} make no sense: the file is damaged", node),
              "agentnet inspect checks all of a file");
}

}  // namespace

GraphEntries::GraphEntries(const GraphView& graph)
    : graph_(&graph),
      copies_(graph.file != nullptr && graph.file->size() > kSmallFile),
      page_of_(kPlaces, ~std::uint64_t{0}) {
  if (copies_) bytes_.resize(kPlaces * kPage);
}

// Values do not straddle pages: arrays in files begin at pages, and in memory the page only counts.
template <class T>
T GraphEntries::value(const T* at) {
  const std::byte* base = graph_->file != nullptr ? graph_->file->bytes().data() : nullptr;
  const auto distance = base != nullptr ? static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(at) - base)
                                        : reinterpret_cast<std::uintptr_t>(at);
  const std::uint64_t page = distance / kPage;
  const std::size_t place = page % kPlaces;
  const bool there = page_of_[place] == page;
  if (!there) {
    page_of_[place] = page;
    pages_.insert(page);
  }
  if (!copies_) return *at;
  std::byte* copy = bytes_.data() + place * kPage;
  if (!there) {
    const std::size_t first = page * kPage;
    graph_->file->read(base + first, std::min(kPage, graph_->file->size() - first), copy);
  }
  T result;
  std::memcpy(&result, copy + distance % kPage, sizeof result);
  return result;
}

std::uint64_t GraphEntries::offset(std::uint64_t node) { return value(graph_->offsets + node); }

std::uint64_t GraphEntries::neighbour(std::uint64_t entry) {
  return graph_->wide_neighbours != nullptr ? value(graph_->wide_neighbours + entry)
                                            : value(graph_->neighbours + entry);
}

GraphWalk::GraphWalk(const GraphView& graph) : graph_(&graph), entries_(graph), recent_(kRecent) {}

GraphWalk::GraphWalk(const GraphView& graph, std::uint64_t start) : GraphWalk(graph) {
  if (start >= graph.num_nodes) {
    throw Error(ErrorKind::kUsage, fmt::format("there is no node {} in a graph of {} nodes", start, graph.num_nodes),
                "nodes count from 0");
  }
  arrive(start);
}

std::uint64_t GraphWalk::random_start(const GraphView& graph, std::uint64_t seed) {
  GraphWalk walk(graph);
  RandomSequence random(seed, Purpose::kStart);
  walk.place(random);
  return walk.here();
}

// Entries that lead from a node to itself are no edges: a node that has them is taken less often.
void GraphWalk::place(RandomSequence& random) {
  const std::uint64_t entries = std::min(entries_.offset(graph_->num_nodes), graph_->most_edges);
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries && entries > 0; ++i) {
    const std::uint64_t node = entries_.neighbour(random.below(entries));
    if (node >= graph_->num_nodes) damaged(node);
    const List found = list(node);
    const std::uint64_t length = found.end - found.begin;
    if (found.degree == 0 || (found.degree < length && random.below(length) >= found.degree)) continue;
    arrive(node);
    return;
  }
  throw Error(ErrorKind::kData,
              entries == 0 ? fmt::format("the graph has {} nodes and no edges", graph_->num_nodes)
                           : "no edge that was tried leads from one node to another",
              "a walk needs edges; is the right file, and the right column, named?");
}

std::vector<std::uint64_t> GraphWalk::few_nodes(std::size_t most) {
  std::vector<std::uint64_t> nodes;
  if (graph_->num_nodes > most) return nodes;
  for (std::uint64_t node = 0; node < graph_->num_nodes; ++node) {
    const List of = list(node);
    for (std::uint64_t e = of.begin; e < of.end; ++e) check_both_ways(node, entries_.neighbour(e));
    if (of.degree > 0) nodes.push_back(node);
  }
  return nodes;
}

const GraphWalk::List& GraphWalk::list(std::uint64_t node) {
  List& slot = recent_[node % kRecent];
  if (slot.node == node) return slot;
  List found{node, entries_.offset(node), entries_.offset(node + 1), 0};
  if (found.begin > found.end || found.end > graph_->most_edges) damaged(node);
  touched_.insert(node);
  found.degree = found.end - found.begin;
  if (holds(found, node)) --found.degree;
  slot = found;
  return slot;
}

bool GraphWalk::holds(const List& list, std::uint64_t node) {
  std::uint64_t begin = list.begin, end = list.end;
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2, found = entries_.neighbour(middle);
    if (found == node) return true;
    (found < node ? begin : end) = found < node ? middle + 1 : middle;
  }
  return false;
}

void GraphWalk::arrive(std::uint64_t node) {
  here_ = node;
  if (visited_.insert(node) && first_visited_.size() <= kMostListed) first_visited_.push_back(node);
}

void GraphWalk::step(RandomSequence& random) {
  const List from = list(here_);
  if (from.degree == 0) damaged(here_);  // a walk does not start there, and came along an edge
  std::uint64_t next = here_;
  while (next == here_) next = entries_.neighbour(from.begin + random.below(from.end - from.begin));
  if (next >= graph_->num_nodes) damaged(here_);
  if (!visited_.contains(next)) check_both_ways(from.node, next);
  arrive(next);
}

void GraphWalk::check_both_ways(std::uint64_t from, std::uint64_t to) {
  if (to >= graph_->num_nodes) damaged(from);
  if (holds(list(to), from)) return;
  throw Error(ErrorKind::kData,
              fmt::format("the graph is directed: the edge from node {} to node {} does not go back", from, to),
              "agentnet convert GRAPH both-ways.graph --undirected adds the way back");
}

bool GraphWalk::adjacent(std::uint64_t a, std::uint64_t b) {
  const List first = list(a), second = list(b);
  return first.end - first.begin < second.end - second.begin ? holds(first, b) : holds(second, a);
}

bool GraphWalk::explored() {
  if (first_visited_.size() > kMostListed) return false;
  for (const std::uint64_t node : first_visited_) {
    const List of = list(node);
    for (std::uint64_t e = of.begin; e < of.end; ++e) {
      if (!visited_.contains(entries_.neighbour(e))) return false;
    }
  }
  return true;
}

}  // namespace agentnet::theory
