// Files that people have and that are not read: what they are, and how to make something of them that is.
#pragma once

#include <string_view>

#include "data/io/input.h"

namespace agentnet {

// Throws Error (kData) if the input is one of them: a pickle or a PyTorch file, Parquet, HDF5, a spreadsheet, NumPy
// arrays, a pointer of git-LFS. `head` has the first bytes of a single file.
void refuse_foreign(const Input& input, std::string_view head);

}  // namespace agentnet
