#include "options/split_options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>
#include <ostream>

#include "agentnet/error.h"
#include "commands.h"
#include "core/print.h"

namespace agentnet {

void add_split_options(CLI::App& app, SplitArguments& arguments) {
  const char* const group = "Splitting the data";
  app.add_option("--split", arguments.spec,
                 "random[:0.8,0.1,0.1], stratified[:...], scaffold[:...], scaffold-balanced[:...], kfold[:10], "
                 "stratified-kfold[:10], scaffold-kfold[:10], column:NAME, file:PATH or official")
      ->group(group);
  app.add_option("--split-seed", arguments.seed, "of random splits")->capture_default_str()->group(group);
}

void prepare_for_split(const SplitArguments& arguments, DataOptions& options) {
  if (arguments.spec.empty()) return;
  options.official = true;
  for (const std::string& column : columns_of_split(arguments.spec)) {
    if (std::find(options.keep.begin(), options.keep.end(), column) == options.keep.end())
      options.keep.push_back(column);
  }
}

std::vector<Split> splits_of(const Dataset& data, const SplitArguments& arguments, int threads) {
  if (arguments.spec.empty()) return {};
  return make_splits(data, arguments.spec, arguments.seed, threads);
}

void tell_left_out(const Dataset& data, const std::vector<Split>& splits, const std::string& spec,
                   const Console& console) {
  if (splits.empty()) return;
  const Split& first = splits.front();
  const std::size_t used = first.train.size() + first.valid.size() + first.test.size();
  const std::size_t graphs = data.graphs.size();
  if (used >= graphs) return;
  print_to(console.err, "note: {} of {} graphs are in no part of the split {} and are left out{}\n", graphs - used,
           graphs, spec, spec.starts_with("column:") ? ": their value there is blank" : "");
}

void add_part_options(CLI::App& app, PartArguments& arguments) {
  const char* const group = "Splitting the data";
  app.add_option("--part", arguments.name, "only this part of the split: train, valid or test")
      ->check(CLI::IsMember({"train", "valid", "test"}))
      ->group(group);
  app.add_option("--fold", arguments.fold, "of a split with several folds, from 0")
      ->capture_default_str()
      ->group(group);
}

std::vector<std::size_t> chosen_graphs(const Dataset& data, const SplitArguments& split, const PartArguments& part,
                                       int threads) {
  if (part.name.empty() != split.spec.empty()) {
    throw Error(ErrorKind::kUsage, "--split and --part go together", "for example: --split official --part train");
  }
  if (part.name.empty()) {
    std::vector<std::size_t> all(data.graphs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  const auto splits = splits_of(data, split, threads);
  if (part.fold >= splits.size()) {
    throw Error(ErrorKind::kUsage, "there is no fold " + std::to_string(part.fold) + ": folds are 0 to " +
                                       std::to_string(splits.size() - 1));
  }
  const Split& chosen = splits[part.fold];
  const auto& graphs = part.name == "train" ? chosen.train : part.name == "valid" ? chosen.valid : chosen.test;
  if (graphs.empty()) throw Error(ErrorKind::kUsage, "this part of the split is empty", "choose another part");
  return graphs;
}

}  // namespace agentnet
