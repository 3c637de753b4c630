#include "nets/model_file.h"

#include <fmt/core.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "agentnet/config.h"
#include "agentnet/error.h"
#include "core/files/checksum.h"
#include "core/files/safetensors.h"
#include "core/json.h"
#include "core/option_table.h"
#include "core/text.h"
#include "nets/agentnet/agentnet.h"
#include "nn/shape_table.h"

namespace agentnet {

namespace {

constexpr const char* kVersion = "3";
constexpr const char* kRawVersion = "2";    // numbers are read as they are
constexpr const char* kFirstVersion = "1";  // before there were kinds
constexpr const char* kFormatKey = "agentnet.format";
constexpr const char* kKindKey = "agentnet.kind";
constexpr const char* kConfigKey = "agentnet.config";
constexpr const char* kCardKey = "agentnet.card";
constexpr const char* kInputsKey = "agentnet.inputs";
constexpr const char* kChecksumKey = "agentnet.checksum";

std::string card_json(const ModelCard& card) {
  Json j;
  j["task"] = card.task;
  j["label_names"] = card.label_names;
  j["schema"] = card.schema;
  j["reading"] = card.reading;
  j["training"] = card.training;
  try {
    return j.dump();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::kUsage, "a label, category or training note of the model is not valid UTF-8",
                "convert the data's texts to UTF-8");
  }
}

[[noreturn]] void refuse(const std::string& file, const std::string& what,
                         const std::string& hint = "copy the file again, or train the model again") {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", file, what), hint);
}

ModelCard card_from_json(const std::string& file, const std::string& text) {
  ModelCard card;
  try {
    const Json j = parse_json(text, "card");
    read_member(j, "task", card.task);
    read_member(j, "label_names", card.label_names);
    read_member(j, "schema", card.schema);
    read_member(j, "reading", card.reading);
    read_member(j, "training", card.training);
  } catch (const Error& e) {
    refuse(file, fmt::format("metadata '{}' is not as expected ({})", kCardKey, e.what()));
  }
  return card;
}

void add_text(Checksum& sum, const std::string& text) {
  sum.update(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
}

void append_tensors(const ParameterLayout& layout, std::span<const float> values, std::vector<TensorData>& tensors) {
  for (const Parameter& p : layout.all()) {
    tensors.push_back(
        {p.name, Dtype::kF32, {p.shape.begin(), p.shape.end()}, std::as_bytes(values.subspan(p.offset, p.size))});
  }
}

const std::string& metadata_of(const SafetensorsFile& file, const char* key) {
  const auto at = file.metadata().find(key);
  if (at == file.metadata().end()) {
    refuse(file.source_name(),
           fmt::format("no metadata '{}': this is a safetensors file, but not one of agentnet's models", key),
           "give a model that agentnet has trained");
  }
  return at->second;
}

std::string shape_text(std::span<const std::uint64_t> shape) { return fmt::format("[{}]", join_text(shape, ", ")); }

std::string config_json(const NetworkConfig& config) {
  Json j;
  j["options"] = parse_json(config.options, "model options");
  j["shape"] = options_to_json(config.shape, kVisitShape);
  return j.dump();
}

// Throws Error (kUsage) for what cannot be.
NetworkConfig config_of(const std::string& version, const std::string& kind, const std::string& text) {
  if (version == kFirstVersion) return config_from_json(text);
  // Options are numbers, words and lists of these; long enough for all columns that a model may have.
  constexpr JsonLimits kLimits{.depth = 8, .bytes = std::size_t{4} << 20};
  const Json j = parse_json(text, "config", ErrorKind::kUsage, kLimits);
  if (!j.is_object() || !j.contains("options") || !j.contains("shape")) {
    throw Error(ErrorKind::kUsage, "there are no options or no shape in it");
  }
  NetworkConfig config{kind, j["options"].dump(), {}};
  options_from_json(j["shape"], config.shape, kVisitShape, "model option");
  check_category_columns(config.shape);
  return config;
}

// What the file holds is what the config asks for, tensor by tensor. The config is only a text: nothing is allocated by
// it before the tensors, which the file had to bring, have been found to be of that size.
void check_tensors(const SafetensorsFile& file, const ParameterLayout& layout) {
  const std::string& name = file.source_name();
  for (const Parameter& p : layout.all()) {
    const TensorInfo& t = file.at(p.name);
    const std::vector<std::uint64_t> expected(p.shape.begin(), p.shape.end());
    if (t.shape != expected) {
      refuse(name, fmt::format("tensor '{}' has shape {}, the config asks for {}", p.name, shape_text(t.shape),
                               shape_text(expected)));
    }
    if (t.dtype != Dtype::kF32) {
      refuse(name, fmt::format("tensor '{}' holds {}, models hold F32", p.name, dtype_name(t.dtype)));
    }
    if (t.data.size() != p.size * sizeof(float)) throw std::logic_error("a tensor is not as large as its shape");
  }
}

std::vector<float> read_tensors(const SafetensorsFile& file, const ParameterLayout& layout) {
  std::vector<float> all(layout.size());
  for (const Parameter& p : layout.all()) {
    const std::span<const std::byte> data = file.at(p.name).data;
    if (!data.empty()) std::memcpy(all.data() + p.offset, data.data(), data.size());
  }
  return all;
}

}  // namespace

ModelFile read_model_file(const std::filesystem::path& path, const KindTable& kinds) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  const std::string& name = file.source_name();
  const std::string& version = metadata_of(file, kFormatKey);
  if (version != kVersion && version != kRawVersion && version != kFirstVersion) {
    refuse(name,
           fmt::format("model format {} is not known to this program, which reads formats {} to {}", in_quotes(version),
                       kFirstVersion, kVersion),
           "use the version of agentnet that wrote the model, or a newer one");
  }
  const std::string kind = version == kFirstVersion ? kAgentNetKind : metadata_of(file, kKindKey);
  const std::string& config_text = metadata_of(file, kConfigKey);
  const std::string& card_text = metadata_of(file, kCardKey);
  Checksum sum;
  add_text(sum, version);
  if (version != kFirstVersion) add_text(sum, kind);
  add_text(sum, config_text);
  add_text(sum, card_text);
  if (version == kVersion) add_text(sum, metadata_of(file, kInputsKey));
  sum.update(file.payload());
  if (const std::string& stored = metadata_of(file, kChecksumKey); stored != sum.hex()) {
    refuse(name, fmt::format("the content's checksum is {}, the file says {}: it was damaged or changed", sum.hex(),
                             in_quotes(stored)));
  }

  if (kinds.find(kind) == nullptr) {
    refuse(name, fmt::format("a network of kind {} is not known to this program", in_quotes(kind)),
           "use the version of agentnet that wrote the model, or a newer one");
  }
  ModelFile model;
  try {
    model.network = kinds.make(config_of(version, kind, config_text));
  } catch (const Error& e) {
    refuse(name, fmt::format("metadata '{}': {}", kConfigKey, e.what()));
  }
  model.card = card_from_json(name, card_text);
  if (version == kVersion) {
    try {
      model.inputs = input_scale_from_json(metadata_of(file, kInputsKey), model.network->shape());
    } catch (const Error& e) {
      refuse(name, fmt::format("metadata '{}': {}", kInputsKey, e.what()));
    }
  }

  const ParameterLayout &parameters = model.network->parameters(), &buffers = model.network->buffers();
  check_tensors(file, parameters);
  check_tensors(file, buffers);
  for (const TensorInfo& t : file.tensors()) {
    if (parameters.find(t.name) == nullptr && buffers.find(t.name) == nullptr) {
      refuse(name, fmt::format("tensor {} is not part of a model of this config", in_quotes(t.name)));
    }
  }
  model.parameters = read_tensors(file, parameters);
  model.buffers = read_tensors(file, buffers);
  return model;
}

void write_model_file(const std::filesystem::path& path, const Network<float>& network, const ModelCard& card,
                      std::span<const float> parameters, std::span<const float> buffers, const InputScale& inputs,
                      FileSystem& fs) {
  std::vector<TensorData> tensors;
  append_tensors(network.parameters(), parameters, tensors);
  append_tensors(network.buffers(), buffers, tensors);
  sort_as_written(tensors);
  std::map<std::string, std::string> metadata = {{kFormatKey, inputs.empty() ? kRawVersion : kVersion},
                                                 {kKindKey, network.config().kind},
                                                 {kConfigKey, config_json(network.config())},
                                                 {kCardKey, card_json(card)}};
  if (!inputs.empty()) metadata[kInputsKey] = to_json(inputs);
  Checksum sum;
  for (const char* key : {kFormatKey, kKindKey, kConfigKey, kCardKey}) add_text(sum, metadata[key]);
  if (!inputs.empty()) add_text(sum, metadata[kInputsKey]);
  for (const TensorData& t : tensors) sum.update(t.bytes);
  metadata[kChecksumKey] = sum.hex();
  write_safetensors(path, tensors, metadata, fs);
}

}  // namespace agentnet
