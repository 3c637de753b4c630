#include "data/tables/options_json.h"

#include "core/option_table.h"

namespace agentnet {

template <>
inline constexpr std::array option_names<Task> = std::to_array<std::string_view>({"none", "classification",
                                                                                  "multilabel", "regression"});
template <>
inline constexpr std::array option_names<Direction> = std::to_array<std::string_view>({"as-format", "directed",
                                                                                       "undirected"});
template <>
inline constexpr std::array option_names<FeatureKind> = std::to_array<std::string_view>({"auto", "categories",
                                                                                         "dense"});

template <>
inline constexpr std::array option_names<Bounds> = std::to_array<std::string_view>({"refuse", "blank", "value"});

namespace {

constexpr auto kVisit = [](auto& o, const auto& f) {
  f("format", o.format, kAnyValue, "of the data; empty: detected");
  f("task", o.task, kAnyValue, "auto: what the targets look like");
  f("targets", o.targets, kAnyValue, "names of the target columns; empty: those that the format suggests");
  f("bounds", o.bounds, kAnyValue, "what a bounded target, such as >10, is: an error, a blank, or its number");
  f("smiles_column", o.smiles_column, kAnyValue, "the column with SMILES strings; empty: the usual names");
  f("id_column", o.id_column, kAnyValue, "the column with the names of graphs; empty: the usual names");
  f("direction", o.direction, kAnyValue, "whether edges can be walked both ways");
  f("node_features", o.node_features, kAnyValue, "how numbers of nodes are read");
  f("edge_features", o.edge_features, kAnyValue, "how numbers of edges are read");
  f("node_columns", o.node_columns, kAnyValue, "the feature columns of nodes to read; empty: all");
  f("edge_columns", o.edge_columns, kAnyValue, "the feature columns of edges to read; empty: all");
  f("degree", o.degree, kAnyValue, "adds the node's degree as a category");
  f("constant", o.constant, kAnyValue, "adds a column of ones");
  f("distances", o.distances, kAnyValue, "joins all pairs of nodes, with their distance as an edge feature (QM9)");
  f("largest_fragment", o.largest_fragment, kAnyValue, "of a molecule in several pieces, only the largest is read");
  f("max_atoms", o.max_atoms, OptionRange{1, 1000000}, "a SMILES string of more atoms is a row that is no graph");
  f("max_unpack_ratio", o.max_unpack_ratio, OptionRange{1, 1000000},
    "how many times its size a compressed file may unpack to, if that is more than 256 MiB");
};

}  // namespace

std::string to_json(const DataOptions& options) { return options_to_text(options, kVisit); }

void apply_json(DataOptions& options, const std::string& json) {
  options_from_text(json, options, kVisit, "data option");
}

void describe_data_options(
    const std::function<void(const char*, const std::string&, const std::string&, const char*)>& f) {
  describe_options<DataOptions>(kVisit, f);
}

}  // namespace agentnet
