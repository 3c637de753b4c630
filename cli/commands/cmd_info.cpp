// agentnet info RUN|MODEL: what a model file holds.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <ostream>

#include "agentnet/data.h"
#include "agentnet/model.h"
#include "command_list.h"
#include "core/counted.h"
#include "core/json.h"
#include "core/print.h"
#include "core/text.h"
#include "data/tables/schema_json.h"
#include "nets/model_inside.h"
#include "options/run_source.h"

namespace agentnet {

namespace {

struct InfoOptions {
  std::string model;
  bool json = false;
};

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", join_text(shape, ", ")); }

// Throws Error (kData) if what the file has there is no schema.
Schema schema_in(const Model& model) { return schema_from_json(model.card().schema, "model"); }
std::string schema_text(const Model& model) { return schema_to_json(schema_in(model)); }

// The first few, and how many more there are.
std::string few(std::vector<std::string> texts) {
  for (std::string& text : texts) text = printable(text);  // a newline in a name must not look like another entry
  constexpr std::size_t kMost = 12;
  if (texts.size() > kMost) {
    const std::size_t more = texts.size() - kMost;
    texts.resize(kMost);
    texts.push_back(fmt::format("and {} more", more));
  }
  return texts.empty() ? "none" : join_text(texts, ", ");
}

std::string columns_text(const FeatureSchema& schema) {
  std::vector<std::string> texts;
  for (const CategoryColumn& column : schema.categories) {
    texts.push_back(fmt::format("{} ({} {})", column.name, column.values.size(),
                                column.values.size() == 1 ? "category" : "categories"));
  }
  for (const std::string& name : schema.dense) texts.push_back(fmt::format("{} (number)", name));
  return few(std::move(texts));
}

// The numbers that the model reads in units of their spread.
void print_inputs(std::ostream& out, const Model& model) {
  const InputScale& inputs = ModelInside::inputs(model);
  if (inputs.empty()) return;
  const FeatureSchema none;
  std::optional<Schema> schema;
  if (!model.card().schema.empty()) schema = schema_in(model);
  print_to(out, "\nnumbers are read as (number - centre) / spread; data is given as it is:\n");
  const auto print = [&](const char* what, const std::vector<ColumnScale>& columns, const FeatureSchema& names) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string name = c < names.dense.size() ? printable(names.dense[c]) : std::to_string(c);
      const std::string scale = columns[c].changes_nothing()
                                    ? "as it is"
                                    : fmt::format("centre {:.6g}, spread {:.6g}", columns[c].centre, columns[c].spread);
      print_to(out, "  {} {:<29} {}\n", what, name, scale);
    }
  };
  print("node", inputs.nodes, schema ? schema->nodes : none);
  print("edge", inputs.edges, schema ? schema->edges : none);
}

void print_schema(std::ostream& out, const Model& model) {
  if (model.card().schema.empty()) {
    if (!model.card().label_names.empty()) print_to(out, "labels    {}\n", few(model.card().label_names));
    print_to(out, "reads     the file does not say which columns\n");
    return;
  }
  const Schema schema = schema_in(model);
  print_to(out, "predicts  {}\n", few(schema.targets));
  if (!schema.classes.empty()) print_to(out, "classes   {}\n", few(schema.classes));
  print_to(out, "nodes     {}\nedges     {}\n", columns_text(schema.nodes), columns_text(schema.edges));
}

void print_json(std::ostream& out, const Model& model) {
  Json j;
  const NetworkConfig& config = model.config();
  j["kind"] = config.kind;
  j["description"] = model.description();
  j["options"] = parse_json(config.options, "model options");
  j["shape"] = {{"outputs", config.shape.outputs},
                {"node_features", config.shape.node_features},
                {"node_categories", config.shape.node_categories},
                {"edge_features", config.shape.edge_features},
                {"edge_categories", config.shape.edge_categories}};
  j["task"] = model.card().task;
  j["label_names"] = model.card().label_names;
  j["schema"] = model.card().schema.empty() ? nullptr : parse_json(schema_text(model), "schema");
  j["reading"] =
      model.card().reading.empty() ? nullptr : parse_json(model.card().reading, "the model's reading options");
  j["inputs"] = parse_json(to_json(ModelInside::inputs(model)), "inputs");
  j["training"] = model.card().training;
  j["parameters"] = model.parameters().size();
  j["tensors"] = Json::array();
  for (const ParameterInfo& p : model.parameter_infos()) {
    j["tensors"].push_back({{"name", p.name}, {"shape", p.shape}, {"trainable", p.trainable}});
  }
  print_to(out, "{}\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_text(std::ostream& out, const std::string& path, const Model& model) {
  print_to(out, "{}: {}, {}, {}\n", path, model.description(), counted(model.outputs(), "output"),
           counted(model.parameters().size(), "parameter"));
  if (!model.card().task.empty()) print_to(out, "task      {}\n", printable(model.card().task));
  print_schema(out, model);
  for (const auto& [key, value] : model.card().training) {
    print_to(out, "{:<9} {}\n", printable(key), printable(value));
  }

  print_to(out, "\noptions that differ from the defaults:\n");
  const Json now = parse_json(model.config().options, "model options");
  for (const OptionHelp& option : network_options(model.config().kind)) {
    const Json& value = now.at(option.name);
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text != option.default_value) print_to(out, "  {} = {}\n", option.name, value.dump());
  }
  print_inputs(out, model);
  print_to(out, "\ntensors:\n");
  for (const ParameterInfo& p : model.parameter_infos()) {
    print_to(out, "  {:<34} {}{}\n", p.name, shape_text(p.shape), p.trainable ? "" : " (frozen)");
  }
}

}  // namespace

CommandRun define_info(CLI::App& app) {
  auto options = std::make_shared<InfoOptions>();
  app.add_option(kRunOrModel, options->model, kRunOrModelHelp)->required();
  app.add_flag("--json", options->json, "as JSON");
  return [options](const Console& console) {
    const std::string file = model_file_of(options->model).string();
    const Model model = Model::load(file);
    if (options->json) {
      print_json(console.out, model);
    } else {
      print_text(console.text(), file, model);
    }
  };
}

}  // namespace agentnet
