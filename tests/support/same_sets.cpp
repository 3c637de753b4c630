#include "support/same_sets.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text.h"

namespace agentnet {
namespace {

// A row of features as text: the categories' spellings, then the numbers, exactly.
std::string row_text(const FeatureSchema& schema, const CategoryRows& categories, const DenseRows& dense,
                     std::uint64_t row) {
  std::string text;
  for (std::size_t c = 0; c < static_cast<std::size_t>(categories.width); ++c) {
    text += fmt::format("[{}]", schema.categories.at(c).values.at(static_cast<std::size_t>(categories.row(row)[c])));
  }
  for (std::uint64_t c = 0; c < static_cast<std::uint64_t>(dense.width); ++c) {
    text += fmt::format(" {:a}", dense.f32[row * static_cast<std::uint64_t>(dense.width) + c]);
  }
  return text;
}

std::vector<std::string> node_texts(const GraphView& graph, const Schema& schema) {
  std::vector<std::string> texts;
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    texts.push_back(fmt::format("node {}: {}", u, row_text(schema.nodes, graph.node_categories, graph.node_dense, u)));
  }
  return texts;
}

std::vector<std::string> edge_texts(const GraphView& graph, const Schema& schema) {
  std::vector<std::string> texts;
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    for (std::uint64_t e = graph.offsets[u]; e < graph.offsets[u + 1]; ++e) {
      std::string text = fmt::format("edge {} -> {}:", u, graph.neighbours[e]);
      for (auto [row, last_row] = graph.edge_rows_of(e); row < last_row; ++row) {
        text += fmt::format(" ({})", row_text(schema.edges, graph.edge_categories, graph.edge_dense, row));
      }
      texts.push_back(text);
    }
  }
  return texts;
}

std::vector<std::string> target_texts(const Dataset& data, std::size_t g) {
  std::vector<std::string> texts;
  for (const double value : data.graphs.targets(g)) {
    const bool named = data.schema.task == Task::kClassification && !std::isnan(value);
    texts.push_back(named ? data.schema.classes.at(static_cast<std::size_t>(value)) : fmt::format("{:a}", value));
  }
  return texts;
}

std::string first_difference(const std::vector<std::string>& a, const std::vector<std::string>& b, const char* what) {
  if (a.size() != b.size()) return fmt::format("{} and {} {}", a.size(), b.size(), what);
  const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin());
  return left == a.end() ? "" : fmt::format("{}: '{}' and '{}'", what, *left, *right);
}

std::string notes_difference(const NodeNotes& a, const NodeNotes& b, const Compared& compared) {
  if (compared.positions && !std::ranges::equal(a.positions, b.positions)) return "positions differ";
  if (compared.marks && !std::ranges::equal(a.marks, b.marks)) return "marks differ";
  return {};
}

}  // namespace

std::string difference(const Dataset& a, const Dataset& b, const Compared& compared) {
  if (a.schema.task != b.schema.task) {
    return fmt::format("tasks: {} and {}", task_name(a.schema.task), task_name(b.schema.task));
  }
  if (a.graphs.size() != b.graphs.size()) return fmt::format("{} and {} graphs", a.graphs.size(), b.graphs.size());
  for (std::size_t g = 0; g < a.graphs.size(); ++g) {
    const GraphView left = a.graphs.view(g), right = b.graphs.view(g);
    std::string found = first_difference(node_texts(left, a.schema), node_texts(right, b.schema), "nodes");
    if (found.empty()) found = first_difference(edge_texts(left, a.schema), edge_texts(right, b.schema), "edges");
    if (found.empty()) found = first_difference(target_texts(a, g), target_texts(b, g), "targets");
    if (found.empty()) found = notes_difference(a.graphs.notes(g), b.graphs.notes(g), compared);
    if (found.empty() && compared.ids && a.graphs.id(g) != b.graphs.id(g)) {
      found = fmt::format("ids: '{}' and '{}'", a.graphs.id(g), b.graphs.id(g));
    }
    if (!found.empty()) return fmt::format("graph {}: {}", g, found);
  }
  return {};
}

namespace {

std::string columns_text(const FeatureSchema& schema) {
  std::string text;
  for (const CategoryColumn& column : schema.categories) {
    text += fmt::format(" {}{{{}}}", column.name, join_text(column.values, ","));
  }
  for (const std::string& name : schema.dense) text += " " + name;
  return text;
}

std::string bracketed(const FeatureSchema& schema, const CategoryRows& categories, const DenseRows& dense,
                      std::uint64_t row) {
  std::vector<std::string> values;
  for (std::size_t c = 0; c < static_cast<std::size_t>(categories.width); ++c) {
    values.push_back(schema.categories.at(c).values.at(static_cast<std::size_t>(categories.row(row)[c])));
  }
  for (std::uint64_t c = 0; c < static_cast<std::uint64_t>(dense.width); ++c) {
    values.push_back(fmt::format("{}", dense.f32[row * static_cast<std::uint64_t>(dense.width) + c]));
  }
  return values.empty() ? "" : fmt::format("[{}]", join_text(values, " "));
}

}  // namespace

std::string described(const Dataset& data) {
  const Schema& schema = data.schema;
  std::string text = fmt::format("{} {}", task_name(schema.task), join_text(schema.targets, ","));
  if (schema.task == Task::kClassification) text += fmt::format("{{{}}}", join_text(schema.classes, ","));
  text += fmt::format("\nnodes{}\nedges{}\n", columns_text(schema.nodes), columns_text(schema.edges));
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView graph = data.graphs.view(g);
    text += fmt::format("{}:", data.graphs.id(g));
    for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
      text += fmt::format(" {}{}", u, bracketed(schema.nodes, graph.node_categories, graph.node_dense, u));
    }
    text += ";";
    for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
      for (std::uint64_t e = graph.offsets[u]; e < graph.offsets[u + 1]; ++e) {
        text += fmt::format(" {}>{}", u, graph.neighbours[e]);
        for (auto [row, last_row] = graph.edge_rows_of(e); row < last_row; ++row) {
          text += bracketed(schema.edges, graph.edge_categories, graph.edge_dense, row);
        }
      }
    }
    text += ";";
    for (const double value : data.graphs.targets(g)) {
      const bool named = schema.task == Task::kClassification && !std::isnan(value);
      text += " " + (std::isnan(value) ? "?"
                     : named           ? schema.classes.at(static_cast<std::size_t>(value))
                                       : fmt::format("{}", value));
    }
    text += "\n";
  }
  return text;
}

}  // namespace agentnet
