// A graph set as a mapped file: opening costs a few pages whatever its size, reading only what is looked at.
//
// 1. bytes 0..7     "agentset"
// 2. u32            format version: 2 is written, 1 (without the arrays from wide_neighbours on) is read as well
// 3. u32            number of sections S
// 4. u64            size of the whole file
// 5. 5 x u32        widths: dense node, categorical node, dense edge, categorical edge columns; targets
// 6. u32            0
// 7. S x 48 bytes   sections: name (16 bytes, padded with 0), u64 offset, u64 bytes, u64 XXH3 of the bytes, u64 0
// 8. u64            XXH3 of everything before it
// 9. the sections, each at a multiple of 4096: the arrays of graph/set_arrays.h under their own names (first_node, ...;
//    wide_hub_neighbours is called "wide_hub_lists"), "metadata" (JSON, what the room above keeps there), and any
//    others the writer was given. Empty ones are left out.
//
// All numbers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "agentnet/graph.h"
#include "core/files/atomic_file.h"

namespace agentnet {

inline constexpr std::string_view kSetMagic = "agentset";

struct SetFile {
  GraphSet graphs;                                           // its arrays lie in the file
  std::string metadata;                                      // the JSON text
  std::map<std::string, std::span<const std::byte>> extras;  // further sections; valid as long as `graphs` lives
  bool checked = false;                                      // whether all of it was read and is as it should be
};

// Writes atomically and durably; a set with long neighbour lists gets its hub lists. The names of `extras` have at most
// 15 bytes and are none of the arrays'. Throws Error (kFailure).
void write_set_file(const std::filesystem::path& path, const GraphSet& graphs, std::string_view metadata,
                    const std::map<std::string, std::span<const std::byte>>& extras = {},
                    FileSystem& fs = FileSystem::real());

// Checks the header, the metadata and that the sections fit each other, which takes a few pages. Of a file of at most
// `check_up_to` bytes everything is read and checked: every checksum, every index in range, every feature finite. What
// a larger one holds is checked where it is used (GraphView). Throws Error (kData) naming what is damaged.
[[nodiscard]] SetFile open_set_file(const std::filesystem::path& path, std::uint64_t check_up_to = 0);

// The same for bytes that are in memory already; `owner` keeps them, `place` names them in messages.
[[nodiscard]] SetFile open_set_bytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                     const std::string& place, std::uint64_t check_up_to = 0);

inline constexpr std::uint64_t kAnySize = std::numeric_limits<std::uint64_t>::max();

// Throws Error (kData) if there is an index out of range or a feature that is not finite in a set that lies in a file.
void check_contents(const GraphSet& graphs, const std::string& place);

}  // namespace agentnet
