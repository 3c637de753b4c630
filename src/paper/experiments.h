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
  // Fresh graphs of a built-in set again, but every few steps while it learns, and the figure is that of the last step.
  kWhileLearning,
};

enum class Scale { kTiny, kSmall, kFull };  // seconds; minutes on two cores; the paper's own settings
inline constexpr std::array kScales = {Scale::kTiny, Scale::kSmall, Scale::kFull};
[[nodiscard]] std::string_view scale_name(Scale scale);      // "tiny", "small", "full"
[[nodiscard]] Scale scale_from_name(std::string_view name);  // an unknown name throws Error (kUsage)

struct ScaledSettings {
  std::vector<std::string> toml = {};  // pieces of a config file, on top of the experiment's
  std::size_t graphs = 0, fresh = 0;   // of built-in sets: to learn from, and to test on
  std::size_t folds = 0;               // kFolds
  std::size_t seeds = 1;               // runs, unless told otherwise
};

// Values of a setting that the paper searched.
struct GridAxis {
  std::string setting;  // "model.hidden"
  std::vector<std::string> values;
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
  // The graphs to learn from are one batch, so that every step sees all of them: there are train.batch of them.
  bool one_batch = false;
  std::vector<GridAxis> grid = {};            // what the paper searched for AgentNet; empty: nothing
  std::vector<GridAxis> grid_of_rivals = {};  // and for others, as far as they have these options
  std::array<ScaledSettings, kScales.size()> scales;

  [[nodiscard]] const ScaledSettings& at(Scale scale) const { return scales[static_cast<std::size_t>(scale)]; }
};

// In the order of the paper.
[[nodiscard]] const std::vector<Experiment>& experiments();

// The experiment of this name, or those of the group. Throws Error (kUsage), with a suggestion, if there is neither.
[[nodiscard]] std::vector<const Experiment*> experiments_named(std::string_view name);

// Whether the graphs are of a built-in set.
[[nodiscard]] bool is_built_in(const Experiment& experiment);

// What to learn from in the run of a seed, and what to test on, of a built-in set; `method` and `set` as of
// experiment_settings(). With kWhileLearning the former has both, those to learn from first.
[[nodiscard]] std::string training_graphs(const Experiment& experiment, const std::string& method, Scale scale,
                                          std::uint64_t seed, const std::vector<std::string>& set);
[[nodiscard]] std::string fresh_graphs(const Experiment& experiment, Scale scale, std::uint64_t seed);

// One choice out of every axis of the grid that the paper searched for this method.
struct GridPoint {
  std::string name;              // "batch=50,hidden=64", also of a folder
  std::vector<std::string> set;  // "train.batch=50", ...
};
// All of them; empty if the paper searched nothing. Options that the method's network does not have are left out.
[[nodiscard]] std::vector<GridPoint> grid_points(const Experiment& experiment, const std::string& method);

// The settings of a run, to be resolved with the data that `source` names. Seeds of folds and runs do not overlap.
// Another method (paper/methods.h; empty: AgentNet) is trained as AgentNet is, for as long and on the same graphs; what
// the experiment says of AgentNet's [model] gives way to the method's own. `set` are assignments as of --set, which
// have the last word. Throws Error (kUsage) if one makes no sense.
[[nodiscard]] SettingsLayers experiment_settings(const Experiment& experiment, const std::string& method, Scale scale,
                                                 std::uint64_t seed, const std::string& source,
                                                 const std::vector<std::string>& set);

}  // namespace agentnet
