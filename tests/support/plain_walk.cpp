#include "support/plain_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "core/random.h"
#include "graph/hub_order.h"

namespace agentnet {
namespace {

std::size_t first_largest(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

}  // namespace

PlainWalk::PlainWalk(const AgentNetConfig& config, const PlainFunctions& functions, const GraphView& view,
                     std::size_t graph, const PlainOptions& options, const std::vector<Traced>& node_features,
                     const std::vector<Traced>& edge_features)
    : config_(config), f_(functions), view_(view), graph_(graph), options_(options), neighbours_(view.num_nodes) {
  for (std::uint64_t node = 0; node < view.num_nodes; ++node) {
    nodes_.push_back(embed_node(node, node_features));
    for (const std::uint64_t entry : seen_entries(node)) {
      neighbours_[node].push_back({view.neighbours[entry], embed_edge(entry, edge_features)});
    }
  }
  const bool everywhere = config.start == StartPolicy::kEveryNode;
  const int agents = everywhere ? config.agents * static_cast<int>(view.num_nodes) : config.agents;
  for (int agent = 0; agent < agents; ++agent) {
    agents_.push_back(f_.row("agents.weight", static_cast<std::size_t>(agent % config.agents)));
    const std::uint64_t start = start_of(agent);
    if (start >= view.num_nodes) throw std::logic_error("plain model: an agent starts outside its graph");
    trails_.push_back({start});
    weights_.push_back(f_.constant(1, 1.0));
    edges_taken_.push_back(constant_edge(0.0));
  }
}

std::uint64_t PlainWalk::start_of(int agent) const {
  if (config_.start == StartPolicy::kEveryNode) return static_cast<std::uint64_t>(agent / config_.agents);
  if (config_.start == StartPolicy::kOneNode) return options_.noise->start(graph_, 0);
  if (config_.start == StartPolicy::kRandom) return options_.noise->start(graph_, agent);
  const std::vector<int>& nodes = config_.start_nodes;
  return static_cast<std::uint64_t>(nodes.at(static_cast<std::size_t>(agent) % nodes.size()));
}

// All entries of a neighbour list, or the sample that a rollout of seed 0 and epoch 0 sees of graph 0: a stretch of the
// shuffled list from a random place on.
std::vector<std::uint64_t> PlainWalk::seen_entries(std::uint64_t node) const {
  const std::uint64_t degree = view_.degree(node), most = static_cast<std::uint64_t>(config_.max_neighbours);
  std::vector<std::uint64_t> entries;
  if (most == 0 || degree <= most) {
    for (std::uint64_t i = 0; i < degree; ++i) entries.push_back(view_.offsets[node] + i);
    return entries;
  }
  const auto words =
      philox(random_counter(0, static_cast<std::uint32_t>(node), 0, 0), random_key(0, Purpose::kNeighbours, 0));
  const double unit = (words[0] + words[1] * 0x1p-32) * 0x1p-32;
  const auto start = static_cast<std::uint64_t>(unit * static_cast<double>(degree));
  const HubOrder order(node, degree);
  for (std::uint64_t i = 0; i < most; ++i) entries.push_back(view_.offsets[node] + order((start + i) % degree));
  std::sort(entries.begin(), entries.end());
  return entries;
}

Traced PlainWalk::visit(int t) {
  if (t > 0) {
    moves_.clear();
    for (std::size_t agent = 0; agent < agents_.size(); ++agent) move(agent, t);
  }
  update_nodes(t);
  look_around(t);
  update_agents(t);
  return read_out(t);
}

void PlainWalk::report(int t, PlainResult& result) const {
  const auto step = static_cast<std::size_t>(t);
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    result.positions[step].push_back(position(agent));
    result.agent_states[step].push_back(agents_[agent].value());
    if (t > 0) result.moves[step - 1].push_back(moves_[agent]);
  }
  result.node_states[step].emplace_back();
  for (const Traced& node : nodes_) result.node_states[step].back().push_back(node.value());
}

// --- Input (docs/spec.md, section 1) ---

Traced PlainWalk::embed_node(std::uint64_t node, const std::vector<Traced>& features) const {
  std::vector<Traced> parts = {f_.constant(hidden(), 0.0)};
  if (config_.node_features > 0) {
    const Traced x = f_.linear("embed.node.0", features[node]);
    parts.push_back(config_.input_mlp ? f_.linear("embed.node.1", f_.act(x)) : x);
  }
  for (std::size_t column = 0; column < config_.node_categories.size(); ++column) {
    parts.push_back(table_row("embed.node.table.", column, view_.node_categories.row(node)[column]));
  }
  return sum(parts);
}

// The states of an edge that was given more than once are summed.
Traced PlainWalk::embed_edge(std::uint64_t entry, const std::vector<Traced>& features) const {
  std::vector<Traced> parts = {constant_edge(0.0)};
  for (auto [row, last_row] = view_.edge_rows_of(entry); row < last_row; ++row) {
    if (config_.edge_kernel) {
      parts.push_back(features[row]);
      continue;
    }
    if (config_.edge_features > 0) {
      parts.push_back(f_.linear("embed.edge.1", f_.act(f_.linear("embed.edge.0", features[row]))));
    }
    for (std::size_t column = 0; column < config_.edge_categories.size(); ++column) {
      parts.push_back(table_row("embed.edge.table.", column, view_.edge_categories.row(row)[column]));
    }
  }
  return sum(parts);
}

Traced PlainWalk::table_row(const std::string& tables, std::size_t column, std::int32_t category) const {
  return f_.row(tables + std::to_string(column) + ".weight", static_cast<std::size_t>(category));
}

// --- Step 4: moves (tests/golden/README.md, sections 2 and 3) ---

void PlainWalk::move(std::size_t agent, int step) {
  const std::vector<Neighbour> choices = candidates(position(agent));
  PlainMove move;
  for (const Neighbour& choice : choices) move.candidates.push_back(choice.node);
  weights_[agent] = f_.constant(1, 1.0);
  const bool learned = config_.moves == MovePolicy::kLearned;
  if (choices.empty() || (!learned && allowed(agent, move.candidates).empty())) {
    edges_taken_[agent] = constant_edge(0.0);
    trails_[agent].push_back(position(agent));
  } else {
    if (!learned) {
      choose_at_random(agent, step, move);
    } else {
      choose_by_logits(agent, step, choices, move);
    }
    edges_taken_[agent] = choices[move.chosen].edge;
    trails_[agent].push_back(choices[move.chosen].node);
  }
  moves_.push_back(std::move(move));
}

// By ascending node. The loop that makes staying possible adds ones to the state of the data's own.
std::vector<PlainWalk::Neighbour> PlainWalk::candidates(std::uint64_t node) const {
  std::map<std::uint64_t, Traced> edges;
  for (const Neighbour& neighbour : neighbours_[node]) edges[neighbour.node] = neighbour.edge;
  if (config_.self_loops) {
    const auto own = edges.find(node);
    edges[node] = own != edges.end() ? add(own->second, constant_edge(1.0)) : constant_edge(1.0);
  }
  std::vector<Neighbour> found;
  found.reserve(edges.size());
  for (const auto& [to, edge] : edges) found.push_back({to, edge});
  return found;
}

void PlainWalk::choose_at_random(std::size_t agent, int step, PlainMove& move) const {
  const std::set<std::uint64_t> free = allowed(agent, move.candidates);
  for (const std::uint64_t node : move.candidates) {
    move.logits.push_back(free.contains(node) ? 0.0 : -std::numeric_limits<double>::infinity());
  }
  if (const PlainMove* before = frozen_move(agent, step)) {
    move.chosen = before->chosen;
    return;
  }
  std::vector<double> score = draws(agent, step, move.candidates);
  for (std::size_t c = 0; c < score.size(); ++c) score[c] += move.logits[c];
  move.chosen = first_largest(score);
}

std::set<std::uint64_t> PlainWalk::allowed(std::size_t agent, const std::vector<std::uint64_t>& nodes) const {
  const std::vector<std::uint64_t>& trail = trails_[agent];
  const std::uint64_t here = trail.back();
  const std::set<std::uint64_t> all(nodes.begin(), nodes.end());
  const auto if_candidate = [&](std::uint64_t node) {
    return all.contains(node) ? std::set<std::uint64_t>{node} : std::set<std::uint64_t>{};
  };
  if (config_.moves == MovePolicy::kRandom) return all;
  if (config_.moves == MovePolicy::kStay) return if_candidate(here);
  std::set<std::uint64_t> others = all;
  others.erase(here);
  if (others.empty()) return all;  // only the loop, or nothing
  if (config_.moves == MovePolicy::kNonBacktracking) {
    std::set<std::uint64_t> onward = others;
    if (trail.size() > 1) onward.erase(trail[trail.size() - 2]);
    return onward.empty() ? others : onward;
  }
  std::set<std::uint64_t> fresh = others;
  for (const std::uint64_t node : trail) fresh.erase(node);
  if (!fresh.empty()) return fresh;
  const auto first = std::find(trail.begin(), trail.end(), here);
  if (first == trail.begin()) return if_candidate(here);
  const std::set<std::uint64_t> back = if_candidate(*(first - 1));
  return back.empty() ? others : back;
}

void PlainWalk::choose_by_logits(std::size_t agent, int step, const std::vector<Neighbour>& choices, PlainMove& move) {
  std::vector<Traced> terms = {f_.constant(choices.size(), 0.0)};
  if (config_.merge == Merge::kWalk) {
    terms.push_back(edge_logits_.at(position(agent)));
  } else if (config_.attention) {
    terms.push_back(attention(agent, choices));
  }
  if (config_.exploration != Exploration::kNone) terms.push_back(exploration(agent, choices));
  if (config_.window_moves) terms.push_back(window_bias(agent, choices));
  const Traced logits = sum(terms);
  std::vector<double> noise(choices.size(), 0.0);
  if (!options_.greedy) noise = draws(agent, step, move.candidates);
  const Traced z = scale(add(logits, f_.constant(noise)), 1.0 / options_.temperature);
  const Traced p = softmax(z);
  move.logits = logits.value();
  move.probabilities = p.value();
  if (const PlainMove* before = frozen_move(agent, step)) {
    move.chosen = before->chosen;
    const double p_before = before->probabilities.at(move.chosen);
    weights_[agent] = add(slice(p, move.chosen, 1), f_.constant(1, 1.0 - p_before));
  } else {
    move.chosen = first_largest(z.value());
    if (options_.straight_through) weights_[agent] = one_with_gradient_of(slice(p, move.chosen, 1));
  }
}

// Q(a) . K(v_j, e, v_i) / sqrt(width)
Traced PlainWalk::attention(std::size_t agent, const std::vector<Neighbour>& choices) const {
  const Traced query = f_.linear("move.query.0", f_.norm("move.query.norm", agents_[agent]));
  std::vector<Traced> logits;
  for (const Neighbour& choice : choices) {
    const std::vector<Traced> parts = {nodes_[choice.node], choice.edge, nodes_[position(agent)]};
    const Traced key = f_.linear("move.key.0", f_.norm("move.key.norm", concat(parts)));
    logits.push_back(scale(dot(query, key), 1.0 / std::sqrt(static_cast<double>(query.size()))));
  }
  return concat(logits);
}

// The bias b(a, j)
Traced PlainWalk::exploration(std::size_t agent, const std::vector<Neighbour>& choices) const {
  Traced preference = f_.parameter("move.preference.weight");
  if (config_.exploration == Exploration::kAgent) {
    const Traced wide = f_.act(f_.linear("move.explore.0", f_.norm("move.explore.norm", agents_[agent])));
    preference = add(preference, f_.linear("move.explore.1", wide));
  }
  const Traced explored = slice(preference, 0, 1), unexplored = slice(preference, 1, 1);
  const Traced stay = slice(preference, 2, 1), back = slice(preference, 3, 1);
  // tests/golden/README.md, section 3: beside attention, a self loop that only the data has is no "stay".
  const bool can_stay = config_.self_loops || !config_.attention;

  const std::vector<std::uint64_t>& trail = trails_[agent];
  std::vector<Traced> biases;
  for (const auto& [node, edge] : choices) {
    std::vector<Traced> terms = {f_.constant(1, 0.0)};
    if (node != trail.back()) {
      double x = 0.0;
      const auto last = std::find(trail.rbegin(), trail.rend(), node);
      if (last != trail.rend()) x = std::pow(config_.visited_decay, static_cast<double>(last - trail.rbegin() - 1));
      terms.push_back(scale(explored, x));
      terms.push_back(scale(unexplored, 1.0 - x));
    } else if (can_stay) {
      terms.push_back(stay);
    }
    if (trail.size() > 1 && node == trail[trail.size() - 2]) terms.push_back(back);
    biases.push_back(sum(terms));
  }
  return concat(biases);
}

// The 2 s bits of a node at time t, the agent's trail being known up to t - 1: for i = 1..s, whether it is the node of
// i steps ago, and whether an edge leads to it from there.
std::vector<double> PlainWalk::window_bits(std::size_t agent, std::uint64_t node, std::size_t t) const {
  std::vector<double> bits(2 * static_cast<std::size_t>(config_.window), 0.0);
  for (std::size_t i = 1; i <= t && 2 * i <= bits.size(); ++i) {
    const std::uint64_t there = trails_[agent][t - i];
    const std::vector<Neighbour>& around = neighbours_[there];
    if (there == node) bits[2 * i - 2] = 1.0;
    if (std::any_of(around.begin(), around.end(), [&](const Neighbour& n) { return n.node == node; })) {
      bits[2 * i - 1] = 1.0;
    }
  }
  return bits;
}

// (W LN(a) + b) . bits, of each candidate. The engine leaves edges from the current node out, whenever the agent stood
// on it: they lead to all of its neighbours.
Traced PlainWalk::window_bias(std::size_t agent, const std::vector<Neighbour>& choices) const {
  const Traced preference = f_.linear("move.window.0", f_.norm("move.window.norm", agents_[agent]));
  const std::vector<std::uint64_t>& trail = trails_[agent];
  std::vector<Traced> biases;
  for (const Neighbour& choice : choices) {
    std::vector<double> bits = window_bits(agent, choice.node, trail.size());
    for (std::size_t i = 1; i <= trail.size() && 2 * i <= bits.size(); ++i) {
      if (trail[trail.size() - i] == position(agent)) bits[2 * i - 1] = 0.0;
    }
    biases.push_back(dot(preference, f_.constant(bits)));
  }
  return concat(biases);
}

// --- Steps 1 and 2: nodes ---

// Step 1; with merge, step 2 as part of it, and with Merge::kAgent what step 3 adds to the agents.
void PlainWalk::update_nodes(int t) {
  if (!config_.node_update) return;
  std::vector<Traced> messages;
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) messages.push_back(agent_message(agent));
  const Traced global = scale(sum(messages), 1.0 / static_cast<double>(messages.size()));

  if (config_.merge == Merge::kWalk) {
    edge_logits_.clear();
    for (const std::uint64_t node : occupied()) {
      std::vector<Traced> logits;
      for (const Neighbour& to : candidates(node)) {
        logits.push_back(dot(f_.row("move.edge.heads.weight", 1), edge_vector(node, to)));
      }
      if (!logits.empty()) edge_logits_[node] = concat(logits);
    }
  }
  std::map<std::uint64_t, Traced> updates;
  for (const std::uint64_t node : occupied()) {
    std::vector<Traced> here;
    for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
      if (position(agent) == node) here.push_back(multiply(messages[agent], weights_[agent]));
    }
    std::vector<Traced> parts = {nodes_[node], f_.reduce(here)};
    if (config_.merge == Merge::kWalk) {
      parts.push_back(edge_attention_sum(node));
    } else if (config_.merge != Merge::kNone) {
      parts.push_back(neighbourhood_sum(node));
    }
    if (config_.global_communication) parts.push_back(global);
    updates[node] = f_.update("node_update", parts, t, view_.num_nodes);
  }
  for (const auto& [node, change] : updates) nodes_[node] = add(nodes_[node], slice(change, 0, hidden()));
  if (config_.merge != Merge::kAgent && config_.merge != Merge::kWalk) return;
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    const Traced change = slice(updates.at(position(agent)), hidden(), hidden());
    agents_[agent] = add(agents_[agent], multiply(change, weights_[agent]));
  }
}

// Step 2: all read the states that step 1 left.
void PlainWalk::look_around(int t) {
  if (config_.neighbourhood == Neighbourhood::kNone || config_.merge != Merge::kNone) return;
  const std::set<std::uint64_t> here = occupied();
  std::vector<Traced> next = nodes_;
  for (std::uint64_t node = 0; node < view_.num_nodes; ++node) {
    if (config_.neighbourhood == Neighbourhood::kOccupied && !here.contains(node)) continue;
    const std::vector<Traced> parts = {nodes_[node], neighbourhood_sum(node)};
    next[node] = add(nodes_[node], f_.update("neighbourhood", parts, t, view_.num_nodes));
  }
  nodes_ = std::move(next);
}

// phi(a, e_taken)
Traced PlainWalk::agent_message(std::size_t agent) const {
  if (!config_.has_edges()) return agents_[agent];
  const std::vector<Traced> parts = {agents_[agent], multiply(edges_taken_[agent], weights_[agent])};
  return f_.edge_act(f_.linear("agent_message.0", f_.norm("agent_message.norm", concat(parts))));
}

// psi(v_j, e_ij), summed over the neighbours j of node i
Traced PlainWalk::neighbourhood_sum(std::uint64_t node) const {
  std::vector<Traced> messages;
  for (const auto& [j, edge] : neighbours_[node]) {
    if (!config_.has_edges()) {
      messages.push_back(nodes_[j]);
    } else if (config_.edge_kernel) {
      const Traced matrix = f_.linear("edge_kernel.1", f_.act(f_.linear("edge_kernel.0", edge)));
      messages.push_back(transposed_matvec(matrix, nodes_[j]));
    } else {
      const Traced x = f_.norm("node_message.norm", concat(std::vector{nodes_[j], edge}));
      messages.push_back(f_.edge_act(f_.linear("node_message.0", x)));
    }
  }
  return f_.reduce(messages, view_.degree(node));
}

// u_ij of src/model/edge_attention.h
Traced PlainWalk::edge_vector(std::uint64_t from, const Neighbour& to) const {
  std::vector<Traced> terms = {f_.linear("move.edge.target", f_.norm("move.edge.norm", nodes_[to.node])),
                               f_.linear("move.edge.source", f_.norm("move.edge.norm", nodes_[from]))};
  if (config_.has_edges()) terms.push_back(f_.linear("move.edge.feature", to.edge));
  return f_.edge_act(sum(terms));
}

// Merge::kWalk: neighbours weighted by attention, times the count so that the scaled sum turns it into a mean.
Traced PlainWalk::edge_attention_sum(std::uint64_t node) const {
  // The edges of the moves, where a loop in the data has the ones of staying on top; but only to neighbours.
  std::vector<Neighbour> around;
  for (const Neighbour& to : candidates(node)) {
    const bool given = std::any_of(neighbours_[node].begin(), neighbours_[node].end(),
                                   [&to](const Neighbour& n) { return n.node == to.node; });
    if (given) around.push_back(to);
  }
  if (around.empty()) return f_.constant(hidden(), 0.0);
  std::vector<Traced> scores;
  for (const Neighbour& to : around) scores.push_back(dot(f_.row("move.edge.heads.weight", 0), edge_vector(node, to)));
  const Traced shares = softmax(concat(scores));
  std::vector<Traced> weighted;
  for (std::size_t c = 0; c < around.size(); ++c) {
    weighted.push_back(
        scale(multiply(nodes_[around[c].node], slice(shares, c, 1)), static_cast<double>(around.size())));
  }
  return f_.reduce(weighted, view_.degree(node));
}

// --- Step 3 and the readout: agents ---

void PlainWalk::update_agents(int t) {
  if (config_.merge == Merge::kAgent || config_.merge == Merge::kWalk) return;
  for (std::size_t agent = 0; agent < agents_.size(); ++agent) {
    const Traced w = weights_[agent];
    const std::vector<Traced> parts = {agents_[agent], multiply(nodes_[position(agent)], w),
                                       multiply(edges_taken_[agent], w)};
    const Traced window = multiply(f_.constant(window_bits(agent, position(agent), trails_[agent].size() - 1)), w);
    agents_[agent] = add(agents_[agent], f_.update("agent_update", parts, t, view_.num_nodes, window));
  }
}

Traced PlainWalk::read_out(int t) const {
  std::vector<Traced> readouts;
  for (const Traced& agent : agents_) {
    const Traced x = f_.linear("readout.0", f_.norm("readout.norm", f_.with_time("readout", agent, t)));
    readouts.push_back(config_.readout_mlp ? f_.linear("readout.1", f_.act(x)) : x);
  }
  const Traced mean = scale(sum(readouts), 1.0 / static_cast<double>(readouts.size()));
  const Traced y = f_.linear("head.0", concat(std::vector{elementwise_max(readouts), mean}));
  return config_.head_mlp ? f_.linear("head.1", f_.act(y)) : y;
}

// --- Small things ---

std::set<std::uint64_t> PlainWalk::occupied() const {
  std::set<std::uint64_t> nodes;
  for (const auto& trail : trails_) nodes.insert(trail.back());
  return nodes;
}

// Of length 0 without edge features, so that it vanishes from every concatenation.
Traced PlainWalk::constant_edge(double value) const {
  return f_.constant(static_cast<std::size_t>(config_.edge_width()), value);
}

std::vector<double> PlainWalk::draws(std::size_t agent, int step, const std::vector<std::uint64_t>& nodes) const {
  std::vector<double> values(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    values[i] = options_.noise->noise(graph_, static_cast<int>(agent), step, nodes[i]);
  }
  return values;
}

const PlainMove* PlainWalk::frozen_move(std::size_t agent, int step) const {
  if (options_.frozen == nullptr) return nullptr;
  return &options_.frozen->moves.at(static_cast<std::size_t>(step) - 1).at(graph_ * agents_.size() + agent);
}

}  // namespace agentnet
