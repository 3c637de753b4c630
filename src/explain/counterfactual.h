// What the output would be if the graph were another: without a node, without an edge, with nothing but some nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "agentnet/explain.h"

namespace agentnet {

// The number that is explained, out of a row of raw outputs: for classes the logit less the mean of the others'.
[[nodiscard]] double explained_score(Task task, std::span<const float> raw, int output);
// Its gradient, written to `d`.
void explained_score_gradient(Task task, std::span<float> d, int output);

// Fills in left_out of nodes and edges. The graph must be listed whole.
void leave_one_out(const Model& model, const GraphView& graph, const PredictOptions& options, Explanation& explanation);

// Fills in fidelity for the `share` of nodes that speak most for the explained output.
void measure_fidelity(const Model& model, const GraphView& graph, const PredictOptions& options, double share,
                      Explanation& explanation);

}  // namespace agentnet
