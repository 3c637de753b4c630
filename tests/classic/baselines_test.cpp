#include "classic/baselines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "agentnet/metrics.h"
#include "core/random.h"
#include "data/synthetic/synthetic.h"
#include "support/graphs.h"
#include "support/shared_dir.h"

namespace agentnet {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kBlank = std::numeric_limits<double>::quiet_NaN();
using Graphs = std::vector<std::size_t>;

Graphs range(std::size_t first, std::size_t last) {
  Graphs graphs(last - first);
  std::iota(graphs.begin(), graphs.end(), first);
  return graphs;
}

// Molecules of a sort: paths of atoms of four kinds, with a dense column beside the kind.
struct Toy {
  Dataset data;
  RandomSequence random{1, Purpose::kTest};
  std::vector<std::vector<double>> shares;  // of each kind, per graph
  std::vector<double> dense, nodes;         // mean of the dense column, and n

  explicit Toy(Task task, std::size_t targets = 1) {
    data.schema.task = task;
    data.schema.targets.assign(targets, "y");
    if (task == Task::kClassification) data.schema.classes = {"no", "yes"};
    data.schema.nodes = {{"charge"}, {{"kind", {"C", "N", "O", "F"}}}};
  }

  // Draws a graph; `target` makes its targets from the number of the graph, whose features are known by then.
  template <class Target>
  void add(const Target& target) {
    const auto n = static_cast<std::uint32_t>(5 + random.below(30));
    GraphParts parts = path_graph(n);
    std::vector<double> share(4, 0.0);
    double sum = 0;
    for (std::uint32_t u = 0; u < n; ++u) {
      const auto kind = random.below(4);
      parts.node_categories.push_back(static_cast<std::int32_t>(kind));
      share[kind] += 1.0 / n;
      parts.node_dense.push_back(static_cast<float>(random.normal()));
      sum += static_cast<double>(parts.node_dense.back());
    }
    shares.push_back(share);
    dense.push_back(sum / n);
    nodes.push_back(n);
    data.graphs.add(Graph(std::move(parts)), target(shares.size() - 1));
  }
};

std::vector<double> targets_of(const Dataset& data, const Graphs& graphs) {
  std::vector<double> all;
  for (const std::size_t g : graphs) {
    const auto row = data.graphs.targets(g);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

double score_of(Metric metric, const Dataset& data, const std::vector<double>& predictions, const Graphs& test) {
  return score(metric, data.schema.task, baseline_outputs(data.schema), predictions, targets_of(data, test),
               test.size());
}

// A set of single nodes that differ in nothing but their targets.
Dataset plain_nodes(Task task, const std::vector<std::vector<double>>& targets) {
  Dataset data;
  data.schema.task = task;
  data.schema.targets.assign(targets.at(0).size(), "y");
  for (const auto& row : targets) data.graphs.add(Graph(path_graph(1)), row);
  return data;
}

TEST(ConstantBaseline, OfClassesIsHowFrequentTheyAre) {
  Dataset data = plain_nodes(Task::kClassification, {{2}, {0}, {2}, {kBlank}, {2}, {1}});
  data.schema.classes = {"a", "b", "c"};
  EXPECT_THAT(constant_baseline(data, Graphs{0, 1, 2, 3, 4}, Graphs{5, 0}), ElementsAre(0.25, 0, 0.75, 0.25, 0, 0.75));
  EXPECT_EQ(baseline_outputs(data.schema), 3);
  EXPECT_EQ(constant_baseline_name(data.schema.task), "majority class");
}

TEST(ConstantBaseline, OfQuestionsIsTheShareOfYes) {
  const Dataset data = plain_nodes(Task::kMultilabel, {{1, 0, kBlank}, {0, kBlank, kBlank}, {1, 0, kBlank}, {1, 0, 1}});
  EXPECT_THAT(constant_baseline(data, Graphs{0, 1, 2, 3}, Graphs{0}), ElementsAre(0.75, 0, 1));
  EXPECT_THAT(constant_baseline(data, Graphs{0, 1}, Graphs{3}), ElementsAre(0.5, 0, 0.5));
}

TEST(ConstantBaseline, OfNumbersIsTheMean) {
  const Dataset data = plain_nodes(Task::kRegression, {{1, 10}, {2, kBlank}, {6, 30}});
  EXPECT_THAT(constant_baseline(data, Graphs{0, 1, 2}, Graphs{1, 0}), ElementsAre(3, 20, 3, 20));
}

TEST(ConstantBaseline, OfNothingIsOpen) {
  Dataset classes = plain_nodes(Task::kClassification, {{0}, {kBlank}});
  classes.schema.classes = {"a", "b"};
  EXPECT_THAT(constant_baseline(classes, Graphs{1}, Graphs{0}), ElementsAre(0.5, 0.5));
  EXPECT_THAT(constant_baseline(classes, {}, Graphs{0}), ElementsAre(0.5, 0.5));
  EXPECT_THAT(constant_baseline(classes, Graphs{0}, {}), IsEmpty());
  const Dataset numbers = plain_nodes(Task::kRegression, {{kBlank}});
  EXPECT_THAT(constant_baseline(numbers, Graphs{0}, Graphs{0}), ElementsAre(0));
}

TEST(Baselines, NeedTargets) {
  const Dataset data = plain_nodes(Task::kNone, {{}});
  EXPECT_THROW(static_cast<void>(constant_baseline(data, Graphs{0}, Graphs{0})), Error);
  EXPECT_THROW(static_cast<void>(structure_blind_baseline(data, Graphs{0}, Graphs{0})), Error);
}

TEST(Baselines, RefuseALabelThatDoesNotExist) {
  Dataset data = plain_nodes(Task::kClassification, {{2}, {0}});
  data.schema.classes = {"a", "b"};
  EXPECT_THROW(static_cast<void>(constant_baseline(data, Graphs{0, 1}, Graphs{0})), Error);
  EXPECT_THROW(static_cast<void>(structure_blind_baseline(data, Graphs{0, 1}, Graphs{0})), Error);
}

TEST(StructureBlind, LearnsAClassThatTheShareOfACategoryDecides) {
  Toy toy(Task::kClassification);
  for (int i = 0; i < 400; ++i)
    toy.add([&](std::size_t g) { return std::vector{toy.shares[g][2] > 0.25 ? 1.0 : 0.0}; });
  const Graphs train = range(0, 300), test = range(300, 400);
  const auto predictions = structure_blind_baseline(toy.data, train, test);
  EXPECT_GT(score_of(Metric::kAccuracy, toy.data, predictions, test), 0.94);
  EXPECT_GT(score_of(Metric::kRocAuc, toy.data, predictions, test), 0.99);
  for (std::size_t g = 0; g < test.size(); ++g) EXPECT_NEAR(predictions[2 * g] + predictions[2 * g + 1], 1, 1e-12);
}

TEST(StructureBlind, PredictsTheSameEveryTime) {
  Toy toy(Task::kClassification);
  for (int i = 0; i < 60; ++i) toy.add([&](std::size_t g) { return std::vector{toy.dense[g] > 0 ? 1.0 : 0.0}; });
  const Graphs train = range(0, 40), test = range(40, 60);
  EXPECT_EQ(structure_blind_baseline(toy.data, train, test), structure_blind_baseline(toy.data, train, test));
}

TEST(StructureBlind, TellsThreeClassesApartByTheirSize) {
  Toy toy(Task::kClassification);
  toy.data.schema.classes = {"small", "middle", "large"};
  for (int i = 0; i < 400; ++i) {
    toy.add([&](std::size_t g) { return std::vector{toy.nodes[g] < 14 ? 0.0 : (toy.nodes[g] < 26 ? 1.0 : 2.0)}; });
  }
  const Graphs train = range(0, 300), test = range(300, 400);
  EXPECT_GT(score_of(Metric::kAccuracy, toy.data, structure_blind_baseline(toy.data, train, test), test), 0.95);
}

// Standard message passing is at chance there, and so is whoever sees no edge.
TEST(StructureBlind, IsAtChanceOnFourCycles) {
  const Dataset data = make_synthetic("synthetic:4cycles?graphs=600&seed=1");
  const Graphs train = range(0, 300), test = range(300, 600);
  const auto blind = structure_blind_baseline(data, train, test);
  EXPECT_EQ(blind, constant_baseline(data, train, test));  // all graphs have the same nodes
  EXPECT_NEAR(score_of(Metric::kAccuracy, data, blind, test), 0.5, 0.1);
  EXPECT_EQ(score_of(Metric::kRocAuc, data, blind, test), 0.5);
}

TEST(StructureBlind, DoesNotLookAtDegrees) {
  Dataset data;
  data.schema.task = Task::kClassification;
  data.schema.targets = {"y"};
  data.schema.classes = {"path", "cycle"};
  data.schema.nodes = {{"degree"}, {{"degree", {"1", "2"}}}};
  for (int i = 0; i < 20; ++i) {
    GraphParts parts = i % 2 == 0 ? path_graph(6) : cycle_graph(6);
    for (std::uint32_t u = 0; u < 6; ++u) {
      const bool end = i % 2 == 0 && (u == 0 || u == 5);
      parts.node_categories.push_back(end ? 0 : 1);
      parts.node_dense.push_back(end ? 1.0F : 2.0F);
    }
    data.graphs.add(Graph(std::move(parts)), std::vector<double>{i % 2 == 1 ? 1.0 : 0.0});
  }
  const Graphs all = range(0, 20);
  EXPECT_THAT(structure_blind_baseline(data, all, all), Each(0.5));
  data.schema.nodes.categories[0].name = "kind";  // what it would know otherwise
  EXPECT_EQ(score_of(Metric::kAccuracy, data, structure_blind_baseline(data, all, all), all), 1);
}

TEST(StructureBlind, RecoversALinearFunction) {
  Toy toy(Task::kRegression, 2);
  for (int i = 0; i < 1200; ++i) {
    toy.add([&](std::size_t g) {
      return std::vector{1000 + 30 * toy.shares[g][0] - 20 * toy.shares[g][3] + 5 * toy.dense[g], -1e-6 * toy.nodes[g]};
    });
  }
  const Graphs train = range(0, 1000), test = range(1000, 1200);
  const auto blind = structure_blind_baseline(toy.data, train, test), mean = constant_baseline(toy.data, train, test);
  for (const std::size_t column : {0, 1}) {
    double error = 0, spread = 0;
    for (std::size_t i = 0; i < test.size(); ++i) {
      const double y = toy.data.graphs.targets(test[i])[column];
      error += std::abs(blind[2 * i + column] - y);
      spread += std::abs(mean[2 * i + column] - y);
    }
    EXPECT_LT(error, 0.01 * spread) << "column " << column;
  }
}

TEST(StructureBlind, IgnoresBlanks) {
  Toy toy(Task::kMultilabel, 3);
  for (int i = 0; i < 500; ++i) {
    toy.add([&](std::size_t g) {
      const double y = toy.shares[g][1] > 0.25 ? 1 : 0;
      // A third of the first is missing; the second is known once; the third has one answer.
      return std::vector{g % 3 == 0 ? kBlank : y, g == 7 ? 1.0 : kBlank, 0.0};
    });
  }
  const Graphs train = range(0, 400), test = range(400, 500);
  const auto blind = structure_blind_baseline(toy.data, train, test);
  std::vector<double> first, truth;
  for (std::size_t i = 0; i < test.size(); ++i) {
    first.push_back(blind[3 * i]);
    truth.push_back(toy.shares[test[i]][1] > 0.25 ? 1 : 0);
    EXPECT_EQ(blind[3 * i + 1], 1);
    EXPECT_EQ(blind[3 * i + 2], 0);
  }
  EXPECT_GT(score(Metric::kRocAuc, Task::kMultilabel, 1, first, truth, truth.size()), 0.99);
}

TEST(StructureBlind, GivesNothingToAClassThatTrainLacks) {
  Toy toy(Task::kClassification);
  toy.data.schema.classes = {"never", "yes", "no"};
  for (int i = 0; i < 400; ++i) toy.add([&](std::size_t g) { return std::vector{toy.dense[g] > 0 ? 1.0 : 2.0}; });
  const Graphs train = range(0, 300), test = range(300, 400);
  const auto blind = structure_blind_baseline(toy.data, train, test);
  for (std::size_t i = 0; i < test.size(); ++i) EXPECT_EQ(blind[3 * i], 0);
  EXPECT_GT(score_of(Metric::kAccuracy, toy.data, blind, test), 0.9);
}

TEST(StructureBlind, OfASingleClassIsCertain) {
  Toy toy(Task::kClassification);
  for (int i = 0; i < 10; ++i) toy.add([](std::size_t) { return std::vector{1.0}; });
  EXPECT_THAT(structure_blind_baseline(toy.data, range(0, 5), Graphs{7}), ElementsAre(0, 1));
}

TEST(StructureBlind, OfNothingLabelledOrNoGraphsIsTheConstantOne) {
  Toy toy(Task::kRegression);
  for (int i = 0; i < 6; ++i) toy.add([](std::size_t g) { return std::vector{g < 3 ? kBlank : 2.0}; });
  EXPECT_THAT(structure_blind_baseline(toy.data, range(0, 3), Graphs{4}), ElementsAre(0));
  EXPECT_THAT(structure_blind_baseline(toy.data, range(3, 6), Graphs{0}), ElementsAre(2));  // no spread
  EXPECT_THAT(structure_blind_baseline(toy.data, {}, Graphs{0}), ElementsAre(0));
  EXPECT_THAT(structure_blind_baseline(toy.data, Graphs{5}, {}), IsEmpty());
}

TEST(StructureBlind, TakesValuesThatTrainNeverShowed) {
  Toy toy(Task::kClassification);
  for (int i = 0; i < 50; ++i) toy.add([&](std::size_t g) { return std::vector{toy.dense[g] > 0 ? 1.0 : 0.0}; });
  GraphParts strange = path_graph(3);
  strange.node_categories = {4, 4, 4};  // "none of those I know"
  strange.node_dense = {1e30F, 0, 0};
  toy.data.graphs.add(Graph(std::move(strange)), std::vector{1.0});
  const auto blind = structure_blind_baseline(toy.data, range(0, 50), Graphs{50});
  EXPECT_NEAR(blind[1], 1, 1e-6);
}

TEST(StructureBlind, KeepsTheMostFrequentOfManyCategories) {
  constexpr int kValues = 5000;
  Dataset data;
  data.schema.task = Task::kClassification;
  data.schema.targets = {"y"};
  data.schema.classes = {"a", "b"};
  data.schema.nodes.categories = {{"word", std::vector<std::string>(kValues, "w")}};
  RandomSequence random(2, Purpose::kTest);
  for (int i = 0; i < 600; ++i) {
    GraphParts parts = path_graph(40);
    // The last word stands in every graph of class b, twice; all others are rare.
    for (int u = 0; u < 40; ++u) {
      parts.node_categories.push_back(static_cast<std::int32_t>(random.below(kValues - 1)));
    }
    if (i % 2 == 1) parts.node_categories[3] = parts.node_categories[8] = kValues - 1;
    data.graphs.add(Graph(std::move(parts)), std::vector<double>{i % 2 == 1 ? 1.0 : 0.0});
  }
  const Graphs train = range(0, 450), test = range(450, 600);
  EXPECT_GT(score_of(Metric::kAccuracy, data, structure_blind_baseline(data, train, test), test), 0.95);
}

// Known figures: bags of atoms reach the high eighties on MUTAG, far above the majority's 66.5 %.
TEST(StructureBlind, OnMutagBeatsTheMajority) {
  const auto shared = shared_dir();
  if (!shared) GTEST_SKIP() << kNoSharedDir;
  const auto folder = *shared / "data" / "MUTAG" / "TU";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no MUTAG";
  const Dataset data = read_data(folder.string(), {});
  Graphs train, test;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) (g % 3 == 0 ? test : train).push_back(g);
  const double blind = score_of(Metric::kAccuracy, data, structure_blind_baseline(data, train, test), test);
  const double majority = score_of(Metric::kAccuracy, data, constant_baseline(data, train, test), test);
  EXPECT_GT(blind, majority + 0.1);
  EXPECT_LT(blind, 0.95);
}

}  // namespace
}  // namespace agentnet
