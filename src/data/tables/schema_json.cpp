#include "data/tables/schema_json.h"

#include <fmt/core.h>

#include "agentnet/error.h"
#include "core/json.h"
#include "core/text.h"

namespace agentnet {
namespace {

Json features_json(const FeatureSchema& schema) {
  Json categories = Json::array();
  for (const CategoryColumn& column : schema.categories) {
    categories.push_back({{"name", column.name}, {"values", column.values}});
  }
  return {{"dense", schema.dense}, {"categories", categories}};
}

FeatureSchema features_from(const Json& json) {
  FeatureSchema schema;
  schema.dense = json.at("dense").get<std::vector<std::string>>();
  for (const Json& column : json.at("categories")) {
    schema.categories.push_back(
        {column.at("name").get<std::string>(), column.at("values").get<std::vector<std::string>>()});
  }
  return schema;
}

Json schema_json(const Schema& schema) {
  return {{"task", task_name(schema.task)},
          {"targets", schema.targets},
          {"classes", schema.classes},
          {"nodes", features_json(schema.nodes)},
          {"edges", features_json(schema.edges)}};
}

Schema schema_from(const Json& json) {
  Schema schema;
  schema.task = task_from_name(json.at("task").get<std::string>());
  schema.targets = json.at("targets").get<std::vector<std::string>>();
  schema.classes = json.at("classes").get<std::vector<std::string>>();
  schema.nodes = features_from(json.at("nodes"));
  schema.edges = features_from(json.at("edges"));
  return schema;
}

[[noreturn]] void fail(const std::string& place, const char* what) {
  throw Error(ErrorKind::kData, fmt::format("{}: the metadata is damaged: {}", place, printable(what)),
              "convert the data again");
}

}  // namespace

std::string schema_to_json(const Schema& schema) { return schema_json(schema).dump(); }

Schema schema_from_json(const std::string& json, const std::string& place) {
  try {
    return schema_from(parse_json(json, "schema"));
  } catch (const nlohmann::json::exception& error) {
    fail(place, error.what());
  } catch (const Error& error) {  // the name of a task
    fail(place, error.what());
  }
}

std::string set_metadata(const Schema& schema, const std::vector<std::string>& columns) {
  Json metadata = schema_json(schema);
  metadata["columns"] = columns;
  return metadata.dump();
}

}  // namespace agentnet
