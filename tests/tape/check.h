// Checks an operation of a tape: against its plain version, and its gradients against central differences.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/random.h"
#include "tape/operations.h"
#include "tape/tape.h"

namespace agentnet::tape {

struct Dense {
  Index rows = 0, columns = 0;
  std::vector<double> v;
  Dense() = default;
  Dense(Index m, Index n) : rows(m), columns(n), v(static_cast<std::size_t>(m) * static_cast<std::size_t>(n)) {}
  [[nodiscard]] double& operator()(Index i, Index j) { return v[static_cast<std::size_t>(i) * columns + j]; }
  [[nodiscard]] double operator()(Index i, Index j) const { return v[static_cast<std::size_t>(i) * columns + j]; }
};

// Normal numbers, the same for the same seed.
inline Dense random_dense(Index rows, Index columns, std::uint64_t seed) {
  Dense m(rows, columns);
  RandomSequence random(seed, Purpose::kTest);
  for (double& v : m.v) v = random.normal();
  return m;
}
// Numbers between 0.5 and 2.5, for operations that want positive ones.
inline Dense positive_dense(Index rows, Index columns, std::uint64_t seed) {
  Dense m(rows, columns);
  RandomSequence random(seed, Purpose::kTest);
  for (double& v : m.v) v = 0.5 + 2 * random.uniform();
  return m;
}

// Made entry by entry.
inline Dense make_dense(Index rows, Index columns, const std::function<double(Index, Index)>& entry) {
  Dense m(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) m(i, j) = entry(i, j);
  }
  return m;
}

using Values = std::span<const Value<double>>;
using Formula = std::function<Value<double>(Tape<double>&, Values)>;

// How the inputs come to the formula: as leaves; as results that nobody else uses, whose buffers may be taken over; or
// as results that something else uses too, so that gradients are added.
enum class Inputs { kLeaves, kResults, kShared };

struct Answer {
  Dense value;
  std::vector<Dense> gradients;
  double loss = 0;
};

inline Dense copy(Matrix<double> m, Index rows, Index columns) {
  return make_dense(rows, columns, [&](Index i, Index j) { return m.row(i)[j]; });
}

// loss = sum of weight * y, + with kShared 3 times the sum of each input.
inline Answer answer(const std::vector<Dense>& inputs, const Formula& formula, Inputs how, Mode mode,
                     ThreadPool* pool = nullptr) {
  Tape<double> tape(pool);
  tape.begin(mode);
  std::vector<Value<double>> leaves, values, wanted;
  for (const Dense& m : inputs) leaves.push_back(tape.input(m.v.data(), m.rows, m.columns, true));
  for (const Value<double>& leaf : leaves) values.push_back(how == Inputs::kLeaves ? leaf : affine(leaf, 1, 0));
  const Value<double> y = formula(tape, values);
  wanted.push_back(y);
  if (how == Inputs::kShared) {
    for (const Value<double>& value : values) wanted.push_back(affine(value, 3, 0));
  }
  tape.run(wanted);
  Answer result;
  result.value = copy(y.data(), y.rows(), y.columns());
  std::vector<Dense> weights = {random_dense(y.rows(), y.columns(), 99)};
  for (std::size_t k = 1; k < wanted.size(); ++k) {
    weights.push_back(make_dense(wanted[k].rows(), wanted[k].columns(), [](Index, Index) { return 1; }));
  }
  std::vector<Seed<double>> seeds;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    Dense& weight = weights[k];
    for (Index i = 0; i < weight.rows; ++i) {
      for (Index j = 0; j < weight.columns; ++j) result.loss += weight(i, j) * wanted[k].data().row(i)[j];
    }
    seeds.push_back({wanted[k], {weight.v.data(), weight.columns}});
  }
  if (!mode.gradients) return result;
  tape.backward(seeds);
  for (const Value<double>& leaf : leaves) {
    const Matrix<double> gradient = leaf.gradient();
    result.gradients.push_back(gradient ? copy(gradient, leaf.rows(), leaf.columns())
                                        : Dense(leaf.rows(), leaf.columns()));
  }
  return result;
}

inline void expect_near(const Dense& found, const Dense& expected, double allowed, const std::string& what) {
  ASSERT_EQ(found.rows, expected.rows) << what;
  ASSERT_EQ(found.columns, expected.columns) << what;
  for (Index i = 0; i < found.rows; ++i) {
    for (Index j = 0; j < found.columns; ++j) {
      ASSERT_NEAR(found(i, j), expected(i, j), allowed * (1 + std::abs(expected(i, j))))
          << what << " at " << i << ", " << j;
    }
  }
}

// The formula gives `plain`, with and without gradients, and every entry of every gradient is the slope of the loss.
inline void check(const std::vector<Dense>& inputs, const Formula& formula, const Dense& plain, bool training = true) {
  const Mode with{training, true}, without{training, false};
  for (const Inputs how : {Inputs::kLeaves, Inputs::kResults, Inputs::kShared}) {
    const std::string what = "inputs " + std::to_string(static_cast<int>(how));
    const Answer found = answer(inputs, formula, how, with);
    expect_near(found.value, plain, 1e-12, what);
    EXPECT_EQ(answer(inputs, formula, how, without).value.v, found.value.v) << what << ", without gradients";
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      std::vector<Dense> moved = inputs;
      Dense slopes(inputs[k].rows, inputs[k].columns);
      for (std::size_t e = 0; e < inputs[k].v.size(); ++e) {
        constexpr double kStep = 1e-6;
        moved[k].v[e] = inputs[k].v[e] + kStep;
        const double above = answer(moved, formula, how, without).loss;
        moved[k].v[e] = inputs[k].v[e] - kStep;
        const double below = answer(moved, formula, how, without).loss;
        moved[k].v[e] = inputs[k].v[e];
        slopes.v[e] = (above - below) / (2 * kStep);
      }
      expect_near(found.gradients[k], slopes, 2e-7, what + ", gradient of input " + std::to_string(k));
    }
  }
}

}  // namespace agentnet::tape
