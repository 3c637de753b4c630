#include "tune/importance.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>

#include "core/random.h"

namespace agentnet {
namespace {

constexpr std::size_t kMostGroups = 4;  // of numbers
constexpr std::size_t kPermutations = 999;
constexpr std::uint64_t kShuffles = 0x696d70;  // "imp"

struct Observation {
  std::size_t trial = 0;
  std::string value;
  std::optional<double> number;
  double score = kUndefined;
};

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// 1 is the worst; equals share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<Observation>& observations, Metric metric) {
  std::vector<std::size_t> order(observations.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return is_better(metric, observations[b].score, observations[a].score);
  });
  std::vector<double> ranks(order.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    const double score = observations[order[first]].score;
    while (last < order.size() && (observations[order[last]].score == score ||
                                   (std::isnan(score) && std::isnan(observations[order[last]].score)))) {
      ++last;
    }
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = static_cast<double>(first + last + 1) / 2;
    first = last;
  }
  return ranks;
}

// Which of `names` each observation belongs to: a value, or a quarter of many numbers.
std::vector<std::size_t> groups_of(const std::vector<Observation>& observations, std::vector<std::string>& names) {
  const bool numbers = std::ranges::all_of(observations, [](const Observation& o) { return o.number.has_value(); });
  std::map<std::string, std::size_t> by_value;
  for (const Observation& o : observations) by_value.emplace(o.value, 0);
  std::vector<std::size_t> groups;
  if (!numbers || by_value.size() <= kMostGroups) {
    std::vector<std::string> values;
    for (const auto& [value, index] : by_value) values.push_back(value);
    if (numbers) {
      std::ranges::sort(values,
                        [](const std::string& a, const std::string& b) { return *number_of(a) < *number_of(b); });
    }
    for (const Observation& o : observations) {
      groups.push_back(static_cast<std::size_t>(std::ranges::find(values, o.value) - values.begin()));
    }
    names = std::move(values);
    return groups;
  }
  std::vector<double> sorted;
  for (const Observation& o : observations) sorted.push_back(*o.number);
  std::ranges::sort(sorted);
  std::vector<double> edges;  // the largest number of each group
  for (std::size_t g = 1; g <= kMostGroups; ++g) {
    const double edge = sorted[g * sorted.size() / kMostGroups - 1];
    if (edges.empty() || edge > edges.back()) edges.push_back(edge);
  }
  std::vector<std::optional<double>> least(edges.size());
  for (const Observation& o : observations) {
    const auto g = static_cast<std::size_t>(std::ranges::lower_bound(edges, *o.number) - edges.begin());
    least[g] = least[g] ? std::min(*least[g], *o.number) : *o.number;
    groups.push_back(g);
  }
  for (std::size_t g = 0; g < edges.size(); ++g) {
    names.push_back(*least[g] == edges[g] ? fmt::format("{}", edges[g]) : fmt::format("{}..{}", *least[g], edges[g]));
  }
  return groups;
}

// Epsilon squared: 1 - (N - 1) / (N - k) * within / total of the squares of ranks. It is 0 in the mean where the k
// groups say nothing, and 1 where they say all.
double share_of(const std::vector<double>& ranks, const std::vector<std::size_t>& groups, std::size_t k) {
  const auto n = static_cast<double>(ranks.size());
  std::vector<double> sums(k, 0), counts(k, 0);
  double sum = 0, squares = 0, between = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    sums[groups[i]] += ranks[i];
    ++counts[groups[i]];
    sum += ranks[i];
    squares += ranks[i] * ranks[i];
  }
  const double total = squares - sum * sum / n;
  for (std::size_t g = 0; g < k; ++g) between += sums[g] * sums[g] / counts[g];
  const double within = squares - between;
  const auto groups_count = static_cast<double>(k);
  return total > 0 && n > groups_count ? 1 - (n - 1) / (n - groups_count) * within / total : 0;
}

SettingImportance importance_of_one(const std::string& key, const std::vector<Observation>& observations,
                                    Metric metric) {
  SettingImportance result;
  result.key = key;
  result.trials = observations.size();
  std::vector<std::string> names;
  const std::vector<std::size_t> groups = groups_of(observations, names);
  std::vector<double> ranks = ranks_of(observations, metric);
  const double share = share_of(ranks, groups, names.size());
  std::size_t as_much = 1;
  for (std::uint64_t i = 0; i < kPermutations; ++i) {
    RandomSequence random(i, Purpose::kSplit, kShuffles);
    random.shuffle(ranks);
    if (share_of(ranks, groups, names.size()) >= share - 1e-12) ++as_much;
  }
  result.share = std::max(0.0, share);
  result.p = static_cast<double>(as_much) / (kPermutations + 1);
  for (std::size_t g = 0; g < names.size(); ++g) {
    SettingLevel& level = result.levels.emplace_back();
    level.value = names[g];
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < observations.size(); ++i) {
      if (groups[i] != g) continue;
      level.trials.push_back(observations[i].trial);
      if (std::isnan(observations[i].score)) continue;
      sum += observations[i].score;
      ++count;
    }
    if (count > 0) level.mean = sum / count;
  }
  return result;
}

}  // namespace

std::vector<SettingImportance> importance_of(const std::vector<TrialResult>& trials, const TunePlan& plan,
                                             Metric metric) {
  std::vector<std::string> keys;
  std::map<std::string, std::vector<Observation>> by_key;
  for (const TrialResult& trial : trials) {
    for (const auto& [key, value] : trial.drawn) {
      if (!by_key.contains(key)) keys.push_back(key);
      // What is fitted as a whole has other settings of its own, and is compared with networks by the kind alone.
      const double score = trial.scores.empty() ? kUndefined : trial.scores.front();
      if (plan.trials[trial.number].fitted && key != "model.kind" && key.starts_with("train.")) continue;
      by_key[key].push_back({trial.number, value, number_of(value), score});
    }
  }
  std::vector<SettingImportance> all;
  for (const std::string& key : keys) {
    const std::vector<Observation>& observations = by_key[key];
    const bool differs =
        std::ranges::any_of(observations, [&](const Observation& o) { return o.value != observations.front().value; });
    if (differs) all.push_back(importance_of_one(key, observations, metric));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  return all;
}

}  // namespace agentnet
