#include <string>

#include "agentnet/error.h"
#include "agentnet/metrics.h"
#include "agentnet/train.h"
#include "core/option_table.h"
#include "train/schedule.h"

namespace agentnet {

template <>
inline constexpr std::array option_names<Loss> = std::to_array<std::string_view>({"auto", "cross-entropy",
                                                                                  "binary-cross-entropy",
                                                                                  "absolute-error", "squared-error"});
template <>
inline constexpr std::array option_names<Schedule> = std::to_array<std::string_view>({"quarter-cosine", "cosine",
                                                                                      "constant", "plateau"});
template <>
inline constexpr std::array option_names<Sampling> = std::to_array<std::string_view>({"shuffle", "replacement",
                                                                                      "balanced"});
template <>
inline constexpr std::array option_names<Features> = std::to_array<std::string_view>({"standardised", "raw"});
template <>
inline constexpr std::array option_names<ClassWeights> = std::to_array<std::string_view>({"none", "balanced"});

namespace {

constexpr double kMany = 1e9;
constexpr double kMostBits = 9007199254740992;  // 2^53: whole numbers that every JSON reader keeps
constexpr const char* kWhat = "training option";

// The table: one line per option. f(name, field, range, help).
constexpr auto kVisit = [](auto& c, const auto& f) {
  f("epochs", c.epochs, OptionRange{1, kMany}, "how long to train; the schedule ends with the last one");
  f("extended", c.extended, kAnyValue,
    "how --resume RUN --epochs N made a run longer: 20/30 ends a schedule of 30 epochs after the 20th");
  f("steps_per_epoch", c.steps_per_epoch, OptionRange{0, kMany},
    "batches in an epoch; 0: as many as show each training graph once");
  f("batch", c.batch, OptionRange{1, 1 << 20}, "graphs in a batch");
  f("sampling", c.sampling, kAnyValue,
    "batches take graphs in turn, in random order, or draw each from all, or from each class as many");
  f("loss", c.loss, kAnyValue, "what is made small; auto: what suits the task");
  f("class_weights", c.class_weights, kAnyValue, "balanced: a class weighs as much as any other, however rare");
  f("features", c.features, kAnyValue,
    "how numbers of nodes and edges are read: in units of their spread over the training part, or as they are");
  f("standardise", c.standardise, kAnyValue,
    "targets that are numbers are learned as deviations from their mean, in units of spread");
  f("learning_rate", c.learning_rate, OptionRange{1e-12, 10}, "of AdamW, at its highest");
  f("schedule", c.schedule, kAnyValue, "how the rate falls; quarter-cosine is the authors'");
  f("warmup", c.warmup, OptionRange{0, kMany}, "steps over which the rate rises from zero");
  f("plateau_factor", c.plateau_factor, OptionRange{0.001, 0.999},
    "schedule plateau: what the rate is multiplied by when the metric stalls");
  f("plateau_patience", c.plateau_patience, OptionRange{1, kMany},
    "schedule plateau: evaluations without improvement before that");
  f("weight_decay", c.weight_decay, OptionRange{0, 10}, "of AdamW");
  f("beta1", c.beta1, OptionRange{0, 0.999999}, "of AdamW, the memory of the mean gradient");
  f("beta2", c.beta2, OptionRange{0, 0.999999}, "of AdamW, the memory of its square");
  f("clip", c.clip, OptionRange{0, kMany}, "largest norm of a gradient; 0: no limit");
  f("metric", c.metric, kAnyValue, "what results are measured and compared by; auto: what suits the task");
  f("choose_by", c.choose_by, kAnyValue,
    "metric, or another one: chooses the best epoch, on the validation part (of equals the lower log loss)");
  f("evaluate_every", c.evaluate_every, OptionRange{1, kMany}, "epochs between evaluations");
  f("patience", c.patience, OptionRange{0, kMany}, "evaluations without improvement that end the training; 0: never");
  f("rollouts", c.rollouts, OptionRange{1, 4096}, "walks that are averaged in evaluations");
  f("test_rollouts", c.test_rollouts, OptionRange{1, 4096}, "walks that are averaged in the test at the end");
  f("seed", c.seed, OptionRange{0, kMostBits}, "of weights, batches and walks");
};

}  // namespace

std::vector<OptionHelp> train_options() {
  std::vector<OptionHelp> all;
  describe_options<TrainConfig>(
      kVisit, [&](const char* name, const std::string& value, const std::string& allowed, const char* help) {
        all.push_back({name, value, allowed, help});
      });
  return all;
}

void validate(const TrainConfig& config) {
  check_ranges(config, kVisit, kWhat);
  static_cast<void>(stages_of(config));
  if (config.metric != "auto") static_cast<void>(metric_from_name(config.metric));
  if (config.choose_by != "metric") static_cast<void>(metric_from_name(config.choose_by));
  if (config.class_weights != ClassWeights::kNone &&
      (config.loss == Loss::kAbsoluteError || config.loss == Loss::kSquaredError)) {
    throw Error(ErrorKind::kUsage, "training option 'class_weights' needs classes, and the loss is one of numbers",
                "set class_weights to none, or choose another loss");
  }
}

std::string to_json(const TrainConfig& config) { return options_to_text(config, kVisit); }

void apply_json(TrainConfig& config, const std::string& json) { options_from_text(json, config, kVisit, kWhat); }

}  // namespace agentnet
