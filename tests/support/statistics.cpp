#include "support/statistics.h"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace agentnet {
namespace {

// Q(a, x), the regularised upper incomplete gamma function (Abramowitz and Stegun, 6.5.29 and 6.5.31).
double upper_gamma(double a, double x) {
  if (x <= 0) return 1;
  const double scale = std::exp(a * std::log(x) - x - std::lgamma(a));
  constexpr double kEnough = 1e-15;
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > sum * kEnough; ++n) sum += term *= x / n;
    return 1 - scale * sum;
  }
  // Lentz's evaluation of the continued fraction.
  double b = x + 1 - a, c = 1e300, d = 1 / b, result = d;
  for (double n = 1; n < 10000; ++n) {
    b += 2;
    d = 1 / (b + n * (a - n) * d);
    c = b + n * (a - n) / c;
    result *= c * d;
    if (std::abs(c * d - 1) < kEnough) break;
  }
  return scale * result;
}

}  // namespace

double chi_square_p_value(std::span<const std::uint64_t> observed, std::span<const double> probabilities) {
  if (observed.size() != probabilities.size()) throw std::invalid_argument("chi_square_p_value: sizes differ");
  const auto total = static_cast<double>(std::accumulate(observed.begin(), observed.end(), std::uint64_t{0}));
  double statistic = 0;
  int cells = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double expected = total * probabilities[i];
    if (expected == 0) {
      if (observed[i] != 0) return 0;
      continue;
    }
    const double difference = static_cast<double>(observed[i]) - expected;
    statistic += difference * difference / expected;
    ++cells;
  }
  return cells < 2 ? 1 : upper_gamma((cells - 1) / 2.0, statistic / 2);
}

double uniform_p_value(std::span<const std::uint64_t> observed) {
  const std::vector<double> probabilities(observed.size(), 1.0 / static_cast<double>(observed.size()));
  return chi_square_p_value(observed, probabilities);
}

}  // namespace agentnet
