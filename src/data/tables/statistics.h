// What a set of graphs looks like: sizes, degrees, labels, suspicious duplicates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

struct Spread {
  double mean = 0, min = 0, max = 0;
  double total = 0;
};

// Of one target column; for classes only `blanks` means something.
struct TargetStatistics {
  std::string name;
  std::uint64_t blanks = 0;
  Spread values;
  double deviation = 0;
  std::uint64_t positives = 0;  // values of 1, of a yes/no question
};

struct SetStatistics {
  std::uint64_t graphs = 0;
  Spread nodes;   // per graph
  Spread edges;   // per graph; an edge and its reverse count once, as does a self loop
  Spread degree;  // per node: entries of its neighbour list
  std::uint64_t self_loops = 0;
  std::uint64_t one_way_edges = 0;          // without a reverse
  std::uint64_t isolated_nodes = 0;         // without any edge but a self loop
  std::uint64_t disconnected_graphs = 0;    // of several parts that no agent can walk between
  std::uint64_t repeated_ids = 0;           // graphs whose id another one has as well
  std::vector<std::uint64_t> class_counts;  // in the order of schema.classes
  std::vector<TargetStatistics> targets;

  // Graphs with the same Weisfeiler-Lehman hash: probably the same.
  std::uint64_t duplicate_groups = 0, graphs_in_groups = 0;
  std::uint64_t conflicting_groups = 0;  // whose graphs have different targets
};

[[nodiscard]] SetStatistics statistics_of(const Dataset& data);

}  // namespace agentnet
