// What must hold of any bytes given to the safetensors reader. Shared by the fuzz target, which invents the
// bytes, and by a plain test, which replays the files in fuzz/corpus and fuzz/regressions.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/files/safetensors.h"
#include "core/text.h"

namespace agentnet {

inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

// Both files hold the same metadata and tensors; the order of the tensors may differ.
inline void require_same_content(const SafetensorsFile& a, const SafetensorsFile& b) {
  require(a.metadata() == b.metadata(), "metadata differ");
  require(a.tensors().size() == b.tensors().size(), "numbers of tensors differ");
  for (const TensorInfo& tensor : a.tensors()) {
    const TensorInfo* twin = b.find(tensor.name);
    require(twin != nullptr, "a tensor is missing");
    require(twin->dtype == tensor.dtype && twin->shape == tensor.shape, "type or shape differ");
    require(std::vector(tensor.data.begin(), tensor.data.end()) == std::vector(twin->data.begin(), twin->data.end()),
            "bytes differ");
  }
}

// Returns whether the bytes are a safetensors file. They are refused with an Error of kind kData whose message and hint
// are printable, or accepted; then every tensor can be read, and writing the content gives a file with the
// same content, which is written again as the same bytes. Anything else throws something that is no Error.
inline bool check_safetensors(std::span<const std::byte> bytes) {
  try {
    const SafetensorsFile file = SafetensorsFile::parse(bytes, "input");
    std::vector<TensorData> tensors;
    std::size_t total = 0;
    for (const TensorInfo& tensor : file.tensors()) {
      require(tensor.count() * dtype_size(tensor.dtype) == tensor.data.size(), "count and bytes disagree");
      require(&file.at(tensor.name) == &tensor, "a tensor is not found by its name");
      total += tensor.data.size();
      tensors.push_back({tensor.name, tensor.dtype, tensor.shape, tensor.data});
    }
    require(total == file.payload().size(), "the tensors do not cover the payload");

    const std::vector<std::byte> written = serialize_safetensors(tensors, file.metadata());
    const SafetensorsFile again = SafetensorsFile::parse(written, "written");
    require_same_content(file, again);
    std::vector<TensorData> reread;
    for (const TensorInfo& t : again.tensors()) reread.push_back({t.name, t.dtype, t.shape, t.data});
    require(serialize_safetensors(reread, again.metadata()) == written, "writing twice gives different bytes");
    return true;
  } catch (const Error& error) {
    const std::string message = error.what();
    require(error.kind() == ErrorKind::kData, "refused with the wrong kind of error");
    require(message.starts_with("input: "), "the message does not name the file");
    require(printable(message) == message && !error.hint().empty(), "message or hint cannot be shown");
    return false;
  }
}

}  // namespace agentnet
