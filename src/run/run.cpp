#include "run/run.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "agentnet/error.h"
#include "core/counted.h"
#include "core/files/atomic_file.h"
#include "core/files/checksum.h"
#include "core/files/folder.h"
#include "core/files/whole_file.h"
#include "data/tables/fingerprint.h"
#include "data/tables/options_json.h"
#include "nets/model_inside.h"
#include "run/advice.h"
#include "run/ending_notes.h"
#include "run/metrics_log.h"
#include "run/run_ending.h"
#include "run/run_folder.h"
#include "run/time_plan.h"
#include "train/checkpoint.h"
#include "train/trainer.h"

namespace agentnet {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

std::string checksum_of(const std::string& text) { return xxh3_128_hex(std::as_bytes(std::span(text))); }

// As they were before the last entry of train.extended.
Settings before_extension(const Settings& settings) {
  Settings shorter = settings;
  shorter.train.epochs = stages_of(settings.train).end()[-2].epochs;
  shorter.train.extended.pop_back();
  return shorter;
}

// What a checkpoint belongs to, as "settings X, split Y, data Z".
class RunIdentity {
 public:
  RunIdentity(const Settings& settings, const Split& split, const Dataset& data, const KindTable& kinds)
      : settings_(settings),
        kinds_(kinds),
        parts_{{"settings", checksum_of(values_of(settings, kinds))},
               {"split", checksum_of(split_json(split, data))},
               {"data", fingerprint(data)}} {}

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const auto& [name, sum] : parts_) all += (all.empty() ? "" : ", ") + name + " " + sum;
    return all;
  }

  // Whether the checkpoint is of these settings as they were before the run was extended the last time, which is noted
  // in the settings file first.
  [[nodiscard]] bool is_of_shorter_run(const std::string& stored) const {
    if (settings_.train.extended.empty()) return false;
    return stored.find("settings " + checksum_of(values_of(before_extension(settings_), kinds_))) != std::string::npos;
  }

  // `config` is the text of the run's settings file. Settings that an earlier version of the program wrote have other
  // values than the same settings written today; they are the run's own if the file is as it was.
  void check(const std::string& stored, const std::string& config) const {
    for (const auto& [name, sum] : parts_) {
      if (stored.find(name + " " + sum) != std::string::npos) continue;
      if (name == "settings" && is_of_shorter_run(stored)) continue;
      if (name == "settings" && !config.empty() && says(config, "settings", settings_, kinds_) &&
          stored.find(name + " " + checksum_of(values_of_toml(config, "settings"))) != std::string::npos) {
        continue;
      }
      throw Error(ErrorKind::kMismatch, fmt::format("the checkpoint was made with other {}", name),
                  "undo the change, or start a new run in another folder");
    }
  }

 private:
  const Settings& settings_;
  const KindTable& kinds_;
  std::vector<std::pair<std::string, std::string>> parts_;
};

std::string epoch_line(const EpochRecord& record, std::string_view metric) {
  std::string text = fmt::format("epoch {}  steps {}  loss {:.6g}", record.epoch, record.steps, record.loss);
  if (record.metric) text += fmt::format("  valid {} {:.6g}{}", metric, *record.metric, record.best ? " (best)" : "");
  return text + fmt::format("  {:.1f} s", record.seconds);
}

// Empty if there is no such file.
std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Run {
 public:
  Run(std::filesystem::path folder, const Settings& settings, const Dataset& data, const Split& split,
      const RunControl& control, const RunSeams& seams, double seconds_before, double kept_for_the_end)
      : folder_(std::move(folder)),
        settings_(settings),
        data_(data),
        split_(split),
        control_(control),
        seams_(seams),
        fs_(*seams.fs),
        identity_(settings, split, data, *seams.kinds),
        pool_(control.threads),
        trainer_(data, split, seams.kinds->make(settings.model), settings.train, pool_),
        checkpoints_(folder_ / run_file::kCheckpoints, fs_),
        seconds_before_(seconds_before),
        kept_for_the_end_(kept_for_the_end) {}

  RunResult run() {
    const FolderLock lock(folder_);
    take_up();
    MetricsLog metrics(folder_, metric_names(), history_, fs_);
    start_ = last_save_ = Clock::now();
    Ending ending = Ending::kFinished;
    while (!trainer_.finished()) {
      if (stop_asked_for(ending)) break;
      const double factor = trainer_.state().rate_factor;
      if (auto record = step(metrics)) {
        record->seconds = seconds();
        metrics.add(*record);
        log_->write(epoch_line(*record, metric_name(trainer_.metric())) + "\n");
        look_at(*record);
        if (record->best) model_changed_ = true;
        if (control_.on_epoch) control_.on_epoch(*record);
        history_.push_back(std::move(*record));
      } else if (trainer_.state().rate_factor != factor) {
        say(
            fmt::format("the loss was not a finite number in epoch {}: the epoch starts again with a tenth of the "
                        "learning rate",
                        trainer_.state().epoch + 1));
      }
      report_progress();
      if (since(last_save_) >= control_.checkpoint_seconds) save(metrics);
    }
    if (ending == Ending::kFinished && trainer_.state().out_of_patience) ending = Ending::kOutOfPatience;
    if (trainer_.state().best_epoch == 0) model_changed_ = true;  // nothing was compared: the model is that of now
    save(metrics);
    return finish(ending);
  }

 private:
  static double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
  [[nodiscard]] double seconds() const { return seconds_before_ + since(start_); }

  // Training that cannot go on leaves what it has reached: the best model, the curves and the reason.
  std::optional<EpochRecord> step(MetricsLog& metrics) {
    try {
      return trainer_.step();
    } catch (const Error& error) {
      const bool has_best = trainer_.state().best_epoch > 0;
      try {
        log_->write(fmt::format("error: {}\n", error.what()));
        if (has_best) save_model();
        metrics.sync();
        log_->sync();
      } catch (const Error& another) {
        if (control_.say) control_.say(another.what());  // the reason is worth more
      }
      if (!has_best) throw;
      throw Error(
          error.kind(), error.what(),
          fmt::format("{}; the best model so far is in {}", error.hint(), (folder_ / run_file::kModel).string()));
    }
  }

  void look_at(const EpochRecord& record) {
    if (!record.metric) return;
    const auto chooser = std::ranges::find(record.valid, metric_name(trainer_.chooser()), &Score::name);
    const bool defined = chooser != record.valid.end() && !std::isnan(chooser->value);
    if (!defined && !last_metric_ && seams_.epoch_matters) {
      const bool has_log_loss = std::ranges::find(record.valid, "log-loss", &Score::name) != record.valid.end();
      say(fmt::format("note: {} is not defined on the validation part, so the best epoch is chosen by {}",
                      metric_name(trainer_.chooser()), has_log_loss ? "log loss" : "the training loss"));
    }
    last_metric_ = record.metric;
  }

  void say(const std::string& text) {
    log_->write(text + "\n");
    if (control_.say) control_.say(text);
  }

  // The config makes the folder a run, and comes first; the rest can be made again from it.
  void take_up() {
    remove_abandoned_files(folder_);
    remove_abandoned_files(folder_ / run_file::kCheckpoints);
    std::vector<std::string> damaged;
    std::optional<Checkpoint> checkpoint = checkpoints_.load(&damaged);
    if (!checkpoint) {
      write_whole_file(folder_ / run_file::kConfig, to_toml(settings_, *seams_.kinds), fs_);
      write_whole_file(folder_ / run_file::kSplits, split_json(split_, data_), fs_);
    }
    log_.emplace(folder_ / run_file::kLog, fs_);
    for (const std::string& message : damaged) say("a checkpoint is damaged and not used: " + message);
    if (!checkpoint) {
      log_->write(fmt::format("training on {} of {}, {} to choose by, {} to test on\n",
                              counted(split_.train.size(), "graph"), settings_.source, split_.valid.size(),
                              split_.test.size()));
      return;
    }
    identity_.check(checkpoint->run, text_of(folder_ / run_file::kConfig));
    // Somebody may have removed it; whoever shows the run or compares with it needs it.
    if (!has_run_split(folder_)) write_whole_file(folder_ / run_file::kSplits, split_json(split_, data_), fs_);
    seconds_before_ += checkpoint->seconds;
    trainer_.restore(std::move(checkpoint->snapshot));
    history_ = read_metrics(folder_ / run_file::kMetrics, trainer_.state().epoch);
    for (const EpochRecord& record : history_) {
      if (record.metric) last_metric_ = record.metric;
    }
    model_changed_ = true;  // whether the model on disk is that of the checkpoint is not known
    say(fmt::format("resumed after {} and {}", counted(trainer_.state().epoch, "epoch"),
                    counted(trainer_.steps_done(), "step")));
    if (identity_.is_of_shorter_run(checkpoint->run)) {
      log_->write(fmt::format("the run is extended to {} epochs\n", settings_.train.epochs));
    }
  }

  [[nodiscard]] std::vector<std::string> metric_names() const {
    std::vector<std::string> names;
    if (split_.valid.empty()) return names;
    for (const Metric metric : metrics_for(data_.schema.task)) names.emplace_back(metric_name(metric));
    return names;
  }

  bool stop_asked_for(Ending& ending) {
    if (control_.should_stop && control_.should_stop()) {
      ending = Ending::kInterrupted;
    } else if (control_.max_seconds > 0 && seconds() >= control_.max_seconds - kept_for_the_end_) {
      ending = Ending::kOutOfTime;
    } else {
      return false;
    }
    return true;
  }

  void report_progress() {
    graphs_ += trainer_.last_batch();
    if (!control_.on_step) return;
    const double here = since(start_);
    const std::uint64_t done = trainer_.steps_done(), all = trainer_.steps_in_all();
    ++steps_here_;
    RunProgress p;
    p.epoch = std::min(trainer_.state().epoch + 1, trainer_.config().epochs);
    p.epochs = trainer_.config().epochs;
    p.steps = done;
    p.steps_in_all = all;
    p.loss = trainer_.last_loss();
    p.metric = last_metric_;
    p.seconds = seconds();
    p.graphs_per_second = here > 0 ? static_cast<double>(graphs_) / here : 0;
    p.seconds_left = here / static_cast<double>(steps_here_) * static_cast<double>(all - done);
    if (control_.max_seconds > 0) {
      p.seconds_left = std::min(p.seconds_left, std::max(0.0, control_.max_seconds - kept_for_the_end_ - p.seconds));
    }
    control_.on_step(p);
  }

  // The curves and the model first, the checkpoint last: what it leads to is then already there, or will be made again.
  void save(MetricsLog& metrics) {
    metrics.sync();
    log_->sync();
    if (model_changed_) save_model();
    Checkpoint checkpoint;
    checkpoint.snapshot = trainer_.snapshot();
    checkpoint.seconds = seconds();
    checkpoint.run = identity_.text();
    checkpoints_.save(std::move(checkpoint));
    last_save_ = Clock::now();
  }

  void save_model() {
    const Model model = best_model();
    ModelInside::save(model, folder_ / run_file::kModel, fs_);
    model_changed_ = false;
  }

  [[nodiscard]] Model best_model() const {
    Model model = trainer_.best_model();
    model.card().reading = to_json(settings_.data);
    model.card().training["data"] = settings_.source;
    return model;
  }

  RunResult finish(Ending ending) {
    RunResult result;
    result.ending = ending;
    result.epochs = trainer_.state().epoch;
    result.best_epoch = trainer_.state().best_epoch > 0 ? trainer_.state().best_epoch : result.epochs;
    result.metric = metric_name(trainer_.metric());
    result.seconds = seconds();
    result.history = std::move(history_);
    result.parameters = trainer_.parameter_count();
    result.chance_loss = trainer_.chance_loss();
    result.left_chance = trainer_.state().left_chance;
    if (ending != Ending::kInterrupted) {
      result.still_falling = ending != Ending::kOutOfPatience && still_falling(result.history, result.best_epoch);
      result.notes = ending_notes(result, folder_, trainer_.config().epochs);
    }
    finish_run({folder_, settings_, data_, split_, control_, seams_}, *log_, result);
    return result;
  }

  std::filesystem::path folder_;
  const Settings& settings_;
  const Dataset& data_;
  const Split& split_;
  const RunControl& control_;
  const RunSeams& seams_;
  FileSystem& fs_;
  RunIdentity identity_;
  ThreadPool pool_;
  Trainer trainer_;
  CheckpointFolder checkpoints_;
  std::optional<AppendFile> log_;
  std::vector<EpochRecord> history_;
  std::optional<double> last_metric_;
  bool model_changed_ = true;
  Clock::time_point start_ = Clock::now(), last_save_ = start_;
  double seconds_before_;    // of earlier sessions
  double kept_for_the_end_;  // of control_.max_seconds
  std::uint64_t graphs_ = 0, steps_here_ = 0;
};

}  // namespace

std::string_view ending_name(Ending ending) {
  switch (ending) {
    case Ending::kFinished:
      return "finished";
    case Ending::kOutOfPatience:
      return "out of patience";
    case Ending::kOutOfTime:
      return "out of time";
    case Ending::kInterrupted:
      break;
  }
  return "interrupted";
}

namespace {

// Whether the folder has a run of these settings, but for what a time may have changed of them; they become those of
// the run.
bool take_planned(const std::filesystem::path& folder, Settings& settings, const RunSeams& seams) {
  const std::string config = text_of(folder / run_file::kConfig);
  if (config.empty() || !CheckpointFolder(folder / run_file::kCheckpoints).load()) return false;
  SettingsLayers layers = SettingsInside::with_kinds(*seams.kinds);
  layers.text(config, (folder / run_file::kConfig).string());
  const TrainConfig its = layers.data_settings().train;
  Settings planned = settings;
  planned.train.epochs = its.epochs;
  planned.train.steps_per_epoch = its.steps_per_epoch;
  planned.train.evaluate_every = its.evaluate_every;
  if (says(config, "settings", planned, *seams.kinds)) settings = planned;
  return true;
}

// With a limit of time: what of the training fits into it, and what is kept of it for the end.
struct Timed {
  Settings settings;
  double seconds = 0, kept = 0;  // spent on measuring; kept for the end
};

Timed fit_run_to_time(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                      const Split& split, const RunControl& control, const RunSeams& seams) {
  Timed timed{settings};
  if (control.max_seconds <= 0) return timed;
  const auto start = Clock::now();
  const bool began = take_planned(folder, timed.settings, seams);
  const Speed speed = seams.speed ? *seams.speed : measure_speed(timed.settings, data, split, control, seams);
  timed.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  timed.kept = kept_for_the_end(speed, control.max_seconds);
  if (began) return timed;
  TrainConfig& train = timed.settings.train;
  train = fit_to_time(train, split.train.size(), speed, control.max_seconds - timed.seconds - timed.kept);
  if (train == settings.train || !control.say) return timed;
  TrainConfig one = train;
  one.epochs = 1;
  control.say(
      fmt::format("there is time for {} epochs of {} steps (of {} epochs), at {:.3g} s a step; the schedule ends "
                  "with them",
                  train.epochs, training_steps(one, split.train.size()), settings.train.epochs, speed.step));
  return timed;
}

}  // namespace

RunResult run_training(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                       const Split& split, const RunControl& control, const RunSeams& seams) {
  const NetworkKind& kind = seams.kinds->at(settings.model.kind);
  if (kind.fitter != nullptr) return run_fitting({folder, settings, data, split, control, seams}, kind);
  const Timed timed = fit_run_to_time(folder, settings, data, split, control, seams);
  return Run(folder, timed.settings, data, split, control, seams, timed.seconds, timed.kept).run();
}

RunResult run_training(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                       const Split& split, const RunControl& control) {
  return run_training(folder, settings, data, split, control, RunSeams{});
}

Settings extend_run(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                    const Split& split, std::uint64_t epochs) {
  const KindTable& kinds = builtin_kinds();
  if (kinds.at(settings.model.kind).fitter != nullptr) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} is fitted as a whole: there are no epochs to add", settings.model.kind),
                "train a network, or start anew with other options");
  }
  const FolderLock lock(folder);
  const std::filesystem::path config = run_config_file(folder);
  const RunIdentity identity(settings, split, data, kinds);
  CheckpointFolder checkpoints(folder / run_file::kCheckpoints);
  Settings longer = settings;
  longer.train.epochs = epochs;
  if (std::optional<Checkpoint> checkpoint = checkpoints.load()) {
    identity.check(checkpoint->run, text_of(config));
    if (epochs == settings.train.epochs) return settings;  // which is to go on
    const Snapshot& state = checkpoint->snapshot;
    // An extension that nothing was trained with is replaced.
    const bool unused = identity.is_of_shorter_run(checkpoint->run);
    const Settings now = unused ? before_extension(settings) : settings;
    longer.train.extended = now.train.extended;
    // Where it has not ended, the schedule changes with the next epoch.
    const bool ended = state.out_of_patience || state.epoch >= now.train.epochs;
    const std::uint64_t from = ended ? state.epoch : state.epoch + 1;
    if (epochs <= from && epochs != now.train.epochs) {
      throw Error(ErrorKind::kUsage, fmt::format("the run has had {} epochs, so {} cannot be all", from, epochs),
                  fmt::format("give more: --epochs {}", 2 * from));
    }
    if (epochs != now.train.epochs) longer.train.extended.push_back(fmt::format("{}/{}", from, now.train.epochs));
    // The checkpoint says what it belongs to in words of this version before the settings change; whoever is killed
    // between the two, or after, finds a run that can be taken up.
    if (!unused && checkpoint->run != identity.text()) {
      checkpoint->run = identity.text();
      checkpoints.save(*checkpoint);
    }
  }
  write_whole_file(config, to_toml(longer, kinds), FileSystem::real());
  return longer;
}

RunResult resume_run(const std::filesystem::path& folder, const RunControl& control) {
  const Dataset data = read_run_data(folder, control.threads);
  const Settings settings = read_run_settings(folder, data);
  const Split split = has_run_split(folder) ? read_run_split(folder, data)
                                            : make_split(data, settings.split, settings.split_seed, control.threads);
  return run_training(folder, settings, data, split, control);
}

}  // namespace agentnet
