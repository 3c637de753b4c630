// The table of built-in sets, and how the text that names one is read.
#include "data/synthetic/synthetic.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"
#include "data/huge/huge_sets.h"
#include "data/synthetic/synthetic_maker.h"

namespace agentnet {

namespace {

constexpr std::uint64_t kMaxNodes = 100'000'000;
constexpr double kMaxCount = 100'000'000;

SyntheticParameter graphs_parameter(const char* fallback) {
  return {.name = "graphs", .fallback = fallback, .help = "number of graphs", .minimum = 1, .maximum = kMaxCount};
}

SyntheticParameter seed_parameter() {
  return {.name = "seed",
          .fallback = "0",
          .help = "another seed gives other graphs",
          .maximum = static_cast<double>(std::numeric_limits<std::uint64_t>::max())};
}

SyntheticParameter count_parameter(const char* name, const char* fallback, double minimum, const char* help,
                                   double maximum = kMaxCount) {
  return {.name = name, .fallback = fallback, .help = help, .minimum = minimum, .maximum = maximum};
}

struct Entry {
  SyntheticHelp help;
  Dataset (*make)(const SyntheticArguments&);
};

std::vector<Entry> table() {
  return {
      {{"4cycles", "16 nodes of degree 2 each: is there a 4-cycle?", {graphs_parameter("1000"), seed_parameter()}},
       make_four_cycles},
      {{"csl",
        "circular skip links: a cycle of 41 nodes, each also joined to the one SKIP further on; which skip?",
        {graphs_parameter("150"), seed_parameter()}},
       make_skip_links},
      {{"2wl",
        "Rook's 4x4 graph or Shrikhande's, which the 2-WL test cannot tell apart",
        {graphs_parameter("300"), seed_parameter()}},
       make_2wl},
      {{"ladder",
        "circular ladders, in one class with crosses in place of pairs of rungs",
        {count_parameter("nodes", "16", 10, "nodes of each graph, an even number"),
         {.name = "density",
          .fallback = "0.5",
          .help = "crossed cells, as a share of the nodes / 4 that fit side by side",
          .whole = false,
          .minimum = 0.000001,
          .maximum = 1},
         count_parameter("cells", "", 1, "crossed cells, instead of density", kMaxCount / 4),
         {.name = "place",
          .fallback = "even",
          .help = "crossed cells at even distances, as in the paper, or anywhere",
          .choices = {"even", "random"}},
         graphs_parameter("300"),
         seed_parameter()}},
       make_ladder},
      {{"motif",
        "sparse random graphs with a planted motif, whose nodes are marked, or the same edges rewired so that none is "
        "left",
        {count_parameter("nodes", "40", 16, "mean number of nodes; graphs have up to a quarter less or more"),
         {.name = "motif", .fallback = "house", .help = "what is planted", .choices = motif_names()},
         {.name = "degree",
          .fallback = "2.5",
          .help = "mean number of neighbours of a node",
          .whole = false,
          .minimum = 2,
          .maximum = 16},
         graphs_parameter("1000"),
         seed_parameter()}},
       make_motif},
      {{"trees",
        "the one-way trees of the paper's theorem on two agents and one: a second tree below every first tree, or "
        "below "
        "one only",
        {count_parameter("branching", "2", 2, "children of a node", 1000),
         count_parameter("h1", "3", 1, "levels of the first trees", 26),
         count_parameter("h2", "6", 1, "levels of the second trees", 26),
         count_parameter("trees", "4", 2, "number of first trees", 1'000'000),
         {.name = "size",
          .fallback = "free",
          .help = "equal: the variant of the theorem in which both graphs have the same number of nodes",
          .choices = {"free", "equal"}},
         graphs_parameter("100"),
         seed_parameter()}},
       make_trees},
      {{"triangle",
        "a node with three paths, two of which meet in G1; the lower bound for recognising cliques and cycles",
        {count_parameter("degree", "3", 2, "number of paths"),
         count_parameter("radius", "1", 1,
                         "a path meets another one after so many nodes, which closes a cycle of "
                         "2 radius + 1"),
         {.name = "middle",
          .fallback = "anywhere",
          .help = "first: node 0 is the node that all paths begin at, so that agents can be made to start there",
          .choices = {"anywhere", "first"}},
         graphs_parameter("100"),
         seed_parameter()}},
       make_triangle},
      {{"path-end",
        "a long path whose far end differs; one agent with many steps beats many with few",
        {count_parameter("length", "8", 2, "nodes of the path"),
         count_parameter("nodes", "64", 3, "nodes in all; those besides the path are next to its first node"),
         count_parameter("branching", "", 2,
                         "the other nodes form a tree below the path's first node, with so many "
                         "children each",
                         1000),
         count_parameter("depth", "4", 1, "levels of that tree", 26), graphs_parameter("100"), seed_parameter()}},
       make_path_end},
      {{"two-parts",
        "two far parts, the second of which is marked in G2; many agents with few steps beat one with many",
        {count_parameter("part", "16", 3, "nodes of each part, a cycle"),
         count_parameter("path", "0", 0, "nodes of a path between the parts; 0: there is none"),
         graphs_parameter("100"), seed_parameter()}},
       make_two_parts},
      {{"cycles",
        "cycles of one length or of another, as many as give the same number of nodes; the 1-WL test cannot tell",
        {count_parameter("first", "3", 3, "length of the cycles of G1", 1'000'000),
         count_parameter("second", "6", 3, "length of the cycles of G2", 1'000'000), graphs_parameter("100"),
         seed_parameter()}},
       make_cycles},
      {{"triangle-density",
        "random graphs of as many nodes and edges each: which share of pairs of edges at a node is closed by a third?",
        {count_parameter("nodes", "300", 16, "nodes of each graph", 1'000'000),
         {.name = "degree",
          .fallback = "6",
          .help = "mean number of neighbours of a node",
          .whole = false,
          .minimum = 2,
          .maximum = 12},
         graphs_parameter("1000"),
         seed_parameter()}},
       make_triangle_density},
  };
}

template <class Range, class Name>
std::vector<std::string> names_of(const Range& range, Name name) {
  std::vector<std::string> names;
  names.reserve(range.size());
  for (const auto& item : range) names.push_back(name(item));
  return names;
}

std::string meant_and_list(std::string_view word, const std::vector<std::string>& names, const char* there_are) {
  const auto meant = closest_match(word, names);
  const std::string list = fmt::format("{} {}", there_are, join_text(names, ", "));
  return meant ? fmt::format("did you mean {}? {}", *meant, list) : list;
}

template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Digits, or a round number such as 1e8.
std::optional<std::uint64_t> parsed_whole(std::string_view text) {
  if (const auto count = parsed<std::uint64_t>(text)) return count;
  const auto number = parsed<double>(text);
  if (text.find_first_of("eE") == std::string_view::npos || !number) return std::nullopt;
  if (!(*number >= 0 && *number <= 0x1p53) || *number != std::floor(*number)) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

bool allows(const SyntheticParameter& parameter, std::string_view value) {
  if (!parameter.choices.empty()) return std::ranges::find(parameter.choices, value) != parameter.choices.end();
  std::optional<double> number;
  if (!parameter.whole) {
    number = parsed<double>(value);
  } else if (const auto count = parsed_whole(value)) {
    number = static_cast<double>(*count);
  }
  return number && *number >= parameter.minimum && *number <= parameter.maximum;  // NaN is not
}

}  // namespace

std::string SyntheticParameter::range() const {
  if (!choices.empty()) {
    return choices.size() == 1 ? choices[0]
                               : fmt::format("{} or {}", join_text(std::span(choices.begin(), choices.end() - 1), ", "),
                                             choices.back());
  }
  if (!whole) return fmt::format("{:g} to {:g}", minimum, maximum);
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  const auto most = maximum >= static_cast<double>(kMost) ? kMost : static_cast<std::uint64_t>(maximum);
  return fmt::format("{} to {}", static_cast<std::uint64_t>(minimum), most);
}

SyntheticArguments::SyntheticArguments(const SyntheticHelp& set, std::string_view text) : name_(set.name) {
  for (const SyntheticParameter& parameter : set.parameters) {
    if (!parameter.fallback.empty()) values_[parameter.name] = parameter.fallback;
  }
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const std::string key(pair.substr(0, pair.find('=')));
    const auto names = names_of(set.parameters, [](const SyntheticParameter& p) { return p.name; });
    if (key.size() == pair.size()) {
      fail(fmt::format("{} is not a key and its value", in_quotes(pair)),
           fmt::format("write key=value, with & between two of them; {}", meant_and_list(key, names, "the keys are")));
    }
    const auto parameter = std::ranges::find(set.parameters, key, &SyntheticParameter::name);
    if (parameter == set.parameters.end()) {
      fail(fmt::format("there is no parameter {}", in_quotes(key)), meant_and_list(key, names, "the keys are"));
    }
    const std::string_view value = pair.substr(key.size() + 1);
    if (!allows(*parameter, value)) {
      fail(fmt::format("{} cannot be {}", key, in_quotes(value)),
           parameter->choices.empty()
               ? fmt::format("{} is a {}number from {}", key, parameter->whole ? "whole " : "", parameter->range())
               : fmt::format("{} is {}", key, parameter->range()));
    }
    if (!given_.emplace(key, value).second) fail(fmt::format("{} is given twice", key), "leave one of them out");
    values_[key] = value;
  }
}

std::uint64_t SyntheticArguments::whole(const std::string& name) const {
  return parsed_whole(values_.at(name)).value();
}

std::uint32_t SyntheticArguments::small(const std::string& name) const {
  return checked_cast<std::uint32_t>(whole(name)).value();
}

double SyntheticArguments::number(const std::string& name) const { return parsed<double>(values_.at(name)).value(); }

void SyntheticArguments::check_size(CheckedSize nodes_per_graph) const {
  const CheckedSize nodes = nodes_per_graph * graphs();
  if (nodes.valid() && nodes.value() <= kMaxNodes) return;
  const std::string size = nodes.valid() ? fmt::format("{}", nodes.value()) : "more than 2^64";
  fail(fmt::format("{} graphs with {} nodes in all are too many", graphs(), size),
       fmt::format("a built-in set has at most {} nodes: ask for fewer or smaller graphs", kMaxNodes));
}

void SyntheticArguments::fail(const std::string& message, const std::string& hint) const {
  throw Error(ErrorKind::kUsage, fmt::format("{}{}: {}", kSyntheticPrefix, name_, message), hint);
}

Dataset classified(std::vector<std::string> classes) {
  Dataset data;
  data.schema.task = Task::kClassification;
  data.schema.targets = {"class"};
  data.schema.classes = std::move(classes);
  return data;
}

void add_graph(Dataset& data, GraphParts parts, std::size_t label, const NodeNotes& notes) {
  if (data.schema.nodes.categories.empty()) {
    data.schema.nodes.dense = {"constant"};
    parts.node_dense.assign(parts.num_nodes, 1.0F);
  }
  const auto target = static_cast<double>(label);
  data.graphs.add(Graph(std::move(parts)), {&target, 1}, {}, notes);
}

std::vector<std::size_t> balanced_labels(std::uint64_t graphs, std::size_t classes, RandomSequence& random) {
  std::vector<std::size_t> labels(graphs);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i % classes;
  random.shuffle(labels);
  return labels;
}

GraphParts undirected_graph(std::uint64_t nodes) {
  GraphParts parts;
  parts.num_nodes = nodes;
  parts.undirected = true;
  return parts;
}

void join(GraphParts& parts, std::uint32_t u, std::uint32_t v) {
  parts.from.push_back(u);
  parts.to.push_back(v);
}

GraphParts renumbered(GraphParts parts, RandomSequence& random, bool keep_first) {
  std::vector<std::uint32_t> number(parts.num_nodes);
  std::iota(number.begin(), number.end(), 0U);
  random.shuffle(number);
  if (keep_first && !number.empty()) std::swap(*std::ranges::find(number, 0U), number[0]);
  for (std::uint32_t& node : parts.from) node = number[node];
  for (std::uint32_t& node : parts.to) node = number[node];
  const std::vector<std::int32_t> before = parts.node_categories;
  for (std::size_t i = 0; i < before.size(); ++i) parts.node_categories[number[i]] = before[i];
  return parts;
}

std::vector<SyntheticHelp> synthetic_sets() {
  std::vector<SyntheticHelp> sets;
  for (Entry& entry : table()) sets.push_back(std::move(entry.help));
  return sets;
}

Dataset make_synthetic(std::string_view spec) {
  std::string_view name = spec;
  if (name.starts_with(kSyntheticPrefix)) name.remove_prefix(kSyntheticPrefix.size());
  const std::size_t mark = std::min(name.find('?'), name.size());
  const std::string_view text = name.substr(std::min(mark + 1, name.size()));
  name = name.substr(0, mark);
  const std::vector<Entry> all = table();
  const auto entry = std::ranges::find_if(all, [&](const Entry& e) { return e.help.name == name; });
  if (entry == all.end()) {
    if (is_huge_set(name)) {
      throw Error(ErrorKind::kUsage, fmt::format("{} is made in a file, not in memory", name),
                  fmt::format("write it first: agentnet generate '{}' big.graph", name));
    }
    const auto names = names_of(all, [](const Entry& e) { return std::string(kSyntheticPrefix) + e.help.name; });
    throw Error(ErrorKind::kUsage, fmt::format("there is no built-in set {}", in_quotes(name)),
                meant_and_list(fmt::format("{}{}", kSyntheticPrefix, name), names, "there are"));
  }
  Dataset data = entry->make(SyntheticArguments(entry->help, text));
  data.source = spec;
  data.format = "synthetic";
  return data;
}

}  // namespace agentnet
