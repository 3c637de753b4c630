// The theorems' learned counterparts: a trained AgentNet on the graph pairs of sections 4.1 and 4.2, with as many
// agents and steps as a theorem says suffice and with as many as it says do not. The programmed agents are in
// src/theory.
#include <fmt/core.h>

#include <array>

#include "paper/recipes.h"

namespace agentnet {
namespace {

constexpr const char* kTheoryToml = R"(preset = "paper-synthetic"

[data]
split = "random:1,0,0"     # the test is on graphs of another seed, the model is that of the last step

[model]
time_table = "random"
)";

constexpr const char* kTinyTheory = R"([model]
hidden = 8

[train]
epochs = 2
steps_per_epoch = 3
batch = 8
evaluate_every = 1
)";

constexpr const char* kSmallTheory = R"([model]
hidden = 32

[train]
epochs = 40
steps_per_epoch = 100
batch = 20
learning_rate = 1e-3
)";

struct Counterpart {
  const char* name;
  const char* what;
  const char* place;
  const char* data;
  int agents, steps;
  const char* says;  // the theorem, of these agents and steps
  const char* model = "";
};

// The lemma's agent begins at the node whose triangles it is asked about.
constexpr const char* kFromTheMiddle = R"([model]
start = "chosen"
start_nodes = [0]
)";

constexpr std::array kCounterparts = {
    Counterpart{"trees-k2", "one-way trees with two agents", "theorem trees", "synthetic:trees?h1=3&h2=4", 2, 16,
                "two agents can tell: at least 1 - 1/trees"},
    Counterpart{"trees-k1", "one-way trees with one agent and twice the steps", "theorem trees",
                "synthetic:trees?h1=3&h2=4", 1, 32, "one agent cannot"},
    Counterpart{"path-end-k1", "the end of a path, one agent with many steps", "lemma 1 better than k",
                "synthetic:path-end?length=8&nodes=128", 1, 15, "one agent with many steps can tell"},
    Counterpart{"path-end-k4", "the end of a path, four agents with few steps", "lemma 1 better than k",
                "synthetic:path-end?length=8&nodes=128", 4, 3, "agents with few steps cannot, unless they start there"},
    Counterpart{"two-parts-k1", "two far parts, one agent with many steps", "lemma k better than 1",
                "synthetic:two-parts?part=16", 1, 17,
                "one agent is right in 75 %: it sees one part, and the other may have been marked"},
    Counterpart{"two-parts-k6", "two far parts, six agents with few steps", "lemma k better than 1",
                "synthetic:two-parts?part=16", 6, 2, "six agents are right in 1 - 2^-7 = 99.2 %"},
    Counterpart{"triangle-t5", "a triangle at the start, one agent with five steps", "lemma cliques",
                "synthetic:triangle?middle=first", 1, 5, "2 Delta - 1 = 5 steps are enough", kFromTheMiddle},
    Counterpart{"triangle-t4", "a triangle at the start, one agent with four steps", "lemma cliques",
                "synthetic:triangle?middle=first", 1, 4, "four steps are right in 5/6 = 83.3 % at best",
                kFromTheMiddle},
};

Experiment counterpart(const Counterpart& c) {
  Experiment e;
  e.name = c.name;
  e.group = "theory";
  e.summary = c.what;
  e.place = c.place;
  e.data = c.data;
  e.metric = "accuracy";
  e.unit = 0.01;
  e.others = c.says;
  e.note = "The paper proves what agents can do and trains none on these graphs.";
  e.toml = {kTheoryToml, "[train]\nmetric = \"accuracy\"\n",
            fmt::format("[model]\nagents = {}\nsteps = {}\n", c.agents, c.steps), c.model};
  const std::string balanced = "[train]\nsampling = \"balanced\"\n";
  e.scales = {ScaledSettings{.toml = {kTinyTheory}, .graphs = 40, .fresh = 40},
              ScaledSettings{.toml = {kSmallTheory, balanced}, .graphs = 300, .fresh = 300, .seeds = 3},
              ScaledSettings{.toml = {balanced}, .graphs = 1000, .fresh = 1000, .seeds = 10}};
  return e;
}

// "Estimate the frequency of certain substructures in the graph, in sublinear time" (introduction), learned.
Experiment triangle_density() {
  Experiment e;
  e.name = "triangle-density";
  e.group = "theory";
  e.summary = "share of closed wedges in random graphs of 300 nodes, by 8 agents with 15 steps";
  e.place = "introduction";
  e.data = "synthetic:triangle-density?nodes=300";
  e.metric = "mae";
  e.digits = 4;
  e.others = "estimators of the random walk access model at the same number of visits: bench_theory density";
  e.note = "Regression; the paper promises it and has no figure.";
  e.toml = {kTheoryToml, "[data]\ntask = \"regression\"\n[train]\nmetric = \"mae\"\n[model]\nagents = 8\nsteps = 15\n"};
  e.scales = {ScaledSettings{.toml = {kTinyTheory}, .graphs = 40, .fresh = 40},
              ScaledSettings{
                  .toml = {kSmallTheory, "[train]\nschedule = \"cosine\"\n"}, .graphs = 1000, .fresh = 300, .seeds = 3},
              ScaledSettings{.graphs = 5000, .fresh = 1000, .seeds = 10}};
  return e;
}

}  // namespace

std::vector<Experiment> theory_experiments() {
  std::vector<Experiment> all;
  for (const Counterpart& c : kCounterparts) all.push_back(counterpart(c));
  all.push_back(triangle_density());
  return all;
}

}  // namespace agentnet
