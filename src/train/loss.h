// Losses and their gradients, shard by shard.
#pragma once

#include <span>

#include "nn/network.h"

namespace agentnet {

enum class LossKind {
  kCrossEntropy,        // one class per graph
  kBinaryCrossEntropy,  // C independent yes/no answers
  kSquaredError,        // C numbers
  kAbsoluteError,
};

// The loss of a batch as the engine wants it. `targets` has one row per graph: its class for cross entropy, else C
// numbers; NaN is a blank. The loss is the mean over graphs, or over the entries that are not blank; it is zero where
// everything is blank. `targets` must outlive the function. Throws Error (kMismatch) for a class outside 0..C-1 and
// when the number of targets does not fit.
//
// `weights` is empty or has C entries: how much a graph of each class counts in the mean (cross entropy), or how much a
// yes counts compared with a no (binary cross entropy). Other losses take none.
//
// `of_graphs` is empty or has a weight for each graph, finite and not negative: the mean becomes a weighted mean; a
// batch that weighs nothing has no loss.
template <class S>
[[nodiscard]] LossFunction<S> make_loss(LossKind kind, int outputs, std::span<const double> targets, std::size_t graphs,
                                        std::span<const double> weights = {}, std::span<const double> of_graphs = {});

// The loss of the best answer that is the same for all graphs: the entropy of the classes' shares, the mean distance
// from the median, ... What does not get below it has learned nothing from the graphs. `targets` and `weights` as in
// make_loss(); `balanced`: every class is drawn as often as any other. NaN where nothing is labelled.
[[nodiscard]] double chance_loss(LossKind kind, int outputs, std::span<const double> targets,
                                 std::span<const double> weights = {}, bool balanced = false);

}  // namespace agentnet
