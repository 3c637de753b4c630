#include "options/explain_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet {
namespace {

[[noreturn]] void unknown_id(const Dataset& data, const std::string& id) {
  for (const BadRow& bad : data.bad_rows) {
    if (bad.id != id) continue;
    throw Error(ErrorKind::kData, fmt::format("{}: row {} is no graph: {}", bad.where, in_quotes(id), bad.message),
                "correct it, or choose other graphs");
  }
  constexpr std::size_t kMostCompared = 20000;  // ids: enough to find a slip of the finger
  std::vector<std::string> ids;
  for (std::size_t g = 0; g < std::min(data.graphs.size(), kMostCompared); ++g) ids.push_back(id_or_row(data, g));
  const auto meant = closest_match(id, ids);
  throw Error(ErrorKind::kUsage, fmt::format("{} has no graph {}", data.source, in_quotes(id)),
              meant ? fmt::format("did you mean {}?", printable(*meant))
                    : fmt::format("its ids are like {}; agentnet predict lists them", printable(ids.front())));
}

}  // namespace

std::string id_or_row(const Dataset& data, std::size_t graph) {
  const std::string_view id = data.graphs.id(graph);
  if (!id.empty()) return std::string(id);
  return std::to_string(data.rows.empty() ? graph : data.rows[graph]);
}

std::vector<std::size_t> chosen_for_explaining(const Dataset& data, const GraphChoice& choice) {
  if (data.graphs.size() == 0) {
    throw Error(ErrorKind::kData, fmt::format("{} holds no graphs", data.source), "there is nothing to explain");
  }
  std::vector<std::size_t> chosen;
  if (choice.ids.empty()) {
    const std::size_t count = choice.all ? data.graphs.size() : std::min(choice.first, data.graphs.size());
    for (std::size_t g = 0; g < count; ++g) chosen.push_back(g);
    return chosen;
  }
  std::unordered_map<std::string, bool> wanted;  // id -> whether it was found
  for (const std::string& id : choice.ids) wanted.emplace(id, false);
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const auto found = wanted.find(id_or_row(data, g));
    if (found == wanted.end()) continue;
    found->second = true;
    chosen.push_back(g);
  }
  for (const std::string& id : choice.ids) {
    if (!wanted[id]) unknown_id(data, id);
  }
  return chosen;
}

}  // namespace agentnet
