// What every run leaves at its end, however its model came about; and runs of models that are fitted as a whole.
#pragma once

#include <filesystem>
#include <string>

#include "core/files/append_file.h"
#include "nn/kind.h"
#include "run/run.h"

namespace agentnet {

// A run as run_training() is asked for it. Everything must outlive it.
struct RunPlan {
  const std::filesystem::path& folder;
  const Settings& settings;
  const Dataset& data;
  const Split& split;
  const RunControl& control;
  const RunSeams& seams;
};

// By the rows of the data's source, as --split file:PATH reads them: rows that are not graphs count as well.
[[nodiscard]] std::string split_json(const Split& split, const Dataset& data);

// Tests the model in the folder, unless the run was interrupted, and writes predictions.csv and summary.json. `result`
// comes with what the training knows, and gets the rest.
void finish_run(const RunPlan& plan, AppendFile& log, RunResult& result);

// run_training() for a kind that has a fitter. A run that was interrupted begins again.
[[nodiscard]] RunResult run_fitting(const RunPlan& plan, const NetworkKind& kind);

}  // namespace agentnet
