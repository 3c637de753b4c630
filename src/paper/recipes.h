// The pieces of the table of experiments (experiments.cpp), a file each.
#pragma once

#include <vector>

#include "paper/experiments.h"

namespace agentnet {

// Enough to see that everything works.
inline constexpr const char* kTinyToml = R"([model]
hidden = 8
agents = 3
steps = 3
solo_steps = 0
mixed_steps = 0

[train]
epochs = 2
steps_per_epoch = 3
batch = 8
evaluate_every = 1
)";

// Built-in sets: tables 1 and 8, figures 2 (a) and 4.
[[nodiscard]] std::vector<Experiment> synthetic_experiments();
// What the theorems say, learned.
[[nodiscard]] std::vector<Experiment> theory_experiments();

}  // namespace agentnet
