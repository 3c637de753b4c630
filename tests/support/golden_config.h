// The settings and names of the authors' code in ours: the part of golden_case.h that reads no tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "agentnet/config.h"
#include "core/files/safetensors.h"
#include "nets/agentnet/parameters.h"

namespace agentnet {

// An entry of the metadata; throws Error (kData) if it is missing.
[[nodiscard]] const std::string& golden_metadata(const SafetensorsFile& file, const std::string& key);

// The same for a JSON list of names.
[[nodiscard]] std::set<std::string> golden_names(const SafetensorsFile& file, const std::string& key);

// Our config for the reference's constructor arguments. One that is unknown, or set to something that our
// model does not have, throws Error (kUsage).
[[nodiscard]] AgentNetConfig golden_config(const SafetensorsFile& file);

// A parameter of the reference and its place in our flat buffer.
struct GoldenParameter {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::size_t offset = 0;
};

// Covers the layout from end to end.
[[nodiscard]] std::vector<GoldenParameter> golden_parameters(const AgentNetConfig& config,
                                                             const ParameterLayout& layout);

}  // namespace agentnet
