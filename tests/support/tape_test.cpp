// Every operation of the tape against central differences.
#include "support/tape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace agentnet {
namespace {

using Inputs = std::vector<std::vector<double>>;
using Operation = std::function<Traced(const std::vector<Traced>&)>;

// A fixed weighted sum of the operation's result, so that every entry of it counts differently.
Traced weighted(Tape& tape, const Traced& y) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < y.size(); ++i) weights.push_back(0.5 + 0.3 * static_cast<double>(i));
  return dot(y, tape.leaf(weights));
}

double evaluate(const Operation& operation, const Inputs& inputs) {
  Tape tape;
  std::vector<Traced> x;
  for (const auto& input : inputs) x.push_back(tape.leaf(input));
  return weighted(tape, operation(x))[0];
}

void check_gradients(const Operation& operation, Inputs inputs) {
  Tape tape;
  std::vector<Traced> x;
  for (const auto& input : inputs) x.push_back(tape.leaf(input));
  tape.backward(weighted(tape, operation(x)));
  constexpr double kStep = 1e-6;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    for (std::size_t i = 0; i < inputs[k].size(); ++i) {
      const double at = inputs[k][i];
      inputs[k][i] = at + kStep;
      const double above = evaluate(operation, inputs);
      inputs[k][i] = at - kStep;
      const double below = evaluate(operation, inputs);
      inputs[k][i] = at;
      EXPECT_NEAR(tape.gradient(x[k])[i], (above - below) / (2 * kStep), 1e-8) << "input " << k << ", entry " << i;
    }
  }
}

std::vector<double> random_vector(std::size_t size, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<double> v(size);
  for (double& e : v) e = normal(engine);
  return v;
}

Inputs random_inputs(std::initializer_list<std::size_t> sizes) {
  Inputs inputs;
  for (const std::size_t size : sizes) inputs.push_back(random_vector(size, static_cast<unsigned>(inputs.size() + 1)));
  return inputs;
}

using X = const std::vector<Traced>&;

TEST(Tape, AddHasTheGradientOfItsDifferences) {
  check_gradients([](X x) { return add(x[0], x[1]); }, random_inputs({3, 3}));
}

TEST(Tape, SumOfAVectorWithItselfCountsItTwice) {
  check_gradients([](X x) { return sum(std::vector{x[0], x[1], x[0]}); }, random_inputs({3, 3}));
}

TEST(Tape, DotHasTheGradientOfItsDifferences) {
  check_gradients([](X x) { return dot(x[0], x[1]); }, random_inputs({4, 4}));
}

TEST(Tape, SquaredNormAsADotWithItself) {
  check_gradients([](X x) { return dot(x[0], x[0]); }, random_inputs({4}));
}

TEST(Tape, ScaleHasTheGradientOfItsDifferences) {
  check_gradients([](X x) { return scale(x[0], -1.7); }, random_inputs({4}));
}

TEST(Tape, MultiplyDifferentiatesVectorAndFactor) {
  check_gradients([](X x) { return multiply(x[0], x[1]); }, random_inputs({4, 1}));
}

TEST(Tape, ConcatAndSliceRouteEachEntry) {
  check_gradients([](X x) { return slice(concat(std::vector{x[0], x[1], x[0]}), 1, 5); }, random_inputs({3, 2}));
}

TEST(Tape, MatvecDifferentiatesMatrixAndVector) {
  check_gradients([](X x) { return matvec(x[0], x[1]); }, random_inputs({6, 3}));
}

TEST(Tape, TransposedMatvecDifferentiatesMatrixAndVector) {
  check_gradients([](X x) { return transposed_matvec(x[0], x[1]); }, random_inputs({12, 3}));
}

TEST(Tape, LayerNormDifferentiatesInputWeightAndBias) {
  check_gradients([](X x) { return layer_norm(x[0], x[1], x[2]); }, random_inputs({5, 5, 5}));
}

TEST(Tape, LeakyReluHasItsSlopeBelowZero) {
  check_gradients([](X x) { return leaky_relu(x[0], 0.2); }, {{-1.0, 2.0, -0.5, 0.25}});
}

TEST(Tape, SoftmaxAndItsLogarithm) {
  check_gradients([](X x) { return softmax(x[0]); }, random_inputs({4}));
  check_gradients([](X x) { return log_softmax(x[0]); }, random_inputs({4}));
}

TEST(Tape, SoftplusSquareAndAbsoluteOnBothSidesOfZero) {
  const Inputs inputs = {{-2.0, -0.3, 0.4, 3.0}};
  check_gradients([](X x) { return softplus(x[0]); }, inputs);
  check_gradients([](X x) { return square(x[0]); }, inputs);
  check_gradients([](X x) { return absolute(x[0]); }, inputs);
}

TEST(Tape, MaximumIsEntrywise) {
  check_gradients([](X x) { return elementwise_max(x); }, {{1.0, -2.0, 0.5}, {0.0, 3.0, 0.25}, {2.0, 1.0, -1.0}});
}

TEST(Tape, MaximumSendsATiesGradientToTheFirst) {
  Tape tape;
  const std::vector<Traced> x = {tape.leaf({1.0}), tape.leaf({2.0}), tape.leaf({2.0})};
  tape.backward(elementwise_max(x));
  EXPECT_EQ(tape.gradient(x[0])[0], 0.0);
  EXPECT_EQ(tape.gradient(x[1])[0], 1.0);
  EXPECT_EQ(tape.gradient(x[2])[0], 0.0);
}

TEST(Tape, ChainsOfOperationsMultiplyTheirGradients) {
  check_gradients(
      [](X x) {
        const Traced normal = layer_norm(matvec(x[0], x[1]), x[2], x[3]);
        return multiply(softmax(normal), dot(leaky_relu(normal, 0.01), x[1]));
      },
      random_inputs({9, 3, 3, 3}));
}

TEST(Tape, ValuesAreThoseOfTheFormulas) {
  Tape tape;
  EXPECT_EQ(matvec(tape.leaf({1, 2, 3, 4, 5, 6}), tape.leaf({1, 10})).value(), (std::vector<double>{21, 43, 65}));
  EXPECT_EQ(transposed_matvec(tape.leaf({1, 2, 3, 4, 5, 6}), tape.leaf({1, 10})).value(),
            (std::vector<double>{41, 52, 63}));
  const Traced normal = layer_norm(tape.leaf({1, 3}), tape.leaf({2, 2}), tape.leaf({5, 5}));
  EXPECT_NEAR(normal[0], 5 - 2 / std::sqrt(1 + 1e-5), 1e-15);
  EXPECT_NEAR(normal[1], 5 + 2 / std::sqrt(1 + 1e-5), 1e-15);
  EXPECT_NEAR(softmax(tape.leaf({0, std::log(3.0)}))[1], 0.75, 1e-15);
  EXPECT_NEAR(log_softmax(tape.leaf({1000, 1000 + std::log(3.0)}))[1], std::log(0.75), 1e-12);
  EXPECT_NEAR(softplus(tape.leaf({0}))[0], std::log(2.0), 1e-15);
}

TEST(Tape, OneWithGradientOfHasValueOneAndPassesTheGradient) {
  Tape tape;
  const Traced p = tape.leaf({0.3});
  const Traced w = one_with_gradient_of(p);
  EXPECT_EQ(w[0], 1.0);
  tape.backward(scale(w, 7.0));
  EXPECT_EQ(tape.gradient(p)[0], 7.0);
}

TEST(Tape, ASecondBackwardForgetsTheFirst) {
  Tape tape;
  const Traced x = tape.leaf({3.0});
  const Traced y = square(x);
  tape.backward(y);
  tape.backward(y);
  EXPECT_EQ(tape.gradient(x)[0], 6.0);
}

}  // namespace
}  // namespace agentnet
