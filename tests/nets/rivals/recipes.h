// Which of our networks a rival case is, and under which names it keeps its weights.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/network.h"
#include "nets/taped/formula.h"
#include "support/rival_case.h"

namespace agentnet {

struct RivalRecipe {
  NetworkConfig config;
  std::function<std::string(std::string)> our_name;  // of a published parameter or buffer
};

// ---- for the files of recipes ----
using Recipes = std::map<std::string, RivalRecipe (*)(const RivalCase&)>;  // by RivalCase::model
// CRaWl, PNA, DGN, GSN, HIMP, CIN (walks_recipes.cpp).
[[nodiscard]] const Recipes& walks_recipes();
// What their cases record of what is drawn or counted: walks, trees, eigenvectors.
void add_walks_draws(const RivalCase& rival, bool evaluation, RecordedDraws& draws);
// PPGN, SMP, 1-2-3 GNN, ESAN (expressive_recipes.cpp).
[[nodiscard]] const Recipes& expressive_recipes();

[[nodiscard]] inline std::string same_name(std::string name) { return name; }
// A network of this kind with these options (JSON), whose shape is that of the case's data.
[[nodiscard]] NetworkConfig config_of(const RivalCase& rival, const std::string& kind, const nlohmann::json& options);
// The first rule (pattern, replacement) that fits a name.
[[nodiscard]] std::function<std::string(std::string)> renamed(std::vector<std::pair<const char*, const char*>> rules);

// Nothing for a model that there is no network for.
[[nodiscard]] std::optional<RivalRecipe> recipe_of(const RivalCase& rival);

// The draws of the training pass, or those of the evaluation.
[[nodiscard]] RecordedDraws draws_of(const RivalCase& rival, bool evaluation);

}  // namespace agentnet
