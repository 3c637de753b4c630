// The table of a set of graphs that wl, forest and boosting learn from.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "agentnet/data.h"
#include "classic/features/sparse_rows.h"
#include "classic/features/wl_labels.h"
#include "classic/features/wl_vocabulary.h"
#include "core/thread_pool.h"

namespace agentnet {

// Labels of graphs, spread over the pool.
[[nodiscard]] std::vector<GraphLabels> labels_of(const GraphSet& set, std::span<const std::size_t> graphs, int depth,
                                                 const LabelColumns& columns, LabelCounts counts, ThreadPool& pool,
                                                 const std::function<bool()>& should_stop = {});

// What ECFP (Rogers and Hahn 2010) starts from, if the columns are those of molecules (data/molecules/molecule.h): its
// environments of radius r are the labels of level r. Nothing for other data.
[[nodiscard]] std::optional<LabelColumns> ecfp_columns(const Schema& schema);

// 1 / norm of the counts of a graph up to each level [depth + 1], labels that no vocabulary knows included: rows that
// are multiplied by it have length 1, so that large graphs do not outweigh small ones.
[[nodiscard]] std::vector<double> unit_factors(const GraphLabels& labels);

// Throws Error (kInterrupted).
void stop_if_asked(const std::function<bool()>& should_stop);

}  // namespace agentnet
