#include "theory/claims/scenes.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <memory>
#include <utility>

#include "agentnet/error.h"
#include "theory/claims/claim_list.h"

namespace agentnet::theory {

namespace {

constexpr std::size_t kRuns = 5;            // of each scene, if they differ
constexpr std::size_t kUntilDone = 200;     // moves: more than any search here takes
constexpr std::uint32_t kTriangle = 0b111;  // nodes 0, 1, 2 of paths_graph({}, true)

// What the policy leaves to chance. Weights that are all 0 keep the agent where it is.
SceneMove move_of(Machine& machine, std::size_t agent, Policy& policy) {
  SceneMove move;
  double sum = 0;
  for (const Machine::Candidate& candidate : machine.candidates(agent)) {
    move.nodes.push_back(static_cast<int>(candidate.node));
    move.probability.push_back(policy.weight(machine.agent(agent), candidate.state));
    sum += move.probability.back();
  }
  if (sum == 0) move.probability[0] = sum = 1;
  for (double& p : move.probability) p /= sum;
  return move;
}

// Forgets the moves after the last one that led anywhere: the search was done.
void trim(SceneRun& run) {
  const auto still = [](const std::vector<int>& way) { return way.size() < 2 || way.back() == way[way.size() - 2]; };
  while (run.ways[0].size() > 1 && std::all_of(run.ways.begin(), run.ways.end(), still)) {
    for (std::vector<int>& way : run.ways) way.pop_back();
    for (std::vector<SceneMove>& moves : run.moves) moves.pop_back();
  }
}

// Of agents whose policies `make` makes. The policies' caches follow the states, which are this run's own.
template <class Make>
SceneRun run_once(const GraphView& view, const std::vector<std::uint64_t>& starts, std::size_t moves, Make&& make,
                  RandomSequence& random) {
  States states;
  std::vector<std::unique_ptr<Policy>> owned;
  std::vector<Policy*> policies;
  for (std::size_t a = 0; a < starts.size(); ++a) {
    owned.push_back(make(states));
    policies.push_back(owned.back().get());
  }
  Machine machine(view, states, starts);
  SceneRun run{std::vector<std::vector<int>>(starts.size()), std::vector<std::vector<SceneMove>>(starts.size())};
  for (std::size_t move = 0;; ++move) {
    machine.visit();
    for (std::size_t a = 0; a < starts.size(); ++a) run.ways[a].push_back(static_cast<int>(machine.position(a)));
    if (move == moves) break;
    for (std::size_t a = 0; a < starts.size(); ++a) run.moves[a].push_back(move_of(machine, a, *policies[a]));
    machine.move(policies, random);
  }
  if (moves == kUntilDone) trim(run);
  return run;
}

// A graph, where agents start on it, and how many moves they make.
struct Stage {
  std::string title;
  SmallGraph graph;
  std::vector<std::uint64_t> starts;
  std::size_t moves = 0;
  std::uint32_t marks = 0;
};

template <class Make>
Scene played(const Stage& stage, std::uint64_t seed, Make&& make) {
  const Graph graph = stage.graph.graph();
  const GraphView view = graph.view();
  Scene scene{stage.title, stage.graph, {}, stage.marks};
  for (std::size_t i = 0; i < kRuns; ++i) {
    RandomSequence random(seed, Purpose::kMove, 0, i);
    SceneRun run = run_once(view, stage.starts, stage.moves, make, random);
    if (std::find(scene.runs.begin(), scene.runs.end(), run) == scene.runs.end()) scene.runs.push_back(std::move(run));
  }
  return scene;
}

template <class Search>
auto searching(const Search& fresh) {
  return [fresh](const States& states) { return std::make_unique<SearchPolicy<Search>>(states, fresh); };
}
const auto kWalking = [](const States& states) { return std::make_unique<UniformWalk>(states); };
const auto kStaying = [](const States& states) { return std::make_unique<Stay>(states); };

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

SmallGraph labelled(SmallGraph graph, std::initializer_list<int> ones) {
  for (const int node : ones) graph.labels[static_cast<std::size_t>(node)] = 1;
  return graph;
}

// What is left when nodes with a single neighbour are taken away, again and again.
std::uint32_t nodes_on_cycles(const SmallGraph& graph) {
  std::uint32_t left = graph.ball(0, graph.nodes), before = 0;
  while (left != before) {
    before = left;
    for (int u = 0; u < graph.nodes; ++u) {
      if (std::popcount(graph.row(u) & left) < 2) left &= ~(1u << u);
    }
  }
  return left;
}

// The nodes of the first groups of groups_of_three(), which are triangles.
std::uint32_t first_groups(int triangles) { return (std::uint32_t{1} << (3 * triangles)) - 1; }

std::vector<Scene> deepening_scenes(std::uint64_t seed) {
  const SmallGraph graph = ring_with_tail();
  return {played({"iteratively deepening search, r = 1", graph, {0}, kUntilDone, graph.ball(0, 1)}, seed,
                 searching(Deepening(1))),
          played({"r = 3", graph, {0}, kUntilDone, graph.ball(0, 3)}, seed, searching(Deepening(3)))};
}

std::vector<Scene> depth_first_scenes(std::uint64_t seed) {
  return {played({"a star from its middle: 2 n0 - 3 steps", small_star(5), {0}, 9}, seed, searching(DepthFirst{})),
          played({"a ring with a tail", ring_with_tail(), {0}, 15}, seed, searching(DepthFirst{}))};
}

std::vector<Scene> injective_scenes(std::uint64_t seed) {
  const SmallGraph graph = ring_with_tail();
  const std::uint32_t around = graph.ball(0, 2);
  return {played({"N^2(v), without labels", graph, {0}, kUntilDone, around}, seed, searching(Deepening(2))),
          played({"with labels", labelled(graph, {1, 2, 5}), {0}, kUntilDone, around}, seed, searching(Deepening(2))),
          played({"other labels", labelled(graph, {1, 4}), {0}, kUntilDone, around}, seed, searching(Deepening(2)))};
}

std::vector<Scene> two_wl_scenes(std::uint64_t seed) {
  const auto search = searching(Deepening(1));
  return {played({"Rook's 4x4 graph, 11 steps", small_rook(), {0}, 11}, seed, search),
          played({"Shrikhande's graph, 11 steps", small_shrikhande(), {0}, 11}, seed, search),
          played({"a hub and one cycle of 8, 15 steps", small_wheel(1, 8), {0}, 15}, seed, search),
          played({"a hub and two cycles of 4, 15 steps", small_wheel(2, 4), {0}, 15}, seed, search)};
}

std::vector<Scene> cliques_scenes(std::uint64_t seed) {
  return {
      played({"G1 of the appendix, 5 steps", paths_graph({}, true), {0}, 5, kTriangle}, seed, searching(Deepening(1))),
      played({"G2, 5 steps", paths_graph({}, false), {0}, 5}, seed, searching(Deepening(1)))};
}

std::vector<Scene> count_scenes(std::uint64_t seed) {
  SmallGraph house = small_cycle(5);  // a square with a roof, which has one triangle at its top
  house.join(1, 4);
  const std::uint32_t roof = 0b10011;
  return {
      played({"one triangle and no 4-cycle at v, the top", house, {0}, kUntilDone, roof}, seed,
             searching(Deepening(2))),
      played({"from below: one 4-cycle, no triangle", house, {2}, kUntilDone, 0b11110}, seed, searching(Deepening(2)))};
}

std::vector<Scene> cycles_scenes(std::uint64_t seed) {
  const PathsShape shape{.paths = 3, .radius = 2, .tail = 2};
  const SmallGraph closed = paths_graph(shape, true);
  return {played({"a 5-cycle among three paths", closed, {0}, kUntilDone, nodes_on_cycles(closed)}, seed,
                 searching(Deepening(2))),
          played({"three paths", paths_graph(shape, false), {0}, kUntilDone}, seed, searching(Deepening(2)))};
}

std::vector<Scene> frequency_scenes(std::uint64_t seed) {
  const auto search = searching(Deepening(1));
  return {played({"G1: 7 of 10 groups are triangles, 4 agents", groups_of_three(7), {0, 8, 15, 24}, 5, first_groups(7)},
                 seed, search),
          played({"G2: 2 of 10", groups_of_three(2), {0, 8, 15, 24}, 5, first_groups(2)}, seed, search)};
}

std::vector<Scene> one_better_scenes(std::uint64_t seed) {
  const SmallGraph graph = path_end(5, 8, 1, true).graph;
  const std::uint32_t end = 1u << 4;
  return {played({"two agents with 3 steps", graph, {5, 9}, 3, end}, seed, searching(DepthFirst{})),
          played({"one agent with 6 steps", graph, {5}, 6, end}, seed, searching(DepthFirst{}))};
}

std::vector<Scene> many_better_scenes(std::uint64_t seed) {
  const SmallGraph graph = two_parts(8, 4, 1).graph;
  const std::uint32_t second = 0xff00;  // nodes 8 to 15
  return {played({"three agents with 1 step", graph, {1, 5, 11}, 1, second}, seed, kWalking),
          played({"one agent with 3 steps", graph, {1}, 3, second}, seed, kWalking)};
}

std::vector<Scene> trees_scenes(std::uint64_t seed) {
  const TreeShape shape{.branching = 2, .h1 = 3, .h2 = 3, .trees = 2};
  const auto climbing = [](const States& states) { return std::make_unique<Climb>(states, 3); };
  const SmallGraph g1 = small_trees(2, shape), g2 = small_trees(1, shape);
  return {played({"G1: two agents meet at the top", g1, {14, 28}, 6, 1}, seed, climbing),
          played({"G2: they meet at the root of the only secondary tree", g2, {13, 14}, 6}, seed, climbing)};
}

std::vector<Scene> cost_scenes(std::uint64_t seed) {
  return {played({"12 steps on a ring of 14", small_cycle(14), {0}, 12}, seed, kWalking),
          played({"12 steps on a ring of 30: as many nodes touched", small_cycle(30), {0}, 12}, seed, kWalking)};
}

// One row per claim of claims.cpp.
struct ScenesOfClaim {
  const char* claim;
  std::vector<Scene> (*make)(std::uint64_t seed);
};
constexpr ScenesOfClaim kScenes[] = {
    {"deepening", deepening_scenes},
    {"depth-first", depth_first_scenes},
    {"injective", injective_scenes},
    {"2wl", two_wl_scenes},
    {"count", count_scenes},
    {"cliques", cliques_scenes},
    {"cycles", cycles_scenes},
    {"random-walk",
     [](std::uint64_t seed) -> std::vector<Scene> {
       return {played({"a random walk of 12 steps", ring_with_tail(), {0}, 12}, seed, kWalking)};
     }},
    {"more-agents",
     [](std::uint64_t seed) -> std::vector<Scene> {
       return {played({"one agent alone", ring_with_tail(), {0}, 6}, seed, kWalking),
               played({"the same with two others", ring_with_tail(), {0, 3, 8}, 6}, seed, kWalking)};
     }},
    {"frequency", frequency_scenes},
    {"one-better", one_better_scenes},
    {"many-better", many_better_scenes},
    {"trees", trees_scenes},
    {"message-passing",
     [](std::uint64_t seed) -> std::vector<Scene> {
       return {played({"an agent on every node, none moves", small_cycle(5), {0, 1, 2, 3, 4}, 2}, seed, kStaying)};
     }},
    {"cost", cost_scenes},
};

}  // namespace

std::vector<Scene> scenes_of(const std::string& name, std::uint64_t seed) {
  const std::string claim = claim_named(name).name;
  for (const ScenesOfClaim& one : kScenes) {
    if (claim == one.claim) return one.make(seed);
  }
  throw Error(ErrorKind::kUsage, fmt::format("{} has no construction to show", claim),
              fmt::format("agentnet theory {} says what is tried", claim));
}

}  // namespace agentnet::theory
