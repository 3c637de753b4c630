// The oracle against the authors' code: every golden case, replayed from its recorded randomness.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <tuple>
#include <vector>

#include "nets/agentnet/parameters.h"
#include "support/golden_case.h"
#include "support/plain_model.h"

namespace agentnet {
namespace {

using testing::IsEmpty;

class Recorded : public PlainNoise {
 public:
  explicit Recorded(const GoldenNoise& recorded) : recorded_(recorded) {}
  std::uint64_t start(std::size_t graph, int agent) override { return recorded_.start(graph, agent); }
  double noise(std::size_t graph, int agent, int step, std::uint64_t node) override {
    return recorded_.noise(graph, agent, step, node);
  }

 private:
  const GoldenNoise& recorded_;
};

PlainLoss plain_loss(GoldenLoss loss) {
  switch (loss) {
    case GoldenLoss::kBinaryCrossEntropy:
      return PlainLoss::kBinaryCrossEntropy;
    case GoldenLoss::kSquaredError:
      return PlainLoss::kSquaredError;
    case GoldenLoss::kCrossEntropy:
      break;
  }
  return PlainLoss::kCrossEntropy;
}

void append(std::vector<double>& flat, const std::vector<double>& values) {
  flat.insert(flat.end(), values.begin(), values.end());
}

GoldenAnswer answer_of(PlainRun& run, const GoldenCase& golden) {
  GoldenAnswer answer;
  const PlainResult& result = run.result();
  answer.positions = result.positions;
  for (const auto& step : result.step_readouts) {
    for (const auto& graph : step) append(answer.step_readouts, graph);
  }
  for (const auto& graph : result.outputs) append(answer.outputs, graph);
  answer.loss = run.backward(plain_loss(golden.loss), golden.targets);
  answer.gradient = run.gradient();
  answer.node_feature_gradients.emplace();
  answer.edge_feature_gradients.emplace();
  for (std::size_t graph = 0; graph < golden.graphs.size(); ++graph) {
    answer.node_feature_gradients->push_back(run.node_feature_gradient(graph));
    answer.edge_feature_gradients->push_back(run.edge_feature_gradient(graph));
  }
  return answer;
}

// States and logits on the way, which point at the step that is wrong when an output is.
void compare_traces(const GoldenCase& golden, const PlainResult& result) {
  std::vector<double> agents, nodes, logits, expected_logits;
  for (const auto& step : result.agent_states) {
    for (const auto& agent : step) append(agents, agent);
  }
  EXPECT_EQ(mismatch("agent states", agents, golden.agent_states, forward_tolerance(golden, golden.agent_states)), "");
  if (!golden.node_states.empty()) {
    for (const auto& step : result.node_states) {
      for (const auto& graph : step) {
        for (const auto& node : graph) append(nodes, node);
      }
    }
    EXPECT_EQ(mismatch("node states", nodes, golden.node_states, forward_tolerance(golden, golden.node_states)), "");
  }
  const auto agents_per_graph = static_cast<std::size_t>(golden.config.agents);
  for (std::size_t t = 0; t < result.moves.size(); ++t) {
    for (std::size_t a = 0; a < result.moves[t].size(); ++a) {
      const PlainMove& move = result.moves[t][a];
      append(logits, move.logits);
      for (const std::uint64_t node : move.candidates) {
        const auto key =
            std::tuple(a / agents_per_graph, static_cast<int>(a % agents_per_graph), static_cast<int>(t + 1), node);
        expected_logits.push_back(golden.noise.draws().at(key).logit);
      }
    }
  }
  EXPECT_EQ(logits.size(), golden.noise.draws().size()) << "the reference had candidates that we did not have";
  EXPECT_EQ(mismatch("logits", logits, expected_logits, forward_tolerance(golden, expected_logits)), "");
}

void replay_and_compare(const std::filesystem::path& path) {
  const GoldenCase golden = load_golden_case(path);
  Recorded noise(golden.noise);
  PlainRun run(golden.config, agentnet_layout(golden.config), golden.parameters, golden.views(),
               {.temperature = golden.config.temperature, .noise = &noise});
  EXPECT_THAT(golden_mismatches(golden, answer_of(run, golden)), IsEmpty());
  compare_traces(golden, run.result());
}

TEST(PlainGolden, EveryRecordedCaseIsReproduced) {
  for (const auto& path : golden_files()) {
    SCOPED_TRACE(path.string());
    EXPECT_NO_THROW(replay_and_compare(path));  // the next cases have their turn all the same
  }
}

}  // namespace
}  // namespace agentnet
