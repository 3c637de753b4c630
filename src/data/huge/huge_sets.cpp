#include "data/huge/huge_sets.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "agentnet/error.h"
#include "core/permutation.h"
#include "core/text.h"
#include "data/huge/edge_sorter.h"
#include "data/synthetic/synthetic_maker.h"
#include "data/tables/schema_json.h"
#include "graph/set_stream.h"

namespace agentnet {
namespace {

constexpr double kMostNodes = 0x1p40, kMostGraphs = 1e6;
constexpr std::uint64_t kBetweenTold = std::uint64_t{1} << 14;  // nodes, or edges

__extension__ using Product = unsigned __int128;

// Where a maker puts its graphs.
struct Output {
  std::filesystem::path path;
  const WriteHugeSet& options;

  void tell(const char* phase, std::uint64_t done, std::uint64_t total) const {
    if (options.tell) options.tell(phase, done, total);
  }
  // Nodes have one constant feature.
  [[nodiscard]] WrittenHugeSet finish(SetStream& stream, Schema schema, std::span<const double> targets,
                                      std::uint64_t graphs) const {
    stream.add_constant_feature();
    schema.nodes.dense = {"constant"};
    if (!targets.empty()) stream.writer().add("targets", std::as_bytes(targets));
    tell("long lists", 0, 0);
    stream.finish({.node_dense = 1, .targets = static_cast<int>(schema.targets.size())}, set_metadata(schema),
                  options.memory / 2);
    return {graphs, stream.num_nodes(), stream.num_entries()};
  }
};

// Where the rungs of a ladder end on the other side, from rung to rung: at their own number, or, where two cross, at
// the other's. Cells are at the even distances of synthetic:ladder, or at any places that share no rung.
class Feet {
 public:
  Feet(std::uint64_t rungs, std::uint64_t cells, bool even, const RandomSequence& random)
      : rungs_(rungs), cells_(cells), even_(even), random_(random) {
    left_cells_ = cells;
    left_items_ = rungs - cells;
    // A circle can be cut open between two cells, or within one.
    wraps_ = !even && cells > 0 && random_.below(rungs) < cells;
    if (wraps_) {
      --left_cells_;
      left_items_ = rungs - 2 - left_cells_;
    }
  }

  // For rung 0, 1, 2, ...
  std::uint64_t next() {
    const std::uint64_t rung = rung_++;
    if (wraps_ && rung == 0) return rungs_ - 1;
    if (wraps_ && rung == rungs_ - 1) return 0;
    if (second_) {
      second_ = false;
      return rung - 1;
    }
    if (cells_ == 0) return rung;
    if (even_) {
      second_ = next_cell_ < cells_ && rung == first_of(next_cell_);
      if (second_) ++next_cell_;
    } else {
      // A crossed cell takes the place of one rung: choose which of the places are cells.
      second_ = left_cells_ > 0 && random_.below(left_items_) < left_cells_;
      --left_items_;
      if (second_) --left_cells_;
    }
    return second_ ? rung + 1 : rung;
  }

 private:
  [[nodiscard]] std::uint64_t first_of(std::uint64_t cell) const {
    return static_cast<std::uint64_t>(static_cast<Product>(cell) * rungs_ / cells_);
  }

  std::uint64_t rungs_, cells_;
  bool even_, wraps_ = false, second_ = false;
  RandomSequence random_;
  std::uint64_t rung_ = 0, next_cell_ = 0, left_cells_ = 0, left_items_ = 0;
};

// The ladders of synthetic_classic.cpp: nodes 0 .. rungs - 1 are one side, the others the other side.
WrittenHugeSet write_ladders(const SyntheticArguments& arguments, const Output& output) {
  const std::uint64_t nodes = arguments.whole("nodes"), graphs = arguments.graphs();
  if (nodes % 2 != 0) arguments.fail(fmt::format("nodes = {} is odd", nodes), "a ladder has two nodes per rung");
  const std::uint64_t rungs = nodes / 2, most = rungs / 2;
  std::uint64_t cells = 0;
  if (arguments.given("cells")) {
    if (arguments.given("density")) arguments.fail("both density and cells are given", "leave one of them out");
    cells = arguments.whole("cells");
    if (cells > most) {
      arguments.fail(fmt::format("{} crossed cells do not fit into {} nodes", cells, nodes),
                     fmt::format("there is room for {}", most));
    }
  } else {
    cells = static_cast<std::uint64_t>(std::floor(arguments.number("density") * static_cast<double>(rungs) / 2));
    if (cells == 0) {
      arguments.fail(fmt::format("density = {} of {} nodes is less than one cell", arguments.word("density"), nodes),
                     fmt::format("a cell is a density of {:.6g}; or use cells=1", 2.0 / static_cast<double>(rungs)));
    }
  }
  const bool even = arguments.word("place") == "even";
  RandomSequence random(arguments.seed(), Purpose::kData);
  const auto labels = balanced_labels(graphs, 2, random);
  SetStream stream(output.path, std::vector<std::uint64_t>(graphs, nodes), *output.options.files);
  for (std::uint64_t g = 0; g < graphs; ++g) {
    const RandomSequence places(arguments.seed(), Purpose::kData, 1, g);
    for (const bool upper : {true, false}) {
      Feet feet(rungs, labels[g] == 1 ? cells : 0, even, places);
      for (std::uint64_t i = 0; i < rungs; ++i) {
        const std::uint64_t before = i == 0 ? rungs - 1 : i - 1, after = i + 1 == rungs ? 0 : i + 1;
        const std::uint64_t least = std::min(before, after), greatest = std::max(before, after), foot = feet.next();
        if (upper) {
          stream.add(i, least);
          stream.add(i, greatest);
          stream.add(i, rungs + foot);
        } else {
          stream.add(rungs + i, foot);
          stream.add(rungs + i, rungs + least);
          stream.add(rungs + i, rungs + greatest);
        }
        if (i % kBetweenTold == 0) output.tell("writing", g * nodes + (upper ? i : rungs + i), graphs * nodes);
      }
    }
    stream.end_graph();
  }
  return output.finish(stream, classified({"ladder", "crossed"}).schema,
                       std::vector<double>(labels.begin(), labels.end()), graphs);
}

// Cycles through all nodes, each in an order of its own.
WrittenHugeSet write_regular(const SyntheticArguments& arguments, const Output& output) {
  const std::uint64_t nodes = arguments.whole("nodes"), graphs = arguments.graphs(), degree = arguments.whole("degree");
  if (degree % 2 != 0)
    arguments.fail(fmt::format("degree = {} is odd", degree), "every cycle gives a node two neighbours");
  SetStream stream(output.path, std::vector<std::uint64_t>(graphs, nodes), *output.options.files);
  std::vector<std::uint64_t> list;
  for (std::uint64_t g = 0; g < graphs; ++g) {
    RandomSequence random(arguments.seed(), Purpose::kData, 0, g);
    std::vector<Permutation> cycles;
    for (std::uint64_t c = 0; c < degree / 2; ++c) cycles.emplace_back(nodes, random.next_u64());
    for (std::uint64_t u = 0; u < nodes; ++u) {
      list.clear();
      for (const Permutation& cycle : cycles) {
        const std::uint64_t place = cycle.inverse(u);
        list.push_back(cycle(place == 0 ? nodes - 1 : place - 1));
        list.push_back(cycle(place + 1 == nodes ? 0 : place + 1));
      }
      std::ranges::sort(list);
      const auto end = std::unique(list.begin(), list.end());
      for (auto v = list.begin(); v != end; ++v) stream.add(u, *v);
      if (u % kBetweenTold == 0) output.tell("writing", g * nodes + u, graphs * nodes);
    }
    stream.end_graph();
  }
  return output.finish(stream, {}, {}, graphs);
}

// Both ends of every edge are drawn with a probability that falls with the rank of the node as rank^(-1 / (exponent -
// 1)), which gives expected degrees with that exponent; which node has which rank is random.
WrittenHugeSet write_power_law(const SyntheticArguments& arguments, const Output& output) {
  const std::uint64_t nodes = arguments.whole("nodes"), edges = arguments.whole("edges");
  const double exponent = arguments.number("exponent"), power = (exponent - 1) / (exponent - 2);
  RandomSequence random(arguments.seed(), Purpose::kData);
  const Permutation node_of_rank(nodes, random.next_u64());
  const auto draw = [&] {
    const double u = (static_cast<double>(random.next_u64() >> 11) + 0.5) * 0x1p-53;
    const auto rank = static_cast<std::uint64_t>(static_cast<double>(nodes) * std::pow(u, power));
    return node_of_rank(std::min(rank, nodes - 1));
  };
  EdgeSorter sorter(output.path, output.options.memory / 4 * 3, *output.options.files);
  for (std::uint64_t e = 0; e < edges; ++e) {
    const std::uint64_t u = draw();
    std::uint64_t v = draw();
    while (v == u) v = draw();
    sorter.add(u, v);
    sorter.add(v, u);
    if (e % kBetweenTold == 0) output.tell("drawing", e, edges);
  }
  sorter.finish();
  SetStream stream(output.path, {nodes}, *output.options.files);
  std::uint64_t done = 0;
  sorter.merge([&](std::span<const Edge> some) {
    for (const Edge& edge : some) stream.add(edge.from, edge.to);
    output.tell("writing", done += some.size(), sorter.total_pairs());
  });
  stream.end_graph();
  return output.finish(stream, {}, {}, 1);
}

struct Entry {
  SyntheticHelp help;
  WrittenHugeSet (*write)(const SyntheticArguments&, const Output&);
};

std::vector<Entry> table() {
  const auto whole = [](const char* name, const char* fallback, double minimum, double maximum, const char* help) {
    return SyntheticParameter{.name = name, .fallback = fallback, .help = help, .minimum = minimum, .maximum = maximum};
  };
  const SyntheticParameter seed = whole("seed", "0", 0, static_cast<double>(std::numeric_limits<std::uint64_t>::max()),
                                        "another seed gives other graphs");
  return {
      {{"big-ladder",
        "circular ladders as those of ladder, of any size",
        {whole("nodes", "1000000", 10, kMostNodes, "nodes of each graph, an even number"),
         {.name = "density",
          .fallback = "0.5",
          .help = "crossed cells, as a share of the nodes / 4 that fit side by side",
          .whole = false,
          .minimum = 1e-12,
          .maximum = 1},
         whole("cells", "", 1, kMostNodes / 4, "crossed cells, instead of density"),
         {.name = "place",
          .fallback = "even",
          .help = "crossed cells at even distances, as in the paper, or anywhere",
          .choices = {"even", "random"}},
         whole("graphs", "2", 1, kMostGraphs, "number of graphs"),
         seed}},
       write_ladders},
      {{"big-power-law",
        "a random graph of few nodes with very many neighbours and many with few; no classes",
        {whole("nodes", "1000000", 2, kMostNodes, "nodes"),
         whole("edges", "10000000", 1, kMostNodes, "edges that are drawn; those drawn twice are one"),
         {.name = "exponent",
          .fallback = "2.5",
          .help = "of the distribution of degrees",
          .whole = false,
          .minimum = 2.05,
          .maximum = 10},
         seed}},
       write_power_law},
      {{"big-regular",
        "random graphs whose nodes have the same number of neighbours; no classes",
        {whole("nodes", "1000000", 3, kMostNodes, "nodes of each graph"),
         whole("degree", "6", 2, 64, "neighbours of a node, an even number; of 1e6 nodes a few have one less"),
         whole("graphs", "1", 1, kMostGraphs, "number of graphs"), seed}},
       write_regular},
  };
}

// "synthetic:NAME?text" -> NAME and text
std::pair<std::string_view, std::string_view> name_and_text(std::string_view spec) {
  if (spec.starts_with(kSyntheticPrefix)) spec.remove_prefix(kSyntheticPrefix.size());
  const std::size_t mark = std::min(spec.find('?'), spec.size());
  return {spec.substr(0, mark), spec.substr(std::min(mark + 1, spec.size()))};
}

}  // namespace

std::vector<SyntheticHelp> huge_sets() {
  std::vector<SyntheticHelp> sets;
  for (Entry& entry : table()) sets.push_back(std::move(entry.help));
  return sets;
}

bool is_huge_set(std::string_view spec) {
  return std::ranges::any_of(table(), [&](const Entry& entry) { return entry.help.name == name_and_text(spec).first; });
}

WrittenHugeSet write_huge_set(std::string_view spec, const std::filesystem::path& out, const WriteHugeSet& options) {
  const auto [name, text] = name_and_text(spec);
  for (const Entry& entry : table()) {
    if (entry.help.name != name) continue;
    const SyntheticArguments arguments(entry.help, text);
    require_new_set_file(out, options.replace);
    return entry.write(arguments, {out, options});
  }
  throw Error(ErrorKind::kUsage, fmt::format("there is no built-in graph {}", in_quotes(name)),
              "agentnet generate --help lists them");
}

}  // namespace agentnet
