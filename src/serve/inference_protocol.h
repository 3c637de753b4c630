// The Open Inference Protocol, version 2, over REST, with the extension for binary tensors: what clients of KServe and
// Triton speak. A row is an element of one BYTES tensor: a SMILES string, or a graph in JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "http/request.h"
#include "serve/asked.h"
#include "serve/request_data.h"
#include "serve/served_model.h"

namespace agentnet {

// {"name": "agentnet", ...}, and what is known of a model: its inputs and outputs.
[[nodiscard]] HttpAnswer server_metadata();
[[nodiscard]] HttpAnswer model_metadata(const ServedModel& model);

// A request for inference: its rows, how they are run, and how the answer is to look.
struct InferenceRequest {
  std::string id;  // of the client; empty: none
  std::vector<std::string> rows;
  AskedFields parameters;            // of the request, as asked_of() takes them
  std::vector<std::string> outputs;  // that are wanted; empty: all
  std::vector<bool> binary;          // [outputs] as bytes behind the JSON
  bool all_binary = false;           // the same of all outputs, if none are named
};

// `header_length` is the Inference-Header-Content-Length header: behind so many bytes of JSON come binary tensors;
// empty: all is JSON. Throws Problem (400, 413) for what is no such request.
[[nodiscard]] InferenceRequest parse_inference(std::string_view body, std::string_view header_length,
                                               const ServeOptions& options);

[[nodiscard]] HttpAnswer inference_answer(const ServedModel& model, const InferenceRequest& request,
                                          const RequestData& data, const Predictions& predictions);

}  // namespace agentnet
