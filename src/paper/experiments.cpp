#include "paper/experiments.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"
#include "paper/methods.h"

namespace agentnet {
namespace {

// Variants of the model (docs/model.md), with the paper's figures; an empty one: it has none.
struct Variant {
  const char* name;
  const char* what;
  const char* place;
  const char* toml;
  std::array<const char*, 3> expressiveness;  // of 4cycles, csl, 2wl
  const char* molhiv;
};
constexpr std::array kVariants = {
    Variant{"", "", "table 1", "", {"100.0 ± 0.0", "100.0 ± 0.0", "100.0 ± 0.0"}, "78.33 ± 0.69"},
    Variant{"simplified",
            "simplified model",
            "table 1",
            "[model]\nattention = false\nexploration = \"agent\"\n",
            {"100.0 ± 0.0", "100.0 ± 0.0", "100.0 ± 0.0"},
            ""},
    Variant{"random",
            "random walks",
            "table 1",
            "[model]\nmoves = \"random\"\n",
            {"100.0 ± 0.0", "100.0 ± 0.0", "50.5 ± 4.5"},
            "77.89 ± 1.29"},
    Variant{"no-neighbourhood",
            "nodes do not look around",
            "table 8",
            "[model]\nneighbourhood = \"none\"\n",
            {"75.8 ± 17.9", "40.6 ± 5.8", "51.2 ± 2.0"},
            "75.41 ± 1.41"},
    Variant{"no-node-update",
            "agents do not write to nodes",
            "table 8",
            "[model]\nnode_update = false\n",
            {"92.4 ± 9.7", "89.8 ± 8.9", "98.9 ± 0.6"},
            "76.71 ± 1.37"},
    Variant{"no-node-update-all",
            "agents do not write to nodes, all nodes look around",
            "table 8",
            "[model]\nnode_update = false\nneighbourhood = \"all\"\n",
            {"50.0 ± 0.0", "10.0 ± 0.8", "49.7 ± 1.2"},
            "75.47 ± 0.85"},
};

// Enough to see that everything works.
constexpr const char* kTiny = R"([model]
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

// What tells graphs apart that 1-WL cannot: table 1.
struct Expressiveness {
  const char* set;
  const char* what;
  std::size_t graphs;  // that are learned from
  const char* small;   // settings
  const char* full;
  const char* others;
};

// A small batch and a high rate learn 4-cycles in a minute or two. What one agent has learned, k agents then know:
// without its steps alone, 2-WL has a plateau of many thousands of steps; and batches with as many graphs of each class
// spare it the noise of uneven ones, which is larger than what there is to learn from (docs/results.md).
constexpr std::array kExpressiveness = {
    Expressiveness{.set = "4cycles",
                   .what = "is there a 4-cycle?",
                   .graphs = 1000,
                   .small = "[model]\nhidden = 32\n[train]\nepochs = 60\nsteps_per_epoch = 100\nbatch = 20\n"
                            "learning_rate = 1e-3\n",
                   .full = "[train]\nlearning_rate = 1e-3\nbatch = 50\n",
                   .others = "GIN 50.0 ± 0.0, DropGIN 100.0 ± 0.0, CRaWl 100.0 ± 0.0"},
    Expressiveness{.set = "csl",
                   .what = "circular skip links: how long is the skip?",
                   .graphs = 150,
                   .small = "[model]\nhidden = 64\nagents = 1\nsteps = 64\n[train]\nepochs = 100\n"
                            "steps_per_epoch = 100\nbatch = 30\nsampling = \"balanced\"\nlearning_rate = 4e-4\n"
                            "schedule = \"cosine\"\n",
                   .full = "[model]\nsteps = 64\n[train]\nlearning_rate = 4e-4\nbatch = 50\nsampling = \"balanced\"\n",
                   .others = "GIN 10.0 ± 0.0, DropGIN 100.0 ± 0.0, CRaWl 100.0 ± 0.0"},
    Expressiveness{.set = "2wl",
                   .what = "Rook's graph or Shrikhande's?",
                   .graphs = 300,
                   .small = "[model]\nhidden = 64\nagents = 2\nsolo_steps = 2000\nmixed_steps = 2000\n"
                            "[train]\nepochs = 90\nsteps_per_epoch = 100\nbatch = 100\nsampling = \"balanced\"\n"
                            "learning_rate = 5e-4\n",
                   .full = "[model]\nsolo_steps = 2000\nmixed_steps = 2000\n"
                           "[train]\nlearning_rate = 5e-4\nbatch = 100\nsampling = \"balanced\"\n",
                   .others = "GIN 50.0 ± 0.0, PPGN 50.0 ± 0.0, CRaWl 100.0 ± 0.0"},
};

constexpr const char* kFreshGraphsToml = R"(preset = "paper-synthetic"

[data]
split = "random:1,0,0"     # the test is on graphs of another seed, the model is that of the last step

[model]
time_table = "random"

[train]
metric = "accuracy"
)";

Experiment expressiveness(std::size_t number, const Variant& variant) {
  const Expressiveness& task = kExpressiveness[number];
  const std::string suffix = *variant.name == 0 ? "" : std::string("-") + variant.name;
  Experiment e;
  e.name = task.set + suffix;
  e.group = std::string_view(variant.place) == "table 1" ? "expressiveness" : "ablation";
  e.summary = task.what + (suffix.empty() ? "" : fmt::format(" ({})", variant.what));
  e.place = variant.place;
  e.data = fmt::format("synthetic:{}", task.set);
  e.metric = "accuracy";
  e.unit = 0.01;
  e.paper = variant.expressiveness[number];
  e.others = task.others;
  e.note =
      "The paper gives the best of a grid: batch 50 or 300, h 64 or 128, rate 1e-3, 5e-4 or 1e-4, T 16 or 64, "
      "k 2 or n. Time embeddings start from random values here, as they do in the authors' code.";
  if (std::string_view(task.set) == "csl") {
    e.note += " One agent with many steps learns it soonest here; a higher rate than 4e-4 loses it again.";
  }
  if (std::string_view(task.set) == "2wl") {
    e.note +=
        " At first one agent walks alone, then it takes turns with all (model.solo_steps, model.mixed_steps), on "
        "batches with as many graphs of each class (train.sampling): the same model, but no plateau.";
  }
  e.toml = {kFreshGraphsToml, variant.toml};
  e.scales = {ScaledSettings{.toml = {kTiny}, .graphs = 40, .fresh = 40},
              ScaledSettings{.toml = {task.small}, .graphs = task.graphs, .fresh = 300, .seeds = 3},
              ScaledSettings{.toml = {task.full}, .graphs = task.graphs, .fresh = 300, .seeds = 10}};
  // Without attention an agent takes longer to learn what it can learn alone (docs/results.md).
  if (e.name == "2wl-simplified") {
    for (const Scale scale : {Scale::kSmall, Scale::kFull}) {
      e.scales[static_cast<std::size_t>(scale)].toml.emplace_back(
          "[model]\nsolo_steps = 5000\nmixed_steps = 1500\n[train]\nlearning_rate = 1e-3\n");
    }
  }
  return e;
}

// Ladders with crossed cells, at a density or just two of them: figure 2 (a).
Experiment ladder(int nodes, bool two_cells) {
  Experiment e;
  e.group = two_cells ? "ladder-cells" : "ladder";
  e.name = fmt::format("{}-{}", e.group, nodes);
  e.summary = fmt::format("a ladder of {} nodes: {}", nodes,
                          two_cells ? "are two cells crossed?" : "is every other cell crossed?");
  e.place = "figure 2 (a)";
  e.data = fmt::format("synthetic:ladder?nodes={}&{}", nodes, two_cells ? "cells=2" : "density=0.5");
  e.metric = "accuracy";
  e.unit = 0.01;
  e.others = two_cells ? "a diagram: falls towards 50 as ladders grow" : "a diagram: high at all sizes";
  e.toml = {kFreshGraphsToml, "[model]\nagents = 16\nsteps = 16\n"};
  e.scales = {ScaledSettings{.toml = {kTiny}, .graphs = 40, .fresh = 40},
              ScaledSettings{.toml = {"[model]\nhidden = 32\n[train]\nepochs = 50\nsteps_per_epoch = 100\nbatch = 20\n"
                                      "sampling = \"balanced\"\nlearning_rate = 1e-3\n"},
                             .graphs = 300,
                             .fresh = 300,
                             .seeds = 1},
              ScaledSettings{.graphs = 300, .fresh = 300, .seeds = 10}};
  return e;
}

// Sets of the TU collection: table 2.
struct TuSet {
  const char* name;
  const char* set;
  const char* what;
  bool labels;  // nodes have them
  const char* paper;
  const char* paper_of_one;  // 1-AgentNet
  const char* others;
  const char* small;
  const char* full;
};
constexpr const char* kSmallTu = "[model]\nhidden = 32\nsteps = 8\n[train]\nepochs = 30\nlearning_rate = 1e-3\n";
constexpr const char* kSmallTuOfLargeGraphs =
    "[model]\nhidden = 32\nagents = 64\nsteps = 8\n[train]\nepochs = 15\nlearning_rate = 1e-3\n";
constexpr std::array kTuSets = {
    TuSet{"MUTAG", "MUTAG", "mutagenic molecules", true, "93.6 ± 8.6", "89.4 ± 10.9", "GIN 89.4 ± 5.6, ESAN 91.1 ± 7.0",
          kSmallTu, ""},
    TuSet{"PTC", "PTC", "carcinogenic molecules", true, "67.4 ± 5.9", "66.6 ± 7.6", "GIN 64.6 ± 7.0, ESAN 69.2 ± 6.5",
          kSmallTu, ""},
    TuSet{"PROTEINS", "PROTEINS", "enzymes or not", true, "76.7 ± 3.2", "75.1 ± 3.4", "GIN 76.2 ± 2.8, PPGN 77.2 ± 4.7",
          kSmallTu, ""},
    TuSet{"IMDB-B", "IMDB-BINARY", "genres of films, two", false, "75.2 ± 4.6", "74.9 ± 3.9",
          "GIN 75.1 ± 5.1, ESAN 77.1 ± 2.6", kSmallTu, ""},
    TuSet{"IMDB-M", "IMDB-MULTI", "genres of films, three", false, "52.2 ± 3.8", "52.3 ± 3.9",
          "GIN 52.3 ± 2.8, ESAN 53.5 ± 3.4", kSmallTu, ""},
    TuSet{"DD", "DD", "enzymes or not, large graphs", true, "80.1 ± 2.7", "67.4 ± 3.0",
          "GIN 76.9 ± 3.7, ESAN 81.2 ± 2.3", kSmallTuOfLargeGraphs, ""},
    TuSet{"REDDIT-B", "REDDIT-BINARY", "kinds of discussions, large graphs", false, "94.2 ± 1.2", "77.9 ± 3.0",
          "GIN 92.4 ± 2.5, ESAN 93.3 ± 1.3", kSmallTuOfLargeGraphs, "[model]\nagents = 350\nsteps = 8\n"},
};

// The paper reads nodes' labels and nothing else; edge labels and attributes, where a file has them, stay out.
constexpr const char* kTuToml = R"(preset = "paper-tu"

[data]
edge_columns = ["none"]

[train]
metric = "accuracy"
)";
constexpr const char* kLabelsOnly = "[data]\nnode_columns = [\"label\"]\n";

// With as many agents as there are nodes on average, or with a single one.
Experiment tu(const TuSet& set, bool one_agent) {
  Experiment e;
  e.name = set.name + std::string(one_agent ? "-1" : "");
  e.group = one_agent ? "tu-1" : "tu";
  e.summary = set.what + std::string(one_agent ? " (one agent)" : "");
  e.place = "table 2";
  e.test_on = TestOn::kFolds;
  e.data = set.set;
  e.metric = "accuracy";
  e.unit = 0.01;
  e.paper = one_agent ? set.paper_of_one : set.paper;
  e.others = set.others;
  e.note =
      "The paper gives the best of a grid: batch 32 or 128, h 32, 64 or 128, T 8 or 16 (REDDIT-B: 4 or 8). Its "
      "deviation is over folds. The epoch is chosen on the folds that are tested on: agentnet cv --protocol fair "
      "does without.";
  e.toml = {kTuToml, set.labels ? kLabelsOnly : ""};
  const char* const agents = one_agent ? "[model]\nagents = 1\n" : "";
  e.scales = {ScaledSettings{.toml = {kTiny, agents}, .folds = 2},
              ScaledSettings{.toml = {set.small, agents}, .folds = 10},
              ScaledSettings{.toml = {set.full, agents}, .folds = 10}};
  return e;
}

// Agents against steps on large graphs: figure 2 (d). The paper's diagram has no numbers to copy.
Experiment dd_cell(int agents, int steps) {
  Experiment e;
  e.name = fmt::format("dd-k{}-t{}", agents, steps);
  e.group = "dd-grid";
  e.summary = fmt::format("enzymes or not with {} agents, {} steps", agents, steps);
  e.place = "figure 2 (d)";
  e.test_on = TestOn::kFolds;
  e.data = "DD";
  e.metric = "accuracy";
  e.unit = 0.01;
  e.others = "a diagram: accuracy grows with both";
  e.note = "The group dd-grid is a grid over agents and steps; the paper's goes to as many agents as nodes.";
  e.toml = {kTuToml, kLabelsOnly, fmt::format("[model]\nagents = {}\nsteps = {}\n", agents, steps)};
  e.scales = {
      ScaledSettings{.toml = {kTiny, fmt::format("[model]\nagents = {}\nsteps = {}\n", agents, steps)}, .folds = 2},
      ScaledSettings{.toml = {"[model]\nhidden = 32\n[train]\nepochs = 12\nlearning_rate = 1e-3\n"}, .folds = 3},
      ScaledSettings{.folds = 10}};
  return e;
}

Experiment molhiv(const Variant& variant) {
  const bool whole = *variant.name == 0;
  Experiment e;
  e.name = whole ? "ogbg-molhiv" : std::string("ogbg-molhiv-") + variant.name;
  e.group = whole ? "ogb" : "ogb-ablation";
  e.summary = std::string("which molecules inhibit HIV") + (whole ? "" : fmt::format(" ({})", variant.what));
  e.place = whole ? "table 3" : "table 9";
  e.test_on = TestOn::kSplit;
  e.data = "ogbg-molhiv";
  e.metric = "roc-auc";
  e.unit = 0.01;
  e.digits = 2;
  e.paper = variant.molhiv;
  e.others = "GIN 75.58 ± 1.40, GIN with virtual node 77.07 ± 1.49, ESAN 78.00 ± 1.42";
  // A yes/no question with one output, as OGB has it, rather than two classes.
  e.toml = {"preset = \"paper-ogb\"\n[data]\ntask = \"multilabel\"\n[train]\nmetric = \"roc-auc\"\n", variant.toml};
  e.scales = {ScaledSettings{.toml = {kTiny}},
              ScaledSettings{.toml = {"[model]\nhidden = 32\nsteps = 8\n[train]\nepochs = 5\nbatch = 128\n"
                                      "learning_rate = 1e-3\n"}},
              ScaledSettings{.toml = {"[model]\nagents = 26\n"}, .seeds = 10}};
  return e;
}

Experiment zinc(int hidden, const char* paper) {
  Experiment e;
  e.name = hidden == 128 ? "zinc-128" : "zinc";
  e.summary = fmt::format("solubility of molecules, h = {}", hidden);
  e.place = "table 7";
  e.test_on = TestOn::kSplit;
  e.data = "ZINC";
  e.metric = "mae";
  e.digits = 3;
  e.paper = paper;
  e.others = "GIN 0.252 ± 0.017, CRaWl 0.085 ± 0.004, CIN 0.079 ± 0.006";
  e.toml = {"preset = \"paper-zinc\"\n", fmt::format("[model]\nhidden = {}\n", hidden)};
  e.scales = {ScaledSettings{.toml = {kTiny}},
              ScaledSettings{.toml = {"[model]\nhidden = 48\nsteps = 8\n[train]\nepochs = 15\nlearning_rate = 1e-3\n"}},
              ScaledSettings{.seeds = 4}};
  return e;
}

// The properties of QM9: table 5.
struct Property {
  const char* name;
  const char* what;
  const char* paper;
  const char* others;
};
constexpr std::array kProperties = {
    Property{"mu", "dipole moment (Debye)", "0.254", "MPNN 0.358, 1-GNN 0.493, DropMPNN 0.059"},
    Property{"alpha", "polarisability (Bohr^3)", "0.198", "MPNN 0.89, 1-GNN 0.78, DropMPNN 0.173"},
    Property{"homo", "energy of the HOMO (Hartree)", "0.00183", "MPNN 0.00541, 1-GNN 0.00321, PPGN 0.00174"},
    Property{"lumo", "energy of the LUMO (Hartree)", "0.0016", "MPNN 0.00623, 1-GNN 0.00350, DropMPNN 0.00177"},
    Property{"gap", "gap between them (Hartree)", "0.0025", "MPNN 0.0066, 1-GNN 0.0049, DropMPNN 0.00282"},
    Property{"r2", "electronic spatial extent (Bohr^2)", "1.28", "MPNN 28.5, 1-GNN 34.1, DropMPNN 0.392"},
    Property{"zpve", "zero-point vibrational energy (Hartree)", "0.000232",
             "MPNN 0.00216, 1-GNN 0.00124, DropMPNN 0.000112"},
    Property{"u0", "internal energy at 0 K (Hartree)", "0.145", "MPNN 2.05, 1-GNN 2.32, PPGN 0.022"},
    Property{"u298", "internal energy at 298 K (Hartree)", "0.146", "MPNN 2.0, 1-GNN 2.08, PPGN 0.0504"},
    Property{"h298", "enthalpy at 298 K (Hartree)", "0.155", "MPNN 2.02, 1-GNN 2.23, PPGN 0.0294"},
    Property{"g298", "free energy at 298 K (Hartree)", "0.119", "MPNN 2.02, 1-GNN 1.94, 1-2-3 GNN 0.0469"},
    Property{"cv", "heat capacity (cal/(mol K))", "0.0708", "MPNN 0.42, 1-GNN 0.27, PPGN 0.0144"},
};

Experiment qm9(const Property& property) {
  Experiment e;
  e.name = std::string("qm9-") + property.name;
  e.group = "qm9";
  e.summary = property.what;
  e.place = "table 5";
  e.test_on = TestOn::kSplit;
  e.data = "QM9";
  e.metric = "mae";
  e.digits = 5;
  e.paper = property.paper;
  e.others = property.others;
  e.note =
      "The paper learns from 130,831 molecules; a smaller set gives larger errors. It does not say batch, h, T "
      "and epochs of this experiment.";
  e.toml = {
      "preset = \"paper-qm9\"\n[data]\ntask = \"regression\"\nnode_features = \"dense\"\n"
      "edge_features = \"dense\"\n[model]\nglobal_communication = true\n",
      fmt::format("[data]\ntargets = [\"{}\"]\n", property.name)};
  e.scales = {ScaledSettings{.toml = {kTiny}},
              ScaledSettings{.toml = {"[model]\nhidden = 32\nsteps = 8\n[train]\nepochs = 30\nlearning_rate = 1e-3\n"}},
              ScaledSettings{}};
  return e;
}

std::vector<Experiment> table() {
  std::vector<Experiment> all;
  for (const Variant& variant : kVariants) {
    for (std::size_t task = 0; task < kExpressiveness.size(); ++task) all.push_back(expressiveness(task, variant));
  }
  for (const bool two_cells : {false, true}) {
    for (const int nodes : {16, 64, 256, 1024}) all.push_back(ladder(nodes, two_cells));
  }
  for (const bool one_agent : {false, true}) {
    for (const TuSet& set : kTuSets) all.push_back(tu(set, one_agent));
  }
  for (const int agents : {1, 4, 16, 64}) {
    for (const int steps : {1, 4, 16}) all.push_back(dd_cell(agents, steps));
  }
  for (const Variant& variant : kVariants) {
    if (*variant.molhiv != 0) all.push_back(molhiv(variant));
  }
  for (const Property& property : kProperties) all.push_back(qm9(property));
  all.push_back(zinc(90, "0.258 ± 0.033"));
  all.push_back(zinc(128, "0.144 ± 0.016"));
  for (Experiment& experiment : theory_experiments()) all.push_back(std::move(experiment));
  return all;
}

std::string with_parameters(const std::string& set, std::size_t graphs, std::uint64_t seed) {
  return fmt::format("{}{}graphs={}&seed={}", set, set.find('?') == std::string::npos ? '?' : '&', graphs, seed);
}

// A piece of a config file but for its table [model].
std::string without_model(const std::string& toml) {
  std::string kept;
  bool model = false;
  std::istringstream lines(toml);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) model = line == "[model]";
    if (!model) kept += line + "\n";
  }
  return kept;
}

constexpr std::array<std::string_view, kScales.size()> kScaleNames = {"tiny", "small", "full"};
constexpr std::uint64_t kFreshSeed = 1000000;  // far from the seeds of sets that are learned from
constexpr std::uint64_t kSeedsOfARun = 1000;   // a cross-validation trains fold N with seed + N

}  // namespace

std::string_view scale_name(Scale scale) { return kScaleNames.at(static_cast<std::size_t>(scale)); }

Scale scale_from_name(std::string_view name) {
  const auto* const at = std::ranges::find(kScaleNames, name);
  if (at != kScaleNames.end()) return kScales[static_cast<std::size_t>(at - kScaleNames.begin())];
  throw Error(ErrorKind::kUsage, fmt::format("there is no scale {}", in_quotes(name)),
              "there are tiny, small and full");
}

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> all = table();
  return all;
}

std::vector<const Experiment*> experiments_named(std::string_view name) {
  std::vector<const Experiment*> found;
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return {&experiment};
    if (!experiment.group.empty() && experiment.group == name) found.push_back(&experiment);
    for (const std::string* known : {&experiment.name, &experiment.group, &experiment.data}) {
      if (!known->empty() && std::ranges::find(names, *known) == names.end()) names.push_back(*known);
    }
  }
  if (!found.empty()) return found;
  // The set's own name is as good as the paper's short one.
  for (const Experiment& experiment : experiments()) {
    if (experiment.test_on != TestOn::kFreshGraphs && experiment.data == name) found.push_back(&experiment);
  }
  if (!found.empty()) return found;
  const auto close = closest_match(name, names);
  throw Error(ErrorKind::kUsage, fmt::format("there is no experiment {}", in_quotes(name)),
              close ? fmt::format("did you mean '{}'?", *close) : "agentnet paper list shows all of them");
}

std::string training_graphs(const Experiment& experiment, Scale scale, std::uint64_t seed) {
  return with_parameters(experiment.data, experiment.at(scale).graphs, seed);
}

std::string fresh_graphs(const Experiment& experiment, Scale scale, std::uint64_t seed) {
  return with_parameters(experiment.data, experiment.at(scale).fresh, kFreshSeed + seed);
}

SettingsLayers experiment_settings(const Experiment& experiment, const std::string& method, Scale scale,
                                   std::uint64_t seed, const std::string& source, const std::vector<std::string>& set) {
  SettingsLayers layers;
  const std::string place = "experiment " + experiment.name;
  // The method comes first: its kind decides which options of a preset are known.
  if (!method.empty()) layers.text(method_named(method).toml, "method " + method);
  for (const auto* pieces : {&experiment.toml, &experiment.at(scale).toml}) {
    for (const std::string& toml : *pieces) layers.text(method.empty() ? toml : without_model(toml), place);
  }
  layers.flag("data.source", source, place);
  layers.flag("train.seed", static_cast<std::int64_t>(seed * kSeedsOfARun), place);
  if (experiment.test_on == TestOn::kFolds) {
    layers.flag("data.split", fmt::format("stratified-kfold:{}", experiment.at(scale).folds), place);
    layers.flag("data.split_seed", static_cast<std::int64_t>(seed), place);
  }
  for (const std::string& assignment : set) layers.set(assignment);
  return layers;
}

}  // namespace agentnet
