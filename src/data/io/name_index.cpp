#include "data/io/name_index.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/text.h"

namespace agentnet {

NameIndex::NameIndex(std::span<const std::string> names) {
  numbers_.reserve(names.size());
  for (const std::string& name : names) add(name);
}

bool NameIndex::add(std::string_view name) { return numbers_.try_emplace(std::string(name), next_++).second; }

std::optional<std::size_t> NameIndex::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

void NameIndex::clear() {
  numbers_.clear();
  next_ = 0;
}

std::string list_some(std::span<const std::string> names) {
  constexpr std::size_t kMost = 12, kLongest = 80;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) {
    const bool long_one = names[i].size() > kLongest;
    text += (i == 0 ? "" : ", ") + (long_one ? in_quotes(names[i]) : printable(names[i]));
  }
  if (names.size() > kMost) text += fmt::format(", and {} more", names.size() - kMost);
  return text;
}

}  // namespace agentnet
