// The search for settings, which keeps a folder.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/tune.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/subject.h"

namespace agentnet::capi {
namespace {

TuneOptions tune_options(const Json& json) {
  TuneOptions options;
  options.trials = option_or(json, "trials", options.trials);
  options.budget = option_or(json, "budget", options.budget);
  options.space = option_or(json, "space", options.space);
  options.grid = option_or(json, "grid", options.grid);
  options.nested = option_or(json, "nested", options.nested);
  options.folds = option_or(json, "folds", options.folds);
  options.keep = option_or(json, "keep", options.keep);
  options.seed = option_or(json, "seed", options.seed);
  return options;
}

std::string tune_in(const std::filesystem::path& folder, const agentnet_set* set, const char* settings_text,
                    const Json& json, const Caller& caller) {
  const int jobs = option_or(json, "jobs", 0);
  std::shared_ptr<const Dataset> data;
  TunePlan plan;
  if (settings_text == nullptr) {
    data = set != nullptr ? set->data
                          : std::make_shared<const Dataset>(read_data(tune_data_settings(folder), caller.threads()));
    plan = read_tuning(folder, *data);
  } else {
    Subject subject = subject_of(set, settings_text, caller.threads());
    data = subject.data;
    std::vector<std::string> notes;
    plan = plan_tuning(*data, *subject.layers, tune_options(json), caller.threads(), jobs, notes);
    make_tune_folder(folder, plan, *data, option_or(json, "force", false));
    if (const auto say = caller.say()) {
      for (const std::string& note : notes) say(note);
    }
  }
  TuneControl control;
  control.threads = caller.threads();
  control.jobs = jobs;
  control.say = caller.say();
  control.on_progress = [&](const TuneProgress& p) {
    caller.tell_now_and_then([&] {
      return Json{{"event", "trials"}, {"rung", p.rung}, {"done", p.done}, {"of", p.of}, {"fraction", p.fraction}};
    });
  };
  control.should_stop = [&] { return caller.stopped(); };
  const TuneResult result = tune(folder, plan, *data, control);
  if (result.interrupted) interrupted(result.done, result.of, "trials");
  return tuning_json(result, plan, *data);
}

}  // namespace
}  // namespace agentnet::capi

using namespace agentnet;        // NOLINT: these functions stand outside of namespaces
using namespace agentnet::capi;  // NOLINT

int agentnet_tune(const char* folder, const agentnet_set* set, const char* settings, const char* options,
                  const agentnet_control* control, char** result, agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    auto& out = required(result, "result");
    const Json json = checked_options(
        options, {"trials", "budget", "space", "grid", "nested", "folds", "keep", "seed", "jobs", "force"});
    out = new_text(tune_in(&required(folder, "folder"), set, settings, json, caller));
  });
}
