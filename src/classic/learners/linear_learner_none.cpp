#include "agentnet/error.h"
#include "classic/learners/linear_learner.h"

namespace agentnet {

bool has_liblinear() { return false; }

LinearScore fit_linear(const LinearTable& /*table*/, const Labelled& /*labelled*/, const LinearOptions& /*options*/) {
  throw Error(ErrorKind::kUsage, "this build cannot fit linear models: it was made without liblinear",
              "install liblinear-dev and build again with -DAGENTNET_LIBLINEAR=ON, or choose another --model");
}

}  // namespace agentnet
