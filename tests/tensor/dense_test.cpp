// A layer with the norm before it folded in, against norm and layer computed one after the other.
#include "tensor/dense.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "plain_kernels.h"
#include "tables.h"

namespace agentnet {
namespace {

constexpr double kEpsilon = 1e-5;

// LN (optional) -> Linear on M rows, with all parameters in one place.
template <class S>
struct Layer {
  static constexpr Index kRows = 9;
  Index in, out;
  Table<S> weight;  // [out, in]
  std::vector<S> bias, gamma, beta;
  Table<S> xhat;      // [M, in], normalised
  Table<S> gradient;  // [M, out], of the output

  Layer(Index in_width, Index out_width) : in(in_width), out(out_width) {
    Maker<S> maker(static_cast<std::uint64_t>(in * 1000 + out), Values::kReal);
    weight = maker.input(out, in);
    bias = maker.values(out);
    gamma = maker.values(in);
    beta = maker.values(in);
    xhat = maker.input(kRows, in);
    gradient = maker.input(kRows, out);
    std::vector<S> rstd(kRows);
    kernels<S>().normalise(kRows, in, xhat.data(), xhat.ld(), 0, nullptr, nullptr, S(kEpsilon), nullptr, rstd.data());
  }
  [[nodiscard]] LayerSource<S> source(bool with_norm = true, bool with_bias = true) const {
    LayerSource<S> s{.weight = weight.data(), .ld = weight.ld(), .out = out, .in = in};
    if (with_bias) s.bias = bias.data();
    if (with_norm) {
      s.gamma = gamma.data();
      s.beta = beta.data();
    }
    return s;
  }
  // Entry (m, o) of the output, from a source as above.
  [[nodiscard]] double plain(const LayerSource<S>& s, Index m, Index o) const {
    double y = s.bias != nullptr ? static_cast<double>(s.bias[o]) : 0;
    for (Index i = 0; i < in; ++i) {
      double x = static_cast<double>(xhat(m, i));
      if (s.gamma != nullptr) x = x * static_cast<double>(s.gamma[i]) + static_cast<double>(s.beta[i]);
      y += x * static_cast<double>(s.weight[o * s.ld + i]);
    }
    return y;
  }
  // sum of gradient * output: what finite differences are taken of.
  [[nodiscard]] double objective() const {
    double sum = 0;
    for (Index m = 0; m < kRows; ++m) {
      for (Index o = 0; o < out; ++o) sum += static_cast<double>(gradient(m, o)) * plain(source(), m, o);
    }
    return sum;
  }
};

// Views of constant data: the kernels only read what is given as an input.
template <class S>
Matrix<S> view(const Table<S>& t) {
  return {const_cast<S*>(t.data()), t.ld()};
}
template <class S>
Matrix<S> view(Table<S>& t) {
  return {t.data(), t.ld()};
}

template <class S>
class DenseOf : public testing::Test {
 protected:
  // Rounding of a sum of up to 70 products of numbers of size 1, with room.
  static constexpr double kTolerance = 500 * std::numeric_limits<S>::epsilon();
};
struct ScalarName {
  template <class S>
  static std::string GetName(int /*index*/) {  // NOLINT(readability-identifier-naming)
    return std::is_same_v<S, float> ? "f32" : "f64";
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(DenseOf, Scalars, ScalarName);

TYPED_TEST(DenseOf, FoldsTheNormIntoWeightAndBias) {
  using S = TypeParam;
  for (const auto& [in, out] : {std::pair<Index, Index>{1, 1}, {7, 3}, {32, 64}, {70, 33}}) {
    const Layer<S> layer(in, out);
    for (const bool with_norm : {false, true}) {
      for (const bool with_bias : {false, true}) {
        const LayerSource<S> source = layer.source(with_norm, with_bias);
        Dense<S> dense;
        EXPECT_FALSE(dense.ready());
        dense.prepare(source);
        ASSERT_TRUE(dense.ready());
        ASSERT_EQ(dense.in(), in);
        ASSERT_EQ(dense.out(), out);
        Table<S> y(Layer<S>::kRows, out, 3, S(777));
        dense.forward(Layer<S>::kRows, view(layer.xhat), {}, view(y));
        for (Index m = 0; m < Layer<S>::kRows; ++m) {
          for (Index o = 0; o < out; ++o) {
            ASSERT_NEAR(y(m, o), layer.plain(source, m, o), TestFixture::kTolerance)
                << in << " -> " << out << " norm " << with_norm << " bias " << with_bias;
          }
        }
      }
    }
  }
}

TYPED_TEST(DenseOf, OffersItsFoldedWeights) {
  using S = TypeParam;
  const Layer<S> layer(5, 4);
  Dense<S> dense;
  dense.prepare(layer.source());
  for (Index o = 0; o < 4; ++o) {
    double b = static_cast<double>(layer.bias[static_cast<std::size_t>(o)]);
    for (Index i = 0; i < 5; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(dense.row(o)[i], layer.weight(o, i) * layer.gamma[at]);
      b += static_cast<double>(layer.weight(o, i)) * static_cast<double>(layer.beta[at]);
    }
    ASSERT_NEAR(dense.bias()[o], b, TestFixture::kTolerance);
  }
}

TYPED_TEST(DenseOf, LeavesItsBiasOutWhenAskedTo) {
  using S = TypeParam;
  const Layer<S> layer(7, 6);
  Dense<S> dense;
  dense.prepare(layer.source());
  const std::vector<S> other(6, S(100));
  const auto first = [&](const S* bias, bool plain) {
    Table<S> y(1, 6, 0, S(777));
    Epilogue<S> epilogue;
    epilogue.bias = bias;
    dense.forward(1, view(layer.xhat), epilogue, view(y), plain);
    return static_cast<double>(y(0, 2));
  };
  const double product = Plain<S>::dot_of(7, layer.xhat.row(0), dense.row(2));
  EXPECT_NEAR(first(nullptr, false), product + static_cast<double>(dense.bias()[2]), TestFixture::kTolerance);
  EXPECT_NEAR(first(nullptr, true), product, TestFixture::kTolerance);
  EXPECT_NEAR(first(other.data(), false), product + 100, 100 * TestFixture::kTolerance);
}

TYPED_TEST(DenseOf, HandsTheGradientBackThroughTheFoldedWeights) {
  using S = TypeParam;
  for (const auto& [in, out] : {std::pair<Index, Index>{1, 1}, {7, 3}, {32, 64}, {70, 33}}) {
    const Layer<S> layer(in, out);
    Dense<S> dense;
    dense.prepare(layer.source());
    Table<S> dx(Layer<S>::kRows, in, 2, S(777));
    dense.backward_input(Layer<S>::kRows, view(layer.gradient), {}, view(dx));
    for (Index m = 0; m < Layer<S>::kRows; ++m) {
      for (Index i = 0; i < in; ++i) {
        double sum = 0;
        for (Index o = 0; o < out; ++o)
          sum += static_cast<double>(layer.gradient(m, o)) * static_cast<double>(dense.row(o)[i]);
        ASSERT_NEAR(dx(m, i), sum, TestFixture::kTolerance);
      }
    }
  }
}

// Once per optimizer step, perhaps with another shape in tests and tools.
TYPED_TEST(DenseOf, CanBePreparedAgain) {
  using S = TypeParam;
  const Layer<S> large(40, 50), small(3, 2);
  Dense<S> dense;
  dense.prepare(large.source());
  dense.prepare(small.source());
  Table<S> y(Layer<S>::kRows, 2, 1, S(777));
  dense.forward(Layer<S>::kRows, view(small.xhat), {}, view(y));
  for (Index m = 0; m < Layer<S>::kRows; ++m) {
    for (Index o = 0; o < 2; ++o) ASSERT_NEAR(y(m, o), small.plain(small.source(), m, o), TestFixture::kTolerance);
  }
}

TYPED_TEST(DenseOf, AccumulatesTheGradientOfWeightAndBias) {
  using S = TypeParam;
  const Layer<S> layer(37, 21);
  Maker<S> maker(1, Values::kReal);
  Table<S> d_weight = maker.output(21, 37), expected = d_weight;
  std::vector<S> d_bias = maker.values(21), expected_bias = d_bias;
  Plain<S>::gemm_tn(layer.kRows, 21, 37, layer.gradient.data(), layer.gradient.ld(), layer.xhat.data(), layer.xhat.ld(),
                    expected.data(), expected.ld());
  Plain<S>::column_sums(layer.kRows, 21, layer.gradient.data(), layer.gradient.ld(), expected_bias.data());
  accumulate_layer(layer.kRows, 21, 37, view(layer.gradient), view(layer.xhat), d_weight.data(), d_weight.ld(),
                   d_bias.data());
  for (Index o = 0; o < 21; ++o) {
    for (Index i = 0; i < 37; ++i) ASSERT_NEAR(d_weight(o, i), expected(o, i), TestFixture::kTolerance);
    ASSERT_NEAR(d_bias[static_cast<std::size_t>(o)], expected_bias[static_cast<std::size_t>(o)],
                TestFixture::kTolerance);
  }
  const Table<S> before = d_weight;
  accumulate_layer<S>(0, 21, 37, {}, {}, d_weight.data(), d_weight.ld(), nullptr);
  EXPECT_EQ(d_weight, before);
}

// The gradients of W, b, gamma and beta of a layer, collected for W' and b' and then taken apart.
struct LayerGradient {
  Table<double> weight;
  std::vector<double> bias, gamma, beta;

  explicit LayerGradient(const Layer<double>& layer)
      : weight(layer.out, layer.in, 4, 0.0),
        bias(layer.bias.size(), 0.0),
        gamma(layer.gamma.size(), 0.0),
        beta(layer.beta.size(), 0.0) {
    accumulate_layer(layer.kRows, layer.out, layer.in, view(layer.gradient), view(layer.xhat), weight.data(),
                     weight.ld(), bias.data());
    unfold_norm(layer.source(), weight.data(), weight.ld(), bias.data(), gamma.data(), beta.data());
  }
};

TEST(UnfoldNorm, GivesTheSlopesOfWeightBiasAndNorm) {
  Layer<double> layer(11, 6);
  const LayerGradient gradient(layer);
  const auto expect_slope = [&](double& parameter, double expected, const char* name, Index i) {
    constexpr double kStep = 1e-4;  // the objective is linear in each parameter: any step will do
    const double before = parameter;
    parameter = before + kStep;
    const double above = layer.objective();
    parameter = before - kStep;
    const double below = layer.objective();
    parameter = before;
    EXPECT_NEAR((above - below) / (2 * kStep), expected, 1e-8) << name << ' ' << i;
  };
  for (Index o = 0; o < layer.out; ++o) {
    for (Index i = 0; i < layer.in; ++i) expect_slope(layer.weight(o, i), gradient.weight(o, i), "weight of output", o);
    expect_slope(layer.bias[static_cast<std::size_t>(o)], gradient.bias[static_cast<std::size_t>(o)], "bias", o);
  }
  for (Index i = 0; i < layer.in; ++i) {
    const auto at = static_cast<std::size_t>(i);
    expect_slope(layer.gamma[at], gradient.gamma[at], "gamma", i);
    expect_slope(layer.beta[at], gradient.beta[at], "beta", i);
  }
}

TEST(UnfoldNorm, OfALayerWithoutBiasGivesTheShiftNoGradient) {
  const Layer<double> layer(3, 2);
  std::vector<double> weight = {1, 2, 3, 4, 5, 6}, gamma(3, 10.0), beta(3, 20.0);
  unfold_norm<double>(layer.source(), weight.data(), 3, nullptr, gamma.data(), beta.data());
  EXPECT_EQ(beta, std::vector<double>(3, 20.0));
  EXPECT_DOUBLE_EQ(gamma[1], 10 + 2 * layer.weight(0, 1) + 5 * layer.weight(1, 1));
  EXPECT_DOUBLE_EQ(weight[4], 5 * layer.gamma[1]);
}

}  // namespace
}  // namespace agentnet
