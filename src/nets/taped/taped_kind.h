// A NetworkKind out of an options struct, its table, and a network.
//
//   struct GinKind {
//     using Options = GinOptions;                       // plain fields with defaults
//     static constexpr std::string_view kName = "gin", kSummary = "...";
//     static constexpr auto kVisit = [](auto& o, const auto& f) { f("hidden", o.hidden, OptionRange{1, 1024}, "...");
//     }; static std::vector<OptionChoice> advise(const SetSize& set); template <class S> using Made = Gin<S>; //
//     Made(const Options&, NetworkConfig)
//   };
//   const NetworkKind kGin = taped_kind<GinKind>();
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nn/kind.h"
#include "nn/kind_options.h"
#include "nn/shape_table.h"

namespace agentnet {

template <class Kind, class S>
std::shared_ptr<const Network<S>> make_taped(const NetworkConfig& config) {
  check_ranges(config.shape, kVisitShape, "model option");
  check_category_columns(config.shape);
  NetworkConfig whole{std::string(Kind::kName), complete_options<Kind>(config.options), config.shape};
  return std::make_shared<const typename Kind::template Made<S>>(read_options<Kind>(config.options), std::move(whole));
}

template <class Kind>
constexpr NetworkKind taped_kind() {
  return {.name = Kind::kName,
          .summary = Kind::kSummary,
          .options = list_options<Kind>,
          .complete = complete_options<Kind>,
          .advise = Kind::advise,
          .make_float = make_taped<Kind, float>,
          .make_double = make_taped<Kind, double>};
}

}  // namespace agentnet
