#include "classic/learners/linear_model.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <utility>

namespace agentnet {
namespace {

using Numbers = std::vector<double>;

// Eight sums at a time, which the compiler turns into vector instructions without changing their order.
double dot(const float* x, const double* w, std::size_t n) {
  constexpr std::size_t kLanes = 8;
  double sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += static_cast<double>(x[i + lane]) * w[i + lane];
  }
  double sum = 0;
  for (; i < n; ++i) sum += static_cast<double>(x[i]) * w[i];
  for (const double lane : sums) sum += lane;
  return sum;
}

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void add_scaled(Numbers& to, double factor, const Numbers& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

// The inverse of curvature * X'X / rows + ridge, by Cholesky: the Hessian of every model here, at its start.
class Curvature {
 public:
  Curvature(const Numbers& gram, std::size_t width, double curvature, double ridge)
      : width_(width), intercept_(curvature), factor_(gram) {
    for (std::size_t i = 0; i < width; ++i) {
      double* row = &factor_[i * width];
      for (std::size_t j = 0; j <= i; ++j) {
        const double* other = &factor_[j * width];
        double sum = curvature * row[j] + (i == j ? ridge : 0);
        for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
        row[j] = i == j ? std::sqrt(std::max(sum, ridge)) : sum / other[j];
      }
    }
  }

  // In place on the weights of one or several outputs, [outputs, width + 1], intercepts last.
  void solve(Numbers& weights) const {
    for (std::size_t first = 0; first < weights.size(); first += width_ + 1) {
      double* w = &weights[first];
      for (std::size_t i = 0; i < width_; ++i) {
        for (std::size_t k = 0; k < i; ++k) w[i] -= factor_[i * width_ + k] * w[k];
        w[i] /= factor_[i * width_ + i];
      }
      for (std::size_t i = width_; i-- > 0;) {
        w[i] /= factor_[i * width_ + i];
        for (std::size_t k = 0; k < i; ++k) w[k] -= factor_[i * width_ + k] * w[i];
      }
      w[width_] /= intercept_;
    }
  }

 private:
  std::size_t width_;
  double intercept_;
  Numbers factor_;  // lower triangle of [width, width]
};

// The value of a convex function and, in `gradient`, its slope.
using Objective = std::function<double(const Numbers& weights, Numbers& gradient)>;

// L-BFGS (Nocedal and Wright, algorithm 7.4) with `hessian` as the first guess of the curvature: one step for least
// squares, some ten to fifty for logistic regression.
Numbers minimise(const Objective& objective, Numbers weights, const Curvature& hessian) {
  constexpr int kIterations = 200, kHalvings = 30;
  constexpr std::size_t kRemembered = 10;
  constexpr double kConverged = 1e-12;  // squared slope in the metric of the Hessian: about what is left to gain
  constexpr double kEnoughDecrease = 1e-4;
  struct Pair {
    Numbers step, change;  // of the weights, of the gradient
    double product;
  };
  std::deque<Pair> memory;
  Numbers gradient(weights.size());
  double value = objective(weights, gradient);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    Numbers direction = gradient;
    Numbers factors(memory.size());
    for (std::size_t i = memory.size(); i-- > 0;) {
      factors[i] = dot(memory[i].step, direction) / memory[i].product;
      add_scaled(direction, -factors[i], memory[i].change);
    }
    hessian.solve(direction);
    if (!memory.empty()) {
      Numbers solved = memory.back().change;
      hessian.solve(solved);
      const double scale = memory.back().product / dot(memory.back().change, solved);
      for (double& d : direction) d *= scale;
    }
    for (std::size_t i = 0; i < memory.size(); ++i) {
      add_scaled(direction, factors[i] - dot(memory[i].change, direction) / memory[i].product, memory[i].step);
    }

    const double slope = -dot(gradient, direction);
    if (!(slope < -kConverged)) break;
    Numbers next, next_gradient(weights.size());
    double next_value = value;
    bool lower = false;
    for (int halvings = 0; halvings < kHalvings && !lower; ++halvings) {
      const double length = std::ldexp(1.0, -halvings);
      next = weights;
      add_scaled(next, -length, direction);
      next_value = objective(next, next_gradient);
      lower = next_value <= value + kEnoughDecrease * length * slope;
    }
    if (!lower) break;  // as low as rounding lets us see

    Pair pair{next, next_gradient, 0};
    add_scaled(pair.step, -1, weights);
    add_scaled(pair.change, -1, gradient);
    pair.product = dot(pair.step, pair.change);
    if (pair.product > 0) memory.push_back(std::move(pair));
    if (memory.size() > kRemembered) memory.pop_front();
    weights = std::move(next);
    gradient = std::move(next_gradient);
    value = next_value;
  }
  return weights;
}

// Turns outputs into probabilities; returns the logarithm of the sum of their exponentials.
double softmax(Numbers& outputs) {
  const double largest = *std::max_element(outputs.begin(), outputs.end());
  double sum = 0;
  for (double& z : outputs) sum += z = std::exp(z - largest);
  for (double& z : outputs) z /= sum;
  return largest + std::log(sum);
}

}  // namespace

Numbers gram_matrix(const FeatureRows& x) {
  Numbers gram(x.width * x.width, 0.0);
  for (std::size_t i = 0; i < x.count; ++i) {
    const float* row = x.row(i);
    for (std::size_t a = 0; a < x.width; ++a) {
      if (row[a] == 0) continue;
      const double factor = static_cast<double>(row[a]) / static_cast<double>(x.count);
      for (std::size_t b = 0; b <= a; ++b) gram[a * x.width + b] += factor * static_cast<double>(row[b]);
    }
  }
  return gram;
}

LinearModel::LinearModel(std::size_t width, std::size_t outputs)
    : width_(width), outputs_(outputs), weights_(outputs * (width + 1), 0.0) {}

LinearModel LinearModel::of_classes(const FeatureRows& x, const Numbers& gram, const Labelled& labelled,
                                    std::size_t classes) {
  LinearModel model(x.width, classes);
  Numbers shares(classes, 0.0);
  for (const double y : labelled.targets) shares[static_cast<std::size_t>(y)] += 1 / labelled.count();
  double curvature = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    model.weights_[k * (x.width + 1) + x.width] = std::log(shares[k]);
    curvature = std::max(curvature, shares[k] * (1 - shares[k]));
  }
  model.fit(x, gram, labelled, curvature, [](Numbers& outputs, double target) {
    const auto truth = static_cast<std::size_t>(target);
    const double of_truth = outputs[truth];
    const double log_sum = softmax(outputs);
    outputs[truth] -= 1;
    return log_sum - of_truth;
  });
  return model;
}

LinearModel LinearModel::of_numbers(const FeatureRows& x, const Numbers& gram, const Labelled& labelled) {
  LinearModel model(x.width, 1);
  model.fit(x, gram, labelled, 1, [](Numbers& outputs, double target) {
    outputs[0] -= target;
    return outputs[0] * outputs[0] / 2;
  });
  return model;
}

void LinearModel::probabilities(const float* x, Numbers& out) const {
  apply(weights_, x, out);
  softmax(out);
}

double LinearModel::number(const float* x) const { return dot(x, weights_.data(), width_) + weights_[width_]; }

void LinearModel::apply(const Numbers& weights, const float* x, Numbers& out) const {
  out.resize(outputs_);
  for (std::size_t k = 0; k < outputs_; ++k) {
    const double* w = &weights[k * (width_ + 1)];
    out[k] = dot(x, w, width_) + w[width_];
  }
}

// `loss` gives the loss of a row of outputs and replaces them by its slopes; `curvature` is that of the loss at the
// start. The objective is divided by the number of rows, so that its values do not depend on it.
template <class Loss>
void LinearModel::fit(const FeatureRows& x, const Numbers& gram, const Labelled& labelled, double curvature,
                      const Loss& loss) {
  const double per_row = 1 / labelled.count(), ridge = per_row;
  Numbers out;
  const auto objective = [&](const Numbers& weights, Numbers& gradient) {
    double sum = 0;
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (std::size_t i = 0; i < labelled.rows.size(); ++i) {
      const float* row = x.row(labelled.rows[i]);
      apply(weights, row, out);
      sum += per_row * loss(out, labelled.targets[i]);
      for (std::size_t k = 0; k < outputs_; ++k) {
        const double slope = per_row * out[k];
        double* g = &gradient[k * (width_ + 1)];
        for (std::size_t j = 0; j < width_; ++j) g[j] += slope * static_cast<double>(row[j]);
        g[width_] += slope;
      }
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (i % (width_ + 1) == width_) continue;
      sum += ridge * weights[i] * weights[i] / 2;
      gradient[i] += ridge * weights[i];
    }
    return sum;
  };
  weights_ = minimise(objective, std::move(weights_), Curvature(gram, width_, curvature, ridge));
}

}  // namespace agentnet
