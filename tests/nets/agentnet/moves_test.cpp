// Moves as distributions: what the engine samples is what the oracle's logits say, starts are uniform, all draws are
// independent, and without noise the likeliest move is taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/thread_pool.h"
#include "nets/agentnet/engine.h"
#include "support/engine_run.h"
#include "support/statistics.h"

namespace agentnet {
namespace {

using NodeList = std::vector<std::uint64_t>;

// All seeds are fixed: correct code passes always, and 1e-4 leaves room for an unlucky seed.
constexpr double kUnlikely = 1e-4;

// A graph without symmetries: a ring of four, a tail, and a self loop.
GraphParts ring_with_tail(const AgentNetConfig& config) {
  GraphParts parts = cycle_graph(4);
  parts.num_nodes = 5;
  for (const auto& [u, v] : {std::pair{2u, 4u}, std::pair{1u, 1u}}) {
    parts.from.push_back(u);
    parts.to.push_back(v);
  }
  RandomSequence random(1, Purpose::kTest);
  return with_features(std::move(parts), random, features_of(config));
}

std::vector<double> softmax(std::vector<double> logits) {
  const double most = *std::max_element(logits.begin(), logits.end());
  for (double& z : logits) z = std::exp(z - most);
  const double total = std::accumulate(logits.begin(), logits.end(), 0.0);
  for (double& z : logits) z /= total;
  return logits;
}

// Noise so large that it decides: one agent walks where it is told.
struct GivenWalk : PlainNoise {
  explicit GivenWalk(NodeList nodes) : walk(std::move(nodes)) {}
  std::uint64_t start(std::size_t, int) override { return walk.at(0); }
  double noise(std::size_t, int, int step, std::uint64_t node) override {
    const auto at = static_cast<std::size_t>(step);
    return at < walk.size() && walk[at] == node ? 1e9 : 0.0;
  }
  NodeList walk;
};

struct OneAgentModel {
  explicit OneAgentModel(ModelVariant variant, int steps)
      : config(std::move(variant.config)), layout(agentnet_layout((fit(steps), config))) {}
  void fit(int steps) {
    config.agents = 1;
    config.steps = steps;
  }
  // What the oracle computes on the way.
  [[nodiscard]] PlainResult follow(const Graph& graph, const NodeList& walk) const {
    GivenWalk noise(walk);
    const std::vector<GraphView> views = {graph.view()};
    return PlainRun(config, layout, parameters, views, {.noise = &noise}).result();
  }

  AgentNetConfig config;
  ParameterLayout layout;
  std::vector<double> parameters = random_parameters(layout, 3);
};

// The probability of every walk of one agent, of T moves; logits are multiplied by `sharpness`.
std::map<NodeList, double> walk_probabilities(const OneAgentModel& model, const Graph& graph, double sharpness = 1) {
  std::map<NodeList, double> walks;
  for (std::uint64_t start = 0; start < graph.num_nodes(); ++start) {
    walks[{start}] = 1.0 / static_cast<double>(graph.num_nodes());
  }
  for (int move = 0; move < model.config.steps; ++move) {
    std::map<NodeList, double> longer;
    for (const auto& [walk, probability] : walks) {
      const PlainMove taken = model.follow(graph, walk).moves[static_cast<std::size_t>(move)][0];
      std::vector<double> logits = taken.logits;
      for (double& z : logits) z *= sharpness;
      const std::vector<double> p = softmax(logits);
      for (std::size_t c = 0; c < p.size(); ++c) {
        NodeList next = walk;
        next.push_back(taken.candidates[c]);
        longer[next] = probability * p[c];
      }
    }
    walks = std::move(longer);
  }
  return walks;
}

// How often the engine takes each walk, in `rounds` rollouts of a batch of copies of one graph.
template <class S>
std::map<NodeList, std::uint64_t> sample_walks(const OneAgentModel& model, const Graph& graph, std::uint64_t rounds) {
  constexpr std::size_t kCopies = 200;
  ThreadPool pool(1);
  Engine<S> engine(model.config, pool);
  const std::vector<S> parameters(model.parameters.begin(), model.parameters.end());
  engine.set_parameters(parameters);
  const std::vector<GraphView> graphs(kCopies, graph.view());
  std::vector<std::uint64_t> ids(kCopies);
  std::iota(ids.begin(), ids.end(), 0);
  std::vector<S> outputs(kCopies * static_cast<std::size_t>(model.config.outputs));
  std::map<NodeList, std::uint64_t> counts;
  for (std::uint64_t epoch = 0; epoch < rounds; ++epoch) {
    Trace<S> trace;
    engine.predict({graphs, ids}, {.seed = 5, .epoch = epoch}, outputs, &trace);
    for (std::size_t a = 0; a < kCopies; ++a) {
      NodeList walk;
      for (const auto& positions : trace.positions) walk.push_back(positions[a]);
      ++counts[walk];
    }
  }
  return counts;
}

// Chi-square; walks that are too rare for it count as one. A walk that cannot be makes it zero.
double p_value(const std::map<NodeList, std::uint64_t>& counts, const std::map<NodeList, double>& probabilities) {
  std::uint64_t total = 0;
  for (const auto& [walk, count] : counts) {
    if (!probabilities.contains(walk)) return 0;
    total += count;
  }
  std::vector<std::uint64_t> observed = {0};
  std::vector<double> expected = {0};
  for (const auto& [walk, probability] : probabilities) {
    const auto found = counts.find(walk);
    const std::uint64_t count = found != counts.end() ? found->second : 0;
    if (probability * static_cast<double>(total) < 10) {
      observed[0] += count;
      expected[0] += probability;
    } else {
      observed.push_back(count);
      expected.push_back(probability);
    }
  }
  return chi_square_p_value(observed, expected);
}

TEST(Moves, FollowTheSoftmaxOfTheLogitsWhateverTheTemperature) {
  for (const char* name :
       {"AgentNet", "Simplified", "SimplifiedWithAttention", "AttentionAlone", "PreferenceAlone", "NoSelfLoops",
        "FastForgetting", "LowTemperature", "DenseEdges", "EdgeKernel", "MergedWalk"}) {
    const OneAgentModel model(variant_named(name), 2);
    const Graph graph(ring_with_tail(model.config));
    EXPECT_GT(p_value(sample_walks<float>(model, graph, 100), walk_probabilities(model, graph)), kUnlikely) << name;
  }
}

TEST(Moves, AreTheSameDistributionInDoublePrecision) {
  const OneAgentModel model(variant_named("AgentNet"), 2);
  const Graph graph(ring_with_tail(model.config));
  const auto walks = sample_walks<double>(model, graph, 100);
  EXPECT_GT(p_value(walks, walk_probabilities(model, graph)), kUnlikely);
  // The test has power: a temperature that acts on the moves would show.
  EXPECT_LT(p_value(walks, walk_probabilities(model, graph, /*sharpness=*/1.2)), 1e-9);
}

TEST(Moves, OfARandomWalkAreUniformOverTheCandidates) {
  for (const char* name : {"RandomWalk", "RandomWalkNoSelfLoops", "DenseEdgesRandomWalk"}) {
    const OneAgentModel model(variant_named(name), 2);
    const Graph graph(ring_with_tail(model.config));
    const auto probabilities = walk_probabilities(model, graph);
    // Node 4 has one neighbour: half the agents there stay, or none.
    EXPECT_NEAR(probabilities.at({4, 2, 4}), model.config.self_loops ? 0.2 / 2 / 4 : 0.2 / 3, 1e-12);
    EXPECT_GT(p_value(sample_walks<float>(model, graph, 100), probabilities), kUnlikely) << name;
  }
}

// From a hub, where the kernels work on many candidates at once.
TEST(Moves, FromAHubAreUniformOverManyCandidates) {
  const OneAgentModel model(variant_named("RandomWalk"), 1);
  RandomSequence random(1, Purpose::kTest);
  const Graph graph(with_features(complete_graph(37), random, features_of(model.config)));
  EXPECT_GT(p_value(sample_walks<float>(model, graph, 200), walk_probabilities(model, graph)), kUnlikely);
}

// Three agents on each of two triangles, one move: with staying, a move adds 0, 1 or 2. All starts and moves of
// neighbouring agents, graphs and epochs are drawn independently.
TEST(Moves, OfAgentsGraphsAndEpochsAreIndependent) {
  AgentNetConfig config = variant_named("RandomWalk").config;
  config.agents = 3;
  config.steps = 1;
  RandomSequence random(1, Purpose::kTest);
  const Graph graph(with_features(cycle_graph(3), random, features_of(config)));
  ThreadPool pool(1);
  Engine<float> engine(config, pool);
  const std::vector<float> parameters(engine.layout().size(), 0.1f);
  engine.set_parameters(parameters);
  const std::vector<GraphView> graphs(2, graph.view());
  const std::vector<std::uint64_t> ids = {41, 42};
  std::vector<float> outputs(2 * static_cast<std::size_t>(config.outputs));

  // base 3 numbers: agents' starts and moves; starts and moves in two graphs; in two epochs
  std::vector<std::uint64_t> agents(729, 0), pairs(81, 0), epochs(81, 0);
  std::uint64_t before = 0;
  for (std::uint64_t epoch = 0; epoch < 20000; ++epoch) {
    Trace<float> trace;
    engine.predict({graphs, ids}, {.seed = 9, .epoch = epoch}, outputs, &trace);
    const auto& from = trace.positions[0];
    const auto& to = trace.positions[1];
    const auto draws = [&](std::size_t agent) { return 3 * from[agent] + (to[agent] + 3 - from[agent]) % 3; };
    ++agents[81 * draws(0) + 9 * draws(1) + draws(2)];
    ++pairs[9 * draws(0) + draws(3)];
    if (epoch > 0) ++epochs[9 * before + draws(0)];
    before = draws(0);
  }
  EXPECT_GT(uniform_p_value(agents), kUnlikely);
  EXPECT_GT(uniform_p_value(pairs), kUnlikely);
  EXPECT_GT(uniform_p_value(epochs), kUnlikely);
}

// The authors' code reaches the last nodes of a batch too rarely (tests/golden/README.md, section 4).
TEST(Starts, AreUniformOverTheNodesOfEveryGraphOfABatch) {
  AgentNetConfig config = variant_named("RandomWalk").config;
  config.node_features = 0;
  config.steps = 0;
  config.agents = 4;
  std::vector<Graph> owned;
  for (const std::uint32_t n : {1u, 2u, 5u, 17u, 64u, 3u}) owned.emplace_back(path_graph(n));
  std::vector<GraphView> graphs;
  std::vector<std::uint64_t> ids;
  std::vector<std::vector<std::uint64_t>> counts;
  for (const Graph& graph : owned) {
    ids.push_back(100 + ids.size());
    graphs.push_back(graph.view());
    counts.emplace_back(graph.num_nodes(), 0);
  }
  ThreadPool pool(1);
  Engine<float> engine(config, pool);
  const std::vector<float> parameters(engine.layout().size(), 0.1f);
  engine.set_parameters(parameters);
  std::vector<float> outputs(graphs.size() * static_cast<std::size_t>(config.outputs));
  for (std::uint64_t epoch = 0; epoch < 4000; ++epoch) {
    Trace<float> trace;
    engine.predict({graphs, ids}, {.seed = 3, .epoch = epoch}, outputs, &trace);
    for (std::size_t a = 0; a < trace.positions[0].size(); ++a) {
      ++counts[a / static_cast<std::size_t>(config.agents)].at(trace.positions[0][a]);
    }
  }
  for (const auto& nodes : counts) EXPECT_GT(uniform_p_value(nodes), kUnlikely) << nodes.size() << " nodes";
}

// No noise may be asked for, and all agents start on the same node.
struct StartOnly : Replay {
  explicit StartOnly(std::uint64_t start_node) : node(start_node) {}
  std::uint64_t start(std::size_t, int) override { return node; }
  double noise(std::size_t, int, int, std::uint64_t) override { throw std::logic_error("greedy moves have no noise"); }
  std::uint64_t node;
};

template <class S>
NodeList greedy_walk(const OneAgentModel& model, const Graph& graph, std::uint64_t start) {
  ThreadPool pool(1);
  Engine<S> engine(model.config, pool);
  const std::vector<S> parameters(model.parameters.begin(), model.parameters.end());
  engine.set_parameters(parameters);
  const std::vector<GraphView> graphs = {graph.view()};
  const std::vector<std::uint64_t> ids = {0};
  std::vector<S> outputs(static_cast<std::size_t>(model.config.outputs));
  StartOnly replay(start);
  Trace<S> trace;
  engine.predict({graphs, ids}, {.greedy = true, .replay = &replay}, outputs, &trace);
  NodeList walk;
  for (const auto& positions : trace.positions) walk.push_back(positions[0]);
  return walk;
}

TEST(GreedyMoves, TakeTheLikeliestCandidate) {
  for (const char* name : {"AgentNet", "Simplified", "SimplifiedWithAttention", "AttentionAlone", "NoSelfLoops",
                           "DenseEdges", "EdgeKernel"}) {
    const OneAgentModel model(variant_named(name), 5);
    const Graph graph(ring_with_tail(model.config));
    for (std::uint64_t start = 0; start < graph.num_nodes(); ++start) {
      const NodeList walk = greedy_walk<double>(model, graph, start);
      const PlainResult oracle = model.follow(graph, walk);
      for (std::size_t t = 0; t < oracle.moves.size(); ++t) {
        const PlainMove& move = oracle.moves[t][0];
        ASSERT_EQ(move.candidates[move.chosen], walk[t + 1]);
        EXPECT_EQ(move.logits[move.chosen], *std::max_element(move.logits.begin(), move.logits.end()))
            << name << " from " << start << ", move " << t + 1;
      }
    }
  }
}

// A model whose logits are the preferences [explored, unexplored, stay, back].
OneAgentModel with_preferences(const std::vector<double>& preferences, int steps) {
  OneAgentModel model(variant_named("PreferenceAlone"), steps);
  std::copy(preferences.begin(), preferences.end(),
            model.parameters.begin() + static_cast<std::ptrdiff_t>(model.layout.at("move.preference.weight").offset));
  return model;
}

TEST(GreedyMoves, TakeTheLowestNodeAmongEquals) {
  const auto graph_of = [](const OneAgentModel& model, GraphParts parts) {
    RandomSequence random(1, Purpose::kTest);
    return Graph(with_features(std::move(parts), random, features_of(model.config)));
  };
  const OneAgentModel explorer = with_preferences({0, 5, -1, 0}, 3);
  const OneAgentModel undecided = with_preferences({5, 5, 5, 0}, 1);

  // On a path from 1: 0 and 2 are equally new, then nothing is new beside 0, then 2 is.
  const Graph path = graph_of(explorer, path_graph(4));
  EXPECT_EQ(greedy_walk<double>(explorer, path, 1), (NodeList{1, 0, 1, 2}));
  EXPECT_EQ(greedy_walk<float>(explorer, path, 1), (NodeList{1, 0, 1, 2}));

  // Staying is as good as any move: what counts is where the node's own number stands among its neighbours'.
  GraphParts loops = star_graph(4);
  for (const std::uint32_t node : {0u, 1u, 2u, 3u}) {
    loops.from.push_back(node);
    loops.to.push_back(node);
  }
  for (const Graph& star : {graph_of(undecided, star_graph(4)), graph_of(undecided, loops)}) {
    EXPECT_EQ(greedy_walk<double>(undecided, star, 0), (NodeList{0, 0}));
    EXPECT_EQ(greedy_walk<double>(undecided, star, 3), (NodeList{3, 0}));
    EXPECT_EQ(greedy_walk<float>(undecided, star, 0), (NodeList{0, 0}));
  }
}

}  // namespace
}  // namespace agentnet
