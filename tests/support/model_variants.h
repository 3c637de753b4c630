// Small models and small graphs for tests of the whole model: every variant of docs/spec.md, section 3, and graphs with
// all that real data brings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/graph.h"
#include "core/random.h"
#include "nets/agentnet/parameters.h"
#include "support/graphs.h"
#include "support/plain_model.h"

namespace agentnet {

struct ModelVariant {
  std::string name;  // in CamelCase, fit for the name of a test
  AgentNetConfig config;
  bool greedy = false;
};
// GoogleTest would print the bytes.
inline std::ostream& operator<<(std::ostream& out, const ModelVariant& variant) { return out << variant.name; }

// One for every option of AgentNetConfig and for the combinations that meet in the same piece of code; without dropout.
[[nodiscard]] const std::vector<ModelVariant>& model_variants();
// The one of this name; a name that nobody has is a bug of the test.
[[nodiscard]] const ModelVariant& variant_named(const std::string& name);

// Values at which everything matters: no zero biases, no scales of one.
[[nodiscard]] std::vector<double> random_parameters(const ParameterLayout& layout, std::uint64_t seed);

// The features that the config asks for, dense ones in double precision.
[[nodiscard]] FeatureOptions features_of(const AgentNetConfig& config);

// A directed graph of n nodes and an isolated one, with dead ends, double edges and self loops.
[[nodiscard]] GraphParts messy_graph(const AgentNetConfig& config, std::uint32_t n, std::uint64_t seed);

// A pure function of the seed and what is asked for.
class SeededNoise : public PlainNoise {
 public:
  // `uniform`: scores for random moves in place of Gumbel noise.
  SeededNoise(std::uint64_t seed, std::vector<GraphView> graphs, bool uniform);
  std::uint64_t start(std::size_t graph, int agent) override;
  double noise(std::size_t graph, int agent, int step, std::uint64_t node) override;

 private:
  RandomKey starts_, moves_;
  std::vector<GraphView> graphs_;
  bool uniform_;
};

}  // namespace agentnet
