#include "train/trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "data/huge/mapped_set.h"
#include "data/tables/wrong_values.h"
#include "graph/content_key.h"
#include "nets/kinds.h"
#include "nets/model_inside.h"
#include "predict/rollout_average.h"
#include "train/feature_scale.h"
#include "train/fitting.h"
#include "train/schedule.h"

namespace agentnet {
namespace {

// Evaluations draw from other streams than training: the seed is moved far away.
constexpr std::uint64_t kEvaluationSeed = 0x9E3779B97F4A7C15;
constexpr double kRetryFactor = 0.1;
constexpr double kNearChance = 0.98;  // of the loss of a constant answer; above that nothing to speak of is learned
constexpr std::size_t kGraphsAtOnce = 4096;  // in an evaluation
constexpr std::string_view kNotFinite = " is not a finite number (epoch ";

LossKind loss_kind(Loss loss, Task task) {
  switch (loss) {
    case Loss::kAuto:
      break;
    case Loss::kCrossEntropy:
      return LossKind::kCrossEntropy;
    case Loss::kBinaryCrossEntropy:
      return LossKind::kBinaryCrossEntropy;
    case Loss::kAbsoluteError:
      return LossKind::kAbsoluteError;
    case Loss::kSquaredError:
      return LossKind::kSquaredError;
  }
  if (task == Task::kClassification) return LossKind::kCrossEntropy;
  return task == Task::kMultilabel ? LossKind::kBinaryCrossEntropy : LossKind::kAbsoluteError;
}

// A loss belongs to a task: the outputs of a cross entropy are not numbers, and the other way round.
void check_loss(Loss choice, Task task) {
  const LossKind loss = loss_kind(choice, task);
  const bool fits = task == Task::kClassification ? loss == LossKind::kCrossEntropy
                    : task == Task::kMultilabel   ? loss == LossKind::kBinaryCrossEntropy
                                                  : loss == LossKind::kAbsoluteError || loss == LossKind::kSquaredError;
  if (fits) return;
  throw Error(ErrorKind::kUsage, fmt::format("the loss does not fit a {} task", task_name(task)),
              "leave train.loss at auto, or set the task of the data");
}

bool is_labelled(const Dataset& data, std::size_t graph) {
  const auto row = data.graphs.targets(graph);
  return std::any_of(row.begin(), row.end(), [](double y) { return !std::isnan(y); });
}

void check_training_part(const Dataset& data, const std::vector<std::size_t>& graphs) {
  if (graphs.empty()) throw Error(ErrorKind::kUsage, "there are no graphs to train on", "choose another split");
  if (std::any_of(graphs.begin(), graphs.end(), [&](std::size_t g) { return is_labelled(data, g); })) return;
  throw Error(ErrorKind::kUsage, fmt::format("none of the {} graphs to train on has a label", graphs.size()),
              "choose another split");
}

void check_shape(const Network<float>& network, const Dataset& data) {
  if (network.shape() == shape_of(data.schema)) return;
  throw Error(ErrorKind::kMismatch,
              fmt::format("the network was made for other columns or outputs than {} has", data.source),
              "make it with the shape of the data (shape_of)");
}

bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

TargetScale scale_of(const Dataset& data, std::span<const std::size_t> graphs, bool standardise) {
  const auto columns = static_cast<std::size_t>(data.graphs.num_targets());
  TargetScale scale{std::vector<double>(columns, 0), std::vector<double>(columns, 1)};
  if (!standardise || data.schema.task != Task::kRegression) return scale;
  for (std::size_t c = 0; c < columns; ++c) {
    double mean = 0, squares = 0, count = 0;
    for (const std::size_t g : graphs) {
      const double y = data.graphs.targets(g)[c];
      if (std::isnan(y)) continue;
      const double d = y - mean;
      mean += d / ++count;
      squares += d * (y - mean);
    }
    scale.mean[c] = mean;
    if (squares > 0) scale.deviation[c] = std::sqrt(squares / count);
  }
  return scale;
}

// Of these graphs; nothing if they have none.
std::vector<std::size_t> classes_of(const Dataset& data, std::span<const std::size_t> graphs) {
  std::vector<std::size_t> classes;
  if (data.schema.task != Task::kClassification) return classes;
  for (const std::size_t g : graphs) {
    const double y = data.graphs.targets(g)[0];  // blanks are among themselves
    classes.push_back(std::isnan(y) ? data.schema.classes.size() : class_of_target(data, g, y));
  }
  return classes;
}

}  // namespace

bool Snapshot::operator==(const Snapshot& o) const {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return now == o.now && epoch_start == o.epoch_start && best == o.best && best_buffers == o.best_buffers &&
         epoch == o.epoch && step == o.step && loss_sum == o.loss_sum && norm_sum == o.norm_sum &&
         rate_factor == o.rate_factor && retried == o.retried && evaluations == o.evaluations &&
         since_best == o.since_best && since_plateau == o.since_plateau && same(best_metric, o.best_metric) &&
         same(best_tie_break, o.best_tie_break) && best_epoch == o.best_epoch && out_of_patience == o.out_of_patience &&
         left_chance == o.left_chance;
}

Metric metric_of(const std::string& name, Task task) {
  if (name == "auto") {
    return task == Task::kClassification ? Metric::kAccuracy
           : task == Task::kMultilabel   ? Metric::kRocAuc
                                         : Metric::kMae;
  }
  const Metric metric = metric_from_name(name);
  const auto fitting = metrics_for(task);
  if (std::find(fitting.begin(), fitting.end(), metric) != fitting.end()) return metric;
  std::string names;
  for (const Metric m : fitting) names += (names.empty() ? "" : ", ") + std::string(metric_name(m));
  throw Error(ErrorKind::kUsage, fmt::format("the metric {} does not fit a {} task", name, task_name(task)),
              "choose one of " + names);
}

Metric chooser_of(const TrainConfig& config, Task task) {
  return metric_of(config.choose_by == "metric" ? config.metric : config.choose_by, task);
}

void check_goal(Task task, const TrainConfig& config) {
  static_cast<void>(metric_of(config.metric, task));
  static_cast<void>(chooser_of(config, task));
  check_loss(config.loss, task);
}

void check_training(const Dataset& data, const Split& split, const TrainConfig& config) {
  if (data.schema.task == Task::kNone) {
    throw Error(ErrorKind::kData, fmt::format("{} has no targets to learn", data.source),
                "name the target columns, or give labelled data");
  }
  validate(config);
  check_goal(data.schema.task, config);
  check_training_part(data, split.train);
  static_cast<void>(Sampler(split.train, config, classes_of(data, split.train)));
}

std::vector<double> targets_of(const Dataset& data, std::span<const std::size_t> graphs) {
  std::vector<double> rows;
  rows.reserve(graphs.size() * static_cast<std::size_t>(data.graphs.num_targets()));
  for (const std::size_t g : graphs) {
    const auto row = data.graphs.targets(g);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

Trainer::Trainer(const Dataset& data, Split split, std::shared_ptr<const Network<float>> network,
                 const TrainConfig& config, ThreadPool& pool)
    : data_((check_training(data, split, config), data)),
      split_(std::move(split)),
      config_(config),
      metric_(metric_of(config.metric, data.schema.task)),
      chooser_(chooser_of(config, data.schema.task)),
      loss_(loss_kind(config.loss, data.schema.task)),
      scale_(scale_of(data, split_.train, config.standardise)),
      sampler_(split_.train, config, classes_of(data, split_.train)),
      network_((check_shape(*network, data), std::move(network))),
      prepared_(network_->make_prepared()),
      runner_(network_->make_runner(pool)),
      optimizer_(network_->parameters(),
                 {.beta1 = config.beta1, .beta2 = config.beta2, .weight_decay = config.weight_decay}),
      parameters_(network_->parameters().size()),
      buffers_(network_->buffers().size()),
      gradient_(parameters_.size()) {
  class_weights_ = weights_of_classes();
  chance_ = agentnet::chance_loss(loss_, network_->shape().outputs, scaled_targets(split_.train), class_weights_,
                                  config.sampling == Sampling::kBalanced);
  state_.left_chance = std::isnan(chance_);
  stages_ = stages_of(config);
  if (config.features == Features::kStandardised) inputs_ = scale_of(summarise_features(data.graphs, split_.train));
  prepared_->read_inputs_as(inputs_);
  network_->initialise(config.seed, parameters_);
  zero_unseen_categories<float>(network_->parameters(), parameters_);
  network_->initialise_buffers(buffers_);
  state_.epoch_start = optimizer_state();
}

void Trainer::begin_with(const TrainStart& start) {
  if (!start.weights.empty()) {
    check_graph_weights(start.weights, data_.graphs.size(), split_.train);
    graph_weights_.assign(start.weights.begin(), start.weights.end());
  }
  if (start.model == nullptr) return;
  const Network<float>& its = *ModelInside::network(*start.model);
  if (its.config() != network_->config()) {
    throw Error(
        ErrorKind::kMismatch,
        fmt::format("training cannot start from {}: it has another kind, other options or other columns than {}",
                    its.description(), network_->description()),
        "start from a model that was trained with the same settings, or anew");
  }
  const std::span<const float> weights = start.model->parameters(), buffers = ModelInside::buffers(*start.model);
  parameters_.assign(weights.begin(), weights.end());
  buffers_.assign(buffers.begin(), buffers.end());
  inputs_ = ModelInside::inputs(*start.model);  // which its weights were learned with
  prepared_->read_inputs_as(inputs_);
  if (data_.schema.task ==
      Task::kRegression) {  // the model answers in the units of the data: back to those of learning
    std::vector<double> scale, shift;
    for (std::size_t c = 0; c < scale_.mean.size(); ++c) {
      scale.push_back(1 / scale_.deviation[c]);
      shift.push_back(-scale_.mean[c] / scale_.deviation[c]);
    }
    network_->scale_outputs(parameters_, scale, shift);
  }
  state_.epoch_start = optimizer_state();
}

void check_graph_weights(std::span<const double> weights, std::size_t graphs, std::span<const std::size_t> train) {
  const auto refuse = [](const std::string& what) {
    throw Error(ErrorKind::kUsage, what, "give every graph a weight: a finite number that is not negative");
  };
  if (weights.size() != graphs) refuse(fmt::format("there are {} weights for {} graphs", weights.size(), graphs));
  for (std::size_t g = 0; g < graphs; ++g) {
    if (!std::isfinite(weights[g]) || weights[g] < 0)
      refuse(fmt::format("the weight of graph {} is {}", g, weights[g]));
  }
  if (std::ranges::all_of(train, [&](std::size_t g) { return weights[g] == 0; })) {
    refuse("no graph to train on has a weight above 0");
  }
}

// Of each class the inverse of its share; of yes/no questions, how many times rarer a yes is than a no.
std::vector<double> Trainer::weights_of_classes() const {
  if (config_.class_weights == ClassWeights::kNone || data_.schema.task == Task::kRegression) return {};
  const bool classes = data_.schema.task == Task::kClassification;
  const std::size_t outputs = network_->outputs();
  std::vector<double> labelled(outputs, 0), yes(outputs, 0), weights(outputs, 1);
  for (const std::size_t g : split_.train) {
    const auto row = data_.graphs.targets(g);
    for (std::size_t c = 0; c < outputs; ++c) {
      const double y = classes ? (std::isnan(row[0]) ? row[0] : row[0] == static_cast<double>(c)) : row[c];
      if (std::isnan(y)) continue;
      labelled[c] += 1;
      yes[c] += y;
    }
  }
  for (std::size_t c = 0; c < outputs; ++c) {
    if (yes[c] == 0) continue;
    weights[c] = classes ? labelled[c] / (static_cast<double>(outputs) * yes[c]) : (labelled[c] - yes[c]) / yes[c];
    if (weights[c] == 0) weights[c] = 1;  // nothing but yes
  }
  return weights;
}

bool Trainer::finished() const { return state_.out_of_patience || state_.epoch >= config_.epochs; }

Runner<float>& Trainer::ready() {
  prepared_->prepare(parameters_, buffers_);
  runner_->use(*prepared_);
  return *runner_;
}

std::vector<double> Trainer::scaled_targets(std::span<const std::size_t> graphs) const {
  std::vector<double> targets = targets_of(data_, graphs);
  if (data_.schema.task != Task::kRegression) return targets;
  const std::size_t columns = scale_.mean.size();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    targets[i] = (targets[i] - scale_.mean[i % columns]) / scale_.deviation[i % columns];
  }
  return targets;
}

bool Trainer::compute_gradient(std::span<const std::size_t> batch) {
  std::vector<GraphView> graphs;
  std::vector<std::uint64_t> ids;  // places in the batch: a graph that was drawn twice is walked twice
  graphs.reserve(batch.size());
  for (const std::size_t g : batch) {
    ids.push_back(graphs.size());
    graphs.push_back(data_.graphs.view(g));
  }
  const std::vector<double> targets = scaled_targets(batch);
  Call call;
  call.seed = config_.seed;
  call.number = steps_done();
  call.training = true;
  std::vector<double> of_graphs;
  for (std::size_t i = 0; i < batch.size() && !graph_weights_.empty(); ++i)
    of_graphs.push_back(graph_weights_[batch[i]]);
  const auto loss =
      make_loss<float>(loss_, network_->shape().outputs, targets, batch.size(), class_weights_, of_graphs);
  last_loss_ = ready().gradients({graphs, ids}, call, loss, gradient_);
  runner_->update_buffers(buffers_);
  const double limit = config_.clip > 0 ? config_.clip : std::numeric_limits<double>::infinity();
  last_norm_ = clip_norm<float>(gradient_, limit);
  return std::isfinite(last_loss_) && std::isfinite(last_norm_);
}

std::optional<EpochRecord> Trainer::step() {
  if (finished()) throw std::logic_error("Trainer: step after the end");
  network_->before_step(steps_done(), parameters_);
  const auto batch = sampler_.batch(state_.epoch, state_.step);
  last_batch_ = batch.size();
  if (!compute_gradient(batch)) {
    retry("the loss");
    return std::nullopt;
  }
  last_rate_ =
      scheduled_rate(config_, stages_, state_.epoch, state_.step, sampler_.steps_per_epoch()) * state_.rate_factor;
  optimizer_.step(parameters_, gradient_, last_rate_);
  state_.loss_sum += last_loss_;
  state_.norm_sum += last_norm_;
  if (++state_.step < sampler_.steps_per_epoch()) return std::nullopt;
  if (!all_finite(parameters_)) {
    retry("a weight");
    return std::nullopt;
  }
  return end_epoch();
}

bool is_divergence(const Error& error) {
  return error.kind() == ErrorKind::kFailure && std::string_view(error.what()).find(kNotFinite) != std::string::npos;
}

// Back to the beginning of the epoch, once, with smaller steps.
void Trainer::retry(const char* what) {
  if (state_.retried) {
    throw Error(ErrorKind::kFailure,
                fmt::format("{}{}{}, step {}), even with {} of the learning rate", what, kNotFinite, state_.epoch + 1,
                            state_.step + 1, kRetryFactor),
                fmt::format("lower train.learning_rate (it was {}), or look for extreme values in the data",
                            config_.learning_rate));
  }
  state_.retried = true;
  state_.rate_factor *= kRetryFactor;
  state_.step = 0;
  state_.loss_sum = state_.norm_sum = 0;
  parameters_ = state_.epoch_start.parameters;
  buffers_ = state_.epoch_start.buffers;
  optimizer_.restore(state_.epoch_start.steps, state_.epoch_start.first_moment, state_.epoch_start.second_moment);
}

EpochRecord Trainer::end_epoch() {
  const auto steps = static_cast<double>(sampler_.steps_per_epoch());
  EpochRecord record;
  record.learning_rate = last_rate_;
  record.loss = state_.loss_sum / steps;
  record.gradient_norm = state_.norm_sum / steps;
  ++state_.epoch;
  state_.step = 0;
  state_.loss_sum = state_.norm_sum = 0;
  record.epoch = state_.epoch;
  record.steps = steps_done();
  if (!state_.left_chance && record.loss < kNearChance * chance_) {
    state_.left_chance = true;
    state_.since_best = state_.since_plateau = 0;  // what was best on the plateau was so by accident
  }
  evaluate(record);
  if (at_end_of_stage()) begin_stage();
  state_.epoch_start = optimizer_state();
  return record;
}

bool Trainer::at_end_of_stage() const {
  return std::any_of(stages_.begin(), stages_.end() - 1, [&](const Stage& s) { return s.end == state_.epoch; });
}

// Whoever makes a run longer wants it to go on.
void Trainer::begin_stage() {
  state_.since_best = state_.since_plateau = 0;
  state_.out_of_patience = false;
}

void Trainer::evaluate(EpochRecord& record) {
  const bool last = state_.epoch == config_.epochs || at_end_of_stage();
  if (state_.epoch % config_.evaluate_every != 0 && !last) return;
  double value = record.loss, tie_break = record.loss;
  bool better = true;  // without a validation part the last epoch is the best
  if (!split_.valid.empty()) {
    const std::vector<double> predictions = predict(split_.valid, state_.evaluations);
    const std::vector<double> targets = targets_of(data_, split_.valid);
    const int outputs = network_->shape().outputs;
    record.valid = all_scores(data_.schema.task, outputs, predictions, targets, split_.valid.size());
    record.metric = score(metric_, data_.schema.task, outputs, predictions, targets, split_.valid.size());
    value = score(chooser_, data_.schema.task, outputs, predictions, targets, split_.valid.size());
    if (data_.schema.task != Task::kRegression) {
      tie_break = score(Metric::kLogLoss, data_.schema.task, outputs, predictions, targets, split_.valid.size());
    }
    if (std::isnan(tie_break)) tie_break = record.loss;  // nothing is labelled there
    const bool tie = value == state_.best_metric || (std::isnan(value) && std::isnan(state_.best_metric));
    better = state_.best.empty() || is_better(chooser_, value, state_.best_metric) ||
             (tie && tie_break < state_.best_tie_break);
  }
  ++state_.evaluations;
  const bool improved = split_.valid.empty() ? !(value >= state_.best_metric) : better;
  state_.since_best = improved ? 0 : state_.since_best + 1;
  state_.since_plateau = improved ? 0 : state_.since_plateau + 1;
  if (improved) state_.best_metric = value;
  if (better) {
    state_.best = parameters_;
    state_.best_buffers = buffers_;
    state_.best_tie_break = tie_break;
    state_.best_epoch = state_.epoch;
    record.best = true;
  }
  if (config_.schedule == Schedule::kPlateau && state_.since_plateau >= config_.plateau_patience) {
    state_.rate_factor *= config_.plateau_factor;
    state_.since_plateau = 0;
  }
  // On a plateau at chance nothing improves, and all the same it may end: patience begins after it.
  state_.out_of_patience = config_.patience > 0 && state_.left_chance && state_.since_best >= config_.patience;
}

std::vector<double> Trainer::predict(std::span<const std::size_t> graphs, std::uint64_t evaluation) {
  const int outputs = network_->shape().outputs;
  const auto width = static_cast<std::size_t>(outputs);
  Runner<float>& runner = ready();
  const int rollouts = network_->draws() ? config_.rollouts : 1;
  std::vector<double> all;
  all.reserve(graphs.size() * width);
  for (std::size_t first = 0; first < graphs.size(); first += kGraphsAtOnce) {
    const auto part = graphs.subspan(first, std::min(kGraphsAtOnce, graphs.size() - first));
    std::vector<GraphView> views;
    for (const std::size_t g : part) views.push_back(data_.graphs.view(g));
    // By content, as predict() does it.
    const std::vector<std::uint64_t> ids =
        network_->draws() ? content_keys(views) : std::vector<std::uint64_t>(views.size(), 0);
    RolloutAverage average(data_.schema.task, outputs, part.size());
    std::vector<float> raw(part.size() * width);
    for (int r = 0; r < rollouts; ++r) {
      Call call;
      call.seed = config_.seed ^ kEvaluationSeed;
      call.number = evaluation * static_cast<std::uint64_t>(rollouts) + static_cast<std::uint64_t>(r);
      runner.outputs({views, ids}, call, raw, nullptr);
      average.add(raw);
    }
    all.insert(all.end(), average.mean().begin(), average.mean().end());
  }
  if (data_.schema.task == Task::kRegression) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = all[i] * scale_.deviation[i % width] + scale_.mean[i % width];
    }
  }
  return all;
}

OptimizerState Trainer::optimizer_state() const {
  const auto m = optimizer_.first_moment(), v = optimizer_.second_moment();
  return {parameters_, {m.begin(), m.end()}, {v.begin(), v.end()}, buffers_, optimizer_.steps()};
}

Snapshot Trainer::snapshot() const {
  Snapshot copy = state_;
  copy.now = optimizer_state();
  return copy;
}

void Trainer::restore(Snapshot snapshot) {
  if (snapshot.now.parameters.size() != parameters_.size() || snapshot.now.buffers.size() != buffers_.size()) {
    throw Error(ErrorKind::kMismatch,
                fmt::format("the checkpoint has {} weights, the model has {}", snapshot.now.parameters.size(),
                            parameters_.size()),
                "resume with the settings that the run was started with");
  }
  // A checkpoint's numbers are what its file says: batches and rates are looked up by them.
  if (snapshot.epoch > config_.epochs || snapshot.step >= steps_per_epoch() || snapshot.best_epoch > snapshot.epoch) {
    throw Error(ErrorKind::kData,
                fmt::format("the checkpoint is at step {} of epoch {} (best: {}), the run has {} epochs of {} steps",
                            snapshot.step, snapshot.epoch, snapshot.best_epoch, config_.epochs, steps_per_epoch()),
                "start the training again");
  }
  parameters_ = std::move(snapshot.now.parameters);
  buffers_ = std::move(snapshot.now.buffers);
  optimizer_.restore(snapshot.now.steps, snapshot.now.first_moment, snapshot.now.second_moment);
  state_ = std::move(snapshot);
  state_.now = {};
  if (state_.step == 0 && at_end_of_stage()) begin_stage();  // the run was extended where it had ended
}

Model Trainer::best_model() const {
  const bool chosen = !state_.best.empty();
  std::vector<float> values = chosen ? state_.best : parameters_;
  if (data_.schema.task == Task::kRegression) network_->scale_outputs(values, scale_.deviation, scale_.mean);
  Model model = ModelInside::make(network_, std::move(values), chosen ? state_.best_buffers : buffers_, inputs_);
  describe_training(model, data_);
  ModelCard& card = model.card();
  card.training["epoch"] = std::to_string(state_.best.empty() ? state_.epoch : state_.best_epoch);
  card.training["seed"] = std::to_string(config_.seed);
  if (!std::isnan(state_.best_metric) && !split_.valid.empty()) {
    card.training["validation"] = fmt::format("{} {:.6g}", metric_name(chooser_), state_.best_metric);
  }
  return model;
}

void describe_training(Model& model, const Dataset& data) {
  ModelCard& card = model.card();
  card.task = task_name(data.schema.task);
  card.label_names = data.schema.task == Task::kClassification ? data.schema.classes : data.schema.targets;
  card.schema = schema_to_json(data.schema);
}

TrainResult train(const Dataset& data, const Split& split, const NetworkConfig& network, const TrainConfig& config,
                  int threads, const TrainHooks& hooks, const TrainStart& start) {
  if (const NetworkKind& kind = builtin_kinds().at(network.kind); kind.fitter != nullptr) {
    if (start.model != nullptr || !start.weights.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{} is fitted as a whole: it takes no weights of graphs and no model to start from",
                              network.kind),
                  "leave them out, or choose a network");
    }
    FittedModel fitted = fit_model(data, split, kind, network, config, threads,
                                   [&] { return hooks.should_stop && hooks.should_stop(0, 1); });
    if (hooks.on_epoch) hooks.on_epoch(fitted.record);
    return {std::move(fitted.model), {fitted.record}, 1};
  }
  NetworkConfig fitted = network;
  fitted.shape = shape_of(data.schema);
  ThreadPool pool(threads);
  Trainer trainer(data, split, builtin_kinds().make(fitted), config, pool);
  trainer.begin_with(start);
  std::vector<EpochRecord> history;
  const auto begin = std::chrono::steady_clock::now();
  while (!trainer.finished()) {
    if (auto record = trainer.step()) {
      record->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (hooks.on_epoch) hooks.on_epoch(*record);
      history.push_back(std::move(*record));
    }
    if (hooks.should_stop && hooks.should_stop(trainer.steps_done(), trainer.steps_in_all())) break;
  }
  return {trainer.best_model(), std::move(history), trainer.snapshot().best_epoch};
}

}  // namespace agentnet
