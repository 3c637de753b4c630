// The drawing inside one panel of a picture: nodes as coloured circles, edges as lines.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "view/pictures/layout.h"
#include "view/pictures/picture.h"

namespace agentnet {

struct DrawingBox {
  double width = 0, height = 0;
};

// The size that so many nodes need, and the same no taller than the layout.
[[nodiscard]] DrawingBox box_for(std::size_t nodes);
[[nodiscard]] DrawingBox box_for(const Layout& layout);

// SVG elements for the box, its upper left corner in the origin. `part` are indices into Explanation::nodes, laid out
// in that order.
[[nodiscard]] std::string draw_graph(const PictureSubject& subject, const std::vector<std::uint32_t>& part,
                                     const Layout& layout, Quantity quantity, const DrawingBox& box);

}  // namespace agentnet
