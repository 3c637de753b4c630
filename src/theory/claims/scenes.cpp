#include "theory/claims/scenes.h"

#include <memory>

#include "theory/claims/claim_list.h"

namespace agentnet::theory {

namespace {

using Policies = std::vector<std::unique_ptr<Policy>>;

// Runs the agents that `make` gives policies to and notes where they are.
template <class Make>
Scene played(std::string title, const SmallGraph& small, const std::vector<std::uint64_t>& starts, std::size_t moves,
             Make&& make) {
  const Graph graph = small.graph();
  const GraphView view = graph.view();
  States states;
  Policies owned;
  std::vector<Policy*> policies;
  for (std::size_t a = 0; a < starts.size(); ++a) {
    owned.push_back(make(states));
    policies.push_back(owned.back().get());
  }
  Machine machine(view, states, starts);
  RandomSequence random(4, Purpose::kMove);
  Scene scene{std::move(title), small, std::vector<std::vector<int>>(starts.size())};
  for (std::size_t move = 0;; ++move) {
    machine.visit();
    for (std::size_t a = 0; a < starts.size(); ++a) scene.ways[a].push_back(static_cast<int>(machine.position(a)));
    if (move == moves) return scene;
    machine.move(policies, random);
  }
}

template <class Search>
auto searching(const Search& fresh) {
  return [fresh](const States& states) { return std::make_unique<SearchPolicy<Search>>(states, fresh); };
}
const auto kWalking = [](const States& states) { return std::make_unique<UniformWalk>(states); };

SmallGraph small_trees(std::uint32_t secondary, const TreeShape& shape) {
  const GraphParts parts = one_way_trees(shape, secondary);
  SmallGraph graph;
  graph.nodes = static_cast<int>(parts.num_nodes);
  for (std::size_t i = 0; i < parts.from.size(); ++i)
    graph.join(static_cast<int>(parts.from[i]), static_cast<int>(parts.to[i]));
  for (std::size_t v = 0; v < parts.num_nodes; ++v)
    graph.labels[v] = static_cast<std::uint8_t>(parts.node_categories[v]);
  return graph;
}

// A ring with a tail: near and far nodes, and two ways to some of them.
SmallGraph ring_with_tail() {
  SmallGraph graph = small_cycle(6);
  graph.nodes = 9;
  graph.join(2, 6);
  graph.join(6, 7);
  graph.join(7, 8);
  return graph;
}

}  // namespace

std::vector<Scene> scenes_of(const std::string& name) {
  const std::string claim = claim_named(name).name;
  if (claim == "deepening" || claim == "injective") {
    return {played("iteratively deepening search, r = 1", ring_with_tail(), {0}, 3, searching(Deepening(1))),
            played("r = 3", ring_with_tail(), {0}, 40, searching(Deepening(3)))};
  }
  if (claim == "depth-first") {
    return {played("a star from its middle: 2 n0 - 3 steps", small_star(5), {0}, 9, searching(DepthFirst{})),
            played("a ring with a tail", ring_with_tail(), {0}, 15, searching(DepthFirst{}))};
  }
  if (claim == "2wl") {
    return {played("Rook's 4x4 graph, 11 steps", small_rook(), {0}, 11, searching(Deepening(1))),
            played("Shrikhande's graph, 11 steps", small_shrikhande(), {0}, 11, searching(Deepening(1)))};
  }
  if (claim == "count" || claim == "cliques") {
    return {played("G1 of the appendix, 5 steps", paths_graph({}, true), {0}, 5, searching(Deepening(1))),
            played("G2, 5 steps", paths_graph({}, false), {0}, 5, searching(Deepening(1)))};
  }
  if (claim == "cycles") {
    const PathsShape shape{.paths = 3, .radius = 2, .tail = 2};
    return {played("a 5-cycle among three paths", paths_graph(shape, true), {0}, 40, searching(Deepening(2))),
            played("three paths", paths_graph(shape, false), {0}, 40, searching(Deepening(2)))};
  }
  if (claim == "random-walk" || claim == "cost") {
    return {played("a random walk of 12 steps", small_cycle(20), {0}, 12, kWalking)};
  }
  if (claim == "more-agents") return {played("three agents", ring_with_tail(), {0, 3, 8}, 6, kWalking)};
  if (claim == "frequency") {
    return {played("G1: 7 of 10 groups are triangles, 4 agents", groups_of_three(7), {0, 8, 15, 24}, 5,
                   searching(Deepening(1))),
            played("G2: 2 of 10", groups_of_three(2), {0, 8, 15, 24}, 5, searching(Deepening(1)))};
  }
  if (claim == "one-better") {
    return {played("two agents with 3 steps", path_end(5, 8, 1, true).graph, {5, 9}, 3, searching(DepthFirst{})),
            played("one agent with 6 steps", path_end(5, 8, 1, true).graph, {5}, 6, searching(DepthFirst{}))};
  }
  if (claim == "many-better") {
    return {played("three agents with 1 step", two_parts(8, 4, 1).graph, {1, 5, 11}, 1, kWalking),
            played("one agent with 3 steps", two_parts(8, 4, 1).graph, {1}, 3, kWalking)};
  }
  if (claim == "trees") {
    const TreeShape shape{.branching = 2, .h1 = 3, .h2 = 3, .trees = 2};
    const auto climbing = [](const States& states) { return std::make_unique<Climb>(states, 3); };
    const SmallGraph g1 = small_trees(2, shape), g2 = small_trees(1, shape);
    return {played("G1: two agents meet at the top", g1, {14, 28}, 6, climbing),
            played("G2: they meet at the root of the only secondary tree", g2, {13, 14}, 6, climbing)};
  }
  const auto staying = [](const States& states) { return std::make_unique<Stay>(states); };
  return {played("an agent on every node, none moves", small_cycle(5), {0, 1, 2, 3, 4}, 2, staying)};
}

}  // namespace agentnet::theory
