// --split, --seed, and what they give on a set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agentnet/data.h"

namespace CLI {
class App;
}

namespace agentnet {

struct SplitArguments {
  std::string spec;
  std::uint64_t seed = 0;
};

void add_split_options(CLI::App& app, SplitArguments& arguments);

// Adds to `options` what the reader must keep for this split.
void prepare_for_split(const SplitArguments& arguments, DataOptions& options);

// Nothing if no split was asked for.
[[nodiscard]] std::vector<Split> splits_of(const Dataset& data, const SplitArguments& arguments, int threads);

}  // namespace agentnet
