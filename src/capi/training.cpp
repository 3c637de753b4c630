// Training in memory.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/train.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "capi/layers.h"
#include "nets/kinds.h"
#include "run/metrics_log.h"

namespace agentnet::capi {
namespace {

std::vector<std::size_t> part_of(const std::uint64_t* graphs, std::uint64_t count, std::size_t size, const char* name) {
  if (count == 0) return {};
  return graph_numbers(&required(graphs, name), count, size);
}

Split given_split(const agentnet_split& given, std::size_t size) {
  Split split;
  split.train = part_of(given.train, given.train_count, size, "agentnet_split.train");
  split.valid = part_of(given.valid, given.valid_count, size, "agentnet_split.valid");
  std::vector<char> seen(size);
  for (const std::vector<std::size_t>* part : {&split.train, &split.valid}) {
    for (const std::size_t g : *part) {
      if (std::exchange(seen[g], 1) == 0) continue;
      throw Error(ErrorKind::kUsage, fmt::format("graph {} is named twice", g), "a graph is in one part, once");
    }
  }
  return split;
}

Json record_json(const EpochRecord& record) { return parse_json(record_to_json(record), "record"); }

Json choices_json(const std::vector<Choice>& choices) {
  Json list = Json::array();
  for (const Choice& choice : choices) {
    list.push_back({{"key", choice.key}, {"value", choice.value}, {"why", choice.why}});
  }
  return list;
}

struct Trained {
  TrainResult result;
  Json report;
};

Trained train_with(const agentnet_set& set, const char* text, const agentnet_split* split_given, const Caller& caller) {
  const Dataset& data = *set.data;
  std::vector<Choice> choices;
  Settings settings = layers_for(set, text).resolve(data, &choices);
  Split split;
  TrainStart start;
  if (split_given != nullptr) {
    const agentnet_split given = known(*split_given, "agentnet_split", offsetof(agentnet_split, weights));
    split = given_split(given, data.graphs.size());
    if (given.weights != nullptr) start.weights = {given.weights, data.graphs.size()};
    if (given.start != nullptr) start.model = &given.start->model;
  } else {
    split = make_split(data, settings.split, settings.split_seed, caller.threads());
  }
  bool stopped = false;
  TrainHooks hooks;
  hooks.on_epoch = [&](const EpochRecord& record) {
    Json event = {{"event", "epoch"}, {"epochs", settings.train.epochs}};
    event.update(record_json(record));
    caller.tell(event);
  };
  hooks.should_stop = [&](std::uint64_t done, std::uint64_t of) {
    caller.tell_now_and_then([&] { return Json{{"event", "step"}, {"done", done}, {"of", of}}; });
    stopped = caller.stopped() && done < of;
    return stopped;
  };
  Trained trained{train(data, split, settings.model, settings.train, caller.threads(), hooks, start), {}};
  ModelCard& card = trained.result.model.card();  // as a run has it
  card.reading = to_json(settings.data);
  card.training["data"] = settings.source;

  Json history = Json::array();
  for (const EpochRecord& record : trained.result.history) history.push_back(record_json(record));
  trained.report = {{"stopped", stopped},
                    {"best_epoch", trained.result.best_epoch},
                    {"history", std::move(history)},
                    {"settings", parse_json(to_json(settings), "settings")},
                    {"choices", choices_json(choices)},
                    {"split", {{"train", split.train}, {"valid", split.valid}, {"test", split.test}}}};
  return trained;
}

}  // namespace
}  // namespace agentnet::capi

using namespace agentnet;        // NOLINT: these functions stand outside of namespaces
using namespace agentnet::capi;  // NOLINT

int agentnet_train(const agentnet_set* set, const char* settings, const agentnet_split* split,
                   const agentnet_control* control, agentnet_model** model, char** report, agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    const agentnet_set& data = required(set, "set");
    auto& out = required(model, "model");
    Trained trained = train_with(data, settings, split, caller);
    char* const text = report != nullptr ? new_text(trained.report.dump()) : nullptr;
    out = new agentnet_model{std::move(trained.result.model)};
    if (report != nullptr) *report = text;
  });
}
