#include "split_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/thread_pool.h"
#include "data/molecule.h"
#include "data/splits.h"

namespace agentnet {

void add_split_options(CLI::App& app, SplitArguments& arguments) {
  const char* const group = "Splitting the data";
  app.add_option(
         "--split", arguments.spec,
         "random[:0.8,0.1,0.1], stratified[:...], scaffold[:...], kfold[:10], stratified-kfold[:10], column:NAME, "
         "file:PATH or official")
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
  const auto scaffolds = [&] {
    ThreadPool pool(threads);
    std::vector<std::string> result;
    for (const auto& scaffold : murcko_scaffolds(data.columns.at("smiles"), pool))
      result.push_back(scaffold.value_or(""));
    return result;
  };
  return make_splits(data, arguments.spec, arguments.seed, scaffolds);
}

}  // namespace agentnet
