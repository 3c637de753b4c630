// What the folds of a cross-validation have come to, read from their folders.
//
// Everything here is a function of files and numbers that no clock, thread or interruption has touched: the same
// cross-validation gives the same results.json, byte for byte, however it was run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/metrics.h"
#include "agentnet/train.h"
#include "run/settings.h"

namespace agentnet {

// How a number is got out of folds (docs/protocols.md).
enum class Protocol {
  kGin,       // stratified folds; tested after every epoch, the epoch with the best mean over the folds is taken
  kAgentnet,  // the same with folds that are not stratified
  kFair,      // the epoch is chosen inside the training part; the held-out fold is tested once
};
[[nodiscard]] std::string_view protocol_name(Protocol protocol);  // "gin", "agentnet", "fair"
// One of these names, or "all". Throws Error (kUsage) for another.
[[nodiscard]] std::vector<Protocol> protocols_named(std::string_view name);

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

// NaN if it is not among them.
[[nodiscard]] double score_named(const Scores& scores, std::string_view name);

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
// The mean metric of each epoch that was evaluated in every fold. A fold in which the metric is never defined counts
// for nothing; one in which it is undefined now and then leaves these epochs without a mean.
[[nodiscard]] std::vector<CurvePoint> mean_curve(std::span<const std::vector<EpochRecord>> histories);
// The first of the best; epoch 0 if there is no mean at all.
[[nodiscard]] CurvePoint best_point(std::span<const CurvePoint> curve, Metric metric);

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

struct ProtocolResult {
  Protocol protocol = Protocol::kGin;
  std::string folds_from;   // as make_splits() reads it: "stratified-kfold:10"
  std::string description;  // the protocol in words
  int rollouts = 1;         // averaged in each test
  std::uint64_t epoch = 0;  // gin, agentnet: the one taken
  std::vector<FoldResult> folds;
  FoldStatistics model, last_epoch, constant, structure_blind;  // of the metric
  std::vector<CurvePoint> curve;                                // gin, agentnet
};

struct CvResult {
  bool interrupted = false;      // then there are no results
  std::size_t done = 0, of = 0;  // folds, over all protocols
  std::string metric;            // "accuracy"
  std::string constant_name;     // "majority class"
  std::vector<ProtocolResult> protocols;
};

// Where fold `fold` of a protocol is in the folder of a cross-validation; a run folder (train/run.h).
[[nodiscard]] std::filesystem::path fold_folder(const std::filesystem::path& folder, Protocol protocol,
                                                std::size_t fold);

// Whether the run in this folder has come to its end.
[[nodiscard]] bool run_is_complete(const std::filesystem::path& run);

// Reads all folds of a protocol, whose runs are complete. `result` comes with protocol and texts. Throws Error (kData)
// for a file that is damaged or missing.
void read_folds(const std::filesystem::path& folder, std::size_t folds, Metric metric, Task task,
                ProtocolResult& result);

// results.json and results.csv.
[[nodiscard]] std::string results_json(const CvResult& result, const Settings& settings, const Dataset& data);
[[nodiscard]] std::string results_csv(const CvResult& result);

}  // namespace agentnet
