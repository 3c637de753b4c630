// Where do the agents of a model go? Counts the nodes that each agent saw and how often agents met.
//
//   walk_statistics [MODEL_FILE]     of train_on_own_graphs
//
// In a message-passing network every node takes part in every layer. Here a handful of agents visits a few nodes, and
// where they went can be asked for: the walk is the computation. The same model runs on a graph of any size.
#include <agentnet/config.h>
#include <agentnet/error.h>
#include <agentnet/graph.h>
#include <agentnet/model.h>

#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

namespace {

// Coloured like a chessboard, since the model was trained on nodes of two colours.
agentnet::Graph grid(std::uint32_t side) {
  agentnet::GraphParts parts;
  parts.num_nodes = std::uint64_t{side} * side;
  parts.undirected = true;
  for (std::uint32_t v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) parts.from.push_back(v), parts.to.push_back(v + 1);
    if (v + side < side * side) parts.from.push_back(v), parts.to.push_back(v + side);
    parts.node_categories.push_back(static_cast<std::int32_t>((v / side + v % side) % 2));
  }
  return agentnet::Graph(std::move(parts));
}

// How many different nodes each agent stood on.
std::vector<std::size_t> nodes_seen(const agentnet::Walks& walks) {
  std::vector<std::set<std::uint64_t>> seen(static_cast<std::size_t>(walks.agents));
  for (const auto& visit : walks.positions) {  // one per time step: [agents]
    for (std::size_t agent = 0; agent < seen.size(); ++agent) seen[agent].insert(visit[agent]);
  }
  std::vector<std::size_t> counts;
  for (const auto& nodes : seen) counts.push_back(nodes.size());
  return counts;
}

// How many pairs of agents stood on the same node at the same time, over all time steps.
int meetings(const agentnet::Walks& walks) {
  int count = 0;
  for (const auto& visit : walks.positions) {
    for (std::size_t a = 0; a < visit.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) count += visit[a] == visit[b];
    }
  }
  return count;
}

void report(const char* name, const agentnet::Model& model, const agentnet::Graph& graph) {
  constexpr int kRollouts = 50;
  const std::vector<agentnet::GraphView> graphs = {graph.view()};
  double seen = 0;
  int met = 0;
  std::uint64_t touched = 0;
  for (int rollout = 0; rollout < kRollouts; ++rollout) {
    agentnet::Walks walks;
    (void)model.run(graphs, {.seed = 1, .rollout = static_cast<std::uint64_t>(rollout)}, &walks);
    for (const std::size_t count : nodes_seen(walks)) seen += static_cast<double>(count) / walks.agents;
    met += meetings(walks);
    touched += walks.nodes_touched;
  }
  std::printf("%-14s %12.1f %12.1f %16.1f\n", name, seen / kRollouts, static_cast<double>(met) / kRollouts,
              static_cast<double>(touched) / kRollouts);
}

void run(const std::string& file) {
  const agentnet::Model trained = agentnet::Model::load(file);
  agentnet::AgentNetConfig config = agentnet::agentnet_config(trained.config());
  config.moves = agentnet::MovePolicy::kRandom;  // the paper's random-walk variant: all moves are equally likely
  const agentnet::Model random(config, /*seed=*/1);

  std::printf("%d agents, %d moves each; means over 50 rollouts\n", config.agents, config.steps);
  for (const std::uint32_t side : {4U, 20U, 400U}) {
    const agentnet::Graph graph = grid(side);
    std::printf("\ngrid of %u x %u   nodes/agent     meetings    nodes touched\n", side, side);
    report("trained", trained, graph);
    report("random moves", random, graph);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "rings.safetensors");
  } catch (const agentnet::Error& error) {
    std::fprintf(stderr, "error: %s\nhint: %s\n", error.what(), error.hint().c_str());
    return agentnet::exit_code(error.kind());
  }
}
