// Recorded cases of CRaWl, PNA, DGN, GSN, HIMP and CIN.
#include "nets/rivals/recipes.h"

namespace agentnet {
namespace {

using Json = nlohmann::json;
using Rename = std::pair<const char*, const char*>;

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t last = std::min(text.find(' ', first), text.size());
    if (last > first) all.push_back(text.substr(first, last - first));
    first = last + 1;
  }
  return all;
}

template <class T>
T option_or(const RivalCase& rival, const char* key, T otherwise) {
  const auto found = rival.options.find(key);
  return found == rival.options.end() || found->is_null() ? otherwise : found->get<T>();
}

// What PNA and DGN call alike.
Json pna_options(const RivalCase& rival) {
  return {{"layers", rival.option<int>("L")},
          {"hidden", rival.option<int>("hidden_dim")},
          {"last_hidden", rival.option<int>("out_dim")},
          {"aggregators", words(rival.option<std::string>("aggregators"))},
          {"scalers", words(rival.option<std::string>("scalers"))},
          {"mean_log_degree", rival.numbers("const.avg_log").values.at(0)},
          {"edge_features", rival.option<bool>("edge_feat")},
          {"edge_hidden", std::max(1, rival.option<int>("edge_dim"))},
          {"pretrans_layers", rival.option<int>("pretrans_layers")},
          {"posttrans_layers", rival.option<int>("posttrans_layers")},
          {"graph_norm", rival.option<bool>("graph_norm")},
          {"batch_norm", rival.option<bool>("batch_norm")},
          {"residual", rival.option<bool>("residual")},
          {"pooling", rival.option<std::string>("readout")},
          {"input_dropout", rival.option<double>("in_feat_dropout")},
          {"dropout", rival.option<double>("dropout")}};
}

const std::vector<Rename> kPnaNames = {{R"(^embedding_([he])\.weight$)", "embedding_$1.0.weight"},
                                       {R"(^gru\.(?:gru\.)?)", "gru."}};

RivalRecipe with_molecule_shape(RivalRecipe recipe, const RivalCase& rival) {
  recipe.config.shape.node_categories = {rival.option<int>("num_atom_type")};
  recipe.config.shape.edge_categories = {rival.option<int>("num_bond_type")};
  return recipe;
}

RivalRecipe pna(const RivalCase& rival) {
  Json options = pna_options(rival);
  options["towers"] = rival.option<int>("towers");
  options["divide_first"] = rival.option<bool>("divide_input_first");
  options["divide_last"] = rival.option<bool>("divide_input_last");
  options["gru"] = rival.option<bool>("gru");
  return with_molecule_shape({config_of(rival, "pna", options), renamed(kPnaNames)}, rival);
}

}  // namespace

const Recipes& walks_recipes() {
  static const Recipes kRecipes = {{"PNA", pna}};
  return kRecipes;
}

void add_walks_draws(const RivalCase& rival, bool evaluation, RecordedDraws& draws) {
  if (!walks_recipes().contains(rival.model)) return;
  const std::string when = evaluation ? "rng.eval." : "rng.";
  for (const std::string& name : rival.names()) {
    if (name.starts_with("tree.")) draws.marks[name] = rival.integers(name).values;
    if (name.starts_with(when) && !name.starts_with("rng.dropout") && (evaluation || !name.starts_with("rng.eval"))) {
      draws.marks[name.substr(when.size())] = rival.integers(name).values;
    }
  }
  if (rival.has("graph.eig")) draws.numbers["eig"] = rival.numbers("graph.eig").values;
}

}  // namespace agentnet
