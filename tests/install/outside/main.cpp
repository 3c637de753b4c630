// A user of the installed package: only public headers, only agentnet::agentnet.
#include <agentnet/error.h>
#include <agentnet/graph.h>
#include <agentnet/version.h>

#include <cstdio>

int main() {
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
  std::printf("agentnet %s: %d nodes, %d edges; a bad graph is %s\n", agentnet::kVersion,
              static_cast<int>(square.num_nodes()), static_cast<int>(square.num_edges()),
              refused ? "refused" : "accepted");
}
