#include <cmath>

#include "tape/loops.h"
#include "tape/operations.h"

namespace agentnet::tape {
namespace {

template <class S>
S logistic(S v) {
  return S(1) / (S(1) + std::exp(-v));
}

// Both cells: the gates' sums [M, gates * h] of x and of h.
template <class S, class W>
void gate_sums(const char* name, Value<S> x, Value<S> h, const W& w, Index gates, Value<S>* sums) {
  if (w.hidden.rows() != gates * h.columns()) {
    wrong_shape(name, "the weights do not fit the state", w.hidden.shape(), h.shape());
  }
  if (w.input.rows() != w.hidden.rows()) wrong_shape(name, "the weights differ", w.input.shape(), w.hidden.shape());
  if (x.rows() != h.rows()) wrong_shape(name, "the rows differ", x.shape(), h.shape());
  sums[0] = linear(x, w.input, w.input_bias);
  sums[1] = linear(h, w.hidden, w.hidden_bias);
}

// saved: r, z, n [M, 3h].
template <class S>
void gru_forward(const Run<S>& run) {
  const Index H = run.shape().columns;
  S* saved = run.template saved<S>();
  each_row(run, run.in_shape(0), [&](Index i) {
    const S *a = run.in(0).row(i), *b = run.in(1).row(i), *h = run.in(2).row(i);
    S *r = saved + static_cast<Stride>(i) * 3 * H, *z = r + H, *n = z + H, *y = run.out().row(i);
    for (Index j = 0; j < H; ++j) {
      r[j] = logistic(a[j] + b[j]);
      z[j] = logistic(a[H + j] + b[H + j]);
      n[j] = std::tanh(a[2 * H + j] + r[j] * b[2 * H + j]);
      y[j] = (S(1) - z[j]) * n[j] + z[j] * h[j];
    }
  });
}

template <class S>
void gru_backward(Run<S>& run) {
  const Index H = run.shape().columns;
  const S* saved = run.template saved<S>();
  const Gradient<S> da = run.d_in(0), db = run.d_in(1), dh = run.d_in(2);
  each_row(run, run.in_shape(0), [&](Index i) {
    const S *b = run.in(1).row(i), *h = run.in(2).row(i), *dy = run.d_out().row(i);
    const S *r = saved + static_cast<Stride>(i) * 3 * H, *z = r + H, *n = z + H;
    const auto put = [&](const Gradient<S>& d, Index j, S value) {
      if (d) d.put(d.to.row(i)[j], value);
    };
    for (Index j = 0; j < H; ++j) {
      const S dn = dy[j] * (S(1) - z[j]) * (S(1) - n[j] * n[j]);
      const S dr = dn * b[2 * H + j] * r[j] * (S(1) - r[j]);
      const S dz = dy[j] * (h[j] - n[j]) * z[j] * (S(1) - z[j]);
      put(da, j, dr);
      put(da, H + j, dz);
      put(da, 2 * H + j, dn);
      put(db, j, dr);
      put(db, H + j, dz);
      put(db, 2 * H + j, dn * r[j]);
      put(dh, j, dy[j] * z[j]);
    }
  });
}

// saved: i, f, g, o [M, 4h]; the result is [h', c'].
template <class S>
void lstm_forward(const Run<S>& run) {
  const Index H = run.in_shape(2).columns;
  S* saved = run.template saved<S>();
  each_row(run, run.in_shape(0), [&](Index row) {
    const S *a = run.in(0).row(row), *b = run.in(1).row(row), *c = run.in(2).row(row);
    S *i = saved + static_cast<Stride>(row) * 4 * H, *f = i + H, *g = f + H, *o = g + H, *y = run.out().row(row);
    for (Index j = 0; j < H; ++j) {
      i[j] = logistic(a[j] + b[j]);
      f[j] = logistic(a[H + j] + b[H + j]);
      g[j] = std::tanh(a[2 * H + j] + b[2 * H + j]);
      o[j] = logistic(a[3 * H + j] + b[3 * H + j]);
      y[H + j] = f[j] * c[j] + i[j] * g[j];
      y[j] = o[j] * std::tanh(y[H + j]);
    }
  });
}

template <class S>
void lstm_backward(Run<S>& run) {
  const Index H = run.in_shape(2).columns;
  const S* saved = run.template saved<S>();
  const Gradient<S> da = run.d_in(0), db = run.d_in(1), dc = run.d_in(2);
  each_row(run, run.in_shape(0), [&](Index row) {
    const S *c = run.in(2).row(row), *y = run.out().row(row), *dy = run.d_out().row(row);
    const S *i = saved + static_cast<Stride>(row) * 4 * H, *f = i + H, *g = f + H, *o = g + H;
    const auto put_sum = [&](Index j, S value) {
      if (da) da.put(da.to.row(row)[j], value);
      if (db) db.put(db.to.row(row)[j], value);
    };
    for (Index j = 0; j < H; ++j) {
      const S t = std::tanh(y[H + j]);
      const S d_cell = dy[H + j] + dy[j] * o[j] * (S(1) - t * t);
      put_sum(j, d_cell * g[j] * i[j] * (S(1) - i[j]));
      put_sum(H + j, d_cell * c[j] * f[j] * (S(1) - f[j]));
      put_sum(2 * H + j, d_cell * i[j] * (S(1) - g[j] * g[j]));
      put_sum(3 * H + j, dy[j] * t * o[j] * (S(1) - o[j]));
      if (dc) dc.put(dc.to.row(row)[j], d_cell * f[j]);
    }
  });
}

}  // namespace

template <class S>
Value<S> gru_cell(Value<S> x, Value<S> h, const GruWeights<S>& w) {
  Value<S> inputs[3] = {{}, {}, h};
  gate_sums("gru_cell", x, h, w, 3, inputs);
  const Recipe<S> recipe{.name = "gru_cell",
                         .shape = h.shape(),
                         .inputs = inputs,
                         .reads_inputs = 6,
                         .saved_bytes = 3 * elements(h.shape()) * sizeof(S)};
  return x.tape().record(
      recipe, [](Run<S>& run) { gru_forward(run); }, [](Run<S>& run) { gru_backward(run); });
}

template <class S>
LstmState<S> lstm_cell(Value<S> x, LstmState<S> state, const LstmWeights<S>& w) {
  const Index H = state.h.columns();
  if (state.c.shape() != state.h.shape()) {
    wrong_shape("lstm_cell", "the cell is not as the state", state.c.shape(), state.h.shape());
  }
  Value<S> inputs[3] = {{}, {}, state.c};
  gate_sums("lstm_cell", x, state.h, w, 4, inputs);
  const Recipe<S> recipe{.name = "lstm_cell",
                         .shape = {x.rows(), 2 * H},
                         .inputs = inputs,
                         .reads_inputs = 4,
                         .reads_output = true,
                         .saved_bytes = 4 * elements(state.h.shape()) * sizeof(S)};
  const Value<S> both = x.tape().record(
      recipe, [](Run<S>& run) { lstm_forward(run); }, [](Run<S>& run) { lstm_backward(run); });
  return {slice(both, 0, H), slice(both, H, H)};
}

#define AGENTNET_INSTANTIATE(S)                                         \
  template Value<S> gru_cell(Value<S>, Value<S>, const GruWeights<S>&); \
  template LstmState<S> lstm_cell(Value<S>, LstmState<S>, const LstmWeights<S>&);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)

}  // namespace agentnet::tape
