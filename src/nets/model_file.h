// The model file: one safetensors file that any safetensors reader opens (docs/model-file.md).
//
//   1. tensors: every parameter under its own name (model/parameters.h), F32, [out, in] for layers
//   2. metadata, all strings:
//        agentnet.format      "1"
//        agentnet.config      JSON object, the options of include/agentnet/config.h
//        agentnet.card        JSON object: task, label_names, schema, reading, training
//        agentnet.checksum    XXH3-128, hexadecimal, of format, config and card, each followed by a zero byte, and then
//                             of all tensor bytes in file order
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/model.h"
#include "core/files/atomic_file.h"
#include "nets/agentnet/parameters.h"

namespace agentnet {

struct ModelFile {
  ModelConfig config;
  ModelCard card;
  std::vector<float> parameters;  // in the order of ParameterLayout(config)
};

// Throws Error (kData), naming the file, for everything that is wrong with it.
[[nodiscard]] ModelFile read_model_file(const std::filesystem::path& path);

// Atomic and durable. Throws Error (kFailure).
void write_model_file(const std::filesystem::path& path, const ModelConfig& config, const ModelCard& card,
                      std::span<const float> parameters, FileSystem& fs = FileSystem::real());

}  // namespace agentnet
