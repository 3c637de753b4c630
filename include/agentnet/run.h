// A training in a folder: to the end, or until it is stopped, by whatever means, and taken up again: the end is the
// same, bit for bit.
//
//   make_run_folder("run1");
//   RunResult result = run_training("run1", settings, data, make_split(data, settings.split));
//   RunResult same = resume_run("run1");              // after an interruption, a crash, a full disk
//   Model model = Model::load(run_model_file("run1"));
//
// The folder holds
//   config.toml         every setting; agentnet train -c runs it again
//   splits.json         rows of the data: train, valid, test
//   metrics.jsonl, metrics.csv, events.out.tfevents.*   one record per epoch
//   model.safetensors   of the best epoch so far
//   checkpoint/         where to go on from
//   train.log           what was said
//   predictions.csv, summary.json   at the end
//   report.html         the viewer's page, which agentnet train adds
//
// A folder belongs to one call at a time, whatever process it is in; a second one throws Error (kUsage).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/metrics.h"
#include "agentnet/predict.h"
#include "agentnet/settings.h"
#include "agentnet/train.h"

namespace agentnet {

// The page in a run's folder.
inline constexpr const char* kReportFile = "report.html";

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
  // In all sessions, the test included; 0: no limit. A run that begins has as many epochs as fit, so that the schedule
  // ends with the time; these are then part of its settings.
  double max_seconds = 0;
  double checkpoint_seconds = 60;                    // between checkpoints; 0: after every step
  bool safe_csv = false;                             // predictions.csv is going to be opened with a spreadsheet
  std::function<void(const std::string&)> say = {};  // a line for people; it is in train.log as well
  std::function<void(const EpochRecord&)> on_epoch = {};
  std::function<void(const RunProgress&)> on_step = {};
  // As everywhere (agentnet/train.h). The run keeps a checkpoint, and its ending is kInterrupted.
  std::function<bool()> should_stop = {};
};

struct PartScores {
  std::string name;  // "valid", "test"
  std::size_t graphs = 0;
  Scores model, constant, structure_blind;  // the model's, and what needs no network
  std::vector<TargetScores> by_target;      // the model's, where there are several targets
  Bootstrap bootstrap;                      // intervals of the model's, on the test part
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
  double chance_loss = 0;      // of the best answer that is the same for all graphs; NaN: there is none to compare with
  bool left_chance = true;     // whether the training loss was ever clearly below that
  bool still_falling = false;  // whether the training loss was, at the end
  std::vector<std::string> notes;  // what follows from these, for people
};

// Makes the folder for a new run. Throws Error (kUsage) if there is something in it, unless `replace` is set and what
// is there is a run, whose files are then removed. Temporary files of a killed run are removed.
void make_run_folder(const std::filesystem::path& folder, bool replace = false);

// Trains to the end, from the beginning or from the last checkpoint in the folder, which exists. Throws Error:
// kMismatch if the checkpoint belongs to other settings, data or another split; kUsage if another process is at work
// there; kFailure if something cannot be written or the loss stops being finite. The folder can be resumed after every
// error.
RunResult run_training(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                       const Split& split, const RunControl& control = {});

// The same with everything that the folder says: reads the data that its settings name, and goes on. Of a run that has
// come to its end, the result. Throws what run_training() throws, and Error (kUsage) if the folder holds no run.
RunResult resume_run(const std::filesystem::path& folder, const RunControl& control = {});

// Makes a run longer, or of another length: from where it stands, at the beginning of the next epoch, the learning rate
// follows the schedule of a training of `epochs` epochs. The run's settings say so (train.extended), so that the same
// settings give the same bytes when they are trained from the beginning. Returns them; run_training() or resume_run()
// goes on. Throws Error: kUsage if the run has had so many epochs, or has none; what run_training() throws for a folder
// that does not fit.
Settings extend_run(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                    const Split& split, std::uint64_t epochs);

// Where a run's settings are. Throws Error (kUsage) if the folder holds no run.
[[nodiscard]] std::filesystem::path run_config_file(const std::filesystem::path& folder);
// The settings themselves, for the data that they name.
[[nodiscard]] Settings read_run_settings(const std::filesystem::path& folder, const Dataset& data);
// The data that they name. Throws as read_data(const Settings&) does.
[[nodiscard]] Dataset read_run_data(const std::filesystem::path& folder, int threads = 1);
// Its model, and the curves so far; no records if there is no finished epoch.
[[nodiscard]] std::filesystem::path run_model_file(const std::filesystem::path& folder);
[[nodiscard]] std::vector<EpochRecord> read_run_history(const std::filesystem::path& folder);
// Throws Error (kMismatch) if the run has ended and was made with other data.
void check_run_data(const std::filesystem::path& folder, const Dataset& data);
// Its split; a run that was killed at its very beginning may have none yet.
[[nodiscard]] bool has_run_split(const std::filesystem::path& folder);
[[nodiscard]] Split read_run_split(const std::filesystem::path& folder, const Dataset& data);

}  // namespace agentnet
