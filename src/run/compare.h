// Several models on the same folds of the same data, with the same seeds and by the same metric.
//
//   FOLDER/compare.json            models, seeds, protocol, budget, a checksum of the data
//   FOLDER/MODEL/seed-0            a cross-validation (run/cross_validation.h) per model and seed
//   FOLDER/MODEL/cost.json         the most memory that its training took
//   FOLDER/results.json, results.csv, comparison.svg   at the end
//
// It can be stopped at any moment and taken up again. Scores do not depend on jobs, threads or interruptions; times and
// memory do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "run/compare_results.h"
#include "run/cross_validation.h"
#include "run/settings.h"

namespace agentnet {

struct CompareOptions {
  std::vector<std::string> models;  // kinds, each once; empty: those that suit the data within the budget
  CvOptions cv = {.protocols = {Protocol::kFair}, .folds = 10, .split = {}};
  std::uint64_t seeds = 1;  // repetitions, each with other folds
  double budget = 1800;     // seconds that training may take in all, as far as can be foretold
};

// A model of a comparison: its settings for each seed, and what the budget made of them.
struct ComparedModel {
  std::string name;
  std::vector<Settings> settings;  // by seed
  std::string note;                // "12 of 80 epochs fit into its share of the budget, 7.5 min"; may be empty
};

// The settings of every model, as make_compare_folder() writes them. `layers` is what the user said, without a kind.
// Networks share the budget evenly: each gets as many epochs as fit into its share, by a measured step. Without
// `options.models`, networks that get fewer than a tenth of their epochs are left out; `left_out` says so. Throws Error
// (kUsage) for a kind that there is not, or that this build cannot fit.
[[nodiscard]] std::vector<ComparedModel> plan_comparison(const Dataset& data, const SettingsLayers& layers,
                                                         const CompareOptions& options, int threads, int jobs,
                                                         std::vector<std::string>& left_out);

// Makes the folder, with a cross-validation for each model and seed. Throws Error (kUsage) if there is something in it,
// unless `replace` is set and that is a comparison.
void make_compare_folder(const std::filesystem::path& folder, const std::vector<ComparedModel>& models,
                         const CompareOptions& options, const Dataset& data, bool replace);

// Where the data of a comparison is named, and what was planned. Throw Error: kUsage if the folder holds no comparison,
// kData if it is damaged, kMismatch if the data is not the same any more.
[[nodiscard]] std::filesystem::path compare_config_file(const std::filesystem::path& folder);
[[nodiscard]] std::vector<ComparedModel> read_comparison(const std::filesystem::path& folder, const Dataset& data,
                                                         CompareOptions& options);

struct CompareControl {
  int threads = 1;
  int jobs = 0;
  std::function<void(const std::string&)> say = {};
  std::function<void(const std::string& model, const CvProgress&)> on_progress = {};
  std::function<bool()> should_stop = {};
};

// Runs what is not yet done, and writes the results but for the picture.
[[nodiscard]] Comparison compare_models(const std::filesystem::path& folder, const std::vector<ComparedModel>& models,
                                        const Dataset& data, const CompareOptions& options,
                                        const CompareControl& control);

}  // namespace agentnet
