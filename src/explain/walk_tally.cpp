#include "explain/walk_tally.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include "graph/find_edge.h"
#include "predict/rollout_average.h"

namespace agentnet {
namespace {

constexpr std::size_t kMostChoices = 64;  // of a step, as the header of Choices says

bool has_edge(const GraphView& graph, std::uint64_t from, std::uint64_t to) {
  return find_edge(graph, from, to).has_value();
}

[[noreturn]] void damaged_order(const GraphView& graph, std::uint64_t node) {
  graph.damaged("the neighbours of node " + std::to_string(node) + " are damaged: they are out of order");
}

// Calls f(index of neighbour) for the neighbours of `node` that are in `listed`, ascending. A hub's list may be longer
// than what is listed: then it is searched, not read.
template <class F>
void for_listed_neighbours(const GraphView& graph, std::uint64_t node, const std::vector<std::uint64_t>& listed,
                           const F& f) {
  auto [entry, last] = graph.entries_of(node);
  if (last - entry > 8 * listed.size()) {
    for (std::size_t i = 0; i < listed.size(); ++i) {
      if (has_edge(graph, node, listed[i])) f(static_cast<std::uint32_t>(i));
    }
    return;
  }
  std::uint64_t before = 0;
  for (const std::uint64_t first = entry; entry < last; ++entry) {
    const std::uint64_t neighbour = graph.neighbour(entry);
    // Whoever looks an edge up halves the list.
    if (entry > first && neighbour <= before) damaged_order(graph, node);
    before = neighbour;
    const auto at = std::lower_bound(listed.begin(), listed.end(), neighbour);
    if (at != listed.end() && *at == neighbour) f(static_cast<std::uint32_t>(at - listed.begin()));
  }
}

}  // namespace

WalkTally::WalkTally(const GraphView& graph, std::uint64_t most_nodes)
    : graph_(graph), most_nodes_(most_nodes), whole_(graph.num_nodes <= most_nodes) {
  if (!whole_) return;
  nodes_.resize(graph.num_nodes);
  for (std::uint64_t n = 0; n < graph.num_nodes; ++n) nodes_[n].id = n;
}

std::uint32_t WalkTally::slot(std::uint64_t node) {
  if (whole_) return static_cast<std::uint32_t>(node);
  const auto [at, is_new] = slots_.try_emplace(node, static_cast<std::uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({.id = node});
  return at->second;
}

void WalkTally::add_node(const Rollout<float>& rollout, Index row, bool influence) {
  const Terrain<float>& terrain = rollout.terrain();
  const std::uint32_t at = slot(terrain.node_of(row));
  nodes_[at].touched += 1;
  if (!influence) return;
  nodes_[at].influence += rollout.node_influence(row);
  if (terrain.edge_rows() > 0 && terrain.has_place(row)) add_edges_of_place(rollout, row, at);
}

void WalkTally::add_edges_of_place(const Rollout<float>& rollout, Index row, std::uint32_t from) {
  const Terrain<float>& terrain = rollout.terrain();
  const Place& place = terrain.place(row);
  for (Index c = 0; c < place.degree; ++c) {
    const std::uint32_t to = slot(terrain.node_of(terrain.candidates(place)[c]));
    crossings_[{from, to}].influence += rollout.edge_influence(place.first_edge + c);
  }
}

void WalkTally::add_walks(const Rollout<float>& rollout, Index g, const AgentNetConfig& config) {
  for (Index a = rollout.first_agent(g); a < rollout.first_agent(g + 1); ++a) {
    std::uint32_t before = 0;
    for (int t = 0; t <= config.steps; ++t) {
      const std::uint32_t here = slot(rollout.position(t, a));
      nodes_[here].visits += 1;
      if (t > 0) crossings_[{before, here}].times += 1;  // staying is an edge where the data has a loop
      before = here;
    }
  }
}

void WalkTally::record_outputs(const Rollout<float>& rollout, Index g, const What& what,
                               RecordedRollout& record) const {
  const auto width = static_cast<std::size_t>(what.config.outputs);
  std::vector<double> sum(width, 0.0), so_far(width);
  for (int t = 0; t <= what.config.steps; ++t) {
    const float* row = rollout.step_output(t).row(g);
    record.raw.insert(record.raw.end(), row, row + width);
    for (std::size_t c = 0; c < width; ++c) so_far[c] = (sum[c] += row[c]) / (t + 1);
    outputs_to_predictions(what.task, what.config.outputs, so_far);
    record.outputs.insert(record.outputs.end(), so_far.begin(), so_far.end());
  }
}

Choices WalkTally::choices_of(const Rollout<float>& rollout, int t, Index slot_of_agent,
                              std::vector<float>& probability) {
  const Terrain<float>& terrain = rollout.terrain();
  rollout.choices(t, slot_of_agent, probability);
  std::vector<std::size_t> order(probability.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() > kMostChoices) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return probability[x] > probability[y]; });
    order.resize(kMostChoices);
    std::sort(order.begin(), order.end());
  }
  const Index here = rollout.row_of(t, rollout.agent_in(t, slot_of_agent));
  const Index* candidates = terrain.candidates(terrain.place(here));
  Choices choices;
  for (const std::size_t c : order) {
    choices.nodes.push_back(slot(terrain.node_of(candidates[c])));
    choices.probability.push_back(probability[c]);
  }
  return choices;
}

void WalkTally::record(const Rollout<float>& rollout, Index g, const What& what) {
  const Index first = rollout.first_agent(g), k = rollout.first_agent(g + 1) - first;
  RecordedRollout record;
  record_outputs(rollout, g, what, record);
  record.agents.resize(static_cast<std::size_t>(k));
  std::vector<float> probability;
  for (int t = 0; t <= what.config.steps; ++t) {
    for (Index a = 0; a < k; ++a) {
      const std::uint32_t here = slot(rollout.position(t, first + a));
      nodes_[here].on_recorded_path = true;
      record.agents[static_cast<std::size_t>(a)].path.push_back(here);
    }
    for (Index s = 0; t < what.config.steps && s < rollout.agents_in_all(); ++s) {
      const Index agent = rollout.agent_in(t, s);
      if (agent < first || agent >= first + k) continue;
      record.agents[static_cast<std::size_t>(agent - first)].choices.push_back(choices_of(rollout, t, s, probability));
    }
  }
  walks_.push_back(std::move(record));
}

void WalkTally::add(std::span<WalkTally> tallies, const Rollout<float>& rollout, const What& what) {
  const Terrain<float>& terrain = rollout.terrain();
  for (Index row = 0; row < terrain.rows(); ++row) {
    tallies[static_cast<std::size_t>(terrain.graph_of(row))].add_node(rollout, row, what.influence);
  }
  for (std::size_t g = 0; g < tallies.size(); ++g) {
    ++tallies[g].rollouts_;
    tallies[g].add_walks(rollout, static_cast<Index>(g), what.config);
    if (what.recorded) tallies[g].record(rollout, static_cast<Index>(g), what);
  }
}

// The nodes of recorded paths must be there; then those that agents were on most often, or needed most often.
std::vector<std::uint32_t> WalkTally::listed_slots() const {
  std::vector<std::uint32_t> slots(nodes_.size());
  std::iota(slots.begin(), slots.end(), std::uint32_t{0});
  if (slots.size() > most_nodes_) {
    const auto rank = [&](std::uint32_t s) {
      const Node& n = nodes_[s];
      return std::tuple(!n.on_recorded_path, -n.visits, -n.touched, n.id);
    };
    std::sort(slots.begin(), slots.end(), [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
    std::size_t keep = most_nodes_;
    while (keep < slots.size() && nodes_[slots[keep]].on_recorded_path) ++keep;
    slots.resize(keep);
  }
  std::sort(slots.begin(), slots.end(), [&](std::uint32_t a, std::uint32_t b) { return nodes_[a].id < nodes_[b].id; });
  return slots;
}

void WalkTally::list_edges(Explanation& explanation, const std::vector<std::uint32_t>& slots) const {
  std::vector<ExplainedEdge> arcs;
  for (std::size_t i = 0; i < explanation.nodes.size(); ++i) {
    for_listed_neighbours(graph_, explanation.nodes[i], explanation.nodes, [&](std::uint32_t j) {
      ExplainedEdge arc{.from = static_cast<std::uint32_t>(i), .to = j};
      if (const auto found = crossings_.find({slots[i], slots[j]}); found != crossings_.end()) {
        arc.crossings = found->second.times / rollouts_;
        arc.influence = found->second.influence / rollouts_;
      }
      explanation.directed = explanation.directed || !has_edge(graph_, explanation.nodes[j], explanation.nodes[i]);
      arcs.push_back(arc);
    });
  }
  if (explanation.directed) {
    explanation.edges = std::move(arcs);
    explanation.num_edges = graph_.num_edges();
    return;
  }
  // arcs are ascending: the reverse of (i, j), i < j, comes later and is added to it.
  std::uint64_t loops = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> place;
  for (const ExplainedEdge& arc : arcs) {
    loops += arc.from == arc.to ? 1 : 0;
    if (arc.from <= arc.to) {
      place[{arc.from, arc.to}] = explanation.edges.size();
      explanation.edges.push_back(arc);
    } else {
      ExplainedEdge& both = explanation.edges[place.at({arc.to, arc.from})];
      both.crossings += arc.crossings;
      both.influence += arc.influence;
    }
  }
  explanation.num_edges = whole_ ? (graph_.num_edges() - loops) / 2 + loops : graph_.num_edges() / 2;
}

void WalkTally::list_walks(Explanation& explanation, const std::vector<std::int64_t>& index_of_slot) {
  const auto index = [&](std::uint32_t s) { return static_cast<std::uint32_t>(index_of_slot[s]); };
  for (RecordedRollout& walk : walks_) {
    for (AgentWalk& agent : walk.agents) {
      for (std::uint32_t& node : agent.path) node = index(node);
      for (Choices& choices : agent.choices) {
        Choices listed;  // the others lie beyond what is listed
        for (std::size_t c = 0; c < choices.nodes.size(); ++c) {
          if (index_of_slot[choices.nodes[c]] < 0) continue;
          listed.nodes.push_back(index(choices.nodes[c]));
          listed.probability.push_back(choices.probability[c]);
        }
        choices = std::move(listed);
      }
    }
  }
  explanation.walks = std::move(walks_);
}

void WalkTally::finish(Explanation& explanation) {
  const std::vector<std::uint32_t> slots = listed_slots();
  std::vector<std::int64_t> index_of_slot(nodes_.size(), -1);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const Node& node = nodes_[slots[i]];
    index_of_slot[slots[i]] = static_cast<std::int64_t>(i);
    explanation.nodes.push_back(node.id);
    explanation.visits.push_back(node.visits / rollouts_);
    explanation.touched.push_back(node.touched / rollouts_);
    explanation.influence.push_back(node.influence / rollouts_);
  }
  for (const Node& node : nodes_) explanation.nodes_touched += node.touched / rollouts_;
  explanation.num_nodes = graph_.num_nodes;
  list_edges(explanation, slots);
  list_walks(explanation, index_of_slot);
}

}  // namespace agentnet
