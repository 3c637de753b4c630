// The quick models that need no network (docs/classic.md), beside the result of a training: what a user would pick
// instead, on the same graphs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/compare.h"
#include "agentnet/train.h"

namespace agentnet {

// Kinds that this build can fit and that take seconds for this data; none for a large set. `kind` is that of the model
// they stand beside, and is not among them.
[[nodiscard]] std::vector<std::string> quick_rivals(const Dataset& data, std::string_view kind);

struct Rival {
  std::string name;
  Scores scores;
  double seconds = 0;
};

// Fitted to the training part, with the options that suit the data, and tested on `graphs`. Of `config`, metric, class
// weights and seed matter.
[[nodiscard]] Rival fit_rival(const std::string& kind, const Dataset& data, const Split& split,
                              std::span<const std::size_t> graphs, const TrainConfig& config, int threads,
                              const std::function<bool()>& should_stop = {});

// The same over these folds of a protocol: the metric of `config` on each.
[[nodiscard]] FoldStatistics cross_validate_rival(const std::string& kind, const Dataset& data,
                                                  const Settings& settings, Protocol protocol, const CvOptions& options,
                                                  std::span<const FoldResult> over, int threads,
                                                  const std::function<bool()>& should_stop = {});

}  // namespace agentnet
