// Names and their places in a list. A file may have a hundred thousand columns: looking each of them up in a list
// would take the square of that.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

namespace agentnet {

class NameIndex {
 public:
  NameIndex() = default;
  explicit NameIndex(std::span<const std::string> names);

  // Gives the name the next number; false if it was there before, which keeps its number but uses up this one.
  bool add(std::string_view name);
  // The number of the first of this name.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return numbers_.contains(name); }
  void clear();

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): a name of the standard library
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> numbers_;
  std::size_t next_ = 0;
};

// "a, b, c" for a message: the first twelve, safe to print and each cut where it is long, "and 99988 more".
[[nodiscard]] std::string list_some(std::span<const std::string> names);

}  // namespace agentnet
