#include <algorithm>
#include <cmath>

#include "check.h"

namespace agentnet::tape {
namespace {

using V = Value<double>;

TEST(Reductions, OfRowsAndColumns) {
  const Dense x = random_dense(4, 5, 1);
  const auto row = [&](Index i, const std::function<double(double, double)>& f) {
    double r = x(i, 0);
    for (Index j = 1; j < 5; ++j) r = f(r, x(i, j));
    return r;
  };
  const auto column = [&](Index j, const std::function<double(double, double)>& f) {
    double r = x(0, j);
    for (Index i = 1; i < 4; ++i) r = f(r, x(i, j));
    return r;
  };
  const auto add = [](double a, double b) { return a + b; };
  const auto most = [](double a, double b) { return std::max(a, b); };
  const auto least = [](double a, double b) { return std::min(a, b); };
  const auto rows = [&](const std::function<V(V)>& f, const std::function<double(double, double)>& g, double scale) {
    check(
        {x}, [&](Tape<double>&, Values in) { return f(in[0]); },
        make_dense(4, 1, [&](Index i, Index) { return scale * row(i, g); }));
  };
  const auto columns = [&](const std::function<V(V)>& f, const std::function<double(double, double)>& g, double scale) {
    check(
        {x}, [&](Tape<double>&, Values in) { return f(in[0]); },
        make_dense(1, 5, [&](Index, Index j) { return scale * column(j, g); }));
  };
  rows([](V v) { return row_sum(v); }, add, 1);
  rows([](V v) { return row_mean(v); }, add, 0.2);
  rows([](V v) { return row_max(v); }, most, 1);
  rows([](V v) { return row_min(v); }, least, 1);
  columns([](V v) { return column_sum(v); }, add, 1);
  columns([](V v) { return column_mean(v); }, add, 0.25);
  columns([](V v) { return column_max(v); }, most, 1);
  columns([](V v) { return column_min(v); }, least, 1);
}

TEST(Reductions, SumsOverManyBlocksOfRows) {
  const Dense x = random_dense(5 * kBlockRows + 3, 2, 4);
  const Answer found =
      answer({x}, [](Tape<double>&, Values in) { return column_sum(in[0]); }, Inputs::kLeaves, {true, true});
  double sum = 0;
  for (Index i = 0; i < x.rows; ++i) sum += x(i, 1);
  EXPECT_NEAR(found.value(0, 1), sum, 1e-10);
}

TEST(Reductions, SoftmaxOfRows) {
  const Dense x = random_dense(3, 4, 2);
  const auto total = [&](Index i) {
    double sum = 0;
    for (Index j = 0; j < 4; ++j) sum += std::exp(x(i, j));
    return sum;
  };
  check(
      {x}, [](Tape<double>&, Values in) { return softmax(in[0]); },
      make_dense(3, 4, [&](Index i, Index j) { return std::exp(x(i, j)) / total(i); }));
  check(
      {x}, [](Tape<double>&, Values in) { return log_softmax(in[0]); },
      make_dense(3, 4, [&](Index i, Index j) { return x(i, j) - std::log(total(i)); }));
}

// Numbers whose exponentials are not numbers any more.
TEST(Reductions, SoftmaxOfLargeNumbers) {
  Dense x(1, 2);
  x.v = {1000, 999};
  const auto value = [&](const Formula& f) { return answer({x}, f, Inputs::kLeaves, {}).value; };
  EXPECT_NEAR(value([](Tape<double>&, Values in) { return softmax(in[0]); })(0, 1), 1 / (1 + std::exp(1)), 1e-12);
  EXPECT_NEAR(value([](Tape<double>&, Values in) { return log_softmax(in[0]); })(0, 0), -std::log(1 + std::exp(-1)),
              1e-12);
}

}  // namespace
}  // namespace agentnet::tape
