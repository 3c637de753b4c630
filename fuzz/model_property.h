// What must hold of any bytes given as a model or as a checkpoint. The checksum is made to fit first: whoever changes a
// file on purpose does the same.
#pragma once

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/error.h"
#include "agentnet/model.h"
#include "core/files/checksum.h"
#include "core/files/safetensors.h"
#include "core/text.h"
#include "file_property.h"
#include "train/checkpoint.h"

namespace agentnet {

// The keys of the metadata whose texts the checksum covers, in this order.
inline const std::vector<std::string> kModelTexts = {"agentnet.format", "agentnet.kind", "agentnet.config",
                                                     "agentnet.card", "agentnet.inputs"};
inline const std::vector<std::string> kCheckpointTexts = {"agentnet.checkpoint", "agentnet.state"};

// The same file with a checksum that fits; nothing if it is no safetensors file.
inline std::optional<std::vector<std::byte>> mend_checksum(std::span<const std::byte> bytes,
                                                           const std::vector<std::string>& texts) {
  try {
    const SafetensorsFile file = SafetensorsFile::parse(bytes, "input");
    std::map<std::string, std::string> metadata = file.metadata();
    std::vector<TensorData> tensors;
    for (const TensorInfo& t : file.tensors()) tensors.push_back({t.name, t.dtype, t.shape, t.data});
    sort_as_written(tensors);
    Checksum sum;
    for (const std::string& key : texts) {
      if (key == "agentnet.kind" && metadata["agentnet.format"] == "1") continue;  // before there were kinds
      if (key == "agentnet.inputs" && metadata["agentnet.format"] != "3") continue;
      const std::string& text = metadata[key];
      sum.update(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
    }
    for (const TensorData& t : tensors) sum.update(t.bytes);
    metadata["agentnet.checksum"] = sum.hex();
    return serialize_safetensors(tensors, metadata);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// A graph of three nodes that the model can read.
inline Graph graph_for(const DataShape& config) {
  GraphParts parts;
  parts.num_nodes = 3;
  parts.from = {0, 1};
  parts.to = {1, 2};
  parts.undirected = true;
  parts.node_dense.assign(3 * static_cast<std::size_t>(config.node_features), 0.5F);
  parts.node_categories.assign(3 * config.node_categories.size(), 0);
  parts.edge_dense.assign(2 * static_cast<std::size_t>(config.edge_features), 0.5F);
  parts.edge_categories.assign(2 * config.edge_categories.size(), 0);
  return Graph(parts);
}

// Any other kind: a small one runs, or says what is wrong with it (the trees and tables of a classical model are
// checked when it is first used).
inline void check_other_model(const Model& model) {
  if (model.parameters().size() > 20'000 || model.outputs() > 100) return;
  const Graph graph = graph_for(model.config().shape);
  const GraphView view = graph.view();
  try {
    if (model.run({&view, 1}, {.seed = 1}).size() != static_cast<std::size_t>(model.outputs())) {
      throw std::logic_error("not as many outputs as the config says");
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData && error.kind() != ErrorKind::kUsage) throw;
  }
}

// Returns whether the bytes are a model: then it is saved as a file that loads as the same model, and it can be run if
// it is small. Refused files are refused by their name, with a reason.
inline bool check_model(std::span<const std::byte> bytes) {
  const auto mended = mend_checksum(bytes, kModelTexts);
  return check_file(mended ? std::span<const std::byte>(*mended) : bytes, [](const std::filesystem::path& path) {
    const Model model = Model::load(path);
    if (model.config().kind != "agentnet") return check_other_model(model);
    const AgentNetConfig config = agentnet_config(model.config());
    if (config_from_json(to_json(config)) != config) throw std::logic_error("the config does not read back");
    std::size_t elements = 0;
    for (const ParameterInfo& p : model.parameter_infos()) {
      std::size_t size = 1;
      for (const std::int64_t d : p.shape) size *= static_cast<std::size_t>(d);
      elements += size;
    }
    if (elements != model.parameters().size()) throw std::logic_error("the parameters do not fill their array");
    if (model.parameters().size() > 20'000 || config.agents * (config.steps + 1) > 200 || config.outputs > 100) return;
    const Graph graph = graph_for(config.shape());
    const GraphView view = graph.view();
    if (model.run({&view, 1}, {.seed = 1}).size() != static_cast<std::size_t>(config.outputs)) {
      throw std::logic_error("not as many outputs as the config says");
    }
  });
}

// Returns whether the bytes are a checkpoint that training can go on from.
inline bool check_checkpoint(std::span<const std::byte> bytes) {
  const auto mended = mend_checksum(bytes, kCheckpointTexts);
  bool other_version = false;  // which is told from a damaged file, by another kind of error
  const bool read = check_file(mended ? std::span<const std::byte>(*mended) : bytes, [&](const auto& path) {
    try {
      const Checkpoint checkpoint = read_checkpoint(path);
      for (const OptimizerState* state : {&checkpoint.snapshot.now, &checkpoint.snapshot.epoch_start}) {
        const std::size_t weights = state->parameters.size();
        if (state->first_moment.size() != weights || state->second_moment.size() != weights) {
          throw std::logic_error("moments of other weights");
        }
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kMismatch) throw;
      other_version = true;
    }
  });
  return read && !other_version;
}

}  // namespace agentnet
