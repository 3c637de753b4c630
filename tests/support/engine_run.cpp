#include "support/engine_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/thread_pool.h"
#include "support/golden_case.h"

namespace agentnet {
namespace {

template <class T>
std::vector<double> widened(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

void append(std::vector<double>& to, const std::vector<double>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

std::vector<double> slice_of(const std::vector<double>& values, const Parameter& p) {
  if (values.size() < p.offset + p.size) return {};
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(p.offset);
  return {first, first + static_cast<std::ptrdiff_t>(p.size)};
}

std::string position_difference(const Answer& actual, const Answer& expected) {
  if (actual.positions.size() != expected.positions.size()) return "positions: another number of visits";
  for (std::size_t t = 0; t < expected.positions.size(); ++t) {
    if (actual.positions[t].size() != expected.positions[t].size()) return "positions: another number of agents";
    for (std::size_t a = 0; a < expected.positions[t].size(); ++a) {
      if (actual.positions[t][a] == expected.positions[t][a]) continue;
      return "positions: agent " + std::to_string(a) + " is on node " + std::to_string(actual.positions[t][a]) +
             " at t = " + std::to_string(t) + ", not on " + std::to_string(expected.positions[t][a]);
    }
  }
  return {};
}

// Two rings, a pair and a node on its own.
GraphParts several_components() {
  GraphParts parts = cycle_graph(4);
  for (const std::uint32_t first : {4u, 5u, 6u}) {
    parts.from.push_back(first);
    parts.to.push_back(first == 6u ? 4u : first + 1);
  }
  parts.from.push_back(7);
  parts.to.push_back(8);
  parts.num_nodes = 10;
  return parts;
}

// Every leaf's neighbour is the hub, which also has a loop of its own and is joined twice to some.
GraphParts hub() {
  constexpr std::uint32_t kNodes = 22;
  GraphParts parts = star_graph(kNodes);
  // In the middle of the ids, so that a search by halves has both sides to go to.
  constexpr std::uint32_t kHub = 9;
  for (std::uint32_t& node : parts.from) node = kHub;
  for (std::uint32_t& node : parts.to) node = node <= kHub ? node - 1 : node;
  for (const std::uint32_t leaf : {3u, kHub, 20u}) {
    parts.from.push_back(kHub);
    parts.to.push_back(leaf);
  }
  return parts;
}

}  // namespace

std::vector<GraphView> Problem::views() const {
  std::vector<GraphView> views;
  for (const Graph& graph : graphs) views.push_back(graph.view());
  return views;
}

std::vector<double> random_targets(const AgentNetConfig& config, std::size_t graphs, LossKind loss,
                                   std::uint64_t seed) {
  RandomSequence random(seed, Purpose::kTest, 4);
  const auto outputs = static_cast<std::size_t>(config.outputs);
  std::vector<double> targets;
  if (loss == LossKind::kCrossEntropy) {
    for (std::size_t g = 0; g < graphs; ++g) targets.push_back(static_cast<double>(random.below(outputs)));
    return targets;
  }
  for (std::size_t i = 0; i < graphs * outputs; ++i) {
    const bool blank = i % 5 == 3;
    const double value = loss == LossKind::kBinaryCrossEntropy ? static_cast<double>(random.below(2)) : random.normal();
    targets.push_back(blank ? std::numeric_limits<double>::quiet_NaN() : value);
  }
  return targets;
}

Problem make_problem(const ModelVariant& variant, const std::vector<GraphParts>& graphs, std::uint64_t seed,
                     LossKind loss) {
  return {.config = variant.config,
          .greedy = variant.greedy,
          .parameters = random_parameters(agentnet_layout(variant.config), seed),
          .graphs = {graphs.begin(), graphs.end()},
          .loss = loss,
          .targets = random_targets(variant.config, graphs.size(), loss, seed),
          .seed = seed};
}

std::vector<GraphParts> small_graphs(const AgentNetConfig& config, std::uint64_t seed) {
  RandomSequence random(seed, Purpose::kTest, 5);
  const std::uint32_t n = 4 + static_cast<std::uint32_t>(random.below(5));
  const RandomGraphOptions undirected = {.isolated_nodes = 1, .multi_edges = 0.2, .self_loops = 0.2};
  GraphParts looped = path_graph(1);
  looped.from.push_back(0);
  looped.to.push_back(0);
  std::vector<GraphParts> graphs = {
      hub(),         path_graph(1), several_components(), random_graph(random, n, 0.5, undirected),
      path_graph(2), looped,        complete_graph(4)};
  for (GraphParts& graph : graphs) graph = with_features(std::move(graph), random, features_of(config));
  graphs.push_back(messy_graph(config, 6, seed));
  random.shuffle(graphs);
  return graphs;
}

template <class S>
Answer run_engine(const Problem& problem, int threads) {
  ThreadPool pool(threads);
  Engine<S> engine(problem.config, pool);
  const std::vector<S> parameters(problem.parameters.begin(), problem.parameters.end());
  engine.set_parameters(parameters);
  const std::vector<GraphView> graphs = problem.views();
  const std::vector<std::uint64_t> ids(graphs.size(), 0);
  SeededReplay replay(problem);
  const RolloutOptions options = {.greedy = problem.greedy, .replay = &replay};

  std::vector<S> gradient(engine.layout().size());
  std::vector<S> outputs(graphs.size() * static_cast<std::size_t>(problem.config.outputs));
  Trace<S> trace;
  std::vector<InputGradient<S>> inputs;
  const auto loss = make_loss<S>(problem.loss, problem.config.outputs, problem.targets, graphs.size());
  Answer answer;
  answer.loss = engine.gradients({graphs, ids}, options, loss, gradient, {&trace, outputs, &inputs});
  answer.positions = trace.positions;
  answer.step_outputs = widened(trace.step_outputs);
  answer.agent_states = widened(trace.agent_states);
  answer.outputs = widened(outputs);
  answer.gradient = widened(gradient);
  for (const InputGradient<S>& input : inputs) {
    answer.node_gradients.push_back(widened(input.nodes));
    answer.edge_gradients.push_back(widened(input.edges));
  }
  return answer;
}

template Answer run_engine<float>(const Problem&, int);
template Answer run_engine<double>(const Problem&, int);

PlainLoss plain_loss(LossKind loss) {
  switch (loss) {
    case LossKind::kCrossEntropy:
      return PlainLoss::kCrossEntropy;
    case LossKind::kBinaryCrossEntropy:
      return PlainLoss::kBinaryCrossEntropy;
    case LossKind::kSquaredError:
      return PlainLoss::kSquaredError;
    case LossKind::kAbsoluteError:
      break;
  }
  return PlainLoss::kAbsoluteError;
}

PlainRun plain_run(const Problem& problem, SeededReplay& replay, const PlainResult* frozen) {
  return {problem.config,
          agentnet_layout(problem.config),
          problem.parameters,
          problem.views(),
          {.temperature = problem.config.temperature,
           .greedy = problem.greedy,
           .noise = &replay.plain(),
           .frozen = frozen}};
}

Answer run_plain(const Problem& problem) {
  SeededReplay replay(problem);
  PlainRun run = plain_run(problem, replay);
  Answer answer;
  answer.loss = run.backward(plain_loss(problem.loss), problem.targets);
  answer.positions = run.result().positions;
  for (const auto& visit : run.result().step_readouts) {
    for (const auto& graph : visit) append(answer.step_outputs, graph);
  }
  for (const auto& visit : run.result().agent_states) {
    for (const auto& agent : visit) append(answer.agent_states, agent);
  }
  for (const auto& graph : run.result().outputs) append(answer.outputs, graph);
  answer.gradient = run.gradient();
  for (std::size_t g = 0; g < problem.graphs.size(); ++g) {
    answer.node_gradients.push_back(run.node_feature_gradient(g));
    answer.edge_gradients.push_back(run.edge_feature_gradient(g));
  }
  return answer;
}

std::vector<std::string> differences(const Problem& problem, const Answer& actual, const Answer& expected,
                                     const Tolerance& tolerance) {
  std::vector<std::string> found;
  const auto note = [&](std::string complaint) {
    if (!complaint.empty()) found.push_back(std::move(complaint));
  };
  const auto compare_forward = [&](const char* what, const std::vector<double>& a, const std::vector<double>& b) {
    note(mismatch(what, a, b, tolerance.forward * largest(b)));
  };
  note(position_difference(actual, expected));
  compare_forward("agent states", actual.agent_states, expected.agent_states);
  compare_forward("step outputs", actual.step_outputs, expected.step_outputs);
  compare_forward("outputs", actual.outputs, expected.outputs);
  // An error of the outputs goes into a loss that may be near zero.
  note(mismatch("loss", {actual.loss}, {expected.loss}, tolerance.forward * (1 + std::abs(expected.loss))));

  const double all = largest(expected.gradient);
  const auto compare_gradient = [&](const std::string& what, const std::vector<double>& a,
                                    const std::vector<double>& b) {
    note(mismatch("gradient of " + what, a, b, tolerance.gradient * (largest(b) + 1e-3 * all)));
  };
  const ParameterLayout layout = agentnet_layout(problem.config);
  if (actual.gradient.size() != layout.size()) note("gradient: another number of values");
  for (const Parameter& p : layout.all()) {
    compare_gradient(p.name, slice_of(actual.gradient, p), slice_of(expected.gradient, p));
  }
  for (std::size_t g = 0; g < problem.graphs.size(); ++g) {
    const std::string where = " of graph " + std::to_string(g);
    compare_gradient("node features" + where, actual.node_gradients.at(g), expected.node_gradients.at(g));
    compare_gradient("edge features" + where, actual.edge_gradients.at(g), expected.edge_gradients.at(g));
  }
  return found;
}

}  // namespace agentnet
