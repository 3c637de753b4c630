// One graph of the page with its walks: `Detail` of web/src/data.ts.
#pragma once

#include <cstddef>
#include <string>

#include "agentnet/explain.h"
#include "agentnet/graph.h"
#include "view/pictures/spelling.h"

namespace agentnet {

struct DetailSource {
  std::size_t row = 0;  // of the page's list
  const Explanation* explanation = nullptr;
  GraphView graph;
  NodeNotes notes;
  const Spelling* spelling = nullptr;
};

// With the first `rollouts` of the recorded walks.
[[nodiscard]] std::string detail_json(const DetailSource& source, std::size_t rollouts);

}  // namespace agentnet
