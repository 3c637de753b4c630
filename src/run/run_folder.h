// The files in the folder of a training run (agentnet/run.h).
#pragma once

#include "agentnet/run.h"

namespace agentnet {

namespace run_file {
inline constexpr const char* kConfig = "config.toml";
inline constexpr const char* kSplits = "splits.json";
inline constexpr const char* kModel = "model.safetensors";
inline constexpr const char* kMetrics = "metrics.jsonl";
inline constexpr const char* kSummary = "summary.json";
inline constexpr const char* kPredictions = "predictions.csv";
inline constexpr const char* kLog = "train.log";
inline constexpr const char* kCheckpoints = "checkpoint";
}  // namespace run_file

}  // namespace agentnet
