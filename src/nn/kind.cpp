#include "nn/kind.h"

#include <fmt/core.h>

#include <algorithm>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet {

const NetworkKind* KindTable::find(std::string_view name) const {
  const auto at = std::find_if(kinds_.begin(), kinds_.end(), [&](const NetworkKind* k) { return k->name == name; });
  return at != kinds_.end() ? *at : nullptr;
}

const NetworkKind& KindTable::at(std::string_view name) const {
  if (const NetworkKind* kind = find(name)) return *kind;
  std::vector<std::string> names;
  for (const NetworkKind* kind : kinds_) names.emplace_back(kind->name);
  const auto close = closest_match(std::string(name), names);
  throw Error(ErrorKind::kUsage, fmt::format("there is no network of kind {}", in_quotes(name)),
              close ? fmt::format("did you mean '{}'?", *close) : fmt::format("there are {}", join_text(names, ", ")));
}

}  // namespace agentnet
