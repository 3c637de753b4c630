#include "nets/gsn/identifiers.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "agentnet/error.h"
#include "core/json.h"
#include "core/text.h"
#include "nets/taped/cycles.h"

namespace agentnet {
namespace {

constexpr std::size_t kMostValues = 256;  // of a column
constexpr std::int64_t kDefaultValues = 8;

std::vector<std::int64_t> parse_values(const char* option, const std::string& text) {
  std::vector<std::int64_t> values;
  const char *at = text.data(), *end = text.data() + text.size();
  const auto refuse = [&] {
    throw Error(ErrorKind::kUsage, fmt::format("model option '{}' has {}", option, in_quotes(text)),
                "each text of it lists counts in ascending order, such as \"0 1 2 6\"");
  };
  while (at < end) {
    if (*at == ' ') {
      ++at;
      continue;
    }
    std::int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (!values.empty() && value <= values.back())) refuse();
    values.push_back(value);
    at = next;
  }
  if (values.empty()) refuse();
  return values;
}

// At most kMostValues of them, evenly spread.
std::string thinned(const std::set<std::int64_t>& values) {
  const std::vector<std::int64_t> all(values.begin(), values.end());
  const std::size_t kept = std::min(all.size(), kMostValues);
  std::vector<std::int64_t> some;
  for (std::size_t i = 0; i < kept; ++i) some.push_back(all[i * all.size() / kept]);
  return join_text(some, " ");
}

}  // namespace

std::vector<std::int64_t> count_structures(const SimpleGraph& graph, const Structures& structures, std::uint64_t most) {
  const std::size_t columns = structures.columns();
  std::vector<std::int64_t> counts(static_cast<std::size_t>(graph.nodes()) * columns, 0);
  const auto count_in = [&](std::size_t first_column) {
    return [&counts, columns, first_column](std::span<const Index> nodes) {
      for (const Index v : nodes) ++counts[static_cast<std::size_t>(v) * columns + first_column + nodes.size() - 3];
    };
  };
  if (structures.cycle_columns() > 0 &&
      !for_each_cycle(graph, structures.longest_cycle, /*induced=*/false, most, count_in(0))) {
    return {};
  }
  if (structures.clique_columns() > 0 &&
      !for_each_clique(graph, structures.largest_clique, most, count_in(structures.cycle_columns()))) {
    return {};
  }
  return counts;
}

CountValues::CountValues(const char* option, const std::vector<std::string>& texts, std::size_t columns) {
  for (std::size_t c = 0; c < columns; ++c) {
    if (c < texts.size()) {
      values_.push_back(parse_values(option, texts[c]));
      continue;
    }
    std::vector<std::int64_t>& few = values_.emplace_back();
    for (std::int64_t v = 0; v < kDefaultValues; ++v) few.push_back(v);
  }
}

std::size_t CountValues::width() const {
  std::size_t sum = 0;
  for (const auto& column : values_) sum += column.size();
  return sum;
}

std::size_t CountValues::place(std::size_t column, std::int64_t count) const {
  const std::vector<std::int64_t>& values = values_[column];
  const auto above = std::upper_bound(values.begin(), values.end(), count);
  return above == values.begin() ? values.size() : static_cast<std::size_t>(above - values.begin()) - 1;
}

namespace {

// The counts that occur in a set, one list per column; nothing where there are too many structures to count them all.
std::optional<std::vector<std::set<std::int64_t>>> counts_of_set(const GraphSet& set, const Structures& structures) {
  constexpr std::uint64_t kMost = 1'000'000, kPerGraph = 20;
  std::vector<std::set<std::int64_t>> found(structures.columns());
  std::uint64_t left = kMost + kPerGraph * set.size();
  for (std::size_t g = 0; g < set.size(); ++g) {
    const std::vector<std::int64_t> counts = count_structures(SimpleGraph(set.view(g)), structures, left);
    if (counts.empty()) return std::nullopt;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      found[i % found.size()].insert(counts[i]);
      sum += static_cast<std::uint64_t>(counts[i]);
    }
    left -= std::min(left, sum / 3);  // a structure is counted at each of its nodes, three at least
  }
  return found;
}

std::string texts_of(const std::vector<std::set<std::int64_t>>& columns) {
  Json texts = Json::array();
  for (const auto& values : columns) texts.push_back(thinned(values));
  return texts.dump();
}

}  // namespace

std::vector<OptionChoice> advise_counts(const SetSize& set, const Structures& structures) {
  if (set.set == nullptr) return {};
  constexpr const char* kWhy = "the counts that occur in the set";
  std::vector<OptionChoice> choices;
  int longest = structures.longest_cycle;
  auto found = counts_of_set(*set.set, {longest, 0});
  while (!found && longest > 3) found = counts_of_set(*set.set, {--longest, 0});
  if (!found) longest = 0;
  if (longest < structures.longest_cycle) {
    choices.push_back({"max_cycle", std::to_string(longest), "the set has too many longer cycles"});
  }
  if (found) choices.push_back({"cycle_values", texts_of(*found), kWhy});
  if (const auto cliques = counts_of_set(*set.set, {0, structures.largest_clique})) {
    if (longest < structures.longest_cycle) {
      choices.push_back({"max_clique", std::to_string(structures.largest_clique), "instead of longer cycles"});
    }
    choices.push_back({"clique_values", texts_of(*cliques), kWhy});
  }
  return choices;
}

}  // namespace agentnet
