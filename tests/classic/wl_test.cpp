#include "classic/wl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "agentnet/train.h"
#include "classic/features/wl_labels.h"
#include "classic/features/wl_vocabulary.h"
#include "classic/learners/linear_learner.h"
#include "classic/learners/trees.h"
#include "support/graphs.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

// The plain version: labels are texts that spell the whole tree out.
std::vector<std::vector<std::string>> plain_labels(const GraphView& graph, int depth) {
  std::vector<std::vector<std::string>> levels(1);
  const auto category = [](const CategoryRows& rows, std::uint64_t row) {
    std::string text = "<";
    for (int c = 0; c < rows.width; ++c) text += std::to_string(rows.value(row, static_cast<std::size_t>(c))) + ",";
    return text + ">";
  };
  for (std::uint64_t u = 0; u < graph.num_nodes; ++u) levels[0].push_back(category(graph.node_categories, u));
  for (int d = 0; d < depth; ++d) {
    std::vector<std::string> next;
    for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
      std::multiset<std::string> around;
      for (std::uint64_t e = graph.offsets[u]; e < graph.offsets[u + 1]; ++e) {
        around.insert(category(graph.edge_categories, e) + levels.back()[graph.neighbours[e]]);
      }
      std::string text = "(" + levels.back()[u] + ":";
      for (const std::string& one : around) text += one;
      next.push_back(text + ")");
    }
    levels.push_back(next);
  }
  return levels;
}

std::vector<Graph> some_graphs(int count) {
  std::vector<Graph> graphs;
  for (int g = 0; g < count; ++g) {
    RandomSequence random(static_cast<std::uint64_t>(g), Purpose::kTest);
    graphs.emplace_back(
        with_features(random_graph(random, 4 + g % 5, 0.4), random, {.node_categories = {2}, .edge_categories = {2}}));
  }
  return graphs;
}

TEST(WlLabels, CountTheSameTreesAsThePlainVersion) {
  constexpr int kDepth = 3;
  for (const Graph& graph : some_graphs(40)) {
    const GraphLabels labels = wl_labels(graph.view(), kDepth, LabelColumns::all(1, 1), LabelCounts::kSubtree);
    const auto plain = plain_labels(graph.view(), kDepth);
    ASSERT_EQ(labels.level_end.size(), plain.size());
    for (std::size_t d = 0; d < plain.size(); ++d) {
      std::map<std::string, float> counts;
      for (const std::string& text : plain[d]) counts[text] += 1;
      const std::size_t first = d == 0 ? 0 : labels.level_end[d - 1];
      ASSERT_EQ(labels.level_end[d] - first, counts.size());
      // Which label is which text shows by counting both in all graphs: here, by the multiset of counts at least.
      std::multiset<float> ours, theirs;
      for (std::size_t i = first; i < labels.level_end[d]; ++i) ours.insert(labels.all[i].count);
      for (const auto& [text, count] : counts) theirs.insert(count);
      EXPECT_EQ(ours, theirs);
    }
  }
}

TEST(WlLabels, ProductsOfTwoGraphsAreThoseOfThePlainVersion) {
  const std::vector<Graph> graphs = some_graphs(24);
  const auto product = [](const auto& a, const auto& b, auto&& combine) {
    double sum = 0;
    for (const auto& [key, count] : a) {
      if (const auto at = b.find(key); at != b.end()) sum += combine(count, at->second);
    }
    return sum;
  };
  const auto ours = [](const Graph& graph, LabelCounts counts) {
    std::map<std::uint64_t, double> all;
    const GraphLabels labels = wl_labels(graph.view(), 2, LabelColumns::all(1, 1), counts);
    for (const LabelCount& label : labels.all) all[label.label] += static_cast<double>(label.count);
    return all;
  };
  const auto theirs = [](const Graph& graph) {
    std::map<std::string, double> all;
    const auto levels = plain_labels(graph.view(), 2);
    for (std::size_t d = 0; d < levels.size(); ++d) {
      for (const std::string& text : levels[d]) all[std::to_string(d) + text] += 1;
    }
    return all;
  };
  const auto times = [](double a, double b) { return a * b; };
  const auto smaller = [](double a, double b) { return std::min(a, b); };
  for (const Graph& a : graphs) {
    for (const Graph& b : graphs) {
      EXPECT_EQ(product(ours(a, LabelCounts::kSubtree), ours(b, LabelCounts::kSubtree), times),
                product(theirs(a), theirs(b), times));
      EXPECT_EQ(product(ours(a, LabelCounts::kAssignment), ours(b, LabelCounts::kAssignment), times),
                product(theirs(a), theirs(b), smaller));
    }
  }
}

TEST(WlLabels, DoNotTellWhatTheWeisfeilerLehmanTestDoesNotTell) {
  GraphParts two_triangles = cycle_graph(3);
  two_triangles.num_nodes = 6;
  for (const auto& [a, b] : {std::pair{3U, 4U}, {4U, 5U}, {5U, 3U}}) {
    two_triangles.from.push_back(a);
    two_triangles.to.push_back(b);
  }
  const auto labels = [](const GraphParts& parts) {
    return wl_labels(Graph(parts).view(), 4, {}, LabelCounts::kSubtree).all;
  };
  EXPECT_EQ(labels(cycle_graph(6)), labels(two_triangles));
  EXPECT_NE(labels(cycle_graph(6)), labels(path_graph(6)));
}

TEST(WlVocabulary, ReadsBackFromItsTensorsAndRefusesOthers) {
  std::vector<GraphLabels> labels;
  for (const Graph& graph : some_graphs(10)) {
    labels.push_back(wl_labels(graph.view(), 2, LabelColumns::all(1, 1), LabelCounts::kSubtree));
  }
  const WlVocabulary all = WlVocabulary::of(labels, 1, 1000000), few = WlVocabulary::of(labels, 2, 7);
  EXPECT_EQ(few.columns(), 7U);
  std::vector<float> pieces = all.pieces(), ends = all.level_ends();
  const WlVocabulary back = WlVocabulary::from_pieces(pieces, ends);
  for (const GraphLabels& graph : labels) {
    std::vector<SparseEntry> ours, theirs;
    all.encode(graph, ours);
    back.encode(graph, theirs);
    ASSERT_EQ(ours.size(), graph.all.size());  // every label is known
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].column, theirs[i].column);
      EXPECT_EQ(ours[i].value, graph.all[i].count);
    }
  }
  for (const float wrong : {-1.0F, 0.5F, 1e9F, std::nanf("")}) {
    std::vector<float> bad = pieces;
    bad[4] = wrong;
    EXPECT_THROW(static_cast<void>(WlVocabulary::from_pieces(bad, ends)), Error);
    bad = ends;
    bad[0] = wrong;
    EXPECT_THROW(static_cast<void>(WlVocabulary::from_pieces(pieces, bad)), Error);
  }
  std::swap(ends[0], ends[1]);
  EXPECT_THROW(static_cast<void>(WlVocabulary::from_pieces(pieces, ends)), Error);
}

TEST(Trees, RefuseWhatIsNoTree) {
  const TreeNodes good{{1, -1, -1}, {0.5F, 1, 2}, {1, 0, 0}, {2, 0, 0}, {0, 0, 0}, {0}};
  const Trees trees(good, 2);
  const std::vector<float> small = {0, 0}, large = {0, 1}, absent = {0, std::nanf("")};
  EXPECT_EQ(trees.sum(small, 0, 1), 1);
  EXPECT_EQ(trees.sum(large, 0, 1), 2);
  EXPECT_EQ(trees.sum(absent, 0, 1), 2);
  const auto refuses = [&](std::vector<float> TreeNodes::*field, std::size_t at, float value) {
    TreeNodes bad = good;
    (bad.*field)[at] = value;
    EXPECT_THROW(Trees(bad, 2), Error);
  };
  refuses(&TreeNodes::column, 0, 2);
  refuses(&TreeNodes::column, 0, 0.5F);
  refuses(&TreeNodes::left, 0, 0);  // a way back
  refuses(&TreeNodes::right, 0, 3);
  refuses(&TreeNodes::right, 0, std::nanf(""));
  refuses(&TreeNodes::roots, 0, -1);
}

// Triangles hang on paths in class 1, so that labels of depth 2 tell the classes apart; `y` counts nodes.
Dataset labelled_set(Task task, int graphs) {
  Dataset data;
  data.source = "made";
  data.schema.task = task;
  data.schema.targets =
      task == Task::kMultilabel ? std::vector<std::string>{"odd", "triangle"} : std::vector<std::string>{"y"};
  if (task == Task::kClassification) data.schema.classes = {"path", "cycle", "star"};
  for (int g = 0; g < graphs; ++g) {
    const auto n = static_cast<std::uint32_t>(4 + g % 7);
    const int kind = g % 3;
    const Graph graph(kind == 0 ? path_graph(n) : kind == 1 ? cycle_graph(n) : star_graph(n));
    std::vector<double> y = {static_cast<double>(kind)};
    if (task == Task::kRegression) y = {g % 5 == 4 ? std::nan("") : 10.0 * n + kind};
    if (task == Task::kMultilabel) y = {g % 5 == 4 ? std::nan("") : double(kind == 2), double(kind == 1)};
    data.graphs.add(graph, y);
  }
  return data;
}

Split halves(std::size_t graphs) {
  Split split;
  for (std::size_t g = 0; g < graphs; ++g) (g < graphs / 2 ? split.train : split.test).push_back(g);
  return split;
}

double test_score(const Dataset& data, const Split& split, const Model& model, Metric metric) {
  std::vector<GraphView> views;
  std::vector<double> targets;
  for (const std::size_t g : split.test) {
    views.push_back(data.graphs.view(g));
    const auto row = data.graphs.targets(g);
    targets.insert(targets.end(), row.begin(), row.end());
  }
  const Predictions p = predict(model, views, {});
  return score(metric, data.schema.task, p.outputs, p.mean, targets, split.test.size());
}

struct ClassicCase {
  const char* kind;
  const char* options;
  bool (*available)();
};

class Classic : public testing::TestWithParam<ClassicCase> {
 protected:
  void SetUp() override {
    if (!GetParam().available()) GTEST_SKIP() << "this build has no library for " << GetParam().kind;
  }
  static TrainResult fit(const Dataset& data, int threads = 1, ClassWeights weights = ClassWeights::kNone) {
    TrainConfig config;
    config.class_weights = weights;
    // Plain accuracy would choose options by which the rare class is never answered.
    if (weights == ClassWeights::kBalanced) config.metric = "balanced-accuracy";
    config.seed = 3;
    return train(data, halves(data.graphs.size()), {.kind = GetParam().kind, .options = GetParam().options}, config,
                 threads);
  }
};

TEST_P(Classic, LearnsClassesThatLabelsTell) {
  const Dataset data = labelled_set(Task::kClassification, 120);
  const TrainResult result = fit(data);
  EXPECT_GT(test_score(data, halves(120), result.model, Metric::kAccuracy), 0.95);
  EXPECT_EQ(result.model.outputs(), 3);
  EXPECT_FALSE(result.model.draws());
}

TEST_P(Classic, LearnsSeveralQuestionsWithBlanks) {
  const Dataset data = labelled_set(Task::kMultilabel, 120);
  EXPECT_GT(test_score(data, halves(120), fit(data).model, Metric::kRocAuc), 0.95);
}

TEST_P(Classic, LearnsNumbersInTheirUnits) {
  const Dataset data = labelled_set(Task::kRegression, 120);
  EXPECT_LT(test_score(data, halves(120), fit(data).model, Metric::kMae), 9);  // the mean is off by 17
}

TEST_P(Classic, GivesTheSameBytesForAnyNumberOfThreads) {
  const Dataset data = labelled_set(Task::kClassification, 90);
  const TrainResult one = fit(data, 1), three = fit(data, 3);
  EXPECT_THAT(std::vector<float>(one.model.parameters().begin(), one.model.parameters().end()),
              testing::ElementsAreArray(three.model.parameters()));
  EXPECT_EQ(one.model.config(), three.model.config());
}

TEST_P(Classic, ReadsBackFromItsFile) {
  const TempFolder folder;
  const Dataset data = labelled_set(Task::kClassification, 60);
  const TrainResult result = fit(data);
  result.model.save(folder / "model.safetensors");
  const Model back = Model::load(folder / "model.safetensors");
  EXPECT_EQ(back.config(), result.model.config());
  EXPECT_EQ(back.description(), result.model.description());
  const std::vector<GraphView> views = data.graphs.views();
  EXPECT_EQ(back.run(views, {}), result.model.run(views, {.threads = 3}));
}

TEST_P(Classic, BalancedClassesMoveAnswersTowardsTheRareOne) {
  Dataset data;
  data.source = "rare";
  data.schema.task = Task::kClassification;
  data.schema.targets = {"y"};
  data.schema.classes = {"no", "yes"};
  // Of cycles one in five is a yes, of paths one in twenty: no graph is likelier to be a yes than a no.
  for (int g = 0; g < 200; ++g) {
    const bool cycle = g % 2 == 0;
    data.graphs.add(Graph(cycle ? cycle_graph(5) : path_graph(5)),
                    std::vector<double>{(g / 2) % (cycle ? 5 : 20) == 0 ? 1.0 : 0.0});
  }
  const auto share = [&](ClassWeights weights) {
    const std::vector<GraphView> views = {data.graphs.view(0)};
    return predict(fit(data, 1, weights).model, views, {}).mean[1];
  };
  EXPECT_LT(share(ClassWeights::kNone), 0.4);
  EXPECT_GT(share(ClassWeights::kBalanced), 0.5);
}

TEST_P(Classic, RefusesToRunBeforeItIsFitted) {
  const Dataset data = labelled_set(Task::kClassification, 6);
  const Model model({.kind = GetParam().kind, .options = GetParam().options, .shape = shape_of(data.schema)}, 0);
  try {
    static_cast<void>(model.run(data.graphs.views(), {}));
    FAIL() << "an unfitted model answers";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), testing::HasSubstr("fitted"));
  }
}

TEST_P(Classic, AnOptionThatOnlyFittingDecidesIsCheckedInAFile) {
  for (const char* fitted :
       {R"({})", R"({"task": "none"})", R"({"task": "classification", "columns": -1})",
        R"({"task": "classification", "columns": 1e18, "depth": 1})", R"("text")",
        R"({"task": "classification", "columns": 4, "depth": 100, "trees": 1, "nodes": 1, "node_columns": [9],
            "edge_columns": []})"}) {
    const std::string options = std::string(R"({"fitted": )") + fitted + "}";
    EXPECT_THROW(Model({.kind = GetParam().kind, .options = options, .shape = {}}, 0), Error) << fitted;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Classic,
                         testing::Values(ClassicCase{"wl", "{}", has_liblinear},
                                         ClassicCase{"wl", R"({"learner": "svm"})", has_liblinear},
                                         ClassicCase{"wl", R"({"kernel": "assignment", "depth": 2})", has_liblinear},
                                         ClassicCase{"forest", R"({"trees": 60})", has_xgboost},
                                         ClassicCase{"boosting", R"({"trees": 30})", has_xgboost}),
                         [](const auto& test) { return std::string(test.param.kind) + std::to_string(test.index); });

}  // namespace
}  // namespace agentnet
