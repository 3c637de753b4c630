#include "data/splits/groups.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "agentnet/error.h"
#include "core/random.h"
#include "graph/wl_hash.h"

namespace agentnet {
namespace {

constexpr std::string_view kApart = "+apart", kAnywhere = "+duplicates";
using Groups = std::vector<std::vector<std::size_t>>;

// In the order of their first graphs.
Groups groups_of(std::span<const std::string> scaffolds) {
  std::unordered_map<std::string_view, std::size_t> number;
  Groups groups;
  for (std::size_t i = 0; i < scaffolds.size(); ++i) {
    const auto [entry, is_new] = number.emplace(scaffolds[i], groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(i);
  }
  return groups;
}

void sort_parts(Split& split) {
  for (std::vector<std::size_t>* part : {&split.train, &split.valid, &split.test}) std::ranges::sort(*part);
}

// Whether all nodes have as many neighbours and the same features.
bool looks_alike_everywhere(const GraphView& graph) {
  const auto same_features = [&](std::uint64_t u) {
    for (int c = 0; c < graph.node_dense.width; ++c) {
      const auto at = [&](std::uint64_t node) { return graph.node_dense.start(node) + static_cast<std::uint64_t>(c); };
      if (graph.node_dense.f32 == nullptr || graph.node_dense.f32[at(u)] != graph.node_dense.f32[at(0)]) return false;
    }
    return graph.node_categories.width == 0 ||
           std::ranges::equal(graph.node_categories.row(u), graph.node_categories.row(0));
  };
  for (std::uint64_t u = 1; u < graph.num_nodes; ++u) {
    if (graph.degree(u) != graph.degree(0) || !same_features(u)) return false;
  }
  return graph.num_nodes > 2;
}

}  // namespace

Split balanced_scaffold_split(std::span<const std::string> scaffolds, const SplitFractions& fractions,
                              std::uint64_t seed) {
  check_fractions(fractions);
  RandomSequence random(seed, Purpose::kSplit);
  Groups groups = groups_of(scaffolds);
  random.shuffle(groups);
  const auto n = static_cast<double>(scaffolds.size());
  const double train = fractions.train * n, valid = fractions.valid * n, test = fractions.test * n;
  const double half = std::min(valid, test) / 2;
  std::stable_partition(groups.begin(), groups.end(),
                        [&](const auto& group) { return static_cast<double>(group.size()) > half; });
  Split split;
  for (const auto& group : groups) {
    const auto fits = [&](const std::vector<std::size_t>& part, double room) {
      return static_cast<double>(part.size() + group.size()) <= room;
    };
    auto& part = fits(split.train, train) ? split.train : fits(split.valid, valid) ? split.valid : split.test;
    part.insert(part.end(), group.begin(), group.end());
  }
  sort_parts(split);
  return split;
}

std::vector<Split> scaffold_k_folds(std::span<const std::string> scaffolds, std::size_t k, std::uint64_t seed) {
  Groups groups = groups_of(scaffolds);
  if (k < 2 || k > groups.size()) {
    throw Error(ErrorKind::kUsage, fmt::format("{} scaffolds cannot be split into {} folds", groups.size(), k),
                "the number of folds is at least 2 and at most the number of scaffolds");
  }
  RandomSequence random(seed, Purpose::kSplit);
  random.shuffle(groups);
  std::ranges::stable_sort(groups, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::vector<std::vector<std::size_t>> folds(k);
  for (const auto& group : groups) {
    auto& fold = *std::ranges::min_element(folds, {}, &std::vector<std::size_t>::size);
    fold.insert(fold.end(), group.begin(), group.end());
  }
  std::vector<Split> splits(k);
  for (std::size_t f = 0; f < k; ++f) {
    for (std::size_t other = 0; other < k; ++other) {
      auto& part = other == f ? splits[f].test : splits[f].train;
      part.insert(part.end(), folds[other].begin(), folds[other].end());
    }
    sort_parts(splits[f]);
  }
  return splits;
}

Groups duplicate_groups(const Dataset& data) {
  constexpr int kRounds = 5;
  WlHasher hasher(kRounds);
  std::unordered_map<std::uint64_t, std::size_t> number;
  Groups groups;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView graph = data.graphs.view(g);
    if (looks_alike_everywhere(graph)) continue;
    const auto [entry, is_new] = number.emplace(hasher(graph), groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(g);
  }
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

std::size_t keep_together(const Groups& groups, std::vector<Split>& splits) {
  constexpr std::size_t kNone = 3;
  std::size_t moved = 0, graphs = 0;
  for (const Split& split : splits) {
    for (const auto* part : {&split.train, &split.valid, &split.test}) {
      for (const std::size_t g : *part) graphs = std::max(graphs, g + 1);
    }
  }
  for (Split& split : splits) {
    std::vector<std::size_t> part_of(graphs, kNone);
    const std::array<std::vector<std::size_t>*, 3> parts = {&split.train, &split.valid, &split.test};
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (const std::size_t g : *parts[p]) part_of[g] = p;
    }
    std::size_t here = 0;
    for (const auto& group : groups) {
      for (const std::size_t g : group) {
        if (g >= graphs || group.front() >= graphs || part_of[g] == part_of[group.front()]) continue;
        part_of[g] = part_of[group.front()];
        ++here;
      }
    }
    if (here == 0) continue;
    moved += here;
    for (auto* part : parts) part->clear();
    for (std::size_t g = 0; g < graphs; ++g) {
      if (part_of[g] != kNone) parts[part_of[g]]->push_back(g);
    }
  }
  return moved;
}

bool keeps_duplicates_together(const Dataset& data, std::string_view spec) {
  if (spec.ends_with(kApart)) return true;
  return !spec.ends_with(kAnywhere) && (data.format == "smiles" || data.format == "sdf");
}

std::string_view without_ending(std::string_view spec) {
  for (const std::string_view ending : {kApart, kAnywhere}) {
    if (spec.ends_with(ending)) spec.remove_suffix(ending.size());
  }
  return spec;
}

}  // namespace agentnet
