// Spaces that need no file.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "agentnet/error.h"
#include "agentnet/tune.h"
#include "classic/learners/linear_learner.h"
#include "classic/learners/trees.h"
#include "core/suggest.h"
#include "core/text.h"
#include "nets/kinds.h"

namespace agentnet {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"small", "wide", "paper-tu", "paper-synthetic"};

double mean_nodes(const Dataset& data) {
  double nodes = 0;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) nodes += static_cast<double>(data.graphs.view(g).num_nodes);
  return nodes / static_cast<double>(std::max<std::size_t>(1, data.graphs.size()));
}

// Of one kind: how fast it learns, how large it is, how much it is held back. Options that a kind does not have are
// left out for it.
std::string small(const std::string& kind) {
  if (kind == "wl") {
    return "[model]\nkernel = [\"subtree\", \"assignment\"]\nlearner = [\"logistic\", \"svm\"]\nmin_graphs = [1, 2, 3, "
           "5]\n";
  }
  if (kind == "forest") return "[model]\ndepth = \"6..40\"\ncolumns = \"0.01..0.5 log\"\nmin_graphs = [1, 2, 3, 5]\n";
  if (kind == "boosting") {
    return "[model]\ndepth = \"2..10\"\nrate = \"0.02..0.3 log\"\ntrees = \"100..1000 log\"\nridge = \"0.1..10.0 "
           "log\"\n";
  }
  std::string text =
      "[train]\nlearning_rate = \"3e-4..5e-3 log\"\nbatch = [16, 32, 64, 128]\nweight_decay = [0.0, 0.01, 0.1]\n\n";
  const std::vector<OptionHelp> options = builtin_kinds().at(kind).options();
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(options, [&](const OptionHelp& option) { return option.name == name; });
  };
  text += "[model]\n";
  if (has("hidden")) text += "hidden = [32, 64, 128]\n";
  if (has("dropout")) text += "dropout = [0.0, 0.1, 0.3, 0.5]\n";
  if (kind == "agentnet") {
    text += "steps = [8, 16]\n";
  } else if (has("layers")) {
    text += "layers = [2, 3, 4, 5]\n";
  }
  return text;
}

// Also which kind it is, and what AgentNet's agents are like.
std::string wide(const Dataset& data) {
  const bool molecules = !data.schema.edges.categories.empty() && data.schema.edges.dense.empty() &&
                         data.schema.nodes.dense.empty() && !data.schema.nodes.categories.empty();
  std::string kinds = "\"agentnet\", ";
  kinds += molecules ? "\"gin-mol\"" : "\"gin\", \"dropgin\"";
  if (has_liblinear()) kinds += ", \"wl\"";
  if (has_xgboost()) kinds += ", \"forest\", \"boosting\"";
  const auto nodes = static_cast<int>(std::clamp(std::round(mean_nodes(data)), 2.0, 64.0));
  std::string agents;
  int before = 0;
  for (const int count : {nodes / 4, nodes / 2, nodes}) {
    if (count > before) agents += fmt::format("{}{}", agents.empty() ? "" : ", ", count);
    before = std::max(before, count);
  }
  return fmt::format(R"([model]
kind = [{}]
hidden = [32, 64, 128]
dropout = [0.0, 0.1, 0.3, 0.5]
layers = [2, 3, 4, 5]
agents = [{}]
steps = [4, 8, 16]
window = [0, 8]
window_moves = [true, false]
min_graphs = [1, 2, 3]

[train]
learning_rate = "1e-4..5e-3 log"
batch = [16, 32, 64, 128]
weight_decay = [0.0, 0.01, 0.1]
schedule = ["quarter-cosine", "cosine", "constant"]
warmup = [0, 100]
)",
                     kinds, agents);
}

// Of the paper, appendix (docs/paper.md); the presets of the same names have the rest.
constexpr const char* kPaperTu = R"([model]
hidden = [32, 64, 128]
steps = [8, 16]

[train]
batch = [32, 128]
)";
constexpr const char* kPaperSynthetic = R"([model]
hidden = [64, 128]
steps = [16, 64]

[train]
batch = [50, 300]
learning_rate = [1e-3, 5e-4, 1e-4]
)";

}  // namespace

std::vector<std::string> space_names() { return {kNames.begin(), kNames.end()}; }

std::string space_text(std::string_view name, const Dataset& data, const std::string& kind) {
  if (name == "small") return small(kind);
  if (name == "wide") return wide(data);
  if (name == "paper-tu") return kPaperTu;
  if (name == "paper-synthetic") return kPaperSynthetic;
  const std::vector<std::string> names = space_names();
  const auto close = closest_match(name, names);
  throw Error(ErrorKind::kUsage, fmt::format("there is no space {}, and no such file", in_quotes(name)),
              close ? fmt::format("did you mean '{}'?", *close)
                    : fmt::format("there are {}, or name a file (docs/tune.md)", join_text(names, ", ")));
}

}  // namespace agentnet
