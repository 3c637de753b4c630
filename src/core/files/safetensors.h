// The safetensors file format: named tensors, and a JSON header that says where each one lies.
//
//   1. 8 bytes       N, the length of the header: unsigned, little-endian, at most 100,000,000
//   2. N bytes       the header: a JSON object in UTF-8 that starts with '{'; spaces may follow it
//                      "NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [BEGIN, END]}
//                      "__metadata__": {"KEY": "VALUE", ...}, strings only; optional
//   3. the rest      the payload: raw little-endian row-major tensors; offsets count from its start
//
// The tensors cover the payload exactly: no holes, no overlaps, nothing after the last one. The reader
// checks all that the reference Rust crate checks, and where the text of the format is stricter than the
// crate, it follows the text: a duplicate name, a key that the format does not have, and anything but
// spaces after the header's closing brace are refused. No tensor is promised any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/files/atomic_file.h"
#include "core/files/mapped_file.h"

namespace agentnet {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian, read in place");

// In the order of the reference crate, which never decreases in size: the writer sorts by it.
enum class Dtype { kBool, kU8, kI8, kI16, kU16, kF16, kBF16, kI32, kU32, kF32, kF64, kI64, kU64 };

[[nodiscard]] std::size_t dtype_size(Dtype dtype);
// As in the file: "F32".
[[nodiscard]] std::string_view dtype_name(Dtype dtype);
[[nodiscard]] std::optional<Dtype> dtype_from_name(std::string_view name);

// The Dtype that holds values of the C++ type T.
template <class T>
inline constexpr Dtype kDtypeOf = [] {
  static_assert(sizeof(T) == 0, "no safetensors dtype holds this type");
  return Dtype::kBool;
}();
template <>
inline constexpr Dtype kDtypeOf<std::uint8_t> = Dtype::kU8;
template <>
inline constexpr Dtype kDtypeOf<std::int8_t> = Dtype::kI8;
template <>
inline constexpr Dtype kDtypeOf<std::uint16_t> = Dtype::kU16;
template <>
inline constexpr Dtype kDtypeOf<std::int16_t> = Dtype::kI16;
template <>
inline constexpr Dtype kDtypeOf<std::uint32_t> = Dtype::kU32;
template <>
inline constexpr Dtype kDtypeOf<std::int32_t> = Dtype::kI32;
template <>
inline constexpr Dtype kDtypeOf<std::uint64_t> = Dtype::kU64;
template <>
inline constexpr Dtype kDtypeOf<std::int64_t> = Dtype::kI64;
template <>
inline constexpr Dtype kDtypeOf<float> = Dtype::kF32;
template <>
inline constexpr Dtype kDtypeOf<double> = Dtype::kF64;

// A tensor of a file that was read: a view, valid as long as the file (or the parsed bytes) lives.
struct TensorInfo {
  std::string name;
  Dtype dtype = Dtype::kF32;
  std::vector<std::uint64_t> shape;  // empty for a scalar
  std::span<const std::byte> data;

  // Elements: the product of the shape, 1 for a scalar.
  [[nodiscard]] std::uint64_t count() const { return data.size() / dtype_size(dtype); }

  // The elements in place. Throws Error (kData) if they are of another type, or if the tensor lies at
  // an address that T cannot be read from; copy() always works for the right type.
  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    expect(kDtypeOf<T>, alignof(T));
    return {reinterpret_cast<const T*>(data.data()), static_cast<std::size_t>(count())};
  }

  // A copy of the elements, converting nothing. Throws Error (kData) if they are of another type.
  template <class T>
  [[nodiscard]] std::vector<T> copy() const {
    expect(kDtypeOf<T>, 1);
    std::vector<T> values(static_cast<std::size_t>(count()));
    if (!values.empty()) std::memcpy(values.data(), data.data(), data.size());
    return values;
  }

 private:
  void expect(Dtype wanted, std::size_t alignment) const;
};

class SafetensorsFile {
 public:
  // Maps the file; tensors are read when they are touched. Throws Error (kData) that names the file and
  // what is wrong with it.
  [[nodiscard]] static SafetensorsFile open(const std::filesystem::path& path);
  // The same over bytes that the caller keeps alive; `source_name` stands for the file in messages.
  [[nodiscard]] static SafetensorsFile parse(std::span<const std::byte> bytes, const std::string& source_name);

  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return metadata_; }
  // In the order of their data in the file.
  [[nodiscard]] const std::vector<TensorInfo>& tensors() const { return tensors_; }
  // Null if there is no tensor of this name.
  [[nodiscard]] const TensorInfo* find(std::string_view name) const;
  // The same for a tensor that must be there: throws Error (kData) that names the file.
  [[nodiscard]] const TensorInfo& at(std::string_view name) const;
  // All tensor bytes, in file order: what a checksum of the content covers.
  [[nodiscard]] std::span<const std::byte> payload() const { return payload_; }
  [[nodiscard]] const std::string& source_name() const { return source_name_; }

 private:
  SafetensorsFile() = default;

  MappedFile file_;  // empty when parsed from memory
  std::string source_name_;
  std::span<const std::byte> payload_;
  std::map<std::string, std::string> metadata_;
  std::vector<TensorInfo> tensors_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

// A tensor to be written; the bytes belong to the caller.
struct TensorData {
  std::string name;
  Dtype dtype = Dtype::kF32;
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> bytes;
};

// The order in which the writer lays tensors out, that of the reference crate: larger types first, then
// by name, so that with a header padded to 8 bytes every tensor is aligned.
void sort_as_written(std::vector<TensorData>& tensors);

// The same tensors and metadata always give the same bytes, whatever order they are given in. Throws
// Error (kUsage) for what the reader would refuse: a name given twice or reserved, bytes that do not
// fit the shape, a text that is not UTF-8, a header above the limit.
[[nodiscard]] std::vector<std::byte> serialize_safetensors(std::vector<TensorData> tensors,
                                                           const std::map<std::string, std::string>& metadata);
// The same, atomically and durably, to a file (core/atomic_file.h).
void write_safetensors(const std::filesystem::path& path, std::vector<TensorData> tensors,
                       const std::map<std::string, std::string>& metadata, FileSystem& fs = FileSystem::real());

}  // namespace agentnet
