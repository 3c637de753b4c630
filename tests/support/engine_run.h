// A batch that the engine and the plain oracle run on the same random numbers, and what sets their answers apart.
//
//   const Problem problem = make_problem(variant, small_graphs(variant.config, seed), seed);
//   EXPECT_THAT(differences(problem, run_engine<double>(problem), run_plain(problem), kDoubleTolerance), IsEmpty());
//
// B graphs, k agents each, A = B k; agent a of the batch is agent a % k of graph a / k.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/graph.h"
#include "nets/agentnet/engine.h"
#include "nets/agentnet/parameters.h"
#include "support/model_variants.h"
#include "support/plain_model.h"
#include "train/loss.h"

namespace agentnet {

// Sanitizers make the oracle some twenty times slower; tests that repeat it often repeat it less there.
#ifdef AGENTNET_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

struct Problem {
  AgentNetConfig config;
  bool greedy = false;
  std::vector<double> parameters;  // in the order of agentnet_layout(config)
  std::vector<Graph> graphs;
  LossKind loss = LossKind::kCrossEntropy;
  std::vector<double> targets;
  std::uint64_t seed = 0;  // of the starts and moves

  // Valid while this problem lives and its graphs stay.
  [[nodiscard]] std::vector<GraphView> views() const;
};

// Random parameters, and targets for the loss (with blanks among those of other losses than cross entropy).
[[nodiscard]] Problem make_problem(const ModelVariant& variant, const std::vector<GraphParts>& graphs,
                                   std::uint64_t seed, LossKind loss = LossKind::kCrossEntropy);
[[nodiscard]] std::vector<double> random_targets(const AgentNetConfig& config, std::size_t graphs, LossKind loss,
                                                 std::uint64_t seed);

// All that real graphs bring: isolated and single nodes, dead ends, double edges, self loops, several components, and
// a hub of more neighbours than the engine searches one by one. With the features that the config asks for.
[[nodiscard]] std::vector<GraphParts> small_graphs(const AgentNetConfig& config, std::uint64_t seed);

// The seeded noise of a problem as the engine wants it.
class SeededReplay : public Replay {
 public:
  explicit SeededReplay(const Problem& problem)
      : noise_(problem.seed, problem.views(), problem.config.moves != MovePolicy::kLearned) {}
  std::uint64_t start(std::size_t graph, int agent) override { return noise_.start(graph, agent); }
  double noise(std::size_t graph, int agent, int step, std::uint64_t node) override {
    return noise_.noise(graph, agent, step, node);
  }
  [[nodiscard]] SeededNoise& plain() { return noise_; }

 private:
  SeededNoise noise_;
};

// What came out, in double precision whoever computed it.
struct Answer {
  std::vector<std::vector<std::uint64_t>> positions;  // [T + 1][A]
  std::vector<double> step_outputs;                   // [T + 1, B, C]
  std::vector<double> agent_states;                   // [T + 1, A, h]
  std::vector<double> outputs;                        // [B, C]
  double loss = 0;
  std::vector<double> gradient;                     // in the order of the layout
  std::vector<std::vector<double>> node_gradients;  // [B] of [n, node_features]
  std::vector<std::vector<double>> edge_gradients;  // [B] of [feature rows, edge_features]
  bool operator==(const Answer&) const = default;
};

template <class S>
[[nodiscard]] Answer run_engine(const Problem& problem, int threads = 1);

[[nodiscard]] Answer run_plain(const Problem& problem);
// The oracle itself, its loss not yet computed; `frozen` as in PlainOptions.
[[nodiscard]] PlainRun plain_run(const Problem& problem, SeededReplay& replay, const PlainResult* frozen = nullptr);
[[nodiscard]] PlainLoss plain_loss(LossKind loss);

// Allowed errors, relative to the largest entry of a tensor; gradients get a thousandth of the largest of all on top,
// because what cancels within a tensor leaves rounding errors of the size of what cancelled.
struct Tolerance {
  double forward = 0;
  double gradient = 0;
};
inline constexpr Tolerance kDoubleTolerance = {1e-9, 1e-9};

// A line for each tensor that is off; gradients by the name of their parameter.
[[nodiscard]] std::vector<std::string> differences(const Problem& problem, const Answer& actual, const Answer& expected,
                                                   const Tolerance& tolerance);

}  // namespace agentnet
