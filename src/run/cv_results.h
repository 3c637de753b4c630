// What the folds of a cross-validation have come to, read from their folders.
//
// Everything here is a function of files and numbers that no clock, thread or interruption has touched: the same
// cross-validation gives the same results.json, byte for byte, however it was run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "agentnet/compare.h"

namespace agentnet {

// The mean metric of each epoch that was evaluated in every fold. A fold in which the metric is never defined counts
// for nothing; one in which it is undefined now and then leaves these epochs without a mean.
[[nodiscard]] std::vector<CurvePoint> mean_curve(std::span<const std::vector<EpochRecord>> histories);
// The first of the best; epoch 0 if there is no mean at all.
[[nodiscard]] CurvePoint best_point(std::span<const CurvePoint> curve, Metric metric);

// Where fold `fold` of a protocol is in the folder of a cross-validation; a run folder (agentnet/run.h).
[[nodiscard]] std::filesystem::path fold_folder(const std::filesystem::path& folder, Protocol protocol,
                                                std::size_t fold);

// Whether the run in this folder has come to its end.
[[nodiscard]] bool run_is_complete(const std::filesystem::path& run);

// Reads these folds of a protocol, whose runs are complete. `result` comes with protocol and texts. Throws Error
// (kData) for a file that is damaged or missing.
void read_folds(const std::filesystem::path& folder, std::span<const std::size_t> folds, Metric metric, Task task,
                ProtocolResult& result);

}  // namespace agentnet
