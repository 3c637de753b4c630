#include "tune/best.h"

#include <fmt/core.h>

#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

#include "agentnet/error.h"
#include "classic/baselines.h"
#include "core/files/append_file.h"
#include "core/files/folder.h"
#include "core/files/whole_file.h"
#include "core/json.h"
#include "run/run_ending.h"
#include "run/run_folder.h"

namespace agentnet {
namespace {

constexpr std::array kCopied = {"metrics.jsonl", "metrics.csv", run_file::kModel};

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Json summary_of(const std::filesystem::path& run) {
  const std::filesystem::path path = run / run_file::kSummary;
  const std::optional<Json> json = parse_json_if_valid(read_text(path));
  if (json && json->is_object()) return *json;
  throw Error(ErrorKind::kData, fmt::format("{}: not the summary of a run", path.string()),
              fmt::format("remove the folder {}, then --resume: it is made again", run.string()));
}

Scores scores_of(const Json& json) {
  Scores scores;
  for (const auto& [name, value] : json.items()) {
    scores.push_back({name, value.is_number() ? value.get<double>() : kUndefined});
  }
  return scores;
}

}  // namespace

bool search_is_finished(const SearchPlace& place) {
  return std::filesystem::exists(place.folder / tune_file::kBest / run_file::kSummary);
}

void test_best(const SearchPlace& place, const Trial& best, const Dataset& data, int threads) {
  const std::filesystem::path from = place.folder / tune_file::kTrials / fmt::format("trial-{:03}", best.number);
  const std::filesystem::path to = place.folder / tune_file::kBest;
  std::error_code ignored;
  std::filesystem::remove_all(to, ignored);  // what a killed worker has left
  make_folder(to);
  const Settings settings = settings_in_fold(best, place.fold);
  write_whole_file(to / run_file::kConfig, to_toml(settings), FileSystem::real());
  write_whole_file(to / run_file::kSplits, split_json(place.split, data), FileSystem::real());
  for (const char* name : kCopied) {
    if (std::filesystem::exists(from / name)) write_whole_file(to / name, read_text(from / name), FileSystem::real());
  }
  const Json summary = summary_of(from);
  RunResult result;
  result.ending = Ending::kFinished;
  read_member(summary, "epochs", result.epochs);
  read_member(summary, "best_epoch", result.best_epoch);
  read_member(summary, "metric", result.metric);
  read_member(summary, "seconds", result.seconds);
  AppendFile log(to / run_file::kLog, FileSystem::real());
  log.write(fmt::format("trial {} of a search, tested on {} graphs\n", best.number, place.split.test.size()));
  RunControl control;
  control.threads = threads;
  finish_run({to, settings, data, place.split, control, RunSeams{}}, log, result);
  log.sync();
}

void read_best(const SearchPlace& place, const Dataset& data, SearchResult& result) {
  const std::filesystem::path run = place.folder / tune_file::kBest;
  const Json summary = summary_of(run);
  try {
    result.valid = scores_of(summary.at("valid"));
    result.test = scores_of(summary.at("test"));
    const Json& baselines = summary.at("baselines").at("test");
    result.constant = scores_of(baselines.at(std::string(constant_baseline_name(data.schema.task))));
    result.structure_blind = scores_of(baselines.at("structure-blind"));
    read_member(summary.at("graphs"), "test", result.tested);
  } catch (const std::exception& e) {  // of read_member or nlohmann
    throw Error(ErrorKind::kData, fmt::format("{}: {}", (run / run_file::kSummary).string(), e.what()),
                fmt::format("remove the folder {}, then --resume: it is made again", run.string()));
  }
}

}  // namespace agentnet
