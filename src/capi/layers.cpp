#include "capi/layers.h"

#include <fmt/core.h>

#include "agentnet/error.h"
#include "capi/guard.h"
#include "core/text.h"

namespace agentnet::capi {

SettingsLayers layers_for(const agentnet_set& set, const char* settings) {
  const Json given = options_object(settings, "settings");
  if (given.contains("data") && given.at("data").is_object()) {
    for (const auto& [key, value] : given.at("data").items()) {
      if (key == "split" || key == "split_seed") continue;
      for (const OptionHelp& option : data_options()) {
        if (option.name != key) continue;
        throw Error(ErrorKind::kUsage, fmt::format("settings: data.{} is a matter of reading the set", key),
                    "say it where the set is read");
      }
    }
  }
  SettingsLayers layers;
  layers.json(given.dump(), "settings");
  Json data = parse_json(to_json(set.reading), "data options");
  data["source"] = set.data->source;
  layers.json(Json{{"data", std::move(data)}}.dump(), "set");
  return layers;
}

}  // namespace agentnet::capi
