#include "run/presets.h"

#include <fmt/core.h>

#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet {
namespace {

// The paper's are those of docs/spec.md, section 5, and of the paper's appendix. Where a grid was searched, its middle
// or its published command stands here and the grid in a comment. The number of agents is the mean number of nodes,
// which the data decides, but for ZINC.
constexpr std::array kPresets = {
    Preset{"fast", "a small model and few epochs: a first number in about a minute", R"([model]
hidden = 32
steps = 8

[train]
learning_rate = 2e-3       # and a fifth of the epochs that the data would get
)"},
    Preset{"paper-tu", "the paper's training on TU sets: 350 epochs of 50 batches", R"([model]
hidden = 64                # the paper searches 32, 64 and 128
steps = 16                 # and 8 (REDDIT-BINARY: 4 and 8, with 350 agents)
dropout = 0.0

[train]
features = "raw"
choose_by = "metric"
rollouts = 1
evaluate_every = 1
epochs = 350
steps_per_epoch = 50
sampling = "replacement"
batch = 32                 # and 128
learning_rate = 1e-4
schedule = "quarter-cosine"
weight_decay = 0.01        # of the published commands; the paper's text says 0.1
clip = 1.0
)"},
    Preset{"paper-synthetic", "the paper's training on synthetic sets: 10,000 steps", R"([model]
hidden = 128               # the paper searches 64 and 128
steps = 16                 # and 64; agents: 2 or the number of nodes
dropout = 0.0

[train]
features = "raw"
choose_by = "metric"
rollouts = 1
epochs = 10000             # of one step each: the authors' training set is one batch, all of it in every step
steps_per_epoch = 1
sampling = "shuffle"
batch = 200                # the published command's; the paper searches 50 and 300
learning_rate = 1e-4       # and 5e-4 and 1e-3
schedule = "quarter-cosine"
weight_decay = 0.01
clip = 1.0
evaluate_every = 100
)"},
    Preset{"paper-ogb", "the paper's training on OGB's molecules: official split, 100 epochs", R"([data]
split = "official"

[model]
hidden = 128               # the best of 64 and 128
steps = 16                 # of 8 and 16; 8 for MolPCBA and PPA
dropout = 0.0

[train]
features = "raw"
choose_by = "metric"
rollouts = 1
evaluate_every = 1
epochs = 100
steps_per_epoch = 0
sampling = "shuffle"
batch = 64                 # of 32 and 64
learning_rate = 1e-4
schedule = "quarter-cosine"
weight_decay = 0.01
clip = 1.0
)"},
    Preset{"paper-zinc", "the paper's training on ZINC: 2000 epochs, h = 90", R"([data]
split = "column:split"     # the file of agentnet paper run zinc has one

[model]
hidden = 90                # or 128
agents = 37                # the largest molecule has 37 atoms
steps = 16
dropout = 0.0

[train]
features = "raw"
choose_by = "metric"
rollouts = 1
evaluate_every = 1
epochs = 2000
steps_per_epoch = 0
sampling = "shuffle"
batch = 128
loss = "absolute-error"
metric = "mae"
learning_rate = 1e-4
schedule = "quarter-cosine"
weight_decay = 0.01
clip = 1.0
)"},
    Preset{"paper-qm9", "the paper's QM9 variant: all atoms joined, distances on the edges", R"([data]
distances = true
split = "random:0.8,0.1,0.1"

[model]
edge_kernel = true
head_mlp = true
hidden = 64                # the paper does not say
steps = 16
dropout = 0.0

[train]
features = "raw"
choose_by = "metric"
rollouts = 1
evaluate_every = 1
epochs = 350               # the paper does not say
steps_per_epoch = 0
sampling = "shuffle"
batch = 64                 # the paper does not say
loss = "squared-error"
metric = "mae"
standardise = true
learning_rate = 1e-4
schedule = "quarter-cosine"
weight_decay = 0.01
clip = 1.0
)"},
    // What the authors of other networks trained them with on ZINC, where Adam decays weights as AdamW does with so
    // small a rate.
    Preset{"zinc-pna", "PNA on ZINC as its authors train it", R"([data]
split = "column:split"

[model]
kind = "pna"
layers = 16
hidden = 70
edge_hidden = 40
towers = 5

[train]
features = "raw"
choose_by = "metric"
rollouts = 1
evaluate_every = 1
epochs = 1000
steps_per_epoch = 0
sampling = "shuffle"
batch = 128
loss = "absolute-error"
metric = "mae"
learning_rate = 1e-3
schedule = "plateau"
plateau_factor = 0.5
plateau_patience = 20
weight_decay = 3e-6
clip = 0
)"},
    Preset{"zinc-crawl", "CRaWl on ZINC as its authors train it", R"([data]
split = "column:split"

[model]
kind = "crawl"
layers = 3
hidden = 147
virtual_node = true
steps = 50
eval_steps = 150

[train]
features = "raw"
choose_by = "metric"
evaluate_every = 1
epochs = 1000
steps_per_epoch = 0
sampling = "shuffle"
batch = 50
loss = "absolute-error"
metric = "mae"
learning_rate = 1e-3
schedule = "plateau"
plateau_factor = 0.5
plateau_patience = 10
weight_decay = 0
clip = 0
rollouts = 1
test_rollouts = 10
)"},
    Preset{"zinc-gsn", "GSN on ZINC as its authors train it", R"([data]
split = "column:split"

[model]
kind = "gsn"
layers = 4
hidden = 128
max_cycle = 8

[train]
features = "raw"
choose_by = "metric"
rollouts = 1
evaluate_every = 1
epochs = 1000
steps_per_epoch = 0
sampling = "shuffle"
batch = 128
loss = "absolute-error"
metric = "mae"
learning_rate = 1e-3
schedule = "plateau"
plateau_factor = 0.5
plateau_patience = 5
weight_decay = 0
clip = 0
)"},
    Preset{"zinc-dgn", "DGN on ZINC as its authors train it", R"([data]
split = "column:split"

[model]
kind = "dgn"
layers = 4

[train]
features = "raw"
choose_by = "metric"
rollouts = 1
evaluate_every = 1
epochs = 1000
steps_per_epoch = 0
sampling = "shuffle"
batch = 128
loss = "absolute-error"
metric = "mae"
learning_rate = 1e-3
schedule = "plateau"
plateau_factor = 0.5
plateau_patience = 20
weight_decay = 0
clip = 0
)"},
    Preset{"zinc-cin", "CIN on ZINC as its authors train it", R"([data]
split = "column:split"

[model]
kind = "cin"
layers = 4
hidden = 128              # CIN-small: 48 and 2 layers
max_ring = 18

[train]
features = "raw"
choose_by = "metric"
rollouts = 1
evaluate_every = 1
epochs = 1000
steps_per_epoch = 0
sampling = "shuffle"
batch = 128
loss = "absolute-error"
metric = "mae"
learning_rate = 1e-3
schedule = "plateau"
plateau_factor = 0.5
plateau_patience = 20
weight_decay = 0
clip = 0
)"},
    Preset{"zinc-himp", "HIMP on ZINC as its authors train it", R"([data]
split = "column:split"

[model]
kind = "himp"
layers = 3
hidden = 128

[train]
features = "raw"
choose_by = "metric"
rollouts = 1
evaluate_every = 1
epochs = 300
steps_per_epoch = 0
sampling = "shuffle"
batch = 128
loss = "absolute-error"
metric = "mae"
learning_rate = 1e-3
schedule = "plateau"
plateau_factor = 0.5
plateau_patience = 10
weight_decay = 0
clip = 0
)"},
};

// Every preset of the paper once more, with the weight decay of its text in place of that of the published commands.
// The texts outlive the presets, which point into them.
struct WithText {
  std::string name, summary, toml;
};

std::vector<WithText> as_in_the_text() {
  constexpr std::string_view kPublished = "weight_decay = 0.01", kInTheText = "weight_decay = 0.1";
  std::vector<WithText> all;
  for (const Preset& preset : kPresets) {
    if (!preset.name.starts_with("paper-")) continue;
    std::string toml(preset.toml);
    const std::size_t at = toml.find(kPublished);
    if (at == std::string::npos) throw std::logic_error(fmt::format("preset {} has another weight decay", preset.name));
    toml.replace(at, toml.find('\n', at) - at, kInTheText);
    all.push_back({fmt::format("{}-text", preset.name),
                   fmt::format("the same as {} with the weight decay of the paper's text, 0.1", preset.name),
                   std::move(toml)});
  }
  return all;
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<WithText> texts = as_in_the_text();
  static const std::vector<Preset> all = [] {
    std::vector<Preset> presets(kPresets.begin(), kPresets.end());
    for (const WithText& text : texts) presets.push_back({text.name, text.summary, text.toml});
    return presets;
  }();
  return all;
}

Pace pace_of(std::string_view preset) { return preset == "fast" ? Pace::kQuick : Pace::kThorough; }

const Preset& preset_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    if (preset.name == name) return preset;
    names.emplace_back(preset.name);
  }
  const auto close = closest_match(name, names);
  throw Error(ErrorKind::kUsage, fmt::format("unknown preset {}", in_quotes(name)),
              close ? fmt::format("did you mean '{}'?", *close) : fmt::format("there are {}", join_text(names, ", ")));
}

}  // namespace agentnet
