// Writes a graph set file section by section, in memory that does not grow with it.
//
//   SetFileWriter writer("big.graph");
//   const auto offsets = writer.reserve("offsets", 8 * (nodes + 1));
//   const auto neighbours = writer.begin("neighbours");
//   ... writer.write(offsets, piece);  writer.write(neighbours, other_piece);  in any order
//   writer.add("targets", bytes);
//   writer.finish({.node_dense = 1, .targets = 1});
//
// The file is there under its name when finish() has returned, and not before: whoever throws, or is killed, leaves
// what was there (core/atomic_file.h). Throws Error (kFailure) when the disk does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "core/files/atomic_file.h"
#include "core/files/checksum.h"
#include "graph/set_file_layout.h"

namespace agentnet {

struct SetWidths {
  int node_dense = 0, node_categories = 0, edge_dense = 0, edge_categories = 0, targets = 0;
};

class SetFileWriter {
 public:
  // There is room for `most_sections` in the header.
  explicit SetFileWriter(const std::filesystem::path& path, FileSystem& fs = FileSystem::real(),
                         std::size_t most_sections = 64);

  using Section = std::size_t;
  // A section of so many bytes, which are to be written until finish().
  [[nodiscard]] Section reserve(std::string_view name, std::uint64_t bytes);
  // One that grows until the next section is begun or reserved.
  [[nodiscard]] Section begin(std::string_view name);
  // A whole section.
  void add(std::string_view name, std::span<const std::byte> bytes);

  // Appends to a section. More than it was reserved for, or to one that cannot grow any more, throws std::logic_error.
  void write(Section section, std::span<const std::byte> bytes);
  template <class T>
  void write(Section section, std::span<const T> values) {
    write(section, std::as_bytes(values));
  }
  // What was appended before, from byte `at` of the section on.
  void read(Section section, std::uint64_t at, std::span<std::byte> out);
  [[nodiscard]] std::uint64_t size(Section section) const { return sections_[section].written; }

  // Once, at the end. Throws std::logic_error if a reserved section is not full.
  void finish(const SetWidths& widths);

 private:
  struct Open {
    SetSection entry{};
    std::uint64_t written = 0;
    bool reserved = false;
    Checksum64 checksum;
  };
  [[nodiscard]] Section open(std::string_view name);
  void end_growing();
  void pad(const Open& section);

  AtomicFile file_;
  std::size_t most_sections_;
  std::uint64_t end_;     // of what is reserved or written
  bool growing_ = false;  // the last section is
  std::vector<Open> sections_;
};

}  // namespace agentnet
