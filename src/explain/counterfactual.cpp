#include "explain/counterfactual.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.h"
#include "graph/graph_without.h"
#include "predict/draw_keys.h"
#include "predict/reading.h"

namespace agentnet {
namespace {

constexpr int kMostRollouts = 16;             // of a graph that something was taken from
constexpr std::size_t kVersionsAtOnce = 256;  // that are in memory

// Several versions of one graph, all run with the draws of the original, so that what differs is the graph.
class Versions {
 public:
  explicit Versions(std::uint64_t key) : key_(key) {}

  void add(Graph graph) { graphs_.push_back(std::move(graph)); }
  [[nodiscard]] std::vector<GraphView> views(const GraphView& original) const {
    std::vector<GraphView> views = {original};
    for (const Graph& graph : graphs_) views.push_back(graph.view());
    return views;
  }
  [[nodiscard]] RunOptions run_options(const PredictOptions& options, int rollout, std::size_t versions) const {
    return {.seed = options.seed,
            .rollout = static_cast<std::uint64_t>(rollout),
            .greedy = options.greedy,
            .max_neighbours = options.max_neighbours,
            .threads = options.threads,
            .graph_ids = std::vector<std::uint64_t>(versions, key_),
            .may_end = options.may_end};
  }

 private:
  std::uint64_t key_;
  std::vector<Graph> graphs_;
};

// f(version, raw outputs) for every rollout of the original (version 0) and the others.
template <class F>
int run_versions(const Model& model, const GraphView& original, const Versions& versions, const PredictOptions& options,
                 const F& f) {
  const std::vector<GraphView> views = versions.views(original);
  const auto width = static_cast<std::size_t>(model.outputs());
  const int rollouts = std::min(options.rollouts, kMostRollouts);
  for (int r = 0; r < rollouts; ++r) {
    const std::vector<float> raw = model.run(views, versions.run_options(options, r, views.size()));
    for (std::size_t v = 0; v < views.size(); ++v) f(v, std::span(raw).subspan(v * width, width));
  }
  return rollouts;
}

// Nodes in the order of how much they speak for the output.
std::vector<std::size_t> by_influence(const Explanation& explanation) {
  std::vector<std::size_t> order(explanation.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return explanation.influence[a] > explanation.influence[b]; });
  return order;
}

std::vector<std::size_t> at_random(std::size_t nodes, std::uint64_t seed) {
  std::vector<std::size_t> order(nodes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  RandomSequence(seed, Purpose::kData).shuffle(order);
  return order;
}

}  // namespace

double explained_score(Task task, std::span<const float> raw, int output) {
  std::vector<float> weights(raw.size());
  explained_score_gradient(task, weights, output);
  return std::inner_product(raw.begin(), raw.end(), weights.begin(), 0.0);
}

void explained_score_gradient(Task task, std::span<float> d, int output) {
  const float others = task == Task::kClassification && d.size() > 1 ? -1.0F / static_cast<float>(d.size() - 1) : 0.0F;
  std::fill(d.begin(), d.end(), others);
  d[static_cast<std::size_t>(output)] = 1.0F;
}

void leave_one_out(const Model& model, const GraphView& graph, const PredictOptions& options,
                   Explanation& explanation) {
  const std::size_t n = explanation.nodes.size();
  if (n < 2) {
    explanation.left_out.assign(n, 0.0);
    return;
  }
  std::vector<char> gone(n, 0);
  const auto version = [&](std::size_t i) {  // first without each node, then without each edge
    if (i >= n) {
      const ExplainedEdge& edge = explanation.edges[i - n];
      return graph_without_edge(graph, edge.from, edge.to, /*both_directions=*/!explanation.directed);
    }
    gone[i] = 1;
    Graph rest = graph_without_nodes(graph, gone);
    gone[i] = 0;
    return rest;
  };
  const Task task = task_of(model);
  explanation.left_out.resize(n);
  const std::size_t all = n + explanation.edges.size();
  for (std::size_t first = 0; first < all; first += kVersionsAtOnce) {
    const std::size_t last = std::min(first + kVersionsAtOnce, all);
    Versions versions(explanation.draw_key);
    for (std::size_t i = first; i < last; ++i) versions.add(version(i));
    std::vector<double> score(1 + last - first, 0.0);
    const int rollouts = run_versions(model, graph, versions, options, [&](std::size_t v, std::span<const float> raw) {
      score[v] += explained_score(task, raw, explanation.output);
    });
    for (std::size_t i = first; i < last; ++i) {
      const double lower = (score[0] - score[1 + i - first]) / rollouts;
      (i < n ? explanation.left_out[i] : explanation.edges[i - n].left_out) = lower;
    }
  }
}

void measure_fidelity(const Model& model, const GraphView& graph, const PredictOptions& options, double share,
                      Explanation& explanation) {
  const std::size_t n = explanation.nodes.size();
  if (n < 2) return;
  const auto top =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(share * static_cast<double>(n))), 1, n - 1);
  Versions versions(explanation.draw_key);
  for (const std::vector<std::size_t>& order :
       {by_influence(explanation), at_random(n, options.seed + explanation.draw_key)}) {
    std::vector<char> others(n, 1), chosen(n, 0);
    for (std::size_t i = 0; i < top; ++i) {
      others[order[i]] = 0;
      chosen[order[i]] = 1;
    }
    versions.add(graph_without_nodes(graph, others));
    versions.add(graph_without_nodes(graph, chosen));
  }
  const auto views = versions.views(graph);
  std::vector<double> said;
  for (const GraphView& view : views) {
    PredictOptions asked = options;
    asked.rollouts = std::min(options.rollouts, kMostRollouts);
    said.push_back(predict_with_keys(model, {&view, 1}, {&explanation.draw_key, 1}, asked)
                       .mean[static_cast<std::size_t>(explanation.output)]);
  }
  explanation.fidelity = {static_cast<int>(top), said[0], said[1], said[2], said[3], said[4]};
}

}  // namespace agentnet
