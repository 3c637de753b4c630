// The state that the parts of a visit share during one rollout of a shard.
//
// Letters as in docs/spec.md: h hidden size, k agents per graph, T steps, B graphs of the shard, A = B k
// agents, U occupied nodes, e width of an edge state. With StartPolicy::kEveryNode there are k agents on each node, so
// that graphs differ in how many they have: those of graph g are [first_agent[g], first_agent[g + 1]).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/graph.h"
#include "core/random.h"
#include "nets/agentnet/terrain.h"
#include "nets/agentnet/weights.h"
#include "tensor/arena.h"

namespace agentnet {

// Recorded randomness instead of drawn: how golden cases and tests replay a rollout.
class Replay {
 public:
  virtual ~Replay() = default;
  // `graph` is the position in the batch.
  [[nodiscard]] virtual std::uint64_t start(std::size_t graph, int agent) = 0;
  // What is added to the logit of moving to `node` in step 1..T (for random moves: the score itself).
  [[nodiscard]] virtual double noise(std::size_t graph, int agent, int step, std::uint64_t node) = 0;
};

struct RolloutOptions {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;  // epoch in training, number of the rollout in prediction
  bool greedy = false;      // no noise: every agent takes its likeliest move
  double temperature = 0;   // 0: the model's own
  int max_neighbours = -1;  // instead of the model's own, if not negative
  int agents = 0;           // only the first so many walk; 0: all
  bool dropout = false;     // apply the model's dropout (training)
  Replay* replay = nullptr;
  const std::function<void()>* may_end = nullptr;  // called before each shard, if set; not in training
};

// Who stands where during one visit.
template <class S>
struct Occupied {
  Index count = 0;                      // U
  const Index* row = nullptr;           // [U] row of the node
  const Index* graph = nullptr;         // [U]
  const std::uint32_t* node = nullptr;  // [U] node id, for the random streams
  const std::int64_t* first = nullptr;  // [U + 1] into `agents`
  const Index* agents = nullptr;        // [A] grouped by node
  const Index* node_of = nullptr;       // [A] which occupied node an agent stands on
  const S* scale = nullptr;             // [U] of the scaled sum over the agents there
};

// Identifies rows for the random streams of dropout: graph of the shard, and agent or node.
struct RowIds {
  const Index* graph = nullptr;
  const std::uint32_t* key = nullptr;
};

// A bit of the window that a candidate of a move has (window.h).
struct CandidateBit {
  Index candidate;
  Index bit;
};

// Where dropout applies; part of the random stream.
enum class DropoutSite : std::uint32_t {
  kNodeUpdateHidden,
  kNodeUpdateOut,
  kNeighbourhoodHidden,
  kNeighbourhoodOut,
  kAgentUpdateHidden,
  kAgentUpdateOut,
  kExploreHidden,
  kReadoutHidden,
  kReadoutOut,
  kHeadHidden,
  kHeadOut,
  kEdgeKernel,
};

template <class S>
struct Walk {
  const Weights<S>* weights = nullptr;
  RolloutOptions options;
  std::span<const GraphView> graphs;
  std::span<const std::uint64_t> graph_ids;  // keys of the random streams
  std::size_t first_in_batch = 0;            // position of graph 0 in the batch
  bool training = false;                     // backward will follow
  // Backward serves to explain: the logits of moves are kept, and products for the weights' gradients alone are not
  // made, so that `gradient` means nothing. A third less work.
  bool explaining = false;

  Index h = 0, k = 0, e = 0, B = 0, A = 0;
  Terrain<S>* terrain = nullptr;
  Arena* record = nullptr;   // until the end of the rollout
  Arena* scratch = nullptr;  // until the end of the visit

  // Agents.
  const Index* graph_of_agent = nullptr;                // [A]
  const std::uint32_t* number_of_agent = nullptr;       // [A] in its graph, from 0; number % k: its row of the table
  const Index* first_agent = nullptr;                   // [B + 1]
  Matrix<S> agents;                                     // [A, h] the present states
  const Index* position = nullptr;                      // [A] row of the node an agent stands on
  const Index* taken = nullptr;                         // [A] edge row of the last move, kNone: none
  const Index* const* trail = nullptr;                  // [T + 1] of [A] all positions so far, by time
  std::vector<CandidateBit>* candidate_bits = nullptr;  // scratch of read_candidate_bits (window.h)

  // Gradients, while going backward.
  Matrix<S> d_agents;     // [A, h]
  Matrix<S> d_nodes;      // [rows, h]
  Matrix<S> d_edges;      // [edge rows, e]
  S* d_weight = nullptr;  // [A] of the straight-through weight of the move that led to this visit
  S* gradient = nullptr;  // Weights::gradient_size()

  [[nodiscard]] const AgentNetConfig& config() const { return weights->config(); }
  // Memory that backward still needs, or that goes with the visit when there is no backward.
  [[nodiscard]] Arena& keep() const { return training ? *record : *scratch; }
  // An agent's row of the table [k, h].
  [[nodiscard]] std::size_t identity(Index agent) const {
    return number_of_agent[agent] % static_cast<std::uint32_t>(k);
  }
  [[nodiscard]] Index agents_of(Index graph) const { return first_agent[graph + 1] - first_agent[graph]; }
  [[nodiscard]] bool drops() const { return options.dropout && config().dropout > 0; }
};

// How many agents walk a graph: k, or k per node. Throws Error (kUsage) if their states would take too much memory.
[[nodiscard]] std::uint64_t agents_on(const AgentNetConfig& config, int k, const GraphView& graph);

// The factor of a scaled sum over c vectors (docs/spec.md, section 2).
[[nodiscard]] double reduce_scale(Reduce reduce, std::uint64_t count);

// The same for the neighbours of a place. Those of a sample stand for all: their sum is scaled up to the true degree.
[[nodiscard]] double neighbour_scale(Reduce reduce, const Place& place);

// x[rows, width] *= mask / (1 - p); the mask is a function of site, step and row identity, so the
// same call going backward applies the same mask.
template <class S>
void apply_dropout(const Walk<S>& walk, DropoutSite site, int step, Index rows, Index width, RowIds ids, Matrix<S> x);

// accumulate_layer() at these places of walk.gradient, if the weights are to learn.
template <class S>
void accumulate_weights(const Walk<S>& walk, Index M, Index out, Index in, Matrix<S> dy, Matrix<S> x,
                        std::size_t weight, Stride ld, std::size_t bias = kAbsent) {
  if (walk.explaining) return;
  accumulate_layer(M, out, in, dy, x, walk.gradient + weight, ld, bias == kAbsent ? nullptr : walk.gradient + bias);
}

// The rows that are added to a function's input: one for all rows, or one per graph.
template <class S>
struct OffsetRows {
  const S* data = nullptr;  // null: nothing is added
  Stride ld = 0;
  const Index* of_row = nullptr;  // graph of each row; null: one for all
};

template <class S>
[[nodiscard]] OffsetRows<S> offset_rows(const Walk<S>& walk, const InputOffsets<S>& offsets, int t,
                                        const Index* graph_of_row);
// Adds the gradient of columns [first, first + width) of the offsets: dz [rows, width].
template <class S>
void offset_gradient(const Walk<S>& walk, const InputOffsets<S>& offsets, int t, Index rows, Index first, Index width,
                     Matrix<S> dz, const Index* graph_of_row);

}  // namespace agentnet
