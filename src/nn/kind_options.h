// The functions of a NetworkKind that need nothing but its table of options: a class Kind with
//
//   using Options = GinOptions;                       // plain fields with defaults
//   static constexpr auto kVisit = [](auto& o, const auto& f) { f("hidden", o.hidden, OptionRange{1, 1024}, "..."); };
#pragma once

#include <string>
#include <vector>

#include "agentnet/network.h"
#include "core/option_table.h"

namespace agentnet {

template <class Kind>
typename Kind::Options read_options(const std::string& json) {
  typename Kind::Options options;
  options_from_text(json, options, Kind::kVisit, "model option");
  return options;
}

template <class Kind>
std::string complete_options(const std::string& json) {
  return options_to_text(read_options<Kind>(json), Kind::kVisit);
}

template <class Kind>
std::vector<OptionHelp> list_options() {
  std::vector<OptionHelp> all;
  describe_options<typename Kind::Options>(
      Kind::kVisit, [&](const char* name, const std::string& value, const std::string& allowed, const char* help) {
        all.push_back({name, value, allowed, help});
      });
  return all;
}

}  // namespace agentnet
