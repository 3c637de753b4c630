#include "tape/segments.h"

#include <stdexcept>
#include <string>

namespace agentnet::tape {
namespace {

[[noreturn]] void bad(const char* operation, const std::string& what) {
  throw std::logic_error(std::string(operation) + ": " + what);
}

}  // namespace

void Segments::check(const char* operation, Index rows_of_matrix) const {
  if (rows != rows_of_matrix) {
    bad(operation, "segments of " + std::to_string(rows) + " rows, a matrix of " + std::to_string(rows_of_matrix));
  }
  if (offsets == nullptr || offsets[0] != 0) bad(operation, "offsets of segments begin with 0");
  for (Index i = 0; i < count; ++i) {
    if (offsets[i + 1] < offsets[i]) bad(operation, "offsets of segments go down at " + std::to_string(i));
  }
  const std::int64_t all = offsets[count];
  if (members == nullptr) {
    if (all > rows) bad(operation, std::to_string(all) + " rows in segments of " + std::to_string(rows));
    return;
  }
  for (std::int64_t e = 0; e < all; ++e) {
    if (members[e] < 0 || members[e] >= rows) {
      bad(operation, "row " + std::to_string(members[e]) + " of " + std::to_string(rows));
    }
  }
}

void Grouping::assign(std::span<const Index> group_of_row, Index groups) {
  groups_ = groups;
  offsets_.assign(static_cast<std::size_t>(groups) + 1, 0);
  for (const Index group : group_of_row) {
    if (group < 0 || group >= groups)
      bad("Grouping", "group " + std::to_string(group) + " of " + std::to_string(groups));
    ++offsets_[static_cast<std::size_t>(group) + 1];
  }
  for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
  members_.resize(group_of_row.size());
  // Filled from the end of each group: offsets_ ends as it began.
  for (std::size_t row = group_of_row.size(); row-- > 0;) {
    const auto group = static_cast<std::size_t>(group_of_row[row]);
    members_[static_cast<std::size_t>(--offsets_[group + 1])] = static_cast<Index>(row);
  }
  for (std::size_t i = 1; i + 1 < offsets_.size(); ++i) offsets_[i] = offsets_[i + 1];
  offsets_.back() = static_cast<std::int64_t>(group_of_row.size());
}

Segments Grouping::segments() const {
  return {.count = groups_,
          .rows = static_cast<Index>(members_.size()),
          .offsets = offsets_.data(),
          .members = members_.data(),
          .disjoint = true};
}

void Transposed::assign(const Segments& of) {
  of.check("Transposed", of.rows);
  const auto member = [&](std::int64_t e) { return of.members != nullptr ? of.members[e] : static_cast<Index>(e); };
  offsets_.assign(static_cast<std::size_t>(of.rows) + 1, 0);
  const std::int64_t all = of.offsets[of.count];
  for (std::int64_t e = 0; e < all; ++e) ++offsets_[static_cast<std::size_t>(member(e)) + 1];
  for (std::size_t i = 1; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
  members_.resize(static_cast<std::size_t>(all));
  for (Index segment = of.count; segment-- > 0;) {
    for (std::int64_t e = of.offsets[segment + 1]; e-- > of.offsets[segment];) {
      members_[static_cast<std::size_t>(--offsets_[static_cast<std::size_t>(member(e)) + 1])] = segment;
    }
  }
  for (std::size_t i = 1; i + 1 < offsets_.size(); ++i) offsets_[i] = offsets_[i + 1];
  offsets_.back() = all;
  view_ = {.count = of.rows, .rows = of.count, .offsets = offsets_.data(), .members = members_.data()};
}

}  // namespace agentnet::tape
