#include "view/pictures/colour_scale.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace agentnet {
namespace {

constexpr Rgb rgb(int r, int g, int b) { return {r / 255.0, g / 255.0, b / 255.0}; }

constexpr std::array kAmount = {rgb(247, 248, 246), rgb(205, 229, 222), rgb(146, 203, 190), rgb(78, 171, 158),
                                rgb(24, 138, 130)};
constexpr std::array kSigned = {rgb(49, 118, 184),  rgb(121, 172, 214), rgb(190, 214, 234), rgb(247, 246, 243),
                                rgb(252, 211, 163), rgb(247, 166, 87),  rgb(232, 115, 20)};

// Linear between neighbouring colours; x from 0 to 1.
Rgb along(std::span<const Rgb> stops, double x) {
  const double at = std::clamp(x, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const double f = at - static_cast<double>(i);
  const Rgb &a = stops[i], &b = stops[i + 1];
  return {a.r + f * (b.r - a.r), a.g + f * (b.g - a.g), a.b + f * (b.b - a.b)};
}

}  // namespace

std::string hex(const Rgb& colour) {
  const auto byte = [](double part) { return static_cast<int>(std::lround(255 * std::clamp(part, 0.0, 1.0))); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(colour.r), byte(colour.g), byte(colour.b));
}

Rgb ColourScale::at(double value) const {
  const double share = limit_ > 0 && std::isfinite(value) ? value / limit_ : 0;
  return kind_ == Kind::kAmount ? along(kAmount, share) : along(kSigned, (share + 1) / 2);
}

}  // namespace agentnet
