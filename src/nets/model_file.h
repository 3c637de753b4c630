// The model file: one safetensors file that any safetensors reader opens (docs/model-file.md).
//
//   1. tensors: every parameter under its own name, F32, [out, in] for layers; buffers (running statistics) likewise
//   2. metadata, all strings:
//        agentnet.format      "2"; "3" with inputs
//        agentnet.kind        the kind of network, "agentnet" (src/nets/kinds.cpp)
//        agentnet.config      JSON object: "options" of that kind, and "shape", what the data decides of it
//        agentnet.card        JSON object: task, label_names, schema, reading, training
//        agentnet.inputs      JSON object: "nodes" and "edges", for each dense column what is subtracted and what the
//                             rest is divided by (nn/input_scale.h); no column: numbers are read as they are
//        agentnet.checksum    XXH3-128, hexadecimal, of format, kind, config, card and inputs, each followed by a zero
//                             byte, and then of all tensor bytes in file order
//
// Format 2 has no inputs, and is still written for models that read numbers as they are.
// Format 1 has no kind, which is then AgentNet, and options and shape stand side by side in its config.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "agentnet/model.h"
#include "core/files/atomic_file.h"
#include "nets/kinds.h"

namespace agentnet {

struct ModelFile {
  std::shared_ptr<const Network<float>> network;
  ModelCard card;
  std::vector<float> parameters;  // in the order of network->parameters()
  std::vector<float> buffers;     // in the order of network->buffers()
  InputScale inputs;
};

// Throws Error (kData), naming the file, for everything that is wrong with it.
[[nodiscard]] ModelFile read_model_file(const std::filesystem::path& path, const KindTable& kinds = builtin_kinds());

// Atomic and durable. Throws Error (kFailure).
void write_model_file(const std::filesystem::path& path, const Network<float>& network, const ModelCard& card,
                      std::span<const float> parameters, std::span<const float> buffers, const InputScale& inputs,
                      FileSystem& fs = FileSystem::real());

}  // namespace agentnet
