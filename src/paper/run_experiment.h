// Runs of the paper's experiments, each in a folder that can be taken up again:
//
//   FOLDER/NAME/seed-0               of AgentNet: a run folder (run/run.h), or that of a cross-validation
//   FOLDER/NAME--gin/seed-0          of another method
//   FOLDER/NAME@hidden=64,.../seed-0 of a point of the paper's grid
//   FOLDER/NAME/seed-0/result.json   when it is done
//   FOLDER/data                      sets that had to be put together
//   FOLDER/results.csv, results.md   of all that is done (paper/results.h)
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "paper/experiments.h"
#include "run/settings.h"

namespace agentnet {

struct PaperOptions {
  Scale scale = Scale::kSmall;
  std::string method;                // of paper/methods.h; empty: AgentNet
  GridPoint point;                   // of the paper's grid; one without a name: the experiment's own settings
  std::optional<std::size_t> seeds;  // else what the experiment has at this scale
  std::vector<std::string> set;      // "model.agents=32": settings that have the last word
  std::filesystem::path data;        // where public sets are
  std::filesystem::path folder;
};

// What has no influence on the results.
struct PaperControl {
  int threads = 1;
  double checkpoint_seconds = 60;
  std::function<void(const std::string&)> say = {};
  // The share of a run that is done, and how it stands.
  std::function<void(double fraction, const std::string& text)> on_progress = {};
  std::function<bool()> should_stop = {};
};

// What a run comes to.
struct SeedResult {
  std::string experiment;
  std::string method;  // empty: AgentNet
  std::string point;   // of the paper's grid; empty: none
  std::string scale;
  std::string settings;  // a checksum of them
  std::uint64_t seed = 0;
  std::string metric;
  std::string tested_on;            // "300 fresh graphs"
  std::vector<double> one_rollout;  // of the metric: one value, or one per fold
  std::vector<double> averaged;     // the same with several rollouts averaged; empty for folds
  // kWhileLearning: the number of steps that were done, and the metric of one rollout then.
  std::vector<std::pair<std::uint64_t, double>> curve;
  std::vector<double> valid;   // of the validation part, as many rollouts averaged; empty: there is none
  int rollouts = 1;            // that are averaged
  std::uint64_t epoch = 0;     // whose model was tested
  std::size_t parameters = 0;  // 0: not known
  double seconds = 0;          // of training
};

// Where an experiment's runs are, and where one of them is; `point` is the name of a GridPoint.
[[nodiscard]] std::filesystem::path experiment_folder(const std::filesystem::path& folder, const Experiment& experiment,
                                                      const std::string& method, const std::string& point);
[[nodiscard]] std::filesystem::path seed_folder(const std::filesystem::path& folder, const Experiment& experiment,
                                                const std::string& method, const std::string& point,
                                                std::uint64_t seed);

// What an experiment learns from, for the run of a seed.
[[nodiscard]] std::string experiment_source(const Experiment& experiment, const PaperOptions& options,
                                            std::uint64_t seed);

// A run's settings in full, for the data that they name.
[[nodiscard]] Settings resolved_settings(const SettingsLayers& layers, const Dataset& data);

// Runs all seeds that are not done, each from where it was left. Any number of processes may run the same experiment in
// the same folder: they share seeds and folds, and wait for each other at the end. False if it was asked to stop; what
// is there is kept. Throws Error: kMismatch if a run in the folder was made with other settings or data; what
// find_public_set(), read_data(), run_training() and cross_validate() throw. The folder can be taken up after every
// error.
bool run_experiment(const Experiment& experiment, const PaperOptions& options, const PaperControl& control);

}  // namespace agentnet
