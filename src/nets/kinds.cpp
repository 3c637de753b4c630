#include "nets/kinds.h"

#include "nets/agentnet/agentnet.h"

namespace agentnet {

const KindTable& builtin_kinds() {
  static const KindTable kinds({&kAgentNet});
  return kinds;
}

std::vector<NetworkKindInfo> network_kinds() {
  std::vector<NetworkKindInfo> all;
  for (const NetworkKind* kind : builtin_kinds().all()) {
    all.push_back({std::string(kind->name), std::string(kind->summary)});
  }
  return all;
}

std::vector<OptionHelp> network_options(const std::string& kind) { return builtin_kinds().at(kind).options(); }

}  // namespace agentnet
