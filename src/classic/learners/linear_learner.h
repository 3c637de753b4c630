// One linear score of sparse rows, learned with liblinear (Fan et al. 2008). A build without it (option
// AGENTNET_LIBLINEAR) has these functions all the same; fit_linear() then throws Error (kUsage), which names the
// package.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "classic/features/sparse_rows.h"
#include "classic/learners/linear_model.h"

namespace agentnet {

enum class LinearLoss {
  kLogistic,  // ln(1 + e^-yz)
  kHinge,     // max(0, 1 - yz)^2: a linear support vector machine
  kSquared,   // (z - y)^2, for numbers
};

struct LinearTable {
  const SparseRows& rows;
  std::size_t columns;             // those beyond are left out
  std::span<const double> factor;  // [rows] that a row is multiplied by
};

struct LinearOptions {
  LinearLoss loss = LinearLoss::kLogistic;
  double cost = 1;  // C: minimises half the squared norm of the weights, bias included, plus C times the sum of losses
  bool balanced = false;
};

struct LinearScore {
  std::vector<float> weights;  // [columns]
  float bias = 0;

  // `row` may have columns that there is no weight for; they come last and are left out.
  [[nodiscard]] double operator()(std::span<const SparseEntry> row, double factor) const;
};

// Draws no random numbers: the solvers are those of the primal problem. With one answer only, the score is its log
// odds. Any number of threads may fit at once.
[[nodiscard]] LinearScore fit_linear(const LinearTable& table, const Labelled& labelled, const LinearOptions& options);

[[nodiscard]] bool has_liblinear();

}  // namespace agentnet
