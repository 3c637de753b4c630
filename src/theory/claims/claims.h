// The paper's claims, each as a program that says what it tried, what it saw, and whether the claim holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "theory/judges/small_graph.h"

namespace agentnet::theory {

struct ClaimOptions {
  bool thorough = false;
  std::uint64_t seed = 0;
  // Instead of the built-in list of all small connected graphs; e.g. all of 8 nodes.
  std::vector<SmallGraph> graphs = {};
};

enum class Holds {
  kYes,
  kCorrected,  // the idea does; the text needs the correction that Finding::correction says
  kNo,         // something was seen that contradicts the claim, corrected or not
};
[[nodiscard]] std::string_view holds_text(Holds holds);  // "holds", "holds as corrected", "does not hold"

struct Finding {
  Holds holds = Holds::kYes;
  std::string tried;                                              // graphs, starts, policies
  std::string seen;                                               // what came out
  std::string correction;                                         // what the text should say; empty: nothing
  std::vector<std::pair<std::string, std::string>> numbers = {};  // further results by name

  void number(std::string name, std::string value) { numbers.emplace_back(std::move(name), std::move(value)); }
  // Notes that something was seen that must not be; the first such thing is kept.
  void fails(const std::string& what);
};

struct Claim {
  const char* name;   // for the command line
  const char* where;  // in the paper
  const char* says;   // in one sentence
  Finding (*run)(const ClaimOptions& options);
};

// In the order of the paper. Every run is a function of its options: the same every time, on any thread.
[[nodiscard]] std::span<const Claim> claims();
// Throws Error (kUsage) that suggests a name.
[[nodiscard]] const Claim& claim_named(const std::string& name);

// The pairs of graphs of lemmas "cliques" and "cycles", from node 0: `paths` paths of `radius` nodes, `tail` nodes
// longer; in the closed one the first two have no tails and meet: their ends are adjacent (a cycle of 2 radius + 1
// nodes), or, `even`, the same node (2 radius).
struct PathsShape {
  int paths = 3, radius = 1, tail = 1;
  bool even = false;
};
[[nodiscard]] SmallGraph paths_graph(const PathsShape& shape, bool closed);

}  // namespace agentnet::theory
