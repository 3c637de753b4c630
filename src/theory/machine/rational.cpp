#include "theory/machine/rational.h"

#include <limits>
#include <numeric>
#include <utility>

#include "agentnet/error.h"

namespace agentnet::theory {

namespace {

__extension__ using Wide = __int128;  // products of two 64-bit numbers, before they are reduced

constexpr Wide kMost = std::numeric_limits<std::int64_t>::max();

Wide greatest_common_divisor(Wide a, Wide b) {
  while (a > kMost || b > kMost) {
    if (b == 0) return a;
    a = std::exchange(b, a % b);
  }
  return std::gcd(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
}

Rational reduced(Wide top, Wide bottom) {
  const Wide divisor = greatest_common_divisor(top < 0 ? -top : top, bottom < 0 ? -bottom : bottom);
  if (divisor > 1) {
    top /= divisor;
    bottom /= divisor;
  }
  if (top > kMost || -top > kMost || bottom > kMost || -bottom > kMost) {
    throw Error(ErrorKind::kFailure, "an exact probability does not fit 64 bits",
                "enumerate fewer steps, or sample instead");
  }
  return {static_cast<std::int64_t>(top), static_cast<std::int64_t>(bottom)};
}

}  // namespace

Rational::Rational(std::int64_t top, std::int64_t bottom) : top_(top), bottom_(bottom) {
  if (bottom == 0) throw Error(ErrorKind::kFailure, "a fraction was divided by zero");
  const std::int64_t divisor = std::gcd(top_, bottom_) * (bottom_ < 0 ? -1 : 1);
  top_ /= divisor;
  bottom_ /= divisor;
}

std::string Rational::text() const {
  return bottom_ == 1 ? std::to_string(top_) : std::to_string(top_) + "/" + std::to_string(bottom_);
}

Rational operator+(const Rational& a, const Rational& b) {
  return reduced(Wide(a.top_) * b.bottom_ + Wide(b.top_) * a.bottom_, Wide(a.bottom_) * b.bottom_);
}
Rational operator-(const Rational& a, const Rational& b) {
  return reduced(Wide(a.top_) * b.bottom_ - Wide(b.top_) * a.bottom_, Wide(a.bottom_) * b.bottom_);
}
Rational operator*(const Rational& a, const Rational& b) {
  return reduced(Wide(a.top_) * b.top_, Wide(a.bottom_) * b.bottom_);
}
Rational operator/(const Rational& a, const Rational& b) {
  return reduced(Wide(a.top_) * b.bottom_, Wide(a.bottom_) * b.top_);
}
bool operator<(const Rational& a, const Rational& b) { return Wide(a.top_) * b.bottom_ < Wide(b.top_) * a.bottom_; }

}  // namespace agentnet::theory
