#include "nets/agentnet/transition.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace agentnet {

namespace {

enum Preference { kExplored, kUnexplored, kStay, kBack };

// Whether the current node, as a candidate, gets the preference for staying. With attention and without self loops the
// authors' code gives a loop in the data none, and we follow it (tests/golden/README.md, section 3).
bool stay_is_preferred(const AgentNetConfig& config) { return config.self_loops || !config.attention; }

// What the agents' trails say about their candidates. Costs T searches per agent, however many candidates it has.
template <class S>
void read_trails(const Walk<S>& walk, const Occupied<S>& occupied, const Index* const* trail, int step,
                 MoveRecord<S>& record) {
  const auto A = static_cast<std::size_t>(walk.A);
  const auto moves = static_cast<Index>(step - 1);
  std::size_t most = 0;
  for (Index a = 0; a < walk.A; ++a) {
    most += static_cast<std::size_t>(std::min(moves, walk.terrain->place(walk.position[a]).degree));
  }
  auto* first = walk.keep().template take<std::int64_t>(A + 1);
  auto* known = walk.keep().template take<Known<S>>(most);
  auto* previous = walk.keep().template take<Index>(A);
  S* powers = walk.scratch->template take<S>(static_cast<std::size_t>(step));
  powers[0] = S(1);
  for (int s = 1; s < step; ++s) powers[s] = powers[s - 1] * static_cast<S>(walk.config().visited_decay);

  std::int64_t count = 0;
  for (Index slot = 0; slot < walk.A; ++slot) {
    const Index agent = occupied.agents[slot];
    const Index here = walk.position[agent];
    const Place& place = walk.terrain->place(here);
    first[slot] = count;
    previous[slot] = kNone;
    for (int s = 1; s < step; ++s) {
      const Index row = trail[step - 1 - s][agent];
      const Index c = row == here ? place.self : walk.terrain->find_neighbour(place, row);
      if (c == kNone) continue;
      if (s == 1) previous[slot] = c;
      if (row == here) continue;  // the current node has a preference of its own
      bool seen = false;
      for (std::int64_t i = first[slot]; i < count; ++i) seen = seen || known[i].candidate == c;
      if (!seen) known[count++] = {c, powers[s - 1]};
    }
  }
  first[walk.A] = count;
  record.known_first = first;
  record.known = known;
  record.previous = previous;
}

template <class S>
std::span<const Known<S>> known_to(const MoveRecord<S>& record, Index slot) {
  return {record.known + record.known_first[slot], record.known + record.known_first[slot + 1]};
}

constexpr Index padded(Index candidates) { return candidates == 0 ? 4 : (candidates + 3) / 4 * 4; }

template <class S>
S score_scale(const Walk<S>& walk) {
  if (walk.config().merge == Merge::kWalk) return S(1);  // GATv2 does not scale its logits
  return S(1) / std::sqrt(static_cast<S>(walk.config().attention_width) * static_cast<S>(walk.h));
}

// Where agents and candidates stand in the record's arrays.
template <class S>
void lay_out(const Walk<S>& walk, const Occupied<S>& occupied, MoveRecord<S>& record) {
  auto* first = walk.keep().template take<std::int64_t>(static_cast<std::size_t>(walk.A) + 1);
  auto* node_first = walk.keep().template take<std::int64_t>(static_cast<std::size_t>(occupied.count) + 1);
  first[0] = node_first[0] = 0;
  for (Index u = 0; u < occupied.count; ++u) {
    const Index candidates = walk.terrain->place(occupied.row[u]).candidates;
    node_first[u + 1] = node_first[u] + candidates;
    for (std::int64_t slot = occupied.first[u]; slot < occupied.first[u + 1]; ++slot) {
      first[slot + 1] = first[slot] + padded(candidates);
    }
  }
  record.first = first;
  record.node_first = node_first;
}

// Layer norm statistics of the keys [v_j, e, v_i]: Chan's combination of the parts' own.
template <class S>
void key_norms(const Walk<S>& walk, const Occupied<S>& occupied, MoveRecord<S>& record) {
  const auto total = static_cast<std::size_t>(record.node_first[occupied.count]);
  record.key_mean = walk.keep().template take<S>(total);
  record.key_rstd = walk.keep().template take<S>(total);
  Terrain<S>& terrain = *walk.terrain;
  const S h = static_cast<S>(walk.h), e = static_cast<S>(walk.e), all = 2 * h + e;
  for (Index u = 0; u < occupied.count; ++u) {
    const Index here = occupied.row[u];
    const Place& place = terrain.place(here);
    const Index* list = terrain.candidates(place);
    const S own_mean = terrain.node_mean()[here], own_m2 = terrain.node_m2()[here];
    for (Index c = 0; c < place.candidates; ++c) {
      S mean = terrain.node_mean()[list[c]], m2 = terrain.node_m2()[list[c]];
      S count = h;
      const auto combine = [&](S other_mean, S other_m2, S other_count) {
        const S delta = other_mean - mean;
        const S both = count + other_count;
        mean += delta * other_count / both;
        m2 += other_m2 + delta * delta * count * other_count / both;
        count = both;
      };
      if (walk.e > 0) {
        const Index edge = terrain.edge_of(place, c);
        combine(terrain.edge_mean()[edge], terrain.edge_m2()[edge], e);
      }
      combine(own_mean, own_m2, h);
      record.key_mean[record.node_first[u] + c] = mean;
      record.key_rstd[record.node_first[u] + c] = S(1) / std::sqrt(m2 / all + static_cast<S>(kNormEpsilon));
    }
  }
}

template <class S>
Index* edge_list(const Walk<S>& walk, const Place& place) {
  Index* list = walk.scratch->template take<Index>(static_cast<std::size_t>(place.candidates));
  for (Index c = 0; c < place.candidates; ++c) list[c] = walk.terrain->edge_of(place, c);
  return list;
}

// score = r . (x - mu) / sigma for x = [v_j, e, v_i]: one dot product of length h per candidate
// (docs/spec.md, section 4).
template <class S>
void attention_scores(const Walk<S>& walk, const Occupied<S>& occupied, MoveRecord<S>& record) {
  const Kernels<S>& k = kernels<S>();
  const Index h = walk.h, e = walk.e, width = 2 * h + e;
  record.query = walk.keep().template matrix<S>(walk.A, width);
  walk.weights->attention.forward(walk.A, record.xhat, {}, record.query);
  record.query_sum = walk.keep().template take<S>(static_cast<std::size_t>(walk.A));
  for (Index s = 0; s < walk.A; ++s) {
    S sum = 0;
    for (Index j = 0; j < width; ++j) sum += record.query.row(s)[j];
    record.query_sum[s] = sum;
  }
  key_norms(walk, occupied, record);

  const Matrix<S> nodes = walk.terrain->nodes();
  for (Index u = 0; u < occupied.count; ++u) {
    const Place& place = walk.terrain->place(occupied.row[u]);
    const Index C = place.candidates;
    if (C == 0) continue;
    const auto slot = static_cast<Index>(occupied.first[u]);
    const auto M = static_cast<Index>(occupied.first[u + 1]) - slot;
    S* score = record.score + record.first[slot];
    const Stride ld = padded(C);
    k.candidate_dots(M, C, h, record.query.row(slot), record.query.ld, walk.terrain->candidates(place), nodes.data,
                     nodes.ld, score, ld);
    S* edge_score = nullptr;
    if (e > 0) {
      edge_score = walk.scratch->template take<S>(static_cast<std::size_t>(M) * static_cast<std::size_t>(ld));
      k.candidate_dots(M, C, e, record.query.row(slot) + h, record.query.ld, edge_list(walk, place),
                       walk.terrain->edges().data, walk.terrain->edges().ld, edge_score, ld);
    }
    const S* mean = record.key_mean + record.node_first[u];
    const S* rstd = record.key_rstd + record.node_first[u];
    for (Index m = 0; m < M; ++m) {
      const S own = k.dot(static_cast<std::size_t>(h), record.query.row(slot + m) + h + e, nodes.row(occupied.row[u]));
      const S sum = record.query_sum[slot + m];
      for (Index c = 0; c < C; ++c) {
        S& y = score[m * ld + c];
        if (e > 0) y += edge_score[m * ld + c];
        y = (y + own - mean[c] * sum) * rstd[c];
      }
    }
  }
}

// Merge::kWalk: the logits of a node's edges, the same for every agent on it.
template <class S>
void edge_scores(const Occupied<S>& occupied, const EdgeAttentionRecord<S>& edges, MoveRecord<S>& record) {
  for (Index u = 0; u < occupied.count; ++u) {
    for (std::int64_t slot = occupied.first[u]; slot < occupied.first[u + 1]; ++slot) {
      std::copy(edges.logit + edges.first[u], edges.logit + edges.first[u + 1], record.score + record.first[slot]);
    }
  }
}

template <class S>
void edge_scores_backward(const Occupied<S>& occupied, const MoveRecord<S>& record, const S* d_z,
                          const EdgeAttentionRecord<S>& edges) {
  for (Index u = 0; u < occupied.count; ++u) {
    const auto candidates = static_cast<Index>(edges.first[u + 1] - edges.first[u]);
    for (std::int64_t slot = occupied.first[u]; slot < occupied.first[u + 1]; ++slot) {
      for (Index c = 0; c < candidates; ++c) edges.d_logit[edges.first[u] + c] += d_z[record.first[slot] + c];
    }
  }
}

// The four preferences of every agent in slot order: global parameters, plus an MLP of the agent.
template <class S>
S* preferences(const Walk<S>& walk, MoveRecord<S>& record, const RowIds& ids, int step) {
  S* out = walk.scratch->template take<S>(static_cast<std::size_t>(walk.A) * 4);
  const S* global = walk.weights->value(walk.weights->preference_slot);
  for (Index s = 0; s < walk.A; ++s) std::copy(global, global + 4, out + 4 * s);
  if (walk.config().exploration == Exploration::kAgent) {
    const Dense<S>* mlp = walk.weights->explore;
    record.explore_hidden = walk.keep().template matrix<S>(walk.A, mlp[0].out());
    mlp[0].forward(walk.A, record.xhat, activation<S>(walk.config().slope), record.explore_hidden);
    if (walk.drops()) {
      apply_dropout(walk, DropoutSite::kExploreHidden, step, walk.A, mlp[0].out(), ids, record.explore_hidden);
    }
    Epilogue<S> add;
    add.accumulate = true;
    mlp[1].forward(walk.A, record.explore_hidden, add, {out, 4}, /*plain=*/true);
  }
  return out;
}

std::span<const CandidateBit> bits_of(const CandidateBits& window, Index slot) {
  return {window.bits + window.first[slot], window.bits + window.first[slot + 1]};
}

// What every agent, in slot order, thinks of each bit of its window: W LN(a) + b [A, 2 s]. A candidate's logit is
// raised by the sum over the bits that it has (window.h).
template <class S>
Matrix<S> window_preferences(const Walk<S>& walk, const Occupied<S>& occupied, int step, MoveRecord<S>& record) {
  record.window = read_candidate_bits(walk, occupied, step);
  Matrix<S> out = walk.scratch->template matrix<S>(walk.A, walk.weights->window.out());
  walk.weights->window.forward(walk.A, record.xhat, {}, out);
  return out;
}

template <class S>
void window_backward(const Walk<S>& walk, const MoveRecord<S>& record, const S* d_z, Matrix<S> d_xhat) {
  const Dense<S>& layer = walk.weights->window;
  const LayerSlots& slots = walk.weights->window_slots;
  Matrix<S> d_window = walk.scratch->template zero_matrix<S>(walk.A, layer.out());
  for (Index s = 0; s < walk.A; ++s) {
    for (const CandidateBit& b : bits_of(record.window, s)) {
      d_window.row(s)[b.bit] += d_z[record.first[s] + b.candidate];
    }
  }
  accumulate_weights(walk, walk.A, layer.out(), layer.in(), d_window, record.xhat, slots.weight, layer.in(),
                     slots.bias);
  Epilogue<S> add;
  add.accumulate = true;
  layer.backward_input(walk.A, d_window, add, d_xhat);
}

// Noise for all candidates, drawn per (graph, agent, step, candidate).
template <class S>
void add_noise(const Walk<S>& walk, const Occupied<S>& occupied, int step, const MoveRecord<S>& record, S* z) {
  const std::int64_t total = record.first[walk.A];
  if (walk.options.replay != nullptr) {
    for (Index s = 0; s < walk.A; ++s) {
      const Index agent = occupied.agents[s];
      const Place& place = walk.terrain->place(walk.position[agent]);
      const std::size_t graph = walk.first_in_batch + static_cast<std::size_t>(walk.graph_of_agent[agent]);
      for (Index c = 0; c < place.candidates; ++c) {
        const std::uint64_t node = walk.terrain->node_of(walk.terrain->candidates(place)[c]);
        z[record.first[s] + c] += static_cast<S>(
            walk.options.replay->noise(graph, static_cast<int>(walk.number_of_agent[agent]), step, node));
      }
    }
    return;
  }
  const auto blocks = static_cast<std::size_t>(total / 4);
  std::uint32_t* counter[4];
  for (auto& word : counter) word = walk.scratch->template take<std::uint32_t>(blocks);
  for (Index s = 0; s < walk.A; ++s) {
    const Index agent = occupied.agents[s];
    const std::uint64_t graph = walk.graph_ids[static_cast<std::size_t>(walk.graph_of_agent[agent])];
    const RandomCounter base = random_counter(graph, walk.number_of_agent[agent], static_cast<std::uint32_t>(step), 0);
    for (std::int64_t b = record.first[s] / 4; b < record.first[s + 1] / 4; ++b) {
      counter[0][b] = static_cast<std::uint32_t>(b - record.first[s] / 4);
      counter[1][b] = base.c1;
      counter[2][b] = base.c2;
      counter[3][b] = base.c3;
    }
  }
  const RandomKey key = random_key(walk.options.seed, Purpose::kMove, walk.options.epoch);
  const std::uint32_t words[2] = {key.k0, key.k1};
  S* noise = walk.scratch->template take<S>(static_cast<std::size_t>(total));
  kernels<S>().gumbel(static_cast<Index>(blocks), counter, words, noise);
  for (std::int64_t i = 0; i < total; ++i) z[i] += noise[i];
}

// Which candidates a policy that does not learn leaves to chance: their logit is 0, that of the others -infinity. None
// at all: the agent stays, by the loop if it is a candidate. `trail` as of move_forward().
template <class S>
void allow(const Walk<S>& walk, const Index* const* trail, int step, Index agent, S* out) {
  const Place& place = walk.terrain->place(walk.position[agent]);
  const Index here = walk.position[agent];
  const auto set_all = [&](S value) { std::fill_n(out, place.candidates, value); };
  const auto set = [&](Index candidate, S value) {
    if (candidate != kNone) out[candidate] = value;
  };
  const S never = -std::numeric_limits<S>::infinity();
  const MovePolicy policy = walk.config().moves;
  set_all(policy == MovePolicy::kStay ? never : S(0));
  if (policy == MovePolicy::kRandom) return;
  if (policy == MovePolicy::kStay) return set(place.self, S(0));

  set(place.self, never);
  const auto any = [&] { return std::any_of(out, out + place.candidates, [](S z) { return z == S(0); }); };
  if (policy == MovePolicy::kNonBacktracking) {
    const Index back = step > 1 ? walk.terrain->find_neighbour(place, trail[step - 2][agent]) : kNone;
    set(back, never);
    if (!any()) set(back, S(0));  // a dead end
  } else {
    Index parent = kNone;  // the row before the first visit of this node
    for (int s = 0; s < step; ++s) {
      const Index row = trail[s][agent];
      if (row == here && s > 0 && parent == kNone) parent = trail[s - 1][agent];
      if (row == here && s == 0) parent = here;
      set(row == here ? kNone : walk.terrain->find_neighbour(place, row), never);
    }
    if (any()) return;
    if (parent == here) return set(place.self, S(0));  // back at the start: all that can be reached was visited
    const Index back = walk.terrain->find_neighbour(place, parent);
    if (back != kNone) return set(back, S(0));
    set_all(S(0));  // no edge leads back, or the sample of neighbours has it not: anywhere
    set(place.self, never);
  }
  if (!any()) set(place.self, S(0));
}

// The logits of all candidates; padding is -infinity, an agent without candidates gets one that changes nothing.
template <class S>
void logits(const Walk<S>& walk, const Occupied<S>& occupied, const Index* const* trail, int step,
            MoveRecord<S>& record, const RowIds& ids) {
  const AgentNetConfig& config = walk.config();
  const bool learned = config.moves == MovePolicy::kLearned;
  const bool biased = learned && config.exploration != Exploration::kNone;
  const S* preference = biased ? preferences(walk, record, ids, step) : nullptr;
  const S scale = score_scale(walk);
  if (biased) read_trails(walk, occupied, trail, step, record);
  Matrix<S> window;  // [A, 2 s]
  if (learned && config.window_moves) window = window_preferences(walk, occupied, step, record);
  S* z = record.probability;
  for (Index s = 0; s < walk.A; ++s) {
    const Index agent = occupied.agents[s];
    const Place& place = walk.terrain->place(walk.position[agent]);
    S* out = z + record.first[s];
    const S* score = record.score + record.first[s];
    const S* g = biased ? preference + 4 * s : nullptr;
    const S base = biased ? g[kUnexplored] : S(0);
    for (Index c = 0; c < place.candidates; ++c) out[c] = learned && config.attention ? score[c] * scale + base : base;
    if (!learned) allow(walk, trail, step, agent, out);
    if (biased) {
      for (const Known<S>& k : known_to(record, s)) out[k.candidate] += k.x * (g[kExplored] - g[kUnexplored]);
      if (place.self != kNone) out[place.self] += (stay_is_preferred(config) ? g[kStay] : S(0)) - base;
      if (record.previous[s] != kNone) out[record.previous[s]] += g[kBack];
    }
    if (window) {
      for (const CandidateBit& b : bits_of(record.window, s)) out[b.candidate] += window.row(s)[b.bit];
    }
    const Index real = std::max<Index>(place.candidates, 1);
    if (place.candidates == 0) out[0] = S(0);
    for (Index c = real; c < padded(place.candidates); ++c) out[c] = -std::numeric_limits<S>::infinity();
  }
}

// An agent that may take no candidate gets one that changes nothing, and is told apart by its place in the result.
template <class S>
const bool* stay_where_nothing_is_allowed(const Walk<S>& walk, const Occupied<S>& occupied, MoveRecord<S>& record) {
  bool* staying = walk.scratch->template take<bool>(static_cast<std::size_t>(walk.A));
  for (Index s = 0; s < walk.A; ++s) {
    const Place& place = walk.terrain->place(walk.position[occupied.agents[s]]);
    S* z = record.probability + record.first[s];
    staying[s] = place.candidates > 0 && std::isinf(*std::max_element(z, z + place.candidates));
    if (staying[s]) z[0] = S(0);
  }
  return staying;
}

RowIds slot_ids(Arena& arena, Index A, const Index* agents, const Index* graph_of_agent,
                const std::uint32_t* number_of_agent) {
  auto* graph = arena.take<Index>(static_cast<std::size_t>(A));
  auto* key = arena.take<std::uint32_t>(static_cast<std::size_t>(A));
  for (Index s = 0; s < A; ++s) {
    graph[s] = graph_of_agent[agents[s]];
    key[s] = number_of_agent[agents[s]];
  }
  return {graph, key};
}

}  // namespace

template <class S>
void move_forward(const Walk<S>& walk, const Occupied<S>& occupied, const Index* const* trail, int step,
                  const EdgeAttentionRecord<S>& edges, MoveRecord<S>& record, Index* to, Index* edge) {
  const Kernels<S>& k = kernels<S>();
  const AgentNetConfig& config = walk.config();
  const bool learned = config.moves == MovePolicy::kLearned;
  lay_out(walk, occupied, record);
  const auto total = static_cast<std::size_t>(record.first[walk.A]);
  record.probability = walk.keep().template take<S>(total);
  record.score = walk.keep().template take<S>(total);
  const RowIds ids = slot_ids(*walk.scratch, walk.A, occupied.agents, walk.graph_of_agent, walk.number_of_agent);

  if (learned) {
    record.xhat = walk.keep().template matrix<S>(walk.A, walk.h);
    record.rstd = walk.keep().template take<S>(static_cast<std::size_t>(walk.A));
    k.gather_add(walk.A, walk.h, walk.agents.data, walk.agents.ld, occupied.agents, nullptr, 0, nullptr,
                 record.xhat.data, record.xhat.ld);
    k.normalise(walk.A, walk.h, record.xhat.data, record.xhat.ld, 0, nullptr, nullptr, static_cast<S>(kNormEpsilon),
                nullptr, record.rstd);
    if (config.merge == Merge::kWalk) {
      edge_scores(occupied, edges, record);
    } else if (config.attention) {
      attention_scores(walk, occupied, record);
    }
  }
  logits(walk, occupied, trail, step, record, ids);
  if (walk.explaining) {
    record.logit = walk.keep().template take<S>(total);
    std::copy_n(record.probability, total, record.logit);
  }
  const bool* staying = learned ? nullptr : stay_where_nothing_is_allowed(walk, occupied, record);
  if (!walk.options.greedy || !learned) add_noise(walk, occupied, step, record, record.probability);
  const double temperature = walk.options.temperature > 0 ? walk.options.temperature : config.temperature;
  Index* best = walk.keep().template take<Index>(static_cast<std::size_t>(walk.A));
  k.softmax_segments(walk.A, record.first, static_cast<S>(temperature), record.probability, best);

  for (Index s = 0; s < walk.A; ++s) {
    const Index agent = occupied.agents[s];
    const Index here = walk.position[agent];
    const Place& place = walk.terrain->place(here);
    to[agent] = here;
    edge[agent] = kNone;
    if (place.candidates == 0) continue;  // nowhere to go: the agent stays and takes no edge
    if (staying != nullptr && staying[s]) continue;
    const Index* list = walk.terrain->candidates(place);
    const S* p = record.probability + record.first[s];
    // Ties go to the lowest node id; staying stands at the end of the list.
    if (place.self == place.degree && p[place.self] == p[best[s]] &&
        walk.terrain->node_of(here) < walk.terrain->node_of(list[best[s]])) {
      best[s] = place.self;
    }
    to[agent] = list[best[s]];
    if (walk.e > 0) edge[agent] = walk.terrain->edge_of(place, best[s]);
  }
  record.best = best;
}

namespace {

// From d_score [slots, candidates] (gradient of score) to the queries, the nodes and the edges.
template <class S>
void attention_backward(const Walk<S>& walk, const Occupied<S>& occupied, const MoveRecord<S>& record, S* d_score,
                        Matrix<S> d_query) {
  const Kernels<S>& k = kernels<S>();
  const Index h = walk.h, e = walk.e, width = 2 * h + e;
  const S inverse_width = S(1) / static_cast<S>(width);
  const Matrix<S> nodes = walk.terrain->nodes();
  for (Index u = 0; u < occupied.count; ++u) {
    const Index here = occupied.row[u];
    const Place& place = walk.terrain->place(here);
    const Index C = place.candidates;
    if (C == 0) continue;
    const auto slot = static_cast<Index>(occupied.first[u]);
    const auto M = static_cast<Index>(occupied.first[u + 1]) - slot;
    const Stride ld = padded(C);
    const S* score = record.score + record.first[slot];
    S* d = d_score + record.first[slot];
    const S* mean = record.key_mean + record.node_first[u];
    const S* rstd = record.key_rstd + record.node_first[u];

    // With x the key's input: d score / d r = xhat, d score / d x = rstd (r - mean(r) - xhat score / width). The last
    // two terms are affine in x and are summed over the agents first.
    S* scale = walk.scratch->template take_zeroed<S>(static_cast<std::size_t>(C));
    S* shift = walk.scratch->template take_zeroed<S>(static_cast<std::size_t>(C));
    S own_scale = 0, own_shift = 0;
    S* d_own = walk.d_nodes.row(here);
    for (Index m = 0; m < M; ++m) {
      const S* r = record.query.row(slot + m);
      const S r_mean = record.query_sum[slot + m] * inverse_width;
      S sum = 0, mean_sum = 0;
      for (Index c = 0; c < C; ++c) {
        const S alpha = d[m * ld + c] * rstd[c];
        const S beta = -alpha * score[m * ld + c] * inverse_width * rstd[c];
        const S gamma = -alpha * r_mean - beta * mean[c];
        scale[c] += beta;
        shift[c] += gamma;
        own_scale += beta;
        own_shift += gamma;
        sum += alpha;
        mean_sum += alpha * mean[c];
        d[m * ld + c] = alpha;
      }
      S* dr = d_query.row(slot + m);
      for (Index j = 0; j < width; ++j) dr[j] = -mean_sum;
      k.axpy(static_cast<std::size_t>(h), sum, nodes.row(here), dr + h + e);
      k.axpy(static_cast<std::size_t>(h), sum, r + h + e, d_own);
    }
    const Index* list = walk.terrain->candidates(place);
    k.candidate_dots_backward(M, C, h, d, ld, record.query.row(slot), record.query.ld, list, nodes.data, nodes.ld,
                              d_query.row(slot), d_query.ld, walk.d_nodes.data, walk.d_nodes.ld);
    k.affine_scatter(C, h, list, scale, shift, nodes.data, nodes.ld, walk.d_nodes.data, walk.d_nodes.ld);
    k.affine_scatter(1, h, &here, &own_scale, &own_shift, nodes.data, nodes.ld, walk.d_nodes.data, walk.d_nodes.ld);
    if (e > 0) {
      const Index* edges = edge_list(walk, place);
      const Matrix<S> states = walk.terrain->edges();
      k.candidate_dots_backward(M, C, e, d, ld, record.query.row(slot) + h, record.query.ld, edges, states.data,
                                states.ld, d_query.row(slot) + h, d_query.ld, walk.d_edges.data, walk.d_edges.ld);
      k.affine_scatter(C, e, edges, scale, shift, states.data, states.ld, walk.d_edges.data, walk.d_edges.ld);
    }
  }
}

// From d_z to the preferences, and through the agents' MLP to d_xhat (added).
template <class S>
void preferences_backward(const Walk<S>& walk, const Occupied<S>& occupied, const MoveRecord<S>& record, const S* d_z,
                          Matrix<S> d_xhat) {
  const AgentNetConfig& config = walk.config();
  Matrix<S> d_preference = walk.scratch->template zero_matrix<S>(walk.A, 4);
  for (Index s = 0; s < walk.A; ++s) {
    const Index agent = occupied.agents[s];
    const Place& place = walk.terrain->place(walk.position[agent]);
    if (place.candidates == 0) continue;
    const S* d = d_z + record.first[s];
    S* out = d_preference.row(s);
    S all = 0;
    for (Index c = 0; c < place.candidates; ++c) all += d[c];
    for (const Known<S>& k : known_to(record, s)) {
      out[kExplored] += d[k.candidate] * k.x;
      all -= d[k.candidate] * k.x;
    }
    if (place.self != kNone) {
      all -= d[place.self];
      if (stay_is_preferred(config)) out[kStay] += d[place.self];
    }
    out[kUnexplored] += all;
    if (record.previous[s] != kNone) out[kBack] += d[record.previous[s]];
  }
  kernels<S>().column_sums(walk.A, 4, d_preference.data, d_preference.ld,
                           walk.gradient + walk.weights->preference_slot);
  if (config.exploration != Exploration::kAgent) return;

  const Dense<S>* mlp = walk.weights->explore;
  const LayerSlots* slots = walk.weights->explore_slots;
  accumulate_weights(walk, walk.A, 4, mlp[1].in(), d_preference, record.explore_hidden, slots[1].weight, mlp[1].in());
  Matrix<S> d_hidden = walk.scratch->template matrix<S>(walk.A, mlp[0].out());
  mlp[1].backward_input(walk.A, d_preference, activation_backward(walk, config.slope, record.explore_hidden), d_hidden);
  accumulate_weights(walk, walk.A, mlp[0].out(), mlp[0].in(), d_hidden, record.xhat, slots[0].weight, mlp[0].in(),
                     slots[0].bias);
  Epilogue<S> add;
  add.accumulate = true;
  mlp[0].backward_input(walk.A, d_hidden, add, d_xhat);
}

}  // namespace

template <class S>
void move_backward(const Walk<S>& walk, const Occupied<S>& occupied, const EdgeAttentionRecord<S>& edges,
                   const MoveRecord<S>& record, const S* d_weight) {
  const Kernels<S>& k = kernels<S>();
  const AgentNetConfig& config = walk.config();
  if (config.moves != MovePolicy::kLearned) return;
  if (!config.attention && config.exploration == Exploration::kNone && !config.window_moves) return;

  // d w = d p[best]; p = softmax((z + noise) / tau).
  const double temperature = walk.options.temperature > 0 ? walk.options.temperature : config.temperature;
  S* d_z = walk.scratch->template take<S>(static_cast<std::size_t>(record.first[walk.A]));
  for (Index s = 0; s < walk.A; ++s) {
    const S* p = record.probability + record.first[s];
    S* d = d_z + record.first[s];
    const S factor = d_weight[occupied.agents[s]] * p[record.best[s]] / static_cast<S>(temperature);
    const auto count = static_cast<Index>(record.first[s + 1] - record.first[s]);
    for (Index c = 0; c < count; ++c) d[c] = -factor * p[c];
    d[record.best[s]] += factor;
  }

  Matrix<S> d_xhat = walk.scratch->template zero_matrix<S>(walk.A, walk.h);
  if (config.exploration != Exploration::kNone) {
    preferences_backward(walk, occupied, record, d_z, d_xhat);
  }
  if (config.window_moves) window_backward(walk, record, d_z, d_xhat);
  if (config.merge == Merge::kWalk) {
    edge_scores_backward(occupied, record, d_z, edges);
  } else if (config.attention) {
    const Index width = 2 * walk.h + walk.e;
    const S scale = score_scale(walk);
    for (std::int64_t i = 0; i < record.first[walk.A]; ++i) d_z[i] *= scale;
    Matrix<S> d_query = walk.scratch->template zero_matrix<S>(walk.A, width);
    attention_backward(walk, occupied, record, d_z, d_query);
    accumulate_weights(walk, walk.A, width, walk.h, d_query, record.xhat, walk.weights->attention_slot, walk.h,
                       walk.weights->attention_bias_slot);
    Epilogue<S> add;
    add.accumulate = true;
    walk.weights->attention.backward_input(walk.A, d_query, add, d_xhat);
  }
  k.normalise_backward(walk.A, walk.h, record.xhat.data, record.xhat.ld, 0, record.rstd, nullptr, nullptr, d_xhat.data,
                       d_xhat.ld);
  k.scatter_add(walk.A, walk.h, d_xhat.data, d_xhat.ld, occupied.agents, nullptr, walk.d_agents.data, walk.d_agents.ld);
}

#define AGENTNET_INSTANTIATE(S)                                                                                        \
  template void move_forward(const Walk<S>&, const Occupied<S>&, const Index* const*, int,                             \
                             const EdgeAttentionRecord<S>&, MoveRecord<S>&, Index*, Index*);                           \
  template void move_backward(const Walk<S>&, const Occupied<S>&, const EdgeAttentionRecord<S>&, const MoveRecord<S>&, \
                              const S*);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)
#undef AGENTNET_INSTANTIATE

}  // namespace agentnet
