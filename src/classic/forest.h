// forest and boosting: decision trees of Weisfeiler-Lehman label counts and of a few numbers about the whole graph,
// grown with XGBoost. Molecules are described by the labels of radius 2 that ECFP (Rogers and Hahn 2010) counts.
// Tensors, with F labels, G further columns, N nodes of T trees and S scores:
//
//   trees.value [N]   thresholds and answers; trees.column, .left, .right, .absent_left [N], .root [T]
//   (classic/learners/trees.h) trees.score_end [S]   the trees of score s end here wl.labels [F, 3], wl.level_end
//   [depth + 1] (classic/features/wl_vocabulary.h)
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kForest, kBoosting;

}  // namespace agentnet
