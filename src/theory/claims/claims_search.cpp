// Claims about searching: lemma "DFS", plain depth-first search, theorem "injective".
#include <fmt/core.h>

#include <bit>
#include <map>
#include <numeric>

#include "theory/claims/claim_list.h"
#include "theory/claims/optimum.h"
#include "theory/judges/judges.h"

namespace agentnet::theory {

namespace {

// Steps until the last new node was seen: from then on the agent stays.
std::uint32_t steps_of(const Journal& journal) { return journal.places.back().first; }

// The smallest description of a graph with a root, over all numberings of the other nodes: equal exactly for
// isomorphic ones. This is the map psi of the paper's proof; the judge is another function (isomorphic()).
std::vector<std::uint32_t> canonical_form(const SmallGraph& graph) {
  std::vector<int> order(static_cast<std::size_t>(graph.nodes));
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::uint32_t> best;
  do {
    std::vector<std::uint32_t> form;
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::uint32_t word = graph.labels[static_cast<std::size_t>(order[i])];
      for (std::size_t j = 0; j < i; ++j) word = 2 * word + (graph.adjacent(order[i], order[j]) ? 1 : 0);
      form.push_back(word);
    }
    if (best.empty() || form < best) best = form;
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return best;
}

}  // namespace

Finding claim_deepening(const ClaimOptions& options) {
  Finding finding;
  const std::vector<SmallGraph> graphs = graphs_to_try(options);
  const std::uint64_t most = options.thorough ? 3000 : 60;
  std::uint64_t cases = 0, exhaustive = 0, runs = 0;
  std::map<int, double> constant;  // by radius: the largest steps / (r |N|)
  std::map<int, std::string> where;
  for (const SmallGraph& graph : graphs) {
    for (int v = 0; v < graph.nodes; ++v) {
      for (int r = 1; r <= 3; ++r) {
        const std::uint32_t ball = graph.ball(v, r);
        const int nodes = std::popcount(ball);
        States states;
        ++cases;
        exhaustive +=
            for_each_search(
                graph, v, Deepening(static_cast<std::uint32_t>(r)), static_cast<std::size_t>(2 * r * nodes), most,
                options.seed, states,
                [&](const Deepening& search, AgentState) {
                  ++runs;
                  // The visited set has the size of N^r(v) and, by the distances, lies in it.
                  const bool inside = std::all_of(search.distance.begin(), search.distance.end(),
                                                  [&](std::uint32_t d) { return d <= static_cast<std::uint32_t>(r); });
                  if (!search.done() || !inside || search.journal.places.size() != static_cast<std::size_t>(nodes)) {
                    finding.fails(fmt::format("graph6 {} node {} r = {}", to_graph6(graph), v, r));
                  }
                  const double c = static_cast<double>(steps_of(search.journal)) / (r * nodes);
                  if (c > constant[r]) {
                    constant[r] = c;
                    where[r] = to_graph6(graph);
                  }
                })
                ? 1
                : 0;
      }
    }
  }
  finding.tried = fmt::format("{}, every start, r = 1, 2, 3: {} cases ({} with all random choices), {} walks",
                              graphs_text(options, graphs.size()), cases, exhaustive, runs);
  finding.seen = fmt::format("the nodes visited are N^r(v); at most {:.2f}, {:.2f}, {:.2f} r |N^r(v)| steps",
                             constant[1], constant[2], constant[3]);
  for (const auto& [r, c] : constant)
    finding.number(fmt::format("constant for r = {}", r), fmt::format("{:.4f} ({})", c, where[r]));
  return finding;
}

Finding claim_depth_first(const ClaimOptions& options) {
  Finding finding;
  const std::vector<SmallGraph> graphs = graphs_to_try(options);
  const std::uint64_t most = options.thorough ? 3000 : 150;
  std::uint64_t runs = 0;
  for (const SmallGraph& graph : graphs) {
    if (graph.nodes == 1) continue;
    const auto moves = static_cast<std::size_t>(2 * graph.nodes - 3);
    for (int v = 0; v < graph.nodes; ++v) {
      States states;
      for_each_search(graph, v, DepthFirst{}, moves, most, options.seed, states,
                      [&](const DepthFirst& search, AgentState) {
                        ++runs;
                        if (!search.done() || static_cast<int>(search.journal.places.size()) != graph.nodes) {
                          finding.fails(fmt::format("graph6 {} node {}", to_graph6(graph), v));
                        }
                      });
    }
  }
  // Tight: whatever the policy, the last leaf of a star is not visited within 2 n0 - 4 steps for sure.
  std::string tight;
  for (int n = 3; n <= 7; ++n) {
    const Situation star{small_star(n - 1), {{0}}};
    const Rational late = best_reach(star, n - 1, 2 * n - 4), in_time = best_reach(star, n - 1, 2 * n - 3);
    if (late >= Rational(1) || in_time != Rational(1)) finding.fails(fmt::format("a star of {} nodes", n));
    tight += fmt::format("{}{}", tight.empty() ? "" : ", ", late.text());
  }
  finding.tried = fmt::format("{}, every start: {} walks; all policies on stars of 3 to 7 nodes",
                              graphs_text(options, graphs.size()), runs);
  finding.seen = fmt::format(
      "all visited within 2 n0 - 3 steps; from a star's middle the best chance to see a given leaf in 2 n0 - 4 is {}",
      tight);
  finding.correction = "for n0 = 1 the formula gives -1; no step is needed";
  if (finding.holds == Holds::kYes) finding.holds = Holds::kCorrected;
  return finding;
}

namespace {

// One States for all: the statement compares final embeddings across graphs.
struct InjectiveTrial {
  Finding finding;
  States states;
  std::map<AgentState, std::vector<std::uint32_t>> form_of;  // final embedding -> canonical form
  std::map<std::vector<std::uint32_t>, SmallGraph> example;  // canonical form -> a neighbourhood, root first
  std::uint64_t cases = 0, walks = 0;

  void try_graph(const SmallGraph& graph, int r, std::uint64_t most, std::uint64_t seed) {
    for (int v = 0; v < graph.nodes; ++v) {
      ++cases;
      const std::uint32_t ball = graph.ball(v, r);
      const SmallGraph truth = graph.induced(ball);
      const int root = std::popcount(ball & ((1u << v) - 1));
      const auto moves = static_cast<std::size_t>(2 * r * truth.nodes);
      std::vector<std::uint32_t> form;
      for_each_search(graph, v, Deepening(static_cast<std::uint32_t>(r)), moves, most, seed, states,
                      [&](const Deepening& search, AgentState end) {
                        ++walks;
                        const SmallGraph map = map_of(states, search.journal);
                        if (!isomorphic(map, truth, 0, root)) fail(graph, v, r, "is decoded wrongly");
                        if (form.empty()) form = canonical_form(map);
                        // Embeddings also hold r and what lies beyond; equal ones must mean equal neighbourhoods.
                        if (form_of.try_emplace(end, form).first->second != form)
                          fail(graph, v, r, "shares its embedding");
                        example.try_emplace(form, map);
                      });
      if (!isomorphic(example.at(form), truth, 0, root)) fail(graph, v, r, "shares its canonical form");
    }
  }
  void fail(const SmallGraph& graph, int v, int r, const char* what) {
    finding.fails(fmt::format("graph6 {} node {} r = {} {}", to_graph6(graph), v, r, what));
  }
};

}  // namespace

Finding claim_injective(const ClaimOptions& options) {
  InjectiveTrial trial;
  const std::vector<SmallGraph> graphs = graphs_to_try(options);
  const std::uint64_t most = options.thorough ? 50 : 8;
  std::uint64_t labelled = 0;
  for (const SmallGraph& graph : graphs) {
    for (int r = 1; r <= 3; ++r) trial.try_graph(graph, r, most, options.seed);
    if (graph.nodes > 5) continue;
    for (std::uint32_t labels = 1; labels < (1u << graph.nodes); ++labels) {
      SmallGraph coloured = graph;
      for (int u = 0; u < graph.nodes; ++u) coloured.labels[static_cast<std::size_t>(u)] = (labels >> u) & 1u;
      trial.try_graph(coloured, 2, std::max<std::uint64_t>(1, most / 4), options.seed);
      ++labelled;
    }
  }
  // Different forms are of non-isomorphic neighbourhoods: the judge looks at all pairs of equal size.
  std::uint64_t pairs = 0;
  for (auto a = trial.example.begin(); a != trial.example.end(); ++a) {
    for (auto b = std::next(a); b != trial.example.end(); ++b) {
      if (a->second.nodes != b->second.nodes || a->second.edges() != b->second.edges()) continue;
      ++pairs;
      if (isomorphic(a->second, b->second, 0, 0))
        trial.finding.fails("two canonical forms of isomorphic neighbourhoods");
    }
  }
  Finding finding = std::move(trial.finding);
  finding.tried = fmt::format("{}, r = 1, 2, 3, and {} labelled ones, every start: {} neighbourhoods, {} walks",
                              graphs_text(options, graphs.size()), labelled, trial.cases, trial.walks);
  finding.seen = fmt::format(
      "embeddings decode to the neighbourhood; {} classes, equal canonical form exactly when isomorphic ({} pairs "
      "judged)",
      trial.example.size(), pairs);
  finding.number("embeddings", std::to_string(trial.form_of.size()));
  finding.number("classes", std::to_string(trial.example.size()));
  return finding;
}

}  // namespace agentnet::theory
