// The page of a training run: which graphs it shows, beside what, with which curves.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "run/settings.h"
#include "view/page/page.h"

namespace agentnet {

// "MUTAG.zip", or "MUTAG.zip, test part". `source` as the user named it: a path, or a built-in set.
[[nodiscard]] std::string page_title(const std::string& source, std::string_view part = {});

// What made the page, for PageData::created. Not when: the same run has the same bytes.
[[nodiscard]] std::string page_maker();

// The part that says most: test, or valid where there is none, or train.
[[nodiscard]] std::string_view part_to_show(const Split& split);
// Throws Error (kUsage) if it is empty.
[[nodiscard]] const std::vector<std::size_t>& graphs_of_part(const Split& split, std::string_view part);

// What needs no network, learned from `train` and measured on `graphs`.
[[nodiscard]] std::vector<PageBaseline> page_baselines(const Dataset& data, const std::vector<std::size_t>& train,
                                                       const std::vector<std::size_t>& graphs);

// The curves in a run's folder.
[[nodiscard]] PageTraining training_of_run(const std::filesystem::path& folder, const Settings& settings);

// How the predictions of a run's parts are made.
[[nodiscard]] PredictOptions run_prediction(const Settings& settings, int threads);

}  // namespace agentnet
