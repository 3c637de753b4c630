#include "view/pictures/positions.h"

#include <algorithm>
#include <cmath>

namespace agentnet {
namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The direction of largest spread, among those at a right angle to `other` (which may be zero). Power iteration, from a
// fixed start: the same points give the same picture.
Vector main_direction(const Matrix& spread, const Vector& other) {
  Vector v = {1, 0.7, 0.4};
  for (int i = 0; i < 200; ++i) {
    Vector next = {dot(spread[0], v), dot(spread[1], v), dot(spread[2], v)};
    const double along = dot(next, other);
    for (int d = 0; d < 3; ++d) next[d] -= along * other[d];
    const double length = std::sqrt(dot(next, next));
    if (!(length > 1e-12)) return {0, 0, 0};
    for (int d = 0; d < 3; ++d) v[d] = next[d] / length;
  }
  return v;
}

}  // namespace

std::vector<std::array<double, 2>> flat_positions(std::span<const float> positions,
                                                  std::span<const std::uint64_t> nodes) {
  Vector mean = {0, 0, 0};
  const auto at = [&](std::uint64_t node, int d) {
    const double x = positions[3 * node + static_cast<std::uint64_t>(d)];
    return std::isfinite(x) ? x : 0;
  };
  for (const std::uint64_t node : nodes) {
    for (int d = 0; d < 3; ++d) mean[d] += at(node, d) / static_cast<double>(nodes.size());
  }
  Matrix spread = {};
  for (const std::uint64_t node : nodes) {
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b) spread[a][b] += (at(node, a) - mean[a]) * (at(node, b) - mean[b]);
    }
  }
  Vector right = {1, 0, 0}, up = {0, 1, 0};
  if (spread[2][2] > 1e-9 * (spread[0][0] + spread[1][1])) {
    right = main_direction(spread, {0, 0, 0});
    up = main_direction(spread, right);
  }
  std::vector<std::array<double, 2>> places;
  for (const std::uint64_t node : nodes) {
    const Vector p = {at(node, 0) - mean[0], at(node, 1) - mean[1], at(node, 2) - mean[2]};
    places.push_back({dot(p, right), -dot(p, up)});  // a page counts downwards
  }
  return places;
}

}  // namespace agentnet
