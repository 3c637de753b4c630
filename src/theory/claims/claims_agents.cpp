// Claims about several agents: lemmas "more_agents", "1_better_than_k", "k_better_than_1", theorem "frequency", agents
// that never move, and what walking costs.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "theory/claims/claim_list.h"
#include "theory/claims/optimum.h"
#include "theory/judges/judges.h"

namespace agentnet::theory {

namespace {

// The part of a state that agent `id` alone would have made, in a table of its own: marks of others are taken out, and
// with them what nodes saw when only others stood on them. This is how an agent of the lemma's construction reads its
// own bits. Memoised by state.
class OwnPart {
 public:
  OwnPart(const States& from, States& to, std::uint32_t id) : from_(&from), to_(&to), id_(id) {}

  AgentState of(AgentState agent) {
    // Visits from the first to the last: a recursion through the agents' states alone would be as deep as the walk.
    std::vector<AgentState> visits;
    while (from_->kind(agent) == StateKind::kVisited) {
      visits.push_back(agent);
      agent = from_->visit(agent).before;
    }
    AgentState own = to_->ready(id_);
    agents_[agent] = own;
    for (auto visit = visits.rbegin(); visit != visits.rend(); ++visit) {
      own = to_->visited(own, of(from_->visit(*visit).node));
      agents_[*visit] = own;
    }
    return own;
  }

  NodeState of(NodeState node) {
    if (const auto known = nodes_.find(node); known != nodes_.end()) return known->second;
    const NodeState own = without_others(node);
    nodes_.emplace(node, own);
    return own;
  }

 private:
  NodeState without_others(NodeState node) {
    if (from_->kind(node) == StateKind::kFeature) return to_->feature(from_->features(node));
    const bool looked = from_->kind(node) == StateKind::kLooked;
    const NodeState marked = looked ? from_->look(node).own : node;
    const States::Mark mark = from_->mark(marked);
    for (const std::uint32_t agent : mark.agents) {
      if (from_->id({agent}) != id_) continue;
      AgentState only[] = {agents_.at({agent})};
      const NodeState own = to_->marked(of(mark.before), mark.time, only);
      if (!looked) return own;
      std::vector<NodeState> around;
      for (const std::uint32_t neighbour : from_->look(node).neighbours) around.push_back(of(NodeState{neighbour}));
      return to_->looked(own, around);
    }
    return of(mark.before);
  }

  const States* from_;
  States* to_;
  std::uint32_t id_;
  std::map<AgentState, AgentState> agents_;
  std::map<NodeState, NodeState> nodes_;
};

// A random function of what the agent knows by itself: how long ago it was on a candidate, and how long it walks.
class OwnWhim : public Policy {
 public:
  OwnWhim(const States& states, std::uint64_t seed) : states_(&states), seed_(seed) {}
  std::uint32_t weight(AgentState agent, NodeState candidate) override {
    const std::uint32_t now = states_->mark(states_->look(states_->visit(agent).node).own).time;
    const std::uint32_t time = last_visit(*states_, candidate, states_->id(agent));
    const std::uint32_t feature = states_->features(first_state(*states_, candidate))[0];
    const std::uint64_t epoch = (std::uint64_t{now} << 32) | (time == kNever ? 0xFFFFu + feature : time);
    return 1 + RandomSequence(seed_, Purpose::kTest, epoch).next_u32() % 5;
  }

 private:
  const States* states_;
  std::uint64_t seed_;
};

SmallGraph random_small_graph(RandomSequence& random, int nodes) {
  SmallGraph graph;
  graph.nodes = nodes;
  for (int u = 1; u < nodes; ++u) {
    graph.join(u, static_cast<int>(random.below(static_cast<std::uint64_t>(u))));
    graph.labels[static_cast<std::size_t>(u)] = static_cast<std::uint8_t>(random.below(2));
  }
  for (int extra = 0; extra < nodes; ++extra) {
    const auto u = static_cast<int>(random.below(static_cast<std::uint64_t>(nodes)));
    const auto v = static_cast<int>(random.below(static_cast<std::uint64_t>(nodes)));
    if (u != v) graph.join(u, v);
  }
  return graph;
}

}  // namespace

Finding claim_more_agents(const ClaimOptions& options) {
  Finding finding;
  RandomSequence random(options.seed, Purpose::kData);
  const int trials = options.thorough ? 2000 : 300;
  constexpr std::size_t kMoves = 30;
  std::uint64_t met = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const SmallGraph small = random_small_graph(random, 4 + static_cast<int>(random.below(9)));
    const Graph graph = small.graph();
    const GraphView view = graph.view();
    const std::size_t agents = 2 + random.below(4);
    std::vector<std::uint64_t> starts;
    for (std::size_t a = 0; a < agents; ++a) starts.push_back(random.below(view.num_nodes));
    // Agent 1 makes the same choices in both runs; the others do what they like.
    States alone, together, own;
    OwnWhim whim_alone(alone, static_cast<std::uint64_t>(trial)), whim(together, static_cast<std::uint64_t>(trial));
    UniformWalk walk(together);
    Machine one(view, alone, std::span(starts).first(1)), all(view, together, starts);
    one.visit();
    all.visit();
    for (std::size_t move = 0; move < kMoves; ++move) {
      RandomSequence same_one(options.seed, Purpose::kMove, move, static_cast<std::uint64_t>(trial));
      RandomSequence same_all(options.seed, Purpose::kMove, move, static_cast<std::uint64_t>(trial));
      Policy* const single[] = {&whim_alone};
      std::vector<Policy*> policies(agents, &walk);
      policies[0] = &whim;
      one.move(single, same_one);
      all.move(policies, same_all);
      one.visit();
      all.visit();
      for (std::size_t a = 1; a < agents; ++a) met += all.position(a) == all.position(0) ? 1 : 0;
    }
    if (OwnPart(alone, own, 1).of(one.agent(0)) != OwnPart(together, own, 1).of(all.agent(0))) {
      finding.fails(fmt::format("graph6 {} with {} agents", to_graph6(small), agents));
    }
  }
  finding.tried = fmt::format("{} random graphs, starts and policies, 2 to 5 agents, {} steps; others met {} times",
                              trials, kMoves, met);
  finding.seen = "agent 1's part of its final embedding is the same alone and with others, every time";
  if (met == 0) finding.fails("the agents never met: nothing was tested");
  return finding;
}

namespace {

double log_choose(int n, int k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

double binomial(int n, int k, double p) {
  if (p <= 0) return k == 0 ? 1 : 0;
  if (p >= 1) return k == n ? 1 : 0;
  return std::exp(log_choose(n, k) + k * std::log(p) + (n - k) * std::log1p(-p));
}

// The larger of the two chances to be wrong when the sum of k agents' answers is compared with threshold * k.
double error_rate(int k, double gamma1, double gamma2, double threshold) {
  double low_in_1 = 0, high_in_2 = 0;
  for (int x = 0; x <= k; ++x) {
    if (x <= threshold * k) low_in_1 += binomial(k, x, gamma1);
    if (x >= threshold * k) high_in_2 += binomial(k, x, gamma2);
  }
  return std::max(low_in_1, high_in_2);
}

// The k from which the paper's bound 2 exp(-delta^2 k / (12 gamma)) is at most `error` in both graphs.
int k_of_bound(double delta, double gamma1, double error) {
  return static_cast<int>(std::ceil(std::log(2 / error) * 12 * gamma1 / (delta * delta)));
}

// The share of the nodes at which an agent that looks at N^1 sees a triangle.
double share_at_triangles(const SmallGraph& graph) {
  int at = 0;
  for (int v = 0; v < graph.nodes; ++v) {
    States states;
    for_each_search(graph, v, Deepening(1), static_cast<std::size_t>(2 * graph.degree(v)), 1, 0, states,
                    [&](const Deepening& search, AgentState) {
                      const SmallGraph map = map_of(states, search.journal);
                      bool triangle = false;
                      for (int u = 1; u < map.nodes; ++u) triangle = triangle || (map.row(0) & map.row(u)) != 0;
                      at += triangle ? 1 : 0;
                    });
  }
  return static_cast<double>(at) / graph.nodes;
}

// k agents on random nodes, run together, each saying whether its start is at a triangle; the share of wrong sums.
double simulated_error(const SmallGraph& graph, bool first, int k, double threshold, int runs, RandomSequence& random) {
  const Graph whole = graph.graph();
  const GraphView view = whole.view();
  int wrong = 0;
  for (int run = 0; run < runs; ++run) {
    States states;
    std::vector<std::uint64_t> starts;
    for (int a = 0; a < k; ++a) starts.push_back(random.below(view.num_nodes));
    Machine machine(view, states, starts);
    std::vector<std::unique_ptr<SearchPolicy<Deepening>>> searches;
    std::vector<Policy*> policies;
    for (int a = 0; a < k; ++a) {
      searches.push_back(std::make_unique<SearchPolicy<Deepening>>(states, Deepening(1)));
      policies.push_back(searches.back().get());
    }
    machine.run(policies, 8, random);
    int sum = 0;
    for (std::size_t a = 0; a < starts.size(); ++a) {
      const SmallGraph map = map_of(states, searches[a]->search(machine.agent(a)).journal);
      bool triangle = false;
      for (int u = 1; u < map.nodes; ++u) triangle = triangle || (map.row(0) & map.row(u)) != 0;
      sum += triangle ? 1 : 0;
    }
    wrong += first ? (sum <= threshold * k ? 1 : 0) : (sum >= threshold * k ? 1 : 0);
  }
  return static_cast<double>(wrong) / runs;
}

}  // namespace

Finding claim_frequency(const ClaimOptions& options) {
  Finding finding;
  constexpr double kError = 0.05;
  std::string table;
  for (const auto& [more, fewer] : {std::pair{9, 6}, {7, 2}, {6, 5}}) {
    const double gamma1 = share_at_triangles(groups_of_three(more)),
                 gamma2 = share_at_triangles(groups_of_three(fewer));
    const double delta = gamma1 - gamma2, middle = (gamma1 + gamma2) / 2;
    const int asked = k_of_bound(delta, gamma1, kError);
    int enough = 1;
    while (error_rate(enough, gamma1, gamma2, middle) > kError) ++enough;
    if (std::abs(delta - (more - fewer) / 10.0) > 1e-9) finding.fails("an agent misjudged a start");
    if (error_rate(asked, gamma1, gamma2, middle) > kError) finding.fails(fmt::format("the bound's k = {}", asked));
    table +=
        fmt::format("{}delta = {:.1f}: bound k = {}, enough k = {}", table.empty() ? "" : "; ", delta, asked, enough);
  }
  // Whole runs of k agents beside the exact error.
  RandomSequence random(options.seed, Purpose::kMove, 7);
  const int runs = options.thorough ? 4000 : 600;
  constexpr int kAgents = 9;
  double exact = 0, sampled = 0;
  for (const bool first : {true, false}) {
    for (int x = 0; x <= kAgents; ++x) {
      if (first ? x <= 0.45 * kAgents : x >= 0.45 * kAgents) exact += binomial(kAgents, x, first ? 0.7 : 0.2) / 2;
    }
    sampled += simulated_error(groups_of_three(first ? 7 : 2), first, kAgents, 0.45, runs, random) / 2;
  }
  if (std::abs(sampled - exact) > 5 * std::sqrt(exact / (2.0 * runs)) + 1e-3)
    finding.fails("simulated and exact error rates differ");
  finding.number("exact and simulated error, k = 9, shares 0.7 and 0.2", fmt::format("{:.4f}, {:.4f}", exact, sampled));
  // The two slips of the proof.
  const double as_printed = error_rate(1000, 0.9, 0.6, (0.9 - 0.6) / 2);
  finding.number("error with the printed threshold, shares 0.9 and 0.6, k = 1000", fmt::format("{:.4f}", as_printed));
  double above = 0;
  for (int x = 3; x <= 10; ++x) above += binomial(10, x, 0.01);
  const double printed_bound = 2 * std::exp(-25.0 * 25.0 * 0.1 / 3);
  finding.number("P(|X - EX| >= 25 EX) for X ~ B(10, 0.01), and the printed Chernoff bound",
                 fmt::format("{:.2e}, {:.2e}", above, printed_bound));
  if (as_printed < 0.99 || above < printed_bound) finding.fails("the corrections are not needed");
  finding.number("agents for 95 %", table);
  finding.tried = fmt::format(
      "triangles at 30-node graphs, shares 0.9/0.6, 0.7/0.2, 0.6/0.5: exact errors, and {} runs of 9 agents", 2 * runs);
  finding.seen = table;
  finding.correction =
      "the threshold gamma' = (gamma1 - gamma2)/2 must be the midpoint (gamma1 + gamma2)/2, compared with X/k; the "
      "Chernoff bound "
      "needs epsilon <= 1, that is, delta <= 2 gamma_i (else exp(-epsilon EX / 3))";
  if (finding.holds == Holds::kYes) finding.holds = Holds::kCorrected;
  return finding;
}

Finding claim_one_better(const ClaimOptions& options) {
  Finding finding;
  // From one of the other nodes: the steps that it takes to see the end of a path of `length` nodes.
  std::string needed;
  for (const int length : {3, 4, 6, 8}) {
    int steps = 0;
    while (minimax(path_end(length, 3, 0, true), path_end(length, 3, 1, true), steps) < Rational(1)) ++steps;
    if (steps != length - 1) finding.fails(fmt::format("a path of {} nodes takes {} steps", length, steps));
    needed += fmt::format("{}{} nodes: {}", needed.empty() ? "" : ", ", length, steps);
  }
  finding.number("steps to see the end from outside", needed);
  // k agents with l = length - 2 steps: if all start outside, they see nothing. One agent with k l steps sees the end.
  std::string table;
  for (const auto& [n, k] : {std::pair{12, 2}, {22, 2}, {30, 2}, {30, 3}}) {
    constexpr int kLength = 5, kSteps = kLength - 2;
    const Situation g1 = path_end(kLength, n - kLength, 0, true), g2 = path_end(kLength, n - kLength, 1, true);
    if (minimax(g1, g2, kSteps) != Rational(1, 2)) finding.fails("l steps show something from outside");
    if (minimax(g1, g2, k * kSteps) != Rational(1)) finding.fails("k l steps do not suffice");
    double all_outside = 1;
    for (int a = 0; a < k; ++a) all_outside *= static_cast<double>(n - kLength) / n;
    table += fmt::format("{}n = {}, k = {}: at most {:.3f}", table.empty() ? "" : "; ", n, k, 1 - all_outside / 2);
  }
  // One agent that starts anywhere.
  const int steps = options.thorough ? 12 : 10;
  const Rational anywhere_value = minimax(path_end(5, 10, 0, false), path_end(5, 10, 1, false), steps);
  finding.number(fmt::format("one agent, {} steps, any start", steps), anywhere_value.text());
  finding.number("k agents with l steps", table);
  finding.tried =
      "a path of 3 to 8 nodes below up to 27 others: all policies of one agent; k agents by counting starts";
  finding.seen = fmt::format("one agent with k l steps is always right from outside; k agents with l = 3: {}", table);
  finding.correction =
      "a path of l nodes is too short: from outside its end is seen after l - 1 steps (the agent reads its neighbours' "
      "features), so "
      "take l + 2 nodes; in G2 the last node has feature 1, not 0, and the agent moves to neighbours of feature 0, not "
      "1";
  if (finding.holds == Holds::kYes) finding.holds = Holds::kCorrected;
  return finding;
}

Finding claim_many_better(const ClaimOptions& options) {
  Finding finding;
  // An agent that never sees feature 1 learns nothing; with chance q to see it in G2, the best guarantee is 1 / (2 -
  // q).
  std::string table;
  const int most = options.thorough ? 6 : 4;
  for (int k = 2; k <= most; k += 2) {
    constexpr int kSteps = 1;
    const int part = 12, path = k * kSteps + 1;
    const Situation g1 = two_parts(part, path, 0), g2 = two_parts(part, path, 1);
    const double single = minimax(g1, g2, k * kSteps).value();
    const double q = 2 - 1 / minimax(g1, g2, kSteps).value();
    const double many = 1 / (1 + std::pow(1 - q, k));
    if (many <= single) finding.fails(fmt::format("k = {}", k));
    table += fmt::format("{}k = {}: one agent {:.3f}, k agents {:.3f}", table.empty() ? "" : "; ", k, single, many);
  }
  finding.number("guaranteed success", table);
  finding.tried = fmt::format(
      "two cycles of 12 nodes and a path between them, l = 1, k = 2 to {}, all policies of one agent", most);
  finding.seen = fmt::format("{}; 1 / (1 + 2^-k) and 2/3 in the limit of large parts", table);
  finding.correction = "'1 - 2^k > p' should be 1 - 2^-k > p";
  if (finding.holds == Holds::kYes) finding.holds = Holds::kCorrected;
  return finding;
}

namespace {

// The chance that agents of these ids on the two ends of an edge, who want to stay, do.
Rational chance_to_stay(const std::array<std::uint32_t, 2>& ids) {
  const Graph graph = small_path(2).graph();
  const GraphView view = graph.view();
  States states;
  Stay stay(states);
  Policy* const policies[] = {&stay, &stay};
  const std::uint64_t starts[] = {0, 1};
  Rational chance;
  for_each_outcome(Machine(view, states, starts, ids), policies, 1,
                   [&](const Machine& end, const Rational& probability) {
                     if (end.position(0) == 0 && end.position(1) == 1) chance += probability;
                   });
  return chance;
}

}  // namespace

Finding claim_still(const ClaimOptions& options) {
  Finding finding;
  std::uint64_t nodes = 0, classes = 0;
  // All graphs of one size at once, one table of states: colours and states must name the same classes across graphs.
  std::map<int, std::vector<SmallGraph>> by_size;
  for (const SmallGraph& graph : graphs_to_try(options)) by_size[graph.nodes].push_back(graph);
  for (const auto& [size, graphs] : by_size) {
    States states;
    const std::vector<std::uint32_t> ids(static_cast<std::size_t>(size), 1);  // agents without identities
    std::vector<std::uint64_t> starts(static_cast<std::size_t>(size));
    std::iota(starts.begin(), starts.end(), 0);
    for (const int rounds : {1, 2, size}) {
      const auto colours = refine_colours(graphs, rounds);
      std::map<NodeState, std::uint32_t> colour_of;
      std::map<std::uint32_t, NodeState> state_of;
      for (std::size_t i = 0; i < graphs.size(); ++i) {
        const Graph graph = graphs[i].graph();
        const GraphView view = graph.view();
        Machine machine(view, states, starts, ids);
        for (int round = 0; round < rounds; ++round) machine.visit();
        for (int v = 0; v < size; ++v) {
          const NodeState state = states.visit(machine.agent(static_cast<std::size_t>(v))).node;
          const std::uint32_t colour = colours[i][static_cast<std::size_t>(v)];
          if (colour_of.try_emplace(state, colour).first->second != colour ||
              state_of.try_emplace(colour, state).first->second != state) {
            finding.fails(fmt::format("graph6 {} node {} after {} rounds", to_graph6(graphs[i]), v, rounds));
          }
          ++nodes;
        }
      }
      classes += colour_of.size();
    }
  }
  const Rational both_stay = chance_to_stay({1, 1}), known_stay = chance_to_stay({1, 2});
  if (both_stay != Rational(1, 4) || known_stay != Rational(1)) finding.fails("two agents on an edge");
  finding.number("chance that two agents on an edge stay, without and with identities",
                 both_stay.text() + ", " + known_stay.text());
  finding.tried = fmt::format("{}, an agent without identity on every node, 1, 2 and n visits",
                              graphs_text(options, graphs_to_try(options).size()));
  finding.seen = fmt::format(
      "states of {} nodes fall into the {} classes of 1-WL after as many rounds, no more and no fewer", nodes, classes);
  finding.correction =
      "agents must ignore identities to compute what message passing does, but need them to stay: on a single edge two "
      "agents without "
      "identities cannot tell their own node from the other, and both stay with probability 1/4";
  if (finding.holds == Holds::kYes) finding.holds = Holds::kCorrected;
  return finding;
}

Finding claim_cost(const ClaimOptions& options) {
  Finding finding;
  constexpr std::size_t kMoves = 1000;
  std::string table;
  std::size_t first = 0;
  for (const std::uint64_t n : {std::uint64_t{10000}, std::uint64_t{100000}, std::uint64_t{1000000}}) {
    GraphParts parts;  // every node is next to the four nearest on a ring
    parts.num_nodes = n;
    parts.undirected = true;
    for (std::uint64_t u = 0; u < n; ++u) {
      for (const std::uint64_t hop : {1, 2}) {
        parts.from.push_back(static_cast<std::uint32_t>(u));
        parts.to.push_back(static_cast<std::uint32_t>((u + hop) % n));
      }
    }
    const Graph graph(std::move(parts));
    const GraphView view = graph.view();
    States states;
    UniformWalk walk(states);
    const std::vector<Policy*> policies(4, &walk);
    const std::vector<std::uint64_t> starts{n / 5, 2 * n / 5, 3 * n / 5, 4 * n / 5};
    Machine machine(view, states, starts);
    RandomSequence random(options.seed, Purpose::kMove, 3);
    machine.run(policies, kMoves, random);
    if (first == 0) first = machine.nodes_touched();
    if (machine.nodes_touched() != first) finding.fails(fmt::format("n = {}", n));
    table += fmt::format("{}n = {}: {}", table.empty() ? "" : ", ", n, machine.nodes_touched());
  }
  finding.tried = "4 agents, 1000 random steps each, on rings of 10^4, 10^5 and 10^6 nodes of degree 4";
  finding.seen = fmt::format("nodes touched: {}", table);
  return finding;
}

}  // namespace agentnet::theory
