// Which network a model is: its kind, its options, and what the data decides of it.
//
//   for (const NetworkKindInfo& kind : network_kinds()) ...           // "agentnet", ...
//   NetworkConfig config{.kind = "agentnet", .options = R"({"hidden": 32, "agents": 8})"};
//
// Plain values and functions without state: any number of threads may use them at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace agentnet {

// What the data decides of a network: how wide its rows are, and how many numbers it answers with.
struct DataShape {
  int node_features = 0;                  // dense columns per node
  std::vector<int> node_categories = {};  // vocabulary size of each categorical node column
  int edge_features = 0;                  // dense columns per edge
  std::vector<int> edge_categories = {};
  int outputs = 2;  // C: classes, questions or numbers

  bool operator==(const DataShape&) const = default;
};

struct NetworkConfig {
  std::string kind = "agentnet";
  std::string options = "{}";  // a JSON object; an option that it leaves out has its default
  DataShape shape = {};

  bool operator==(const NetworkConfig&) const = default;
};

// One line per option, for --help: name, default, allowed values, meaning.
struct OptionHelp {
  std::string name, default_value, range, help;
};

struct NetworkKindInfo {
  std::string name;
  std::string summary;  // one line
};

// Every kind of network that this program has.
[[nodiscard]] std::vector<NetworkKindInfo> network_kinds();
// The options of a kind that a user sets; what the data decides (DataShape) is not among them. Throws Error (kUsage),
// with a suggestion, for a kind that there is not.
[[nodiscard]] std::vector<OptionHelp> network_options(const std::string& kind);

// What running cost. For AgentNet it depends on agents, steps and degrees, not on the number of nodes.
struct RunWork {
  std::uint64_t nodes_touched = 0;  // nodes whose state was needed, over all graphs
  std::uint64_t edges_read = 0;     // entries of neighbour lists that were read
  std::uint64_t bytes_read = 0;     // of mapped files
  std::uint64_t pages_read = 0;     // of mapped files (4 KiB each), counted once in a rollout

  RunWork& operator+=(const RunWork& other) {
    nodes_touched += other.nodes_touched;
    edges_read += other.edges_read;
    bytes_read += other.bytes_read;
    pages_read += other.pages_read;
    return *this;
  }
};

// Where the agents of a network that walks went.
struct Walks {
  int agents = 0;                                     // k
  std::vector<std::vector<std::uint64_t>> positions;  // [T + 1][graphs * k] node of the agent's graph
  std::uint64_t nodes_touched = 0;                    // as RunWork::nodes_touched
};

}  // namespace agentnet
