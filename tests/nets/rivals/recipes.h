// Which of our networks a rival case is, and under which names it keeps its weights.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "agentnet/network.h"
#include "nets/taped/formula.h"
#include "support/rival_case.h"

namespace agentnet {

struct RivalRecipe {
  NetworkConfig config;
  std::function<std::string(std::string)> our_name;  // of a published parameter or buffer
};

// Nothing for a model that there is no network for.
[[nodiscard]] std::optional<RivalRecipe> recipe_of(const RivalCase& rival);

// The draws of the training pass, or those of the evaluation.
[[nodiscard]] RecordedDraws draws_of(const RivalCase& rival, bool evaluation);

}  // namespace agentnet
