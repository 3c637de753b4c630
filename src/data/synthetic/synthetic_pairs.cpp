// The pairs of graphs with which the paper's appendix proves what agents can and cannot do. All graphs of a class are
// the same but for the numbers of their nodes. G1 and G2 are named as there.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "data/synthetic/synthetic_maker.h"

namespace agentnet {

namespace {

// A graph that grows node by node; the single feature of a node is a category.
struct Growing {
  GraphParts parts = undirected_graph(0);

  std::uint32_t add(std::uint32_t feature) {
    parts.node_categories.push_back(static_cast<std::int32_t>(feature));
    return static_cast<std::uint32_t>(parts.num_nodes++);
  }
  std::uint32_t add_below(std::uint32_t parent, std::uint32_t feature) {
    const std::uint32_t node = add(feature);
    join(parts, parent, node);
    return node;
  }
  // Gives `top` so many levels of descendants, `branching` children each, with the level, counted from `first`, as
  // their feature. Returns where the last level begins; it reaches to the end.
  std::uint32_t add_levels(std::uint32_t top, std::uint32_t branching, std::uint32_t levels, std::uint32_t first) {
    std::uint32_t begin = top, end = top + 1;  // the level above
    for (std::uint32_t level = 0; level < levels; ++level) {
      const auto next = static_cast<std::uint32_t>(parts.num_nodes);
      for (std::uint32_t parent = begin; parent < end; ++parent) {
        for (std::uint32_t child = 0; child < branching; ++child) add_below(parent, first + level);
      }
      begin = next;
      end = static_cast<std::uint32_t>(parts.num_nodes);
    }
    return begin;
  }
};

// Nodes of `levels` levels, the first of which has `first` nodes.
CheckedSize tree_size(std::uint64_t first, std::uint64_t branching, std::uint64_t levels) {
  CheckedSize total = 0, level = first;
  for (std::uint64_t i = 0; i < levels; ++i) {
    total += level;
    level *= branching;
  }
  return total;
}

CategoryColumn numbers_column(const char* name, std::uint32_t count) {
  CategoryColumn column{name, {}};
  for (std::uint32_t i = 0; i < count; ++i) column.values.push_back(std::to_string(i));
  return column;
}

// A set of two graphs, each as often as the other.
Dataset pair(const SyntheticArguments& arguments, const Growing& g1, const Growing& g2,
             const std::optional<CategoryColumn>& feature, std::vector<std::string> classes = {"G1", "G2"},
             bool keep_first = false) {
  Dataset data = classified(std::move(classes));
  if (feature) data.schema.nodes.categories = {*feature};
  RandomSequence random(arguments.seed(), Purpose::kData);
  for (const std::size_t label : balanced_labels(arguments.graphs(), 2, random)) {
    GraphParts parts = renumbered(label == 0 ? g1.parts : g2.parts, random, keep_first);
    if (!feature) parts.node_categories.clear();
    add_graph(data, std::move(parts), label);
  }
  return data;
}

struct TreeSizes {
  std::uint32_t branching, h1, h2, trees;
};

// A node with `trees` first trees below it, and a second tree below a leaf of the first `second` of these. Any leaf
// is as good as any other: the trees are complete.
void add_one_way_trees(Growing& graph, const TreeSizes& sizes, std::uint32_t second) {
  const std::uint32_t top = graph.add(0);
  for (std::uint32_t tree = 0; tree < sizes.trees; ++tree) {
    const std::uint32_t root = graph.add_below(top, 1);
    const std::uint32_t leaf = graph.add_levels(root, sizes.branching, sizes.h1 - 1, 2);
    if (tree < second) graph.add_levels(graph.add_below(leaf, 1), sizes.branching, sizes.h2 - 1, 2);
  }
}

}  // namespace

// Theorem "trees". In the variant of equal size there are as many second trees and nodes in both graphs: b copies of
// the graph with a single second tree, against the graph with all of them and b - 1 copies of the one without. (The
// paper has the names of the two the other way round in that remark; here G1 has its second trees in different copies,
// as the remark's conclusion needs it.)
Dataset make_trees(const SyntheticArguments& arguments) {
  const TreeSizes sizes{arguments.small("branching"), arguments.small("h1"), arguments.small("h2"),
                        arguments.small("trees")};
  const bool equal = arguments.word("size") == "equal";
  const CheckedSize first = CheckedSize(1) + tree_size(1, sizes.branching, sizes.h1) * sizes.trees;
  const CheckedSize second = tree_size(1, sizes.branching, sizes.h2) * sizes.trees;
  arguments.check_size(equal ? first * sizes.trees + second : first + second);

  Growing all, one;  // second trees below all first trees, or below one
  add_one_way_trees(all, sizes, sizes.trees);
  add_one_way_trees(one, sizes, 1);
  const CategoryColumn levels = numbers_column("level", std::max(sizes.h1, sizes.h2) + 1);
  if (!equal) return pair(arguments, all, one, levels);
  for (std::uint32_t copy = 1; copy < sizes.trees; ++copy) {
    add_one_way_trees(one, sizes, 1);
    add_one_way_trees(all, sizes, 0);
  }
  return pair(arguments, one, all, levels, {"G1'", "G2'"});
}

// Lemmas "cliques" (radius 1) and "cycles": paths from one node. In G1 the ends of two paths of `radius` nodes are
// joined; all others, and all of G2, are a node longer instead, so that nobody sees the difference before both ends are
// reached.
Dataset make_triangle(const SyntheticArguments& arguments) {
  const std::uint32_t paths = arguments.small("degree"), radius = arguments.small("radius");
  arguments.check_size(CheckedSize(paths) * (CheckedSize(radius) + 1) + 1);
  const auto make = [&](bool closed) {
    Growing graph;
    const std::uint32_t middle = graph.add(0);
    std::uint32_t ends[2] = {middle, middle};
    for (std::uint32_t path = 0; path < paths; ++path) {
      const bool meets = closed && path < 2;
      std::uint32_t end = middle;
      for (std::uint32_t i = 0; i < radius + (meets ? 0 : 1); ++i) end = graph.add_below(end, 0);
      if (path < 2) ends[path] = end;
    }
    if (closed) join(graph.parts, ends[0], ends[1]);
    return graph;
  };
  return pair(arguments, make(true), make(false), std::nullopt, {"G1", "G2"}, arguments.word("middle") == "first");
}

// Lemma "1 better than k": a path of nodes with feature 0, whose last node has feature 1 in G2; wherever agents start,
// most probably among the other nodes, the end is more than `length` steps away. (The paper says 0 for both graphs
// there, a slip.) With `branching`, the form with bounded degrees: the others are a one-way tree.
Dataset make_path_end(const SyntheticArguments& arguments) {
  const std::uint32_t length = arguments.small("length");
  const bool tree = arguments.has("branching");
  if (tree && arguments.given("nodes")) arguments.fail("both nodes and branching are given", "leave one of them out");
  if (!tree && arguments.given("depth")) arguments.fail("depth is given without branching", "add branching=2");
  const std::uint32_t depth = arguments.small("depth"), branching = tree ? arguments.small("branching") : 0;
  const std::uint32_t nodes = tree ? 0 : arguments.small("nodes");
  if (!tree && nodes <= length) {
    arguments.fail(fmt::format("nodes = {} leaves none besides the path of {}", nodes, length), "add nodes");
  }
  arguments.check_size(tree ? CheckedSize(length) + tree_size(branching, branching, depth) : CheckedSize(nodes));
  const auto make = [&](std::uint32_t end_feature) {
    Growing graph;
    const std::uint32_t start = graph.add(0);
    if (tree) {
      graph.add_levels(start, branching, depth, 1);
    } else {
      for (std::uint32_t i = length; i < nodes; ++i) graph.add_below(start, 1);
    }
    std::uint32_t end = start;
    for (std::uint32_t i = 1; i < length; ++i) end = graph.add_below(end, i + 1 == length ? end_feature : 0);
    return graph;
  };
  return pair(arguments, make(0), make(1), numbers_column("feature", tree ? depth + 1 : 2));
}

// Lemma "k better than 1": two parts of nodes with feature 0; those of the second have feature 1 in G2. A path between
// them has feature 2. The lemma asks for any connected part: here a cycle.
Dataset make_two_parts(const SyntheticArguments& arguments) {
  const std::uint32_t part = arguments.small("part"), path = arguments.small("path");
  arguments.check_size(CheckedSize(part) * 2 + path);
  const auto make = [&](std::uint32_t second_feature) {
    Growing graph;
    for (const std::uint32_t feature : {0U, second_feature}) {
      const std::uint32_t start = graph.add(feature);
      std::uint32_t end = start;
      for (std::uint32_t i = 1; i < part; ++i) end = graph.add_below(end, feature);
      join(graph.parts, end, start);
    }
    std::uint32_t end = 0;  // a node of the first part
    for (std::uint32_t i = 0; i < path; ++i) end = graph.add_below(end, 2);
    if (path > 0) join(graph.parts, end, part);
    return graph;
  };
  return pair(arguments, make(0), make(1), numbers_column("feature", path > 0 ? 3 : 2));
}

// Corollary "2WL": cycles of different lengths are the simplest graphs that message passing cannot tell apart.
Dataset make_cycles(const SyntheticArguments& arguments) {
  const std::uint64_t first = arguments.whole("first"), second = arguments.whole("second");
  if (first == second) arguments.fail("both classes have cycles of the same length", "give two lengths");
  const std::uint64_t nodes = std::lcm(first, second);
  arguments.check_size(nodes);
  const auto make = [&](std::uint64_t length) {
    Growing graph;
    for (std::uint64_t cycle = 0; cycle < nodes / length; ++cycle) {
      const std::uint32_t start = graph.add(0);
      std::uint32_t end = start;
      for (std::uint64_t i = 1; i < length; ++i) end = graph.add_below(end, 0);
      join(graph.parts, end, start);
    }
    return graph;
  };
  return pair(arguments, make(first), make(second), std::nullopt);
}

}  // namespace agentnet
