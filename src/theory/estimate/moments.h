// Means and covariances of what tours or walks saw.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "theory/estimate/measures.h"

namespace agentnet::theory {

using Sums = std::array<double, kColumns>;

// Updated one by one (Welford).
class Moments {
 public:
  void add(const Sums& x) {
    ++count_;
    const double n = static_cast<double>(count_);
    Sums before{}, after{};
    for (std::size_t i = 0; i < kColumns; ++i) {
      before[i] = x[i] - mean_[i];
      mean_[i] += before[i] / n;
      after[i] = x[i] - mean_[i];
      largest_[i] = std::max(largest_[i], x[i]);
      hits_[i] += x[i] > 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < kColumns; ++i) {
      for (std::size_t j = 0; j < kColumns; ++j) products_[i][j] += before[i] * after[j];
    }
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double mean(std::size_t i) const { return mean_[i]; }
  // What a single one makes of the sum of all, at most.
  [[nodiscard]] double largest_share(std::size_t i) const {
    return mean_[i] > 0 ? largest_[i] / (mean_[i] * static_cast<double>(count_)) : 0;
  }
  [[nodiscard]] std::uint64_t hits(std::size_t i) const { return hits_[i]; }  // how many had any of it
  [[nodiscard]] double covariance(std::size_t i, std::size_t j) const {
    return products_[i][j] / static_cast<double>(count_ - 1);
  }

 private:
  std::uint64_t count_ = 0;
  Sums mean_{}, largest_{};
  std::array<std::uint64_t, kColumns> hits_{};
  std::array<Sums, kColumns> products_{};
};

// The standard normal quantile, by bisection of erfc: called a few times per estimate.
[[nodiscard]] inline double normal_quantile(double p) {
  double low = -10, high = 10;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace agentnet::theory
