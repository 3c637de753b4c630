// Models of a kind that is fitted to the training part as a whole (classic/fitter.h), as a run sees them: one "epoch".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agentnet/train.h"
#include "nn/kind.h"

namespace agentnet {

struct FittedModel {
  Model model;
  EpochRecord record;              // epoch 1; `loss` is the log loss on the training part, for numbers the RMSE
  std::vector<std::string> notes;  // what was chosen
};

// `kind` has a fitter. Learns from the training part alone: of all options of training only metric, class_weights and
// seed matter. The shape of the network is that of the data. Throws what Trainer throws, and Error (kInterrupted) if
// should_stop() says so.
[[nodiscard]] FittedModel fit_model(const Dataset& data, const Split& split, const NetworkKind& kind,
                                    const NetworkConfig& network, const TrainConfig& config, int threads,
                                    const std::function<bool()>& should_stop = {});

}  // namespace agentnet
