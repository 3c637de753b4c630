// The machine of programmed agents: visits per second on one core. And estimates: on a graph file of any size time,
// memory and what was touched; on a graph that can be counted, how often the intervals cover the truth.
//
//   bench_theory                            the machine
//   bench_theory big.graph                  estimates in that graph set file
//   bench_theory graph.txt.xz --coverage 200    estimates with so many seeds beside exact counts
//   bench_theory --coverage 200             the same on random graphs with dense parts behind bottlenecks, one per seed
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
#include "theory/judges/planted_graph.h"
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

void measure_estimates(const std::string& path, const EstimateOptions& wanted) {
  const SetFile file = open_set_file(path);
  const GraphView view = file.graphs.view(0);
  const Stopwatch watch;
  GraphWalk walk(view);
  const Estimates found = estimate_whole(walk, wanted);
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

// What a seed's walks are judged by: the whole graph, or for one walk the component of its start.
class Truths {
 public:
  explicit Truths(const GraphView& view) : view_(view) {}
  const ExactCounts& whole() { return counted(~std::uint64_t{0}, nodes_with_neighbours(view_)); }
  const ExactCounts& component(std::uint64_t start) {
    const std::vector<std::uint64_t> nodes = component_of(view_, start);
    return counted(*std::min_element(nodes.begin(), nodes.end()), nodes);
  }

 private:
  const ExactCounts& counted(std::uint64_t key, const std::vector<std::uint64_t>& nodes) {
    const auto known = truths_.find(key);
    if (known != truths_.end()) return known->second;
    const ExactCounts& of = truths_[key] = exact_counts(view_, nodes);
    return of;
  }

  GraphView view_;
  std::map<std::uint64_t, ExactCounts> truths_;  // by the least node of a component
};

class Coverage {
 public:
  Coverage(EstimateOptions wanted, bool one_walk) : wanted_(std::move(wanted)), one_walk_(one_walk) {}

  void add(const GraphView& view, std::uint64_t seed, Truths& truths) {
    EstimateOptions options = wanted_;
    options.seed = seed;
    const std::uint64_t start = one_walk_ ? GraphWalk::random_start(view, seed) : 0;
    GraphWalk one(view, start), many(view);
    const Estimates found = one_walk_ ? estimate(one, options) : estimate_whole(many, options);
    const ExactCounts& truth = one_walk_ ? truths.component(start) : truths.whole();
    ++seeds_;
    steps_ += static_cast<double>(found.steps);
    for (const Estimate& estimated : found.of) {
      const double value = truth.of(estimated.measure.name());
      const bool covers = estimated.low <= value && value <= estimated.high;
      Count& count = counts_[estimated.measure.name()];
      count.covered += covers ? 1 : 0;
      count.open += std::isinf(estimated.high) ? 1 : 0;
      count.met += estimated.met ? 1 : 0;
      count.wrong_and_met += estimated.met && !covers ? 1 : 0;
    }
  }
  void print(const std::string& name) const {
    fmt::print("{}: error {}, confidence {}, {} seeds, {:.0f} steps in the mean, {:.1f} s\n", name, wanted_.error,
               wanted_.confidence, seeds_, steps_ / static_cast<double>(seeds_), watch_.seconds());
    for (const Measure& measure : wanted_.what) {
      const Count& count = counts_.at(measure.name());
      fmt::print("  {:<15} covered {}/{}  goal met {}, of those wrong {}; without an end {}\n", measure.name(),
                 count.covered, seeds_, count.met, count.wrong_and_met, count.open);
    }
  }

 private:
  struct Count {
    std::uint64_t covered = 0, open = 0, met = 0, wrong_and_met = 0;
  };
  EstimateOptions wanted_;
  bool one_walk_;
  std::uint64_t seeds_ = 0;
  double steps_ = 0;
  std::map<std::string, Count> counts_;
  Stopwatch watch_;
};

void measure_coverage(const std::string& path, const EstimateOptions& wanted, std::uint64_t seeds, bool one_walk) {
  const Dataset data = read_undirected(path);
  const GraphView view = data.graphs.view(0);
  Truths truths(view);
  Coverage coverage(wanted, one_walk);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) coverage.add(view, seed, truths);
  coverage.print(path);
}

// Every seed has a graph of its own.
void measure_planted(const EstimateOptions& wanted, std::uint64_t seeds, bool one_walk) {
  Coverage coverage(wanted, one_walk);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Graph graph = planted_graph(seed);
    Truths truths(graph.view());
    coverage.add(graph.view(), seed, truths);
  }
  coverage.print("planted graphs");
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
  bool one_walk = false;
  std::uint64_t seeds = 0, visits = 0, max_steps = 5'000'000;
  app.add_option("GRAPH", graph, "a graph set file; without it the machine is measured");
  app.add_option("--what", what)->capture_default_str();
  app.add_option("--error", error)->capture_default_str();
  app.add_option("--max-steps", max_steps)->capture_default_str();
  app.add_option("--coverage", seeds, "GRAPH is read as a whole and counted; so many seeds");
  app.add_flag("--one-walk", one_walk, "with --coverage: one walk in tours, of the component of a random start");
  app.add_option("--density", visits, "GRAPH is a set with its clustering as target; so many visits");
  CLI11_PARSE(app, argc, argv);
  const agentnet::theory::EstimateOptions wanted{
      .what = agentnet::theory::parse_measures(what), .error = error, .max_steps = max_steps};
  if (seeds > 0) {
    if (graph.empty()) {
      agentnet::measure_planted(wanted, seeds, one_walk);
    } else {
      agentnet::measure_coverage(graph, wanted, seeds, one_walk);
    }
    return 0;
  }
  if (visits > 0) {
    agentnet::measure_density(graph, visits);
    return 0;
  }
  if (!graph.empty()) {
    const double peak = agentnet::peak_megabytes([&] {
      agentnet::measure_estimates(graph, wanted);
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
