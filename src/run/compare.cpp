#include "agentnet/compare.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "agentnet/error.h"
#include "classic/baselines.h"
#include "classic/learners/linear_learner.h"
#include "classic/learners/trees.h"
#include "core/files/folder.h"
#include "core/files/whole_file.h"
#include "core/json.h"
#include "data/tables/fingerprint.h"
#include "nets/kinds.h"
#include "run/advice.h"
#include "run/compare_results.h"
#include "run/cv_results.h"
#include "train/trainer.h"

namespace agentnet {
namespace {

constexpr const char* kOptions = "compare.json";
constexpr const char* kResults = "results.json";
constexpr const char* kTable = "results.csv";
constexpr const char* kCost = "cost.json";
constexpr std::uint64_t kSeedStep = 1000;  // of train.seed, from repetition to repetition; folds take the next numbers

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path place_of(const std::filesystem::path& folder, const std::string& model, std::uint64_t seed) {
  return folder / model / fmt::format("seed-{}", seed);
}

// --- The plan --------------------------------------------------------------------------------------------------------

// The quick ones first: what they say is there when the networks still train.
std::vector<std::string> default_models(const Dataset& data) {
  std::vector<std::string> models;
  if (has_liblinear()) models.emplace_back("wl");
  if (has_xgboost()) models.emplace_back("forest");
  const bool molecules = !data.schema.edges.categories.empty() && data.schema.edges.dense.empty() &&
                         data.schema.nodes.dense.empty() && !data.schema.nodes.categories.empty();
  models.emplace_back(molecules ? "gin-mol" : "gin");
  models.emplace_back("agentnet");
  std::erase_if(models, [](const std::string& name) { return builtin_kinds().find(name) == nullptr; });
  return models;
}

void check_can_fit(const std::string& name) {
  const bool linear = name == "wl" && !has_liblinear(),
             trees = (name == "forest" || name == "boosting") && !has_xgboost();
  if (!linear && !trees) return;
  throw Error(ErrorKind::kUsage, fmt::format("this build cannot fit a model of kind {}", name),
              fmt::format("install {} and build again, or leave it out of --models",
                          linear ? "liblinear-dev" : "libxgboost-dev"));
}

std::string minutes(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.1f} min", seconds / 60);
}

std::vector<Settings> settings_of(const Dataset& data, const SettingsLayers& layers, const std::string& model,
                                  const CompareOptions& options) {
  SettingsLayers own = layers;
  own.flag("model.kind", model, "--models");
  std::vector<Settings> all;
  const Settings first = own.resolve(data);
  for (std::uint64_t seed = 0; seed < options.seeds; ++seed) {
    all.push_back(first);
    all.back().split_seed += seed;
    all.back().train.seed += kSeedStep * seed;
    all.back().split = protocol_folds(data, options.cv.protocols.front(), options.cv, all.back().split_seed).spec;
  }
  return all;
}

// Seconds that all folds of all seeds take, by the time of a step on one thread.
double foretold_seconds(const Dataset& data, const Settings& settings, const CompareOptions& options, int jobs) {
  const double step = measure_step_seconds(data, *builtin_kinds().make(settings.model), settings.train, 1);
  const ProtocolFolds folds = protocol_folds(data, options.cv.protocols.front(), options.cv, settings.split_seed);
  double steps = 0;
  for (const Split& split : folds.splits) {
    steps += static_cast<double>(training_steps(settings.train, split.train.size()));
  }
  return steps * static_cast<double>(options.seeds) * step / std::max(1, jobs);
}

// --- The run ---------------------------------------------------------------------------------------------------------

// The most memory that this process has had since the last reset, in bytes; 0 where the system does not say.
class PeakMemory {
 public:
  PeakMemory() { std::ofstream("/proc/self/clear_refs") << "5"; }
  [[nodiscard]] static double bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return 1024 * std::atof(line.c_str() + 6);
    }
    return 0;
  }
};

double read_memory(const std::filesystem::path& model) {
  const std::optional<Json> json = parse_json_if_valid(read_text(model / kCost));
  return json && json->is_object() && json->contains("memory_bytes") && json->at("memory_bytes").is_number()
             ? json->at("memory_bytes").get<double>()
             : 0;
}

// Seconds that a prediction takes per graph, on one thread, with the model of the first fold.
double time_prediction(const std::filesystem::path& run, const Settings& settings, const Dataset& data,
                       const Split& split, std::string& description) {
  const Model model = Model::load(run_model_file(run));
  description = model.description();
  std::vector<GraphView> views;
  const std::vector<std::size_t>& graphs = split.test.empty() ? split.valid : split.test;
  for (const std::size_t g : graphs) views.push_back(data.graphs.view(g));
  if (views.empty()) return 0;
  PredictOptions options;
  options.rollouts = settings.train.test_rollouts;
  const auto start = std::chrono::steady_clock::now();
  static_cast<void>(predict(model, views, options));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
         static_cast<double>(views.size());
}

class Comparing {
 public:
  Comparing(const std::filesystem::path& folder, const std::vector<ComparedModel>& models, const Dataset& data,
            const CompareOptions& options, const CompareControl& control)
      : folder_(folder), models_(models), data_(data), options_(options), control_(control) {}

  Comparison run() {
    std::optional<FolderLock> lock;
    if (!control_.worker) lock.emplace(folder_);
    if (control_.worker && !help()) {
      Comparison stopped;
      stopped.interrupted = true;
      stopped.of = models_.size() * options_.seeds;
      return stopped;
    }
    Comparison result;
    result.seeds = options_.seeds;
    result.protocol = protocol_name(options_.cv.protocols.front());
    result.of = models_.size() * options_.seeds;
    for (const ComparedModel& model : models_) {
      if (!run_model(model, result)) {
        result.interrupted = true;
        return result;
      }
    }
    if (!models_.empty()) {
      const Metric metric = metric_from_name(models_.front().settings.front().train.metric);
      result.metric = metric_name(metric);
      judge(result, metric);
    }
    write_whole_file(folder_ / kTable, comparison_csv(result), FileSystem::real());
    write_whole_file(folder_ / kResults, comparison_json(result), FileSystem::real());
    return result;
  }

 private:
  // Every fold of every model that nobody is at, before any waiting for others. False if it was interrupted.
  bool help() {
    for (const ComparedModel& model : models_) {
      for (std::uint64_t seed = 0; seed < options_.seeds; ++seed) {
        if (control_.should_stop && control_.should_stop()) return false;
        CvControl control = cv_control(model.name);
        control.wait = false;
        static_cast<void>(
            cross_validate(place_of(folder_, model.name, seed), model.settings[seed], data_, options_.cv, control));
      }
    }
    return true;
  }

  // False if it was interrupted.
  bool run_model(const ComparedModel& model, Comparison& result) {
    const PeakMemory peak;
    ComparisonRow row;
    row.name = model.name;
    row.note = model.note;
    ComparisonRow constant, blind;
    constant.name = constant_baseline_name(data_.schema.task);
    blind.name = "without edges";
    std::size_t folds = 0, tested = 0, learned = 0;
    for (std::uint64_t seed = 0; seed < options_.seeds; ++seed) {
      const std::filesystem::path place = place_of(folder_, model.name, seed);
      const CvResult cv = cross_validate(place, model.settings[seed], data_, options_.cv, cv_control(model.name));
      if (cv.interrupted) return false;
      ++result.done;
      const ProtocolResult& protocol = cv.protocols.front();
      for (const FoldResult& fold : protocol.folds) {
        row.values.push_back(fold.value);
        row.parameters += static_cast<double>(fold.parameters);
        row.train_seconds += fold.seconds;
        constant.values.push_back(score_named(fold.constant, cv.metric));
        blind.values.push_back(score_named(fold.structure_blind, cv.metric));
        tested += fold.tested;
        learned += fold.train + fold.chosen_by;
        ++folds;
      }
      // A network's words say more: how its epoch is chosen.
      if (result.folds_in_words.empty() || builtin_kinds().at(model.name).fitter == nullptr) {
        result.folds_in_words = protocol.description;
      }
    }
    row.parameters /= static_cast<double>(folds);
    row.train_seconds /= static_cast<double>(folds);
    result.tested_to_learned = static_cast<double>(tested) / static_cast<double>(std::max<std::size_t>(learned, 1));
    row.memory = keep_memory(model.name);
    const Settings& first = model.settings.front();
    const ProtocolFolds splits = protocol_folds(data_, options_.cv.protocols.front(), options_.cv, first.split_seed);
    row.predict_seconds =
        time_prediction(fold_folder(place_of(folder_, model.name, 0), options_.cv.protocols.front(), 0), first, data_,
                        splits.splits.front(), row.description);
    if (result.rows.empty()) {
      result.rows.push_back(std::move(constant));
      result.rows.push_back(std::move(blind));
    }
    if (control_.say) {
      const FoldStatistics statistics = fold_statistics(row.values);
      control_.say(fmt::format("{}: {:.4f} +- {:.4f}, {} a fold", row.name, statistics.mean, statistics.error,
                               minutes(row.train_seconds)));
    }
    result.rows.push_back(std::move(row));
    return true;
  }

  // A model that was trained in an earlier session keeps what was measured then.
  [[nodiscard]] double keep_memory(const std::string& model) const {
    const double now = trained_ ? PeakMemory::bytes() : 0, before = read_memory(folder_ / model);
    const double most = std::max(now, before);
    const Json json = {{"memory_bytes", most}};
    if (most > before) write_whole_file(folder_ / model / kCost, json.dump() + "\n", FileSystem::real());
    return most;
  }

  CvControl cv_control(const std::string& model) {
    CvControl control;
    control.threads = control_.threads;
    control.jobs = control_.jobs;
    control.worker = control_.worker;
    control.should_stop = control_.should_stop;
    trained_ = false;
    control.on_fold = [this](Protocol, std::size_t, const RunResult&) { trained_ = true; };
    control.on_progress = [this, model](const CvProgress& progress) {
      if (control_.on_progress) control_.on_progress(model, progress);
    };
    return control;
  }

  const std::filesystem::path& folder_;
  const std::vector<ComparedModel>& models_;
  const Dataset& data_;
  const CompareOptions& options_;
  const CompareControl& control_;
  bool trained_ = false;  // whether the model of now was trained in this session
};

Json read_plan(const std::filesystem::path& folder) {
  const std::optional<Json> json = parse_json_if_valid(read_text(folder / kOptions));
  if (json && json->is_object()) return *json;
  throw Error(ErrorKind::kData, fmt::format("{}: not the plan of a comparison", (folder / kOptions).string()),
              "start again in another folder, or with --force");
}

}  // namespace

std::vector<ComparedModel> plan_comparison(const Dataset& data, const SettingsLayers& layers,
                                           const CompareOptions& options, int threads, int jobs,
                                           std::vector<std::string>& left_out) {
  constexpr double kShareToStay = 0.1;
  const bool chosen = options.models.empty();
  const std::vector<std::string> names = chosen ? default_models(data) : options.models;
  std::vector<ComparedModel> models;
  std::size_t networks = 0;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    const NetworkKind& kind = builtin_kinds().at(name);
    check_can_fit(name);
    if (!seen.insert(name).second) {
      throw Error(ErrorKind::kUsage, fmt::format("--models names {} twice", name), "name each model once");
    }
    networks += kind.fitter == nullptr ? 1 : 0;
    models.push_back({name, settings_of(data, layers, name, options), {}});
  }
  const double share = networks > 0 ? options.budget / static_cast<double>(networks) : 0;
  const int at_once = jobs > 0 ? std::min(jobs, threads) : threads;
  std::vector<ComparedModel> kept;
  for (ComparedModel& model : models) {
    if (builtin_kinds().at(model.name).fitter != nullptr) {
      kept.push_back(std::move(model));
      continue;
    }
    const double needed = foretold_seconds(data, model.settings.front(), options, at_once);
    const std::uint64_t epochs = model.settings.front().train.epochs;
    const double fits = needed > share ? share / needed : 1;
    if (chosen && fits < kShareToStay) {
      left_out.push_back(fmt::format("{} is left out: it would take {}, its share of the budget is {}", model.name,
                                     minutes(needed), minutes(share)));
      continue;
    }
    if (fits < 1) {
      const auto fewer = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(epochs) * fits));
      for (Settings& settings : model.settings) settings.train.epochs = fewer;
      model.note = fmt::format("{} of {} epochs fit into its share of the budget, {}", fewer, epochs, minutes(share));
    }
    kept.push_back(std::move(model));
  }
  if (kept.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("no model gets a tenth of its epochs within the budget of {}", minutes(options.budget)),
                "give more with --budget, or name the models with --models");
  }
  return kept;
}

void make_compare_folder(const std::filesystem::path& folder, const std::vector<ComparedModel>& models,
                         const CompareOptions& options, const Dataset& data, bool replace) {
  std::error_code error;
  if (std::filesystem::exists(folder, error)) {
    const bool ours = std::filesystem::exists(folder / kOptions, error);
    if (!std::filesystem::is_directory(folder, error) || (!std::filesystem::is_empty(folder, error) && !ours)) {
      throw Error(ErrorKind::kUsage, fmt::format("{} exists and holds something else", folder.string()),
                  "choose another name");
    }
    if (ours && !replace) {
      throw Error(
          ErrorKind::kUsage, fmt::format("the folder {} holds a comparison already", folder.string()),
          fmt::format("go on with it (--resume {}), replace it (--force) or choose another name", folder.string()));
    }
    if (ours) {
      const FolderLock lock(folder);
      for (const NetworkKind* kind : builtin_kinds().all()) {
        std::filesystem::remove_all(folder / std::string(kind->name), error);
      }
      for (const char* name : {kResults, kTable, "comparison.svg", kOptions}) {
        std::filesystem::remove(folder / name, error);
      }
    }
  }
  make_folder(folder);
  Json json;
  json["models"] = Json::array();
  for (const ComparedModel& model : models) {
    json["models"].push_back({{"name", model.name}, {"note", model.note}});
    make_folder(folder / model.name);
    for (std::uint64_t seed = 0; seed < options.seeds; ++seed) {
      make_cv_folder(place_of(folder, model.name, seed), model.settings[seed], options.cv, data, false);
    }
  }
  json["seeds"] = options.seeds;
  json["budget_seconds"] = options.budget;
  json["data"] = fingerprint(data);
  write_whole_file(folder / kOptions, json.dump(2) + "\n", FileSystem::real());
}

std::filesystem::path compare_config_file(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / kOptions)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} holds no comparison: there is no {} in it", folder.string(), kOptions),
                "give the folder that agentnet compare -o made");
  }
  const Json plan = read_plan(folder);
  try {
    return cv_config_file(place_of(folder, plan.at("models").at(0).at("name").get<std::string>(), 0));
  } catch (const Json::exception& e) {
    throw Error(ErrorKind::kData, fmt::format("{}: {}", (folder / kOptions).string(), e.what()),
                "start again in another folder, or with --force");
  }
}

std::vector<ComparedModel> read_comparison(const std::filesystem::path& folder, const Dataset& data,
                                           CompareOptions& options) {
  const Json plan = read_plan(folder);
  std::vector<ComparedModel> models;
  try {
    if (plan.at("data") != fingerprint(data)) {
      throw Error(ErrorKind::kMismatch,
                  fmt::format("the data {} is not what {} was begun with", data.source, folder.string()),
                  "bring the old data back, or start again in another folder");
    }
    read_member(plan, "seeds", options.seeds);
    read_member(plan, "budget_seconds", options.budget);
    for (const Json& entry : plan.at("models")) {
      ComparedModel& model = models.emplace_back();
      read_member(entry, "name", model.name);
      read_member(entry, "note", model.note);
      static_cast<void>(builtin_kinds().at(model.name));  // which also keeps the name from leading elsewhere
      for (std::uint64_t seed = 0; seed < options.seeds; ++seed) {
        const std::filesystem::path place = place_of(folder, model.name, seed);
        SettingsLayers layers;
        layers.file(cv_config_file(place));
        model.settings.push_back(layers.resolve(data));
        options.cv = read_cv_options(place);
      }
    }
  } catch (const Json::exception& e) {
    throw Error(ErrorKind::kData, fmt::format("{}: {}", (folder / kOptions).string(), e.what()),
                "start again in another folder, or with --force");
  }
  return models;
}

Comparison compare_models(const std::filesystem::path& folder, const std::vector<ComparedModel>& models,
                          const Dataset& data, const CompareOptions& options, const CompareControl& control) {
  return Comparing(folder, models, data, options, control).run();
}

Comparison resume_comparison(const std::filesystem::path& folder, const CompareControl& control) {
  SettingsLayers layers;
  layers.file(compare_config_file(folder));
  const Dataset data = read_data(layers.data_settings(), control.threads);
  CompareOptions options;
  const std::vector<ComparedModel> models = read_comparison(folder, data, options);
  return compare_models(folder, models, data, options, control);
}

}  // namespace agentnet
