// How good settings are on a set of graphs, and which of several models is the right one: cross-validation by one of
// three protocols, and comparison of models on the same folds.
//
//   CvOptions options{.protocols = {Protocol::kFair}, .folds = 10};
//   make_cv_folder("cv1", settings, options, data);
//   CvResult result = cross_validate("cv1", settings, data, options, {.threads = 8});
//   result.protocols[0].model.mean, result.protocols[0].model.error
//
// Both keep a folder and can be stopped at any moment and taken up again: a second call on the same folder runs what is
// not yet done. Any number of processes may work on a folder together, here or on other machines, and any may die: they
// share the folds by claims (src/core/files/claims.h). The folder of a cross-validation holds
//   cv.toml      the settings; each fold trains with train.seed + its number
//   cv.json      protocols, folds, and a checksum of the data
//   gin/fold-0   a run folder (agentnet/run.h) per protocol and fold
//   results.json, results.csv   at the end
// and that of a comparison
//   compare.json            models, seeds, protocol, budget, a checksum of the data
//   MODEL/seed-0            a cross-validation per model and seed
//   MODEL/cost.json         the most memory that its training took
//   results.json, results.csv   at the end
// Scores are the same, byte for byte, for any number of jobs, threads and interruptions; times and memory are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/metrics.h"
#include "agentnet/run.h"
#include "agentnet/settings.h"
#include "agentnet/train.h"

namespace agentnet {

// --- Cross-validation ------------------------------------------------------------------------------------------------

// How a number is got out of folds (docs/protocols.md). fair is the one to judge settings by.
enum class Protocol {
  kGin,       // stratified folds; tested after every epoch, the epoch with the best mean over the folds is taken
  kAgentnet,  // the same with folds that are not stratified
  kFair,      // the epoch is chosen inside the training part; the held-out fold is tested once
};
[[nodiscard]] std::string_view protocol_name(Protocol protocol);  // "gin", "agentnet", "fair"
// One of these names, or "all". Throws Error (kUsage) for another.
[[nodiscard]] std::vector<Protocol> protocols_named(std::string_view name);

struct CvOptions {
  std::vector<Protocol> protocols = {Protocol::kFair};
  std::size_t folds = 10;
  std::string split;  // of several folds, as make_splits() reads it, to be used instead of `folds`; empty: none
  bool operator==(const CvOptions&) const = default;
};

// The folds of a protocol, as a run takes them. For gin and agentnet the held-out fold is the part `valid`, evaluated
// after every epoch; for fair it is the part `test`, and `valid` is a tenth of the rest, or what the split of the
// options has there.
struct ProtocolFolds {
  std::string spec;        // as make_splits() reads it
  std::string in_words;    // "10 stratified folds"
  bool own_valid = false;  // fair: the split came with validation parts
  std::vector<Split> splits;
};

// The same for the same seed. Throws Error: kUsage for a split of one fold, a part without graphs, or more folds than
// graphs; what make_splits() throws.
[[nodiscard]] ProtocolFolds protocol_folds(const Dataset& data, Protocol protocol, const CvOptions& options,
                                           std::uint64_t seed);

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

// Over the folds whose value is defined (no NaN).
struct FoldStatistics {
  std::size_t folds = 0;
  double mean = kUndefined;
  double deviation = kUndefined;  // n - 1; of one fold there is none
  double error = kUndefined;      // of the mean: deviation / sqrt(folds)
};
[[nodiscard]] FoldStatistics fold_statistics(std::span<const double> values);

struct CurvePoint {
  std::uint64_t epoch = 0;
  double mean = kUndefined;
  bool operator==(const CurvePoint&) const = default;
};

struct FoldResult {
  std::size_t fold = 0;                              // from 0
  std::size_t train = 0, chosen_by = 0, tested = 0;  // graphs; chosen_by: set aside to choose the epoch
  std::uint64_t epoch = 0;                           // whose model was tested
  double value = kUndefined;                         // of the metric
  double last_epoch = kUndefined;                    // gin, agentnet: the same after the last epoch
  std::size_t parameters = 0;                        // of the model
  double seconds = 0;                                // of training
  Scores scores;                                     // every metric
  Scores constant, structure_blind;                  // the baselines', on the same graphs
};

// A metric over the folds that a result stands on, and what needs no network on the same graphs.
struct MetricResult {
  std::string metric;
  FoldStatistics model, constant, structure_blind;
};

struct ProtocolResult {
  Protocol protocol = Protocol::kGin;
  std::string folds_from;   // as make_splits() reads it: "stratified-kfold:10"
  std::string description;  // the protocol in words
  int rollouts = 1;         // averaged in each test
  std::uint64_t epoch = 0;  // gin, agentnet: the one taken
  std::size_t of = 0;       // folds that there are; those of `folds` have been run to their end
  std::vector<FoldResult> folds;
  std::vector<MetricResult> metrics;                            // every metric, at the same epochs
  FoldStatistics model, last_epoch, constant, structure_blind;  // of the metric
  std::vector<CurvePoint> curve;                                // gin, agentnet: the mean metric of each epoch
};

struct CvResult {
  bool interrupted = false;      // then there are no results
  bool out_of_time = false;      // then the results stand on the folds that are done, if there are any
  std::size_t done = 0, of = 0;  // folds that were asked for, over all protocols
  std::string metric;            // "accuracy"
  std::string constant_name;     // "majority class"
  std::vector<ProtocolResult> protocols;
};

struct CvProgress {
  Protocol protocol = Protocol::kGin;
  std::size_t folds_done = 0, folds = 0;  // of this protocol
  double fraction = 0;                    // of everything
  double seconds_left = 0;
};

// What has no influence on the results of a fold. The functions are called from several threads, but never two at once.
struct CvControl {
  int threads = 1;
  int jobs = 0;                        // folds at a time; 0: as many as there are threads or folds
  double checkpoint_seconds = 60;      // in each fold
  double max_seconds = 0;              // of this call; folds that are not done by then keep a checkpoint; 0: no limit
  std::vector<std::size_t> only = {};  // folds to run, from 0; empty: all
  bool safe_csv = false;               // as in RunControl
  bool worker = false;                 // one of several: does not keep the folder to itself
  bool wait = true;  // for folds that others are at; else the result is `interrupted` if there are some
  std::function<void(const std::string&)> say = {};
  std::function<void(Protocol, std::size_t fold, const RunResult&)> on_fold = {};  // a fold has been run to its end
  std::function<void(const CvProgress&)> on_progress = {};
  std::function<bool()> should_stop = {};  // all folds then keep a checkpoint, and the result is `interrupted`
};

// Throws Error (kUsage) for training options that a protocol excludes: where an epoch is chosen over all folds, all of
// them must get there.
void check_protocols(const CvOptions& options, const TrainConfig& train);
// Throws Error (kUsage) if a fold cannot be trained on with these settings.
void check_folds(const CvOptions& options, const Settings& settings, const Dataset& data);

// Makes the folder and writes cv.toml and cv.json. Throws Error (kUsage) if there is something in it, unless `replace`
// is set and that is a cross-validation, whose files are then removed.
void make_cv_folder(const std::filesystem::path& folder, const Settings& settings, const CvOptions& options,
                    const Dataset& data, bool replace = false);

// Runs what is not yet done in a folder of make_cv_folder(), and writes the results, which stand on every fold that is
// done by then, whichever call has run it. Throws Error (kUsage) for a fold that there is not, and what run_training()
// throws, with the fold's name in front; the folder can be resumed after every error.
[[nodiscard]] CvResult cross_validate(const std::filesystem::path& folder, const Settings& settings,
                                      const Dataset& data, const CvOptions& options, const CvControl& control = {});

// The same with everything that the folder says: reads the data that its settings name, and goes on.
[[nodiscard]] CvResult resume_cross_validation(const std::filesystem::path& folder, const CvControl& control = {});

// Where its settings are, and its options. Throw Error: kUsage if the folder holds no cross-validation, kData if it
// is damaged, kMismatch if the data is not the same any more.
[[nodiscard]] std::filesystem::path cv_config_file(const std::filesystem::path& folder);
[[nodiscard]] CvOptions read_cv_options(const std::filesystem::path& folder);
void check_cv_data(const std::filesystem::path& folder, const Dataset& data);

// results.json and results.csv.
[[nodiscard]] std::string results_json(const CvResult& result, const Settings& settings, const Dataset& data);
[[nodiscard]] std::string results_csv(const CvResult& result);

// --- Comparison ------------------------------------------------------------------------------------------------------

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
                         const CompareOptions& options, const Dataset& data, bool replace = false);

// Where the data of a comparison is named, and what was planned. Throw Error: kUsage if the folder holds no comparison,
// kData if it is damaged, kMismatch if the data is not the same any more.
[[nodiscard]] std::filesystem::path compare_config_file(const std::filesystem::path& folder);
[[nodiscard]] std::vector<ComparedModel> read_comparison(const std::filesystem::path& folder, const Dataset& data,
                                                         CompareOptions& options);

struct CompareControl {
  int threads = 1;
  int jobs = 0;
  bool worker = false;  // as in CvControl
  std::function<void(const std::string&)> say = {};
  std::function<void(const std::string& model, const CvProgress&)> on_progress = {};
  std::function<bool()> should_stop = {};  // the result is then `interrupted`, and the folder can be resumed
};

struct ComparisonRow {
  std::string name;            // of the kind; "majority class" and "without edges" come along
  std::string description;     // of the model
  std::vector<double> values;  // of the metric, by seed and fold
  FoldStatistics statistics;   // of them
  PairedTest to_best;          // this model less the best one
  double p = 1;                // of that test, corrected for the number of comparisons (Holm)
  double parameters = 0;       // mean over folds; 0 where there are none to speak of
  double train_seconds = 0;    // of a fold, mean
  double predict_seconds = 0;  // of a graph, one thread
  double memory = 0;           // bytes, the most that the process had while this model was trained
  std::string note;
};

struct Comparison {
  bool interrupted = false;
  std::size_t done = 0, of = 0;  // cross-validations
  std::string metric;
  std::string folds_in_words, protocol;
  std::size_t seeds = 1;
  double tested_to_learned = 0;  // graphs, in a fold
  std::size_t best = 0;          // of rows
  std::vector<ComparisonRow> rows;
  std::string verdict;  // in words that claim no more than the test supports
};

// A difference counts if its corrected p is below this.
inline constexpr double kSignificant = 0.05;

// Runs what is not yet done, and writes the results but for the picture.
[[nodiscard]] Comparison compare_models(const std::filesystem::path& folder, const std::vector<ComparedModel>& models,
                                        const Dataset& data, const CompareOptions& options,
                                        const CompareControl& control = {});

// The same with everything that the folder says.
[[nodiscard]] Comparison resume_comparison(const std::filesystem::path& folder, const CompareControl& control = {});

[[nodiscard]] std::string comparison_json(const Comparison& comparison);
[[nodiscard]] std::string comparison_csv(const Comparison& comparison);

}  // namespace agentnet
