// Exact fractions for exact statements: probabilities of walks, and the best that any policy can do.
#pragma once

#include <cstdint>
#include <string>

namespace agentnet::theory {

// Always in lowest terms, the denominator positive. A result that does not fit 64 bits throws Error (kFailure).
class Rational {
 public:
  Rational() = default;
  Rational(std::int64_t whole) : top_(whole) {}  // NOLINT(google-explicit-constructor): 1 is a fraction
  Rational(std::int64_t top, std::int64_t bottom);

  [[nodiscard]] std::int64_t top() const { return top_; }
  [[nodiscard]] std::int64_t bottom() const { return bottom_; }
  [[nodiscard]] double value() const { return static_cast<double>(top_) / static_cast<double>(bottom_); }
  [[nodiscard]] std::string text() const;  // "5/6", "1"

  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  friend Rational operator/(const Rational& a, const Rational& b);
  Rational& operator+=(const Rational& other) { return *this = *this + other; }
  bool operator==(const Rational&) const = default;
  friend bool operator<(const Rational& a, const Rational& b);
  friend bool operator>(const Rational& a, const Rational& b) { return b < a; }
  friend bool operator<=(const Rational& a, const Rational& b) { return !(b < a); }
  friend bool operator>=(const Rational& a, const Rational& b) { return !(a < b); }

 private:
  std::int64_t top_ = 0, bottom_ = 1;
};

}  // namespace agentnet::theory
