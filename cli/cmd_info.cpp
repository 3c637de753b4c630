// agentnet info MODEL: what a model file holds.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "agentnet/model.h"
#include "command_list.h"

namespace agentnet {

namespace {

struct InfoOptions {
  std::string model;
  bool json = false;
};

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

void print_json(std::ostream& out, const Model& model) {
  nlohmann::ordered_json j;
  j["config"] = nlohmann::ordered_json::parse(to_json(model.config()));
  j["task"] = model.card().task;
  j["label_names"] = model.card().label_names;
  j["training"] = model.card().training;
  j["parameters"] = model.parameters().size();
  j["tensors"] = nlohmann::ordered_json::array();
  for (const ParameterInfo& p : model.parameter_infos()) {
    j["tensors"].push_back({{"name", p.name}, {"shape", p.shape}, {"trainable", p.trainable}});
  }
  fmt::print(out, "{}\n", j.dump(2));
}

void print_text(std::ostream& out, const std::string& path, const Model& model) {
  const ModelConfig& c = model.config();
  fmt::print(out, "{}: AgentNet with {} agents, {} steps, hidden size {}, {} outputs, {} parameters\n", path, c.agents,
             c.steps, c.hidden, c.outputs, model.parameters().size());
  if (!model.card().task.empty()) fmt::print(out, "task      {}\n", model.card().task);
  if (!model.card().label_names.empty()) fmt::print(out, "labels    {}\n", fmt::join(model.card().label_names, ", "));
  for (const auto& [key, value] : model.card().training) fmt::print(out, "{:<9} {}\n", key, value);

  fmt::print(out, "\noptions that differ from the defaults:\n");
  const auto now = nlohmann::ordered_json::parse(to_json(c)),
             usual = nlohmann::ordered_json::parse(to_json(ModelConfig{}));
  for (const auto& [key, value] : now.items()) {
    if (value != usual[key]) fmt::print(out, "  {} = {}\n", key, value.dump());
  }
  fmt::print(out, "\ntensors:\n");
  for (const ParameterInfo& p : model.parameter_infos()) {
    fmt::print(out, "  {:<34} {}{}\n", p.name, shape_text(p.shape), p.trainable ? "" : " (frozen)");
  }
}

}  // namespace

CommandRun define_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  app.add_option("MODEL", options->model, "a model file")->required();
  app.add_flag("--json", options->json, "as JSON");
  return [options](const Console& console) {
    const Model model = Model::load(options->model);
    if (options->json) {
      print_json(console.out, model);
    } else {
      print_text(console.out, options->model, model);
    }
  };
}

}  // namespace agentnet
