// Theorem "randomwalk": an agent is a walker of the random walk access model.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "theory/claims/claim_list.h"
#include "theory/estimate/estimate.h"
#include "theory/estimate/graph_walk.h"

namespace agentnet::theory {

namespace {

// Nodes on a ring, each next to the two nearest on either side and to a few others.
Graph ring_with_chords(std::uint32_t n, RandomSequence& random) {
  GraphParts parts;
  parts.num_nodes = n;
  parts.undirected = true;
  const auto join = [&](std::uint32_t u, std::uint32_t v) {
    if (u == v) return;
    parts.from.push_back(u);
    parts.to.push_back(v);
  };
  for (std::uint32_t u = 0; u < n; ++u) {
    join(u, (u + 1) % n);
    join(u, (u + 2) % n);
    join(u, static_cast<std::uint32_t>(random.below(n)));
  }
  return Graph(std::move(parts));
}

double count_triangles(const GraphView& graph) {
  std::uint64_t count = 0;
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
    for (const std::uint32_t v : graph.neighbours_of(u)) {
      for (const std::uint32_t w : graph.neighbours_of(v)) {
        const auto back = graph.neighbours_of(w);
        if (u < v && v < w && std::binary_search(back.begin(), back.end(), u)) ++count;
      }
    }
  }
  return static_cast<double>(count);
}

}  // namespace

Finding claim_random_walk(const ClaimOptions& options) {
  Finding finding;
  RandomSequence random(options.seed, Purpose::kData, 5);
  const Graph graph = ring_with_chords(400, random);
  const GraphView view = graph.view();
  const double triangles = count_triangles(view);
  const int seeds = options.thorough ? 60 : 12;
  int covered = 0;
  std::uint64_t steps = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const EstimateOptions wanted{.what = parse_measures("triangles,clustering,nodes"),
                                 .error = 0.2,
                                 .max_steps = 15000,
                                 .seed = options.seed + static_cast<std::uint64_t>(seed)};
    const std::uint64_t start = GraphWalk::random_start(view, wanted.seed);
    States states;
    Machine machine(view, states, std::array{start});
    AgentWalk agent(machine, states);
    GraphWalk direct(view, start);
    const Estimates by_agent = estimate(agent, wanted), by_walk = estimate(direct, wanted);
    steps += by_agent.steps;
    for (std::size_t i = 0; i < wanted.what.size(); ++i) {
      if (by_agent.of[i].value != by_walk.of[i].value || by_agent.of[i].high != by_walk.of[i].high) {
        finding.fails(fmt::format("seed {}: {}", seed, wanted.what[i].name()));
      }
    }
    covered += by_agent.of[0].low <= triangles && triangles <= by_agent.of[0].high ? 1 : 0;
  }
  if (covered * 10 < seeds * 8) finding.fails("the intervals do not cover the number of triangles");
  finding.tried = fmt::format(
      "estimates of triangles, clustering and nodes in a graph of 400 nodes, {} seeds, {} steps: a programmed agent "
      "and a plain walk with the same random numbers",
      seeds, steps);
  finding.seen = fmt::format("the same results to the last bit; {} of {} intervals cover the {} triangles", covered,
                             seeds, triangles);
  return finding;
}

}  // namespace agentnet::theory
