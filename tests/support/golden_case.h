// A golden case: what the authors' code computed, in our terms.
//
// Golden files are recorded from the authors' PyTorch model (tests/golden/README.md): parameters, graphs, every random
// draw, and all that came out. load_golden_case translates one into our config, our flat
// parameter buffer and our graphs; whoever replays it fills a GoldenAnswer and asks golden_mismatches:
//
//   const GoldenCase golden = load_golden_case(path);
//   GoldenAnswer answer = ...;
//   EXPECT_THAT(golden_mismatches(golden, answer), testing::IsEmpty());
//
// B graphs, k agents each, A = B k; agent a of the batch is agent a % k of graph a / k. Node ids are those
// of the agent's own graph, and rows of edge features those of the Graph, not of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/graph.h"
#include "support/mismatch.h"

namespace agentnet {

enum class GoldenLoss { kCrossEntropy, kBinaryCrossEntropy, kSquaredError };

struct GoldenDraw {
  double value = 0;  // Gumbel noise of the candidate's logit; for random moves, its uniform score
  double logit = 0;  // what the reference had before noise and temperature
};

// The recorded randomness. Asking for a draw that was not recorded throws Error (kMismatch): the one who asks
// has other candidates than the reference had.
class GoldenNoise {
 public:
  using Key = std::tuple<std::size_t, int, int, std::uint64_t>;  // graph, agent 0..k-1, step 1..T, node

  [[nodiscard]] std::uint64_t start(std::size_t graph, int agent) const;
  [[nodiscard]] double noise(std::size_t graph, int agent, int step, std::uint64_t node) const;
  [[nodiscard]] const std::map<Key, GoldenDraw>& draws() const { return draws_; }

 private:
  friend class GoldenLoader;
  std::map<std::pair<std::size_t, int>, std::uint64_t> starts_;
  std::map<Key, GoldenDraw> draws_;
};

// The gradient of one of the reference's parameters.
struct GoldenGradient {
  std::string name;                  // the reference's
  std::size_t offset = 0;            // where it starts in our flat buffer
  std::vector<double> values;        // zeros for a parameter of ours that the reference never reached
  bool mathematically_zero = false;  // the values are rounding noise, only their size means anything
};

struct GoldenCase {
  std::string name;
  bool double_precision = false;
  GoldenLoss loss = GoldenLoss::kCrossEntropy;
  AgentNetConfig config;           // its temperature is the one in force: 1e-6 where the reference's eval mode says so
  std::vector<double> parameters;  // in the order of agentnet_layout(config)
  std::vector<Graph> graphs;
  std::vector<double> targets;  // [B] of classes; [B, C] with NaN for blanks; [B, C]
  GoldenNoise noise;

  std::vector<std::vector<std::uint64_t>> positions;  // [T + 1][A]
  std::vector<double> step_readouts;                  // [T + 1, B, C]
  std::vector<double> final_output;                   // [B, C]: log-softmax with cross entropy, else raw
  double loss_value = 0;
  std::vector<double> agent_states;  // [T + 1, A, h] after each visit
  std::vector<double> node_states;   // [T + 1, nodes of all graphs, h]; empty in the large cases

  bool has_gradients = false;
  std::vector<GoldenGradient> gradients;                    // cover all our trainable parameters
  std::vector<std::vector<double>> node_feature_gradients;  // [B] of [n, F]; empty without dense features
  std::vector<std::vector<double>> edge_feature_gradients;  // [B] of [feature rows, E]; likewise
  double largest_gradient = 0;                              // G: the largest entry of all of them

  // Valid while this case lives and is not moved.
  [[nodiscard]] std::vector<GraphView> views() const;
};

// Throws Error: kData for a file that is not a golden case, kUsage for a setting that our model does not have.
[[nodiscard]] GoldenCase load_golden_case(const std::filesystem::path& path);

// The cases in tests/golden, then all in the folder that AGENTNET_GOLDEN_DIR names, else those in golden/public of the
// reference data if there is any. A named folder that is absent, or a folder without cases, throws Error (kUsage).
[[nodiscard]] std::vector<std::filesystem::path> golden_files();

// What a replay computed. An empty optional is not compared.
struct GoldenAnswer {
  std::vector<std::vector<std::uint64_t>> positions;  // [T + 1][A]
  std::vector<double> step_readouts;                  // [T + 1, B, C]
  std::vector<double> outputs;                        // [B, C]: the mean over t, before any log-softmax
  double loss = 0;
  std::vector<double> gradient;  // in the order of the layout; unused without has_gradients
  std::optional<std::vector<std::vector<double>>> node_feature_gradients;  // [B] of [n, F]
  std::optional<std::vector<std::vector<double>>> edge_feature_gradients;  // [B] of [feature rows, E]
};

// One line for each tensor that is not within the tolerances of tests/golden/README.md, section 1 (double precision:
// 1e-9).
[[nodiscard]] std::vector<std::string> golden_mismatches(const GoldenCase& golden, const GoldenAnswer& answer);

// The allowed error of a result of the forward pass, and of a gradient.
[[nodiscard]] double forward_tolerance(const GoldenCase& golden, const std::vector<double>& expected);
[[nodiscard]] double gradient_tolerance(const GoldenCase& golden, const std::vector<double>& expected);

}  // namespace agentnet
