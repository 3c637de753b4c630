#include "serve/inference_protocol.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "agentnet/error.h"
#include "agentnet/version.h"
#include "core/number.h"
#include "core/text.h"
#include "predict/not_finite.h"
#include "serve/answers.h"
#include "serve/problem.h"

namespace agentnet {
namespace {

static_assert(std::endian::native == std::endian::little, "binary tensors are little-endian");

constexpr const char* kInput = "input";
constexpr const char* kRequest = "request";
constexpr std::uint64_t kMostParts = 64;  // tensors of a request, and dimensions of one

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// What a model answers with, in the order in which it is told.
enum class Output { kPrediction, kValues, kWalkSpread, kRollouts, kStatus };
struct OutputInfo {
  Output output;
  std::string name, type;
  std::size_t columns;  // 0: one value per row, and no second dimension
};

std::vector<OutputInfo> outputs_of(const ServedModel& model) {
  std::vector<OutputInfo> all;
  const std::size_t columns = model.outputs.size();
  if (model.task == Task::kClassification) {
    all.push_back({Output::kPrediction, "prediction", "BYTES", 0});
  } else if (columns == 1) {
    all.push_back({Output::kPrediction, "prediction", "FP64", 0});
  }
  const bool numbers = model.task != Task::kClassification && model.task != Task::kMultilabel;
  all.push_back({Output::kValues, numbers ? "values" : "probabilities", "FP64", columns});
  all.push_back({Output::kWalkSpread, "walk_spread", "FP64", columns});
  all.push_back({Output::kRollouts, "rollouts", "INT32", 0});
  all.push_back({Output::kStatus, "status", "BYTES", 0});
  return all;
}

std::string parameter_text(const std::string& name, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_unsigned()) return std::to_string(value.get<std::uint64_t>());
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  if (value.is_number()) return fmt::format("{}", value.get<double>());
  throw Problem(400, fmt::format("the parameter {} is no text, number or truth value", in_quotes(name)));
}

bool flag(const Json& parameters, const char* name) {
  const auto at = parameters.find(name);
  return at != parameters.end() && at->is_boolean() && at->get<bool>();
}

// Whole numbers that say how many elements a tensor has.
std::uint64_t elements_of(const Json& tensor, std::uint64_t most) {
  const auto shape = tensor.find("shape");
  if (shape == tensor.end() || !shape->is_array() || shape->size() > kMostParts) {
    throw Problem(400, "an input has no shape", R"(give it "shape": [N] for N rows)");
  }
  std::uint64_t elements = 1;
  for (const Json& dimension : *shape) {
    const bool whole = dimension.is_number_unsigned() && dimension.get<std::uint64_t>() <= most;
    if (!whole) throw Problem(dimension.is_number_unsigned() ? 413 : 400, "a shape is no list of small whole numbers");
    elements *= dimension.get<std::uint64_t>();
    if (elements > most) throw Problem(413, fmt::format("a request may have {} rows", most));
  }
  return elements;
}

// Elements of a binary BYTES tensor: a length of four bytes, and so many bytes.
std::vector<std::string> elements_of_bytes(std::string_view bytes, std::uint64_t elements) {
  std::vector<std::string> rows;
  while (!bytes.empty()) {
    std::uint32_t size = 0;
    if (bytes.size() < sizeof(size)) throw Problem(400, "a binary tensor ends within a length");
    std::memcpy(&size, bytes.data(), sizeof(size));
    bytes.remove_prefix(sizeof(size));
    if (size > bytes.size()) throw Problem(400, "a binary tensor is shorter than its elements");
    rows.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
    if (rows.size() > elements) break;
  }
  if (rows.size() != elements) throw Problem(400, "a binary tensor has another number of elements than its shape");
  return rows;
}

// Nested lists are the same as one list: the shape says what they are.
void flatten(const Json& data, std::vector<std::string>& rows, int depth) {
  if (depth > 8) throw Problem(400, "the data of the input is nested too deep");
  for (const Json& element : data) {
    if (element.is_array()) {
      flatten(element, rows, depth + 1);
    } else if (element.is_string()) {
      rows.push_back(element.get<std::string>());
    } else {
      throw Problem(400, "an element of the input is no text: " + shown(element),
                    "send SMILES strings, or graphs in JSON as texts");
    }
  }
}

std::vector<std::string> rows_of(const Json& input, std::string_view& binary, const ServeOptions& options) {
  const auto type = input.find("datatype");
  if (type == input.end() || *type != "BYTES") {
    throw Problem(400, "the input is no tensor of the datatype BYTES",
                  "its elements are SMILES strings, or graphs in JSON");
  }
  const std::uint64_t elements = elements_of(input, options.rows);
  const auto parameters = input.find("parameters");
  if (parameters != input.end() && parameters->is_object() && parameters->contains("binary_data_size")) {
    const Json& size = (*parameters)["binary_data_size"];
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > binary.size()) {
      throw Problem(400, "binary_data_size is more than there is behind the JSON");
    }
    const auto bytes = static_cast<std::size_t>(size.get<std::uint64_t>());
    const std::string_view own = binary.substr(0, bytes);
    binary.remove_prefix(bytes);
    return elements_of_bytes(own, elements);
  }
  const auto data = input.find("data");
  if (data == input.end() || !data->is_array())
    throw Problem(400, "the input has no data", R"(give it "data": ["CCO"])");
  std::vector<std::string> rows;
  flatten(*data, rows, 0);
  if (rows.size() != elements) throw Problem(400, "the input has another number of elements than its shape");
  return rows;
}

void read_outputs(const Json& json, InferenceRequest& request) {
  const auto outputs = json.find("outputs");
  if (outputs == json.end()) return;
  if (!outputs->is_array() || outputs->size() > kMostParts) throw Problem(400, "outputs is no short list");
  for (const Json& output : *outputs) {
    if (!output.is_object() || !output.contains("name") || !output["name"].is_string()) {
      throw Problem(400, "an output has no name");
    }
    request.outputs.push_back(output["name"].get<std::string>());
    const auto parameters = output.find("parameters");
    request.binary.push_back(parameters != output.end() && parameters->is_object() && flag(*parameters, "binary_data"));
  }
}

// One output of the answer, collected row by row.
struct Tensor {
  OutputInfo info;
  bool binary = false;
  Json data = Json::array();
  std::string bytes;

  void add_text(std::string_view text) {
    if (!binary) return data.push_back(std::string(text));
    const auto size = static_cast<std::uint32_t>(text.size());
    bytes.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(text);
  }
  // What is not finite is null in JSON, which clients make NaN of.
  void add_number(double value) {
    const double rounded = rounded_to_digits(value, 9);
    if (binary) {
      bytes.append(reinterpret_cast<const char*>(&rounded), sizeof(rounded));
    } else {
      data.push_back(std::isfinite(value) ? Json(rounded) : Json());
    }
  }
  void add_count(std::int32_t value) {
    if (!binary) return data.push_back(value);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
};

std::vector<Tensor> tensors_for(const ServedModel& model, const InferenceRequest& request) {
  const std::vector<OutputInfo> all = outputs_of(model);
  std::vector<Tensor> tensors;
  if (request.outputs.empty()) {
    for (const OutputInfo& info : all) tensors.push_back({.info = info, .binary = request.all_binary, .bytes = {}});
  }
  for (std::size_t i = 0; i < request.outputs.size(); ++i) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const OutputInfo& info) { return info.name == request.outputs[i]; });
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const OutputInfo& info : all) names.push_back(info.name);
      throw Problem(400, fmt::format("the model has no output {}", in_quotes(request.outputs[i])),
                    "it has " + join_text(names, ", "));
    }
    tensors.push_back({.info = *found, .binary = request.binary[i] || request.all_binary, .bytes = {}});
  }
  return tensors;
}

}  // namespace

HttpAnswer server_metadata() {
  const Json json = {{"name", "agentnet"}, {"version", kVersion}, {"extensions", Json::array({"binary_tensor_data"})}};
  return http_answer(200, "application/json", dumped(json) + "\n");
}

HttpAnswer model_metadata(const ServedModel& model) {
  Json outputs = Json::array();
  for (const OutputInfo& info : outputs_of(model)) {
    Json shape = Json::array({-1});
    if (info.columns > 0) shape.push_back(info.columns);
    Json json = {{"name", info.name}, {"datatype", info.type}, {"shape", std::move(shape)}};
    if (info.output == Output::kValues) json["parameters"] = {{"labels", join_text(model.outputs, ",")}};
    outputs.push_back(std::move(json));
  }
  Json input = {{"name", kInput}, {"datatype", "BYTES"}, {"shape", Json::array({-1})}};
  const Json json = {{"name", model.name},
                     {"versions", Json::array({model.version})},
                     {"platform", "agentnet_" + model.model.config().kind},
                     {"inputs", Json::array({std::move(input)})},
                     {"outputs", std::move(outputs)}};
  return http_answer(200, "application/json", dumped(json) + "\n");
}

InferenceRequest parse_inference(std::string_view body, std::string_view header_length, const ServeOptions& options) {
  std::string_view text = body, binary;
  if (!header_length.empty()) {
    const auto length = parse_count(header_length);
    if (!length || *length > body.size()) {
      throw Problem(400, "Inference-Header-Content-Length is no length of a part of the body");
    }
    text = body.substr(0, static_cast<std::size_t>(*length));
    binary = body.substr(text.size());
  }
  const Json json = parse_json(text, kRequest, ErrorKind::kData, {.depth = 16, .bytes = options.body_bytes});
  if (!json.is_object()) throw Problem(400, "the request is no JSON object");
  InferenceRequest request;
  if (const auto id = json.find("id"); id != json.end()) {
    if (!id->is_string()) throw Problem(400, "id is no text");
    request.id = id->get<std::string>();
  }
  const auto inputs = json.find("inputs");
  if (inputs == json.end() || !inputs->is_array() || inputs->size() != 1 || !(*inputs)[0].is_object()) {
    throw Problem(400, "a request has one input",
                  R"("inputs": [{"name": "input", "shape": [1], "datatype": "BYTES", "data": ["CCO"]}])");
  }
  request.rows = rows_of((*inputs)[0], binary, options);
  if (!binary.empty()) throw Problem(400, "there are bytes behind the last tensor");
  read_outputs(json, request);
  if (const auto parameters = json.find("parameters"); parameters != json.end()) {
    if (!parameters->is_object()) throw Problem(400, "parameters is no object");
    for (const auto& [name, value] : parameters->items()) {
      if (name == "binary_data_output") {
        request.all_binary = value.is_boolean() && value.get<bool>();
      } else {
        request.parameters.emplace_back(name, parameter_text(name, value));
      }
    }
  }
  return request;
}

HttpAnswer inference_answer(const ServedModel& model, const InferenceRequest& request, const RequestData& data,
                            const Predictions& predictions) {
  std::vector<Tensor> tensors = tensors_for(model, request);
  const auto width = static_cast<std::size_t>(predictions.outputs);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto add_row = [&](const double* mean, const double* walk_spread, int rollouts, std::string_view status) {
    const auto likeliest = mean == nullptr ? 0 : static_cast<std::size_t>(std::max_element(mean, mean + width) - mean);
    for (Tensor& tensor : tensors) {
      switch (tensor.info.output) {
        case Output::kPrediction:
          if (model.task == Task::kClassification) {
            tensor.add_text(mean == nullptr ? std::string_view() : std::string_view(model.outputs[likeliest]));
          } else {
            const bool question = model.task == Task::kMultilabel;
            tensor.add_number(mean == nullptr ? kNone : question ? (mean[0] > 0.5 ? 1.0 : 0.0) : mean[0]);
          }
          break;
        case Output::kValues:
          for (std::size_t c = 0; c < width; ++c) tensor.add_number(mean == nullptr ? kNone : mean[c]);
          break;
        case Output::kWalkSpread:
          for (std::size_t c = 0; c < width; ++c) {
            tensor.add_number(walk_spread == nullptr || rollouts < 2 ? kNone : walk_spread[c]);
          }
          break;
        case Output::kRollouts:
          tensor.add_count(rollouts);
          break;
        case Output::kStatus:
          tensor.add_text(status);
          break;
      }
    }
  };
  std::uint64_t rows = 0;
  const auto all_finite = [&](const double* values) {
    return std::all_of(values, values + width, [](double value) { return std::isfinite(value); });
  };
  visit_rows(data, {[&](std::uint64_t, const Dataset&, std::size_t, std::size_t number) {
                      const double* const mean = predictions.mean.data() + number * width;
                      const double* const walk_spread = predictions.walk_spread.data() + number * width;
                      const bool finite = all_finite(mean) && all_finite(walk_spread);
                      add_row(finite ? mean : nullptr, finite ? walk_spread : nullptr, predictions.rollouts[number],
                              finite ? "ok" : kNotFinite);
                      ++rows;
                    },
                    [&](const BadRow& bad) {
                      add_row(nullptr, nullptr, 0, bad.message);
                      ++rows;
                    }});
  Json json = {{"model_name", model.name}, {"model_version", model.version}};
  if (!request.id.empty()) json["id"] = request.id;
  std::string binary;
  Json outputs = Json::array();
  for (Tensor& tensor : tensors) {
    Json shape = Json::array({rows});
    if (tensor.info.columns > 0) shape.push_back(tensor.info.columns);
    Json output = {{"name", tensor.info.name}, {"datatype", tensor.info.type}, {"shape", std::move(shape)}};
    if (tensor.binary) {
      output["parameters"] = {{"binary_data_size", tensor.bytes.size()}};
      binary += tensor.bytes;
    } else {
      output["data"] = std::move(tensor.data);
    }
    outputs.push_back(std::move(output));
  }
  json["outputs"] = std::move(outputs);
  std::string head = dumped(json);
  const bool with_binary =
      std::any_of(tensors.begin(), tensors.end(), [](const Tensor& tensor) { return tensor.binary; });
  if (!with_binary) return http_answer(200, "application/json", head + "\n");
  const std::string length = std::to_string(head.size());
  return http_answer(200, "application/octet-stream", std::move(head) + binary,
                     {{"Inference-Header-Content-Length", length}});
}

}  // namespace agentnet
