#include "eval/resampled_t.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace agentnet {
namespace {

// The continued fraction of the incomplete beta function, by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr int kMost = 500;
  constexpr double kTiny = 1e-300, kClose = 1e-15;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double h = d;
  for (int m = 1; m <= kMost; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double delta = 1;
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1 + term / c;
      if (std::abs(c) < kTiny) c = kTiny;
      delta = c * d;
      h *= delta;
    }
    if (std::abs(delta - 1) < kClose) break;
  }
  return h;
}

// I_x(a, b), the regularised incomplete beta function.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double two_sided_p(double t, double degrees) {
  if (std::isnan(t)) return 1;
  if (std::isinf(t)) return 0;
  return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

PairedTest corrected_resampled_t(std::span<const double> a, std::span<const double> b, double tested_to_learned) {
  std::vector<double> d;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!std::isnan(a[i]) && !std::isnan(b[i])) d.push_back(a[i] - b[i]);
  }
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  PairedTest test{d.size(), kNaN, kNaN, kNaN, 1};
  if (d.empty()) return test;
  const auto J = static_cast<double>(d.size());
  test.difference = std::accumulate(d.begin(), d.end(), 0.0) / J;
  if (d.size() < 2) return test;
  double squares = 0;
  for (const double v : d) squares += (v - test.difference) * (v - test.difference);
  test.error = std::sqrt((1 / J + tested_to_learned) * squares / (J - 1));
  if (test.difference == 0) {
    test.t = 0;
    return test;
  }
  test.t = test.difference / test.error;  // infinite for differences that are all the same
  test.p = two_sided_p(test.t, J - 1);
  return test;
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return p[x] < p[y]; });
  std::vector<double> corrected(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, p[order[i]] * static_cast<double>(p.size() - i)));
    corrected[order[i]] = largest;
  }
  return corrected;
}

}  // namespace agentnet
