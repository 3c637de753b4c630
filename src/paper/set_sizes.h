// Table 4 of the paper: the sizes of the public sets, counted again.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "paper/tables.h"

namespace agentnet {

struct SizesOptions {
  std::filesystem::path data;  // where public sets are
  std::filesystem::path made;  // where a set is put together that has no file of its own
  int threads = 1;
  // Called with the name of each set before it is read, or with what is missing.
  std::function<void(const std::string&)> say = {};
};

// The paper's figures with ours, counted from the sets that are found; the cells of others are blank.
[[nodiscard]] PaperTable set_sizes_table(const SizesOptions& options);

}  // namespace agentnet
