// What the draws of graphs are keyed by, as PredictOptions::draws says; and prediction with keys that are given, for
// parts of a graph that are to be walked with the draws of the whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agentnet/predict.h"

namespace agentnet {

[[nodiscard]] std::vector<std::uint64_t> draw_keys(std::span<const GraphView> graphs, const PredictOptions& options);

[[nodiscard]] Predictions predict_with_keys(const Model& model, std::span<const GraphView> graphs,
                                            std::span<const std::uint64_t> keys, const PredictOptions& options);

}  // namespace agentnet
