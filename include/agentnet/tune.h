// Search for settings: random, with successive halving, and honest. The search sees the training and the validation
// part and nothing else; the test part is used once, at the end, by the model that won.
//
//   TuneOptions options{.trials = 40, .space = "wide"};
//   std::vector<std::string> notes;
//   TunePlan plan = plan_tuning(data, layers, options, /*threads=*/8, /*jobs=*/4, notes);
//   make_tune_folder("tune1", plan, data);
//   TuneResult result = tune("tune1", plan, data, {.threads = 8});
//   Model model = Model::load("tune1/best/model.safetensors");
//
// All trials train for the first of a few numbers of epochs (a rung); of these the best `keep`-th part goes on to the
// next rung, from its checkpoint, until a few have trained to the end. Models that are fitted as a whole (wl, forest)
// have no epochs: they take no place of a network and meet the others in the last ranking.
//
// A folder may have any number of workers, on any number of machines: each calls tune(), and they share the trials by
// claims (src/core/files/claims.h). The folder holds
//   tune.json                  options, and every trial with all of its settings
//   trials/trial-007           a run folder (agentnet/run.h) per trial, without a test part
//   scores/trial-007-rung-0.json   what a trial had come to at a rung
//   best/                      a run folder: config.toml, model.safetensors, and the test
//   results.json, trials.csv   at the end
// and with `nested` a fold-0, fold-1, ... of trials, scores and best each. Results are the same, byte for byte, for any
// number of workers, jobs, threads and interruptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentnet/compare.h"
#include "agentnet/data.h"
#include "agentnet/metrics.h"
#include "agentnet/settings.h"

namespace agentnet {

struct TuneOptions {
  std::size_t trials = 40;
  double budget = 7200;         // seconds that training may take in all, as far as can be foretold; 0: no limit
  std::string space = "small";  // one of space_names(), or a file (docs/tune.md)
  bool grid = false;            // every point of the space, each trained to the end
  bool nested = false;          // a search in each fold of a cross-validation, which is tested on the held-out fold
  std::size_t folds = 10;       // of that
  std::size_t keep = 3;         // one trial of so many goes on to the next rung; 1: all
  std::uint64_t seed = 0;       // of the draws
};

[[nodiscard]] std::vector<std::string> space_names();
// The text of such a space, as a file would have it. Throws Error (kUsage) for another name.
[[nodiscard]] std::string space_text(std::string_view name, const Dataset& data, const std::string& kind);

struct Trial {
  std::size_t number = 0;
  std::vector<std::pair<std::string, std::string>> drawn;  // setting and value: {"train.batch", "64"}
  Settings settings;
  bool fitted = false;  // as a whole: it has no epochs
};

struct TunePlan {
  TuneOptions options;
  std::vector<Trial> trials;
  std::vector<std::uint64_t> rungs;  // epochs of networks; the last is that of the settings
};

// Draws the trials. `layers` is what the user said; what the space searches, it decides, but a space with a name leaves
// alone what `layers` has. A budget that is too small leaves fewer trials, and of a grid fewer epochs: `notes` say so.
// Throws Error (kUsage) for a space that makes no sense (file:line:column), and for data without a validation or a test
// part.
[[nodiscard]] TunePlan plan_tuning(const Dataset& data, const SettingsLayers& layers, const TuneOptions& options,
                                   int threads, int jobs, std::vector<std::string>& notes);

// Makes the folder and writes tune.json. Throws Error (kUsage) if there is something in it, unless `replace` is set and
// that is a search, whose files are then removed.
void make_tune_folder(const std::filesystem::path& folder, const TunePlan& plan, const Dataset& data,
                      bool replace = false);

// Where the data is named, and the plan. Throw Error: kUsage if the folder holds no search, kData if it is damaged,
// kMismatch if the data is not the same any more.
[[nodiscard]] Settings tune_data_settings(const std::filesystem::path& folder);
[[nodiscard]] TunePlan read_tuning(const std::filesystem::path& folder, const Dataset& data);

struct TuneProgress {
  std::size_t fold = 0, folds = 1;
  std::size_t rung = 0, rungs = 1;
  std::size_t done = 0, of = 0;  // trials of this rung
  double fraction = 0;           // of all epochs that will be trained
};

// What has no influence on the result. The functions are called from several threads, but never two at once.
struct TuneControl {
  int threads = 1;
  int jobs = 0;  // trials at a time; 0: as many as there are threads
  std::function<void(const std::string&)> say = {};
  std::function<void(const TuneProgress&)> on_progress = {};
  std::function<bool()> should_stop = {};  // trials then keep a checkpoint, and the result is `interrupted`
};

struct TrialResult {
  std::size_t number = 0;
  std::vector<std::pair<std::string, std::string>> drawn;
  std::vector<double> scores;  // of the metric on the validation part, the best epoch so far, at each rung it reached
  std::uint64_t epochs = 0;
  std::string failed;  // why training could not go on; empty
  double seconds = 0;  // of training; not part of the results, since it differs from run to run
  [[nodiscard]] double score() const { return scores.empty() ? kUndefined : scores.back(); }
};

struct SettingLevel {
  std::string value;                // or a range of values: "0.001..0.005"
  double mean = kUndefined;         // score
  std::vector<std::size_t> trials;  // their numbers
};

// What a setting's value says about the score: trials are ranked at the first rung, where all of them have trained
// equally long.
struct SettingImportance {
  std::string key;
  std::size_t trials = 0;  // that have it
  double share = 0;        // of the variance of ranks between its values (epsilon squared); numbers in up to 4 groups
  double p = 1;            // how often a random order of the scores gives as much: 999 permutations
  std::vector<SettingLevel> levels;
};

// One search: all of it, or that of a fold.
struct SearchResult {
  std::vector<TrialResult> trials;            // by number
  std::vector<std::size_t> ranking;           // of trials, the best first
  std::vector<SettingImportance> importance;  // the most important first
  Scores valid, test;                         // of the best, rollouts averaged as its settings say
  Scores constant, structure_blind;           // the baselines on the test part
  std::size_t tested = 0;                     // graphs
};

struct TuneResult {
  bool interrupted = false;      // then there are no searches
  std::size_t done = 0, of = 0;  // pieces of work: a trial at a rung
  std::string metric, constant_name;
  bool higher_is_better = true;
  std::vector<std::uint64_t> rungs;
  std::vector<SearchResult> searches;
  FoldStatistics test;  // of the metric, over searches
};

// Works on what is not yet done, together with whoever else does, waits for them and writes the results. Throws what
// run_training() throws; the folder can be taken up after every error. A trial whose loss stops being finite is the
// worst, and no error.
[[nodiscard]] TuneResult tune(const std::filesystem::path& folder, const TunePlan& plan, const Dataset& data,
                              const TuneControl& control = {});

// The same with everything that the folder says: one more worker.
[[nodiscard]] TuneResult resume_tuning(const std::filesystem::path& folder, const TuneControl& control = {});

// results.json and trials.csv.
[[nodiscard]] std::string tuning_json(const TuneResult& result, const TunePlan& plan, const Dataset& data);
[[nodiscard]] std::string tuning_csv(const TuneResult& result);

}  // namespace agentnet
