// The constructions of the claims and programmed agents walking in them, for drawing.
#pragma once

#include <string>
#include <vector>

#include "theory/judges/small_graph.h"

namespace agentnet::theory {

struct Scene {
  std::string title;
  SmallGraph graph;
  std::vector<std::vector<int>> ways;  // of each agent: the nodes it stood on, one after another
};

// Of the claim of that name (claims.h), the same every time. Throws Error (kUsage) if there is no such claim.
[[nodiscard]] std::vector<Scene> scenes_of(const std::string& claim);

}  // namespace agentnet::theory
