#include "classic/features/wl_table.h"

#include <algorithm>
#include <cmath>

#include "agentnet/error.h"

namespace agentnet {
namespace {

// The place of a column by its name; nothing if there is none.
std::optional<int> column_named(const FeatureSchema& schema, std::string_view name) {
  for (std::size_t c = 0; c < schema.categories.size(); ++c) {
    if (schema.categories[c].name == name) return static_cast<int>(c);
  }
  return std::nullopt;
}

}  // namespace

std::optional<LabelColumns> ecfp_columns(const Schema& schema) {
  LabelColumns columns;
  for (const char* name : {"atomic_num", "degree", "formal_charge", "num_h", "is_in_ring"}) {
    const auto at = column_named(schema.nodes, name);
    if (!at) return std::nullopt;
    columns.nodes.push_back(*at);
  }
  const auto bond = column_named(schema.edges, "bond_type");
  if (!bond) return std::nullopt;
  columns.edges.push_back(*bond);
  return columns;
}

void stop_if_asked(const std::function<bool()>& should_stop) {
  if (should_stop && should_stop()) {
    throw Error(ErrorKind::kInterrupted, "interrupted while a model was fitted", "run the same command again");
  }
}

std::vector<GraphLabels> labels_of(const GraphSet& set, std::span<const std::size_t> graphs, int depth,
                                   const LabelColumns& columns, LabelCounts counts, ThreadPool& pool,
                                   const std::function<bool()>& should_stop) {
  constexpr std::size_t kStretch = 64;  // graphs per task
  std::vector<GraphLabels> all(graphs.size());
  pool.run((graphs.size() + kStretch - 1) / kStretch, [&](std::size_t task, int) {
    stop_if_asked(should_stop);
    const std::size_t last = std::min(graphs.size(), (task + 1) * kStretch);
    for (std::size_t i = task * kStretch; i < last; ++i) {
      all[i] = wl_labels(set.view(graphs[i]), depth, columns, counts);
    }
  });
  return all;
}

std::vector<double> unit_factors(const GraphLabels& labels) {
  std::vector<double> factors;
  double squares = 0;
  std::size_t at = 0;
  for (const std::size_t end : labels.level_end) {
    for (; at < end; ++at) {
      const auto count = static_cast<double>(labels.all[at].count);
      squares += count * count;
    }
    factors.push_back(squares > 0 ? 1 / std::sqrt(squares) : 0);
  }
  return factors;
}

}  // namespace agentnet
