#include "serve/open_api.h"

#include "agentnet/version.h"
#include "core/json.h"

namespace agentnet {
namespace {

Json text_of(const char* type, Json schema) { return {{type, {{"schema", std::move(schema)}}}}; }

Json reference(const char* name) { return {{"$ref", std::string("#/components/schemas/") + name}}; }

Json answer_of(const char* description, Json content = nullptr) {
  Json answer = {{"description", description}};
  if (!content.is_null()) answer["content"] = std::move(content);
  return answer;
}

Json parameter(const char* name, const char* description, Json schema, const char* in = "query") {
  Json json = {{"name", name}, {"in", in}, {"description", description}, {"schema", std::move(schema)}};
  if (std::string(in) == "path") json["required"] = true;
  return json;
}

Json whole(std::uint64_t least, std::uint64_t most) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", most}};
}

// Options that every way of asking a model has.
Json common_parameters(const ServeOptions& options) {
  Json rollouts = whole(1, static_cast<std::uint64_t>(options.rollouts));
  rollouts["default"] = options.predicting.rollouts;
  return Json::array(
      {parameter("model", "Which model; the first if it is left out.", {{"type", "string"}}),
       parameter("rollouts", "Walks per graph, whose predictions are averaged.", std::move(rollouts)),
       parameter("seed", "Of the walks.", {{"type", "integer"}, {"minimum", 0}}),
       parameter("greedy", "Agents take their likeliest move.", {{"type", "boolean"}}),
       parameter("draws", "What random draws are keyed by.", {{"type", "string"}, {"enum", {"content", "row"}}}),
       parameter("max_neighbours", "Of nodes with more, look at a sample; 0: at all.",
                 {{"type", "integer"}, {"minimum", 0}})});
}

Json rows_body() {
  return {{"required", true},
          {"description", "Graphs in a text format that agentnet reads, or SMILES strings."},
          {"content",
           {{"application/json", {{"schema", reference("Rows")}}},
            {"application/x-ndjson", {{"schema", {{"type", "string"}}}}},
            {"text/csv", {{"schema", {{"type", "string"}}}}},
            {"chemical/x-daylight-smiles", {{"schema", {{"type", "string"}}}}},
            {"text/plain", {{"schema", {{"type", "string"}}}}}}}};
}

// The refusals that every POST may get.
void add_refusals(Json& answers) {
  const auto add = [&](const char* status, const char* description) {
    answers[status] = answer_of(description, text_of("application/json", reference("Problem")));
  };
  add("400", "The data or an option makes no sense.");
  add("401", "The request has no token, or a wrong one.");
  add("404", "There is no such model.");
  add("413", "The body, the number of rows or a graph is too large.");
  add("415", "The body is of a kind that is not read here.");
  add("422", "The data does not fit the model.");
  add("429", "This client has too many requests that are not answered yet; Retry-After says when to ask again.");
  add("503", "The server has too much to do; Retry-After says when to ask again.");
}

Json post(const char* summary, Json parameters, Json body, Json answer) {
  Json answers = {{"200", std::move(answer)}};
  add_refusals(answers);
  Json json = {{"summary", summary}};
  if (!parameters.empty()) json["parameters"] = std::move(parameters);
  json["requestBody"] = std::move(body);
  json["responses"] = std::move(answers);
  return {{"post", std::move(json)}};
}

Json get(const char* summary, Json answer, bool open, Json parameters = Json::array()) {
  Json json = {{"summary", summary}, {"responses", {{"200", std::move(answer)}}}};
  if (!parameters.empty()) json["parameters"] = std::move(parameters);
  if (open) json["security"] = Json::array({Json::object()});
  return {{"get", std::move(json)}};
}

Json schemas() {
  const Json numbers = {{"type", "object"}, {"additionalProperties", {{"type", {"number", "null"}}}}};
  const Json texts = {{"type", "array"}, {"items", {{"type", "string"}}}};
  const Json graphs = {{"type", "array"}, {"items", reference("Graph")}};
  return {
      {"Graph",
       {{"type", "object"},
        {"description", "A line of agentnet's JSON lines (docs/data.md)."},
        {"properties",
         {{"edge_index", {{"type", "array"}}},
          {"num_nodes", {{"type", "integer"}}},
          {"node_feat", {{"type", "array"}}},
          {"edge_attr", {{"type", "array"}}},
          {"id", {{"type", "string"}}}}}}},
      {"Rows",
       {{"oneOf",
         Json::array(
             {reference("Graph"),
              graphs,
              texts,
              {{"type", "object"},
               {"properties", {{"smiles", {{"oneOf", Json::array({{{"type", "string"}}, texts})}}}}},
               {"required", Json::array({"smiles"})}},
              {{"type", "object"}, {"properties", {{"graphs", graphs}}}, {"required", Json::array({"graphs"})}}})}}},
      {"Row",
       {{"type", "object"},
        {"properties",
         {{"row", {{"type", "integer"}}},
          {"id", {{"type", "string"}}},
          {"prediction", {{"type", {"string", "number"}}}},
          {"probabilities", numbers},
          {"values", numbers},
          {"walk_spread", numbers},
          {"rollouts", {{"type", "integer"}}},
          {"settled", {{"type", "boolean"}}},
          {"status", {{"type", "string"}, {"description", "ok, or why the row has no prediction."}}}}},
        {"required", {"row", "id", "status"}}}},
      {"Answers",
       {{"type", "object"},
        {"properties",
         {{"model", {{"type", "string"}}},
          {"version", {{"type", "string"}}},
          {"rows", {{"type", "array"}, {"items", reference("Row")}}}}}}},
      {"Problem",
       {{"type", "object"},
        {"properties", {{"error", {{"type", "string"}}}, {"hint", {{"type", "string"}}}}},
        {"required", Json::array({"error"})}}},
      {"Inference",
       {{"type", "object"},
        {"description", "A request of the Open Inference Protocol, version 2, with one BYTES tensor."},
        {"properties",
         {{"id", {{"type", "string"}}},
          {"inputs", {{"type", "array"}, {"minItems", 1}, {"maxItems", 1}}},
          {"outputs", {{"type", "array"}}},
          {"parameters", {{"type", "object"}}}}},
        {"required", Json::array({"inputs"})}}},
      {"Tensors",
       {{"type", "object"},
        {"properties",
         {{"model_name", {{"type", "string"}}},
          {"model_version", {{"type", "string"}}},
          {"id", {{"type", "string"}}},
          {"outputs", {{"type", "array"}}}}}}}};
}

}  // namespace

std::string open_api(const ServeOptions& options) {
  const Json any = answer_of("What was asked for.", text_of("application/json", {{"type", "object"}}));
  const Json model = parameter("model", "Its name.", {{"type", "string"}}, "path");
  const Json version = parameter("version", "Its version.", {{"type", "string"}}, "path");

  Json of_predict = common_parameters(options);
  of_predict.push_back(parameter("confidence", "As many rollouts as settle the decision with this probability.",
                                 {{"type", "number"}, {"exclusiveMinimum", 0}, {"exclusiveMaximum", 1}}));
  Json of_explain = common_parameters(options);
  of_explain.push_back(parameter("recorded", "Rollouts that are told step by step.", whole(0, 64)));
  of_explain.push_back(
      parameter("leave_one_out", "Graphs of up to so many nodes are also run without each.", whole(0, 1000)));
  of_explain.push_back(parameter("about", "The output that influence is about.", {{"type", "string"}}));
  const Json rows_answered =
      answer_of("One answer per row, in order.", {{"application/json", {{"schema", reference("Answers")}}},
                                                  {"application/x-ndjson", {{"schema", {{"type", "string"}}}}},
                                                  {"text/csv", {{"schema", {{"type", "string"}}}}}});
  const Json infer = post("Ask a model, by the Open Inference Protocol.", Json::array({model}),
                          {{"required", true}, {"content", text_of("application/json", reference("Inference"))}},
                          answer_of("Tensors of all rows.", text_of("application/json", reference("Tensors"))));
  Json infer_version = infer;
  infer_version["post"]["parameters"].push_back(version);

  Json paths = {{"/", get("A page to paste molecules and graphs into.",
                          answer_of("The page.", text_of("text/html", {{"type", "string"}})), true)},
                {"/predict", post("Ask a model about graphs.", std::move(of_predict), rows_body(), rows_answered)},
                {"/explain", post("Why a model says what it says: visits and influence of nodes and edges.", of_explain,
                                  rows_body(), any)},
                {"/view", post("The viewer's page with the walks of these graphs.", of_explain, rows_body(),
                               answer_of("The page.", text_of("text/html", {{"type", "string"}})))},
                {"/models", get("The models that are served.", any, false)},
                {"/metrics", get("Counts for Prometheus.",
                                 answer_of("Counts.", text_of("text/plain", {{"type", "string"}})), false)},
                {"/openapi.json", get("This text.", any, true)},
                {"/v2", get("What the server is.", any, false)},
                {"/v2/health/live", get("Whether the server lives.", any, true)},
                {"/v2/health/ready", get("Whether it takes requests; 503 while it finishes what it has.", any, true)},
                {"/v2/models/{model}", get("Inputs and outputs of a model.", any, false, Json::array({model}))},
                {"/v2/models/{model}/ready", get("Whether a model can be asked.", any, false, Json::array({model}))},
                {"/v2/models/{model}/infer", infer},
                {"/v2/models/{model}/versions/{version}",
                 get("Inputs and outputs of a model.", any, false, Json::array({model, version}))},
                {"/v2/models/{model}/versions/{version}/ready",
                 get("Whether a model can be asked.", any, false, Json::array({model, version}))},
                {"/v2/models/{model}/versions/{version}/infer", std::move(infer_version)}};
  const Json all = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "agentnet"},
        {"version", kVersion},
        {"description", "Answers of graph networks over HTTP (docs/serve.md)."}}},
      {"security", Json::array({{{"bearer", Json::array()}}, Json::object()})},
      {"paths", std::move(paths)},
      {"components",
       {{"schemas", schemas()}, {"securitySchemes", {{"bearer", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
  return all.dump(2) + "\n";
}

}  // namespace agentnet
