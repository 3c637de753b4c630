#include "nets/dgn/eigenvectors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/random.h"

namespace agentnet {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void add(Vector& to, double factor, const Vector& x) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * x[i];
}

// Takes out of x what lies in the span of the basis; twice, because once leaves rounding errors.
void orthogonalise(Vector& x, const std::vector<Vector>& basis) {
  for (int pass = 0; pass < 2; ++pass) {
    for (const Vector& b : basis) add(x, -dot(x, b), b);
  }
}

bool normalise(Vector& x, double least) {
  const double length = std::sqrt(dot(x, x));
  if (!(length > least)) return false;
  for (double& value : x) value /= length;
  return true;
}

Vector laplacian_times(const SimpleGraph& graph, const Vector& x) {
  Vector y(x.size());
  for (Index v = 0; v < graph.nodes(); ++v) {
    const auto at = static_cast<std::size_t>(v);
    double sum = static_cast<double>(graph.degree(v)) * x[at];
    for (const Index u : graph.neighbours(v)) sum -= x[static_cast<std::size_t>(u)];
    y[at] = sum;
  }
  return y;
}

// Eigenvalues (in `diagonal`) and eigenvectors (columns of z [m, m]) of a symmetric tridiagonal matrix, by implicit QL
// steps. below[i] is the entry of rows i and i + 1.
void solve_tridiagonal(Vector& diagonal, Vector below, Vector& z) {
  const std::size_t m = diagonal.size();
  below.resize(m, 0);
  z.assign(m * m, 0);
  for (std::size_t i = 0; i < m; ++i) z[i * m + i] = 1;
  constexpr int kMostSteps = 64;
  for (std::size_t l = 0; l < m; ++l) {
    for (int step = 0; step < kMostSteps; ++step) {
      std::size_t end = l;
      for (; end + 1 < m; ++end) {
        const double scale = std::abs(diagonal[end]) + std::abs(diagonal[end + 1]);
        if (std::abs(below[end]) <= std::numeric_limits<double>::epsilon() * scale) break;
      }
      if (end == l) break;
      double g = (diagonal[l + 1] - diagonal[l]) / (2 * below[l]);
      double r = std::hypot(g, 1.0);
      g = diagonal[end] - diagonal[l] + below[l] / (g + std::copysign(r, g));
      double s = 1, c = 1, p = 0;
      bool split = false;
      for (std::size_t i = end; i-- > l;) {
        const double f = s * below[i], b = c * below[i];
        r = std::hypot(f, g);
        below[i + 1] = r;
        if (r == 0) {
          diagonal[i + 1] -= p;
          below[end] = 0;
          split = true;
          break;
        }
        s = f / r;
        c = g / r;
        g = diagonal[i + 1] - p;
        r = (diagonal[i] - g) * s + 2 * c * b;
        p = s * r;
        diagonal[i + 1] = g + p;
        g = c * r - b;
        for (std::size_t k = 0; k < m; ++k) {
          const double upper = z[k * m + i + 1], lower = z[k * m + i];
          z[k * m + i + 1] = s * lower + c * upper;
          z[k * m + i] = c * lower - s * upper;
        }
      }
      if (split) continue;
      diagonal[l] -= p;
      below[l] = g;
      below[end] = 0;
    }
  }
}

// A vector that depends on the numbers of the nodes alone.
Vector start_vector(std::size_t n, std::uint64_t attempt) {
  RandomSequence random(0, Purpose::kStart, 0, attempt);
  Vector x(n);
  for (double& value : x) value = random.uniform() - 0.5;
  return x;
}

}  // namespace

std::vector<double> laplacian_eigenvectors(const SimpleGraph& graph, int count) {
  const auto n = static_cast<std::size_t>(graph.nodes()), columns = static_cast<std::size_t>(count);
  std::vector<double> out(n * columns, 0);
  if (n == 0 || columns == 0) return out;
  std::vector<Vector> basis = {Vector(n, 1 / std::sqrt(static_cast<double>(n)))};  // the constant, eigenvalue 0
  for (std::size_t i = 0; i < n; ++i) out[i * columns] = basis[0][i];
  const std::size_t steps = std::min(n - 1, static_cast<std::size_t>(kExactNodes - 1));
  if (columns == 1 || steps == 0) return out;

  // T = Q^T L Q is tridiagonal. Where the space that a start spans is used up, its entry is 0 and another start
  // follows.
  constexpr double kNothing = 1e-9;
  Vector diagonal, below, x;
  std::uint64_t attempt = 0;
  while (diagonal.size() < steps) {
    bool fresh = x.empty();
    if (!fresh) {
      const double length = std::sqrt(dot(x, x));
      fresh = !normalise(x, kNothing);
      below.push_back(fresh ? 0 : length);
    }
    for (; fresh; ++attempt) {
      x = start_vector(n, attempt);
      orthogonalise(x, basis);
      fresh = !normalise(x, kNothing);
    }
    basis.push_back(x);
    x = laplacian_times(graph, x);
    diagonal.push_back(dot(x, basis.back()));
    orthogonalise(x, basis);
  }
  Vector z;
  solve_tridiagonal(diagonal, below, z);

  std::vector<std::size_t> order(diagonal.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return diagonal[a] < diagonal[b]; });
  for (std::size_t k = 1; k < columns && k <= order.size(); ++k) {
    Vector vector(n, 0);
    for (std::size_t j = 0; j < diagonal.size(); ++j) add(vector, z[j * diagonal.size() + order[k - 1]], basis[j + 1]);
    const auto largest = std::max_element(vector.begin(), vector.end(),
                                          [](double a, double b) { return std::abs(a) < std::abs(b) - 1e-9; });
    const double sign = *largest < 0 ? -1 : 1;
    for (std::size_t i = 0; i < n; ++i) out[i * columns + k] = sign * vector[i];
  }
  return out;
}

}  // namespace agentnet
