#include "view/page/run_page.h"

#include <fmt/core.h>

#include <fstream>

#include "agentnet/error.h"
#include "agentnet/metrics.h"
#include "agentnet/version.h"
#include "classic/baselines.h"
#include "core/json.h"
#include "run/run.h"
#include "run/run_folder.h"

namespace agentnet {

std::string page_title(const std::string& source, std::string_view part) {
  std::string name = source;
  if (!source.starts_with("synthetic:")) {
    std::filesystem::path path(source);
    if (!path.has_filename()) path = path.parent_path();  // a folder with a slash behind it
    if (path.has_filename()) name = path.filename().string();
  }
  return part.empty() ? name : fmt::format("{}, {} part", name, part);
}

std::string page_maker() { return fmt::format("by agentnet {}", kVersion); }

std::string_view part_to_show(const Split& split) {
  if (!split.test.empty()) return "test";
  return split.valid.empty() ? "train" : "valid";
}

const std::vector<std::size_t>& graphs_of_part(const Split& split, std::string_view part) {
  const auto& graphs = part == "train" ? split.train : part == "valid" ? split.valid : split.test;
  if (!graphs.empty()) return graphs;
  throw Error(ErrorKind::kUsage, fmt::format("the {} part of the split is empty", part), "choose another with --part");
}

std::vector<PageBaseline> page_baselines(const Dataset& data, const std::vector<std::size_t>& train,
                                         const std::vector<std::size_t>& graphs) {
  std::vector<double> targets;
  for (const std::size_t g : graphs) {
    const auto row = data.graphs.targets(g);
    targets.insert(targets.end(), row.begin(), row.end());
  }
  const auto scores = [&](const std::vector<double>& rows) {
    return all_scores(data.schema.task, baseline_outputs(data.schema), rows, targets, graphs.size());
  };
  return {{std::string(constant_baseline_name(data.schema.task)), scores(constant_baseline(data, train, graphs))},
          {"without edges", scores(structure_blind_baseline(data, train, graphs))}};
}

PageTraining training_of_run(const std::filesystem::path& folder, const Settings& settings) {
  PageTraining training;
  training.metric = settings.train.metric;
  if (training.metric == "auto") {  // what that was is known at the end of a run
    std::ifstream file(folder / "summary.json");
    const auto summary = parse_json_if_valid(std::string{std::istreambuf_iterator<char>(file), {}});
    const bool named = summary && summary->contains("metric") && summary->at("metric").is_string();
    if (named) training.metric = summary->at("metric").get<std::string>();
  }
  training.epochs = read_run_history(folder);
  return training;
}

PredictOptions run_prediction(const Settings& settings, int threads) {
  PredictOptions options;
  options.rollouts = settings.train.test_rollouts;
  options.seed = settings.train.seed;
  options.threads = threads;
  return options;
}

}  // namespace agentnet
