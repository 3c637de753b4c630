// A training run: to the end, or until it is stopped, by whatever means, and taken up again: the end is the same, bit
// for bit. What it leaves is described in train/run_folder.h.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agentnet/predict.h"
#include "agentnet/train.h"
#include "core/files/atomic_file.h"
#include "run/settings.h"

namespace agentnet {

enum class Ending { kFinished, kOutOfPatience, kOutOfTime, kInterrupted };
[[nodiscard]] std::string_view ending_name(Ending ending);  // "finished", "out of patience", ...

struct RunProgress {
  std::uint64_t epoch = 0, epochs = 0;  // of this step, from 1
  std::uint64_t steps = 0, steps_in_all = 0;
  double loss = 0;
  std::optional<double> metric;  // of the last evaluation
  double seconds = 0;            // in all sessions
  double graphs_per_second = 0, seconds_left = 0;
};

// What has no influence on the result.
struct RunControl {
  int threads = 1;
  double max_seconds = 0;          // in all sessions; 0: no limit
  double checkpoint_seconds = 60;  // between checkpoints; 0: after every step
  bool epoch_matters = true;       // whether anyone asks for the best epoch of this run
  bool safe_csv = false;           // predictions.csv is going to be opened with a spreadsheet
  FileSystem* fs = &FileSystem::real();
  const KindTable* kinds = &builtin_kinds();         // the networks that settings and model files may name
  std::function<void(const std::string&)> say = {};  // a line for people; it is in train.log as well
  std::function<void(const EpochRecord&)> on_epoch = {};
  std::function<void(const RunProgress&)> on_step = {};
  std::function<bool()> should_stop = {};
};

struct PartScores {
  std::string name;  // "valid", "test"
  std::size_t graphs = 0;
  Scores model, constant, structure_blind;  // the model's, and what needs no network
  Predictions predictions;                  // of the part's graphs, in the order of the split
  std::size_t not_finite = 0;               // graphs for which the model's output is no finite number
};

struct RunResult {
  Ending ending = Ending::kFinished;
  std::uint64_t epochs = 0, best_epoch = 0;
  std::string metric;
  std::string constant_name;  // of the constant baseline: "majority class"
  int rollouts = 1;           // that `parts` are averaged over
  std::size_t parameters = 0;
  double seconds = 0;
  std::vector<PartScores> parts;  // empty if the run was interrupted, or the split has nothing but a training part
  std::vector<EpochRecord> history;
};

// Trains to the end, from the beginning or from the last checkpoint in the folder. Throws Error: kMismatch if the
// checkpoint belongs to other settings, data or another split; kUsage if another process is at work there; kFailure if
// something cannot be written or the loss stops being finite. The folder can be resumed after every error.
RunResult run_training(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                       const Split& split, const RunControl& control);

}  // namespace agentnet
