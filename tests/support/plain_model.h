// AgentNet as docs/spec.md and tests/golden/README.md write it down, in double precision and without any thought of
// speed: the oracle that the engine in src/model is judged by. It shares nothing with the engine but the
// config, the names and shapes of the parameters, and the graphs; gradients come from the tape.
//
//   PlainRun run(config, layout, parameters, graphs, {.temperature = 2.0 / 3, .noise = &noise});
//   run.result().outputs;                                        // forward
//   double loss = run.backward(PlainLoss::kCrossEntropy, targets);
//   run.gradient();                                              // d loss / d parameters
//
// B graphs, k agents each, A = B k; agent a of the batch is agent a % k of graph a / k. Node ids are those
// of the agent's own graph. Dropout is not covered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/graph.h"
#include "nets/agentnet/parameters.h"
#include "support/tape.h"

namespace agentnet {

// Every random number that a forward pass asks for; `graph` is its place in the batch, `agent` is 0..k-1.
class PlainNoise {
 public:
  virtual ~PlainNoise() = default;
  virtual std::uint64_t start(std::size_t graph, int agent) = 0;
  // Of candidate `node` in move `step`, 1..T: Gumbel noise for the logit; for random moves, the score itself.
  virtual double noise(std::size_t graph, int agent, int step, std::uint64_t node) = 0;
};

struct PlainResult;

struct PlainOptions {
  double temperature = 2.0 / 3.0;
  bool greedy = false;  // learned moves without noise; starts, and random moves, still ask for theirs
  PlainNoise* noise = nullptr;
  bool straight_through = true;  // false: w = 1 without gradient, as for random moves
  // Repeats the moves of this earlier result, and lets w = 1 + p[chosen] - (p[chosen] back then). The loss is then
  // a smooth function of the parameters whose derivative, at those of the earlier run, is the
  // straight-through gradient: this is what finite differences can check.
  const PlainResult* frozen = nullptr;
};

// One move of one agent. Without candidates the agent stayed and all is empty.
struct PlainMove {
  std::vector<std::uint64_t> candidates;  // ascending
  std::vector<double> logits;             // before noise and temperature; zero for random moves
  std::vector<double> probabilities;      // softmax((logits + noise) / temperature); empty for random moves
  std::size_t chosen = 0;                 // index into the three above
};

struct PlainResult {
  std::vector<std::vector<std::uint64_t>> positions;            // [T + 1][A]
  std::vector<std::vector<PlainMove>> moves;                    // [T][A]: entry t leads to positions[t + 1]
  std::vector<std::vector<std::vector<double>>> step_readouts;  // [T + 1][B][C]
  std::vector<std::vector<double>> outputs;                     // [B][C]: their mean over t
  std::vector<std::vector<std::vector<double>>> agent_states;   // [T + 1][A][h], after each visit
  // [T + 1][B][n][h], likewise
  std::vector<std::vector<std::vector<std::vector<double>>>> node_states;
};

enum class PlainLoss { kCrossEntropy, kBinaryCrossEntropy, kSquaredError, kAbsoluteError };

class PlainRun {
 public:
  // The whole forward pass; none of the arguments is needed afterwards.
  PlainRun(const AgentNetConfig& config, const ParameterLayout& layout, std::span<const double> parameters,
           std::span<const GraphView> graphs, const PlainOptions& options);

  [[nodiscard]] const PlainResult& result() const { return result_; }

  // Cross entropy takes a class per graph, [B]; the others [B, C]. NaN is a blank; the loss is the mean
  // over what is not blank, and zero if all is.
  double loss(PlainLoss kind, std::span<const double> targets) { return traced_loss(kind, targets)[0]; }
  // The same, and fills the gradients below.
  double backward(PlainLoss kind, std::span<const double> targets);

  // In the order of the layout; zero for parameters that are not trainable.
  [[nodiscard]] std::vector<double> gradient() const;
  [[nodiscard]] std::vector<double> node_feature_gradient(std::size_t graph) const;  // [n, node_features]
  [[nodiscard]] std::vector<double> edge_feature_gradient(std::size_t graph) const;  // [feature rows, edge_features]

 private:
  [[nodiscard]] Traced traced_loss(PlainLoss kind, std::span<const double> targets);
  [[nodiscard]] std::vector<double> gradients_of(const std::vector<Traced>& rows) const;

  ParameterLayout layout_;
  Tape tape_;
  std::map<std::string, Traced> parameters_;
  std::vector<std::vector<Traced>> node_features_;  // per graph, a row per node; empty without dense features
  std::vector<std::vector<Traced>> edge_features_;  // per graph, a row per feature row of an edge
  std::vector<Traced> outputs_;                     // [B] of [C]
  PlainResult result_;
};

}  // namespace agentnet
