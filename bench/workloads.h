// The workloads of the speed yardstick: recorded graphs where the reference data is present, graphs
// of the same shapes where it is not.
#pragma once

#include <string>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/graph.h"
#include "nets/agentnet/rollout.h"

namespace agentnet {

struct Workload {
  std::string name;
  AgentNetConfig config;
  std::vector<Graph> graphs;
  std::vector<double> labels;  // a class per graph
  bool recorded = false;       // from the reference data

  [[nodiscard]] std::vector<GraphView> views() const;
};

// All training workloads: mutag at three widths, dd64, reddit64, wl128.
[[nodiscard]] std::vector<Workload> training_workloads();

// A random `degree`-regular graph (a multiple of 2) with constant features.
[[nodiscard]] Graph regular_graph(std::uint32_t nodes, int degree, std::uint64_t seed);

// Floating-point operations, in units of 1e9, of a training step by the minimal algorithm of docs/spec.md, section 4:
// products of the update functions, query and readout, the dot products of candidates, and the input projection; once
// forward and twice backward. Sums, norms, activations, the optimizer and everything else count nothing.
[[nodiscard]] double minimal_gflop(const AgentNetConfig& config, std::size_t graphs, const RolloutWork& work,
                                   bool training);

}  // namespace agentnet
