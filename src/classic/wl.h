// wl: a linear model of Weisfeiler-Lehman subtree labels (Shervashidze et al. 2011), learned with liblinear.
//
// A graph is the row of its label counts up to some depth, of length 1; depth and cost are chosen by cross-validation
// inside of the training part. Tensors, with F labels and S scores (classic/scored_network.h):
//
//   linear.weight [S, F], linear.bias [S]    the weights
//   wl.labels [F, 3], wl.level_end [depth + 1]   the labels that columns stand for (classic/features/wl_vocabulary.h)
#pragma once

#include "nn/kind.h"

namespace agentnet {

extern const NetworkKind kWl;

}  // namespace agentnet
