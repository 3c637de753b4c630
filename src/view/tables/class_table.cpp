#include "view/tables/class_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "data/syntax/csv.h"

namespace agentnet {
namespace {

std::string label_of(const GraphView& graph, std::uint64_t node, const Spelling& spelling) {
  const std::string label = spelling.node(graph, node);
  return label.empty() ? std::to_string(graph.degree(node)) : label;
}

// By z, those without one last; the order of names where that is equal.
bool stands_out_more(const ClassTableRow& a, const ClassTableRow& b) {
  if (std::isnan(a.z) != std::isnan(b.z)) return std::isnan(b.z);
  if (!std::isnan(a.z) && a.z != b.z) return a.z > b.z;
  return a.value < b.value;
}

}  // namespace

std::string substructure_at(const GraphView& graph, std::uint64_t node, const Spelling& spelling) {
  std::vector<std::pair<std::string, std::string>> neighbours;  // label first, so that equal ones stand together
  for (auto [e, last] = graph.entries_of(node); e < last; ++e) {
    if (graph.neighbour(e) == node) continue;
    neighbours.emplace_back(label_of(graph, graph.neighbour(e), spelling), spelling.sign(graph, e));
  }
  std::string text = label_of(graph, node, spelling);
  if (neighbours.empty()) return text;
  std::sort(neighbours.begin(), neighbours.end());
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    text += (i == 0 ? "(" : ",") + neighbours[i].second + neighbours[i].first;
  }
  return text + ")";
}

ClassTableBuilder::ClassTableBuilder(std::vector<std::string> groups, const RandomWalkers& walkers,
                                     const Spelling& spelling)
    : groups_(std::move(groups)), walkers_(walkers), spelling_(spelling), graphs_(groups_.size(), 0) {}

void ClassTableBuilder::add(std::size_t group, const GraphView& graph, const Explanation& explanation) {
  if (graph.num_nodes > kMostWalkedNodes || explanation.nodes.size() < graph.num_nodes) {
    ++too_large_;
    return;
  }
  ++graphs_[group];
  const std::vector<double> expected = random_walk_visits(graph, walkers_);
  std::map<Key, Seen> here;
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    const auto count = [&](std::size_t kind, std::string value) {
      Seen& seen = here[{group, kind, std::move(value)}];
      ++seen.occurrences;
      seen.visits += explanation.visits[u];
      seen.expected += expected[u];
    };
    if (graph.degree(u) <= kMostListed) count(0, substructure_at(graph, u, spelling_));
    const std::size_t columns = spelling_.node_columns().size();
    for (std::size_t c = 0; c < columns; ++c) {
      count(c + 1, spelling_.value(c, graph.node_categories.value(u, c)));
    }
    if (columns == 0) count(1, std::to_string(graph.degree(u)));
  }
  for (auto& [key, seen] : here) seen_[key].push_back(seen);
}

std::string ClassTableBuilder::kind_name(std::size_t kind) const {
  if (kind == 0) return "substructure";
  const auto& columns = spelling_.node_columns();
  return columns.empty() ? "degree" : columns[kind - 1].name;
}

ClassTableRow ClassTableBuilder::row_of(const Key& key, const std::vector<Seen>& graphs) const {
  ClassTableRow row;
  row.group = key.group;
  row.kind = kind_name(key.kind);
  row.value = key.value;
  row.graphs = graphs.size();
  double visits = 0, expected = 0;
  for (const Seen& seen : graphs) {
    row.occurrences += seen.occurrences;
    visits += seen.visits;
    expected += seen.expected;
  }
  row.visits = visits / static_cast<double>(row.occurrences);
  row.expected = expected / static_cast<double>(row.occurrences);
  row.ratio = visits / expected;
  double squares = 0;
  for (const Seen& seen : graphs) squares += std::pow(seen.visits - row.ratio * seen.expected, 2);
  const auto count = static_cast<double>(graphs.size());
  row.error = std::sqrt(count / (count - 1) * squares) / expected;
  constexpr double kRounding = 1e-12;
  row.z = row.error > kRounding ? (row.ratio - 1) / row.error : std::numeric_limits<double>::quiet_NaN();
  return row;
}

ClassTable ClassTableBuilder::table() const {
  ClassTable table{groups_, graphs_, {}, 0, too_large_};
  std::size_t first = 0;  // of the rows of the same group and kind
  std::pair<std::size_t, std::size_t> of = {0, 0};
  const auto sort_last = [&] {
    std::stable_sort(table.rows.begin() + static_cast<std::ptrdiff_t>(first), table.rows.end(), stands_out_more);
  };
  for (const auto& [key, graphs] : seen_) {  // in the order of groups and kinds
    if (std::pair(key.group, key.kind) != of) {
      sort_last();
      first = table.rows.size();
      of = {key.group, key.kind};
    }
    if (graphs.size() < kFewestGraphs) {
      ++table.rare;
    } else {
      table.rows.push_back(row_of(key, graphs));
    }
  }
  sort_last();
  return table;
}

std::string class_table_csv(const ClassTable& table, CsvFor reader) {
  std::string text = "class,kind,value,graphs,occurrences,visits,random_walk,ratio,standard_error,z\n";
  for (const ClassTableRow& row : table.rows) {
    text +=
        fmt::format("{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{}\n", csv_field(table.groups[row.group], reader),
                    csv_field(row.kind, reader), csv_field(row.value, reader), row.graphs, row.occurrences, row.visits,
                    row.expected, row.ratio, row.error, std::isnan(row.z) ? "" : fmt::format("{:.6g}", row.z));
  }
  return text;
}

}  // namespace agentnet
