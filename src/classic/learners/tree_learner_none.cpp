#include "agentnet/error.h"
#include "classic/learners/trees.h"

namespace agentnet {

bool has_xgboost() { return false; }

TreeNodes fit_trees(const SparseRows& /*rows*/, const Labelled& /*labelled*/, const TreeOptions& /*options*/) {
  throw Error(ErrorKind::kUsage, "this build cannot grow trees: it was made without XGBoost",
              "install libxgboost-dev and build again with -DAGENTNET_XGBOOST=ON, or choose another --model");
}

}  // namespace agentnet
