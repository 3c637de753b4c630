// Linear models of the rows of a table: logistic and ridge regression, for baselines.
#pragma once

#include <cstddef>
#include <vector>

namespace agentnet {

// Row-major features of graphs, each column of mean 0 and deviation 1. Floats, since a large set has hundreds of
// thousands of rows.
struct FeatureRows {
  std::size_t count = 0, width = 0;
  std::vector<float> values;  // [count, width]

  [[nodiscard]] const float* row(std::size_t i) const { return values.data() + i * width; }
};

// X'X / rows of the features, lower triangle of [width, width]: made once, used for every target.
[[nodiscard]] std::vector<double> gram_matrix(const FeatureRows& x);

// Rows whose target is known, and the target.
struct Labelled {
  std::vector<std::size_t> rows;
  std::vector<double> targets;

  [[nodiscard]] double count() const { return static_cast<double>(rows.size()); }
};

// outputs = weights * features + intercepts. The objective is the sum over the labelled rows of the loss, plus half
// the squared norm of the weights (not of the intercepts): it has one minimum, also for data that can be separated.
class LinearModel {
 public:
  // Multinomial logistic regression: targets are classes 0 to classes - 1, each of which occurs.
  [[nodiscard]] static LinearModel of_classes(const FeatureRows& x, const std::vector<double>& gram,
                                              const Labelled& labelled, std::size_t classes);
  // Ridge regression; targets are best of mean 0 and deviation 1.
  [[nodiscard]] static LinearModel of_numbers(const FeatureRows& x, const std::vector<double>& gram,
                                              const Labelled& labelled);

  // For a row of features, the probabilities of all classes; or the number.
  void probabilities(const float* x, std::vector<double>& out) const;
  [[nodiscard]] double number(const float* x) const;

 private:
  LinearModel(std::size_t width, std::size_t outputs);
  void apply(const std::vector<double>& weights, const float* x, std::vector<double>& out) const;
  template <class Loss>
  void fit(const FeatureRows& x, const std::vector<double>& gram, const Labelled& labelled, double curvature,
           const Loss& loss);

  std::size_t width_, outputs_;
  std::vector<double> weights_;  // [outputs, width + 1], intercepts last
};

}  // namespace agentnet
