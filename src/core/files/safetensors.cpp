#include "core/files/safetensors.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "agentnet/error.h"
#include "core/checked.h"
#include "core/files/safetensors_header.h"
#include "core/text.h"

namespace agentnet {
namespace {

struct DtypeFacts {
  std::string_view name;
  std::size_t size;
};

// Indexed by Dtype.
constexpr std::array<DtypeFacts, 13> kDtypes = {{{"BOOL", 1},
                                                 {"U8", 1},
                                                 {"I8", 1},
                                                 {"I16", 2},
                                                 {"U16", 2},
                                                 {"F16", 2},
                                                 {"BF16", 2},
                                                 {"I32", 4},
                                                 {"U32", 4},
                                                 {"F32", 4},
                                                 {"F64", 8},
                                                 {"I64", 8},
                                                 {"U64", 8}}};
static_assert(kDtypes.size() == static_cast<std::size_t>(Dtype::kU64) + 1);

constexpr const char* kCutHint = "the file was cut short or is not a safetensors file: copy or download it again";
constexpr const char* kWrongHint = "the header and the data disagree: copy or export the file again";

[[noreturn]] void fail(const std::string& source, const std::string& what, const char* hint) {
  throw Error(ErrorKind::kData, source + ": " + what, hint);
}

// The header's bytes, after the checks that need only its length.
std::string_view header_of(std::span<const std::byte> bytes, const std::string& source) {
  if (bytes.size() < kSafetensorsLengthBytes) {
    fail(source, fmt::format("the file has {} bytes, too few for the 8 of a safetensors header length", bytes.size()),
         kCutHint);
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  if (length > kSafetensorsMaxHeader) {
    fail(source,
         fmt::format("byte 0: a header of {} bytes is announced, above the limit of {}", length, kSafetensorsMaxHeader),
         "this is not a safetensors file, or its first bytes are damaged");
  }
  const std::size_t rest = bytes.size() - kSafetensorsLengthBytes;
  if (length > rest) {
    fail(source, fmt::format("byte 0: a header of {} bytes is announced, but only {} bytes follow", length, rest),
         kCutHint);
  }
  const auto* text = reinterpret_cast<const char*>(bytes.data() + kSafetensorsLengthBytes);
  return {text, static_cast<std::size_t>(length)};
}

// Shape and type against the bytes that the header gives the tensor.
void check_size(const SafetensorsEntry& entry, const std::string& source) {
  const auto what = [&] {
    return fmt::format("tensor {}: shape [{}] of {}", in_quotes(entry.name), join_text(entry.shape, ", "),
                       dtype_name(entry.dtype));
  };
  CheckedSize size = 1;
  for (const std::uint64_t dimension : entry.shape) size *= dimension;
  size *= dtype_size(entry.dtype);
  if (!size.valid()) fail(source, what() + " has more than 2^64 bytes", kWrongHint);
  if (!size.equals(entry.end - entry.begin)) {
    fail(source,
         fmt::format("{} takes {} bytes, but data_offsets [{}, {}] span {}", what(), size.value(), entry.begin,
                     entry.end, entry.end - entry.begin),
         kWrongHint);
  }
}

// Sorts the entries by place and checks that they cover `payload` bytes without holes and overlaps.
void check_cover(std::vector<SafetensorsEntry>& entries, std::uint64_t payload, const std::string& source) {
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin > entry.end) {
      fail(source,
           fmt::format("tensor {}: data_offsets [{}, {}] end before they begin", in_quotes(entry.name), entry.begin,
                       entry.end),
           kWrongHint);
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  std::uint64_t covered = 0;
  const SafetensorsEntry* previous = nullptr;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin < covered) {
      fail(source,
           fmt::format("tensor {} begins at data byte {}, inside tensor {}, which ends at {}", in_quotes(entry.name),
                       entry.begin, in_quotes(previous->name), covered),
           kWrongHint);
    }
    if (entry.begin > covered) {
      fail(source,
           fmt::format("data bytes {} to {}, before tensor {}, belong to no tensor", covered, entry.begin - 1,
                       in_quotes(entry.name)),
           kWrongHint);
    }
    check_size(entry, source);
    covered = entry.end;
    previous = &entry;
  }
  if (covered > payload) {
    fail(source,
         fmt::format("tensor {} ends at data byte {}, but the file has only {} bytes of data",
                     in_quotes(previous->name), covered, payload),
         kCutHint);
  }
  if (covered < payload) {
    fail(source, fmt::format("the tensors end at data byte {}, but the file has {} bytes of data", covered, payload),
         kWrongHint);
  }
}

}  // namespace

std::size_t dtype_size(Dtype dtype) { return kDtypes.at(static_cast<std::size_t>(dtype)).size; }

std::string_view dtype_name(Dtype dtype) { return kDtypes.at(static_cast<std::size_t>(dtype)).name; }

std::optional<Dtype> dtype_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kDtypes.size(); ++i) {
    if (kDtypes[i].name == name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

void TensorInfo::expect(Dtype wanted, std::size_t alignment) const {
  if (dtype != wanted) {
    throw Error(ErrorKind::kData,
                fmt::format("tensor {} holds {}, not {}", in_quotes(name), dtype_name(dtype), dtype_name(wanted)),
                "convert the tensor");
  }
  if (reinterpret_cast<std::uintptr_t>(data.data()) % alignment != 0 && !data.empty()) {
    throw Error(ErrorKind::kData,
                fmt::format("tensor {} does not lie at a multiple of {} bytes in its file", in_quotes(name), alignment),
                "write the file again with a header padded to 8 bytes");
  }
}

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
  MappedFile mapped = MappedFile::open(path);
  SafetensorsFile file = parse(mapped.bytes(), printable(path.native()));
  file.file_ = std::move(mapped);
  return file;
}

SafetensorsFile SafetensorsFile::parse(std::span<const std::byte> bytes, const std::string& source_name) {
  const std::string_view json = header_of(bytes, source_name);
  SafetensorsHeader header = parse_safetensors_header(json, source_name);

  SafetensorsFile file;
  file.source_name_ = source_name;
  file.payload_ = bytes.subspan(kSafetensorsLengthBytes + json.size());
  check_cover(header.entries, file.payload_.size(), source_name);

  file.metadata_ = std::move(header.metadata);
  file.tensors_.reserve(header.entries.size());
  for (SafetensorsEntry& entry : header.entries) {
    file.index_.emplace(entry.name, file.tensors_.size());
    // check_cover has shown that these fit into memory.
    const auto begin = static_cast<std::size_t>(entry.begin);
    const auto size = static_cast<std::size_t>(entry.end - entry.begin);
    file.tensors_.push_back(
        {std::move(entry.name), entry.dtype, std::move(entry.shape), file.payload_.subspan(begin, size)});
  }
  return file;
}

const TensorInfo* SafetensorsFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found != index_.end() ? &tensors_[found->second] : nullptr;
}

const TensorInfo& SafetensorsFile::at(std::string_view name) const {
  const TensorInfo* tensor = find(name);
  if (tensor == nullptr) {
    throw Error(ErrorKind::kData, fmt::format("{}: there is no tensor {}", source_name_, in_quotes(name)),
                "check that this is the right file");
  }
  return *tensor;
}

}  // namespace agentnet
