// What a number is worth: predictions that take no neural network, for the same split.
//
// Both give one row per graph of `test`, in that order, laid out as train/metrics.h wants it, from the targets of the
// graphs of `train` alone. They draw no random numbers. A blank target counts for nothing. A set without targets throws
// Error (kUsage).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "agentnet/data.h"
#include "classic/learners/linear_model.h"

namespace agentnet {

// The length of a row: the number of classes (two at least), questions or targets.
[[nodiscard]] int baseline_outputs(const Schema& schema);

// Of these graphs those whose target is known, by their places in `graphs`. Throws Error (kMismatch) for a label that
// is none of the schema's.
[[nodiscard]] Labelled labelled_graphs(const Dataset& data, std::span<const std::size_t> graphs, std::size_t target);

// The same for every graph: how frequent the classes are (the answer is thus the majority class), how often each
// question is answered "yes", or the mean of each target (the best constant for RMSE, not quite for MAE). Where
// nothing is labelled, all classes are as likely, a question is open (0.5) and a number is 0.
[[nodiscard]] std::vector<double> constant_baseline(const Dataset& data, std::span<const std::size_t> train,
                                                    std::span<const std::size_t> test);

// "majority class", "share of yes" or "mean".
[[nodiscard]] std::string_view constant_baseline_name(Task task);

// The best linear model that sees which nodes there are but not one edge: a graph is the share of each category among
// its nodes (the 256 most frequent in `train`), the mean of each dense column (the first 256), n and log(n + 1), all
// standardised. Columns named "degree" are left out, since they tell of edges. Multinomial logistic regression (one per
// question) or ridge regression (one per target), with the sum over graphs of the loss plus half the squared norm of
// the weights as objective. What a model of graphs scores above this, it owes to structure. Classes that `train` lacks
// get probability 0; where `train` leaves nothing to learn, the constant baseline is what remains.
[[nodiscard]] std::vector<double> structure_blind_baseline(const Dataset& data, std::span<const std::size_t> train,
                                                           std::span<const std::size_t> test);

}  // namespace agentnet
