// How several programs share the rows of one source: each takes every N-th block of rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace agentnet {

struct RowShare {
  std::uint64_t part = 0, parts = 1;  // which of how many
  std::uint64_t block = 256;          // rows that follow one another go to the same part

  [[nodiscard]] bool has(std::uint64_t row) const { return row / block % parts == part; }
  // How many of the first `rows` rows.
  [[nodiscard]] std::uint64_t count(std::uint64_t rows) const {
    const std::uint64_t blocks = rows / block;
    const std::uint64_t whole = blocks / parts + (part < blocks % parts ? 1 : 0);
    return whole * block + (blocks % parts == part ? rows % block : 0);
  }
  bool operator==(const RowShare&) const = default;
};

// What a part of a source is: so many rows at a time, and of those only a share. Rows that are left out are counted,
// and as little of them is looked at as their format allows.
struct RowParts {
  // NOLINTNEXTLINE(google-explicit-constructor): a number of rows is the usual case.
  RowParts(std::size_t rows_at_a_time, RowShare of_them = {}) : rows(rows_at_a_time), share(of_them) {}

  std::size_t rows;
  RowShare share;
};

}  // namespace agentnet
