// Recorded cases of networks that are stronger than messages between neighbours: PPGN, SMP, 1-2-3 GNN, ESAN.
#include <algorithm>
#include <regex>

#include "nets/rivals/recipes.h"

namespace agentnet {
namespace {

using Json = nlohmann::json;

RivalRecipe ppgn(const RivalCase& rival) {
  Json options = {{"blocks", rival.option<std::vector<int>>("block_features")},
                  {"mlp_depth", rival.option<int>("depth_of_mlp")},
                  {"readout", rival.option<bool>("new_suffix") ? "every" : "last"},
                  {"published_single_nodes", true}};
  if (rival.options.contains("fc_widths")) options["read_widths"] = rival.options.at("fc_widths");
  if (rival.has("graph.pos")) {
    options["input"] = "edges";
    options["positions"] = rival.numbers("graph.pos").extent(1);
  }
  return {config_of(rival, "ppgn", options), same_name};
}

RivalRecipe ppgn_smp(const RivalCase& rival) {
  return {config_of(rival, "ppgn-smp",
                    {{"layers", rival.option<int>("num_layers")},
                     {"hidden", rival.option<int>("hidden")},
                     {"layers_per_conv", rival.option<int>("layers_per_conv")},
                     {"activation", rival.option<std::string>("activation_function")},
                     {"negative_slope", rival.option<double>("negative_slope")},
                     {"dropout", rival.option<double>("dropout")},
                     {"published_padding", true}}),
          same_name};
}

RivalRecipe smp(const RivalCase& rival) {
  static const std::map<std::string, std::string> kLayers = {{"SMP", "smp"}, {"FastSMP", "fast"}};
  const bool zinc = rival.model == "SMPZinc";
  return {config_of(rival, "smp",
                    {{"layer", zinc ? "zinc" : kLayers.at(rival.option<std::string>("layer_type"))},
                     {"layers", rival.option<int>("num_layers")},
                     {"hidden", rival.option<int>("hidden")},
                     {"final_hidden", rival.option<int>("hidden_final")},
                     {"towers", rival.option<int>("num_towers")},
                     {"batch_norm", rival.option<bool>("use_batch_norm")},
                     {"dropout", rival.options.value("dropout_prob", 0.0)},
                     {"features", rival.option<bool>("map_x_to_u")},
                     {"residual", rival.options.value("residual", false)},
                     {"shared_extractor", rival.options.value("shared_extractor", false)},
                     {"simplified", rival.option<bool>("simplified")},
                     {"published_padding", true}}),
          same_name};
}

std::vector<std::int64_t> known_types(const RivalCase& rival, const std::string& sets) {
  return rival.integers(sets + ".iso_unique").values;
}

RivalRecipe kgnn(const RivalCase& rival) {
  static const std::map<std::string, std::string> kPairs = {{"TwoMalkin", "malkin"},
                                                            {"TwoLocal", "local"},
                                                            {"ConnectedTwoMalkin", "connected-malkin"},
                                                            {"ConnectedTwoLocal", "connected-local"}};
  static const std::map<std::string, std::string> kTriples = {{"ConnectedThreeMalkin", "malkin"},
                                                              {"ConnectedThreeLocal", "local"}};
  const bool triples = rival.model == "1-2-3-GNN";
  const bool edges = rival.option<int>("edge_features") > 0;
  Json options = {{"first_hidden", rival.parameters.at("conv1.bias").extent(0)},
                  {"hidden", rival.option<int>("hidden")},
                  {"last_hidden", rival.parameters.at("fc2.bias").extent(0)},
                  {"pooling", rival.option<std::string>("pool1") == "add" ? "sum" : "mean"},
                  {"dropout", rival.option<double>("dropout")},
                  {"edge_matrices", edges},
                  {"labels", rival.option<int>("num_labels")},
                  {"pairs", kPairs.at(rival.option<std::string>("sets2"))},
                  {"pair_types", known_types(rival, "sets2")}};
  if (edges) options["edge_hidden"] = rival.option<int>("edge_hidden");
  if (triples) {
    options["triples"] = kTriples.at(rival.option<std::string>("sets3"));
    options["triple_types"] = known_types(rival, "sets3");
    options["published_types"] = true;
  }
  return {config_of(rival, triples ? "kgnn123" : "kgnn12", options), same_name};
}

// The tables of nodes and edges are called otherwise in every network, and DS has its own under a prefix.
std::string esan_name(const std::string& name) {
  static const std::vector<std::pair<std::regex, std::string>> kRules = {
      {std::regex(R"(^subgraph_gnn\.gnn_node\.)"), ""},
      {std::regex(R"(\.layer\.nn\.)"), ".mlp."},
      {std::regex(R"(^(feature_encoder|atom_encoder)\.(enc\.)?atom_embedding_list\.)"), "node_encoder."},
      {std::regex(R"(^(feature_encoder|atom_encoder)\.enc\.weight$)"), "node_encoder.0.weight"},
      {std::regex(R"(\.bond_embedding_list\.)"), "."},
      {std::regex(R"(\.bond_encoder\.weight$)"), ".bond_encoder.0.weight"}};
  std::string ours = name;
  for (const auto& [pattern, replacement] : kRules) ours = std::regex_replace(ours, pattern, replacement);
  return ours;
}

// The sizes of the tables PREFIX0.weight, PREFIX1.weight, ... by our names.
std::vector<int> esan_tables(const RivalCase& rival, const std::string& prefix) {
  std::map<std::string, int> rows;
  for (const auto& [name, tensor] : rival.parameters) rows[esan_name(name)] = static_cast<int>(tensor.extent(0));
  std::vector<int> sizes;
  for (auto at = rows.end();; sizes.push_back(at->second)) {
    at = rows.find(prefix + std::to_string(sizes.size()) + ".weight");
    if (at == rows.end()) return sizes;
  }
}

RivalRecipe esan(const RivalCase& rival) {
  static const std::map<std::string, std::string> kConvs = {
      {"originalgin", "gin"}, {"zincgin", "zinc"}, {"gin", "mol"}};
  const bool ds = rival.option<std::string>("model") == "DSnetwork";
  std::string policy = rival.option<std::string>("policy");
  std::replace(policy.begin(), policy.end(), '_', '-');
  const Json& degree = rival.options.at("onehot_degree");
  Json options = {{"conv", kConvs.at(rival.option<std::string>("gnn_type"))},
                  {"layers", rival.option<int>("num_layer")},
                  {"hidden", rival.option<int>("emb_dim")},
                  {"policy", policy},
                  {"hops", rival.option<int>("num_hops")},
                  {"fraction", rival.option<double>("fraction")},
                  {"degree", degree.is_null() ? 0 : degree.get<int>()},
                  {"published_self_loops", true}};
  if (ds) {
    options["readout"] = rival.option<std::string>("jk") == "concat" ? "every" : "last";
    options["pooling"] = rival.option<std::string>("graph_pooling");
    options["channels"] = rival.option<std::vector<int>>("channels");
    options["invariant"] = rival.option<bool>("invariant");
    options["dropout"] = rival.option<double>("drop_ratio");
  }
  RivalRecipe recipe{config_of(rival, ds ? "esan-ds" : "esan-dss", options), esan_name};
  recipe.config.shape.node_categories = esan_tables(rival, "node_encoder.");
  recipe.config.shape.edge_categories = esan_tables(rival, ds ? "convs.0.bond_encoder." : "gnn_list.0.bond_encoder.");
  return recipe;
}

}  // namespace

const Recipes& expressive_recipes() {
  static const Recipes kRecipes = {{"ppgn", ppgn},    {"ppgn_smp", ppgn_smp}, {"SMP", smp},  {"SMPZinc", smp},
                                   {"1-2-GNN", kgnn}, {"1-2-3-GNN", kgnn},    {"ESAN", esan}};
  return kRecipes;
}

}  // namespace agentnet
