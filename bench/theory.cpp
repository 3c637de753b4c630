// The machine of programmed agents: visits per second on one core. And estimates on a graph file of any size: time,
// memory and what was touched.
//
//   bench_theory                            the machine
//   bench_theory big.graph                  estimates in that graph set file
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "agentnet/graph.h"
#include "core/random.h"
#include "graph/set_file.h"
#include "peak_memory.h"
#include "stopwatch.h"
#include "theory/estimate/estimate.h"
#include "theory/estimate/graph_walk.h"
#include "theory/machine/machine.h"
#include "theory/machine/policies.h"

namespace agentnet {
namespace {

using namespace theory;

Graph ring(std::uint32_t n, std::uint32_t reach) {
  GraphParts parts;
  parts.num_nodes = n;
  parts.undirected = true;
  for (std::uint32_t u = 0; u < n; ++u) {
    for (std::uint32_t hop = 1; hop <= reach; ++hop) {
      parts.from.push_back(u);
      parts.to.push_back((u + hop) % n);
    }
  }
  return Graph(std::move(parts));
}

template <class MakePolicy>
void measure_machine(const char* name, std::uint32_t reach, MakePolicy&& make) {
  constexpr std::uint32_t kNodes = 100000;
  constexpr std::size_t kMoves = 1000;
  const Graph graph = ring(kNodes, reach);
  const GraphView view = graph.view();
  RandomSequence random(1, Purpose::kMove);
  std::uint64_t visits = 0;
  const Stopwatch watch;
  while (watch.seconds() < 2) {
    States states;  // afresh: a million visits take some 100 MB
    auto policy = make(states);
    Policy* const policies[] = {&policy};
    const std::uint64_t starts[] = {random.below(kNodes)};
    Machine machine(view, states, starts);
    machine.run(policies, kMoves, random);
    visits += machine.visits();
  }
  fmt::print("{:<24} degree {:>2}  {:.2f} million visits per second\n", name, 2 * reach,
             static_cast<double>(visits) / watch.seconds() / 1e6);
}

void measure_estimates(const std::string& path, const std::string& what, double error) {
  const SetFile file = open_set_file(path);
  const GraphView view = file.graphs.view(0);
  const Stopwatch watch;
  GraphWalk walk(view, GraphWalk::random_start(view, 0));
  const Estimates found = estimate(walk, {.what = parse_measures(what), .error = error});
  fmt::print("{} nodes, {} entries: {:.1f} s, {} steps, {} nodes and {} pages touched\n", view.num_nodes,
             view.num_edges(), watch.seconds(), found.steps, walk.nodes_touched(), walk.pages_touched());
  for (const Estimate& one : found.of) {
    fmt::print("  {:<15} {:.6g}  [{:.6g}, {:.6g}]{}\n", one.measure.name(), one.value, one.low, one.high,
               one.met ? "" : "  not met");
  }
}

}  // namespace
}  // namespace agentnet

int main(int argc, char** argv) {
  CLI::App app("programmed agents, and estimates by random walks");
  std::string graph, what = "nodes,average-degree,wedges,triangles,clustering";
  double error = 0.1;
  app.add_option("GRAPH", graph, "a graph set file; without it the machine is measured");
  app.add_option("--what", what)->capture_default_str();
  app.add_option("--error", error)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (!graph.empty()) {
    const double peak = agentnet::peak_megabytes([&] {
      agentnet::measure_estimates(graph, what, error);
      std::fflush(stdout);
    });
    fmt::print("peak memory {:.0f} MB\n", peak);
    return 0;
  }
  using namespace agentnet::theory;
  for (const std::uint32_t reach : {1U, 2U, 5U}) {
    agentnet::measure_machine("uniform walk", reach, [](const States& states) { return UniformWalk(states); });
    agentnet::measure_machine("depth-first search", reach,
                              [](const States& states) { return SearchPolicy<DepthFirst>(states, {}); });
  }
}
