#include "nets/agentnet/rollout.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "agentnet/error.h"
#include "core/checked.h"

namespace agentnet {

RolloutWork& RolloutWork::operator+=(const RolloutWork& other) {
  nodes_touched += other.nodes_touched;
  occupied += other.occupied;
  looking += other.looking;
  candidates += other.candidates;
  edges_summed += other.edges_summed;
  edges_read += other.edges_read;
  bytes_read += other.bytes_read;
  pages_read += other.pages_read;
  return *this;
}

template <class S>
void Rollout<S>::begin(const RolloutTask<S>& task) {
  const AgentNetConfig& config = task.weights->config();
  record_.reset();
  scratch_.reset();
  walk_ = {};
  walk_.weights = task.weights;
  walk_.options = task.options;
  walk_.graphs = task.graphs;
  walk_.graph_ids = task.graph_ids;
  walk_.first_in_batch = task.first_in_batch;
  walk_.training = task.training || task.explaining;
  walk_.explaining = task.explaining;
  walk_.h = config.hidden;
  walk_.k = task.options.agents > 0 ? task.options.agents : config.agents;
  walk_.e = config.edge_width();
  walk_.B = static_cast<Index>(task.graphs.size());
  auto* first_agent = record_.take<Index>(task.graphs.size() + 1);
  first_agent[0] = 0;
  for (Index g = 0; g < walk_.B; ++g) {
    const std::uint64_t agents = agents_on(config, walk_.k, task.graphs[static_cast<std::size_t>(g)]);
    first_agent[g + 1] = first_agent[g] + checked_cast<Index>(agents).value();
  }
  walk_.first_agent = first_agent;
  walk_.A = first_agent[walk_.B];
  walk_.terrain = &terrain_;
  walk_.record = &record_;
  walk_.scratch = &scratch_;
  walk_.candidate_bits = &candidate_bits_;
  const int most = task.options.max_neighbours >= 0 ? task.options.max_neighbours : config.max_neighbours;
  terrain_.begin(config, task.graphs,
                 {static_cast<std::uint64_t>(most),
                  random_key(task.options.seed, Purpose::kNeighbours, task.options.epoch), task.graph_ids});
  messages_.begin(walk_);
  work_ = {};

  const auto visits = static_cast<std::size_t>(config.steps) + 1;
  visits_.assign(visits, {});
  positions_.assign(visits, nullptr);
  taken_.assign(visits, nullptr);
  walk_.trail = positions_.data();
  step_outputs_.clear();
  agent_states_.clear();
  for (std::size_t t = 0; t < visits; ++t) step_outputs_.push_back(record_.matrix<S>(walk_.B, config.outputs));
  for (std::size_t t = 0; t <= visits; ++t) agent_states_.push_back(record_.matrix<S>(walk_.A, walk_.h));
  outputs_ = record_.zero_matrix<S>(walk_.B, config.outputs);

  auto* graph = record_.take<Index>(static_cast<std::size_t>(walk_.A));
  auto* number = record_.take<std::uint32_t>(static_cast<std::size_t>(walk_.A));
  for (Index g = 0; g < walk_.B; ++g) {
    for (Index a = first_agent[g]; a < first_agent[g + 1]; ++a) {
      graph[a] = g;
      number[a] = static_cast<std::uint32_t>(a - first_agent[g]);
    }
  }
  walk_.graph_of_agent = graph;
  walk_.number_of_agent = number;
}

// Uniformly drawn for the agent of this number (docs/spec.md, section 1).
template <class S>
std::uint64_t Rollout<S>::drawn_start(std::size_t graph, std::uint32_t number) const {
  if (walk_.options.replay != nullptr) {
    return walk_.options.replay->start(walk_.first_in_batch + graph, static_cast<int>(number));
  }
  // 64 random bits, scaled to the number of nodes: the bias is below n / 2^64.
  const RandomKey key = random_key(walk_.options.seed, Purpose::kStart, walk_.options.epoch);
  const auto bits = philox(random_counter(walk_.graph_ids[graph], number, 0, 0), key);
  const std::uint64_t draw = (static_cast<std::uint64_t>(bits[0]) << 32) | bits[1];
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(draw) * walk_.graphs[graph].num_nodes) >> 64);
}

template <class S>
std::uint64_t Rollout<S>::start_of(std::size_t graph, std::uint32_t number) const {
  const AgentNetConfig& config = walk_.config();
  switch (config.start) {
    case StartPolicy::kEveryNode:
      return number / static_cast<std::uint32_t>(walk_.k);
    case StartPolicy::kOneNode:
      return drawn_start(graph, 0);
    case StartPolicy::kChosen: {
      const auto node = static_cast<std::uint64_t>(config.start_nodes[number % config.start_nodes.size()]);
      const GraphView& view = walk_.graphs[graph];
      if (node < view.num_nodes) return node;
      throw Error(ErrorKind::kMismatch,
                  fmt::format("{}the model's agents start on node {}, but the graph has {} nodes", view.place(), node,
                              view.num_nodes),
                  "nodes count from 0; use graphs that have the nodes of the model's option 'start_nodes'");
    }
    case StartPolicy::kRandom:
      break;
  }
  return drawn_start(graph, number);
}

// Agents start with their own row of the table, on the nodes of the start policy.
template <class S>
void Rollout<S>::place_agents() {
  const S* table = walk_.weights->value(walk_.weights->agents_slot);
  auto* position = record_.take<Index>(static_cast<std::size_t>(walk_.A));
  auto* taken = record_.take<Index>(static_cast<std::size_t>(walk_.A));
  for (Index a = 0; a < walk_.A; ++a) {
    const auto graph = static_cast<std::size_t>(walk_.graph_of_agent[a]);
    const std::uint32_t number = walk_.number_of_agent[a];
    std::copy_n(table + walk_.identity(a) * static_cast<std::size_t>(walk_.h), walk_.h, agent_states_[0].row(a));
    position[a] = terrain_.observe(walk_.graph_of_agent[a], start_of(graph, number));
    taken[a] = kNone;
  }
  positions_[0] = position;
  taken_[0] = taken;
  if (walk_.config().neighbourhood == Neighbourhood::kAll) {
    for (Index g = 0; g < walk_.B; ++g) {
      for (std::uint64_t n = 0; n < walk_.graphs[static_cast<std::size_t>(g)].num_nodes; ++n) {
        const Index row = terrain_.observe(g, n);
        terrain_.visit({&row, 1});
      }
    }
  }
}

template <class S>
Occupied<S> Rollout<S>::find_occupied() {
  Arena& keep = walk_.keep();
  const auto A = static_cast<std::size_t>(walk_.A);
  auto* node_of = keep.take<Index>(A);
  auto* row = keep.take<Index>(A);
  auto* graph = keep.take<Index>(A);
  auto* node = keep.take<std::uint32_t>(A);
  Index count = 0;
  occupied_of_row_.resize(static_cast<std::size_t>(terrain_.rows()), kNone);
  for (Index a = 0; a < walk_.A; ++a) {
    Index& seen = occupied_of_row_[static_cast<std::size_t>(walk_.position[a])];
    if (seen == kNone) {
      seen = count;
      row[count] = walk_.position[a];
      graph[count] = walk_.graph_of_agent[a];
      node[count] = static_cast<std::uint32_t>(terrain_.node_of(walk_.position[a]));
      ++count;
    }
    node_of[a] = seen;
  }
  auto* first = keep.take<std::int64_t>(static_cast<std::size_t>(count) + 1);
  auto* agents = keep.take<Index>(A);
  auto* scale = keep.take<S>(static_cast<std::size_t>(count));
  std::fill_n(first, count + 1, 0);
  for (Index a = 0; a < walk_.A; ++a) ++first[node_of[a] + 1];
  for (Index u = 0; u < count; ++u) {
    scale[u] = static_cast<S>(reduce_scale(walk_.config().reduce, static_cast<std::uint64_t>(first[u + 1])));
    first[u + 1] += first[u];
    occupied_of_row_[static_cast<std::size_t>(row[u])] = kNone;
  }
  auto* next = scratch_.take<std::int64_t>(static_cast<std::size_t>(count));
  std::copy_n(first, count, next);
  for (Index a = 0; a < walk_.A; ++a) agents[next[node_of[a]]++] = a;
  return {count, row, graph, node, first, agents, node_of, scale};
}

template <class S>
Onlookers Rollout<S>::onlookers(const Occupied<S>& occupied) {
  if (walk_.config().neighbourhood != Neighbourhood::kAll) {
    return {occupied.count, occupied.row, occupied.graph, occupied.node};
  }
  const auto rows = static_cast<std::size_t>(terrain_.rows());
  auto* row = walk_.keep().template take<Index>(rows);
  auto* graph = walk_.keep().template take<Index>(rows);
  auto* node = walk_.keep().template take<std::uint32_t>(rows);
  for (Index r = 0; r < terrain_.rows(); ++r) {
    row[r] = r;
    graph[r] = terrain_.graph_of(r);
    node[r] = static_cast<std::uint32_t>(terrain_.node_of(r));
  }
  return {terrain_.rows(), row, graph, node};
}

// docs/spec.md, section 2: node update, look around, agent update, read out; then the move to the next visit.
template <class S>
void Rollout<S>::visit_forward(int t) {
  const AgentNetConfig& config = walk_.config();
  const auto at = static_cast<std::size_t>(t);
  Visit& visit = visits_[at];
  scratch_.reset();
  walk_.position = positions_[at];
  walk_.taken = taken_[at];
  walk_.agents = agent_states_[at];

  visit.occupied = find_occupied();
  const Occupied<S>& occupied = visit.occupied;
  terrain_.visit({occupied.row, static_cast<std::size_t>(occupied.count)});
  const Index rows_before = terrain_.embedded_nodes;
  embed_observed(walk_);
  if (walk_.explaining) keep_first_states(rows_before);
  work_.occupied += static_cast<std::uint64_t>(occupied.count);

  const Matrix<S> new_agents = agent_states_[at + 1];
  if (config.node_update) node_update_forward(walk_, messages_, occupied, t, visit.node_update, new_agents);
  Onlookers changed{occupied.count, occupied.row, occupied.graph, occupied.node};
  if (walk_.weights->neighbourhood.present()) {
    changed = onlookers(occupied);
    neighbourhood_forward(walk_, messages_, changed, t, visit.neighbourhood);
    work_.looking += static_cast<std::uint64_t>(changed.count);
    for (Index i = 0; i < changed.count; ++i)
      work_.edges_summed += static_cast<std::uint64_t>(terrain_.place(changed.row[i]).degree);
  }
  if (walk_.weights->agent_update.present()) agent_update_forward(walk_, t, visit.agent_update, new_agents);
  walk_.agents = new_agents;
  readout_forward(walk_, t, visit.readout, step_outputs_[at]);

  if (t == config.steps) return;
  kernels<S>().row_stats(changed.count, walk_.h, terrain_.nodes().data, terrain_.nodes().ld, changed.row,
                         terrain_.node_mean(), terrain_.node_m2());
  auto* to = record_.take<Index>(static_cast<std::size_t>(walk_.A));
  auto* edge = record_.take<Index>(static_cast<std::size_t>(walk_.A));
  move_forward(walk_, occupied, positions_.data(), t + 1, visit.node_update.attention, visit.move, to, edge);
  for (Index a = 0; a < walk_.A; ++a)
    work_.candidates += static_cast<std::uint64_t>(terrain_.place(walk_.position[a]).candidates);
  positions_[at + 1] = to;
  taken_[at + 1] = edge;
}

template <class S>
void Rollout<S>::forward(const RolloutTask<S>& task) {
  begin(task);
  place_agents();
  const AgentNetConfig& config = walk_.config();
  for (int t = 0; t <= config.steps; ++t) visit_forward(t);
  const S share = S(1) / static_cast<S>(config.steps + 1);
  for (Index g = 0; g < walk_.B; ++g) {
    for (int c = 0; c < config.outputs; ++c) {
      S sum = 0;
      for (const Matrix<S>& step : step_outputs_) sum += step.row(g)[c];
      outputs_.row(g)[c] = sum * share;
    }
  }
  work_.nodes_touched = static_cast<std::uint64_t>(terrain_.rows());
  work_.edges_read = terrain_.entries_read();
  work_.bytes_read = terrain_.pages().bytes();
  work_.pages_read = terrain_.pages().pages();
}

template <class S>
void Rollout<S>::visit_backward(int t, Matrix<S> d_outputs) {
  const AgentNetConfig& config = walk_.config();
  const auto at = static_cast<std::size_t>(t);
  const Visit& visit = visits_[at];
  scratch_.reset();
  walk_.position = positions_[at];
  walk_.taken = taken_[at];

  // walk_.d_weight holds the gradient of the weights of the move out of this visit; make room for those of the
  // move that led to it.
  walk_.agents = agent_states_[at + 1];
  if (t < config.steps) move_backward(walk_, visit.occupied, visit.node_update.attention, visit.move, walk_.d_weight);
  std::fill_n(walk_.d_weight, walk_.A, S(0));

  const S share = S(1) / static_cast<S>(config.steps + 1);
  Matrix<S> d_step = scratch_.matrix<S>(walk_.B, config.outputs);
  for (Index g = 0; g < walk_.B; ++g) {
    for (int c = 0; c < config.outputs; ++c) d_step.row(g)[c] = d_outputs.row(g)[c] * share;
  }
  readout_backward(walk_, t, visit.readout, d_step);
  walk_.agents = agent_states_[at];
  if (walk_.weights->agent_update.present()) agent_update_backward(walk_, t, visit.agent_update);
  if (walk_.weights->neighbourhood.present()) neighbourhood_backward(walk_, messages_, t, visit.neighbourhood);
  if (config.node_update) node_update_backward(walk_, messages_, visit.occupied, t, visit.node_update);
}

template <class S>
void Rollout<S>::visits_backward(Matrix<S> d_outputs) {
  walk_.d_agents = record_.zero_matrix<S>(walk_.A, walk_.h);
  walk_.d_weight = record_.take_zeroed<S>(static_cast<std::size_t>(walk_.A));
  const Stride node_ld = terrain_.nodes().ld, edge_ld = terrain_.edges().ld;
  d_nodes_.assign(static_cast<std::size_t>(terrain_.rows()) * static_cast<std::size_t>(node_ld), S(0));
  d_edges_.assign(static_cast<std::size_t>(terrain_.edge_rows()) * static_cast<std::size_t>(edge_ld), S(0));
  walk_.d_nodes = {d_nodes_.data(), node_ld};
  walk_.d_edges = {d_edges_.data(), edge_ld};
  messages_.begin_backward(walk_);
  for (int t = walk_.config().steps; t >= 0; --t) visit_backward(t, d_outputs);
  scratch_.reset();
  messages_.finish_backward(walk_);
}

template <class S>
void Rollout<S>::backward(Matrix<S> d_outputs, S* gradient, InputGradient<S>* inputs) {
  walk_.gradient = gradient;
  visits_backward(d_outputs);
  embed_backward(walk_, inputs);
  S* d_table = gradient + walk_.weights->agents_slot;
  for (Index a = 0; a < walk_.A; ++a) {
    kernels<S>().axpy(static_cast<std::size_t>(walk_.h), S(1), walk_.d_agents.row(a),
                      d_table + walk_.identity(a) * static_cast<std::size_t>(walk_.h));
  }
}

template <class S>
void Rollout<S>::keep_first_states(Index rows_before) {
  const auto h = static_cast<std::size_t>(walk_.h);
  first_states_.resize(static_cast<std::size_t>(terrain_.rows()) * h);
  for (Index r = rows_before; r < terrain_.rows(); ++r) {
    std::copy_n(terrain_.nodes().row(r), h, first_states_.data() + static_cast<std::size_t>(r) * h);
  }
}

template <class S>
void Rollout<S>::backward_to_states(Matrix<S> d_outputs) {
  // A few gradients are cheaper to make than to leave out; they go here.
  unused_.resize(walk_.weights->gradient_size());
  walk_.gradient = unused_.data();
  visits_backward(d_outputs);
  gather_loop_gradients(walk_);
}

template <class S>
double Rollout<S>::node_influence(Index row) const {
  const auto h = static_cast<std::size_t>(walk_.h);
  return static_cast<double>(
      kernels<S>().dot(h, walk_.d_nodes.row(row), first_states_.data() + static_cast<std::size_t>(row) * h));
}

template <class S>
double Rollout<S>::edge_influence(Index row) const {
  return static_cast<double>(kernels<S>().dot(static_cast<std::size_t>(walk_.e), walk_.d_edges.row(row),
                                              walk_.terrain->edges().row(row)));  // states of edges never change
}

template <class S>
void Rollout<S>::choices(int t, Index slot, std::vector<S>& probability) const {
  const Visit& visit = visits_[static_cast<std::size_t>(t)];
  const Place& place = terrain_.place(row_of(t, visit.occupied.agents[slot]));
  const S* logit = visit.move.logit + visit.move.first[slot];
  probability.assign(logit, logit + place.candidates);
  if (probability.empty()) return;
  const S largest = *std::max_element(probability.begin(), probability.end());
  if (std::isinf(largest)) {  // the policy has it stay where the data has no loop: no candidate was chosen from
    probability.clear();
    return;
  }
  S sum = 0;
  for (S& p : probability) sum += p = std::exp(p - largest);
  for (S& p : probability) p /= sum;
}

template <class S>
std::uint64_t Rollout<S>::position(int t, Index a) const {
  return terrain_.node_of(positions_[static_cast<std::size_t>(t)][a]);
}

template <class S>
std::size_t Rollout<S>::memory() const {
  return record_.capacity() + scratch_.capacity() + terrain_.memory() + messages_.memory() +
         (d_nodes_.capacity() + d_edges_.capacity() + first_states_.capacity() + unused_.capacity()) * sizeof(S);
}

template class Rollout<float>;
template class Rollout<double>;

}  // namespace agentnet
