// Heat maps of graphs as SVG: one panel per quantity side by side, each with a legend that says what its colours are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agentnet/explain.h"
#include "agentnet/graph.h"
#include "view/pictures/quantity.h"
#include "view/pictures/spelling.h"

namespace agentnet {

// What a picture shows. The references must outlive the call.
struct PictureSubject {
  const GraphView& graph;
  const Explanation& explanation;  // of that graph
  const Spelling& spelling;
  std::span<const std::uint8_t> marks = {};  // [graph.num_nodes] outlined; may be empty
  std::string title, subtitle;               // id; prediction and truth
  std::string output;                        // what influence is about, such as "class yes"
};

struct Picture {
  std::string svg;
  bool molecule = false;        // drawn by RDKit
  std::string why_no_molecule;  // empty, or why a graph of atoms is drawn as a plain graph
};

constexpr std::size_t kMostDrawn = 300;  // nodes; of larger graphs a part is drawn, and the picture says so

// At least one panel; each quantity must have been measured, which throws Error (kUsage) otherwise.
[[nodiscard]] Picture draw_picture(const PictureSubject& subject, const std::vector<Quantity>& panels);

}  // namespace agentnet
