// The constructions of the claims and programmed agents walking in them, for drawing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "theory/judges/small_graph.h"

namespace agentnet::theory {

// Where an agent could go and how likely each of these was.
struct SceneMove {
  std::vector<int> nodes;
  std::vector<double> probability;
  bool operator==(const SceneMove&) const = default;
};

// One run of all agents. b agents, T moves.
struct SceneRun {
  std::vector<std::vector<int>> ways;         // [b][T + 1] the nodes that each agent stood on, one after another
  std::vector<std::vector<SceneMove>> moves;  // [b][T] between them
  bool operator==(const SceneRun&) const = default;
};

struct Scene {
  std::string title;
  SmallGraph graph;
  std::vector<SceneRun> runs;  // at least one; more where something is left to chance, no two alike
  std::uint32_t marks = 0;     // bits of the nodes that the claim is about: the neighbourhood, the clique, the cycle
};

// Of the claim of that name (claims.h): every claim has at least one. The same for the same seed. Throws Error (kUsage)
// if there is no such claim.
[[nodiscard]] std::vector<Scene> scenes_of(const std::string& claim, std::uint64_t seed = 0);

}  // namespace agentnet::theory
