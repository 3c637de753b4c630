#include "classic/learners/linear_learner.h"

namespace agentnet {

double LinearScore::operator()(std::span<const SparseEntry> row, double factor) const {
  double sum = 0;
  for (const SparseEntry& entry : row) {
    if (entry.column >= weights.size()) break;
    sum += static_cast<double>(weights[entry.column]) * static_cast<double>(entry.value);
  }
  return factor * sum + static_cast<double>(bias);
}

}  // namespace agentnet
