// Inputs for kernels: matrices whose rows lie further apart than they are wide, and numbers to fill them with.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ostream>
#include <vector>

#include "core/random.h"
#include "tensor/kernels.h"

namespace agentnet {

// The last row ends with its last column, so that a sanitizer sees every access beyond it.
template <class S>
class Table {
 public:
  Table() = default;
  Table(Index rows, Index columns, Index padding, S padding_value)
      : rows_(rows), columns_(columns), ld_(columns + padding) {
    const auto size = rows > 0 ? static_cast<std::size_t>((rows - 1) * ld_ + columns) : 0;
    values_.assign(size, padding_value);
  }

  [[nodiscard]] S* data() { return values_.data(); }
  [[nodiscard]] const S* data() const { return values_.data(); }
  [[nodiscard]] S* row(Index i) { return data() + i * ld_; }
  [[nodiscard]] const S* row(Index i) const { return data() + i * ld_; }
  [[nodiscard]] S& operator()(Index i, Index j) { return row(i)[j]; }
  [[nodiscard]] S operator()(Index i, Index j) const { return row(i)[j]; }
  [[nodiscard]] Stride ld() const { return ld_; }
  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index columns() const { return columns_; }

  // Every value, and what lies between the rows.
  bool operator==(const Table&) const = default;

 private:
  Index rows_ = 0, columns_ = 0;
  Stride ld_ = 0;
  std::vector<S> values_;
};

// For messages of GoogleTest: the values of small tables.
template <class S>
void PrintTo(const Table<S>& t, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << t.rows() << " x " << t.columns();
  for (Index i = 0; i < t.rows() && t.rows() * t.columns() <= 400; ++i) {
    *out << (i == 0 ? ":\n " : ";\n ");
    for (Index j = 0; j < t.columns(); ++j) *out << ' ' << t(i, j);
  }
}

// Small whole numbers: their products and sums are exact in float, so that any order of summation gives the same
// result and a comparison needs no tolerance. Or bell-shaped numbers, which round.
enum class Values { kExact, kReal };

template <class S>
class Maker {
 public:
  explicit Maker(std::uint64_t seed, Values values = Values::kExact)
      : random_(seed, Purpose::kTest), exact_(values == Values::kExact) {}

  [[nodiscard]] S value() {
    return exact_ ? static_cast<S>(static_cast<int>(random_.below(9)) - 4) : static_cast<S>(random_.normal());
  }
  [[nodiscard]] Index below(Index n) { return static_cast<Index>(random_.below(static_cast<std::uint64_t>(n))); }
  [[nodiscard]] std::uint32_t word() { return random_.next_u32(); }

  // Whoever reads between the rows of an input gets NaN; whoever writes between those of an output leaves a trace.
  [[nodiscard]] Table<S> input(Index rows, Index columns) {
    return filled(rows, columns, std::numeric_limits<S>::quiet_NaN());
  }
  [[nodiscard]] Table<S> output(Index rows, Index columns) { return filled(rows, columns, S(777)); }

  [[nodiscard]] std::vector<S> values(Index n) {
    std::vector<S> all(static_cast<std::size_t>(n));
    for (S& v : all) v = value();
    return all;
  }
  // Factors that keep whole numbers exact.
  [[nodiscard]] std::vector<S> scales(Index n) {
    std::vector<S> all(static_cast<std::size_t>(n));
    for (S& v : all) v = exact_ ? static_cast<S>(std::ldexp(below(2) == 0 ? 1.0 : -1.0, below(3) - 1)) : value();
    return all;
  }
  // n numbers below `below`, some of them several times.
  [[nodiscard]] std::vector<Index> indices(Index n, Index limit) {
    std::vector<Index> all(static_cast<std::size_t>(n));
    for (Index& i : all) i = below(limit);
    return all;
  }
  // n different numbers below `limit`, in any order.
  [[nodiscard]] std::vector<Index> distinct(Index n, Index limit) {
    std::vector<Index> all(static_cast<std::size_t>(limit));
    for (Index i = 0; i < limit; ++i) all[static_cast<std::size_t>(i)] = i;
    random_.shuffle(all);
    all.resize(static_cast<std::size_t>(n));
    return all;
  }

 private:
  Table<S> filled(Index rows, Index columns, S padding_value) {
    Table<S> t(rows, columns, below(6), padding_value);
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) t(i, j) = value();
    }
    return t;
  }

  RandomSequence random_;
  bool exact_;
};

// Segments of [0, size) for segment kernels: first[i] <= last[i], some empty, some overlapping.
struct Segments {
  std::vector<std::int64_t> first, last;
};
template <class S>
[[nodiscard]] Segments some_segments(Maker<S>& maker, Index count, Index size) {
  Segments s;
  for (Index i = 0; i < count; ++i) {
    s.first.push_back(maker.below(size + 1));
    s.last.push_back(s.first.back() + maker.below(size - static_cast<Index>(s.first.back()) + 1));
  }
  return s;
}

}  // namespace agentnet
