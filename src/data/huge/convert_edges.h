// Edge lists of any size to a graph set file, in memory that is given (docs/data.md, "Huge graphs").
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "agentnet/data.h"
#include "core/files/atomic_file.h"
#include "data/io/input.h"

namespace agentnet {

// Called now and then; may throw to stop. A total of 0 is not known.
using TellProgress = std::function<void(const char* phase, std::uint64_t done, std::uint64_t total)>;

struct ConvertEdges {
  std::uint64_t memory = std::uint64_t{1} << 30;  // bytes
  Direction direction = Direction::kAsFormat;
  bool constant = false;  // a constant node feature beside others; without others there is one anyway
  std::filesystem::path node_labels, node_numbers;  // data/node_files.h; empty: none
  std::string label;                                // the class of the graph; empty: none
  bool replace = false;
  TellProgress tell = {};
  FileSystem* files = &FileSystem::real();
};

struct ConvertedEdges {
  std::uint64_t listed = 0, nodes = 0, entries = 0;
  std::size_t runs = 0;            // that were sorted apart and merged; 0: all fitted
  std::uint64_t unused_lines = 0;  // of node files
};

// The file holds the same arrays as the list read with read_edge_list() and written. Throws Error: kData as that does,
// NeedsMemory (data/edge_scan.h) for a list with weights and for ids too far apart, kUsage if `out` exists and
// `replace` is not set, kFailure when the disk fails. Whatever happens, no temporary file is left.
ConvertedEdges convert_edge_list(const Input& input, const std::filesystem::path& out, const ConvertEdges& options);

// Throws Error (kUsage) if `out` exists and may not be replaced, or has a packed ending.
void require_new_set_file(const std::filesystem::path& out, bool replace);

}  // namespace agentnet
