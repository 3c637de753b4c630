#include "run/advice.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "core/json.h"
#include "core/option_table.h"
#include "core/text.h"
#include "train/adamw.h"
#include "train/loss.h"

namespace agentnet {
namespace {

// An epoch is a pass over the graphs. A set is shown so many graphs in all, which is minutes for small molecules: small
// sets are seen often, up to a limit, and large ones less often, but not less than that other limit. A small set has
// few batches in a pass, and the optimizer needs its steps whatever the set: with fewer it has not left the plateau
// that many puzzles begin with.
struct Amount {
  double graphs;               // shown in all
  std::uint64_t fewest, most;  // passes
  std::uint64_t fewest_steps;
};
constexpr Amount kThoroughly{.graphs = 500'000, .fewest = 20, .most = 100, .fewest_steps = 4000};
constexpr Amount kQuickly{.graphs = 100'000, .fewest = 1, .most = 25, .fewest_steps = 1000};

constexpr std::uint64_t kLarge = 10'000;  // graphs, from which on batches are larger
constexpr int kBatch = 32, kLargeBatch = 128;
constexpr int kRollouts = 4;                // of an evaluation
constexpr double kImbalanced = 0.2;         // a rarer class than this makes accuracy a poor guide
constexpr std::uint64_t kEvaluations = 80;  // at most twice as many
constexpr double kLearningRate = 1e-3;

LossKind loss_for(Task task) {
  switch (task) {
    case Task::kClassification:
      return LossKind::kCrossEntropy;
    case Task::kMultilabel:
      return LossKind::kBinaryCrossEntropy;
    case Task::kNone:
    case Task::kRegression:
      break;
  }
  return LossKind::kAbsoluteError;
}

void choose(Advice& advice, std::string key, std::string value, std::string why) {
  advice.reasons.push_back({std::move(key), std::move(value), std::move(why)});
}

// Task, loss, metric, split.
void choose_goal(const Dataset& data, const SetStatistics& statistics, Advice& advice) {
  const auto& counts = statistics.class_counts;
  std::string what, metric, metric_why;
  std::string choose_by = "metric", choose_by_why = "what is compared is what is chosen by";
  switch (data.schema.task) {
    case Task::kNone:
      throw Error(ErrorKind::kData, fmt::format("{} has no targets to learn", data.source),
                  "name the target columns, or give labelled data");
    case Task::kClassification:
      what = fmt::format("the target is one of {} classes", data.schema.classes.size());
      advice.train.loss = Loss::kCrossEntropy;
      metric = "accuracy";
      metric_why = "the share of right answers";
      if (counts.size() != 2) break;
      choose_by = "log-loss";
      choose_by_why = "a few graphs to choose by tell epochs apart better than by the share of right answers";
      if (static_cast<double>(std::min(counts[0], counts[1])) <
          kImbalanced * static_cast<double>(counts[0] + counts[1])) {
        metric = "roc-auc";
        metric_why = "one class is rare: always saying the other would be accurate";
      }
      break;
    case Task::kMultilabel:
      what = fmt::format("{} yes/no questions", data.schema.targets.size());
      advice.train.loss = Loss::kBinaryCrossEntropy;
      metric = "roc-auc";
      metric_why = "fair to questions whose answer is mostly no";
      break;
    case Task::kRegression:
      what = data.schema.targets.size() == 1 ? "the target is a number"
                                             : fmt::format("the targets are {} numbers", data.schema.targets.size());
      advice.train.loss = Loss::kAbsoluteError;
      metric = "mae";
      metric_why = "the mean error, in the units of the target";
      break;
  }
  advice.train.metric = metric;
  advice.train.choose_by = choose_by;
  choose(advice, "data.task", std::string(task_name(data.schema.task)), what);
  choose(advice, "train.loss", parse_json(to_json(advice.train), "training options")["loss"], "suits the task");
  choose(advice, "train.metric", metric, metric_why);
  choose(advice, "train.choose_by", choose_by, choose_by_why);
  if (data.official) {
    advice.split = "official";
    choose(advice, "data.split", advice.split, "comes with the data");
  } else if (data.schema.task == Task::kClassification) {
    advice.split = "stratified:0.8,0.1,0.1";
    choose(advice, "data.split", advice.split, "each part gets its share of every class");
  } else {
    advice.split = "random:0.8,0.1,0.1";
    choose(advice, "data.split", advice.split, "none comes with the data");
  }
}

std::string size_text(const SetStatistics& statistics) {
  return fmt::format("a set of {} graph{}", statistics.graphs, statistics.graphs == 1 ? "" : "s");
}

void choose_model(const GraphSet& graphs, const SetStatistics& statistics, const NetworkKind& kind, Advice& advice) {
  Json options = Json::object();
  for (const OptionChoice& choice : kind.advise({statistics.graphs, statistics.nodes.mean, &graphs})) {
    const Json value = parse_json(choice.value, "advice");
    options[choice.option] = value;
    choose(advice, "model." + choice.option, value.is_string() ? value.get<std::string>() : choice.value, choice.why);
  }
  advice.model.kind = kind.name;
  advice.model.options = kind.complete(options.dump());
}

void choose_training(const SetStatistics& statistics, Pace pace, Advice& advice) {
  TrainConfig& train = advice.train;
  const auto batch = static_cast<std::uint64_t>(statistics.graphs < kLarge ? kBatch : kLargeBatch);
  train.batch = static_cast<int>(std::max<std::uint64_t>(1, std::min(batch, statistics.graphs)));
  train.steps_per_epoch = 0;
  train.sampling = Sampling::kShuffle;
  train.epochs = suggested_epochs(train, statistics.graphs, pace);
  train.evaluate_every = suggested_interval(train.epochs);
  train.learning_rate = kLearningRate;
  train.schedule = Schedule::kQuarterCosine;
  train.rollouts = kRollouts;
  const Json json = parse_json(to_json(train), "training options");
  choose(advice, "train.batch", json["batch"].dump(), size_text(statistics));
  choose(advice, "train.epochs", json["epochs"].dump(),
         fmt::format("passes over {}{}", size_text(statistics), pace == Pace::kQuick ? ", for a first number" : ""));
  choose(advice, "train.steps_per_epoch", json["steps_per_epoch"].dump(), "an epoch shows each graph once");
  choose(advice, "train.sampling", json["sampling"], "an epoch shows each graph once");
  choose(advice, "train.learning_rate", json["learning_rate"].dump(), "a good start for most sets");
  choose(advice, "train.schedule", json["schedule"], "the authors' schedule");
  choose(advice, "train.evaluate_every", json["evaluate_every"].dump(), "some hundred times in all");
  choose(advice, "train.rollouts", json["rollouts"].dump(), "so that chance walks do not choose the epoch");
}

}  // namespace

void check_targets(const Dataset& data, const SetStatistics& statistics) {
  const auto& targets = statistics.targets;
  const bool blank = !targets.empty() && std::all_of(targets.begin(), targets.end(), [&](const TargetStatistics& t) {
    return t.blanks == statistics.graphs;
  });
  if (blank) {
    throw Error(ErrorKind::kData, fmt::format("no graph of {} has a target: all of them are blank", data.source),
                "name the target columns with --target, or give labelled data");
  }
  if (data.schema.task == Task::kClassification && data.schema.classes.size() < 2) {
    throw Error(ErrorKind::kData,
                fmt::format("every labelled graph of {} is of the class {}: there is nothing to learn", data.source,
                            data.schema.classes.empty() ? "''" : in_quotes(data.schema.classes[0])),
                "give graphs of two classes or more, or name another target column with --target");
  }
}

std::uint64_t suggested_epochs(const TrainConfig& train, std::uint64_t graphs, Pace pace) {
  const Amount& amount = pace == Pace::kQuick ? kQuickly : kThoroughly;
  TrainConfig one = train;
  one.epochs = 1;
  const std::uint64_t steps = std::max<std::uint64_t>(1, training_steps(one, graphs));
  const double shown = static_cast<double>(steps) * train.batch;  // by an epoch
  const auto passes = static_cast<std::uint64_t>(amount.graphs / std::max(1.0, shown));
  return std::max(std::clamp(passes, amount.fewest, amount.most), (amount.fewest_steps + steps - 1) / steps);
}

std::uint64_t suggested_interval(std::uint64_t epochs) { return std::max<std::uint64_t>(1, epochs / kEvaluations); }

Advice advise(const Dataset& data, const SetStatistics& statistics, const NetworkKind& kind, Pace pace) {
  Advice advice;
  advice.model.shape = shape_of(data.schema);
  choose_goal(data, statistics, advice);
  choose_model(data.graphs, statistics, kind, advice);
  if (kind.fitter == nullptr) choose_training(statistics, pace, advice);  // else there are no steps
  return advice;
}

std::uint64_t training_steps(const TrainConfig& config, std::uint64_t graphs) {
  const auto batch = static_cast<std::uint64_t>(config.batch);
  return config.epochs * (config.steps_per_epoch > 0 ? config.steps_per_epoch : (graphs + batch - 1) / batch);
}

double measure_step_seconds(const Dataset& data, const Network<float>& network, const TrainConfig& train, int threads) {
  constexpr int kSteps = 3;  // the first one also warms up
  ThreadPool pool(threads);
  const auto runner = network.make_runner(pool);
  const auto prepared = network.make_prepared();
  std::vector<float> parameters(network.parameters().size()), buffers(network.buffers().size());
  std::vector<float> gradient(parameters.size());
  network.initialise(0, parameters);
  network.initialise_buffers(buffers);
  prepared->prepare(parameters, buffers);
  runner->use(*prepared);

  // Graphs from all over the set: files are often sorted by size or class.
  const auto batch = static_cast<std::size_t>(train.batch);
  std::vector<GraphView> graphs;
  std::vector<std::uint64_t> ids;
  std::vector<double> targets;
  for (std::size_t i = 0; i < batch; ++i) {
    const std::size_t g = i * data.graphs.size() / batch;
    graphs.push_back(data.graphs.view(g));
    ids.push_back(g);
    const auto row = data.graphs.targets(g);
    targets.insert(targets.end(), row.begin(), row.end());
  }
  for (double& target : targets) target = std::isnan(target) ? 0 : target;
  const auto loss = make_loss<float>(loss_for(data.schema.task), network.shape().outputs, targets, batch);
  Call call;
  call.training = true;
  call.number = std::numeric_limits<std::uint32_t>::max();  // after all curricula: every agent walks
  double fastest = 0;
  for (int step = 0; step < kSteps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    static_cast<void>(runner->gradients({graphs, ids}, call, loss, gradient));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fastest = step == 0 ? seconds : std::min(fastest, seconds);
    if (seconds > 5) break;
  }
  return fastest;
}

}  // namespace agentnet
