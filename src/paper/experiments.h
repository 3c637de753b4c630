// The paper's experiments as data: what is learned from, with which settings, how it is tested, and what the paper
// says comes out.
//
//   for (const Experiment* experiment : experiments_named("ladder")) ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run/settings.h"

namespace agentnet {

enum class TestOn {
  kFreshGraphs,  // of a built-in set: other graphs than those that were learned from, made with another seed
  kFolds,        // cross-validation by the protocol "gin"
  kSplit,        // the test part of the split that the settings name; the epoch is chosen on the valid part
};

enum class Scale { kTiny, kSmall, kFull };  // seconds; minutes on two cores; the paper's own settings
inline constexpr std::array kScales = {Scale::kTiny, Scale::kSmall, Scale::kFull};
[[nodiscard]] std::string_view scale_name(Scale scale);      // "tiny", "small", "full"
[[nodiscard]] Scale scale_from_name(std::string_view name);  // an unknown name throws Error (kUsage)

struct ScaledSettings {
  std::vector<std::string> toml = {};  // pieces of a config file, on top of the experiment's
  std::size_t graphs = 0, fresh = 0;   // kFreshGraphs: to learn from, and to test on
  std::size_t folds = 0;               // kFolds
  std::size_t seeds = 1;               // runs, unless told otherwise
};

struct Experiment {
  std::string name;
  std::string group;    // names several experiments at once
  std::string summary;  // one line
  std::string place;    // in the paper: "table 1"
  TestOn test_on = TestOn::kFreshGraphs;
  std::string data;    // "synthetic:ladder?nodes=64", or the name of a public set (public_data.h)
  std::string metric;  // "accuracy"
  double unit = 1;     // figures are given in multiples of this: 0.01 for per cent
  int digits = 1;      // after the point, in figures
  std::string paper;   // its figure for AgentNet, "93.6 ± 8.6"; empty: only in a diagram
  std::string others;  // figures for other methods, "GIN 89.4 ± 5.6"
  std::string note;    // where settings differ from the paper's, and why
  std::vector<std::string> toml;
  std::array<ScaledSettings, kScales.size()> scales;

  [[nodiscard]] const ScaledSettings& at(Scale scale) const { return scales[static_cast<std::size_t>(scale)]; }
};

// What the theorems say, learned (experiments_theory.cpp).
[[nodiscard]] std::vector<Experiment> theory_experiments();

// In the order of the paper.
[[nodiscard]] const std::vector<Experiment>& experiments();

// The experiment of this name, or those of the group. Throws Error (kUsage), with a suggestion, if there is neither.
[[nodiscard]] std::vector<const Experiment*> experiments_named(std::string_view name);

// What to learn from in the run of a seed, and what to test on: the two built-in sets of kFreshGraphs.
[[nodiscard]] std::string training_graphs(const Experiment& experiment, Scale scale, std::uint64_t seed);
[[nodiscard]] std::string fresh_graphs(const Experiment& experiment, Scale scale, std::uint64_t seed);

// The settings of a run, to be resolved with the data that `source` names. Seeds of folds and runs do not overlap.
// Another method (paper/methods.h; empty: AgentNet) is trained as AgentNet is, for as long and on the same graphs; what
// the experiment says of AgentNet's [model] gives way to the method's own. `set` are assignments as of --set, which
// have the last word. Throws Error (kUsage) if one makes no sense.
[[nodiscard]] SettingsLayers experiment_settings(const Experiment& experiment, const std::string& method, Scale scale,
                                                 std::uint64_t seed, const std::string& source,
                                                 const std::vector<std::string>& set);

}  // namespace agentnet
