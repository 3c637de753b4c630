// The engine against what the authors' code computed: every golden file must pass, in its own precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/thread_pool.h"
#include "nets/agentnet/engine.h"
#include "support/golden_case.h"
#include "train/loss.h"

namespace agentnet {
namespace {

class GoldenReplay : public Replay {
 public:
  explicit GoldenReplay(const GoldenNoise& noise) : noise_(noise) {}
  std::uint64_t start(std::size_t graph, int agent) override { return noise_.start(graph, agent); }
  double noise(std::size_t graph, int agent, int step, std::uint64_t node) override {
    return noise_.noise(graph, agent, step, node);
  }

 private:
  const GoldenNoise& noise_;
};

LossKind loss_kind(GoldenLoss loss) {
  switch (loss) {
    case GoldenLoss::kCrossEntropy:
      return LossKind::kCrossEntropy;
    case GoldenLoss::kBinaryCrossEntropy:
      return LossKind::kBinaryCrossEntropy;
    case GoldenLoss::kSquaredError:
      break;
  }
  return LossKind::kSquaredError;
}

template <class S>
std::vector<double> widened(const std::vector<S>& values) {
  return {values.begin(), values.end()};
}

template <class S>
GoldenAnswer replay(const GoldenCase& golden) {
  ThreadPool pool(2);
  Engine<S> engine(golden.config, pool);
  const std::vector<S> parameters(golden.parameters.begin(), golden.parameters.end());
  engine.set_parameters(parameters);
  const std::vector<GraphView> graphs = golden.views();
  const std::vector<std::uint64_t> ids(graphs.size(), 0);
  GoldenReplay noise(golden.noise);
  RolloutOptions options;
  options.replay = &noise;

  const auto loss = make_loss<S>(loss_kind(golden.loss), golden.config.outputs, golden.targets, graphs.size());
  std::vector<S> gradient(engine.layout().size());
  std::vector<S> outputs(graphs.size() * static_cast<std::size_t>(golden.config.outputs));
  Trace<S> trace;
  std::vector<InputGradient<S>> inputs;
  GoldenAnswer answer;
  answer.loss = engine.gradients({graphs, ids}, options, loss, gradient, {&trace, outputs, &inputs});
  answer.positions = trace.positions;
  answer.step_readouts = widened(trace.step_outputs);
  answer.outputs = widened(outputs);
  answer.gradient = widened(gradient);
  answer.node_feature_gradients.emplace();
  answer.edge_feature_gradients.emplace();
  for (const InputGradient<S>& g : inputs) {
    answer.node_feature_gradients->push_back(widened(g.nodes));
    answer.edge_feature_gradients->push_back(widened(g.edges));
  }

  // Prediction runs without keeping anything for a backward pass, and must say the same.
  std::vector<S> predicted(outputs.size());
  engine.predict({graphs, ids}, options, predicted);
  EXPECT_EQ(predicted, outputs);
  return answer;
}

TEST(Golden, EngineReproducesEveryRecordedCase) {
  for (const auto& file : golden_files()) {
    SCOPED_TRACE(file.string());
    try {
      const GoldenCase golden = load_golden_case(file);
      const GoldenAnswer answer = golden.double_precision ? replay<double>(golden) : replay<float>(golden);
      EXPECT_THAT(golden_mismatches(golden, answer), testing::IsEmpty());
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

}  // namespace
}  // namespace agentnet
