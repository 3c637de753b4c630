// The public sets beside the source tree, against what their README says of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "data/molecules/molecule.h"
#include "data/splits/splits.h"
#include "data/tables/statistics.h"
#include "graph/set_arrays.h"
#include "graph/wl_hash.h"
#include "support/shared_dir.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;

#ifdef AGENTNET_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

struct Known {
  const char* path;
  std::size_t graphs;
  double mean_nodes;  // to one digit
  Task task;
  std::size_t targets;
};

std::ostream& operator<<(std::ostream& out, const Known& set) { return out << set.path; }

std::optional<std::string> data_path(const std::string& path) {
  const auto shared = shared_dir();
  if (!shared || !std::filesystem::exists(*shared / "data")) return std::nullopt;
  return (*shared / "data" / path).string();
}

class SharedSets : public testing::TestWithParam<Known> {};

TEST_P(SharedSets, HaveTheGraphsThatTheirReadmeTellsOf) {
  const Known& known = GetParam();
  const auto path = data_path(known.path);
  if (!path) GTEST_SKIP() << kNoSharedDir;
  if (kSanitized && known.graphs > 1200) GTEST_SKIP() << "too slow with sanitizers";
  const Dataset data = read_data(*path, {});
  EXPECT_EQ(data.graphs.size(), known.graphs);
  EXPECT_EQ(data.num_rows(), known.graphs);
  const double mean = static_cast<double>(data.graphs.arrays().num_nodes()) / static_cast<double>(known.graphs);
  EXPECT_NEAR(mean, known.mean_nodes, 0.0501);
  EXPECT_EQ(data.schema.task, known.task);
  EXPECT_EQ(data.schema.targets.size(), known.targets);
}

constexpr Task kClasses = Task::kClassification;
INSTANTIATE_TEST_SUITE_P(All, SharedSets,
                         testing::Values(Known{"MUTAG/TU", 188, 17.9, kClasses, 1},
                                         Known{"MUTAG/MUTAG.txt.xz", 188, 17.9, kClasses, 1},
                                         Known{"PROTEINS/TU", 1113, 39.1, kClasses, 1},
                                         Known{"PROTEINS/PROTEINS.txt.xz", 1113, 39.1, kClasses, 1},
                                         Known{"PTC/PTC.txt.xz", 344, 25.6, kClasses, 1},
                                         Known{"IMDB-BINARY/IMDB-BINARY.txt.xz", 1000, 19.8, kClasses, 1},
                                         Known{"IMDB-MULTI/IMDB-MULTI.txt.xz", 1500, 13.0, kClasses, 1},
                                         Known{"DD/DD.txt.xz", 1178, 284.3, kClasses, 1},
                                         Known{"REDDIT-BINARY/REDDIT-BINARY.txt.xz", 2000, 429.6, kClasses, 1},
                                         Known{"NCI1/NCI1.txt.xz", 4110, 29.9, kClasses, 1},
                                         Known{"ZINC/zinc_train.jsonl.gz", 10000, 23.2, Task::kRegression, 1},
                                         Known{"ZINC/zinc_val.jsonl.gz", 1000, 23.1, Task::kRegression, 1},
                                         Known{"ZINC/zinc_test.jsonl.gz", 1000, 23.1, Task::kRegression, 1},
                                         Known{"QM9-subset/qm9_3000.jsonl.gz", 2995, 18.2, Task::kRegression, 12}));

TEST(SharedData, TenFoldsAreTheAuthors) {
  const auto folder = data_path("MUTAG");
  if (!folder) GTEST_SKIP() << kNoSharedDir;
  for (const char* name : {"MUTAG", "PTC", "PROTEINS", "NCI1", "DD", "IMDB-BINARY", "COLLAB"}) {
    const auto file = data_path(std::string(name) + "/fold_of_graph_agentnet.txt");
    ASSERT_TRUE(file) << name;
    std::ifstream lines(*file);
    const std::vector<std::string> folds{std::istream_iterator<std::string>(lines), {}};
    EXPECT_EQ(column_split(folds, "fold"), k_folds(folds.size(), 10, 0)) << name;
  }
}

TEST(SharedData, CollabHasItsSelfLoops) {
  const auto path = data_path("COLLAB/COLLAB.txt.xz");
  if (!path) GTEST_SKIP() << kNoSharedDir;
  if (kSanitized) GTEST_SKIP() << "too slow with sanitizers";
  const Dataset data = read_data(*path, {});
  EXPECT_EQ(data.graphs.size(), 5000U);
  EXPECT_NEAR(static_cast<double>(data.graphs.arrays().num_nodes()) / 5000, 74.5, 0.0501);
  std::uint64_t loops = 0;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView graph = data.graphs.view(g);
    for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
      const auto list = graph.neighbours_of(u);
      loops += std::binary_search(list.begin(), list.end(), static_cast<std::uint32_t>(u)) ? 1 : 0;
    }
  }
  EXPECT_EQ(loops, 2837U);
}

// (Weisfeiler-Lehman hash, class) of every graph, looking at the structure and the node labels only. `labels` and
// `classes` say what the other layout calls them.
using Fingerprints = std::multiset<std::pair<std::uint64_t, std::string>>;

Fingerprints fingerprints(const Dataset& data, const std::map<std::string, int>& labels,
                          const std::map<std::string, std::string>& classes) {
  Fingerprints found;
  WlHasher hasher(5);
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    GraphView graph = data.graphs.view(g);
    const std::vector<std::string>& names = data.schema.nodes.categories.at(0).values;
    std::vector<std::int32_t> numbers;
    for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
      numbers.push_back(labels.at(names.at(static_cast<std::size_t>(graph.node_categories.row(u)[0]))));
    }
    graph.node_categories = {numbers.data(), 1};
    graph.node_dense = {};
    graph.edge_categories = {};
    graph.edge_dense = {};
    found.emplace(hasher(graph),
                  classes.at(data.schema.classes.at(static_cast<std::size_t>(data.graphs.targets(g)[0]))));
  }
  return found;
}

TEST(SharedData, BothLayoutsOfMutagHoldTheSameGraphs) {
  const auto tu = data_path("MUTAG/TU"), gin = data_path("MUTAG/MUTAG.txt.xz");
  if (!tu) GTEST_SKIP() << kNoSharedDir;
  // GIN's authors numbered the elements anew.
  const std::map<std::string, int> same = {{"0", 0}, {"1", 1}, {"2", 2}, {"3", 3}, {"4", 4}, {"5", 5}, {"6", 6}};
  const std::map<std::string, int> renumbered = {{"2", 0}, {"5", 1}, {"6", 2}, {"3", 3}, {"4", 4}, {"1", 5}, {"0", 6}};
  EXPECT_EQ(fingerprints(read_data(*tu, {}), same, {{"-1", "no"}, {"1", "yes"}}),
            fingerprints(read_data(*gin, {}), renumbered, {{"0", "no"}, {"2", "yes"}}));
}

TEST(SharedData, BothLayoutsOfProteinsHoldTheSameGraphs) {
  const auto tu = data_path("PROTEINS/TU"), gin = data_path("PROTEINS/PROTEINS.txt.xz");
  if (!tu) GTEST_SKIP() << kNoSharedDir;
  const std::map<std::string, int> same = {{"0", 0}, {"1", 1}, {"2", 2}};
  EXPECT_EQ(fingerprints(read_data(*tu, {}), same, {{"1", "yes"}, {"2", "no"}}),
            fingerprints(read_data(*gin, {}), same, {{"0", "yes"}, {"1", "no"}}));
}

TEST(SharedData, MutagAndProteinsHaveTheirFeatures) {
  const auto mutag = data_path("MUTAG/TU"), proteins = data_path("PROTEINS/TU");
  if (!mutag) GTEST_SKIP() << kNoSharedDir;
  const Dataset small = read_data(*mutag, {});
  EXPECT_EQ(small.schema.edges.categories.at(0).values.size(), 4U);
  const SetStatistics statistics = statistics_of(small);
  EXPECT_THAT(statistics.class_counts, ElementsAre(63, 125));
  EXPECT_EQ(statistics.nodes.total, 3371);
  EXPECT_EQ(statistics.edges.total, 3721);
  EXPECT_EQ(statistics.one_way_edges, 0U);
  const Dataset large = read_data(*proteins, {});
  EXPECT_EQ(large.schema.nodes.dense.size(), 1U);
  EXPECT_EQ(large.graphs.arrays().num_nodes(), 43471U);
}

TEST(SharedData, MolhivHasItsClassesAndItsOfficialSplit) {
  const auto path = data_path("ogbg_molhiv");
  if (!path) GTEST_SKIP() << kNoSharedDir;
  if (kSanitized) GTEST_SKIP() << "too slow with sanitizers";
  DataOptions options;
  options.official = true;
  options.keep = {"smiles"};
  const Dataset data = read_data(*path, options);
  EXPECT_EQ(data.format, "ogb");
  ASSERT_EQ(data.graphs.size(), 41127U);
  EXPECT_NEAR(static_cast<double>(data.graphs.arrays().num_nodes()) / 41127, 25.5, 0.0501);
  EXPECT_EQ(data.schema.classes, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(data.schema.nodes.categories.size(), 9U);
  EXPECT_EQ(data.schema.edges.categories.size(), 3U);
  EXPECT_EQ(data.columns.at("smiles").size(), 41127U);
  ASSERT_TRUE(data.official.has_value());
  const auto positives = [&](const std::vector<std::size_t>& part) {
    return std::count_if(part.begin(), part.end(), [&](std::size_t g) { return data.graphs.targets(g)[0] == 1; });
  };
  const Split& split = *data.official;
  EXPECT_EQ(split.train.size(), 32901U);
  EXPECT_EQ(split.valid.size(), 4113U);
  EXPECT_EQ(split.test.size(), 4113U);
  EXPECT_EQ(positives(split.train), 1232);
  EXPECT_EQ(positives(split.valid), 81);
  EXPECT_EQ(positives(split.test), 130);
}

TEST(SharedData, Qm9HasPositionsForDistances) {
  const auto path = data_path("QM9-subset/qm9_3000.jsonl.gz");
  if (!path) GTEST_SKIP() << kNoSharedDir;
  if (kSanitized) GTEST_SKIP() << "too slow with sanitizers";
  DataOptions options;
  options.distances = true;
  const Dataset data = read_data(*path, options);
  EXPECT_EQ(data.schema.edges.dense.back(), "distance");
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView graph = data.graphs.view(g);
    ASSERT_EQ(graph.num_edges(), graph.num_nodes * (graph.num_nodes - 1));
  }
}

TEST(SharedData, EveryRowOfASmilesTableIsAGraphOrABadRow) {
  const auto path = data_path("QM9-subset/qm9_small_14862.csv.xz");
  if (!path) GTEST_SKIP() << kNoSharedDir;
  if (!can_read_smiles()) GTEST_SKIP() << "built without RDKit";
  if (kSanitized) GTEST_SKIP() << "too slow with sanitizers";
  DataOptions options;
  options.threads = 2;
  options.targets = {"*"};
  const Dataset data = read_data(*path, options);
  EXPECT_EQ(data.num_rows(), 14862U);
  EXPECT_EQ(data.schema.task, Task::kRegression);
  EXPECT_EQ(data.schema.targets.size(), 19U);
}

}  // namespace
}  // namespace agentnet
