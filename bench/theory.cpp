// The machine of programmed agents: visits per second on one core. And estimates: on a graph file of any size time,
// memory and what was touched; on a graph that can be counted, how often the intervals cover the truth.
//
//   bench_theory                            the machine
//   bench_theory big.graph                  estimates in that graph set file
//   bench_theory graph.txt.xz --coverage 200    estimates with so many seeds beside exact counts
//   bench_theory 'synthetic:triangle-density?graphs=300&seed=1000000' --density 128
//                                           clustering by walks of so many visits: mean absolute error
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/graph.h"
#include "core/random.h"
#include "graph/set_file.h"
#include "peak_memory.h"
#include "stopwatch.h"
#include "theory/estimate/estimate.h"
#include "theory/estimate/graph_walk.h"
#include "theory/judges/exact_counts.h"
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
  const std::clock_t start = std::clock();  // processor time: other work on the machine does not count
  const auto seconds = [&] { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; };
  while (seconds() < 2) {
    States states;  // afresh: a million visits take some 100 MB
    auto policy = make(states);
    Policy* const policies[] = {&policy};
    const std::uint64_t starts[] = {random.below(kNodes)};
    Machine machine(view, states, starts);
    machine.run(policies, kMoves, random);
    visits += machine.visits();
  }
  fmt::print("{:<24} degree {:>2}  {:.2f} million visits per second\n", name, 2 * reach,
             static_cast<double>(visits) / seconds() / 1e6);
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

Dataset read_undirected(const std::string& path) {
  DataOptions options;
  options.direction = Direction::kUndirected;
  return read_data(path, options);
}

// Every seed starts on its own random node, as agentnet estimate does, and is judged by the component it is in.
void measure_coverage(const std::string& path, const EstimateOptions& wanted, std::uint64_t seeds) {
  const Dataset data = read_undirected(path);
  const GraphView view = data.graphs.view(0);
  std::map<std::uint64_t, ExactCounts> truths;  // by the least node of a component
  std::map<std::string, std::uint64_t> covered, met;
  double steps = 0;
  const Stopwatch watch;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    EstimateOptions options = wanted;
    options.seed = seed;
    const std::uint64_t start = GraphWalk::random_start(view, seed);
    const std::vector<std::uint64_t> component = component_of(view, start);
    const std::uint64_t least = *std::min_element(component.begin(), component.end());
    if (!truths.contains(least)) {
      truths[least] = exact_counts(view, component);
      fmt::print("component of {} nodes: {:.0f} wedges, {:.0f} triangles, {:.0f} 4-cliques\n", component.size(),
                 truths[least].wedges, truths[least].triangles, truths[least].cliques4);
    }
    GraphWalk walk(view, start);
    const Estimates found = estimate(walk, options);
    steps += static_cast<double>(found.steps) / static_cast<double>(seeds);
    for (const Estimate& one : found.of) {
      const double truth = truths[least].of(one.measure.name());
      covered[one.measure.name()] += one.low <= truth && truth <= one.high ? 1 : 0;
      met[one.measure.name()] += one.met ? 1 : 0;
    }
  }
  fmt::print("{}: error {}, confidence {}, {} seeds, {:.0f} steps in the mean, {:.1f} s\n", path, wanted.error,
             wanted.confidence, seeds, steps, watch.seconds());
  for (const Measure& measure : wanted.what) {
    fmt::print("  {:<15} covered {}/{}  goal met {}/{}\n", measure.name(), covered[measure.name()], seeds,
               met[measure.name()], seeds);
  }
}

// 3 triangles / wedges by Hardiman and Katzir (WWW 2013) from `walks` walks of `visits` visits each: the sum of
// [x_{t-1} and x_{t+1} adjacent] d(x_t) over that of d(x_t) - 1.
double clustering_by_walks(const GraphView& view, std::uint64_t walks, std::uint64_t visits, RandomSequence& random) {
  double closed = 0, wedges = 0;
  for (std::uint64_t w = 0; w < walks; ++w) {
    GraphWalk walk(view, random.below(view.num_nodes));
    std::vector<std::uint64_t> way{walk.here()};
    while (way.size() < visits) {
      walk.step(random);
      way.push_back(walk.here());
    }
    for (std::size_t t = 1; t + 1 < way.size(); ++t) {
      const auto degree = static_cast<double>(walk.degree(way[t]));
      closed += way[t - 1] != way[t + 1] && walk.adjacent(way[t - 1], way[t + 1]) ? degree : 0;
      wedges += degree - 1;
    }
  }
  return wedges > 0 ? closed / wedges : 0;
}

void measure_density(const std::string& source, std::uint64_t visits) {
  const Dataset data = read_data(source, {});
  RandomSequence random(1, Purpose::kMove);
  const auto graphs = static_cast<double>(data.graphs.size());
  double mean = 0;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) mean += data.graphs.targets(g)[0] / graphs;
  for (const std::uint64_t walks : {1U, 2U, 4U, 8U}) {
    double error = 0, shrunk = 0, constant = 0;
    for (std::size_t g = 0; g < data.graphs.size(); ++g) {
      const GraphView view = data.graphs.view(g);
      const double truth = data.graphs.targets(g)[0];
      const double found = clustering_by_walks(view, walks, visits / walks, random);
      error += std::abs(found - truth) / graphs;
      shrunk += std::abs((found + mean) / 2 - truth) / graphs;
      constant += std::abs(mean - truth) / graphs;
    }
    fmt::print(
        "{} walks of {} visits: mean absolute error {:.4f}; half way to the mean of all graphs {:.4f}; "
        "the mean alone {:.4f}\n",
        walks, visits / walks, error, shrunk, constant);
  }
}

}  // namespace
}  // namespace agentnet

int main(int argc, char** argv) {
  CLI::App app("programmed agents, and estimates by random walks");
  std::string graph, what = "nodes,average-degree,wedges,triangles,clustering";
  double error = 0.1;
  std::uint64_t seeds = 0, visits = 0, max_steps = 5'000'000;
  app.add_option("GRAPH", graph, "a graph set file; without it the machine is measured");
  app.add_option("--what", what)->capture_default_str();
  app.add_option("--error", error)->capture_default_str();
  app.add_option("--max-steps", max_steps)->capture_default_str();
  app.add_option("--coverage", seeds, "GRAPH is read as a whole and counted; so many seeds");
  app.add_option("--density", visits, "GRAPH is a set with its clustering as target; so many visits");
  CLI11_PARSE(app, argc, argv);
  if (seeds > 0) {
    agentnet::measure_coverage(
        graph, {.what = agentnet::theory::parse_measures(what), .error = error, .max_steps = max_steps}, seeds);
    return 0;
  }
  if (visits > 0) {
    agentnet::measure_density(graph, visits);
    return 0;
  }
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
