// Whether one model is better than another, judged by the same folds of both.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace agentnet {

struct PairedTest {
  std::size_t folds = 0;  // that both have a value in
  double difference = 0;  // the mean over them; NaN without any
  double error = 0;       // of that mean, corrected; NaN with fewer than two
  double t = 0, p = 1;    // two-sided; p = 1 where nothing can be said
};

// The corrected resampled t-test (Nadeau and Bengio 2003). Training parts of different folds overlap, so that the J
// differences d[j] are not independent, and their variance divided by J is too small an estimate of the error. With
// m graphs tested and n learned from in a fold,
//
//   t = mean(d) / sqrt((1 / J + m / n) var(d)),   J - 1 degrees of freedom.
//
// Pairs in which either value is NaN are left out. Differences that are all the same, but not 0, have p = 0.
[[nodiscard]] PairedTest corrected_resampled_t(std::span<const double> a, std::span<const double> b,
                                               double tested_to_learned);

// P(|T| >= |t|) of Student's t.
[[nodiscard]] double two_sided_p(double t, double degrees);

// Holm's correction: p-values of several comparisons, each enlarged so that the chance of a single false alarm among
// all of them stays below the level that they are compared with. In the order of the input.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

}  // namespace agentnet
