// Bags of subgraphs against those that the published code made, and what samples of them are.
#include "nets/esan/bags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "nets/taped/formula.h"
#include "support/rival_case.h"
#include "support/shared_dir.h"

namespace agentnet {
namespace {

// A graph and the arrays that a bag is made of.
struct Listed {
  std::vector<std::int64_t> offsets = {0};
  std::vector<Index> senders;
  [[nodiscard]] BagGraph graph() const {
    return {.nodes = static_cast<Index>(offsets.size()) - 1, .offsets = offsets, .senders = senders};
  }
};

Listed listed(const GraphView& view) {
  Listed all;
  for (std::uint64_t v = 0; v < view.num_nodes; ++v) {
    for (auto [entry, last] = view.entries_of(v); entry < last; ++entry) {
      all.senders.push_back(static_cast<Index>(view.neighbour(entry)));
    }
    all.offsets.push_back(static_cast<std::int64_t>(all.senders.size()));
  }
  return all;
}

BagPolicy policy_of(const std::string& name) {
  static const std::map<std::string, BagPolicy> kPolicies = {{"edge_deleted", BagPolicy::kEdgeDeleted},
                                                             {"node_deleted", BagPolicy::kNodeDeleted},
                                                             {"ego_nets", BagPolicy::kEgoNets},
                                                             {"ego_nets_plus", BagPolicy::kEgoNetsPlus}};
  return kPolicies.at(name);
}

using Edges = std::vector<std::pair<std::int64_t, std::int64_t>>;  // (sender, receiver)

// The edges of all subgraphs of a bag, those of each in the order of (sender, receiver), as recorded.
void append_edges(const Bag& bag, Index nodes, std::int64_t first, Edges& out) {
  for (Index s = 0; s < bag.subgraphs; ++s) {
    const auto begin = static_cast<std::ptrdiff_t>(out.size());
    for (Index v = s * nodes; v < (s + 1) * nodes; ++v) {
      const auto at = static_cast<std::size_t>(v);
      for (auto e = bag.offsets[at]; e < bag.offsets[at + 1]; ++e) {
        out.emplace_back(first + bag.senders[static_cast<std::size_t>(e)], first + v);
      }
    }
    std::sort(out.begin() + begin, out.end());
  }
}

void expect_recorded_bags(const RivalCase& rival) {
  SCOPED_TRACE(rival.name);
  const BagPolicy policy = policy_of(rival.option<std::string>("policy"));
  const auto ids = rival.integers("bag.subgraph_id").values, graph_of = rival.integers("bag.subgraph_idx_batch").values;
  Edges found;
  std::vector<std::int64_t> sizes, counts, batch, subgraph, original;
  std::int64_t first = 0;
  for (std::size_t g = 0; g < rival.graphs.size(); ++g) {
    const Listed graph = listed(rival.graphs[g].view());
    const Index n = graph.graph().nodes;
    std::vector<Index> numbers;
    for (std::size_t s = 0; s < ids.size(); ++s) {
      if (graph_of[s] == static_cast<std::int64_t>(g)) numbers.push_back(static_cast<Index>(ids[s]));
    }
    sizes.push_back(bag_size(graph.graph(), policy));
    counts.push_back(sample_size(static_cast<Index>(sizes.back()), rival.option<double>("fraction")));
    EXPECT_EQ(counts.back(), static_cast<std::int64_t>(numbers.size()));
    if (rival.option<double>("fraction") >= 1) {
      std::vector<Index> all(numbers.size());
      std::iota(all.begin(), all.end(), Index{0});
      EXPECT_EQ(numbers, all);
    }
    const Bag bag = make_bag(graph.graph(), policy, rival.option<int>("num_hops"), numbers);
    append_edges(bag, n, first, found);
    for (Index s = 0; s < bag.subgraphs; ++s) {
      for (Index v = 0; v < n; ++v) {
        batch.push_back(static_cast<std::int64_t>(g));
        subgraph.push_back(s);
        original.push_back(v);
      }
    }
    first += static_cast<std::int64_t>(bag.subgraphs) * n;
  }
  const RivalIntegers& recorded = rival.integers("bag.edge_index");
  Edges expected;
  for (std::size_t e = 0; e < recorded.extent(1); ++e) {
    expected.emplace_back(recorded.values[e], recorded.values[recorded.extent(1) + e]);
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(sizes, rival.integers("bag.full_num_subgraphs").values);
  EXPECT_EQ(counts, rival.integers("bag.num_subgraphs").values);
  EXPECT_EQ(batch, rival.integers("bag.batch").values);
  EXPECT_EQ(subgraph, rival.integers("bag.subgraph_batch").values);
  EXPECT_EQ(original, rival.integers("bag.subgraph_node_idx").values);
}

TEST(Bags, AreThoseThatThePublishedCodeMakes) {
  const auto files = rival_files();
  if (!files) GTEST_SKIP() << kNoSharedDir;
  for (const auto& file : *files) {
    const RivalCase rival = load_rival_case(file);
    if (rival.model == "ESAN") expect_recorded_bags(rival);
  }
}

// 0 - 1 - 2 - 3, and a self loop at 3.
Listed path() {
  Listed all;
  for (const std::vector<Index>& list : std::vector<std::vector<Index>>{{1}, {0, 2}, {1, 3}, {2, 3}}) {
    all.senders.insert(all.senders.end(), list.begin(), list.end());
    all.offsets.push_back(static_cast<std::int64_t>(all.senders.size()));
  }
  return all;
}

Edges edges_of(const Listed& graph, BagPolicy policy, int hops, Index number) {
  Edges edges;
  append_edges(make_bag(graph.graph(), policy, hops, std::vector<Index>{number}), graph.graph().nodes, 0, edges);
  return edges;
}

TEST(Bags, LackWhatTheirPolicyDeletes) {
  const Listed graph = path();
  EXPECT_EQ(bag_size(graph.graph(), BagPolicy::kEdgeDeleted), 4);  // three edges, one self loop
  EXPECT_EQ(bag_size(graph.graph(), BagPolicy::kNodeDeleted), 4);
  EXPECT_EQ(edges_of(graph, BagPolicy::kEdgeDeleted, 0, 1), (Edges{{0, 1}, {1, 0}, {2, 3}, {3, 2}, {3, 3}}));
  EXPECT_EQ(edges_of(graph, BagPolicy::kEdgeDeleted, 0, 3), (Edges{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 3}, {3, 2}}));
  EXPECT_EQ(edges_of(graph, BagPolicy::kNodeDeleted, 0, 2), (Edges{{0, 1}, {1, 0}, {3, 3}}));
  EXPECT_EQ(edges_of(graph, BagPolicy::kEgoNets, 1, 0), (Edges{{0, 1}, {1, 0}}));
  EXPECT_EQ(edges_of(graph, BagPolicy::kEgoNetsPlus, 2, 0), (Edges{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
}

TEST(Bags, HaveTheGraphItselfWhereThereIsNoEdgeToDelete) {
  Listed graph;
  graph.offsets = {0, 0, 0};
  EXPECT_EQ(bag_size(graph.graph(), BagPolicy::kEdgeDeleted), 1);
  const Bag bag = make_bag(graph.graph(), BagPolicy::kEdgeDeleted, 0, std::vector<Index>{0});
  EXPECT_EQ(bag.subgraphs, 1);
  EXPECT_THAT(bag.offsets, testing::ElementsAre(0, 0, 0));
}

TEST(Bags, AreSampledAtLeastOnce) {
  EXPECT_EQ(sample_size(10, 0.05), 1);
  EXPECT_EQ(sample_size(10, 0.25), 3);
  EXPECT_EQ(sample_size(10, 1), 10);
  EXPECT_EQ(sample_size(0, 0.5), 0);
}

}  // namespace
}  // namespace agentnet
