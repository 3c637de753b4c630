// Why a model said what it said: where its agents went, what else they could have done, and which nodes and edges the
// answer depends on.
//
//   std::vector<Explanation> all = explain(model, data.graphs.views(), {.walks = {.rollouts = 64}});
//
// Three things are told apart. Visits: how often agents stood on a node; an agent may well stand where there is
// nothing to learn. Influence: how much the output would change, to first order (gradient times input) or when the node
// is taken away (leave-one-out). Touched: whether the node's state was needed at all; what happens to a node that was
// not touched cannot change the output by a single bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agentnet/graph.h"
#include "agentnet/model.h"
#include "agentnet/predict.h"

namespace agentnet {

struct ExplainOptions {
  PredictOptions walks = {.rollouts = 64};  // a confidence is not allowed here
  // The output that influence is about: for classes, its logit less the mean of the others'; else the output itself.
  int output = -1;                  // -1: the predicted class; output 0 if there are no classes
  bool influence = true;            // gradient times input
  int recorded = 4;                 // so many rollouts are kept step by step
  std::uint64_t most_nodes = 5000;  // of a graph with more nodes, only those that were needed, the most visited first
  // Graphs of up to so many nodes are also run without each node and each edge; 0: none. At most 16 rollouts each.
  std::uint64_t leave_one_out = 0;
  double fidelity = 0;  // the share of nodes that Fidelity takes for the most influential; 0: it is not measured
};

// What an agent could have done at a step: the 64 likeliest candidates, in the order of their nodes.
struct Choices {
  std::vector<std::uint32_t> nodes;  // indices into Explanation::nodes
  std::vector<float> probability;
};

struct AgentWalk {
  std::vector<std::uint32_t> path;  // [T + 1] indices into Explanation::nodes
  std::vector<Choices> choices;     // [T] choices[t] led from visit t to visit t + 1
};

struct RecordedRollout {
  std::vector<double> outputs;  // [T + 1, C] what would be predicted (probabilities, numbers) had the walk ended there
  std::vector<double> raw;      // [T + 1, C] the raw outputs of each visit; the model's is their mean
  std::vector<AgentWalk> agents;
};

struct ExplainedEdge {
  std::uint32_t from = 0, to = 0;  // indices into Explanation::nodes; in an undirected graph from <= to
  double crossings = 0;            // how often agents took it in a rollout, in either direction if undirected
  double influence = 0;            // gradient times input; 0 if the model reads no features of edges
  double left_out = 0;             // how much lower the output is without it, in either direction if undirected
};

// The prediction of the explained output when only the most influential nodes are left, or when just those are taken
// away; and the same for as many nodes picked at random.
struct Fidelity {
  int nodes = 0;  // how many they are; 0: not measured
  double all = 0, only_top = 0, without_top = 0, only_random = 0, without_random = 0;
};

struct Explanation {
  std::uint64_t graph = 0;     // its number
  std::uint64_t draw_key = 0;  // what its random draws are keyed by, as PredictOptions::draws says
  // Of the whole graph; an undirected edge counts once. Where not all nodes are listed, a loop counts half.
  std::uint64_t num_nodes = 0, num_edges = 0;
  bool directed = false;  // some edge between the nodes listed has no reverse
  int rollouts = 0;
  std::vector<double> mean, walk_spread;  // [C] as in Predictions
  int output = 0;                         // that influence is about

  std::vector<std::uint64_t> nodes;  // those listed here, ascending: all of them, or as ExplainOptions::most_nodes says
  double nodes_touched = 0;          // mean over rollouts, of all nodes, listed or not
  std::vector<double> visits;        // [nodes] visits of all agents, mean over rollouts; T + 1 times k in all
  std::vector<double> touched;       // [nodes] share of rollouts that needed the node's state
  std::vector<double> influence;     // [nodes] gradient times input, mean over rollouts; empty if not asked for
  std::vector<double> left_out;      // [nodes] how much lower the output is without it; empty if not asked for
  std::vector<ExplainedEdge> edges;  // between the nodes listed, ascending
  Fidelity fidelity;
  std::vector<RecordedRollout> walks;
};

// One explanation per graph, the same for any number of threads. mean and walk_spread are those of predict() with the
// same options, bit for bit. Throws Error as predict() does, and kUsage for options that make no sense.
[[nodiscard]] std::vector<Explanation> explain(const Model& model, std::span<const GraphView> graphs,
                                               const ExplainOptions& options);

}  // namespace agentnet
