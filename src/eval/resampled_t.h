// What the test of agentnet/metrics.h is made of.
#pragma once

#include "agentnet/metrics.h"

namespace agentnet {

// P(|T| >= |t|) of Student's t.
[[nodiscard]] double two_sided_p(double t, double degrees);

}  // namespace agentnet
