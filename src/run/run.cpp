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
#include "core/files/atomic_file.h"
#include "core/files/checksum.h"
#include "core/files/folder.h"
#include "core/files/whole_file.h"
#include "data/tables/fingerprint.h"
#include "data/tables/options_json.h"
#include "nets/model_inside.h"
#include "run/metrics_log.h"
#include "run/run_ending.h"
#include "run/run_folder.h"
#include "train/checkpoint.h"
#include "train/trainer.h"

namespace agentnet {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

std::string checksum_of(const std::string& text) { return xxh3_128_hex(std::as_bytes(std::span(text))); }

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

  // `config` is the text of the run's settings file. Settings that an earlier version of the program wrote have other
  // values than the same settings written today; they are the run's own if the file is as it was.
  void check(const std::string& stored, const std::string& config) const {
    for (const auto& [name, sum] : parts_) {
      if (stored.find(name + " " + sum) != std::string::npos) continue;
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
      const RunControl& control, const RunSeams& seams)
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
        checkpoints_(folder_ / run_file::kCheckpoints, fs_) {}

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
    if (std::isnan(*record.metric) && !last_metric_ && seams_.epoch_matters) {
      const bool has_log_loss = std::ranges::find(record.valid, "log-loss", &Score::name) != record.valid.end();
      say(fmt::format("note: {} is not defined on the validation part, so the best epoch is chosen by {}",
                      metric_name(trainer_.metric()), has_log_loss ? "log loss" : "the training loss"));
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
      log_->write(fmt::format("training on {} graphs of {}, {} to choose by, {} to test on\n", split_.train.size(),
                              settings_.source, split_.valid.size(), split_.test.size()));
      return;
    }
    identity_.check(checkpoint->run, text_of(folder_ / run_file::kConfig));
    // Somebody may have removed it; whoever shows the run or compares with it needs it.
    if (!has_run_split(folder_)) write_whole_file(folder_ / run_file::kSplits, split_json(split_, data_), fs_);
    seconds_before_ = checkpoint->seconds;
    trainer_.restore(std::move(checkpoint->snapshot));
    history_ = read_metrics(folder_ / run_file::kMetrics, trainer_.state().epoch);
    for (const EpochRecord& record : history_) {
      if (record.metric) last_metric_ = record.metric;
    }
    model_changed_ = true;  // whether the model on disk is that of the checkpoint is not known
    say(fmt::format("resumed after {} epochs and {} steps", trainer_.state().epoch, trainer_.steps_done()));
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
    } else if (control_.max_seconds > 0 && seconds() >= control_.max_seconds) {
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
    if (control_.max_seconds > 0) p.seconds_left = std::min(p.seconds_left, control_.max_seconds - p.seconds);
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
  double seconds_before_ = 0;  // of earlier sessions
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

RunResult run_training(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                       const Split& split, const RunControl& control, const RunSeams& seams) {
  const NetworkKind& kind = seams.kinds->at(settings.model.kind);
  if (kind.fitter != nullptr) return run_fitting({folder, settings, data, split, control, seams}, kind);
  return Run(folder, settings, data, split, control, seams).run();
}

RunResult run_training(const std::filesystem::path& folder, const Settings& settings, const Dataset& data,
                       const Split& split, const RunControl& control) {
  return run_training(folder, settings, data, split, control, RunSeams{});
}

RunResult resume_run(const std::filesystem::path& folder, const RunControl& control) {
  const Dataset data = read_run_data(folder, control.threads);
  const Settings settings = read_run_settings(folder, data);
  const Split split = has_run_split(folder) ? read_run_split(folder, data)
                                            : make_split(data, settings.split, settings.split_seed, control.threads);
  return run_training(folder, settings, data, split, control);
}

}  // namespace agentnet
