// Sets of nodes against those that the published code listed, and against a plain version.
#include "nets/kgnn/node_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/random.h"
#include "nets/rivals/recipes.h"
#include "support/rival_case.h"
#include "support/shared_dir.h"

namespace agentnet {
namespace {

const std::map<std::string, SetFamily> kFamilies = {{"two_malkin", SetFamily::kTwoMalkin},
                                                    {"two_local", SetFamily::kTwoLocal},
                                                    {"connected_two_malkin", SetFamily::kConnectedTwoMalkin},
                                                    {"connected_two_local", SetFamily::kConnectedTwoLocal},
                                                    {"connected_three_malkin", SetFamily::kConnectedThreeMalkin},
                                                    {"connected_three_local", SetFamily::kConnectedThreeLocal}};

LabelledGraph labelled(const GraphView& view, const std::vector<std::int64_t>& labels, Index label_count) {
  LabelledGraph graph{.nodes = static_cast<Index>(view.num_nodes), .label_count = label_count};
  for (std::uint64_t v = 0; v < view.num_nodes; ++v) {
    for (auto [entry, last] = view.entries_of(v); entry < last; ++entry) {
      graph.neighbours.push_back(static_cast<Index>(view.neighbour(entry)));
    }
    graph.offsets.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
  }
  for (const std::int64_t label : labels) graph.labels.push_back(static_cast<Index>(label));
  return graph;
}

std::vector<Index> row(const NodeSets& sets, Index s) {
  const auto first = sets.nodes.begin() + static_cast<std::ptrdiff_t>(s) * sets.k;
  return {first, first + sets.k};
}

// [2, R] as it is recorded: rows, then columns.
std::vector<std::int64_t> relation(const NodeSets& sets) {
  std::vector<std::int64_t> rows, columns;
  for (Index s = 0; s < sets.count(); ++s) {
    for (auto e = sets.offsets[static_cast<std::size_t>(s)]; e < sets.offsets[static_cast<std::size_t>(s) + 1]; ++e) {
      rows.push_back(s);
      columns.push_back(sets.neighbours[static_cast<std::size_t>(e)]);
    }
  }
  rows.insert(rows.end(), columns.begin(), columns.end());
  return rows;
}

// [2, k S]: nodes, then sets; sets in the order of their nodes.
std::vector<std::int64_t> assignment(const NodeSets& sets) {
  std::map<std::vector<Index>, Index> ordered;
  for (Index s = 0; s < sets.count(); ++s) ordered[row(sets, s)] = s;
  std::vector<std::int64_t> nodes, numbers;
  for (const auto& [members, s] : ordered) {
    for (const Index v : members) {
      nodes.push_back(v);
      numbers.push_back(s);
    }
  }
  nodes.insert(nodes.end(), numbers.begin(), numbers.end());
  return nodes;
}

TEST(NodeSets, AreThoseThatThePublishedCodeLists) {
  const auto files = rival_files();
  if (!files) GTEST_SKIP() << kNoSharedDir;
  int listings = 0;
  for (const auto& file : *files) {
    const RivalCase rival = load_rival_case(file);
    for (const RivalEnumeration& recorded : rival.enumerations) {
      const LabelledGraph graph = labelled(recorded.graph.view(), recorded.labels, rival.option<Index>("num_labels"));
      for (const auto& [kind, expected] : recorded.sets) {
        SCOPED_TRACE(rival.name + " " + kind);
        const NodeSets sets = enumerate_sets(graph, kFamilies.at(kind), SetTypes::kPublished);
        EXPECT_EQ(std::vector<std::int64_t>(sets.nodes.begin(), sets.nodes.end()), expected.nodes.values);
        EXPECT_EQ(assignment(sets), expected.assignment.values);
        EXPECT_EQ(relation(sets), expected.relation.values);
        EXPECT_EQ(sets.types, expected.types.values);
        ++listings;
      }
      std::vector<std::int64_t> pairs, triples;
      const NodeSets found = enumerate_sets(graph, SetFamily::kConnectedThreeLocal, SetTypes::kPublished);
      for (const auto& [pair, triple] : pairs_in_triples(graph.nodes, found)) {
        pairs.push_back(pair);
        triples.push_back(triple);
      }
      pairs.insert(pairs.end(), triples.begin(), triples.end());
      EXPECT_EQ(pairs, recorded.pairs_in_triples.values) << rival.name;
    }
  }
  if (listings == 0) GTEST_SKIP() << "no file of these lists sets";
}

// The sets of a recorded batch, one graph after the other.
void expect_recorded_sets(const RivalCase& rival, const std::string& name, SetFamily family) {
  SCOPED_TRACE(rival.name + " " + name);
  const auto labels = rival.integers("graph.labels").values;
  std::vector<std::int64_t> nodes, numbers, rows, columns, types, batch;
  Index first_node = 0, first_set = 0;
  for (std::size_t g = 0; g < rival.graphs.size(); ++g) {
    const GraphView view = rival.graphs[g].view();
    const auto n = static_cast<std::ptrdiff_t>(view.num_nodes);
    const NodeSets sets = enumerate_sets(labelled(view, {labels.begin() + first_node, labels.begin() + first_node + n},
                                                  rival.option<Index>("num_labels")),
                                         family, SetTypes::kPublished);
    const auto add = [](const std::vector<std::int64_t>& two_rows, std::vector<std::int64_t>& a, Index to_a,
                        std::vector<std::int64_t>& b, Index to_b) {
      const std::size_t half = two_rows.size() / 2;
      for (std::size_t i = 0; i < half; ++i) a.push_back(two_rows[i] + to_a);
      for (std::size_t i = half; i < two_rows.size(); ++i) b.push_back(two_rows[i] + to_b);
    };
    add(assignment(sets), nodes, first_node, numbers, first_set);
    add(relation(sets), rows, first_set, columns, first_set);
    types.insert(types.end(), sets.types.begin(), sets.types.end());
    batch.insert(batch.end(), static_cast<std::size_t>(sets.count()), static_cast<std::int64_t>(g));
    first_node += static_cast<Index>(n);
    first_set += sets.count();
  }
  nodes.insert(nodes.end(), numbers.begin(), numbers.end());
  rows.insert(rows.end(), columns.begin(), columns.end());
  EXPECT_EQ(nodes, rival.integers(name + ".assignment").values);
  EXPECT_EQ(rows, rival.integers(name + ".edge_index").values);
  EXPECT_EQ(types, rival.integers(name + ".iso_raw").values);
  EXPECT_EQ(batch, rival.integers(name + ".batch").values);
}

TEST(NodeSets, AreThoseOfRecordedBatches) {
  const auto files = rival_files();
  if (!files) GTEST_SKIP() << kNoSharedDir;
  const std::map<std::string, SetFamily> families = {{"TwoMalkin", SetFamily::kTwoMalkin},
                                                     {"TwoLocal", SetFamily::kTwoLocal},
                                                     {"ConnectedTwoMalkin", SetFamily::kConnectedTwoMalkin},
                                                     {"ConnectedTwoLocal", SetFamily::kConnectedTwoLocal},
                                                     {"ConnectedThreeMalkin", SetFamily::kConnectedThreeMalkin},
                                                     {"ConnectedThreeLocal", SetFamily::kConnectedThreeLocal}};
  for (const auto& file : *files) {
    const RivalCase rival = load_rival_case(file);
    if (rival.model != "1-2-GNN" && rival.model != "1-2-3-GNN") continue;
    for (const std::string name : {"sets2", "sets3"}) {
      if (!rival.has(name + ".assignment")) continue;
      expect_recorded_sets(rival, name, families.at(rival.option<std::string>(name)));
    }
  }
}

LabelledGraph random_graph(RandomSequence& random, Index n, Index labels, bool directed) {
  std::vector<std::set<Index>> lists(static_cast<std::size_t>(n));
  for (Index u = 0; u < n; ++u) {
    for (Index v = 0; v < u; ++v) {
      if (random.below(3) != 0) continue;
      lists[static_cast<std::size_t>(u)].insert(v);
      if (!directed || random.below(2) == 0) lists[static_cast<std::size_t>(v)].insert(u);
    }
  }
  LabelledGraph graph{.nodes = n, .label_count = labels};
  for (const auto& list : lists) {
    graph.neighbours.insert(graph.neighbours.end(), list.begin(), list.end());
    graph.offsets.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
    graph.labels.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(labels))));
  }
  return graph;
}

// Every set and every pair of sets, by the definition.
std::set<std::pair<std::vector<Index>, std::vector<Index>>> plain_relation(const LabelledGraph& graph,
                                                                           const NodeSets& sets, bool local) {
  std::set<std::pair<std::vector<Index>, std::vector<Index>>> found;
  for (Index s = 0; s < sets.count(); ++s) {
    for (Index t = 0; t < sets.count(); ++t) {
      const auto a = row(sets, s), b = row(sets, t);
      std::vector<Index> gone, come;
      std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(gone));
      std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(come));
      if (gone.size() != 1) continue;
      bool reached = false;
      for (const Index v : a) reached = reached || ((local || v == gone[0]) && graph.adjacent(v, come[0]));
      if (!reached) continue;
      found.emplace(a, b);
      found.emplace(b, a);
    }
  }
  return found;
}

TEST(NodeSets, AreRelatedAsTheDefinitionSays) {
  RandomSequence random(11, Purpose::kTest);
  for (int trial = 0; trial < 24; ++trial) {
    const LabelledGraph graph = random_graph(random, 1 + static_cast<Index>(random.below(9)), 3, trial % 2 == 1);
    for (const auto& [name, family] : kFamilies) {
      SCOPED_TRACE(name);
      const NodeSets sets = enumerate_sets(graph, family, SetTypes::kInvariant);
      std::set<std::pair<std::vector<Index>, std::vector<Index>>> found;
      for (Index s = 0; s < sets.count(); ++s) {
        for (auto e = sets.offsets[static_cast<std::size_t>(s)]; e < sets.offsets[static_cast<std::size_t>(s) + 1];
             ++e) {
          EXPECT_TRUE(found.emplace(row(sets, s), row(sets, sets.neighbours[static_cast<std::size_t>(e)])).second);
        }
      }
      EXPECT_EQ(found, plain_relation(graph, sets, name.find("local") != std::string::npos));
    }
  }
}

// The types of a graph, and of one whose nodes have other numbers, as multisets.
TEST(NodeSets, HaveTypesThatDoNotDependOnNumbersUnlessPublishedOnesAreAskedFor) {
  const auto path = [](Index centre) {
    LabelledGraph graph{.nodes = 3, .labels = {0, 0, 0}};
    for (Index v = 0; v < 3; ++v) {
      for (Index u = 0; u < 3; ++u) {
        if (u != v && (u == centre || v == centre)) graph.neighbours.push_back(u);
      }
      graph.offsets.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
    }
    return enumerate_sets(graph, SetFamily::kConnectedThreeLocal, SetTypes::kInvariant).types;
  };
  EXPECT_EQ(path(0), path(1));
  EXPECT_EQ(path(1), path(2));
  EXPECT_THAT(path(1), testing::ElementsAre(0));
}

TEST(NodeSets, HaveRanksOfTypesWithoutGaps) {
  for (const auto& [name, family] : kFamilies) {
    for (const std::int64_t L : {1, 2, 3, 5}) {
      const int k = nodes_per_set(family);
      std::set<std::int64_t> types;
      for (std::int64_t a = 0; a < L; ++a) {
        for (std::int64_t b = a; b < L; ++b) {
          if (k == 2) types.insert({a * L + b, L * L + a * L + b});
          for (std::int64_t c = b; c < L && k == 3; ++c) types.insert({(a * L + b) * L + c, ((L + a) * L + b) * L + c});
        }
      }
      std::int64_t rank = 0;
      for (const std::int64_t type : types) EXPECT_EQ(rank_of_type(type, L, family), rank++) << name << " " << L;
      if (name.find("connected_two") == std::string::npos) {
        EXPECT_EQ(possible_types(L, family), rank) << name << " " << L;
      }
    }
  }
}

}  // namespace
}  // namespace agentnet
