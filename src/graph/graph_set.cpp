#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/graph.h"
#include "core/checked.h"
#include "core/text.h"

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

}  // namespace

void GraphSet::add(Graph graph, std::span<const double> targets, std::string id) {
  const auto fail = [&](const std::string& what, const char* hint) {
    const std::string name = id.empty() ? "" : " (" + in_quotes(id) + ")";
    throw Error(ErrorKind::kData, fmt::format("graph {}{} {}", size(), name, what), hint);
  };
  const auto check = [&](const std::array<Columns, 2>& found, const std::array<Columns, 2>& expected,
                         std::size_t other) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].width == expected[i].width) continue;
      fail(fmt::format("has {} {} features, but graph {} has {}", found[i].width, found[i].what, other,
                       expected[i].width),
           "give all graphs of a set the same feature columns");
    }
  };
  const bool first = graphs_.empty();
  const bool has_edges = graph.num_edges() > 0;
  if (graph.num_nodes() == 0) fail("has no nodes", "leave empty graphs out");
  if (!first) check(node_columns(graph.view()), node_columns(graphs_[0].view()), 0);
  if (has_edges && first_with_edges_) {
    check(edge_columns(graph.view()), edge_columns(graphs_[*first_with_edges_].view()), *first_with_edges_);
  }
  const auto num_targets = checked_cast<int>(targets.size());
  if (!num_targets) fail("has too many targets", "");
  if (!first && *num_targets != num_targets_) {
    fail(fmt::format("has {} targets, but graph 0 has {}", *num_targets, num_targets_),
         "give every graph the same number of targets; NaN stands for a blank");
  }

  num_targets_ = *num_targets;
  if (has_edges && !first_with_edges_) first_with_edges_ = graphs_.size();
  targets_.insert(targets_.end(), targets.begin(), targets.end());
  ids_.push_back(std::move(id));
  graphs_.push_back(std::move(graph));
}

std::span<const double> GraphSet::targets(std::size_t i) const {
  if (i >= size()) throw std::out_of_range("GraphSet::targets: there is no graph " + std::to_string(i));
  const auto width = static_cast<std::size_t>(num_targets_);
  return std::span(targets_).subspan(i * width, width);
}

}  // namespace agentnet
