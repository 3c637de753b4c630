// Values of a set that its schema rules out. Text cannot hold them; files of arrays, and programs, can.
#pragma once

#include <optional>
#include <string>

#include "agentnet/data.h"

namespace agentnet {

struct WrongValue {
  std::string what;     // "graph 3, node 1: column 'label' holds a value that is none of those it lists"
  bool unseen = false;  // a category that apply_vocabulary() gives to values which a model does not know
};

// The first category that its column does not list.
[[nodiscard]] std::optional<WrongValue> unlisted_category(const Dataset& data);

// The first target that its task cannot have: no class number, neither yes nor no, not finite. Blanks are all right.
[[nodiscard]] std::optional<WrongValue> wrong_target(const Dataset& data);

// The number of a class that a target stands for; it is no blank. Throws Error (kData) if there is no such class.
[[nodiscard]] std::size_t class_of_target(const Dataset& data, std::size_t graph, double target);

}  // namespace agentnet
