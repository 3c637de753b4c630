#include "run/time_plan.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "agentnet/error.h"
#include "run/advice.h"
#include "train/trainer.h"

namespace agentnet {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMeasuring = 0.05;         // of the time
constexpr double kLongestMeasuring = 10;    // seconds
constexpr int kFewestSteps = 4;             // the first of which warms up
constexpr std::size_t kGraphs = 64;         // that are predicted
constexpr double kAfterwards = 0.05;        // of the time: tables and the page
constexpr double kMargin = 0.9;             // a machine is not always as fast as when it was measured
constexpr std::uint64_t kFewestEpochs = 8;  // of a schedule that falls epoch by epoch

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The middle one of the later steps: one that something else on the machine slows down does not count.
double step_seconds(Trainer& trainer, double seconds) {
  std::vector<double> steps;
  const auto start = Clock::now();
  try {
    while (!trainer.finished() && (steps.size() < kFewestSteps || since(start) < seconds)) {
      if (since(start) > kLongestMeasuring && !steps.empty()) break;
      const auto before = Clock::now();
      const bool evaluated = trainer.step().has_value();
      if (!evaluated || steps.empty()) steps.push_back(since(before));
    }
  } catch (const Error& error) {
    if (!is_divergence(error) || steps.empty()) throw;  // the run will say so itself
  }
  if (steps.size() > 1) steps.erase(steps.begin());
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

}  // namespace

Speed measure_speed(const Settings& settings, const Dataset& data, const Split& split, const RunControl& control,
                    const RunSeams& seams) {
  const double seconds = std::min(kMeasuring * control.max_seconds, kLongestMeasuring);
  ThreadPool pool(control.threads);
  const auto network = seams.kinds->make(settings.model);
  Settings trial = settings;
  trial.train.evaluate_every = std::max<std::uint64_t>(trial.train.evaluate_every, trial.train.epochs);
  Speed speed;
  Trainer trainer(data, split, network, trial.train, pool);
  speed.step = step_seconds(trainer, seconds);
  if (network->walks()) {  // a crowd may grow
    speed.step = std::max(speed.step, measure_step_seconds(data, *network, settings.train, control.threads));
  }
  const std::vector<std::size_t>& part = split.valid.empty() ? split.train : split.valid;
  const std::span<const std::size_t> some = std::span(part).first(std::min(part.size(), kGraphs));
  static_cast<void>(trainer.predict(some, 0));
  const auto start = Clock::now();
  static_cast<void>(trainer.predict(some, 1));
  const double per_graph = since(start) / static_cast<double>(some.size());  // with all rollouts of an evaluation
  speed.evaluation = per_graph * static_cast<double>(split.valid.size());
  const double more =
      network->draws() ? static_cast<double>(settings.train.test_rollouts) / settings.train.rollouts : 1;
  speed.test = per_graph * more * static_cast<double>(split.valid.size() + split.test.size());
  return speed;
}

double kept_for_the_end(const Speed& speed, double max_seconds) {
  return std::min(0.5 * max_seconds, 1.2 * speed.test + kAfterwards * max_seconds);
}

TrainConfig fit_to_time(const TrainConfig& train, std::size_t graphs, const Speed& speed, double seconds) {
  const double available = std::max(0.0, kMargin * seconds);
  TrainConfig fitted = train;
  TrainConfig one = train;
  one.epochs = 1;
  const auto steps = static_cast<double>(std::max<std::uint64_t>(1, training_steps(one, graphs)));
  const auto epoch_seconds = [&](std::uint64_t every) {
    return steps * speed.step + speed.evaluation / static_cast<double>(every);
  };
  const auto epochs_in = [&](std::uint64_t every) {
    return static_cast<std::uint64_t>(std::min(1e9, available / std::max(1e-12, epoch_seconds(every))));
  };
  std::uint64_t epochs = epochs_in(train.evaluate_every);
  if (epochs >= train.epochs) return fitted;
  fitted.evaluate_every = std::min(train.evaluate_every, suggested_interval(epochs));
  epochs = epochs_in(fitted.evaluate_every);
  const std::uint64_t fewest = std::min(kFewestEpochs, train.epochs);
  if (epochs >= fewest) {
    fitted.epochs = std::min(epochs, train.epochs);
    return fitted;
  }
  fitted.epochs = fewest;
  fitted.evaluate_every = 1;
  const auto number = static_cast<double>(fewest);
  double evaluations = speed.evaluation * number;
  if (evaluations > 0.5 * available) {  // looked at once, at the end
    fitted.evaluate_every = fewest;
    evaluations = speed.evaluation;
  }
  const double left = std::max(0.0, available - evaluations) / std::max(1e-12, speed.step);
  fitted.steps_per_epoch = static_cast<std::uint64_t>(std::clamp(left / number, 1.0, steps));
  return fitted;
}

}  // namespace agentnet
