// Built-in sets of graphs with known answers (docs/spec.md, section 5), and the pairs of graphs
// of the paper's theorems.
//
//   Dataset data = make_synthetic("synthetic:ladder?nodes=64&density=0.5&graphs=300&seed=3");
//
// The same text gives the same graphs, on any machine. Classes have the same number of graphs (to within one) and come
// in random order. Nodes have one constant feature, but where the construction says otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/graph.h"

namespace agentnet {

// 4-cycles: 16 nodes in four blocks of four. Blocks 0-2 and 1-3 are matched by identity, blocks 0-1 and 2-3 by two
// random permutations; the class is 1 if the permutations agree somewhere, which closes a 4-cycle. Both classes
// look the same to standard message-passing networks: every node has degree 2. Half the graphs are of each class, in
// random order. One constant feature per node.
[[nodiscard]] GraphSet four_cycles(std::size_t graphs, std::uint64_t seed);

// What may follow the question mark.
struct SyntheticParameter {
  std::string name;
  std::string fallback;  // the value when it is not given; empty: there is none
  std::string help;
  std::vector<std::string> choices = {};  // of a word; empty: the value is a number
  bool whole = true;
  double minimum = 0, maximum = 0;

  [[nodiscard]] std::string range() const;  // "1 to 1000", "house, cycle5 or clique4"
};

struct SyntheticHelp {
  std::string name;
  std::string summary;
  std::vector<SyntheticParameter> parameters;
};

inline constexpr std::string_view kSyntheticPrefix = "synthetic:";

// Every set there is, with its parameters: the one table behind make_synthetic, --help and the documentation.
[[nodiscard]] std::vector<SyntheticHelp> synthetic_sets();

// Makes the set that `spec` names: "synthetic:NAME" or "synthetic:NAME?key=value&key=value". Throws Error (kUsage) for
// a name, a key or a value that makes no sense, and for a set of more than 100 million nodes.
[[nodiscard]] Dataset make_synthetic(std::string_view spec);

}  // namespace agentnet
