// What a colour can stand for. Three things that are not the same and must never be mixed up in a caption.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/explain.h"
#include "view/pictures/colour_scale.h"

namespace agentnet {

enum class Quantity {
  kVisits,     // how often agents stood there
  kInfluence,  // gradient times input
  kLeftOut,    // the change when it is taken away
};

// "visits", "influence", "leave-one-out"; and back, an unknown name throws Error (kUsage).
[[nodiscard]] std::string_view quantity_name(Quantity quantity);
[[nodiscard]] Quantity quantity_from_name(std::string_view name);

[[nodiscard]] const std::vector<double>& node_values(const Explanation& explanation, Quantity quantity);
[[nodiscard]] double edge_value(const ExplainedEdge& edge, Quantity quantity);
// Influence and leave-one-out of nodes and edges share a scale; moves along edges are no visits and have their own.
[[nodiscard]] ColourScale node_scale(const Explanation& explanation, Quantity quantity);
[[nodiscard]] ColourScale edge_scale(const Explanation& explanation, Quantity quantity);

// A heading, and what it means in one line. `output` names what the explanation is about.
struct Caption {
  std::string heading, meaning;
};
[[nodiscard]] Caption caption(Quantity quantity, std::string_view output);

// The nodes (indices into Explanation::nodes) in the order of their values: the largest first, or, for signed ones, the
// largest whatever their sign. At most `most`, and none whose value is 0.
[[nodiscard]] std::vector<std::uint32_t> top_nodes(const Explanation& explanation, Quantity quantity, std::size_t most);

}  // namespace agentnet
