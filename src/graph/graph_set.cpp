#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/graph.h"
#include "core/checked.h"
#include "core/files/mapped_file.h"
#include "core/text.h"
#include "graph/append_graph.h"
#include "graph/narrow.h"
#include "graph/set_arrays.h"

namespace agentnet {
namespace {

struct Columns {
  const char* what;
  int width;
};

std::array<Columns, 2> node_columns(const GraphView& graph) {
  return {{{"dense node", graph.node_dense.width}, {"categorical node", graph.node_categories.width}}};
}

std::array<Columns, 2> edge_columns(const GraphView& graph) {
  return {{{"dense edge", graph.edge_dense.width}, {"categorical edge", graph.edge_categories.width}}};
}

void append_dense(Array<float>& array, const DenseRows& rows, std::uint64_t count) {
  const std::uint64_t values = count * static_cast<std::uint64_t>(rows.width);
  for (std::uint64_t row = 0; rows.same && row < count; ++row) {
    array.append(rows.f32, static_cast<std::uint64_t>(rows.width));
  }
  if (rows.same) return;
  if (rows.f64 == nullptr) return array.append(rows.f32, values);
  for (std::uint64_t i = 0; i < values; ++i) array.push_back(static_cast<float>(rows.f64[i]));
}

void append_categories(Array<std::int32_t>& array, const CategoryRows& rows, std::uint64_t count) {
  if (rows.renumbering == nullptr) return array.append(rows.data, count * static_cast<std::uint64_t>(rows.width));
  for (std::uint64_t row = 0; row < count; ++row) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(rows.width); ++c) array.push_back(rows.value(row, c));
  }
}

// From now on the set keeps edge_rows; so far every entry has had one row.
void begin_edge_rows(SetArrays& set) {
  set.first_row = std::vector<std::uint64_t>(set.first_edge.all().begin(), set.first_edge.all().end());
  for (std::size_t g = 0; g < set.num_graphs(); ++g) {
    const std::uint64_t edges = set.first_edge[g + 1] - set.first_edge[g];
    for (std::uint64_t e = 0; e <= edges; ++e) set.edge_rows.push_back(e);
  }
}

void append_edge_rows(SetArrays& set, const GraphView& graph) {
  if (graph.edge_rows != nullptr && set.first_row.empty()) begin_edge_rows(set);
  if (set.first_row.empty()) return;
  for (std::uint64_t e = 0; e < graph.num_edges(); ++e) set.edge_rows.push_back(graph.edge_rows_of(e).first);
  set.edge_rows.push_back(graph.edge_feature_rows());
  set.first_row.push_back(set.num_rows() + graph.edge_feature_rows());
}

void append_id(SetArrays& set, std::string_view id) {
  if (id.empty() && set.first_id.empty()) return;
  if (set.first_id.empty()) set.first_id = std::vector<std::uint64_t>(set.num_graphs() + 1, 0);
  set.id_text.append(id.data(), id.size());
  set.first_id.push_back(set.id_text.size());
}

}  // namespace

void append_graph(SetArrays& set, const GraphView& graph, std::span<const double> targets, std::string_view id,
                  const NodeNotes& notes) {
  if (set.first_node.empty()) {
    set.first_node.push_back(0);
    set.first_edge.push_back(0);
    set.node_dense_width = graph.node_dense.width;
    set.node_category_width = graph.node_categories.width;
    set.num_targets = static_cast<int>(targets.size());
  }
  if (set.num_edges() == 0 && graph.num_edges() > 0) {
    set.edge_dense_width = graph.edge_dense.width;
    set.edge_category_width = graph.edge_categories.width;
  }
  require_narrow(graph);
  set.forget_labels();
  set.forget_hubs();
  set.mapping = nullptr;
  const std::uint64_t nodes = graph.num_nodes, edges = graph.num_edges();
  const std::uint64_t rows = graph.edge_feature_rows();
  append_edge_rows(set, graph);
  append_id(set, id);
  set.offsets.append(graph.offsets, nodes + 1);
  set.neighbours.append(graph.neighbours, edges);
  append_dense(set.node_dense, graph.node_dense, nodes);
  append_categories(set.node_categories, graph.node_categories, nodes);
  if (edges > 0) {
    append_dense(set.edge_dense, graph.edge_dense, rows);
    append_categories(set.edge_categories, graph.edge_categories, rows);
  }
  set.targets.append(targets.data(), targets.size());
  set.positions.append(notes.positions.data(), notes.positions.size());
  set.marks.append(notes.marks.data(), notes.marks.size());
  set.first_edge.push_back(set.num_edges() + edges);
  set.first_node.push_back(set.num_nodes() + nodes);
}

namespace {

[[noreturn]] void no_such_graph(std::size_t i, std::size_t size) {
  throw std::out_of_range(fmt::format("there is no graph {}, the set has {}", i, size));
}

bool has_edge_features(const SetArrays& set) { return set.edge_dense_width > 0 || set.edge_category_width > 0; }

// By the lengths of the arrays, which were checked when the file was opened.
std::uint64_t edge_rows_in(const SetArrays& set) {
  if (set.edge_dense_width > 0) return set.edge_dense.size() / static_cast<std::size_t>(set.edge_dense_width);
  if (set.edge_category_width > 0)
    return set.edge_categories.size() / static_cast<std::size_t>(set.edge_category_width);
  return std::numeric_limits<std::uint64_t>::max();
}

[[noreturn]] void damaged(const SetArrays& set, const std::string& what) {
  if (set.mapping != nullptr) set.mapping->check();
  const std::string place = set.mapping != nullptr ? set.mapping->path().string() + ": " : std::string();
  throw Error(ErrorKind::kData, place + what, "copy the file again, or convert the data again");
}

// Where graph i begins and ends in an array of `size`. A file was not read when it was opened, so what it says is
// checked when it is used.
std::pair<std::uint64_t, std::uint64_t> range_of(const SetArrays& set, const char* section,
                                                 const Array<std::uint64_t>& first, std::size_t i, std::uint64_t size) {
  const std::uint64_t begin = first[i], end = first[i + 1];
  if (set.file != nullptr && (begin > end || end > size)) {
    damaged(set, fmt::format("section {} is damaged at graph {}", in_quotes(section), i));
  }
  return {begin, end};
}

}  // namespace

GraphSet::GraphSet() : arrays_(std::make_unique<SetArrays>()) {}
GraphSet::GraphSet(std::unique_ptr<SetArrays> arrays) : arrays_(std::move(arrays)) {}
GraphSet::~GraphSet() = default;
GraphSet::GraphSet(GraphSet&&) noexcept = default;
GraphSet& GraphSet::operator=(GraphSet&&) noexcept = default;

const SetArrays& GraphSet::arrays() const {
  if (arrays_ == nullptr) throw std::logic_error("a set of graphs is used that was moved from");
  return *arrays_;
}

SetArrays& GraphSet::arrays() { return const_cast<SetArrays&>(std::as_const(*this).arrays()); }

void GraphSet::add(const Graph& graph, std::span<const double> targets, std::string_view id, const NodeNotes& notes) {
  const auto fail = [&](const std::string& what, const char* hint) {
    const std::string name = id.empty() ? "" : " (" + in_quotes(id) + ")";
    throw Error(ErrorKind::kData, fmt::format("graph {}{} {}", size(), name, what), hint);
  };
  const auto check = [&](const std::array<Columns, 2>& found, const std::array<Columns, 2>& expected) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].width == expected[i].width) continue;
      fail(fmt::format("has {} {} features, but those before it have {}", found[i].width, found[i].what,
                       expected[i].width),
           "give all graphs of a set the same feature columns");
    }
  };
  const GraphView added = graph.view();
  const bool first = size() == 0;
  if (graph.num_nodes() == 0) fail("has no nodes", "leave empty graphs out");
  if (!first) check(node_columns(added), node_columns(view(0)));
  if (added.num_edges() > 0 && arrays().num_edges() > 0) check(edge_columns(added), edge_columns(view(0)));
  if (!checked_cast<int>(targets.size())) fail("has too many targets", "");
  if (!first && static_cast<int>(targets.size()) != num_targets()) {
    fail(fmt::format("has {} targets, but those before it have {}", targets.size(), num_targets()),
         "give every graph the same number of targets; NaN stands for a blank");
  }
  const auto check_notes = [&](std::size_t found, std::size_t per_node, bool expected, const char* what) {
    if (found != 0 && found != per_node * graph.num_nodes()) {
      fail(fmt::format("has {} nodes but {} {}", graph.num_nodes(), found / per_node, what), "give one per node");
    }
    if (!first && (found != 0) != expected) {
      fail(fmt::format("has {} {}, unlike those before it", found != 0 ? "its" : "no", what),
           "give them for every graph or for none");
    }
  };
  check_notes(notes.positions.size(), 3, !arrays().positions.empty(), "positions");
  check_notes(notes.marks.size(), 1, !arrays().marks.empty(), "marks");
  append_graph(arrays(), added, targets, id, notes);
}

GraphSet GraphSet::subset(std::span<const std::size_t> graphs) const {
  GraphSet chosen;
  for (const std::size_t i : graphs) append_graph(chosen.arrays(), view(i), targets(i), id(i), notes(i));
  return chosen;
}

std::size_t GraphSet::size() const { return arrays().num_graphs(); }
int GraphSet::num_targets() const { return arrays().num_targets; }

GraphView GraphSet::view(std::size_t i) const {
  if (i >= size()) no_such_graph(i, size());
  const SetArrays& set = arrays();
  const auto [node, last_node] = range_of(set, "first_node", set.first_node, i, set.offsets.size() - size());
  if (set.file != nullptr && node == last_node) damaged(set, fmt::format("graph {} has no nodes", i));
  const std::uint64_t entries = set.neighbours.size() + set.wide_neighbours.size();  // one of them is empty
  const auto [edge, last_edge] = range_of(set, "first_edge", set.first_edge, i, entries);
  std::uint64_t row = edge, last_row = last_edge;
  if (!set.first_row.empty()) {
    std::tie(row, last_row) = range_of(set, "first_row", set.first_row, i, edge_rows_in(set));
  }
  const auto at = [](const auto& array, std::uint64_t place, int width) {
    return array.empty() ? nullptr : array.data() + place * static_cast<std::uint64_t>(width);
  };
  GraphView view;
  view.num_nodes = last_node - node;
  view.offsets = set.offsets.data() + node + i;
  view.neighbours = at(set.neighbours, edge, 1);
  view.node_dense = {at(set.node_dense, node, set.node_dense_width), nullptr, set.node_dense_width};
  if (!set.node_row.empty()) view.node_dense = {set.node_row.data(), nullptr, set.node_dense_width, true};
  view.node_categories = {at(set.node_categories, node, set.node_category_width), set.node_category_width};
  view.edge_dense = {at(set.edge_dense, row, set.edge_dense_width), nullptr, set.edge_dense_width};
  view.edge_categories = {at(set.edge_categories, row, set.edge_category_width), set.edge_category_width};
  if (has_edge_features(set)) view.edge_rows = at(set.edge_rows, edge + i, 1);  // else there are no rows to own
  view.num_edge_rows = last_row - row;
  view.number = i;
  view.most_edges = last_edge - edge;
  view.wide_neighbours = at(set.wide_neighbours, edge, 1);
  view.labels = at(set.labels, edge, set.node_category_width);
  if (!set.first_hub.empty()) {
    const auto [hub, last_hub] = range_of(set, "first_hub", set.first_hub, i, set.hubs.size());
    view.hubs.nodes = set.hubs.all().subspan(hub, last_hub - hub);
    view.hubs.first = at(set.hub_entries, hub, 1);
    view.hubs.neighbours = at(set.hub_neighbours, 0, 1);
    view.hubs.wide_neighbours = at(set.wide_hub_neighbours, 0, 1);
    view.hubs.entries = set.hub_neighbours.size() + set.wide_hub_neighbours.size();
    view.hubs.labels = at(set.hub_labels, 0, set.node_category_width);
  }
  if (!set.node_renumbering.empty()) view.node_categories.renumbering = set.node_renumbering.data();
  if (!set.edge_renumbering.empty()) view.edge_categories.renumbering = set.edge_renumbering.data();
  view.file = set.mapping;
  return view;
}

std::span<const double> GraphSet::targets(std::size_t i) const {
  if (i >= size()) no_such_graph(i, size());
  const auto width = static_cast<std::size_t>(num_targets());
  return arrays().targets.all().subspan(i * width, width);
}

std::string_view GraphSet::id(std::size_t i) const {
  if (i >= size()) no_such_graph(i, size());
  const SetArrays& set = arrays();
  if (set.first_id.empty()) return {};
  const auto [first, last] = range_of(set, "first_id", set.first_id, i, set.id_text.size());
  return {set.id_text.data() + first, static_cast<std::size_t>(last - first)};
}

NodeNotes GraphSet::notes(std::size_t i) const {
  if (i >= size()) no_such_graph(i, size());
  const SetArrays& set = arrays();
  const auto [node, last_node] = range_of(set, "first_node", set.first_node, i, set.offsets.size() - size());
  const std::uint64_t nodes = last_node - node;
  NodeNotes notes;
  if (!set.positions.empty()) notes.positions = set.positions.all().subspan(3 * node, 3 * nodes);
  if (!set.marks.empty()) notes.marks = set.marks.all().subspan(node, nodes);
  return notes;
}

std::vector<GraphView> GraphSet::views() const {
  std::vector<GraphView> all;
  all.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) all.push_back(view(i));
  return all;
}

}  // namespace agentnet
