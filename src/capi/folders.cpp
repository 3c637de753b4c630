// Runs, cross-validations and comparisons, which keep folders.
#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "agentnet/compare.h"
#include "agentnet/error.h"
#include "agentnet/run.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/layers.h"
#include "capi/subject.h"
#include "run/metrics_log.h"
#include "train/trainer.h"

namespace agentnet::capi {

Subject subject_of(const agentnet_set* set, const char* settings, int threads) {
  if (set != nullptr) return {set->data, layers_for(*set, settings)};
  SettingsLayers layers;
  layers.json(&required(settings, "settings"), "settings");
  auto data = std::make_shared<const Dataset>(read_data(layers.data_settings(), threads));
  return {std::move(data), std::move(layers)};
}

Subject resumed(const agentnet_set* set, const std::filesystem::path& config, int threads) {
  SettingsLayers layers;
  layers.file(config);
  if (set != nullptr) return {set->data, std::move(layers)};
  if (layers.data_settings().source.empty()) {
    throw Error(ErrorKind::kUsage, "the folder does not say where its data is", "give the set as well");
  }
  auto data = std::make_shared<const Dataset>(read_data(layers.data_settings(), threads));
  return {std::move(data), std::move(layers)};
}

Json checked_options(const char* options, const std::vector<std::string>& names) {
  Json json = options_object(options, "options");
  check_names(json, names, "options");
  return json;
}

void interrupted(std::size_t done, std::size_t of, const char* what) {
  throw Error(ErrorKind::kInterrupted,
              fmt::format("interrupted, {} of {} {} are done; nothing is lost", done, of, what),
              "the same call without settings goes on");
}

namespace {

Json parts_json(const RunResult& result) {
  Json parts = Json::object();
  for (const PartScores& part : result.parts) {
    parts[part.name] = {{"graphs", part.graphs},
                        {"model", scores_json(part.model)},
                        {result.constant_name, scores_json(part.constant)},
                        {"structure-blind", scores_json(part.structure_blind)}};
    if (!part.bootstrap.intervals.empty()) parts[part.name]["intervals"] = bootstrap_json(part.bootstrap);
    if (!part.by_target.empty()) parts[part.name]["targets"] = scores_json(part.by_target);
  }
  return parts;
}

Json summary_of(const RunResult& result, const std::filesystem::path& folder) {
  return {{"ending", ending_name(result.ending)},
          {"epochs", result.epochs},
          {"best_epoch", result.best_epoch},
          {"metric", result.metric},
          {"rollouts", result.rollouts},
          {"parameters", result.parameters},
          {"seconds", result.seconds},
          {"parts", parts_json(result)},
          {"model", run_model_file(folder).string()}};
}

RunControl run_control(const Caller& caller, const Json& options) {
  RunControl control;
  control.threads = caller.threads();
  control.max_seconds = option_or(options, "max_seconds", control.max_seconds);
  control.checkpoint_seconds = option_or(options, "checkpoint_seconds", control.checkpoint_seconds);
  control.say = caller.say();
  control.on_epoch = [&caller](const EpochRecord& record) {
    Json event = {{"event", "epoch"}};
    event.update(parse_json(record_to_json(record), "record"));
    caller.tell(event);
  };
  control.on_step = [&caller](const RunProgress& p) {
    caller.tell_now_and_then([&] {
      return Json{{"event", "step"}, {"done", p.steps}, {"of", p.steps_in_all}, {"loss", p.loss}};
    });
  };
  control.should_stop = [&caller] { return caller.stopped(); };
  return control;
}

RunResult run_in(const std::filesystem::path& folder, const agentnet_set* set, const char* settings_text,
                 const Json& options, const Caller& caller) {
  const RunControl control = run_control(caller, options);
  if (settings_text == nullptr) {
    if (set == nullptr) return resume_run(folder, control);
    const Dataset& data = *set->data;
    const Settings settings = read_run_settings(folder, data);
    const Split split = has_run_split(folder) ? read_run_split(folder, data)
                                              : make_split(data, settings.split, settings.split_seed, control.threads);
    return run_training(folder, settings, data, split, control);
  }
  const Subject subject = subject_of(set, settings_text, control.threads);
  const Settings settings = subject.layers->resolve(*subject.data);
  const Split split = make_split(*subject.data, settings.split, settings.split_seed, control.threads);
  check_training(*subject.data, split, settings.train);
  make_run_folder(folder, option_or(options, "force", false));
  return run_training(folder, settings, *subject.data, split, control);
}

// As the program's: the folds that the first protocol makes are the split of the settings, unless there is one.
CvOptions cv_options(const Json& options, const SettingsLayers& layers) {
  CvOptions cv;
  cv.protocols = protocols_named(option_or(options, "protocol", std::string("fair")));
  cv.folds = option_or(options, "folds", cv.folds);
  cv.split = option_or(options, "split", layers.data_settings().split);
  return cv;
}

std::string cross_validate_in(const std::filesystem::path& folder, const agentnet_set* set, const char* settings_text,
                              const Json& json, const Caller& caller) {
  const bool resuming = settings_text == nullptr;
  Subject subject = resuming ? resumed(set, cv_config_file(folder), caller.threads())
                             : subject_of(set, settings_text, caller.threads());
  const Dataset& data = *subject.data;
  if (resuming) check_cv_data(folder, data);
  const CvOptions options = resuming ? read_cv_options(folder) : cv_options(json, *subject.layers);
  if (!resuming) {
    const std::uint64_t seed = subject.layers->data_settings().split_seed;
    subject.layers->flag("data.split", protocol_folds(data, options.protocols.front(), options, seed).spec, "split");
  }
  const Settings settings = subject.layers->resolve(data);
  check_protocols(options, settings.train);
  check_folds(options, settings, data);
  if (!resuming) make_cv_folder(folder, settings, options, data, option_or(json, "force", false));
  CvControl control;
  control.threads = caller.threads();
  control.jobs = option_or(json, "jobs", 0);
  control.max_seconds = option_or(json, "max_seconds", 0.0);
  control.only = option_or(json, "only_folds", control.only);
  control.say = caller.say();
  control.on_progress = [&](const CvProgress& p) {
    caller.tell_now_and_then([&] {
      return Json{{"event", "folds"},
                  {"protocol", protocol_name(p.protocol)},
                  {"done", p.folds_done},
                  {"of", p.folds},
                  {"fraction", p.fraction}};
    });
  };
  control.should_stop = [&] { return caller.stopped(); };
  const CvResult result = cross_validate(folder, settings, data, options, control);
  if (result.interrupted || result.protocols.empty()) interrupted(result.done, result.of, "folds");
  return results_json(result, settings, data);
}

std::string compare_in(const std::filesystem::path& folder, const agentnet_set* set, const char* settings_text,
                       const Json& json, const Caller& caller) {
  const bool resuming = settings_text == nullptr;
  const Subject subject = resuming ? resumed(set, compare_config_file(folder), caller.threads())
                                   : subject_of(set, settings_text, caller.threads());
  const Dataset& data = *subject.data;
  const int jobs = option_or(json, "jobs", 0);
  CompareOptions options;
  std::vector<ComparedModel> models;
  if (resuming) {
    models = read_comparison(folder, data, options);
  } else {
    options.models = option_or(json, "models", options.models);
    options.cv = cv_options(json, *subject.layers);
    options.seeds = option_or(json, "seeds", options.seeds);
    options.budget = option_or(json, "budget", options.budget);
    std::vector<std::string> left_out;
    models = plan_comparison(data, *subject.layers, options, caller.threads(), jobs, left_out);
    for (const ComparedModel& model : models) {
      check_protocols(options.cv, model.settings.front().train);
      for (const Settings& settings : model.settings) check_folds(options.cv, settings, data);
    }
    make_compare_folder(folder, models, options, data, option_or(json, "force", false));
    if (const auto say = caller.say()) {
      for (const std::string& line : left_out) say(line);
    }
  }
  CompareControl control;
  control.threads = caller.threads();
  control.jobs = jobs;
  control.say = caller.say();
  control.on_progress = [&](const std::string& model, const CvProgress& p) {
    caller.tell_now_and_then([&] {
      return Json{
          {"event", "folds"}, {"model", model}, {"done", p.folds_done}, {"of", p.folds}, {"fraction", p.fraction}};
    });
  };
  control.should_stop = [&] { return caller.stopped(); };
  const Comparison result = compare_models(folder, models, data, options, control);
  if (result.interrupted) interrupted(result.done, result.of, "cross-validations");
  return comparison_json(result);
}

const std::vector<std::string> kCvOptions = {"protocol", "folds", "split", "jobs", "force"};

}  // namespace
}  // namespace agentnet::capi

using namespace agentnet;        // NOLINT: these functions stand outside of namespaces
using namespace agentnet::capi;  // NOLINT

int agentnet_run(const char* folder, const agentnet_set* set, const char* settings, const char* options,
                 const agentnet_control* control, char** summary, agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    auto& out = required(summary, "summary");
    const std::filesystem::path path = &required(folder, "folder");
    const Json json = checked_options(options, {"force", "max_seconds", "checkpoint_seconds"});
    out = new_text(summary_of(run_in(path, set, settings, json, caller), path).dump());
  });
}

int agentnet_run_info(const char* folder, char** json, agentnet_error** error) {
  return guarded(error, [&] {
    const std::filesystem::path path = &required(folder, "folder");
    Json info = {{"config", run_config_file(path).string()}, {"model", run_model_file(path).string()}};
    info["history"] = Json::array();
    for (const EpochRecord& record : read_run_history(path)) {
      info["history"].push_back(parse_json(record_to_json(record), "record"));
    }
    info["split"] = has_run_split(path);
    required(json, "json") = new_text(info.dump(-1, ' ', false, Json::error_handler_t::replace));
  });
}

int agentnet_cross_validate(const char* folder, const agentnet_set* set, const char* settings, const char* options,
                            const agentnet_control* control, char** result, agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    auto& out = required(result, "result");
    std::vector<std::string> names = kCvOptions;
    names.insert(names.end(), {"max_seconds", "only_folds"});
    const Json json = checked_options(options, names);
    out = new_text(cross_validate_in(&required(folder, "folder"), set, settings, json, caller));
  });
}

int agentnet_compare(const char* folder, const agentnet_set* set, const char* settings, const char* options,
                     const agentnet_control* control, char** result, agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    auto& out = required(result, "result");
    std::vector<std::string> names = kCvOptions;
    names.insert(names.end(), {"models", "seeds", "budget"});
    const Json json = checked_options(options, names);
    out = new_text(compare_in(&required(folder, "folder"), set, settings, json, caller));
  });
}
