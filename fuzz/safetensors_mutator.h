// A mutator that knows what a safetensors file is: it changes a text of the metadata, a name, a type, a shape or the
// bytes of a tensor, and writes lengths and offsets that fit. Plain mutations of bytes, which mostly break the header,
// still happen now and then. Included once in a fuzz target; the property of a model or a checkpoint mends the
// checksum.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/files/safetensors.h"

// NOLINTBEGIN(readability-identifier-naming): libFuzzer looks for these names.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
// NOLINTEND(readability-identifier-naming)

namespace agentnet {

// A file taken apart, every part its own.
struct LooseFile {
  struct Tensor {
    std::string name;
    Dtype dtype = Dtype::kF32;
    std::vector<std::uint64_t> shape;
    std::vector<std::byte> bytes;
  };
  std::map<std::string, std::string> metadata;
  std::vector<Tensor> tensors;
};

inline std::optional<LooseFile> take_apart(std::span<const std::byte> bytes) {
  try {
    const SafetensorsFile file = SafetensorsFile::parse(bytes, "input");
    LooseFile loose{file.metadata(), {}};
    for (const TensorInfo& t : file.tensors()) {
      loose.tensors.push_back({t.name, t.dtype, t.shape, {t.data.begin(), t.data.end()}});
    }
    return loose;
  } catch (const Error&) {
    return std::nullopt;
  }
}

inline std::optional<std::vector<std::byte>> put_together(const LooseFile& loose) {
  std::vector<TensorData> tensors;
  for (const LooseFile::Tensor& t : loose.tensors) tensors.push_back({t.name, t.dtype, t.shape, t.bytes});
  try {
    return serialize_safetensors(tensors, loose.metadata);
  } catch (const Error&) {  // a name twice, or a text that is no UTF-8
    return std::nullopt;
  }
}

class SafetensorsMutator {
 public:
  explicit SafetensorsMutator(unsigned int seed) : random_(seed) {}

  void mutate(LooseFile& file) {
    const std::size_t choice = below(8);
    if (file.tensors.empty() || (choice < 4 && !file.metadata.empty())) return mutate_text(file);
    const std::size_t at = below(file.tensors.size());
    LooseFile::Tensor& tensor = file.tensors[at];
    switch (choice) {
      case 4:
        tensor.shape = other_shape(tensor.shape);
        break;
      case 5:
        tensor.dtype = static_cast<Dtype>(below(13));
        break;
      case 6:
        file.tensors.erase(file.tensors.begin() + static_cast<std::ptrdiff_t>(at));
        return;
      default:
        if (below(4) == 0)
          tensor.name = below(2) == 0 ? tensor.name + "x" : file.tensors[below(file.tensors.size())].name;
        for (std::size_t i = 0; i < 4 && !tensor.bytes.empty(); ++i) {
          tensor.bytes[below(tensor.bytes.size())] = static_cast<std::byte>(below(256));
        }
    }
    fit(tensor);
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  // A number in the text becomes another one, brackets pile up, or the text changes as libFuzzer likes.
  void mutate_text(LooseFile& file) {
    if (file.metadata.empty()) {
      file.metadata["a"] = "b";
      return;
    }
    std::string& text =
        std::next(file.metadata.begin(), static_cast<std::ptrdiff_t>(below(file.metadata.size())))->second;
    static constexpr std::array kNumbers = {"0",
                                            "-1",
                                            "1",
                                            "2",
                                            "3",
                                            "64",
                                            "512",
                                            "65536",
                                            "1048576",
                                            "2147483647",
                                            "1e300",
                                            "1e-310",
                                            "4294967297",
                                            "9007199254740993",
                                            "18446744073709551615"};
    const std::size_t digit = text.find_first_of("0123456789", below(text.size() + 1));
    if (digit != std::string::npos && below(3) != 0) {
      const std::size_t end = std::min(text.find_first_not_of("0123456789.eE+-", digit), text.size());
      text.replace(digit, end - digit, kNumbers.at(below(kNumbers.size())));
    } else if (below(8) == 0) {
      const std::size_t deep = below(200);
      text.insert(below(text.size() + 1), std::string(deep, '[') + std::string(deep, ']'));
    } else {
      const std::size_t most = text.size() + 16;
      std::vector<std::uint8_t> bytes(text.begin(), text.end());
      bytes.resize(most);
      bytes.resize(LLVMFuzzerMutate(bytes.data(), text.size(), most));
      text.assign(bytes.begin(), bytes.end());
    }
  }

  std::vector<std::uint64_t> other_shape(std::vector<std::uint64_t> shape) {
    if (shape.empty() || below(4) == 0) {
      shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(below(shape.size() + 1)), below(3));
    } else if (below(3) == 0) {
      std::swap(shape[below(shape.size())], shape[below(shape.size())]);
    } else {
      shape[below(shape.size())] = below(20);
    }
    return shape;
  }

  // As many bytes as type and shape ask for.
  static void fit(LooseFile::Tensor& tensor) {
    constexpr std::size_t kMost = 1 << 16;
    std::size_t size = dtype_size(tensor.dtype);
    for (const std::uint64_t d : tensor.shape) size = std::min<std::size_t>(kMost, size * static_cast<std::size_t>(d));
    tensor.bytes.resize(size);
  }

  std::minstd_rand random_;
};

}  // namespace agentnet

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  auto loose = seed % 8 == 0 ? std::nullopt : agentnet::take_apart(std::as_bytes(std::span(data, size)));
  if (!loose) return LLVMFuzzerMutate(data, size, most);
  agentnet::SafetensorsMutator(seed).mutate(*loose);
  const auto bytes = agentnet::put_together(*loose);
  if (!bytes || bytes->size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, bytes->data(), bytes->size());
  return bytes->size();
}
