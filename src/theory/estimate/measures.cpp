#include "theory/estimate/measures.h"

#include <fmt/core.h>

#include <algorithm>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet::theory {

namespace {

double factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }

}  // namespace

std::string Measure::name() const {
  switch (kind) {
    case Kind::kNodes:
      return "nodes";
    case Kind::kAverageDegree:
      return "average-degree";
    case Kind::kWedges:
      return "wedges";
    case Kind::kTriangles:
      return "triangles";
    case Kind::kClustering:
      return "clustering";
    case Kind::kCliques:
      return fmt::format("cliques:{}", size);
  }
  return "";
}

std::vector<Measure> parse_measures(std::string_view text) {
  const std::vector<std::string> names = {"nodes",      "average-degree", "wedges",    "triangles",
                                          "clustering", "cliques:4",      "cliques:5", "cliques:6"};
  std::vector<Measure> measures;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string name(text.substr(0, comma));
    const auto known = std::find(names.begin(), names.end(), name) - names.begin();
    if (known == static_cast<std::ptrdiff_t>(names.size())) {
      const auto near = closest_match(name, names);
      throw Error(ErrorKind::kUsage, fmt::format("'{}' cannot be estimated", name),
                  near ? fmt::format("did you mean {}?", *near) : fmt::format("choose of {}", join_text(names, ", ")));
    }
    Measure measure{known >= 5 ? Measure::Kind::kCliques : static_cast<Measure::Kind>(known),
                    known >= 5 ? static_cast<int>(known) - 1 : 0};
    if (std::find(measures.begin(), measures.end(), measure) == measures.end()) measures.push_back(measure);
    if (comma == std::string_view::npos) return measures;
    text.remove_prefix(comma + 1);
  }
}

Recipe recipe_of(const Measure& measure) {
  switch (measure.kind) {
    case Measure::Kind::kNodes:
      return {kInverse, 1, kColumns};
    case Measure::Kind::kAverageDegree:
      return {kEnds, 1, kInverse};
    case Measure::Kind::kWedges:
      return {kWedge, 1, kColumns};
    case Measure::Kind::kTriangles:
      return {kClosed, 1.0 / 6, kColumns};
    case Measure::Kind::kClustering:
      return {kClosed, 0.5, kWedge};  // 3 triangles / wedges
    case Measure::Kind::kCliques:
      return {kClosed + static_cast<std::size_t>(measure.size - 3), 1 / factorial(measure.size), kColumns};
  }
  return {};
}

}  // namespace agentnet::theory
