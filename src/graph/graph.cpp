#include "agentnet/graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "agentnet/error.h"
#include "core/checked.h"
#include "core/files/mapped_file.h"

namespace agentnet {
namespace {

constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 32;

[[noreturn]] void fail(const std::string& message, const std::string& hint = {}) {
  throw Error(ErrorKind::kData, message, hint);
}

void check_edges(const GraphParts& parts) {
  if (parts.num_nodes == 0) fail("the graph has no nodes", "leave empty graphs out");
  if (parts.num_nodes > kMostNodes) {
    fail(fmt::format("the graph has {} nodes, more than 2^32", parts.num_nodes), "split the graph");
  }
  if (parts.from.size() != parts.to.size()) {
    fail(fmt::format("the edge list has {} first ends but {} second ends", parts.from.size(), parts.to.size()));
  }
  for (std::size_t i = 0; i < parts.from.size(); ++i) {
    if (parts.from[i] >= parts.num_nodes || parts.to[i] >= parts.num_nodes) {
      fail(fmt::format("edge {} goes from node {} to node {}, but the graph's nodes are 0 to {}", i, parts.from[i],
                       parts.to[i], parts.num_nodes - 1),
           "number the nodes of every graph from 0");
    }
  }
}

bool bad(float value) { return !std::isfinite(value); }
bool bad(double value) { return !std::isfinite(value); }
bool bad(std::int32_t category) { return category < 0; }

// Columns of a row-major feature array of `rows` rows, each of them one `owner` ("node", "edge").
template <class T>
int checked_width(const std::vector<T>& values, std::uint64_t rows, const char* owner) {
  constexpr bool kDense = std::is_floating_point_v<T>;
  const char* kind = kDense ? "dense" : "categorical";
  if (values.empty()) return 0;
  if (rows == 0 || values.size() % rows != 0) {
    fail(fmt::format("the {} {} features have {} values, which do not divide into {} rows", kind, owner, values.size(),
                     rows),
         fmt::format("give one row of features per {}, or none at all", owner));
  }
  const auto width = checked_cast<int>(values.size() / rows);
  if (!width) fail(fmt::format("the {} {} features have {} columns, too many", kind, owner, values.size() / rows));

  const auto found = std::find_if(values.begin(), values.end(), [](T value) { return bad(value); });
  if (found != values.end()) {
    const std::uint64_t place = static_cast<std::uint64_t>(found - values.begin());
    const std::uint64_t columns = values.size() / rows;
    fail(fmt::format("{} {}, {} feature {} is {}", owner, place / columns, kind, place % columns, *found),
         kDense ? "replace missing and infinite values" : "number categories from 0");
  }
  return *width;
}

int checked_dense_width(const std::vector<float>& single, const std::vector<double>& twin, std::uint64_t rows,
                        const char* owner) {
  if (!single.empty() && !twin.empty()) {
    fail(fmt::format("the dense {} features are given in single and in double precision", owner),
         "give one of the two");
  }
  return twin.empty() ? checked_width(single, rows, owner) : checked_width(twin, rows, owner);
}

// One direction of a listed edge, seen from the node it leaves.
struct Step {
  std::uint32_t to;
  std::uint64_t row;  // of the edge list
};

// All steps grouped by the node they leave, in the order of (to, row); node u's are at [offsets[u], offsets[u + 1]).
// A counting sort by node, then a sort of each (short) list.
std::vector<Step> sorted_steps(const GraphParts& parts, std::vector<std::uint64_t>& offsets) {
  const std::size_t listed = parts.from.size();
  const auto also_reversed = [&](std::size_t i) { return parts.undirected && parts.from[i] != parts.to[i]; };
  offsets.assign(static_cast<std::size_t>(parts.num_nodes) + 1, 0);
  for (std::size_t i = 0; i < listed; ++i) {
    ++offsets[parts.from[i] + std::size_t{1}];
    if (also_reversed(i)) ++offsets[parts.to[i] + std::size_t{1}];
  }
  for (std::size_t u = 1; u < offsets.size(); ++u) offsets[u] += offsets[u - 1];

  std::vector<Step> steps(offsets.back());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  for (std::size_t i = 0; i < listed; ++i) {
    steps[next[parts.from[i]]++] = {parts.to[i], i};
    if (also_reversed(i)) steps[next[parts.to[i]]++] = {parts.from[i], i};
  }
  const auto before = [](const Step& a, const Step& b) { return a.to != b.to ? a.to < b.to : a.row < b.row; };
  for (std::size_t u = 0; u + 1 < offsets.size(); ++u) {
    std::sort(steps.data() + offsets[u], steps.data() + offsets[u + 1], before);
  }
  return steps;
}

// Neighbour lists of edges without features, each in the order of the edges; list u ends at ends[u]. Takes parts.to.
std::vector<std::uint32_t> unsorted_lists(GraphParts& parts, std::vector<std::uint64_t>& ends) {
  const std::size_t listed = parts.from.size();
  const auto nodes = static_cast<std::size_t>(parts.num_nodes);
  const auto also_reversed = [&](std::size_t i) { return parts.undirected && parts.from[i] != parts.to[i]; };
  ends.assign(nodes + 1, 0);
  bool in_order = !parts.undirected;  // most files list edges node by node
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < listed; ++i) {
    const std::uint32_t from = parts.from[i];
    in_order = in_order && from >= last;
    last = from;
    ++ends[from + std::size_t{1}];
    if (also_reversed(i)) ++ends[parts.to[i] + std::size_t{1}];
  }
  for (std::size_t u = 1; u <= nodes; ++u) ends[u] += ends[u - 1];
  if (in_order) {
    ends.erase(ends.begin());
    return std::move(parts.to);
  }
  std::vector<std::uint32_t> lists(ends[nodes]);
  for (std::size_t i = 0; i < listed; ++i) {
    lists[ends[parts.from[i]]++] = parts.to[i];
    if (also_reversed(i)) lists[ends[parts.to[i]]++] = parts.from[i];
  }
  return lists;
}

// The same as sorted_steps and the merge of Graph::Graph for edges without features: sorted, each neighbour once.
void plain_lists(GraphParts& parts, std::vector<std::uint64_t>& offsets, std::vector<std::uint32_t>& neighbours) {
  const auto nodes = static_cast<std::size_t>(parts.num_nodes);
  std::vector<std::uint64_t> ends;
  neighbours = unsorted_lists(parts, ends);
  offsets.resize(nodes + 1);
  offsets[0] = 0;
  const auto ascends = [](const std::uint32_t* first, const std::uint32_t* last) {
    for (; last - first > 1; ++first) {
      if (first[0] >= first[1]) return false;
    }
    return true;
  };
  std::size_t begin = 0, kept = 0;  // lists move to the front as duplicates go
  for (std::size_t u = 0; u < nodes; ++u) {
    std::uint32_t* first = neighbours.data() + begin;
    std::uint32_t* last = neighbours.data() + ends[u];
    begin = ends[u];
    if (!ascends(first, last)) {
      std::sort(first, last);
      last = std::unique(first, last);
    }
    if (neighbours.data() + kept != first) std::copy(first, last, neighbours.data() + kept);
    kept += static_cast<std::size_t>(last - first);
    offsets[u + 1] = kept;
  }
  neighbours.resize(kept);
}

// The feature rows of the listed edges, one per step.
template <class T>
std::vector<T> rows_of_steps(const std::vector<T>& listed, const std::vector<Step>& steps, int width) {
  const auto columns = static_cast<std::size_t>(width);
  std::vector<T> rows(listed.empty() ? 0 : steps.size() * columns);
  if (rows.empty()) return rows;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    std::copy_n(listed.data() + steps[s].row * columns, columns, rows.data() + s * columns);
  }
  return rows;
}

template <class T>
const T* pointer_or_null(const std::vector<T>& values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

Graph::Graph(GraphParts parts) : num_nodes_(parts.num_nodes) {
  check_edges(parts);
  const std::uint64_t listed = parts.from.size();
  node_dense_width_ = checked_dense_width(parts.node_dense, parts.node_dense64, num_nodes_, "node");
  node_category_width_ = checked_width(parts.node_categories, num_nodes_, "node");
  edge_dense_width_ = checked_dense_width(parts.edge_dense, parts.edge_dense64, listed, "edge");
  edge_category_width_ = checked_width(parts.edge_categories, listed, "edge");

  node_dense_ = std::move(parts.node_dense);
  node_dense64_ = std::move(parts.node_dense64);
  node_categories_ = std::move(parts.node_categories);
  if (edge_dense_width_ == 0 && edge_category_width_ == 0) {
    plain_lists(parts, offsets_, neighbours_);
    return;
  }

  std::vector<std::uint64_t> step_offsets;
  const std::vector<Step> steps = sorted_steps(parts, step_offsets);
  edge_dense_ = rows_of_steps(parts.edge_dense, steps, edge_dense_width_);
  edge_dense64_ = rows_of_steps(parts.edge_dense64, steps, edge_dense_width_);
  edge_categories_ = rows_of_steps(parts.edge_categories, steps, edge_category_width_);

  // Merge: steps from the same node to the same node become one entry that owns all their rows.
  offsets_.assign(step_offsets.size(), 0);
  neighbours_.reserve(steps.size());
  edge_rows_.reserve(steps.size() + 1);
  for (std::size_t u = 0; u + 1 < step_offsets.size(); ++u) {
    for (std::uint64_t s = step_offsets[u]; s < step_offsets[u + 1]; ++s) {
      if (s > step_offsets[u] && steps[s].to == steps[s - 1].to) continue;
      neighbours_.push_back(steps[s].to);
      edge_rows_.push_back(s);
    }
    offsets_[u + 1] = neighbours_.size();
  }
  edge_rows_.push_back(steps.size());
  if (neighbours_.size() == steps.size()) edge_rows_.clear();  // no edge was given twice
  neighbours_.shrink_to_fit();
  edge_rows_.shrink_to_fit();
}

std::string GraphView::place() const {
  return file != nullptr ? fmt::format("{}: graph {}: ", file->path().string(), number) : std::string();
}

void GraphView::damaged(const std::string& what) const {
  if (file != nullptr) file->check();  // which knows better, if the file was changed meanwhile
  fail(place() + what, "agentnet inspect FILE checks all of the file; convert the data again");
}

void GraphView::damaged_end(std::uint64_t edges) const {
  damaged(fmt::format("the neighbour lists have {} entries, but end at {}", most_edges, edges));
}

void GraphView::damaged_list(std::uint64_t node) const {
  damaged(fmt::format("the neighbours of node {} are damaged: they lie outside the graph", node));
}

void GraphView::damaged_entry(std::uint64_t entry, std::uint64_t node) const {
  // Whose list the entry is in: the last that begins at it or before.
  const std::uint64_t* const last = offsets + num_nodes;
  const auto owner = static_cast<std::uint64_t>(std::upper_bound(offsets, last, entry) - offsets);
  damaged(fmt::format("the neighbours of node {} are damaged: there is no node {}", owner == 0 ? 0 : owner - 1, node));
}

void GraphView::damaged_rows(std::uint64_t entry) const {
  damaged(fmt::format("entry {} of the neighbour lists has features that are not there", entry));
}

GraphView Graph::view() const {
  static constexpr std::uint64_t kNoEdges = 0;  // offsets of a default-constructed graph
  if (num_nodes_ > 0 && offsets_.empty()) throw std::logic_error("a graph is used that was moved from");
  GraphView view;
  view.num_nodes = num_nodes_;
  view.offsets = offsets_.empty() ? &kNoEdges : offsets_.data();
  view.neighbours = pointer_or_null(neighbours_);
  view.node_dense = {pointer_or_null(node_dense_), pointer_or_null(node_dense64_), node_dense_width_};
  view.node_categories = {pointer_or_null(node_categories_), node_category_width_};
  view.edge_dense = {pointer_or_null(edge_dense_), pointer_or_null(edge_dense64_), edge_dense_width_};
  view.edge_categories = {pointer_or_null(edge_categories_), edge_category_width_};
  view.edge_rows = pointer_or_null(edge_rows_);
  view.most_edges = neighbours_.size();
  view.num_edge_rows = edge_rows_.empty() ? 0 : edge_rows_.back();
  return view;
}

}  // namespace agentnet
