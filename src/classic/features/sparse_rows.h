// Rows of few numbers among many columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace agentnet {

struct SparseEntry {
  std::uint32_t column = 0;
  float value = 0;
};

struct SparseRows {
  std::size_t columns = 0;
  std::vector<std::size_t> start = {0};  // [rows + 1] into entries
  std::vector<SparseEntry> entries;      // columns ascending within a row

  [[nodiscard]] std::size_t count() const { return start.size() - 1; }
  [[nodiscard]] std::span<const SparseEntry> row(std::size_t i) const {
    return std::span(entries).subspan(start[i], start[i + 1] - start[i]);
  }
  void add(std::span<const SparseEntry> row) {
    entries.insert(entries.end(), row.begin(), row.end());
    start.push_back(entries.size());
  }
};

}  // namespace agentnet
