// What commands that ask a model have in common: how often to ask, how its data is read, and what it
// has never seen.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agentnet/predict.h"
#include "commands.h"

namespace CLI {
class App;
}

namespace agentnet {

struct RolloutArguments {
  PredictOptions options = {.rollouts = 8};
};

// --rollouts, --seed, --draws, --greedy, --max-neighbours and --confidence.
void add_rollout_options(CLI::App& app, RolloutArguments& arguments);
// After parsing: with a confidence and no --rollouts there is a higher limit.
void finish_rollout_options(const CLI::App& app, RolloutArguments& arguments);

// "8 rollouts".
[[nodiscard]] std::string rollouts_text(int rollouts);

// Says how many rows are not graphs and are left out, if any, and why the first is not.
void tell_bad_rows(const Dataset& data, const Console& console);

// Values that are not in the model's vocabulary, over all parts of the data, and columns found by their places.
class UnseenCounts {
 public:
  void add(const UnseenValues& values);
  [[nodiscard]] std::uint64_t total() const { return nodes_ + edges_; }
  // A note for each kind of columns found by place, and one with the most frequent values; nothing if there are none.
  void print(const Console& console) const;

 private:
  std::uint64_t nodes_ = 0, edges_ = 0;
  std::map<std::string, std::uint64_t> by_value_;  // the first few thousand different ones
  std::vector<std::string> by_place_;              // each once, however many parts say it
};

// Data with true values, if it has those of the model: they are only compared and shown.
struct DataWithTruth {
  Dataset data;
  bool truth = false;
};

// Says what the data lacks, and what the model has never seen of it. Throws what read_labelled() throws if the user
// named targets that are not there, and if it is not the targets that do not match.
[[nodiscard]] DataWithTruth read_with_truth(const Model& model, const std::string& source, const DataOptions& options,
                                            const Console& console);

}  // namespace agentnet
