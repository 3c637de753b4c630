#include "data/splits/splits.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <unordered_map>
#include <utility>

#include "agentnet/error.h"
#include "core/random.h"
#include "core/suggest.h"
#include "core/text.h"
#include "core/thread_pool.h"
#include "data/molecules/molecule.h"
#include "data/splits/groups.h"
#include "data/syntax/csv.h"
#include "data/tables/split_builder.h"

namespace agentnet {

namespace {

void check_folds(std::size_t graphs, std::size_t k) {
  if (k >= 2 && k <= graphs) {
    return require_few_folds(k, graphs, [](const std::string& message, const std::string& hint) {
      throw Error(ErrorKind::kUsage, message, hint);
    });
  }
  throw Error(ErrorKind::kUsage, fmt::format("{} graphs cannot be split into {} folds", graphs, k),
              "the number of folds is at least 2 and at most the number of graphs");
}

void sort_parts(Split& split) {
  for (std::vector<std::size_t>* part : {&split.train, &split.valid, &split.test}) std::ranges::sort(*part);
}

std::vector<std::size_t> shuffled(std::size_t graphs, RandomSequence& random) {
  std::vector<std::size_t> order(graphs);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order);
  return order;
}

// The graphs of each class, classes in ascending order, graphs in random order.
std::vector<std::vector<std::size_t>> shuffled_classes(std::span<const double> labels, RandomSequence& random) {
  std::map<double, std::vector<std::size_t>> classes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    classes[std::isnan(labels[i]) ? std::numeric_limits<double>::infinity() : labels[i]].push_back(i);
  }
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [label, group] : classes) {
    random.shuffle(group);
    groups.push_back(std::move(group));
  }
  return groups;
}

// Deals graphs in this order to k test parts, in turn.
std::vector<Split> dealt(const std::vector<std::size_t>& order, std::size_t k) {
  std::vector<Split> splits(k);
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t fold = 0; fold < k; ++fold) {
      (fold == i % k ? splits[fold].test : splits[fold].train).push_back(order[i]);
    }
  }
  for (Split& split : splits) sort_parts(split);
  return splits;
}

// numpy.random.RandomState(seed).shuffle(), which the authors' folds come from: each place, from the last down, is
// swapped with one that is drawn by rejection under a mask of bits.
void shuffle_as_numpy(std::vector<std::size_t>& values, std::uint64_t seed) {
  std::mt19937 random(static_cast<std::uint32_t>(seed ^ (seed >> 32)));
  for (std::size_t i = values.size(); i-- > 1;) {
    const std::size_t mask = std::bit_ceil(i + 1) - 1;
    std::size_t j = 0;
    do {
      j = random() & mask;
    } while (j > i);
    std::swap(values[i], values[j]);
  }
}

using Counts = std::array<std::size_t, 3>;

// How many graphs of a class go where. Every part gets its share rounded down; what is then left goes, one each, to
// the parts that have come off worst in the classes so far (`debt`), so that rounding does not add up over many
// classes.
Counts shares(std::size_t graphs, const std::array<double, 3>& fractions, std::array<double, 3>& debt) {
  Counts counts{};
  std::array<double, 3> rest{};
  std::size_t left = graphs;
  for (std::size_t p = 0; p < 3; ++p) {
    const double share = fractions[p] * static_cast<double>(graphs);
    counts[p] = std::min(left, static_cast<std::size_t>(share + 1e-9));
    left -= counts[p];
    rest[p] = share - static_cast<double>(counts[p]);
    debt[p] += rest[p];
  }
  std::array<std::size_t, 3> order = {0, 1, 2};
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return debt[a] > debt[b]; });
  for (const std::size_t p : order) {
    if (left == 0 || rest[p] < 1e-9) continue;
    ++counts[p];
    debt[p] -= 1;
    --left;
  }
  return counts;
}

struct Spec {
  std::string_view name, rest;
};

Spec parse_spec(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  if (colon == std::string_view::npos) return {spec, {}};
  return {spec.substr(0, colon), spec.substr(colon + 1)};
}

constexpr const char* kForms =
    "a split is random, stratified, scaffold, scaffold-balanced (each with :train,valid,test as in :0.8,0.1,0.1, or "
    ":train,test), kfold:10, stratified-kfold:10, scaffold-kfold:10, column:NAME, file:PATH or official";

Error unknown_split(std::string_view name) {
  const std::vector<std::string> names = {"random", "stratified",       "scaffold",       "scaffold-balanced",
                                          "kfold",  "stratified-kfold", "scaffold-kfold", "column",
                                          "file",   "official"};
  const auto meant = closest_match(name, names);
  return {ErrorKind::kUsage, fmt::format("there is no split {}", in_quotes(name)),
          meant ? fmt::format("did you mean {}? {}", *meant, kForms) : kForms};
}

Error bad_spec(std::string_view spec, std::string_view message) {
  return {ErrorKind::kUsage, fmt::format("split {}: {}", in_quotes(spec), message), kForms};
}

SplitFractions parse_fractions(std::string_view spec) {
  std::string_view text = parse_spec(spec).rest;
  if (text.empty()) return {};
  std::array<double, 3> values{};
  std::size_t i = 0;
  for (; i < 3; ++i) {
    const std::string_view field = text.substr(0, text.find(','));
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), values[i]);
    const bool last = field.size() == text.size();
    if (error != std::errc() || end != field.data() + field.size() || (i == 0 && last) || (i == 2 && !last)) {
      throw bad_spec(spec, "expected three numbers with commas between them");
    }
    text.remove_prefix(last ? text.size() : field.size() + 1);
    if (last) break;
  }
  if (i == 1) return {values[0], 0, values[1]};
  return {values[0], values[1], values[2]};
}

std::size_t parse_folds(std::string_view spec) {
  const std::string_view text = parse_spec(spec).rest;
  std::size_t k = 10;
  if (text.empty()) return k;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), k);
  if (error != std::errc() || end != text.data() + text.size()) throw bad_spec(spec, "expected a number of folds");
  return k;
}

std::vector<double> class_labels(const Dataset& data, std::string_view spec) {
  const bool one_question = data.schema.task == Task::kMultilabel && data.graphs.num_targets() == 1;
  if (data.schema.task != Task::kClassification && !one_question) {
    throw Error(ErrorKind::kUsage,
                fmt::format("split {}: {} has no classes, its task is {}", in_quotes(spec), in_quotes(data.source),
                            task_name(data.schema.task)),
                "use random or kfold");
  }
  std::vector<double> labels;
  for (std::size_t i = 0; i < data.graphs.size(); ++i) labels.push_back(data.graphs.targets(i)[0]);
  return labels;
}

std::vector<Split> split_by_column(const Dataset& data, std::string_view spec) {
  const std::string name(parse_spec(spec).rest);
  if (name.empty()) throw bad_spec(spec, "no column is named");
  const auto column = data.columns.find(name);
  if (column == data.columns.end()) {
    throw Error(ErrorKind::kUsage, fmt::format("{} has no column {}", in_quotes(data.source), in_quotes(name)),
                "name a column of the table that the graphs come from");
  }
  return column_split(column->second, name);
}

// Rows of the source -> graphs; a row that is no graph drops out.
void rows_to_graphs(const Dataset& data, std::vector<Split>& splits) {
  if (data.rows.empty()) return;
  std::unordered_map<std::size_t, std::size_t> graph_of;
  for (std::size_t i = 0; i < data.rows.size(); ++i) graph_of[data.rows[i]] = i;
  for (Split& split : splits) {
    for (std::vector<std::size_t>* part : {&split.train, &split.valid, &split.test}) {
      std::erase_if(*part, [&](std::size_t row) { return !graph_of.contains(row); });
      for (std::size_t& row : *part) row = graph_of.at(row);
    }
  }
}

std::vector<Split> split_by_file(const Dataset& data, std::string_view spec) {
  const std::string_view path = parse_spec(spec).rest;
  if (path.empty()) throw bad_spec(spec, "no file is named");
  std::vector<Split> splits = read_split_file(path, data.num_rows());
  rows_to_graphs(data, splits);
  return splits;
}

using Scaffolds = std::function<std::vector<std::string>()>;

// The scaffold of every graph, of the SMILES strings that were kept.
std::vector<std::string> scaffolds_of(const Dataset& data, std::string_view spec, int threads) {
  const auto column = data.columns.find(kSmilesColumn);
  if (column == data.columns.end()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("split {}: {} holds no molecules", in_quotes(spec), in_quotes(data.source)),
                "scaffolds are computed from SMILES; use random or kfold");
  }
  ThreadPool pool(threads);
  std::vector<std::string> result;
  // The strings of a table were counted when they were read; those beside OGB's graphs are new.
  const int max_atoms = data.format == "smiles" ? std::numeric_limits<int>::max() : kMaxAtoms;
  for (const auto& scaffold : murcko_scaffolds(column->second, pool, max_atoms)) {
    result.push_back(scaffold.value_or(""));
  }
  return result;
}

Split official_split(const Dataset& data) {
  if (data.official) return *data.official;
  throw Error(ErrorKind::kUsage, fmt::format("{} comes without an official split", in_quotes(data.source)),
              "use random, stratified or kfold, or file:PATH for a split of your own");
}

}  // namespace

void check_fractions(const SplitFractions& f) {
  const bool fine = f.train >= 0 && f.valid >= 0 && f.test >= 0 && std::abs(f.train + f.valid + f.test - 1) < 1e-9;
  if (fine) return;
  throw Error(ErrorKind::kUsage,
              fmt::format("fractions {:g}, {:g} and {:g} do not split a set", f.train, f.valid, f.test),
              "give the shares of train, valid and test; none is negative and they add up to 1");
}

Split random_split(std::size_t graphs, const SplitFractions& fractions, std::uint64_t seed) {
  check_fractions(fractions);
  RandomSequence random(seed, Purpose::kSplit);
  const std::vector<std::size_t> order = shuffled(graphs, random);
  const auto n = static_cast<double>(graphs);
  const auto train = std::min(graphs, static_cast<std::size_t>(std::llround(fractions.train * n)));
  const auto both =
      std::clamp(static_cast<std::size_t>(std::llround((fractions.train + fractions.valid) * n)), train, graphs);
  Split split{{order.begin(), order.begin() + train},
              {order.begin() + train, order.begin() + both},
              {order.begin() + both, order.end()}};
  sort_parts(split);
  return split;
}

Split stratified_split(std::span<const double> labels, const SplitFractions& fractions, std::uint64_t seed) {
  check_fractions(fractions);
  RandomSequence random(seed, Purpose::kSplit);
  std::array<double, 3> debt{};
  Split split;
  for (const auto& group : shuffled_classes(labels, random)) {
    const Counts counts = shares(group.size(), {fractions.train, fractions.valid, fractions.test}, debt);
    auto next = group.begin();
    for (const SplitPart part : {SplitPart::kTrain, SplitPart::kValid, SplitPart::kTest}) {
      const auto end = next + static_cast<std::ptrdiff_t>(counts[static_cast<std::size_t>(part)]);
      part_of(split, part).insert(part_of(split, part).end(), next, end);
      next = end;
    }
  }
  sort_parts(split);
  return split;
}

std::vector<Split> k_folds(std::size_t graphs, std::size_t k, std::uint64_t seed) {
  check_folds(graphs, k);
  std::vector<std::size_t> fold_of;
  fold_of.reserve(graphs);
  for (std::size_t fold = 0; fold < k; ++fold)
    fold_of.resize(fold_of.size() + graphs / k + (fold < graphs % k ? 1 : 0), fold);
  shuffle_as_numpy(fold_of, seed);
  std::vector<Split> splits(k);
  for (std::size_t g = 0; g < graphs; ++g) {
    for (std::size_t fold = 0; fold < k; ++fold) {
      (fold == fold_of[g] ? splits[fold].test : splits[fold].train).push_back(g);
    }
  }
  return splits;
}

std::vector<Split> stratified_k_folds(std::span<const double> labels, std::size_t k, std::uint64_t seed) {
  check_folds(labels.size(), k);
  RandomSequence random(seed, Purpose::kSplit);
  std::vector<std::size_t> order;
  for (const auto& group : shuffled_classes(labels, random)) order.insert(order.end(), group.begin(), group.end());
  return dealt(order, k);
}

Split scaffold_split(std::span<const std::string> scaffolds, const SplitFractions& fractions) {
  check_fractions(fractions);
  std::unordered_map<std::string_view, std::size_t> number;
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < scaffolds.size(); ++i) {
    const auto [entry, is_new] = number.emplace(scaffolds[i], groups.size());
    if (is_new) groups.emplace_back();
    groups[entry->second].push_back(i);
  }
  std::ranges::sort(groups, [](const auto& a, const auto& b) {
    return std::pair(a.size(), a.front()) > std::pair(b.size(), b.front());
  });
  // Cutoffs are compared as OGB's Python does, without rounding.
  const auto n = static_cast<double>(scaffolds.size());
  const double train_cutoff = fractions.train * n, valid_cutoff = (fractions.train + fractions.valid) * n;
  Split split;
  for (const auto& group : groups) {
    const auto train = static_cast<double>(split.train.size() + group.size());
    const auto both = static_cast<double>(split.train.size() + split.valid.size() + group.size());
    auto& part = train <= train_cutoff ? split.train : both <= valid_cutoff ? split.valid : split.test;
    part.insert(part.end(), group.begin(), group.end());
  }
  return split;
}

std::vector<Split> column_split(std::span<const std::string> values, const std::string& column) {
  SplitColumn parts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    parts.add(values[i], [&](const std::string& message, const std::string& hint) {
      throw Error(ErrorKind::kData, fmt::format("column {}, graph {}: {}", in_quotes(column), i, message), hint);
    });
  }
  return parts.finish([&](const std::string& message, const std::string& hint) {
    throw Error(ErrorKind::kData, fmt::format("column {}: {}", in_quotes(column), message), hint);
  });
}

namespace {

// Those that are drawn: nobody has said which graph goes where.
std::optional<std::vector<Split>> drawn_splits(const Dataset& data, std::string_view spec, std::uint64_t seed) {
  const std::string_view name = parse_spec(spec).name;
  const std::size_t graphs = data.graphs.size();
  if (name == "random") return {{random_split(graphs, parse_fractions(spec), seed)}};
  if (name == "stratified") return {{stratified_split(class_labels(data, spec), parse_fractions(spec), seed)}};
  if (name == "kfold") return k_folds(graphs, parse_folds(spec), seed);
  if (name == "stratified-kfold") return stratified_k_folds(class_labels(data, spec), parse_folds(spec), seed);
  return std::nullopt;
}

}  // namespace

std::vector<Split> make_splits_with(const Dataset& data, std::string_view full_spec, std::uint64_t seed,
                                    const Scaffolds& scaffolds) {
  const std::string_view spec = without_ending(full_spec);
  const auto& [name, rest] = parse_spec(spec);
  if (auto splits = drawn_splits(data, spec, seed)) {
    if (keeps_duplicates_together(data, full_spec)) keep_together(duplicate_groups(data), *splits);
    return *std::move(splits);
  }
  if (spec != full_spec) throw bad_spec(full_spec, "+apart and +duplicates are for random splits and folds");
  if (name == "scaffold") return {scaffold_split(scaffolds(), parse_fractions(spec))};
  if (name == "scaffold-balanced") {
    return {balanced_scaffold_split(scaffolds(), parse_fractions(spec), seed)};
  }
  if (name == "scaffold-kfold") return scaffold_k_folds(scaffolds(), parse_folds(spec), seed);
  if (name == "column") return split_by_column(data, spec);
  if (name == "file") return split_by_file(data, spec);
  if (name == "official" && rest.empty()) return {official_split(data)};
  throw unknown_split(name == "official" ? spec : name);
}

std::vector<Split> make_splits(const Dataset& data, std::string_view spec, std::uint64_t seed, int threads) {
  return make_splits_with(data, spec, seed, [&] { return scaffolds_of(data, spec, threads); });
}

Split make_split(const Dataset& data, std::string_view spec, std::uint64_t seed, int threads) {
  std::vector<Split> splits = make_splits(data, spec, seed, threads);
  if (splits.size() == 1) return std::move(splits.front());
  throw Error(ErrorKind::kUsage,
              fmt::format("the split {} has {} folds where one split is needed", in_quotes(spec), splits.size()),
              "choose one of make_splits(), or cross-validate");
}

std::vector<std::string> columns_of_split(std::string_view spec) {
  const auto& [name, rest] = parse_spec(spec);
  if (name == "column") return {std::string(rest)};
  if (name.starts_with("scaffold")) return {kSmilesColumn};
  return {};
}

}  // namespace agentnet
