#include "theory/claims/claims.h"

#include <fmt/core.h>

#include <array>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"
#include "theory/claims/claim_list.h"

namespace agentnet::theory {

std::string_view holds_text(Holds holds) {
  switch (holds) {
    case Holds::kYes:
      return "holds";
    case Holds::kCorrected:
      return "holds as corrected";
    case Holds::kNo:
      return "does not hold";
  }
  return "does not hold";
}

void Finding::fails(const std::string& what) {
  if (holds != Holds::kNo) number("counterexample", what);
  holds = Holds::kNo;
}

std::span<const Claim> claims() {
  static constexpr std::array kAll = {
      Claim{"deepening", "Lemma DFS",
            "an agent visits its r-hop neighbourhood, and nothing else, in O(r |N^r(v)|) steps", claim_deepening},
      Claim{"depth-first", "Appendix A",
            "depth-first search sees a component of n0 nodes in 2 n0 - 3 steps, and that is tight", claim_depth_first},
      Claim{"injective", "Theorem injective",
            "the final embedding tells every two non-isomorphic r-hop neighbourhoods apart", claim_injective},
      Claim{"2wl", "Corollary 2WL", "agents tell graphs apart that 2-WL and counts of small subgraphs do not",
            claim_2wl},
      Claim{"count", "Lemma count", "an agent counts the induced copies of H at its start", claim_count},
      Claim{"cliques", "Lemma cliques", "an agent counts cliques in 2 Delta - 1 steps, and no agent does in fewer",
            claim_cliques},
      Claim{"cycles", "Lemma cycles", "an agent counts c-cycles; none does in fewer than 2 |N| - floor(c/2) - 2 steps",
            claim_cycles},
      Claim{"random-walk", "Theorem randomwalk", "an agent simulates any algorithm of the random walk access model",
            claim_random_walk},
      Claim{"more-agents", "Lemma more_agents", "an agent can compute the same embedding whatever the others do",
            claim_more_agents},
      Claim{"frequency", "Theorem frequency",
            "O(1) agents tell apart graphs in which a subgraph is more frequent by delta n", claim_frequency},
      Claim{"one-better", "Lemma 1_better_than_k", "one agent with k l steps sees what k agents with l steps do not",
            claim_one_better},
      Claim{"many-better", "Lemma k_better_than_1", "k agents with l steps see what one agent with k l steps does not",
            claim_many_better},
      Claim{"trees", "Theorem trees", "2 agents with l steps recognise what 1 agent with c l steps does not",
            claim_trees},
      Claim{"message-passing", "Section 4.2", "n agents that never move are a message-passing network", claim_still},
      Claim{"cost", "Section 1", "what agents touch does not grow with the graph", claim_cost},
  };
  return kAll;
}

const Claim& claim_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Claim& claim : claims()) {
    if (claim.name == name) return claim;
    names.emplace_back(claim.name);
  }
  throw Error(ErrorKind::kUsage, fmt::format("there is no claim '{}'", name),
              fmt::format("the claims are {}", join_text(names, ", ")));
}

std::vector<SmallGraph> graphs_to_try(const ClaimOptions& options) {
  if (!options.graphs.empty()) return options.graphs;
  std::vector<SmallGraph> all;
  for (int n = 1; n <= kMostListed; ++n) {
    const auto graphs = connected_graphs(n);
    all.insert(all.end(), graphs.begin(), graphs.end());
  }
  return all;
}

std::string graphs_text(const ClaimOptions& options, std::size_t graphs) {
  if (!options.graphs.empty()) return fmt::format("{} graphs of the list", graphs);
  return fmt::format("all {} connected graphs of up to {} nodes", graphs, kMostListed);
}

SmallGraph map_of(const States& states, const Journal& journal) {
  SmallGraph map;
  map.nodes = static_cast<int>(journal.places.size());
  if (map.nodes > SmallGraph::kMostNodes) {
    throw Error(ErrorKind::kFailure, fmt::format("an agent's map of {} nodes is no small graph", map.nodes));
  }
  for (std::size_t place = 0; place < journal.places.size(); ++place) {
    const auto features = states.features(journal.places[place].feature);
    map.labels[place] = features.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(features[0]);
    for (const std::uint32_t other : journal.places[place].next) map.rows[place] |= 1u << other;
  }
  return map;
}

SmallGraph paths_graph(const PathsShape& shape, bool closed) {
  SmallGraph graph;
  graph.nodes = 1;
  const auto grow = [&](int from) {
    graph.join(from, graph.nodes);
    return graph.nodes++;
  };
  std::array<int, 2> ends{};
  for (int path = 0; path < shape.paths; ++path) {
    const bool meets = closed && path < 2;
    const int length = meets ? shape.radius - (shape.even ? 1 : 0) : shape.radius + shape.tail;
    int end = 0;
    for (int i = 0; i < length; ++i) end = grow(end);
    if (meets) ends[static_cast<std::size_t>(path)] = end;
  }
  if (closed && shape.even) {
    graph.join(grow(ends[0]), ends[1]);
  } else if (closed) {
    graph.join(ends[0], ends[1]);
  }
  return graph;
}

}  // namespace agentnet::theory
