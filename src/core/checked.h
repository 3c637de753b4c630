// Sizes that cannot silently wrap around.
//
// Every size that comes out of a file goes through these before it is used. One convention: overflow
// is an empty optional (or an invalid CheckedSize), and the caller, who knows the file and the place,
// throws the message.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace agentnet {

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  if (a > std::numeric_limits<std::uint64_t>::max() - b) return std::nullopt;
  return a + b;
}

[[nodiscard]] constexpr std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b) return std::nullopt;
  return a * b;
}

// The value as a To, or nothing if To cannot hold it.
template <std::integral To, std::integral From>
[[nodiscard]] constexpr std::optional<To> checked_cast(From value) {
  if (!std::in_range<To>(value)) return std::nullopt;
  return static_cast<To>(value);
}

// The same of a whole number that is kept as a double: a plain conversion of 1e300, or of NaN, is undefined.
template <std::integral To>
[[nodiscard]] inline std::optional<To> checked_from_double(double value) {
  // 2^bits is exact as a double; the largest To, which is one less, often is not.
  const double beyond = std::ldexp(1.0, std::numeric_limits<To>::digits);
  const double least = std::is_signed_v<To> ? -beyond : 0.0;
  if (!(value >= least && value < beyond) || value != std::floor(value)) return std::nullopt;
  return static_cast<To>(value);
}

// An unsigned 64-bit size for chains of products and sums: once a step overflows, the result stays
// invalid, so that one test at the end is enough. As in the reference safetensors crate, a product
// that overflows on its way to a factor of zero counts as overflow.
class CheckedSize {
 public:
  constexpr CheckedSize(std::uint64_t value) : value_(value) {}  // NOLINT: a plain size is a checked size

  friend constexpr CheckedSize operator+(CheckedSize a, CheckedSize b) {
    return a.valid() && b.valid() ? CheckedSize(checked_add(*a.value_, *b.value_)) : CheckedSize(std::nullopt);
  }
  friend constexpr CheckedSize operator*(CheckedSize a, CheckedSize b) {
    return a.valid() && b.valid() ? CheckedSize(checked_mul(*a.value_, *b.value_)) : CheckedSize(std::nullopt);
  }
  constexpr CheckedSize& operator+=(CheckedSize other) { return *this = *this + other; }
  constexpr CheckedSize& operator*=(CheckedSize other) { return *this = *this * other; }

  [[nodiscard]] constexpr bool valid() const { return value_.has_value(); }
  // Throws std::bad_optional_access if a step overflowed: test valid() first.
  [[nodiscard]] constexpr std::uint64_t value() const { return value_.value(); }
  // False for an invalid size, whatever it is compared with.
  [[nodiscard]] constexpr bool equals(std::uint64_t other) const { return value_ == other; }

 private:
  constexpr explicit CheckedSize(std::optional<std::uint64_t> value) : value_(value) {}
  std::optional<std::uint64_t> value_;
};

// A size for memory that is about to be taken: throws std::bad_alloc for one that no machine has, so that nothing is
// ever allocated by a number that has wrapped around. The limit leaves room for rounding up to cache lines.
[[nodiscard]] inline std::size_t to_allocate(CheckedSize size) {
  if (!size.valid() || size.value() > std::numeric_limits<std::size_t>::max() / 4) throw std::bad_alloc();
  return static_cast<std::size_t>(size.value());
}

}  // namespace agentnet
