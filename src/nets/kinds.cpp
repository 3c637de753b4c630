#include "nets/kinds.h"

#include "classic/forest.h"
#include "classic/wl.h"
#include "nets/agentnet/agentnet.h"
#include "nets/cin/cin.h"
#include "nets/crawl/crawl.h"
#include "nets/dgn/dgn.h"
#include "nets/esan/esan.h"
#include "nets/gin/gin.h"
#include "nets/gin/gin_mol.h"
#include "nets/gnn1/gnn1.h"
#include "nets/gsn/gsn.h"
#include "nets/himp/himp.h"
#include "nets/kgnn/kgnn.h"
#include "nets/mpnn/mpnn.h"
#include "nets/pna/pna.h"
#include "nets/ppgn/ppgn.h"
#include "nets/smp/smp.h"

namespace agentnet {

const KindTable& builtin_kinds() {
  static const KindTable kinds({&kAgentNet, &kGin,   &kDropGin, &kGinMol,  &kMpnn,   &kDropMpnn, &kGnn1,
                                &kDropGnn1, &kKgnn1, &kPna,     &kCrawl,   &kGsn,    &kDgn,      &kCin,
                                &kHimp,     &kPpgn,  &kPpgnSmp, &kSmp,     &kKgnn12, &kKgnn123,  &kEsanDs,
                                &kEsanDss,  &kWl,    &kForest,  &kBoosting});
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
