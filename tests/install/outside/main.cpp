// A user of the installed package: only public headers, only agentnet::agentnet.
#include <agentnet/config.h>
#include <agentnet/error.h>
#include <agentnet/graph.h>
#include <agentnet/model.h>
#include <agentnet/version.h>

#include <cstdio>

// usage: outside FILE, which is written and left
int main(int argc, char** argv) {
  if (argc != 2) return 2;
  agentnet::GraphParts parts;
  parts.num_nodes = 4;
  parts.from = {0, 1, 2, 3};
  parts.to = {1, 2, 3, 0};
  parts.undirected = true;
  const agentnet::Graph square(parts);

  parts.to[0] = 9;
  bool refused = false;
  try {
    const agentnet::Graph bad(parts);
  } catch (const agentnet::Error& error) {
    refused = error.kind() == agentnet::ErrorKind::kData;
  }

  agentnet::AgentNetConfig config;
  config.hidden = 16;
  config.agents = 2;
  const agentnet::Model model(config, 1);
  model.save(argv[1]);
  const agentnet::GraphView view = square.view();
  agentnet::Walks walks;
  const auto before = model.run({&view, 1}, {.seed = 1}, &walks);
  const auto after = agentnet::Model::load(argv[1]).run({&view, 1}, {.seed = 1});

  std::printf("agentnet %s: %d nodes, %d edges; a bad graph is %s; %d visits; a saved model answers the %s\n",
              agentnet::kVersion, static_cast<int>(square.num_nodes()), static_cast<int>(square.num_edges()),
              refused ? "refused" : "accepted", static_cast<int>(walks.positions.size()),
              before == after ? "same" : "other");
}
