// Version, errors, and what there is to choose from.
#include <cstdlib>

#include "agentnet/network.h"
#include "agentnet/settings.h"
#include "agentnet/train.h"
#include "agentnet/version.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "view/page/page.h"

namespace agentnet::capi {
namespace {

Json options_json(const std::vector<OptionHelp>& options) {
  Json list = Json::array();
  for (const OptionHelp& option : options) {
    list.push_back(
        {{"name", option.name}, {"default", option.default_value}, {"range", option.range}, {"help", option.help}});
  }
  return list;
}

Json description() {
  Json all = {{"version", kVersion}, {"kinds", Json::array()}};
  for (const NetworkKindInfo& kind : network_kinds()) {
    all["kinds"].push_back(
        {{"name", kind.name}, {"summary", kind.summary}, {"options", options_json(network_options(kind.name))}});
  }
  all["train"] = options_json(train_options());
  all["data"] = options_json(data_options());
  all["presets"] = Json::array();
  for (const Preset& preset : presets()) all["presets"].push_back({{"name", preset.name}, {"summary", preset.summary}});
  all["viewer"] = has_viewer();
  return all;
}

}  // namespace
}  // namespace agentnet::capi

using namespace agentnet;        // NOLINT: these functions stand outside of namespaces
using namespace agentnet::capi;  // NOLINT

const char* agentnet_version(void) { return kVersion; }
int32_t agentnet_abi(void) { return AGENTNET_ABI; }

int agentnet_describe(char** json, agentnet_error** error) {
  return guarded(error, [&] { required(json, "json") = new_text(description().dump()); });
}

int agentnet_error_code(const agentnet_error* error) { return error != nullptr ? error->code : AGENTNET_OK; }
const char* agentnet_error_message(const agentnet_error* error) {
  return error != nullptr ? error->message.c_str() : "";
}
const char* agentnet_error_hint(const agentnet_error* error) { return error != nullptr ? error->hint.c_str() : ""; }
void agentnet_error_free(agentnet_error* error) { delete error; }
void agentnet_text_free(char* text) { std::free(text); }           // NOLINT
void agentnet_numbers_free(void* numbers) { std::free(numbers); }  // NOLINT
