#include <cmath>
#include <stdexcept>

#include "tape/loops.h"
#include "tape/operations.h"

namespace agentnet::tape {
namespace {

template <class S>
Value<S> row_total(const char* name, Value<S> x, S factor) {
  const Recipe<S> recipe{.name = name, .shape = {x.rows(), 1}, .inputs = {&x, 1}};
  return x.tape().record(
      recipe,
      [factor](Run<S>& run) {
        each_row(run, run.in_shape(), [&](Index i) {
          const S* row = run.in().row(i);
          S sum = 0;
          for (Index j = 0; j < run.in_shape().columns; ++j) sum += row[j];
          *run.out().row(i) = factor * sum;
        });
      },
      [factor](Run<S>& run) {
        if (const Gradient<S> d = run.d_in()) {
          put_each(run, d, run.in_shape(), [&](Index i, Index) { return factor * *run.d_out().row(i); });
        }
      });
}

template <class S>
Value<S> column_total(const char* name, Value<S> x, S factor) {
  const Recipe<S> recipe{.name = name,
                         .shape = {1, x.columns()},
                         .inputs = {&x, 1},
                         .forward_bytes = row_sum_bytes<S>(x.rows(), x.columns())};
  return x.tape().record(
      recipe,
      [factor](Run<S>& run) {
        const Index N = run.shape().columns;
        S* out = run.out().data;
        sum_over_rows(run, run.in_shape().rows, N, run.template scratch<S>(), out, false, [&](Index i, S* sums) {
          const S* row = run.in().row(i);
          for (Index j = 0; j < N; ++j) sums[j] += row[j];
        });
        for (Index j = 0; j < N; ++j) out[j] *= factor;
      },
      [factor](Run<S>& run) {
        if (const Gradient<S> d = run.d_in()) {
          put_each(run, d, run.in_shape(), [&](Index, Index j) { return factor * run.d_out().data[j]; });
        }
      });
}

// The first largest (sign 1) or smallest (sign -1) entry of every row or column; saved: where it is.
template <class S>
Value<S> extreme(const char* name, Value<S> x, bool of_rows, S sign) {
  if (x.rows() == 0 || x.columns() == 0) wrong_shape(name, "there is nothing to choose from", x.shape(), {1, 1});
  const Index count = of_rows ? x.rows() : x.columns(), length = of_rows ? x.columns() : x.rows();
  const Recipe<S> recipe{.name = name,
                         .shape = of_rows ? Shape{count, 1} : Shape{1, count},
                         .inputs = {&x, 1},
                         .saved_bytes = static_cast<std::size_t>(count) * sizeof(Index)};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        Index* saved = run.template saved<Index>();
        run.parallel(count, elements(run.in_shape()), [&](Index first, Index last) {
          for (Index i = first; i < last; ++i) {
            const auto at = [&](Index k) { return of_rows ? run.in().row(i)[k] : run.in().row(k)[i]; };
            Index best = 0;
            for (Index k = 1; k < length; ++k) {
              if (sign * at(k) > sign * at(best)) best = k;
            }
            saved[i] = best;
            *(of_rows ? run.out().row(i) : run.out().data + i) = at(best);
          }
        });
      },
      [=](Run<S>& run) {
        const Gradient<S> d = run.d_in();
        if (!d) return;
        if (!d.add) set_zero(run, d.to, run.in_shape());
        const Index* saved = run.template saved<Index>();
        for (Index i = 0; i < count; ++i) {
          S& to = of_rows ? d.to.row(i)[saved[i]] : d.to.row(saved[i])[i];
          to += of_rows ? *run.d_out().row(i) : run.d_out().data[i];
        }
      });
}

}  // namespace

template <class S>
Value<S> row_sum(Value<S> x) {
  return row_total("row_sum", x, S(1));
}
template <class S>
Value<S> row_mean(Value<S> x) {
  return row_total("row_mean", x, S(1) / static_cast<S>(x.columns()));
}
template <class S>
Value<S> row_max(Value<S> x) {
  return extreme("row_max", x, true, S(1));
}
template <class S>
Value<S> row_min(Value<S> x) {
  return extreme("row_min", x, true, S(-1));
}
template <class S>
Value<S> column_sum(Value<S> x) {
  return column_total("column_sum", x, S(1));
}
template <class S>
Value<S> column_mean(Value<S> x) {
  if (x.rows() == 0) wrong_shape("column_mean", "there is no row", x.shape(), {1, x.columns()});
  return column_total("column_mean", x, S(1) / static_cast<S>(x.rows()));
}
template <class S>
Value<S> column_max(Value<S> x) {
  return extreme("column_max", x, false, S(1));
}
template <class S>
Value<S> column_min(Value<S> x) {
  return extreme("column_min", x, false, S(-1));
}

template <class S>
Value<S> softmax(Value<S> x) {
  const Recipe<S> recipe{.name = "softmax",
                         .shape = x.shape(),
                         .inputs = {&x, 1},
                         .reads_output = true,
                         .in_place = 0,
                         .in_place_backward = 0};
  return x.tape().record(
      recipe,
      [](Run<S>& run) {
        const Index N = run.shape().columns;
        each_row(run, run.shape(), [&](Index i) {
          const S* from = run.in().row(i);
          S* y = run.out().row(i);
          const S top = *std::max_element(from, from + N);
          S sum = 0;
          for (Index j = 0; j < N; ++j) sum += y[j] = std::exp(from[j] - top);
          for (Index j = 0; j < N; ++j) y[j] /= sum;
        });
      },
      [](Run<S>& run) {
        const Gradient<S> d = run.d_in();
        if (!d) return;
        const Index N = run.shape().columns;
        each_row(run, run.shape(), [&](Index i) {
          const S *y = run.out().row(i), *dy = run.d_out().row(i);
          S sum = 0;
          for (Index j = 0; j < N; ++j) sum += dy[j] * y[j];
          for (Index j = 0; j < N; ++j) d.put(d.to.row(i)[j], y[j] * (dy[j] - sum));
        });
      });
}

template <class S>
Value<S> log_softmax(Value<S> x) {
  const Recipe<S> recipe{.name = "log_softmax",
                         .shape = x.shape(),
                         .inputs = {&x, 1},
                         .reads_output = true,
                         .in_place = 0,
                         .in_place_backward = 0};
  return x.tape().record(
      recipe,
      [](Run<S>& run) {
        const Index N = run.shape().columns;
        each_row(run, run.shape(), [&](Index i) {
          const S* from = run.in().row(i);
          const S top = *std::max_element(from, from + N);
          S sum = 0;
          for (Index j = 0; j < N; ++j) sum += std::exp(from[j] - top);
          const S shift = top + std::log(sum);
          for (Index j = 0; j < N; ++j) run.out().row(i)[j] = from[j] - shift;
        });
      },
      [](Run<S>& run) {
        const Gradient<S> d = run.d_in();
        if (!d) return;
        const Index N = run.shape().columns;
        each_row(run, run.shape(), [&](Index i) {
          const S *y = run.out().row(i), *dy = run.d_out().row(i);
          S sum = 0;
          for (Index j = 0; j < N; ++j) sum += dy[j];
          for (Index j = 0; j < N; ++j) d.put(d.to.row(i)[j], dy[j] - std::exp(y[j]) * sum);
        });
      });
}

#define AGENTNET_INSTANTIATE(S)            \
  template Value<S> row_sum(Value<S>);     \
  template Value<S> row_mean(Value<S>);    \
  template Value<S> row_max(Value<S>);     \
  template Value<S> row_min(Value<S>);     \
  template Value<S> column_sum(Value<S>);  \
  template Value<S> column_mean(Value<S>); \
  template Value<S> column_max(Value<S>);  \
  template Value<S> column_min(Value<S>);  \
  template Value<S> softmax(Value<S>);     \
  template Value<S> log_softmax(Value<S>);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)

}  // namespace agentnet::tape
