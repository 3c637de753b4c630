// What must hold of any bytes that arrive at agentnet serve, and of any body that a route gets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "agentnet/config.h"
#include "agentnet/data.h"
#include "agentnet/model.h"
#include "data/molecules/molecule.h"
#include "data/tables/options_json.h"
#include "data/tables/schema_json.h"
#include "reader_property.h"
#include "serve/service.h"

namespace agentnet {

inline constexpr std::uint16_t kServedPort = 4712;

// A service with a tiny model of graphs and, with RDKit, one of molecules. It lives as long as the process.
class FuzzedService {
 public:
  static FuzzedService& instance() {
    static FuzzedService service;
    return service;
  }
  [[nodiscard]] ServeService& service() { return *service_; }
  [[nodiscard]] const ServeOptions& options() const { return options_; }

 private:
  FuzzedService() {
    Schema graphs;
    graphs.task = Task::kClassification;
    graphs.targets = {"y"};
    graphs.classes = {"0", "1"};
    graphs.nodes.categories = {{"node_feat0", {"1", "2"}}};
    add("graphs", graphs, {});
    if (can_read_smiles()) {
      Schema molecules = graphs;
      molecules.nodes = atom_schema();
      molecules.edges = bond_schema();
      DataOptions reading;
      reading.smiles_column = "smiles";
      add("molecules", molecules, reading);
    }
    options_.rows = 20;
    options_.nodes = 50;
    options_.rollouts = 3;
    options_.explained = 2;
    options_.predicting.rollouts = 2;
    options_.body_bytes = 4096;
    options_.batch_wait = std::chrono::microseconds(0);
    service_ = std::make_unique<ServeService>(models_, nullptr, options_);
    service_->listens_on(kServedPort, true);
  }

  void add(const std::string& name, const Schema& schema, const DataOptions& reading) {
    AgentNetConfig config;
    config.hidden = 4;
    config.agents = 2;
    config.steps = 2;
    for (const CategoryColumn& column : schema.nodes.categories) {
      config.node_categories.push_back(static_cast<int>(column.values.size()) + 1);
    }
    for (const CategoryColumn& column : schema.edges.categories) {
      config.edge_categories.push_back(static_cast<int>(column.values.size()) + 1);
    }
    config.outputs = 2;
    Model model(config, 1);
    model.card().task = std::string(task_name(schema.task));
    model.card().schema = schema_to_json(schema);
    model.card().reading = to_json(reading);
    const auto path =
        std::filesystem::temp_directory_path() /
        ("agentnet-fuzz-" + name + "-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".safetensors");
    model.save(path);
    models_.add(name, path);
    std::filesystem::remove(path);
  }

  ServedModels models_;
  ServeOptions options_;
  std::unique_ptr<ServeService> service_;
};

// Answers stand one after the other, each as long as it says; a failure of the server is never one of them.
inline void check_answers(std::string_view answers) {
  while (!answers.empty()) {
    require_of_reader(answers.starts_with("HTTP/1.1 "), "an answer that is none");
    const int status = std::stoi(std::string(answers.substr(9, 3)));
    constexpr std::array kStatuses = {100, 200, 400, 403, 404, 405, 413, 415, 417, 421, 422, 431, 501, 503, 505};
    if (std::find(kStatuses.begin(), kStatuses.end(), status) == kStatuses.end()) {
      require_of_reader(false, ("an unexpected status: " + std::string(answers.substr(0, 600))).c_str());
    }
    const std::size_t end = answers.find("\r\n\r\n");
    require_of_reader(end != std::string_view::npos, "an answer whose headers do not end");
    if (status == 100) {
      answers.remove_prefix(end + 4);
      continue;
    }
    const std::string_view head = answers.substr(0, end);
    const std::string_view name = "\r\nContent-Length: ";
    const std::size_t at = head.find(name);
    require_of_reader(at != std::string_view::npos, "an answer without a length");
    const auto length = static_cast<std::size_t>(std::stoull(std::string(head.substr(at + name.size(), 20))));
    answers.remove_prefix(end + 4);
    // A HEAD request has an answer without its body: the next answer begins at once, or nothing is left.
    if (answers.size() >= length && !answers.starts_with("HTTP/1.1 ")) answers.remove_prefix(length);
  }
}

// The first byte says what the others are: a connection's bytes, or the body of a request to one of the routes.
inline void check_serving(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  FuzzedService& fuzzed = FuzzedService::instance();
  const auto first = std::to_integer<unsigned>(bytes[0]);
  std::string text = text_of(bytes.subspan(1));
  constexpr std::array kRequests = {
      "POST /predict HTTP/1.1\r\nContent-Type: application/json\r\n",
      "POST /predict HTTP/1.1\r\nContent-Type: application/x-ndjson\r\nAccept: text/csv\r\n",
      "POST /predict?model=molecules HTTP/1.1\r\nContent-Type: text/csv\r\nAccept: application/x-ndjson\r\n",
      "POST /predict?model=molecules HTTP/1.1\r\nContent-Type: chemical/x-daylight-smiles\r\n",
      "POST /predict HTTP/1.1\r\n",
      "POST /explain?recorded=1&leave_one_out=3 HTTP/1.1\r\nContent-Type: application/json\r\n",
      "POST /v2/models/graphs/infer HTTP/1.1\r\n",
      "POST /v2/models/graphs/infer HTTP/1.1\r\nInference-Header-Content-Length: 102\r\n",
      "POST /v2/models/molecules/infer HTTP/1.1\r\n",
  };
  if (first < kRequests.size()) {
    text = kRequests[first] + std::string("Host: localhost\r\nContent-Length: ") + std::to_string(text.size()) +
           "\r\n\r\n" + text;
  }
  check_answers(http_answers_to(fuzzed.service(), text, fuzzed.service().http_limits(), serve_headers()));
}

}  // namespace agentnet
