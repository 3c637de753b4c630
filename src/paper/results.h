// What the runs in a folder have come to, beside the paper's figures.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "paper/run_experiment.h"

namespace agentnet {

void write_seed_result(const std::filesystem::path& run, const SeedResult& result);
// Nothing if the run is not done. Throws Error (kData) if the file is damaged.
[[nodiscard]] std::optional<SeedResult> read_seed_result(const std::filesystem::path& run);

// Over the seeds of an experiment at one scale and with the same settings; over all folds of all seeds for folds.
struct ExperimentResult {
  const Experiment* experiment = nullptr;
  std::string method;             // of paper/methods.h; empty: AgentNet
  std::string point;              // of the paper's grid; empty: the experiment's own settings
  std::vector<SeedResult> seeds;  // ascending

  struct Figure {
    std::size_t values = 0;
    double mean = 0, deviation = 0;  // NaN where there are too few values
  };
  [[nodiscard]] Figure one_rollout() const;
  [[nodiscard]] Figure averaged() const;
  [[nodiscard]] Figure valid() const;       // of the validation part, where the experiment has one
  [[nodiscard]] std::string name() const;   // "MUTAG", "MUTAG --model gin": as agentnet paper run takes it
  [[nodiscard]] std::string paper() const;  // the paper's figure for this method; empty: it has none
  [[nodiscard]] double seconds() const;     // of training, all seeds and folds
  [[nodiscard]] std::string over() const;   // "3 seeds", "10 folds", "2 x 10 folds"
  // "98.7 ± 0.4" in the units of the paper; "-" if there is nothing.
  [[nodiscard]] std::string text(const Figure& figure) const;
};

// Everything that is done in the folder, in the order of experiments(), AgentNet before other methods. Damaged files
// throw Error (kData).
[[nodiscard]] std::vector<ExperimentResult> collect_results(const std::filesystem::path& folder);

// What stands in a table for an experiment and a method: the result with the best mean, as the paper chooses among the
// points of its grid, by the figures that it reports. Where the experiment has a validation part, by that part.
struct BestResult {
  const ExperimentResult* result = nullptr;  // null: there is none
  std::size_t points = 0;                    // of the grid that it is the best of; 0: nothing was searched
};
[[nodiscard]] BestResult best_result(const std::vector<ExperimentResult>& results, std::string_view experiment,
                                     std::string_view method);

[[nodiscard]] std::string results_csv(const std::vector<ExperimentResult>& results);       // a line per value
[[nodiscard]] std::string results_markdown(const std::vector<ExperimentResult>& results);  // a line per experiment
[[nodiscard]] std::string results_json(const std::vector<ExperimentResult>& results);

// Throws Error (kUsage) if what is there is not ours to add to: a file, a training run's or a cross-validation's
// folder, or one with a results.csv or results.md of other make.
void check_results_folder(const std::filesystem::path& folder);
// Writes results.csv and results.md into the folder.
void write_results(const std::filesystem::path& folder, const std::vector<ExperimentResult>& results);

}  // namespace agentnet
