#include "agentnet/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>

#include "agentnet/error.h"
#include "agentnet/explain.h"
#include "support/small_model.h"

namespace agentnet {
namespace {

class Predict : public testing::Test {
 protected:
  Dataset data_ = read_data("synthetic:csl?graphs=20", {});
  Model model_ = small_model(data_.schema);
};

TEST_F(Predict, ProbabilitiesOfClassesSumToOneAndRolloutsDiffer) {
  const Predictions one = predict(model_, data_.graphs.views(), {});
  const Predictions eight = predict(model_, data_.graphs.views(), {.rollouts = 8});
  ASSERT_EQ(one.mean.size(), data_.graphs.size() * data_.schema.classes.size());
  EXPECT_EQ(one.outputs, static_cast<int>(data_.schema.classes.size()));
  for (std::size_t g = 0; g < data_.graphs.size(); ++g) {
    const auto row = std::span(eight.mean).subspan(g * data_.schema.classes.size(), data_.schema.classes.size());
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-12);
  }
  EXPECT_EQ(one.walk_spread, std::vector<double>(one.mean.size(), 0));
  EXPECT_GT(eight.walk_spread[0], 0);
}

TEST_F(Predict, IsTheMeanOverTheModelsOwnRollouts) {
  const Predictions predicted =
      predict(model_, data_.graphs.views(), {.rollouts = 2, .seed = 5, .draws = DrawKey::kRow});
  std::vector<double> mean(predicted.mean.size());
  const auto width = static_cast<std::size_t>(predicted.outputs);
  for (std::uint64_t r = 0; r < 2; ++r) {
    RunOptions run;
    run.seed = 5;
    run.rollout = r;
    const std::vector<float> raw = model_.run(data_.graphs.views(), run);
    for (std::size_t g = 0; g < data_.graphs.size(); ++g) {
      double sum = 0;
      for (std::size_t c = 0; c < width; ++c) sum += std::exp(double{raw[g * width + c]});
      for (std::size_t c = 0; c < width; ++c) mean[g * width + c] += std::exp(double{raw[g * width + c]}) / sum / 2;
    }
  }
  for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(predicted.mean[i], mean[i], 1e-12);
}

TEST_F(Predict, EndsBetweenTwoRolloutsIfItsCallerThrows) {
  const auto views = data_.graphs.views();
  const Predictions whole = predict(model_, views, {.rollouts = 3});
  std::atomic<int> asked = 0;
  PredictOptions options{.rollouts = 3, .threads = 2, .may_end = [&] { ++asked; }};
  EXPECT_EQ(predict(model_, views, options).mean, whole.mean) << "asking changes nothing";
  const int all = asked;
  EXPECT_GE(all, 3) << "at least once in a rollout";

  asked = 0;
  options.may_end = [&] {
    if (++asked == 2) throw Error(ErrorKind::kInterrupted, "enough");
  };
  EXPECT_THROW(static_cast<void>(predict(model_, views, options)), Error);
  EXPECT_LT(asked, all) << "and not to the end";
  EXPECT_THROW(static_cast<void>(explain(
                   model_, views,
                   {.walks = {.rollouts = 3, .may_end = [] { throw Error(ErrorKind::kInterrupted, "enough"); }}})),
               Error);
  EXPECT_EQ(predict(model_, views, {.rollouts = 3}).mean, whole.mean) << "the model can be asked again";
}

TEST_F(Predict, AGraphsPredictionDependsOnTheGraphOnly) {
  std::vector<GraphView> views = data_.graphs.views();
  const Predictions all = predict(model_, views, {.rollouts = 3});
  std::reverse(views.begin(), views.end());
  views.insert(views.begin() + 5, views.begin(), views.end());
  const Predictions again = predict(model_, views, {.rollouts = 3, .threads = 2, .first_graph = 11});
  const auto width = static_cast<std::size_t>(all.outputs);
  const auto row = [&](const Predictions& of, std::size_t g) {
    return std::vector<double>(of.mean.begin() + static_cast<std::ptrdiff_t>(g * width),
                               of.mean.begin() + static_cast<std::ptrdiff_t>((g + 1) * width));
  };
  const std::size_t n = data_.graphs.size();
  for (std::size_t g = 0; g < n; ++g) {
    EXPECT_EQ(row(again, 5 + n - 1 - g), row(all, g)) << g;
    EXPECT_EQ(row(again, n - 1 - g < 5 ? n - 1 - g : 2 * n - 1 - g), row(all, g)) << g;
  }
}

TEST_F(Predict, DrawsByRowDependOnTheNumberOfTheGraph) {
  const auto views = data_.graphs.views();
  const Predictions all = predict(model_, views, {.rollouts = 3, .draws = DrawKey::kRow});
  const std::vector<GraphView> same_graph(3, views[0]);
  const Predictions copies = predict(model_, same_graph, {.draws = DrawKey::kRow});
  EXPECT_NE(copies.mean[0], copies.mean[static_cast<std::size_t>(copies.outputs)]);
  const Predictions some = predict(model_, std::span(views).subspan(7, 5),
                                   {.rollouts = 3, .threads = 2, .draws = DrawKey::kRow, .first_graph = 7});
  const auto width = static_cast<std::size_t>(all.outputs);
  const std::vector<double> same(all.mean.begin() + static_cast<std::ptrdiff_t>(7 * width),
                                 all.mean.begin() + static_cast<std::ptrdiff_t>(12 * width));
  EXPECT_EQ(some.mean, same);
}

TEST_F(Predict, GreedyWalksDifferFromSampledOnes) {
  const Predictions greedy = predict(model_, data_.graphs.views(), {.greedy = true});
  EXPECT_NE(greedy.mean, predict(model_, data_.graphs.views(), {}).mean);
}

TEST_F(Predict, NoGraphsNoPredictions) {
  EXPECT_TRUE(predict(model_, {}, {}).mean.empty());
  EXPECT_THROW(static_cast<void>(predict(model_, {}, {.rollouts = 0})), Error);
}

TEST_F(Predict, RunsUntilTheDecisionIsSettledAndNoLonger) {
  // An untrained model of many classes is sure of nothing; one with a large bias in its head is sure of everything.
  const auto views = data_.graphs.views();
  const Predictions unsure = predict(model_, views, {.rollouts = 12, .confidence = 0.99});
  EXPECT_EQ(unsure.settled, std::vector<char>(views.size(), 0));
  EXPECT_EQ(unsure.rollouts, std::vector<int>(views.size(), 12));
  std::vector<float> weights(model_.parameters().begin(), model_.parameters().end());
  for (const ParameterInfo& info : model_.parameter_infos()) {
    if (info.shape == std::vector<std::int64_t>{model_.outputs()}) weights[info.offset + 3] += 100;
  }
  model_.set_parameters(weights);
  const Predictions sure = predict(model_, views, {.rollouts = 1000, .confidence = 0.99});
  EXPECT_EQ(sure.settled, std::vector<char>(views.size(), 1));
  for (const int rollouts : sure.rollouts) EXPECT_LT(rollouts, 20);
  const Predictions fixed = predict(model_, views, {.rollouts = sure.rollouts[0]});
  EXPECT_EQ(fixed.mean[0], sure.mean[0]) << "the same rollouts, but for their number";
}

TEST_F(Predict, AFewNeighboursOfHubsAreEnoughWhereThereAreNoHubs) {
  const auto views = data_.graphs.views();  // every node has four neighbours
  const Predictions all = predict(model_, views, {});
  EXPECT_EQ(predict(model_, views, {.max_neighbours = 4}).mean, all.mean);
  const Predictions some = predict(model_, views, {.max_neighbours = 2});
  EXPECT_NE(some.mean, all.mean);
  EXPECT_LT(some.work.edges_read, all.work.edges_read);
}

TEST(Predictions, SayWhichClassIsLikeliestAndWhatItIsCalled) {
  Schema schema;
  schema.task = Task::kClassification;
  schema.targets = {"y"};
  schema.classes = {"no", "yes"};
  const Model model = small_model(schema);
  Predictions said;
  said.outputs = 2;
  said.mean = {0.25, 0.75, 0.5, 0.5, 0.9, 0.1};
  said.rollouts = {1, 1, 1};
  EXPECT_EQ(said.likeliest(0), 1U);
  EXPECT_EQ(said.likeliest(1), 0U) << "the first of equals";
  EXPECT_EQ(output_names(model), (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(predicted_classes(model, said), (std::vector<std::string>{"yes", "no", "no"}));
  EXPECT_THROW(static_cast<void>(said.likeliest(3)), std::out_of_range);
  said.outputs = 3;
  EXPECT_THROW(static_cast<void>(predicted_classes(model, said)), Error);
  schema.task = Task::kRegression;
  EXPECT_THROW(static_cast<void>(predicted_classes(small_model(schema), {})), Error);
}

TEST(OutputNames, AreThoseOfTheCardWhereThereIsNoSchema) {
  Schema schema;
  schema.task = Task::kClassification;
  schema.targets = {"y"};
  schema.classes = {"no", "yes"};
  Model model = small_model(schema);
  model.card().schema.clear();
  model.card().label_names = {"first"};
  EXPECT_EQ(output_names(model), (std::vector<std::string>{"first", "output1"}));
}

}  // namespace
}  // namespace agentnet
