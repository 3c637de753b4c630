// The k agents of one graph, visit by visit (docs/spec.md, section 2): part of the oracle in plain_model.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/plain_functions.h"
#include "support/plain_model.h"

namespace agentnet {

class PlainWalk {
 public:
  // `graph` is the place of `view` in the batch; the features are one row per node and per feature row of an edge.
  // All references must outlive the walk.
  PlainWalk(const AgentNetConfig& config, const PlainFunctions& functions, const GraphView& view, std::size_t graph,
            const PlainOptions& options, const std::vector<Traced>& node_features,
            const std::vector<Traced>& edge_features);

  // To be called for t = 0..T in turn; returns the readout, of length C.
  Traced visit(int t);
  // Appends what visit t left to the result of the batch.
  void report(int t, PlainResult& result) const;

 private:
  struct Neighbour {
    std::uint64_t node = 0;
    Traced edge;  // its state; of length 0 without edge features
  };

  // Input (docs/spec.md, section 1).
  [[nodiscard]] Traced embed_node(std::uint64_t node, const std::vector<Traced>& features) const;
  [[nodiscard]] Traced embed_edge(std::uint64_t entry, const std::vector<Traced>& features) const;
  [[nodiscard]] Traced table_row(const std::string& tables, std::size_t column, std::int32_t category) const;

  // Step 4: moves.
  void move(std::size_t agent, int step);
  [[nodiscard]] std::vector<Neighbour> candidates(std::uint64_t node) const;
  void choose_at_random(std::size_t agent, int step, PlainMove& move) const;
  // The nodes that a policy other than the learned one leaves to chance; none: the agent stays.
  [[nodiscard]] std::set<std::uint64_t> allowed(std::size_t agent, const std::vector<std::uint64_t>& nodes) const;
  [[nodiscard]] std::uint64_t start_of(int agent) const;
  void choose_by_logits(std::size_t agent, int step, const std::vector<Neighbour>& choices, PlainMove& move);
  [[nodiscard]] Traced attention(std::size_t agent, const std::vector<Neighbour>& choices) const;
  [[nodiscard]] Traced edge_vector(std::uint64_t from, const Neighbour& to) const;
  [[nodiscard]] Traced edge_attention_sum(std::uint64_t node) const;
  [[nodiscard]] Traced exploration(std::size_t agent, const std::vector<Neighbour>& choices) const;

  [[nodiscard]] std::vector<double> window_bits(std::size_t agent, std::uint64_t node, std::size_t t) const;
  [[nodiscard]] Traced window_bias(std::size_t agent, const std::vector<Neighbour>& choices) const;

  // Steps 1 and 2: nodes.
  void update_nodes(int t);
  void look_around(int t);
  [[nodiscard]] Traced agent_message(std::size_t agent) const;
  [[nodiscard]] Traced neighbourhood_sum(std::uint64_t node) const;

  // Step 3 and the readout: agents.
  void update_agents(int t);
  [[nodiscard]] Traced read_out(int t) const;

  [[nodiscard]] std::vector<std::uint64_t> seen_entries(std::uint64_t node) const;
  [[nodiscard]] std::size_t hidden() const { return static_cast<std::size_t>(config_.hidden); }
  [[nodiscard]] std::uint64_t position(std::size_t agent) const { return trails_[agent].back(); }
  [[nodiscard]] std::set<std::uint64_t> occupied() const;
  [[nodiscard]] Traced constant_edge(double value) const;
  [[nodiscard]] std::vector<double> draws(std::size_t agent, int step, const std::vector<std::uint64_t>& nodes) const;
  [[nodiscard]] const PlainMove* frozen_move(std::size_t agent, int step) const;

  const AgentNetConfig& config_;
  const PlainFunctions& f_;
  const GraphView& view_;
  const std::size_t graph_;
  const PlainOptions& options_;

  std::vector<Traced> nodes_;                       // v, [n] of [h]
  std::vector<std::vector<Neighbour>> neighbours_;  // [n], as given, or a sample: without added self loops
  std::vector<Traced> agents_;                      // a, [k] of [h], or k per node
  std::vector<std::vector<std::uint64_t>> trails_;  // [k], all positions so far; the last is the current one
  std::vector<Traced> weights_;                     // w, [k], of the last move
  std::vector<Traced> edges_taken_;                 // e_taken, [k], of the last move
  std::map<std::uint64_t, Traced> edge_logits_;     // Merge::kWalk: of the occupied nodes' candidates, as of this visit
  std::vector<PlainMove> moves_;                    // [k], the last ones
};

}  // namespace agentnet
