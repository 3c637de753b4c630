// The formats: one table for reading, writing, detection and --help. One file read_NAME.cpp and, where a format is also
// written, write_NAME.cpp per row of it; readers.h and writers.h declare them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "agentnet/data.h"
#include "data/formats/readers.h"
#include "data/formats/writers.h"
#include "data/io/input.h"

namespace agentnet {

// What detection looks at.
struct Sample {
  const Input& input;
  std::string_view name;                // of the only file; empty for a folder or archive of several
  std::string_view head;                // its first bytes, unpacked
  std::string_view smiles_column = {};  // DataOptions::smiles_column
};

struct Format {
  const char* name = nullptr;
  const char* summary = nullptr;
  const char* ending = nullptr;             // of files that we write; empty: a folder, or not written
  bool (*detect)(const Sample&) = nullptr;  // in the order of the table, the first that says yes
  Dataset (*read)(const Input&, const DataOptions&) = nullptr;
  LeftOut (*write)(const Dataset&, const std::filesystem::path&) = nullptr;  // null: not written
  // Null: the format is read as a whole.
  std::uint64_t (*read_parts)(const Input&, const DataOptions&, RowParts parts, const TakePart&) = nullptr;
};

[[nodiscard]] std::span<const Format> formats();

// The format of this name; an unknown name throws Error (kUsage) with a suggestion.
[[nodiscard]] const Format& format_by_name(std::string_view name);

// What the input looks like, if its column of SMILES strings, should it have one, is called so; null if like nothing we
// know. Throws Error (kData) if it is an empty file.
[[nodiscard]] const Format* find_format(const Input& input, std::string_view smiles_column);

// The format that the options name, or that find_format() finds; throws Error (kData) if it finds none.
[[nodiscard]] const Format& format_for(const Input& input, const DataOptions& options);

// Input::open(); one file of a TU set stands for the set that lies beside it.
[[nodiscard]] Input open_source(const std::string& source, UnpackLimit limit);

// How far a compressed source may unpack.
[[nodiscard]] UnpackLimit unpack_limit(const DataOptions& options);

// Throws Error (kUsage) for a column that `options` wants to keep and `data` does not have.
void require_kept_columns(const Dataset& data, const DataOptions& options);

}  // namespace agentnet
