#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "agentnet/error.h"
#include "core/checked.h"
#include "core/files/atomic_file.h"
#include "core/files/safetensors.h"
#include "core/files/safetensors_header.h"
#include "core/text.h"

namespace agentnet {
namespace {

void check(const TensorData& tensor) {
  CheckedSize size = dtype_size(tensor.dtype);
  for (const std::uint64_t dimension : tensor.shape) size *= dimension;
  if (!size.equals(tensor.bytes.size())) {
    throw Error(ErrorKind::kUsage,
                fmt::format("cannot write tensor {}: shape [{}] of {} does not take {} bytes", in_quotes(tensor.name),
                            join_text(tensor.shape, ", "), dtype_name(tensor.dtype), tensor.bytes.size()));
  }
}

void check_header_size(std::uint64_t size) {
  if (size > kSafetensorsMaxHeader) {
    throw Error(ErrorKind::kUsage,
                fmt::format("cannot write a safetensors header above the limit of {} bytes", kSafetensorsMaxHeader),
                "shorten the metadata");
  }
}

// Length and header: all that stands before the first tensor. `tensors` are in their final order.
std::string preamble(const std::vector<TensorData>& tensors, const std::map<std::string, std::string>& metadata) {
  std::uint64_t text = 0;  // a lower bound of the header's size, before the work of formatting it
  for (const auto& [key, value] : metadata) text += key.size() + value.size();
  check_header_size(text);

  SafetensorsHeader header;
  header.metadata = metadata;
  std::set<std::string_view> names = {"__metadata__"};
  std::uint64_t offset = 0;
  for (const TensorData& tensor : tensors) {
    check(tensor);
    if (!names.insert(tensor.name).second) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("cannot write tensor {}: its name is already taken", in_quotes(tensor.name)));
    }
    header.entries.push_back({tensor.name, tensor.dtype, tensor.shape, offset, offset + tensor.bytes.size()});
    offset += tensor.bytes.size();
  }
  std::string json = format_safetensors_header(header);
  json.resize((json.size() + 7) / 8 * 8, ' ');
  check_header_size(json.size());
  const std::uint64_t length = json.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof(length)) + json;
}

}  // namespace

void sort_as_written(std::vector<TensorData>& tensors) {
  std::stable_sort(tensors.begin(), tensors.end(), [](const TensorData& a, const TensorData& b) {
    return std::tie(b.dtype, a.name) < std::tie(a.dtype, b.name);
  });
}

std::vector<std::byte> serialize_safetensors(std::vector<TensorData> tensors,
                                             const std::map<std::string, std::string>& metadata) {
  sort_as_written(tensors);
  const std::string start = preamble(tensors, metadata);
  const auto start_bytes = std::as_bytes(std::span(start));
  std::vector<std::byte> out(start_bytes.begin(), start_bytes.end());
  for (const TensorData& tensor : tensors) out.insert(out.end(), tensor.bytes.begin(), tensor.bytes.end());
  return out;
}

void write_safetensors(const std::filesystem::path& path, std::vector<TensorData> tensors,
                       const std::map<std::string, std::string>& metadata, FileSystem& fs) {
  sort_as_written(tensors);
  const std::string start = preamble(tensors, metadata);
  AtomicFile file(path, fs);
  file.write(start.data(), start.size());
  for (const TensorData& tensor : tensors) file.write(tensor.bytes.data(), tensor.bytes.size());
  file.commit();
}

}  // namespace agentnet
