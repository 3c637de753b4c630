// The formats: one table for reading, writing, detection and --help. One file read_NAME.cpp and, where a format is also
// written, write_NAME.cpp per row of it; readers.h and writers.h declare them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "agentnet/data.h"
#include "data/input.h"
#include "data/readers.h"
#include "data/writers.h"

namespace agentnet {

// What detection looks at.
struct Sample {
  const Input& input;
  std::string_view name;  // of the only file; empty for a folder or archive of several
  std::string_view head;  // its first bytes, unpacked
};

struct Format {
  const char* name;
  const char* summary;
  const char* ending;             // of files that we write; empty: a folder, or not written
  bool (*detect)(const Sample&);  // in the order of the table, the first that says yes
  Dataset (*read)(const Input&, const DataOptions&);
  LeftOut (*write)(const Dataset&, const std::filesystem::path&);  // null: not written
  // Null: the format is read as a whole.
  void (*read_parts)(const Input&, const DataOptions&, std::size_t rows, const TakePart&) = nullptr;
};

[[nodiscard]] std::span<const Format> formats();

// The format of this name; an unknown name throws Error (kUsage) with a suggestion.
[[nodiscard]] const Format& format_by_name(std::string_view name);

// What the input looks like; throws Error (kData) if it looks like nothing we know.
[[nodiscard]] const Format& detect_format(const Input& input);

// Throws Error (kUsage) for a column that `options` wants to keep and `data` does not have.
void require_kept_columns(const Dataset& data, const DataOptions& options);

}  // namespace agentnet
