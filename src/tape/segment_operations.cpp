#include <cmath>
#include <stdexcept>

#include "tape/loops.h"
#include "tape/operations.h"
#include "tape/row_sums.h"

namespace agentnet::tape {
namespace {

void check_transposed(const char* operation, const Segments& segments) {
  if (segments.symmetric && segments.count != segments.rows) {
    wrong_shape(operation, "symmetric segments are of as many rows", {segments.count, 1}, {segments.rows, 1});
  }
  if (segments.transposed == nullptr) return;
  if (segments.transposed->count != segments.rows) {
    wrong_shape(operation, "the transposed segments do not fit", {segments.rows, segments.count},
                {segments.transposed->count, segments.transposed->rows});
  }
  segments.transposed->check(operation, segments.count);
}

void check_each_once(const char* operation, const Segments& segments) {
  if (segments.members != nullptr && !segments.disjoint) {
    throw std::logic_error(std::string(operation) + ": each row is in one segment at most (Segments::disjoint)");
  }
}

[[nodiscard]] std::size_t cost(const Segments& s, Index columns) {
  return static_cast<std::size_t>(s.offsets[s.count]) * static_cast<std::size_t>(columns);
}

[[nodiscard]] Index member(const Segments& s, std::int64_t e) {
  return s.members != nullptr ? s.members[e] : static_cast<Index>(e);
}

template <class S>
Value<S> sum_or_mean(const char* name, Value<S> x, const Segments& segments, bool mean) {
  segments.check(name, x.rows());
  check_transposed(name, segments);
  const RowSums<S> sums(x.tape(), segments, mean);
  const RowSumsBack<S> back(x.tape(), sums, mean);
  const Recipe<S> recipe{.name = name, .shape = {segments.count, x.columns()}, .inputs = {&x, 1}};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        sums.put(run, run.in(), {run.out(), false}, run.shape().columns);
      },
      [=](Run<S>& run) {
        if (const Gradient<S> d = run.d_in()) back.put(run, run.d_out(), d, run.shape().columns);
      });
}

// saved: the row that has the largest (sign 1) or smallest (sign -1) entry, [count, N]; -1 in an empty segment.
template <class S>
void extreme_forward(const Run<S>& run, const Segments& s, S sign) {
  const Index N = run.shape().columns;
  Index* saved = run.template saved<Index>();
  run.parallel(s.count, cost(s, N), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      S* best = run.out().row(i);
      Index* arg = saved + static_cast<Stride>(i) * N;
      std::fill_n(best, N, S(0));
      std::fill_n(arg, N, Index{-1});
      for (std::int64_t e = s.offsets[i]; e < s.offsets[i + 1]; ++e) {
        const Index row = member(s, e);
        const S* x = run.in().row(row);
        for (Index j = 0; j < N; ++j) {
          if (e > s.offsets[i] && !(sign * x[j] > sign * best[j])) continue;
          best[j] = x[j];
          arg[j] = row;
        }
      }
    }
  });
}

template <class S>
void extreme_backward(Run<S>& run, const Segments& s) {
  const Index N = run.shape().columns;
  const Gradient<S> d = run.d_in();
  if (!d) return;
  if (!d.add) set_zero(run, d.to, run.in_shape());
  const Index* saved = run.template saved<Index>();
  run.parallel(
      N, elements(run.shape()),
      [&](Index first, Index last) {
        for (Index i = 0; i < s.count; ++i) {
          const Index* arg = saved + static_cast<Stride>(i) * N;
          for (Index j = first; j < last; ++j) {
            if (arg[j] >= 0) d.to.row(arg[j])[j] += run.d_out().row(i)[j];
          }
        }
      },
      kColumnGrain);
}

template <class S>
Value<S> extreme(const char* name, Value<S> x, const Segments& segments, S sign) {
  segments.check(name, x.rows());
  const Shape shape{segments.count, x.columns()};
  const Recipe<S> recipe{
      .name = name, .shape = shape, .inputs = {&x, 1}, .saved_bytes = elements(shape) * sizeof(Index)};
  return x.tape().record(
      recipe, [=](Run<S>& run) { extreme_forward(run, segments, sign); },
      [=](Run<S>& run) { extreme_backward(run, segments); });
}

template <class S>
void softmax_forward(const Run<S>& run, const Segments& s, S epsilon) {
  const Index N = run.shape().columns;
  if (s.offsets[s.count] < run.shape().rows) set_zero(run, run.out(), run.shape());
  S* scratch = run.template scratch<S>();  // [count, 2, N]: largest entries, sums
  run.parallel(s.count, 4 * cost(s, N), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      S* top = scratch + static_cast<Stride>(i) * 2 * N;
      S* sum = top + N;
      const auto each = [&](const auto& f) {
        for (std::int64_t e = s.offsets[i]; e < s.offsets[i + 1]; ++e) f(member(s, e), e == s.offsets[i]);
      };
      each([&](Index row, bool begins) {
        const S* x = run.in().row(row);
        for (Index j = 0; j < N; ++j) top[j] = begins || x[j] > top[j] ? x[j] : top[j];
      });
      std::fill_n(sum, N, epsilon);
      each([&](Index row, bool) {
        const S* x = run.in().row(row);
        S* y = run.out().row(row);
        for (Index j = 0; j < N; ++j) sum[j] += y[j] = std::exp(x[j] - top[j]);
      });
      each([&](Index row, bool) {
        S* y = run.out().row(row);
        for (Index j = 0; j < N; ++j) y[j] /= sum[j];
      });
    }
  });
}

// dx = y (dy - sum over the segment of dy y)
template <class S>
void softmax_backward(Run<S>& run, const Segments& s) {
  const Gradient<S> d = run.d_in();
  if (!d) return;
  const Index N = run.shape().columns;
  if (!d.add && s.offsets[s.count] < run.shape().rows) set_zero(run, d.to, run.shape());
  S* scratch = run.template scratch<S>();  // [count, N]
  run.parallel(s.count, 2 * cost(s, N), [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      S* sum = scratch + static_cast<Stride>(i) * N;
      std::fill_n(sum, N, S(0));
      for (std::int64_t e = s.offsets[i]; e < s.offsets[i + 1]; ++e) {
        const Index row = member(s, e);
        for (Index j = 0; j < N; ++j) sum[j] += run.d_out().row(row)[j] * run.out().row(row)[j];
      }
      for (std::int64_t e = s.offsets[i]; e < s.offsets[i + 1]; ++e) {
        const Index row = member(s, e);
        S* to = d.to.row(row);
        for (Index j = 0; j < N; ++j) d.put(to[j], run.out().row(row)[j] * (run.d_out().row(row)[j] - sum[j]));
      }
    }
  });
}

// to = or += (1 + eps) x + sums, block by block while rows are in the cache.
template <class S>
void put_with_self(const Run<S>& run, const RowSums<S>& sums, Matrix<S> x, S self, const Gradient<S>& to) {
  const Index N = run.shape().columns;
  run.parallel(run.shape().rows, cost(sums.segments(), N), [&](Index first, Index last) {
    constexpr Index kRows = 64;
    for (Index begin = first; begin < last; begin += kRows) {
      const Index end = std::min(last, begin + kRows);
      sums.put_part(run, x, to, N, begin, end);
      for (Index i = begin; i < end; ++i) run.kernels().axpy(static_cast<std::size_t>(N), self, x.row(i), to.to.row(i));
    }
  });
}

}  // namespace

template <class S>
Value<S> segment_sum(Value<S> x, const Segments& segments) {
  return sum_or_mean("segment_sum", x, segments, false);
}
template <class S>
Value<S> segment_mean(Value<S> x, const Segments& segments) {
  return sum_or_mean("segment_mean", x, segments, true);
}
template <class S>
Value<S> segment_max(Value<S> x, const Segments& segments) {
  return extreme("segment_max", x, segments, S(1));
}
template <class S>
Value<S> segment_min(Value<S> x, const Segments& segments) {
  return extreme("segment_min", x, segments, S(-1));
}
template <class S>
Value<S> segment_std(Value<S> x, const Segments& segments, std::type_identity_t<S> epsilon) {
  return sqrt(relu(segment_mean(square(x), segments) - square(segment_mean(x, segments))) + epsilon);
}

template <class S>
Value<S> segment_softmax(Value<S> x, const Segments& segments, std::type_identity_t<S> epsilon) {
  segments.check("segment_softmax", x.rows());
  check_each_once("segment_softmax", segments);
  const std::size_t row_bytes = elements({segments.count, x.columns()}) * sizeof(S);
  const Recipe<S> recipe{.name = "segment_softmax",
                         .shape = x.shape(),
                         .inputs = {&x, 1},
                         .reads_output = true,
                         .forward_bytes = 2 * row_bytes,
                         .backward_bytes = row_bytes};
  return x.tape().record(
      recipe, [=](Run<S>& run) { softmax_forward<S>(run, segments, epsilon); },
      [=](Run<S>& run) { softmax_backward(run, segments); });
}

template <class S>
Value<S> spread(Value<S> x, const Segments& segments) {
  segments.check("spread", segments.rows);
  check_each_once("spread", segments);
  if (segments.count != x.rows()) wrong_shape("spread", "not a segment per row", {segments.count, 1}, x.shape());
  const RowSums<S> sums(x.tape(), segments);
  const Recipe<S> recipe{
      .name = "spread", .shape = {segments.rows, x.columns()}, .inputs = {&x, 1}, .repeatable = true};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        const Index N = run.shape().columns;
        if (segments.offsets[segments.count] < segments.rows) set_zero(run, run.out(), run.shape());
        run.parallel(segments.count, elements(run.shape()), [&](Index first, Index last) {
          for (Index i = first; i < last; ++i) {
            for (std::int64_t e = segments.offsets[i]; e < segments.offsets[i + 1]; ++e) {
              std::copy_n(run.in().row(i), N, run.out().row(member(segments, e)));
            }
          }
        });
      },
      [=](Run<S>& run) {
        if (const Gradient<S> d = run.d_in()) sums.put(run, run.d_out(), d, run.shape().columns);
      });
}

template <class S>
Value<S> aggregate(Value<S> x, const Segments& neighbours, Value<S> eps) {
  neighbours.check("aggregate", x.rows());
  check_transposed("aggregate", neighbours);
  if (neighbours.count != x.rows()) {
    wrong_shape("aggregate", "not a neighbourhood per row", {neighbours.count, 1}, x.shape());
  }
  if (eps && eps.shape() != Shape{1, 1}) wrong_shape("aggregate", "eps is one number", eps.shape(), {1, 1});
  const bool learned = static_cast<bool>(eps);
  const bool d_eps = learned && eps.wants_gradient();
  const RowSums<S> sums(x.tape(), neighbours);
  const RowSumsBack<S> back(x.tape(), sums, false);
  const Value<S> inputs[] = {x, eps};
  const Recipe<S> recipe{.name = "aggregate",
                         .shape = x.shape(),
                         .inputs = std::span(inputs, learned ? 2 : 1),
                         .reads_inputs = (d_eps ? 1u : 0u) | (learned ? 2u : 0u),
                         .repeatable = true,
                         .backward_bytes = d_eps ? row_sum_bytes<S>(x.rows(), 1) : 0};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        const S self = learned ? S(1) + *run.in(1).data : S(1);
        put_with_self<S>(run, sums, run.in(), self, {run.out(), false});
      },
      [=](Run<S>& run) {
        const Matrix<S> dy = run.d_out();
        const Index N = run.shape().columns;
        if (d_eps) {
          const Gradient<S> d = run.d_in(1);
          sum_over_rows(run, run.shape().rows, 1, run.template scratch<S>(), d.to.data, d.add, [&](Index i, S* sum) {
            *sum += run.kernels().dot(static_cast<std::size_t>(N), dy.row(i), run.in().row(i));
          });
        }
        const Gradient<S> d = run.d_in(0);
        if (!d) return;
        const S self = learned ? S(1) + *run.in(1).data : S(1);
        if (neighbours.symmetric) return put_with_self<S>(run, sums, dy, self, d);
        back.put(run, dy, d, N);
        each_row(run, run.shape(),
                 [&](Index i) { run.kernels().axpy(static_cast<std::size_t>(N), self, dy.row(i), d.to.row(i)); });
      });
}

#define AGENTNET_INSTANTIATE(S)                                                          \
  template Value<S> segment_sum(Value<S>, const Segments&);                              \
  template Value<S> segment_mean(Value<S>, const Segments&);                             \
  template Value<S> segment_max(Value<S>, const Segments&);                              \
  template Value<S> segment_min(Value<S>, const Segments&);                              \
  template Value<S> segment_std(Value<S>, const Segments&, std::type_identity_t<S>);     \
  template Value<S> segment_softmax(Value<S>, const Segments&, std::type_identity_t<S>); \
  template Value<S> spread(Value<S>, const Segments&);                                   \
  template Value<S> aggregate(Value<S>, const Segments&, Value<S>);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)

}  // namespace agentnet::tape
