#include "train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "agentnet/error.h"
#include "data/synthetic/synthetic.h"
#include "graph/content_key.h"
#include "graph/set_arrays.h"
#include "support/small_network.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

// Graphs of one kind of node each: what there is to learn can be seen at the first visit.
Dataset easy(Task task, std::size_t graphs = 24) {
  Dataset data;
  data.source = "easy";
  data.schema.task = task;
  data.schema.nodes.categories = {{"kind", {"a", "b", "c"}}};
  data.schema.targets = {"y"};
  if (task == Task::kClassification) data.schema.classes = {"A", "B", "C"};
  if (task != Task::kClassification) data.schema.targets.emplace_back("z");
  for (std::size_t g = 0; g < graphs; ++g) {
    const auto kind = static_cast<int>(g % 3);
    GraphParts parts;
    parts.num_nodes = 4;
    parts.from = {0, 1, 2};
    parts.to = {1, 2, 3};
    parts.undirected = true;
    parts.node_categories.assign(4, kind);
    std::vector<double> targets = {static_cast<double>(kind)};
    if (task == Task::kMultilabel) targets = {kind == 0 ? 1.0 : 0.0, kind == 1 ? 1.0 : std::nan("")};
    if (task == Task::kRegression) targets = {1000.0 + 50 * kind, g % 5 == 0 ? std::nan("") : -0.01 * kind};
    data.graphs.add(Graph(parts), targets);
  }
  return data;
}

// Squared errors of such numbers have gradients that no float holds.
Dataset with_overflowing_targets(Dataset data) {
  GraphSet huge;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    GraphParts parts;
    parts.num_nodes = 1;
    parts.node_categories = {0};
    huge.add(Graph(parts), std::vector<double>{3e38, 3e38});
  }
  data.graphs = std::move(huge);
  return data;
}

struct Problem {
  explicit Problem(Task task) : data(easy(task)) {
    model.hidden = 8;
    model.agents = 2;
    model.steps = 2;
    model.set_shape(shape_of(data.schema));
    split.train.resize(18);
    std::iota(split.train.begin(), split.train.end(), std::size_t{0});
    split.valid = {18, 19, 20};
    split.test = {21, 22, 23};
    config.epochs = 4;
    config.batch = 5;
    config.learning_rate = 1e-2;
  }
  Dataset data;
  AgentNetConfig model;
  Split split;
  TrainConfig config;
};

std::vector<float> train_all(const Problem& p, int threads = 1) {
  ThreadPool pool(threads);
  Trainer trainer(p.data, p.split, network_of(p.model), p.config, pool);
  while (!trainer.finished()) static_cast<void>(trainer.step());
  return trainer.snapshot().now.parameters;
}

class TrainerOfTask : public testing::TestWithParam<Task> {};

TEST_P(TrainerOfTask, LearnsWhatIsEasy) {
  Problem p(GetParam());
  p.config.epochs = 60;
  const TrainResult result = train(p.data, p.split, p.model, p.config);
  ASSERT_EQ(result.history.size(), 60U);
  const EpochRecord& last = result.history.back();
  EXPECT_LT(last.loss, 0.2 * result.history.front().loss);
  ASSERT_TRUE(last.metric.has_value());
  if (GetParam() == Task::kClassification) {
    EXPECT_EQ(*last.metric, 1);
  }
  if (GetParam() == Task::kRegression) {
    EXPECT_LT(*last.metric, 5) << "in the units of the data, where the spread is 41";
  }
}

TEST_P(TrainerOfTask, HasTheSameBytesForAnyNumberOfThreads) {
  const Problem p(GetParam());
  const std::vector<float> one = train_all(p);
  EXPECT_EQ(train_all(p, 2), one);
  EXPECT_EQ(train_all(p, 3), one);
}

TEST_P(TrainerOfTask, GoesOnFromAnySnapshotAsIfItHadNeverStopped) {
  const Problem p(GetParam());
  ThreadPool pool(1);
  const std::vector<float> whole = train_all(p);
  Trainer first(p.data, p.split, network_of(p.model), p.config, pool);
  while (!first.finished()) {
    Trainer second(p.data, p.split, network_of(p.model), p.config, pool);
    second.restore(first.snapshot());
    EXPECT_EQ(second.snapshot(), first.snapshot());
    while (!second.finished()) static_cast<void>(second.step());
    EXPECT_EQ(second.snapshot().now.parameters, whole) << "from step " << first.steps_done();
    static_cast<void>(first.step());
  }
}

TEST_P(TrainerOfTask, TheBestModelPredictsInTheUnitsOfTheData) {
  Problem p(GetParam());
  p.config.metric = GetParam() == Task::kRegression ? "rmse" : "log-loss";
  ThreadPool pool(1);
  Trainer trainer(p.data, p.split, network_of(p.model), p.config, pool);
  while (!trainer.finished()) static_cast<void>(trainer.step());
  const Model model = trainer.best_model();
  EXPECT_EQ(model.card().task, task_name(GetParam()));
  if (GetParam() != Task::kRegression) {
    EXPECT_EQ(std::vector<float>(model.parameters().begin(), model.parameters().end()), trainer.state().best);
    return;
  }
  Snapshot best = trainer.snapshot();
  best.now.parameters = best.best;
  trainer.restore(best);
  std::vector<GraphView> views;
  for (const std::size_t g : p.split.test) views.push_back(p.data.graphs.view(g));
  RunOptions run;
  run.seed = p.config.seed ^ 0x9E3779B97F4A7C15;
  run.rollout = 7;
  run.graph_ids = content_keys(views);
  const std::vector<float> outputs = model.run(views, run);
  const std::vector<double> expected = trainer.predict(p.split.test, 7);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_NEAR(outputs[i], expected[i], 1e-5 * (1 + std::abs(expected[i])));
  }
}

TEST_P(TrainerOfTask, StartsFromTheWeightsOfAModelInTheUnitsOfLearning) {
  Problem p(GetParam());
  const TrainResult first = train(p.data, p.split, p.model, p.config);
  ThreadPool pool(1);
  Trainer again(p.data, p.split, network_of(p.model), p.config, pool);
  again.begin_with({.model = &first.model});
  std::vector<GraphView> views;
  for (const std::size_t g : p.split.test) views.push_back(p.data.graphs.view(g));
  const std::vector<float> expected = first.model.run(views, {}), outputs = again.best_model().run(views, {});
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_NEAR(outputs[i], expected[i], 1e-4 * (1 + std::abs(expected[i])));
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, TrainerOfTask,
                         testing::Values(Task::kClassification, Task::kMultilabel, Task::kRegression),
                         [](const auto& task) { return std::string(task_name(task.param)); });

TEST(Trainer, ALossThatIsNotFiniteLeadsBackOnceAndThenFails) {
  Problem p(Task::kRegression);
  p.data = with_overflowing_targets(std::move(p.data));
  p.config.standardise = false;
  p.config.loss = Loss::kSquaredError;
  ThreadPool pool(1);
  Trainer trainer(p.data, p.split, network_of(p.model), p.config, pool);
  const Snapshot start = trainer.snapshot();
  while (!trainer.state().retried) static_cast<void>(trainer.step());
  EXPECT_EQ(trainer.snapshot().now, start.now) << "the last good state is the start";
  EXPECT_DOUBLE_EQ(trainer.state().rate_factor, 0.1);
  EXPECT_EQ(trainer.steps_done(), 0U);
  try {
    while (!trainer.finished()) static_cast<void>(trainer.step());
    FAIL() << "trained on gradients that are not finite";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kFailure);
    EXPECT_THAT(e.what(), HasSubstr("is not a finite number (epoch 1, step "));
    EXPECT_THAT(e.hint(), HasSubstr("lower train.learning_rate"));
  }
}

// The targets have nothing to do with the graphs, which are all the same: the loss stays at chance.
TEST(Trainer, PatienceDoesNotEndATrainingThatHasNotLeftChance) {
  Problem p(Task::kClassification);
  GraphSet same;
  for (std::size_t g = 0; g < p.data.graphs.size(); ++g) {
    GraphParts parts;
    parts.num_nodes = 2;
    parts.node_categories = {0, 0};
    same.add(Graph(parts), std::vector<double>{static_cast<double>(g % 3)});
  }
  p.config.epochs = 30;
  p.config.patience = 2;
  p.config.learning_rate = 1e-4;
  const auto epochs = [&] {
    ThreadPool pool(1);
    Trainer trainer(p.data, p.split, network_of(p.model), p.config, pool);
    EXPECT_NEAR(trainer.chance_loss(), std::log(3), 1e-12);
    while (!trainer.finished()) static_cast<void>(trainer.step());
    return std::pair(trainer.state().epoch, trainer.state().left_chance);
  };
  p.config.metric = "accuracy";
  p.config.learning_rate = 3e-2;
  const auto [learned, left] = epochs();
  EXPECT_LT(learned, 30U) << "what has been learned early ends early";
  EXPECT_TRUE(left);
  p.data.graphs = std::move(same);
  p.config.learning_rate = 1e-4;
  EXPECT_EQ(epochs(), std::pair(std::uint64_t{30}, false));
}

TEST(Trainer, TheBestEpochMayBeChosenByAnotherMetricThanTheOneThatIsTold) {
  Problem p(Task::kClassification);
  p.config.epochs = 12;
  p.config.metric = "accuracy";
  p.config.choose_by = "log-loss";
  const TrainResult result = train(p.data, p.split, p.model, p.config);
  const auto of = [](const EpochRecord& record, const char* name) {
    return std::ranges::find(record.valid, name, &Score::name)->value;
  };
  const EpochRecord& best = result.history[result.best_epoch - 1];
  for (const EpochRecord& record : result.history) {
    EXPECT_EQ(*record.metric, of(record, "accuracy"));
    EXPECT_GE(of(record, "log-loss"), of(best, "log-loss"));
  }
  EXPECT_THAT(result.model.card().training.at("validation"), HasSubstr("log-loss "));
}

TEST(Trainer, ExtendedItIsWhatTheSameSettingsGiveFromTheBeginning) {
  Problem p(Task::kClassification);
  p.config.evaluate_every = 3;
  ThreadPool pool(1);
  Trainer first(p.data, p.split, network_of(p.model), p.config, pool);
  while (!first.finished()) static_cast<void>(first.step());
  p.config.epochs = 7;
  p.config.extended = {"4/4"};
  Trainer longer(p.data, p.split, network_of(p.model), p.config, pool);
  longer.restore(first.snapshot());
  EXPECT_FALSE(longer.finished());
  Trainer whole(p.data, p.split, network_of(p.model), p.config, pool);
  while (!longer.finished()) static_cast<void>(longer.step());
  while (!whole.finished()) static_cast<void>(whole.step());
  EXPECT_EQ(longer.snapshot(), whole.snapshot());
  p.config.extended = {};
  Trainer other(p.data, p.split, network_of(p.model), p.config, pool);
  while (!other.finished()) static_cast<void>(other.step());
  EXPECT_NE(other.snapshot(), whole.snapshot()) << "seven epochs at once are another training";
}

// What the trainer has learned of one agent alone.
std::vector<float> row_of_agent(const Trainer& trainer, std::size_t agent) {
  const Parameter& table = trainer.network().parameters().at("agents.weight");
  const auto width = static_cast<std::size_t>(table.shape.back());
  const std::vector<float> all = trainer.snapshot().now.parameters;
  const auto row = std::span(all).subspan(table.offset + agent * width, width);
  return {row.begin(), row.end()};
}

TEST(Trainer, OneAgentAloneLearnsForAll) {
  Problem p(Task::kClassification);
  p.config.weight_decay = 0;
  p.model.solo_steps = 4;
  p.model.mixed_steps = 4;
  ThreadPool pool(1);
  Trainer trainer(p.data, p.split, network_of(p.model), p.config, pool);
  const Snapshot start = trainer.snapshot();
  const auto untrained = row_of_agent(trainer, 1);
  while (trainer.steps_done() < 5) static_cast<void>(trainer.step());  // the first of the mixed steps is a solo
  EXPECT_EQ(row_of_agent(trainer, 1), untrained);
  EXPECT_NE(trainer.snapshot().now.parameters, start.now.parameters);
  static_cast<void>(trainer.step());
  EXPECT_NE(row_of_agent(trainer, 1), untrained);
}

TEST(Trainer, AGrowingCrowdIsCopiedFromThoseWhoAreThere) {
  Problem p(Task::kClassification);
  p.model.agents = 6;
  p.config.weight_decay = 0;
  p.model.solo_steps = 2;
  p.model.growth_steps = 3;
  ThreadPool pool(1);
  // Steps of such a rate change no row but those of newcomers. Numbers: which agent the row of each agent came from.
  const auto origins = [&](std::uint64_t steps) {
    p.config.learning_rate = 1e-12;
    Trainer trainer(p.data, p.split, network_of(p.model), p.config, pool);
    std::vector<std::vector<float>> start;
    for (std::size_t agent = 0; agent < 6; ++agent) start.push_back(row_of_agent(trainer, agent));
    while (trainer.steps_done() < steps) static_cast<void>(trainer.step());
    std::vector<std::size_t> from;
    for (std::size_t agent = 0; agent < 6; ++agent) {
      for (std::size_t other = 0; other < 6; ++other) {
        if (row_of_agent(trainer, agent) == start[other]) from.push_back(other);
      }
    }
    return from;
  };
  using Agents = std::vector<std::size_t>;
  EXPECT_EQ(origins(2), (Agents{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(origins(3), (Agents{0, 0, 2, 3, 4, 5}));
  EXPECT_EQ(origins(5), (Agents{0, 0, 2, 3, 4, 5}));
  EXPECT_EQ(origins(6), (Agents{0, 0, 0, 0, 4, 5}));
  EXPECT_EQ(origins(9), (Agents{0, 0, 0, 0, 0, 0}));

  // Only those who walk learn.
  p.config.learning_rate = 1e-2;
  Trainer trainer(p.data, p.split, network_of(p.model), p.config, pool);
  const auto untrained = row_of_agent(trainer, 5);
  while (trainer.steps_done() < 8) static_cast<void>(trainer.step());
  EXPECT_EQ(row_of_agent(trainer, 5), untrained);
  static_cast<void>(trainer.step());
  EXPECT_NE(row_of_agent(trainer, 5), untrained);
}

TEST(Trainer, ARestoredTrainerGrowsTheSameCrowd) {
  Problem p(Task::kClassification);
  p.model.agents = 6;
  p.model.solo_steps = 2;
  p.model.growth_steps = 3;
  p.model.mixed_steps = 2;
  ThreadPool pool(1);
  Trainer whole(p.data, p.split, network_of(p.model), p.config, pool);
  std::vector<Snapshot> stops;
  for (; whole.steps_done() < 12; static_cast<void>(whole.step())) stops.push_back(whole.snapshot());
  for (const Snapshot& stop : stops) {
    Trainer resumed(p.data, p.split, network_of(p.model), p.config, pool);
    resumed.restore(stop);
    while (resumed.steps_done() < 12) static_cast<void>(resumed.step());
    EXPECT_EQ(resumed.snapshot(), whole.snapshot());
  }
}

TEST(Trainer, ASnapshotFromBeyondTheEndIsRefused) {
  Problem p(Task::kClassification);
  ThreadPool pool(1);
  Trainer trainer(p.data, p.split, network_of(p.model), p.config, pool);
  const Snapshot good = trainer.snapshot();
  for (std::uint64_t Snapshot::*number : {&Snapshot::epoch, &Snapshot::step, &Snapshot::best_epoch}) {
    Snapshot bad = good;
    bad.*number = std::numeric_limits<std::uint64_t>::max();
    try {
      trainer.restore(bad);
      FAIL() << "was restored";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kData);
      EXPECT_THAT(e.what(), HasSubstr("18446744073709551615"));
    }
  }
  EXPECT_EQ(trainer.snapshot(), good);
}

TEST(Trainer, OfEpochsWithTheSameMetricTheLowerLogLossIsBest) {
  Problem p(Task::kClassification);  // with 3 graphs to choose by, many epochs have the same accuracy
  p.config.epochs = 12;
  const TrainResult result = train(p.data, p.split, p.model, p.config);
  const auto log_loss = [](const EpochRecord& record) {
    return std::ranges::find(record.valid, "log-loss", &Score::name)->value;
  };
  const auto better = [&](const EpochRecord& a, const EpochRecord& b) {
    return *a.metric != *b.metric ? *a.metric > *b.metric : log_loss(a) < log_loss(b);
  };
  const auto best = std::ranges::min_element(result.history, better);
  EXPECT_EQ(result.best_epoch, best->epoch);
  const auto first = std::ranges::find(result.history, *best->metric, [](const EpochRecord& r) { return *r.metric; });
  EXPECT_LT(first->epoch, best->epoch) << "there should be a tie to decide";
}

TEST(Trainer, AMetricThatIsNotDefinedLeavesTheChoiceToTheLogLoss) {
  Problem p(Task::kClassification);
  p.split.valid = {18, 21};  // of one class: no ROC curve
  p.config.metric = "roc-auc";
  p.config.epochs = 12;
  const TrainResult result = train(p.data, p.split, p.model, p.config);
  double lowest = 1e9;
  std::uint64_t epoch = 0;
  for (const EpochRecord& record : result.history) {
    EXPECT_TRUE(std::isnan(*record.metric));
    const double log_loss = std::ranges::find(record.valid, "log-loss", &Score::name)->value;
    if (log_loss >= lowest) continue;
    lowest = log_loss;
    epoch = record.epoch;
  }
  EXPECT_EQ(result.best_epoch, epoch);
  EXPECT_GT(epoch, 1U);
}

TEST(Trainer, PatienceEndsTheTraining) {
  Problem p(Task::kClassification);
  p.config.epochs = 1000;
  p.config.patience = 3;
  ThreadPool pool(1);
  Trainer trainer(p.data, p.split, network_of(p.model), p.config, pool);
  while (!trainer.finished()) static_cast<void>(trainer.step());
  EXPECT_TRUE(trainer.state().out_of_patience);
  EXPECT_EQ(trainer.state().epoch, trainer.state().best_epoch + 3);
}

TEST(Trainer, APlateauLowersTheRate) {
  Problem p(Task::kClassification);
  p.config.epochs = 40;
  p.config.schedule = Schedule::kPlateau;
  p.config.plateau_patience = 2;
  p.config.plateau_factor = 0.25;
  ThreadPool pool(1);
  Trainer trainer(p.data, p.split, network_of(p.model), p.config, pool);
  double last = p.config.learning_rate;
  std::size_t lowered = 0;
  while (!trainer.finished()) {
    if (const auto record = trainer.step()) {
      EXPECT_TRUE(record->learning_rate == last || record->learning_rate == last * 0.25);
      lowered += record->learning_rate < last ? 1 : 0;
      last = record->learning_rate;
    }
  }
  EXPECT_GE(lowered, 2U) << "the metric cannot rise forever";
}

TEST(Trainer, WithoutAValidationPartTheLastEpochIsTheBest) {
  Problem p(Task::kClassification);
  p.split.valid.clear();
  const TrainResult result = train(p.data, p.split, p.model, p.config);
  EXPECT_EQ(result.best_epoch, 4U);
  EXPECT_FALSE(result.history.back().metric.has_value());
  EXPECT_EQ(std::vector<float>(result.model.parameters().begin(), result.model.parameters().end()), train_all(p));
}

TEST(Trainer, EvaluatesAtTheEndAndAsOftenAsAsked) {
  Problem p(Task::kClassification);
  p.config.epochs = 5;
  p.config.evaluate_every = 2;
  std::vector<bool> evaluated;
  for (const EpochRecord& r : train(p.data, p.split, p.model, p.config).history)
    evaluated.push_back(r.metric.has_value());
  EXPECT_EQ(evaluated, (std::vector<bool>{false, true, false, true, true}));
}

TEST(Trainer, BalancedWeightsMakeARareClassCount) {
  Problem p(Task::kClassification);
  p.split.train = {0, 3, 6, 9, 12, 15, 1, 2};  // class A six times
  p.config.batch = 8;
  p.config.epochs = 1;
  p.config.learning_rate = 1e-9;
  const auto loss = [&] { return train(p.data, p.split, p.model, p.config).history[0].loss; };
  const double plain = loss();
  p.config.class_weights = ClassWeights::kBalanced;
  EXPECT_NE(loss(), plain);
  p.split.train = {0, 1, 2, 3, 4, 5};
  p.config.batch = 6;
  const double balanced = loss();
  p.config.class_weights = ClassWeights::kNone;
  EXPECT_DOUBLE_EQ(loss(), balanced) << "as many of each class: weights are 1";
}

TEST(Trainer, GraphsOfWeightZeroTeachNothing) {
  Problem p(Task::kClassification);
  p.config.epochs = 1;
  p.config.batch = 24;
  p.split.valid.clear();
  std::vector<double> weights(p.data.graphs.size(), 1);
  weights[p.split.train[0]] = 0;
  const auto parameters = [&] {
    const TrainResult result = train(p.data, p.split, p.model, p.config, 1, {}, {.weights = weights});
    return std::vector<float>(result.model.parameters().begin(), result.model.parameters().end());
  };
  const std::vector<float> before = parameters();
  double& label = p.data.graphs.arrays().targets.own()[p.split.train[0]];
  label = label == 0 ? 1 : 0;
  EXPECT_EQ(parameters(), before) << "its class does not matter";
  weights[p.split.train[0]] = 1;
  EXPECT_NE(parameters(), before);
}

TEST(Trainer, StopsWhenAsked) {
  const Problem p(Task::kClassification);
  TrainHooks hooks;
  hooks.should_stop = [](std::uint64_t done, std::uint64_t) { return done == 6; };
  EXPECT_EQ(train(p.data, p.split, p.model, p.config, 1, hooks).history.size(), 1U);
}

template <class F>
std::string refusal(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return std::string(e.what()) + " | " + e.hint();
  }
  return "";
}

TEST(Trainer, RefusesWhatMakesNoSense) {
  Problem p(Task::kClassification);
  const auto why = [&] { return refusal([&] { static_cast<void>(train(p.data, p.split, p.model, p.config)); }); };
  p.config.metric = "mae";
  EXPECT_THAT(why(), HasSubstr("the metric mae does not fit a classification task | choose one of accuracy"));
  p.config.metric = "acuracy";
  EXPECT_THAT(why(), HasSubstr("did you mean accuracy"));
  p.config.metric = "auto";
  p.config.loss = Loss::kSquaredError;
  EXPECT_THAT(why(), HasSubstr("the loss does not fit a classification task"));
  p.config.loss = Loss::kAuto;
  p.split.train.clear();
  EXPECT_THAT(why(), HasSubstr("there are no graphs to train on"));
  p.data.schema.task = Task::kNone;
  EXPECT_THAT(why(), HasSubstr("easy has no targets to learn"));
}

}  // namespace
}  // namespace agentnet
