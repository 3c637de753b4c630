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

struct Console;

struct SplitArguments {
  std::string spec;
  std::uint64_t seed = 0;
};

void add_split_options(CLI::App& app, SplitArguments& arguments);

// Adds to `options` what the reader must keep for this split.
void prepare_for_split(const SplitArguments& arguments, DataOptions& options);

// Nothing if no split was asked for.
[[nodiscard]] std::vector<Split> splits_of(const Dataset& data, const SplitArguments& arguments, int threads);

// Says how many graphs are in no part, as those with a blank in the column of a split are.
void tell_left_out(const Dataset& data, const std::vector<Split>& splits, const std::string& spec,
                   const Console& console);

// --part and --fold, for commands that use one part of a split.
struct PartArguments {
  std::string name;  // train, valid or test; empty: the whole set
  std::size_t fold = 0;
};

void add_part_options(CLI::App& app, PartArguments& arguments);

// The numbers of the part's graphs, or of all. Throws Error (kUsage) if --split and --part do not come together, or if
// there is no such fold or nothing in the part.
[[nodiscard]] std::vector<std::size_t> chosen_graphs(const Dataset& data, const SplitArguments& split,
                                                     const PartArguments& part, int threads);

}  // namespace agentnet
