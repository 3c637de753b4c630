#include "nets/rivals/recipes.h"

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <vector>

namespace agentnet {

using Json = nlohmann::json;
using Rename = std::pair<const char*, const char*>;

std::function<std::string(std::string)> renamed(std::vector<Rename> rules) {
  return [rules = std::move(rules)](const std::string& name) {
    for (const auto& [from, to] : rules) {
      const std::regex pattern(from);
      if (std::regex_search(name, pattern)) return std::regex_replace(name, pattern, to);
    }
    return name;
  };
}

NetworkConfig config_of(const RivalCase& rival, const std::string& kind, const Json& options) {
  NetworkConfig config{.kind = kind, .options = options.dump(), .shape = {}};
  const GraphView graph = rival.graphs.front().view();
  config.shape.node_features = graph.node_dense.width;
  config.shape.outputs = static_cast<int>(rival.output.extent(1));
  for (const Graph& g : rival.graphs) {
    if (g.num_edges() > 0) config.shape.edge_features = g.view().edge_dense.width;
  }
  return config;
}

namespace {

constexpr auto same = same_name;

RivalRecipe gin(const RivalCase& rival) {
  const auto pooling = [&](const char* key) { return rival.option<std::string>(key) == "sum" ? "sum" : "mean"; };
  return {config_of(rival, "gin",
                    {{"layers", rival.option<int>("num_layers") - 1},
                     {"hidden", rival.option<int>("hidden_dim")},
                     {"mlp_layers", rival.option<int>("num_mlp_layers")},
                     {"neighbours", pooling("neighbor_pooling_type")},
                     {"pooling", pooling("graph_pooling_type")},
                     {"learn_eps", rival.option<bool>("learn_eps")},
                     {"dropout", rival.option<double>("final_dropout")}}),
          same};
}

Json script_gin_options(const RivalCase& rival) {
  return {{"layers", rival.option<int>("num_layers")},
          {"hidden", rival.option<int>("hidden_units")},
          {"dropout", rival.options.value("dropout", 0.0)}};
}

const std::vector<Rename> kScriptNames = {{R"(^convs\.(\d+)\.nn\.0\.)", "mlps.$1.linears.0."},
                                          {R"(^convs\.(\d+)\.nn\.1\.)", "mlps.$1.batch_norms.0."},
                                          {R"(^convs\.(\d+)\.nn\.3\.)", "mlps.$1.linears.1."},
                                          {R"(^bns\.)", "batch_norms."},
                                          {R"(^fcs\.)", "linears_prediction."},
                                          {R"(^aux_fcs\.)", "aux_prediction."}};

RivalRecipe gin_synth(const RivalCase& rival) {
  Json options = script_gin_options(rival);
  options["random_features"] = rival.option<std::string>("augmentation") == "random" ? 1 : 0;
  options["mean_readout"] = rival.option<std::string>("variant") == "agentnet_synth";
  return {config_of(rival, "gin", options), renamed(kScriptNames)};
}

void add_drops(const RivalCase& rival, Json& options) {
  options["runs"] = rival.option<int>("num_runs");
  options["drop"] = rival.option<double>("p");
  options["auxiliary"] = rival.option<bool>("aux_loss");
}

RivalRecipe dropgin(const RivalCase& rival) {
  Json options = script_gin_options(rival);
  add_drops(rival, options);
  return {config_of(rival, "dropgin", options), renamed(kScriptNames)};
}

// The first extents of the tables PREFIX0.weight, PREFIX1.weight, ...
std::vector<int> table_sizes(const RivalCase& rival, const std::string& prefix) {
  std::vector<int> sizes;
  for (;;) {
    const auto found = rival.parameters.find(prefix + std::to_string(sizes.size()) + ".weight");
    if (found == rival.parameters.end()) return sizes;
    sizes.push_back(static_cast<int>(found->second.extent(0)));
  }
}

RivalRecipe gin_mol(const RivalCase& rival) {
  RivalRecipe recipe{config_of(rival, "gin-mol",
                               {{"layers", rival.option<int>("num_layer")},
                                {"hidden", rival.option<int>("emb_dim")},
                                {"virtual_node", rival.option<bool>("virtual_node")},
                                {"pooling", rival.option<std::string>("graph_pooling")},
                                {"dropout", rival.option<double>("drop_ratio")}}),
                     same};
  recipe.config.shape.node_categories = table_sizes(rival, "gnn_node.atom_encoder.atom_embedding_list.");
  recipe.config.shape.edge_categories = table_sizes(rival, "gnn_node.convs.0.bond_encoder.bond_embedding_list.");
  return recipe;
}

Json mpnn_options(const RivalCase& rival) {
  return {{"hidden", rival.option<int>("dim")},
          {"edge_hidden", rival.option<int>("edge_hidden")},
          {"steps", rival.option<int>("num_steps")},
          {"set_steps", rival.option<int>("processing_steps")}};
}

RivalRecipe mpnn(const RivalCase& rival) { return {config_of(rival, "mpnn", mpnn_options(rival)), same}; }

RivalRecipe dropmpnn(const RivalCase& rival) {
  Json options = mpnn_options(rival);
  add_drops(rival, options);
  return {config_of(rival, "dropmpnn", options), same};
}

Json gnn1_options(const RivalCase& rival) {
  const auto dims = rival.option<std::vector<int>>("dims");
  return {{"first_hidden", dims.at(0)},
          {"hidden", dims.at(1)},
          {"last_hidden", rival.option<int>("fc3_in")},
          {"edge_hidden", rival.option<int>("edge_hidden")}};
}

RivalRecipe gnn1(const RivalCase& rival) { return {config_of(rival, "gnn1", gnn1_options(rival)), same}; }

RivalRecipe dropgnn1(const RivalCase& rival) {
  Json options = gnn1_options(rival);
  add_drops(rival, options);
  return {config_of(rival, "dropgnn1", options), same};
}

RivalRecipe kgnn1(const RivalCase& rival) {
  const auto dims = rival.option<std::vector<int>>("dims");
  const auto pool = rival.option<std::string>("pool");
  return {config_of(rival, "kgnn1",
                    {{"first_hidden", dims.at(0)},
                     {"hidden", dims.at(1)},
                     {"pooling", pool},
                     {"dropout", pool == "mean" ? 0.5 : 0.0}}),
          same};
}

// [R, M, ...] as [M, R, ...]
std::vector<std::int64_t> runs_inside(const RivalIntegers& marks) {
  const std::size_t R = marks.extent(0), M = marks.extent(1), width = marks.values.size() / (R * M);
  std::vector<std::int64_t> turned(marks.values.size());
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t m = 0; m < M; ++m) {
      for (std::size_t c = 0; c < width; ++c) {
        turned[(m * R + r) * width + c] = marks.values[(r * M + m) * width + c];
      }
    }
  }
  return turned;
}

// Masks are recorded as integers or as numbers.
RivalIntegers mask_of(const RivalNumbers& mask) {
  RivalIntegers integers{mask.shape, {}};
  for (const double kept : mask.values) integers.values.push_back(kept != 0 ? 1 : 0);
  return integers;
}

}  // namespace

std::optional<RivalRecipe> recipe_of(const RivalCase& rival) {
  static const Recipes kRecipes = {
      {"gin", gin},   {"gin_synth", gin_synth}, {"dropgin", dropgin}, {"ogb_gin", gin_mol},   {"ogb_gin_vn", gin_mol},
      {"mpnn", mpnn}, {"dropmpnn", dropmpnn},   {"gnn1", gnn1},       {"dropgnn1", dropgnn1}, {"kgnn1", kgnn1},
  };
  for (const Recipes* recipes : {&kRecipes, &walks_recipes(), &expressive_recipes()}) {
    if (const auto found = recipes->find(rival.model); found != recipes->end()) return found->second(rival);
  }
  return std::nullopt;
}

RecordedDraws draws_of(const RivalCase& rival, bool evaluation) {
  RecordedDraws draws;
  const std::string when = evaluation ? "rng.eval." : "rng.";
  if (rival.has(when + "drop")) draws.marks["drop"] = runs_inside(rival.integers(when + "drop"));
  if (rival.has(when + "random_feature")) {
    draws.numbers["random_feature"] = rival.numbers(when + "random_feature").values;
  }
  add_walks_draws(rival, evaluation, draws);
  if (rival.has("rng.sample")) draws.marks["sample"] = rival.integers("rng.sample").values;  // the same in evaluation
  if (evaluation) return draws;
  for (const std::string& name : rival.names()) {
    const std::string prefix = "rng.dropout.";
    if (!name.starts_with(prefix)) continue;
    const RivalIntegers mask = mask_of(rival.numbers(name));
    const bool runs = mask.shape.size() == 3 && !walks_recipes().contains(rival.model);
    draws.marks["dropout." + name.substr(prefix.size())] = runs ? runs_inside(mask) : mask.values;
  }
  return draws;
}

}  // namespace agentnet
