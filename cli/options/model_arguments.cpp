#include "options/model_arguments.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <ostream>
#include <vector>

#include "agentnet/error.h"
#include "core/counted.h"
#include "core/print.h"
#include "core/text.h"
#include "options/data_options.h"
#include "predict/reading.h"

namespace agentnet {
namespace {

constexpr std::size_t kMostKept = 4096;
constexpr std::size_t kMostShown = 5;

}  // namespace

void add_rollout_options(CLI::App& app, RolloutArguments& arguments) {
  PredictOptions& options = arguments.options;
  const std::map<std::string, DrawKey> draws = {{"content", DrawKey::kContent}, {"row", DrawKey::kRow}};
  app.add_option("--rollouts", options.rollouts, "walks per graph, whose predictions are averaged")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the walks")->capture_default_str();
  app.add_option(
         "--draws", options.draws,
         "random draws of a graph depend on its content (then the same graph gets the same answer in any row), or "
         "on its row: content or row")
      ->transform(CLI::CheckedTransformer(draws, CLI::ignore_case).description(""));
  app.add_flag("--greedy", options.greedy, "agents take their likeliest move instead of sampling one");
  app.add_option("--max-neighbours", options.max_neighbours,
                 "of nodes with more, look at a uniform sample of so many; 0: at all; else as the model was trained")
      ->check(CLI::Range(0, std::numeric_limits<int>::max()));
  app.add_option("--confidence", options.confidence,
                 "run as many rollouts as settle the decision with this probability, up to --rollouts (then 1000)");
}

void finish_rollout_options(const CLI::App& app, RolloutArguments& arguments) {
  constexpr int kMostForConfidence = 1000;
  if (app.count("--confidence") == 0) return;
  if (!(arguments.options.confidence > 0 && arguments.options.confidence < 1)) {
    throw Error(ErrorKind::kUsage, fmt::format("--confidence {} is not between 0 and 1", arguments.options.confidence),
                "0.99 is a good choice");
  }
  if (app.count("--rollouts") == 0) arguments.options.rollouts = kMostForConfidence;
}

std::string rollouts_text(int rollouts) { return counted(rollouts, "rollout"); }

void tell_bad_rows(const Dataset& data, const Console& console) {
  if (data.bad_rows.empty()) return;
  print_to(console.err, "note: {} of {} rows are not graphs and are left out; the first: {}: {}\n",
           data.bad_rows.size(), data.num_rows(), data.bad_rows[0].where, data.bad_rows[0].message);
}

void UnseenCounts::add(const UnseenValues& values) {
  nodes_ += values.nodes;
  edges_ += values.edges;
  for (const auto& [value, count] : values.by_value) {
    if (by_value_.size() < kMostKept || by_value_.contains(value)) by_value_[value] += count;
  }
  for (const std::string& note : values.by_place) {
    if (std::find(by_place_.begin(), by_place_.end(), note) == by_place_.end()) by_place_.push_back(note);
  }
}

void UnseenCounts::print(const Console& console) const {
  for (const std::string& note : by_place_) print_to(console.err, "note: {}\n", note);
  if (total() == 0) return;
  std::vector<std::pair<std::string, std::uint64_t>> values(by_value_.begin(), by_value_.end());
  std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(kMostShown, values.size()); ++i) {
    texts.push_back(fmt::format("{} ({}x)", printable(values[i].first), values[i].second));
  }
  if (values.size() > kMostShown) texts.push_back(fmt::format("and {} more", values.size() - kMostShown));
  print_to(console.err, "note: values that the model was not trained on count as \"none of those I know\": {}\n",
           join_text(texts, ", "));
}

DataWithTruth read_with_truth(const Model& model, const std::string& source, const DataOptions& options,
                              const Console& console) {
  DataWithTruth read;
  UnseenValues unseen;
  try {
    read.data = read_labelled(model, source, options, &unseen);
    read.truth = true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kMismatch || !options.targets.empty()) throw;
    read.data = read_for_model(model, source, options, &unseen);  // throws if features are what does not match
    print_to(console.err, "note: nothing is compared with true values: {}\n", error.what());
  }
  tell_notes(read.data, console);
  tell_bad_rows(read.data, console);
  UnseenCounts counts;
  counts.add(unseen);
  counts.print(console);
  return read;
}

}  // namespace agentnet
