// What the parts of src/tune share: where a search is, its parts of the data, and how many trials go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "agentnet/tune.h"

namespace agentnet {

namespace tune_file {
inline constexpr const char* kPlan = "tune.json";
inline constexpr const char* kTrials = "trials";
inline constexpr const char* kScores = "scores";
inline constexpr const char* kBest = "best";
inline constexpr const char* kClaims = "claims";
inline constexpr const char* kResults = "results.json";
inline constexpr const char* kTable = "trials.csv";
}  // namespace tune_file

// All of the search, or that of one fold of a nested one.
struct SearchPlace {
  std::filesystem::path folder;
  std::size_t fold = 0;
  Split split;  // test: what is held out, which nothing but the last step may see
};
[[nodiscard]] std::vector<SearchPlace> search_places(const std::filesystem::path& folder, const TunePlan& plan,
                                                     const Dataset& data);

// A trial's settings in a fold, which trains with train.seed + its number, as agentnet cv does.
[[nodiscard]] Settings settings_in_fold(const Trial& trial, std::size_t fold);

// Epochs at which so many trials are compared; the last is `epochs`.
[[nodiscard]] std::vector<std::uint64_t> rungs_for(std::uint64_t epochs, std::size_t trials, std::size_t keep,
                                                   std::uint64_t evaluate_every);
// How many of `trials` that were compared go on.
[[nodiscard]] inline std::size_t survivors(std::size_t trials, std::size_t keep) {
  return keep < 2 ? trials : trials / keep > 0 ? trials / keep : trials > 0 ? 1 : 0;
}
// Epochs of all networks together.
[[nodiscard]] std::uint64_t epochs_in_all(const std::vector<std::uint64_t>& rungs, std::size_t trials,
                                          std::size_t keep);

}  // namespace agentnet
