#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "agentnet/tune.h"
#include "core/json.h"
#include "tune/searches.h"

namespace agentnet {
namespace {

// NaN has no place in JSON.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json scores_json(const Scores& scores) {
  Json json = Json::object();
  for (const Score& score : scores) json[score.name] = number(score.value);
  return json;
}

Json trial_json(const TrialResult& trial) {
  Json drawn = Json::object(), scores = Json::array();
  for (const auto& [key, value] : trial.drawn) drawn[key] = value;
  for (const double score : trial.scores) scores.push_back(number(score));
  Json json = {{"trial", trial.number}, {"settings", drawn}, {"epochs", trial.epochs}, {"scores", scores}};
  if (!trial.failed.empty()) json["failed"] = trial.failed;
  return json;
}

Json importance_json(const SettingImportance& one) {
  Json levels = Json::array();
  for (const SettingLevel& level : one.levels) {
    levels.push_back({{"value", level.value}, {"mean", number(level.mean)}, {"trials", level.trials.size()}});
  }
  return {{"setting", one.key}, {"share", one.share}, {"p", one.p}, {"trials", one.trials}, {"levels", levels}};
}

Json search_json(const SearchResult& search, const TuneResult& result) {
  Json json;
  json["best"] = search.ranking.front();
  json["valid"] = scores_json(search.valid);
  json["test"] = scores_json(search.test);
  json["tested"] = search.tested;
  json["baselines"] = {{result.constant_name, scores_json(search.constant)},
                       {"structure-blind", scores_json(search.structure_blind)}};
  json["ranking"] = search.ranking;
  json["importance"] = Json::array();
  for (const SettingImportance& one : search.importance) json["importance"].push_back(importance_json(one));
  json["trials"] = Json::array();
  for (const TrialResult& trial : search.trials) json["trials"].push_back(trial_json(trial));
  return json;
}

// Text with a comma or a quote, as CSV has it.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string tuning_json(const TuneResult& result, const TunePlan& plan, const Dataset& data) {
  Json json;
  json["data"] = plan.trials.front().settings.source;
  json["graphs"] = data.graphs.size();
  json["split"] = plan.trials.front().settings.split;
  json["metric"] = result.metric;
  json["higher_is_better"] = result.higher_is_better;
  json["space"] = plan.options.space;
  json["grid"] = plan.options.grid;
  json["nested"] = plan.options.nested;
  json["rungs"] = result.rungs;
  json["keep"] = plan.options.keep;
  if (plan.options.nested) {
    json["test"] = {{"mean", number(result.test.mean)},
                    {"standard_deviation", number(result.test.deviation)},
                    {"standard_error", number(result.test.error)},
                    {"folds", result.test.folds}};
  }
  json["searches"] = Json::array();
  for (const SearchResult& search : result.searches) json["searches"].push_back(search_json(search, result));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string tuning_csv(const TuneResult& result) {
  std::vector<std::string> keys;
  for (const SearchResult& search : result.searches) {
    for (const TrialResult& trial : search.trials) {
      for (const auto& [key, value] : trial.drawn) {
        if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
      }
    }
  }
  std::string text = "fold,trial,rank,epochs,score,failed";
  for (const std::string& key : keys) text += "," + key;
  text += "\n";
  for (std::size_t s = 0; s < result.searches.size(); ++s) {
    const SearchResult& search = result.searches[s];
    for (const TrialResult& trial : search.trials) {
      const auto rank = std::ranges::find(search.ranking, trial.number) - search.ranking.begin() + 1;
      text += fmt::format("{},{},{},{},{},{}", s, trial.number, rank, trial.epochs,
                          std::isfinite(trial.score()) ? fmt::format("{}", trial.score()) : "", cell(trial.failed));
      for (const std::string& key : keys) {
        const auto at = std::ranges::find(trial.drawn, key, &std::pair<std::string, std::string>::first);
        text += "," + (at != trial.drawn.end() ? cell(at->second) : std::string());
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace agentnet
