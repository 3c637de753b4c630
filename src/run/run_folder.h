// The folder of a training run:
//
//   config.toml         every setting; agentnet train -c runs it again
//   splits.json         rows of the data: train, valid, test
//   metrics.jsonl, metrics.csv, events.out.tfevents.*   one record per epoch
//   model.safetensors   of the best epoch so far
//   checkpoint/         where to go on from
//   train.log           what was said
//   predictions.csv, summary.json   at the end
//   report.html         the viewer's page, which agentnet train adds
#pragma once

#include <filesystem>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/train.h"
#include "data/splits/splits.h"

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

// The page in a run's folder.
inline constexpr const char* kReportFile = "report.html";

// Makes the folder for a new run. Throws Error (kUsage) if there is something in it, unless `replace` is set and what
// is there is a run, whose files are then removed. Temporary files of a killed run are removed.
void make_run_folder(const std::filesystem::path& folder, bool replace);

// Where a run's settings are. Throws Error (kUsage) if the folder holds no run.
[[nodiscard]] std::filesystem::path run_config_file(const std::filesystem::path& folder);
// Its model, and the curves so far; no records if there is no finished epoch.
[[nodiscard]] std::filesystem::path run_model_file(const std::filesystem::path& folder);
[[nodiscard]] std::vector<EpochRecord> read_run_history(const std::filesystem::path& folder);
// Throws Error (kMismatch) if the run has ended and was made with other data.
void check_run_data(const std::filesystem::path& folder, const Dataset& data);
// Its split; a run that was killed at its very beginning may have none yet.
[[nodiscard]] bool has_run_split(const std::filesystem::path& folder);
[[nodiscard]] Split read_run_split(const std::filesystem::path& folder, const Dataset& data);

}  // namespace agentnet
