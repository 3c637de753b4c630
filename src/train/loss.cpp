#include "train/loss.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "agentnet/error.h"

namespace agentnet {

namespace {

struct Term {
  double loss = 0;
  double slope = 0;  // d loss / d output
};

// log(1 + exp(-|x|)) keeps both tails exact.
Term binary_cross_entropy(double x, double target) {
  const double loss = std::max(x, 0.0) - x * target + std::log1p(std::exp(-std::abs(x)));
  return {loss, 1 / (1 + std::exp(-x)) - target};
}

Term squared_error(double x, double target) { return {(x - target) * (x - target), 2 * (x - target)}; }

Term absolute_error(double x, double target) {
  const double d = x - target;
  return {std::abs(d), d > 0 ? 1.0 : (d < 0 ? -1.0 : 0.0)};
}

// A target as a user would write it: classes are whole numbers, even where they are wrong.
std::string text(double y) {
  const bool whole = y == std::floor(y) && std::abs(y) < 1e15;
  return whole ? std::to_string(static_cast<long long>(y)) : std::to_string(y);
}

void check_targets(LossKind kind, int outputs, std::span<const double> targets, std::size_t graphs) {
  const bool classes = kind == LossKind::kCrossEntropy;
  const std::size_t expected = graphs * (classes ? 1 : static_cast<std::size_t>(outputs));
  if (targets.size() != expected) {
    throw Error(ErrorKind::kMismatch,
                "the batch has " + std::to_string(targets.size()) + " targets, the model's outputs need " +
                    std::to_string(expected),
                "give one class per graph, or one number per graph and output");
  }
  for (std::size_t i = 0; classes && i < targets.size(); ++i) {
    const double y = targets[i];
    if (std::isnan(y) || (y >= 0 && y < outputs && y == std::floor(y))) continue;
    throw Error(ErrorKind::kMismatch,
                "graph " + std::to_string(i) + " has class " + text(y) + ", the model knows 0 to " +
                    std::to_string(outputs - 1),
                "number the classes from 0");
  }
}

// Cross entropy of one graph: log-softmax of its outputs, at the class.
template <class S>
double cross_entropy(int outputs, const S* x, std::size_t label, double weight, S* dx) {
  double largest = x[0];
  for (int c = 1; c < outputs; ++c) largest = std::max(largest, static_cast<double>(x[c]));
  double sum = 0;
  for (int c = 0; c < outputs; ++c) sum += std::exp(static_cast<double>(x[c]) - largest);
  for (int c = 0; c < outputs; ++c) {
    const double p = std::exp(static_cast<double>(x[c]) - largest) / sum;
    dx[c] = static_cast<S>(weight * (p - (static_cast<std::size_t>(c) == label ? 1 : 0)));
  }
  return weight * (largest + std::log(sum) - static_cast<double>(x[label]));
}

// What the sum of all terms is divided by: weights of classes make a weighted mean; those of a yes do not.
double total_weight(LossKind kind, std::span<const double> targets, std::size_t columns,
                    std::span<const double> weights, std::span<const double> of_graphs) {
  double total = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double y = targets[i];
    if (std::isnan(y)) continue;
    const double graph = of_graphs.empty() ? 1 : of_graphs[i / columns];
    total += kind == LossKind::kCrossEntropy && !weights.empty() ? graph * weights[static_cast<std::size_t>(y)] : graph;
  }
  return total;
}

}  // namespace

template <class S>
LossFunction<S> make_loss(LossKind kind, int outputs, std::span<const double> targets, std::size_t graphs,
                          std::span<const double> weights, std::span<const double> of_graphs) {
  check_targets(kind, outputs, targets, graphs);
  const auto columns = kind == LossKind::kCrossEntropy ? std::size_t{1} : static_cast<std::size_t>(outputs);
  const double total = total_weight(kind, targets, columns, weights, of_graphs);
  const double share_of_one = total > 0 ? 1 / total : 0;
  return [=, weights = std::vector<double>(weights.begin(), weights.end()),
          of_graphs = std::vector<double>(of_graphs.begin(), of_graphs.end())](std::size_t first, std::size_t count,
                                                                               Matrix<const S> x, Matrix<S> dx) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double weight = of_graphs.empty() ? share_of_one : share_of_one * of_graphs[first + i];
      const S* row = x.row(static_cast<Index>(i));
      S* d = dx.row(static_cast<Index>(i));
      std::fill_n(d, outputs, S(0));  // what blanks leave
      if (kind == LossKind::kCrossEntropy) {
        const double y = targets[first + i];
        if (std::isnan(y)) continue;
        const auto label = static_cast<std::size_t>(y);
        sum += cross_entropy(outputs, row, label, weights.empty() ? weight : weight * weights[label], d);
        continue;
      }
      for (int c = 0; c < outputs; ++c) {
        const double y = targets[(first + i) * static_cast<std::size_t>(outputs) + static_cast<std::size_t>(c)];
        if (std::isnan(y)) continue;
        const double out = static_cast<double>(row[c]);
        const Term term = kind == LossKind::kBinaryCrossEntropy ? binary_cross_entropy(out, y)
                          : kind == LossKind::kSquaredError     ? squared_error(out, y)
                                                                : absolute_error(out, y);
        const double share = weights.empty() || y < 0.5 ? weight : weight * weights[static_cast<std::size_t>(c)];
        sum += share * term.loss;
        d[c] = static_cast<S>(share * term.slope);
      }
    }
    return sum;
  };
}

namespace {

double chance_of_classes(std::size_t classes, std::span<const double> targets, std::span<const double> weights,
                         bool balanced) {
  std::vector<double> counts(classes, 0);
  for (const double y : targets) {
    if (!std::isnan(y)) counts[static_cast<std::size_t>(y)] += 1;
  }
  double total = 0, loss = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    if (balanced && counts[c] > 0) counts[c] = 1;
    if (!weights.empty()) counts[c] *= weights[c];
    total += counts[c];
  }
  for (const double count : counts) loss -= count > 0 ? count / total * std::log(count / total) : 0;
  return total > 0 ? loss : std::nan("");
}

// Of one column's values: the sum of losses. Reorders them.
double sum_at_best_constant(LossKind kind, std::vector<double>& values, double weight_of_yes) {
  double sum = 0;
  for (const double y : values) sum += y;
  const auto count = static_cast<double>(values.size());
  if (kind == LossKind::kBinaryCrossEntropy) {
    const double yes = weight_of_yes * sum, no = count - sum, all = yes + no;
    return (yes > 0 ? -yes * std::log(yes / all) : 0) + (no > 0 ? -no * std::log(no / all) : 0);
  }
  double best = sum / count, total = 0;
  if (kind == LossKind::kAbsoluteError) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    best = *middle;
  }
  for (const double y : values) {
    total += kind == LossKind::kAbsoluteError ? absolute_error(best, y).loss : squared_error(best, y).loss;
  }
  return total;
}

}  // namespace

double chance_loss(LossKind kind, int outputs, std::span<const double> targets, std::span<const double> weights,
                   bool balanced) {
  const auto columns = static_cast<std::size_t>(outputs);
  if (kind == LossKind::kCrossEntropy) return chance_of_classes(columns, targets, weights, balanced);
  double sum = 0, count = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> values;
    for (std::size_t i = c; i < targets.size(); i += columns) {
      if (!std::isnan(targets[i])) values.push_back(targets[i]);
    }
    if (values.empty()) continue;
    count += static_cast<double>(values.size());
    sum += sum_at_best_constant(kind, values, weights.empty() ? 1 : weights[c]);
  }
  return count > 0 ? sum / count : std::nan("");
}

template LossFunction<float> make_loss<float>(LossKind, int, std::span<const double>, std::size_t,
                                              std::span<const double>, std::span<const double>);
template LossFunction<double> make_loss<double>(LossKind, int, std::span<const double>, std::size_t,
                                                std::span<const double>, std::span<const double>);

}  // namespace agentnet
