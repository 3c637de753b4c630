// One function per format that is written (formats.h). Each throws Error (kUsage) if the format cannot hold the set's
// graphs, features or targets, and returns what it left out: "ids", "positions", "node marks", "columns", "the split".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "graph/narrow.h"

namespace agentnet {

using LeftOut = std::vector<std::string>;

[[nodiscard]] LeftOut write_tu(const Dataset& data, const std::filesystem::path& path);
[[nodiscard]] LeftOut write_gin(const Dataset& data, const std::filesystem::path& path);
[[nodiscard]] LeftOut write_csv_triple(const Dataset& data, const std::filesystem::path& path);
[[nodiscard]] LeftOut write_jsonl(const Dataset& data, const std::filesystem::path& path);
[[nodiscard]] LeftOut write_edge_list(const Dataset& data, const std::filesystem::path& path);
[[nodiscard]] LeftOut write_graphml(const Dataset& data, const std::filesystem::path& path);

// What a set has beyond graphs, features and targets, less `held`, which the format can hold.
[[nodiscard]] LeftOut left_out(const Dataset& data, const std::vector<std::string>& held = {});

// Whether graphs can be found by their ids: no two are the same.
[[nodiscard]] bool has_distinct_ids(const GraphSet& graphs);

// Whether the only node feature is the constant that readers add where there are none: it need not be written.
[[nodiscard]] bool only_constant_features(const Dataset& data);

// Whether whoever reads `value` unmarked takes it for a category of the same spelling: a whole number, or a word.
[[nodiscard]] bool reads_back_as_category(const std::string& value);
// Throws Error (kUsage) unless that holds for all values of all categorical columns, and for no more than 256 numbers.
void require_plain_categories(const FeatureSchema& schema, const char* format);

// A float so that it reads back as the same float, and as no whole number: 1 is "1.0".
[[nodiscard]] std::string dense_text(float value);
// A target as it was spelled: the class, a number, or nothing for a blank.
[[nodiscard]] std::string target_text(const Dataset& data, std::size_t graph, std::size_t target);

// Calls f(from, to, row) for every row of every edge, in the order of the neighbour lists.
template <class F>
void for_each_edge(const GraphView& graph, const F& f) {
  require_narrow(graph);
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    for (auto [e, last] = graph.entries_of(u); e < last; ++e) {
      const std::uint64_t to = graph.neighbour(e);
      const bool featured = graph.edge_dense.width > 0 || graph.edge_categories.width > 0;
      const IndexRange rows = featured ? graph.edge_rows_of(e) : IndexRange{e, e + 1};
      for (std::uint64_t row = rows.first; row < rows.last; ++row) f(u, to, row);
    }
  }
}

}  // namespace agentnet
