#include "paper/methods.h"

#include <fmt/core.h>

#include <algorithm>

#include "agentnet/error.h"
#include "agentnet/network.h"
#include "agentnet/settings.h"
#include "core/suggest.h"
#include "core/text.h"
#include "nets/kinds.h"

namespace agentnet {
namespace {

Method of_kind(std::string_view name, std::string_view in_paper, std::string_view kind, std::string_view options = "") {
  return {std::string(name), std::string(in_paper), fmt::format("[model]\nkind = \"{}\"\n{}", kind, options)};
}

Method same_kind(std::string_view kind, std::string_view in_paper) { return of_kind(kind, in_paper, kind); }

}  // namespace

const std::vector<Method>& methods() {
  static const std::vector<Method> all = {
      same_kind("gin", "GIN"),
      of_kind("gin-random", "GIN with random features", "gin", "random_features = 1\n"),
      same_kind("gin-mol", "GIN"),
      of_kind("gin-mol-virtual", "GIN + virtual node", "gin-mol", "virtual_node = true\n"),
      same_kind("dropgin", "DropGIN"),
      same_kind("smp", "SMP"),
      of_kind("esan", "ESAN", "esan-dss"),
      of_kind("esan-edge-deleted", "ESAN (Edge Dropout)", "esan-dss", "policy = \"edge-deleted\"\n"),
      of_kind("esan-node-deleted", "ESAN (Node Dropout)", "esan-dss", "policy = \"node-deleted\"\n"),
      of_kind("esan-ego-nets", "ESAN (Ego Graphs)", "esan-dss", "policy = \"ego-nets\"\n"),
      of_kind("esan-ego-nets-plus", "ESAN (Ego Graphs + Root ID)", "esan-dss", "policy = \"ego-nets-plus\"\n"),
      same_kind("kgnn123", "1-2-3 GNN"),
      same_kind("ppgn", "PPGN"),
      of_kind("crawl", "CRaWl", "crawl", "steps = 50\n"),  // as the paper says; presets have AgentNet's steps
      of_kind("pna", "PNA", "pna", "hidden = 70\n"),       // its authors'; 5 towers do not divide a preset's
      same_kind("dgn", "DGN"),
      same_kind("himp", "HIMP"),
      same_kind("gsn", "GSN"),
      of_kind("cin-small", "CIN-small", "cin", "layers = 2\nhidden = 48\n"),
      same_kind("cin", "CIN"),
      same_kind("mpnn", "MPNN"),
      same_kind("gnn1", "1-GNN"),
      same_kind("dropmpnn", "DropMPNN"),
      same_kind("dropgnn1", "Drop-1-GNN"),
  };
  return all;
}

bool has_option(const Method& method, std::string_view option) {
  SettingsLayers layers;
  layers.text(method.toml, "method " + method.name);
  const std::vector<OptionHelp> options = network_options(layers.data_settings().model.kind);
  return std::ranges::any_of(options, [&](const OptionHelp& help) { return help.name == option; });
}

Method method_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Method& method : methods()) {
    if (method.name == name) return method;
    names.push_back(method.name);
  }
  for (const NetworkKind* kind : builtin_kinds().all()) {
    const std::string own(kind->name);
    if (own == "agentnet") continue;  // what an experiment runs anyway
    if (own == name) return same_kind(own, own);
    if (std::ranges::find(names, own) == names.end()) names.push_back(own);
  }
  const auto close = closest_match(name, names);
  throw Error(ErrorKind::kUsage, fmt::format("there is no method {}", in_quotes(name)),
              close ? fmt::format("did you mean '{}'?", *close) : fmt::format("there are {}", join_text(names, ", ")));
}

}  // namespace agentnet
