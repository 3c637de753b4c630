// Built-in graphs of any size, written to a graph set file as they are made, in bounded memory.
//
//   write_huge_set("big-ladder?nodes=1e8&graphs=2&seed=1", "ladders.graph", {});
//
// The same text gives the same bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/files/atomic_file.h"
#include "data/huge/convert_edges.h"
#include "data/synthetic/synthetic.h"

namespace agentnet {

// Every set there is, with its parameters.
[[nodiscard]] std::vector<SyntheticHelp> huge_sets();
// Whether "NAME" or "NAME?key=value&...", with or without "synthetic:" before it, is one of them.
[[nodiscard]] bool is_huge_set(std::string_view spec);

struct WriteHugeSet {
  std::uint64_t memory = std::uint64_t{1} << 30;  // bytes, for those that are sorted
  bool replace = false;
  TellProgress tell = {};
  FileSystem* files = &FileSystem::real();
};

struct WrittenHugeSet {
  std::uint64_t graphs = 0, nodes = 0, entries = 0;
};

// Throws Error: kUsage for a name, key or value that makes no sense or a file that exists and may not be replaced,
// kFailure when the disk fails.
WrittenHugeSet write_huge_set(std::string_view spec, const std::filesystem::path& out, const WriteHugeSet& options);

}  // namespace agentnet
