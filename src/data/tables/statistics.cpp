#include "data/tables/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "data/tables/wrong_values.h"
#include "graph/narrow.h"
#include "graph/wl_hash.h"

namespace agentnet {
namespace {

void add(Spread& spread, double value, std::uint64_t before) {
  spread.min = before == 0 ? value : std::min(spread.min, value);
  spread.max = before == 0 ? value : std::max(spread.max, value);
  spread.total += value;
}

// Joins nodes that an edge connects, whichever way it goes; the number of parts that are left.
class Parts {
 public:
  void start(std::uint64_t nodes) {
    parent_.resize(nodes);
    std::iota(parent_.begin(), parent_.end(), 0U);
    parts_ = nodes;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a);
    b = root(b);
    if (a == b) return;
    parent_[a] = b;
    --parts_;
  }
  [[nodiscard]] std::uint64_t count() const { return parts_; }

 private:
  std::uint32_t root(std::uint32_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }
  std::vector<std::uint32_t> parent_;
  std::uint64_t parts_ = 0;
};

// Walks of one graph's edges; keeps its memory from graph to graph.
class EdgeCounter {
 public:
  void count(const GraphView& graph, SetStatistics& out) {
    require_narrow(graph);
    parts_.start(graph.num_nodes);
    next_.assign(graph.offsets, graph.offsets + graph.num_nodes);
    has_edge_.assign(graph.num_nodes, false);
    std::uint64_t loops = 0, one_way = 0;
    for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
      for (auto [e, last] = graph.entries_of(u); e < last; ++e) {
        const std::uint64_t v = graph.neighbour(e);
        if (v == u) {
          ++loops;
          continue;
        }
        has_edge_[u] = has_edge_[v] = true;
        parts_.join(static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v));
        // u ascends, so v's list is passed once: does it hold u?
        std::uint64_t& at = next_[v];
        const std::uint64_t end = graph.entries_of(v).last;
        while (at < end && graph.neighbours[at] < u) ++at;
        if (at >= end || graph.neighbours[at] != u) ++one_way;
      }
    }
    const std::uint64_t pairs = (graph.num_edges() - loops - one_way) / 2 + one_way;
    add(out.edges, static_cast<double>(pairs + loops), out.graphs);
    out.self_loops += loops;
    out.one_way_edges += one_way;
    out.disconnected_graphs += parts_.count() > 1 ? 1 : 0;
    out.isolated_nodes += static_cast<std::uint64_t>(std::count(has_edge_.begin(), has_edge_.end(), false));
  }

 private:
  Parts parts_;
  std::vector<std::uint64_t> next_;
  std::vector<bool> has_edge_;
};

void count_targets(const Dataset& data, SetStatistics& out) {
  const Schema& schema = data.schema;
  if (schema.task == Task::kClassification) out.class_counts.resize(schema.classes.size());
  for (std::size_t t = 0; t < schema.targets.size(); ++t) {
    TargetStatistics column;
    column.name = schema.targets[t];
    std::uint64_t count = 0;
    double squares = 0, mean = 0;
    for (std::size_t g = 0; g < data.graphs.size(); ++g) {
      const double value = data.graphs.targets(g)[t];
      if (std::isnan(value)) {
        ++column.blanks;
        continue;
      }
      if (schema.task == Task::kClassification) ++out.class_counts.at(class_of_target(data, g, value));
      column.positives += value == 1 ? 1 : 0;
      add(column.values, value, count++);
      const double step = value - mean;
      mean += step / static_cast<double>(count);
      squares += step * (value - mean);
    }
    column.values.mean = mean;
    column.deviation = count > 1 ? std::sqrt(squares / static_cast<double>(count - 1)) : 0;
    out.targets.push_back(column);
  }
}

// Blanks agree with anything.
bool same_targets(std::span<const double> a, std::span<const double> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isnan(a[i]) && !std::isnan(b[i]) && a[i] != b[i]) return false;
  }
  return true;
}

void find_duplicates(const Dataset& data, SetStatistics& out) {
  struct Group {
    std::size_t first = 0;
    std::uint64_t graphs = 0;
    bool conflict = false;
  };
  std::unordered_map<std::uint64_t, Group> groups;
  WlHasher hasher;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    Group& group = groups.try_emplace(hasher(data.graphs.view(g)), Group{g, 0, false}).first->second;
    ++group.graphs;
    group.conflict = group.conflict || !same_targets(data.graphs.targets(group.first), data.graphs.targets(g));
  }
  for (const auto& [hash, group] : groups) {
    if (group.graphs < 2) continue;
    ++out.duplicate_groups;
    out.graphs_in_groups += group.graphs;
    out.conflicting_groups += group.conflict ? 1 : 0;
  }
}

std::uint64_t count_repeated_ids(const GraphSet& graphs) {
  std::unordered_map<std::string_view, std::uint64_t> times;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    if (!graphs.id(g).empty()) ++times[graphs.id(g)];
  }
  std::uint64_t repeated = 0;
  for (const auto& [id, count] : times) repeated += count > 1 ? count : 0;
  return repeated;
}

}  // namespace

SetStatistics statistics_of(const Dataset& data) {
  SetStatistics out;
  EdgeCounter edges;
  std::uint64_t nodes = 0;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView graph = data.graphs.view(g);
    for (std::uint64_t u = 0; u < graph.num_nodes; ++u) add(out.degree, static_cast<double>(graph.degree(u)), nodes++);
    edges.count(graph, out);
    add(out.nodes, static_cast<double>(graph.num_nodes), out.graphs++);
  }
  if (out.graphs > 0) {
    out.nodes.mean = out.nodes.total / static_cast<double>(out.graphs);
    out.edges.mean = out.edges.total / static_cast<double>(out.graphs);
    out.degree.mean = out.degree.total / static_cast<double>(nodes);
  }
  count_targets(data, out);
  find_duplicates(data, out);
  out.repeated_ids = count_repeated_ids(data.graphs);
  return out;
}

}  // namespace agentnet
