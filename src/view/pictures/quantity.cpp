#include "view/pictures/quantity.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet {
namespace {

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

double largest_of_edges(const Explanation& explanation, Quantity quantity) {
  double most = 0;
  for (const ExplainedEdge& edge : explanation.edges) most = std::max(most, std::abs(edge_value(edge, quantity)));
  return most;
}

}  // namespace

std::string_view quantity_name(Quantity quantity) {
  switch (quantity) {
    case Quantity::kInfluence:
      return "influence";
    case Quantity::kLeftOut:
      return "leave-one-out";
    case Quantity::kVisits:
      break;
  }
  return "visits";
}

Quantity quantity_from_name(std::string_view name) {
  std::vector<std::string> known;
  for (const Quantity quantity : {Quantity::kVisits, Quantity::kInfluence, Quantity::kLeftOut}) {
    if (quantity_name(quantity) == name) return quantity;
    known.emplace_back(quantity_name(quantity));
  }
  const auto meant = closest_match(name, known);
  throw Error(ErrorKind::kUsage, fmt::format("no colour is called {}", in_quotes(name)),
              meant ? fmt::format("did you mean {}?", *meant) : fmt::format("there are {}", join_text(known, ", ")));
}

const std::vector<double>& node_values(const Explanation& explanation, Quantity quantity) {
  switch (quantity) {
    case Quantity::kInfluence:
      return explanation.influence;
    case Quantity::kLeftOut:
      return explanation.left_out;
    case Quantity::kVisits:
      break;
  }
  return explanation.visits;
}

double edge_value(const ExplainedEdge& edge, Quantity quantity) {
  switch (quantity) {
    case Quantity::kInfluence:
      return edge.influence;
    case Quantity::kLeftOut:
      return edge.left_out;
    case Quantity::kVisits:
      break;
  }
  return edge.crossings;
}

ColourScale node_scale(const Explanation& explanation, Quantity quantity) {
  const double limit = largest(node_values(explanation, quantity));
  if (quantity == Quantity::kVisits) return {ColourScale::Kind::kAmount, limit};
  return {ColourScale::Kind::kSigned, std::max(limit, largest_of_edges(explanation, quantity))};
}

ColourScale edge_scale(const Explanation& explanation, Quantity quantity) {
  if (quantity != Quantity::kVisits) return node_scale(explanation, quantity);
  return {ColourScale::Kind::kAmount, largest_of_edges(explanation, quantity)};
}

Caption caption(Quantity quantity, std::string_view output) {
  switch (quantity) {
    case Quantity::kInfluence:
      return {"Influence", fmt::format("on {}: gradient times input", output)};
    case Quantity::kLeftOut:
      return {"Leave-one-out", fmt::format("what {} loses when it is taken away", output)};
    case Quantity::kVisits:
      break;
  }
  return {"Visits", "how often agents stood there, per rollout"};
}

std::vector<std::uint32_t> top_nodes(const Explanation& explanation, Quantity quantity, std::size_t most) {
  const std::vector<double>& values = node_values(explanation, quantity);
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::erase_if(order, [&](std::uint32_t i) { return values[i] == 0 || std::isnan(values[i]); });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return std::abs(values[a]) > std::abs(values[b]); });
  order.resize(std::min(order.size(), most));
  return order;
}

}  // namespace agentnet
