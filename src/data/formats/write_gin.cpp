#include <cmath>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/formats/writers.h"
#include "data/io/lines.h"
#include "data/io/output.h"
#include "graph/set_arrays.h"

namespace agentnet {
namespace {

void check(const Dataset& data) {
  const auto refuse = [](const char* what) {
    throw Error(ErrorKind::kUsage, fmt::format("gin cannot hold {}", what), "write jsonl or agentset");
  };
  const Schema& schema = data.schema;
  if (schema.task != Task::kClassification) refuse("a set without class labels");
  if (!schema.edges.dense.empty() || !schema.edges.categories.empty()) refuse("edge features");
  if (schema.nodes.categories.size() > 1) refuse("more than one categorical node column");
  for (const std::string& name : schema.classes) {
    if (name.find_first_of(" \t\r\n") != std::string::npos || name.empty()) refuse("a class name with a space in it");
  }
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    if (std::isnan(data.graphs.targets(g)[0])) refuse("a graph without a label");
  }
  for (const CategoryColumn& column : schema.nodes.categories) {
    for (const std::string& value : column.values) {
      const auto number = to_integer(value);
      if (!number || std::to_string(*number) != value) refuse("node labels that are no whole numbers");
    }
  }
}

}  // namespace

LeftOut write_gin(const Dataset& data, const std::filesystem::path& path) {
  check(data);
  TextOutput out(path);
  const bool attributes = data.schema.nodes.dense.size() > 0 && !only_constant_features(data);
  out.print("{}\n", data.graphs.size());
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView graph = data.graphs.view(g);
    require_narrow(graph);
    out.print("{} {}\n", graph.num_nodes, target_text(data, g, 0));
    for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
      const auto& columns = data.schema.nodes.categories;
      const std::string tag =
          columns.empty() ? "0" : columns[0].values.at(static_cast<std::size_t>(graph.node_categories.row(u)[0]));
      out.print("{} {}", tag, graph.degree(u));
      for (auto [e, last] = graph.entries_of(u); e < last; ++e) out.print(" {}", graph.neighbour(e));
      if (attributes) {
        std::vector<float> row(static_cast<std::size_t>(graph.node_dense.width));
        graph.node_dense.copy(u, row.data());
        for (const float value : row) out.print(" {}", dense_text(value));
      }
      out.write("\n");
    }
  }
  out.commit();
  return left_out(data);
}

}  // namespace agentnet
