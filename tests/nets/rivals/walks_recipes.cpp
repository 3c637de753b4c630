// Recorded cases of CRaWl, PNA, DGN, GSN, HIMP and CIN.
#include <algorithm>

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
          {"use_edges", rival.option<bool>("edge_feat")},
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

RivalRecipe crawl(const RivalCase& rival) {
  const auto mode = option_or<std::string>(rival, "walk_mode", "nb");
  return {config_of(rival, "crawl",
                    {{"layers", rival.option<int>("layers")},
                     {"hidden", rival.option<int>("hidden_dim")},
                     {"conv_hidden", option_or(rival, "conv_dim", 0)},
                     {"steps", rival.option<int>("steps")},
                     {"eval_steps", option_or(rival, "eval_steps", 0)},
                     {"window", rival.option<int>("win_size")},
                     {"kernel", rival.option<int>("kernel_size")},
                     {"walks", mode == "uniform" ? "uniform" : "non-backtracking"},
                     {"start_ratio", option_or(rival, "walk_start_p", 1.0)},
                     {"identity_features", option_or(rival, "compute_id_feat", 1) != 0},
                     {"adjacency_features", option_or(rival, "compute_adj_feat", 1) != 0},
                     {"virtual_node", option_or(rival, "vn", 0) != 0},
                     {"pooling", rival.option<std::string>("pool")},
                     {"readout", rival.option<std::string>("graph_out")},
                     {"dropout", rival.option<double>("dropout")}}),
          same_name};
}

RivalRecipe dgn(const RivalCase& rival) {
  Json options = pna_options(rival);
  options["layer"] = rival.option<std::string>("type_net");
  // The published options for towers reach no layer: there are always five, whatever they say.
  options["towers"] = 5;
  if (option_or(rival, "pos_enc_dim", 0) != 0) throw std::logic_error("DGN: no positional encodings here");
  return with_molecule_shape({config_of(rival, "dgn", options), renamed(kPnaNames)}, rival);
}

// The counts of a set, from what the case has of them: place in the set's list, and count.
std::vector<std::string> count_values(const RivalCase& rival) {
  const RivalIntegers &counts = rival.integers("graph.cycle_counts"), &places = rival.integers("graph.identifiers");
  const auto sizes = rival.option<std::vector<std::size_t>>("d_id");
  std::vector<std::string> texts;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    std::map<std::size_t, std::int64_t> known;
    for (std::size_t v = 0; v < counts.extent(0); ++v) {
      known[static_cast<std::size_t>(places.values[v * sizes.size() + c])] = counts.values[v * sizes.size() + c];
    }
    // Counts of graphs that are not in the case lie somewhere between those that are.
    std::int64_t last = -1000;
    for (std::size_t place = 0; place < sizes[c]; ++place) {
      const auto found = known.find(place);
      last = found != known.end() ? found->second : last + 1;
      texts.resize(c + 1);
      texts[c] += std::to_string(last) + " ";
    }
  }
  return texts;
}

RivalRecipe gsn(const RivalCase& rival) {
  const auto projected = rival.option<std::vector<bool>>("final_projection");
  Json also_read = Json::array();
  for (std::size_t l = 0; l + 1 < projected.size(); ++l) {
    if (projected[l]) also_read.push_back(l);
  }
  RivalRecipe recipe{config_of(rival, "gsn",
                               {{"layers", rival.option<int>("num_layers")},
                                {"hidden", rival.option<int>("d_out")},
                                {"max_cycle", rival.option<int>("max_cycle")},
                                {"cycle_values", count_values(rival)},
                                {"inject_ids", rival.option<bool>("inject_ids")},
                                {"mlp_norm", rival.option<bool>("bn_mlp")},
                                {"pooling", rival.option<std::string>("readout")},
                                {"also_read", also_read},
                                {"read_mlp", rival.option<bool>("jk_mlp")},
                                {"dropout", rival.option<double>("dropout_features")}}),
                     same_name};
  // One-hot columns are those of the categories that training knew; the last of a vocabulary was never seen.
  recipe.config.shape.node_categories = {rival.option<int>("node_types") + 1};
  recipe.config.shape.edge_categories = {rival.option<int>("edge_types") + 1};
  return recipe;
}

void expect_option(const RivalCase& rival, const char* key, const Json& value) {
  const auto found = rival.options.find(key);
  if (found == rival.options.end() || *found == value) return;
  throw std::logic_error(rival.name + ": there is no network here with " + key + " " + found->dump());
}

RivalRecipe cin(const RivalCase& rival) {
  expect_option(rival, "max_dim", 2);
  expect_option(rival, "nonlinearity", "relu");
  expect_option(rival, "graph_norm", "bn");
  const auto jump = option_or<std::string>(rival, "jump_mode", "");
  if (!jump.empty() && jump != "cat") throw std::logic_error("CIN: no jump mode " + jump + " here");
  const auto before = option_or<std::string>(rival, "apply_dropout_before", "lin2");
  RivalRecipe recipe{config_of(rival, "cin",
                               {{"layers", rival.option<int>("num_layers")},
                                {"hidden", rival.option<int>("hidden")},
                                {"max_ring", rival.option<int>("max_ring_size")},
                                {"embed_edges", rival.option<bool>("embed_edge")},
                                {"coboundaries", rival.option<bool>("use_coboundaries")},
                                {"learn_eps", rival.option<bool>("train_eps")},
                                {"read_every", jump == "cat"},
                                {"start", rival.option<std::string>("init_reduce")},
                                {"pooling", rival.option<std::string>("readout")},
                                {"readout", rival.option<std::string>("final_readout")},
                                {"read_dims", rival.option<std::vector<int>>("readout_dims")},
                                {"read_factor", rival.option<int>("final_hidden_multiplier")},
                                {"dropout", rival.option<double>("dropout_rate")},
                                {"dropout_before", before == "final_readout" ? "readout" : before}}),
                     renamed({{R"(^([ve]_embed_init)\.weight$)", "$1.0.weight"}})};
  recipe.config.shape.node_categories = {rival.option<int>("atom_types")};
  recipe.config.shape.edge_categories = {rival.option<int>("bond_types")};
  return recipe;
}

RivalRecipe himp(const RivalCase& rival) {
  RivalRecipe recipe{config_of(rival, "himp",
                               {{"layers", rival.option<int>("num_layers")},
                                {"hidden", rival.option<int>("hidden_channels")},
                                {"tree", rival.option<bool>("inter_message_passing")},
                                {"dropout", rival.option<double>("dropout")}}),
                     same_name};
  const auto rows = [&](const char* table) { return static_cast<int>(rival.parameters.at(table).extent(0)); };
  recipe.config.shape.node_categories.assign(rival.option<std::size_t>("node_columns"),
                                             rows("atom_encoder.embeddings.0.weight"));
  recipe.config.shape.edge_categories.assign(rival.option<std::size_t>("edge_columns"),
                                             rows("bond_encoders.0.embeddings.0.weight"));
  return recipe;
}

}  // namespace

const Recipes& walks_recipes() {
  static const Recipes kRecipes = {{"PNA", pna}, {"CRaWl", crawl}, {"GSN", gsn},
                                   {"DGN", dgn}, {"CIN", cin},     {"HIMP", himp}};
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
