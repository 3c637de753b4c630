#include "paper/run_experiment.h"

#include <fmt/core.h>

#include <cctype>
#include <chrono>
#include <memory>
#include <numeric>
#include <span>
#include <thread>
#include <utility>

#include "agentnet/compare.h"
#include "agentnet/error.h"
#include "agentnet/metrics.h"
#include "agentnet/predict.h"
#include "core/files/checksum.h"
#include "core/files/claims.h"
#include "core/files/folder.h"
#include "data/splits/splits.h"
#include "data/tables/statistics.h"
#include "paper/public_data.h"
#include "paper/results.h"
#include "run/run.h"
#include "train/trainer.h"

namespace agentnet {
namespace {

constexpr const char* kCvOptions = "cv.json";
constexpr const char* kClaims = "claims";
constexpr std::chrono::milliseconds kPoll(500);  // between looks at what other processes do

enum class Outcome { kDone, kStopped, kElsewhere };  // elsewhere: another process is at it

// As a claim is called: letters, digits, '-' and '_'.
std::string claim_name(const std::filesystem::path& seed_folder) {
  std::string name = seed_folder.parent_path().filename().string() + "-" + seed_folder.filename().string();
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
  }
  return name;
}

// Of what decides the result. Where the data lies does not.
std::string checksum_of(Settings settings) {
  settings.source.clear();
  const std::string text = values_of(settings);
  return xxh3_128_hex(std::as_bytes(std::span(text)));
}

Dataset read_source(const SettingsLayers& layers, int threads) {
  const Settings reading = layers.data_settings();
  DataOptions options = reading.data;
  options.threads = threads;
  return read_data(reading.source, options);
}

double measured(const Model& model, const Dataset& data, const std::vector<std::size_t>& graphs, Metric metric,
                const PredictOptions& options) {
  std::vector<GraphView> views;
  for (const std::size_t g : graphs) views.push_back(data.graphs.view(g));
  const Predictions predictions = predict(model, views, options);
  return score(metric, data.schema.task, model.outputs(), predictions.mean, targets_of(data, graphs), graphs.size());
}

std::vector<std::size_t> all_of(const Dataset& data) {
  std::vector<std::size_t> graphs(data.graphs.size());
  std::iota(graphs.begin(), graphs.end(), std::size_t{0});
  return graphs;
}

Split split_of(const Settings& settings, const Dataset& data) {
  std::vector<Split> splits = make_splits(data, settings.split, settings.split_seed);
  if (splits.size() == 1) return std::move(splits.front());
  throw Error(ErrorKind::kUsage, fmt::format("the split {} has several folds", settings.split),
              "this experiment needs one with train, valid and test");
}

// Those of the grid's point, then those of the user, who has the last word.
std::vector<std::string> assignments_of(const PaperOptions& options) {
  std::vector<std::string> all = options.point.set;
  all.insert(all.end(), options.set.begin(), options.set.end());
  return all;
}

// One seed of an experiment.
class SeedRun {
 public:
  SeedRun(const Experiment& experiment, const PaperOptions& options, const PaperControl& control, std::uint64_t seed,
          Settings settings, const Dataset& data)
      : experiment_(experiment),
        options_(options),
        control_(control),
        settings_(std::move(settings)),
        data_(data),
        folder_(seed_folder(options.folder, experiment, options.method, options.point.name, seed)) {
    result_.experiment = experiment.name;
    result_.method = options.method;
    result_.point = options.point.name;
    result_.scale = scale_name(options.scale);
    result_.settings = checksum_of(settings_);
    result_.seed = seed;
    result_.metric = settings_.train.metric;
  }

  Outcome run(ClaimFolder& claims) {
    if (const auto before = read_seed_result(folder_)) {
      if (before->settings == result_.settings) return Outcome::kDone;
      throw Error(ErrorKind::kMismatch,
                  fmt::format("{} was run with other settings (scale {})", folder_.string(), before->scale),
                  "name another folder with -o, or remove this one");
    }
    const bool folds = experiment_.test_on == TestOn::kFolds;  // which processes share; else one of them has the seed
    const std::unique_ptr<Claim> claim = folds ? nullptr : claims.claim(claim_name(folder_));
    if (!folds && (claim == nullptr || is_at_work_in(folder_))) return Outcome::kElsewhere;
    if (!folds && read_seed_result(folder_)) return run(claims);
    if (control_.say) {
      control_.say(fmt::format("{}, seed {}: {}", experiment_.name, result_.seed, folder_.string()));
    }
    if (!(folds ? run_folds(claims) : run_once(*claim))) {
      return claim != nullptr && !claim->held() ? Outcome::kElsewhere : Outcome::kStopped;
    }
    write_seed_result(folder_, result_);
    return Outcome::kDone;
  }

 private:
  bool run_once(const Claim& claim) {
    make_folder(folder_);
    const Split split = learns_in_sight() ? first_graphs_learn() : split_of(settings_, data_);
    RunControl control;
    control.threads = control_.threads;
    control.checkpoint_seconds = control_.checkpoint_seconds;
    control.say = control_.say;
    control.should_stop = [&] { return !claim.held() || (control_.should_stop && control_.should_stop()); };
    control.on_step = [&](const RunProgress& p) {
      if (!control_.on_progress) return;
      std::string text = fmt::format("{}, seed {}: epoch {}/{}  loss {:.4f}", experiment_.name, result_.seed, p.epoch,
                                     p.epochs, p.loss);
      if (p.metric) text += fmt::format("  {} {:.4f}", result_.metric, *p.metric);
      control_.on_progress(static_cast<double>(p.steps) / static_cast<double>(p.steps_in_all), text);
    };
    const RunResult run = run_training(folder_, settings_, data_, split, control);
    if (run.ending == Ending::kInterrupted) return false;
    result_.epoch = run.best_epoch;
    result_.seconds = run.seconds;
    if (learns_in_sight()) {
      keep_curve(run, split.valid.size());
    } else {
      test(split);
    }
    return true;
  }

  [[nodiscard]] bool learns_in_sight() const { return experiment_.test_on == TestOn::kWhileLearning; }

  // As many of each class are learned from, the first of the set, and the others are tested on (training_graphs()).
  [[nodiscard]] Split first_graphs_learn() const {
    const std::size_t learned = data_.graphs.size() - experiment_.at(options_.scale).fresh;
    const std::size_t classes = data_.schema.classes.size();
    std::vector<std::size_t> of_class(classes, 0);
    Split split;
    for (std::size_t g = 0; g < data_.graphs.size(); ++g) {
      std::size_t& taken = of_class.at(static_cast<std::size_t>(data_.graphs.targets(g)[0]));
      const bool learns = split.train.size() < learned && taken < (learned + classes - 1) / classes;
      if (learns) ++taken;
      (learns ? split.train : split.valid).push_back(g);
    }
    return split;
  }

  // The figure is that of the last step: nothing is chosen by what is tested on.
  void keep_curve(const RunResult& run, std::size_t fresh) {
    for (const EpochRecord& record : run.history) {
      if (record.metric) result_.curve.emplace_back(record.steps, *record.metric);
    }
    result_.tested_on = fmt::format("{} fresh graphs", fresh);
    result_.parameters = run.parameters;
    result_.rollouts = settings_.train.rollouts;
    if (!result_.curve.empty()) result_.one_rollout = {result_.curve.back().second};
  }

  void test(const Split& split) {
    const Model model = Model::load(folder_ / "model.safetensors");
    result_.parameters = model.parameters().size();
    result_.rollouts = settings_.train.test_rollouts;
    PredictOptions options;
    options.seed = settings_.train.seed;
    options.threads = control_.threads;
    const auto measure = [&](const Dataset& data, const std::vector<std::size_t>& graphs) {
      const Metric metric = metric_from_name(result_.metric);
      options.rollouts = 1;
      result_.one_rollout = {measured(model, data, graphs, metric, options)};
      options.rollouts = result_.rollouts;
      result_.averaged = {measured(model, data, graphs, metric, options)};
    };
    if (experiment_.test_on == TestOn::kFreshGraphs) {
      Dataset fresh = read_data(fresh_graphs(experiment_, options_.scale, result_.seed), settings_.data);
      fit_to_model(fresh, model, /*with_targets=*/true);
      result_.tested_on = fmt::format("{} fresh graphs", fresh.graphs.size());
      measure(fresh, all_of(fresh));
    } else {
      result_.tested_on = fmt::format("{} graphs of the test part", split.test.size());
      measure(data_, split.test);
      result_.valid = {measured(model, data_, split.valid, metric_from_name(result_.metric), options)};
    }
  }

  // One process makes the folder, and all of them work in it.
  void make_folds(const CvOptions& cv, ClaimFolder& claims) {
    while (!std::filesystem::exists(folder_ / kCvOptions)) {
      const std::unique_ptr<Claim> claim = claims.claim(claim_name(folder_) + "-folder");
      if (claim == nullptr) {
        std::this_thread::sleep_for(kPoll);
      } else if (!std::filesystem::exists(folder_ / kCvOptions)) {
        make_cv_folder(folder_, settings_, cv, data_, /*replace=*/true);
      }
    }
    check_cv_data(folder_, data_);
  }

  bool run_folds(ClaimFolder& claims) {
    CvOptions cv;
    cv.protocols = {Protocol::kGin};  // the paper's figures are made this way
    cv.folds = experiment_.at(options_.scale).folds;
    check_protocols(cv, settings_.train);
    make_folds(cv, claims);
    CvControl control;
    control.worker = true;
    control.threads = control_.threads;
    control.checkpoint_seconds = control_.checkpoint_seconds;
    control.say = control_.say;
    control.should_stop = control_.should_stop;
    control.on_progress = [&](const CvProgress& p) {
      if (!control_.on_progress) return;
      control_.on_progress(p.fraction, fmt::format("{}, seed {}: {} of {} folds done", experiment_.name, result_.seed,
                                                   p.folds_done, p.folds));
    };
    const CvResult run = cross_validate(folder_, settings_, data_, cv, control);
    if (run.interrupted) return false;
    const ProtocolResult& gin = run.protocols.front();
    result_.epoch = gin.epoch;
    result_.rollouts = gin.rollouts;
    for (const FoldResult& fold : gin.folds) {
      result_.one_rollout.push_back(fold.value);
      result_.parameters = fold.parameters;
      result_.seconds += fold.seconds;
    }
    result_.tested_on = fmt::format("{} folds, epoch {} of all (protocol gin)", gin.folds.size(), gin.epoch);
    return true;
  }

  const Experiment& experiment_;
  const PaperOptions& options_;
  const PaperControl& control_;
  const Settings settings_;
  const Dataset& data_;
  const std::filesystem::path folder_;
  SeedResult result_;
};

}  // namespace

std::filesystem::path experiment_folder(const std::filesystem::path& folder, const Experiment& experiment,
                                        const std::string& method, const std::string& point) {
  std::string name = experiment.name;
  if (!method.empty()) name += "--" + method;
  if (!point.empty()) name += "@" + point;
  return folder / name;
}

std::filesystem::path seed_folder(const std::filesystem::path& folder, const Experiment& experiment,
                                  const std::string& method, const std::string& point, std::uint64_t seed) {
  return experiment_folder(folder, experiment, method, point) / fmt::format("seed-{}", seed);
}

std::string experiment_source(const Experiment& experiment, const PaperOptions& options, std::uint64_t seed) {
  if (is_built_in(experiment)) {
    return training_graphs(experiment, options.method, options.scale, seed, assignments_of(options));
  }
  // In full, so that a run goes on from wherever it is taken up.
  const std::string found = find_public_set(experiment.data, options.data, options.folder / "data");
  return std::filesystem::absolute(found).lexically_normal().string();
}

Settings resolved_settings(const SettingsLayers& layers, const Dataset& data) { return layers.resolve(data); }

bool run_experiment(const Experiment& experiment, const PaperOptions& options, const PaperControl& control) {
  const std::size_t seeds = options.seeds.value_or(experiment.at(options.scale).seeds);
  std::optional<Dataset> data;
  ClaimFolder claims(options.folder / kClaims);
  bool elsewhere = false;
  for (std::uint64_t seed = 0; seed < seeds || elsewhere; ++seed) {
    if (seed == seeds) {  // once more, for those that others were at
      seed = 0;
      elsewhere = false;
      std::this_thread::sleep_for(kPoll);
      if (control.should_stop && control.should_stop()) return false;
    }
    const std::string source = experiment_source(experiment, options, seed);
    const SettingsLayers layers =
        experiment_settings(experiment, options.method, options.scale, seed, source, assignments_of(options));
    if (!data || is_built_in(experiment)) data = read_source(layers, control.threads);
    SeedRun run(experiment, options, control, seed, resolved_settings(layers, *data), *data);
    const Outcome outcome = run.run(claims);
    if (outcome == Outcome::kStopped) return false;
    elsewhere = elsewhere || outcome == Outcome::kElsewhere;
  }
  return true;
}

}  // namespace agentnet
