#include <stdexcept>

#include "tape/loops.h"
#include "tape/operations.h"
#include "tape/row_sums.h"

namespace agentnet::tape {
namespace {

void check_index(const char* operation, std::span<const Index> index, Index rows) {
  for (const Index row : index) {
    if (row < 0 || row >= rows) {
      throw std::logic_error(std::string(operation) + ": row " + std::to_string(row) + " of " + std::to_string(rows));
    }
  }
}

// Copies or adds the entries of `from` in row-major order.
template <class S>
void put_flat(const Run<S>& run, Matrix<S> from, Shape shape_from, const Gradient<S>& to, Shape shape_to) {
  each_row(run, shape_to, [&](Index i) {
    S* out = to.to.row(i);
    std::int64_t flat = static_cast<std::int64_t>(i) * shape_to.columns;
    for (Index j = 0; j < shape_to.columns;) {
      const auto row = static_cast<Index>(flat / shape_from.columns);
      const auto column = static_cast<Index>(flat % shape_from.columns);
      const Index count = std::min(shape_to.columns - j, shape_from.columns - column);
      const S* in = from.row(row) + column;
      for (Index k = 0; k < count; ++k) to.put(out[j + k], in[k]);
      j += count;
      flat += count;
    }
  });
}

// to = or += from.
template <class S>
void put_matrix(const Run<S>& run, Matrix<S> from, const Gradient<S>& to, Shape shape) {
  put_each(run, to, shape, [&](Index i, Index j) { return from.row(i)[j]; });
}

}  // namespace

template <class S>
Value<S> gather(Value<S> x, std::span<const Index> index, const Segments* groups) {
  check_index("gather", index, x.rows());
  const auto M = static_cast<Index>(index.size());
  if (groups != nullptr) {
    groups->check("gather", M);
    if (groups->count != x.rows()) wrong_shape("gather", "groups are not the rows", {groups->count, M}, x.shape());
  }
  const Index* idx = index.data();
  const bool grouped = groups != nullptr;
  const RowSums<S> sums = grouped ? RowSums<S>(x.tape(), *groups) : RowSums<S>();
  const Recipe<S> recipe{.name = "gather", .shape = {M, x.columns()}, .inputs = {&x, 1}, .repeatable = true};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        run.parallel(M, elements(run.shape()), [&](Index first, Index last) {
          run.kernels().gather_add(last - first, run.shape().columns, run.in().data, run.in().ld, idx + first, nullptr,
                                   0, nullptr, run.out().row(first), run.out().ld);
        });
      },
      [=](Run<S>& run) {
        const Gradient<S> d = run.d_in();
        if (!d) return;
        if (grouped) return sums.put(run, run.d_out(), d, run.shape().columns);
        if (!d.add) set_zero(run, d.to, run.in_shape());
        scatter_rows(run, M, run.shape().columns, run.d_out(), idx, d.to);
      });
}

template <class S>
Value<S> scatter_add(Value<S> x, std::span<const Index> index, Index rows) {
  check_index("scatter_add", index, rows);
  if (static_cast<Index>(index.size()) != x.rows()) {
    wrong_shape("scatter_add", "not an index for every row", {static_cast<Index>(index.size()), 1}, x.shape());
  }
  const Index* idx = index.data();
  const Recipe<S> recipe{.name = "scatter_add", .shape = {rows, x.columns()}, .inputs = {&x, 1}};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        set_zero(run, run.out(), run.shape());
        scatter_rows(run, run.in_shape().rows, run.shape().columns, run.in(), idx, run.out());
      },
      [=](Run<S>& run) {
        if (const Gradient<S> d = run.d_in()) {
          put_each(run, d, run.in_shape(), [&](Index i, Index j) { return run.d_out().row(idx[i])[j]; });
        }
      });
}

template <class S>
Value<S> embedding(std::span<const Value<S>> tables, std::span<const Index> categories, Index rows) {
  if (tables.empty()) throw std::logic_error("embedding: no table");
  const auto T = static_cast<Index>(tables.size());
  if (categories.size() != static_cast<std::size_t>(rows) * tables.size()) {
    wrong_shape("embedding", "not a category per row and table", {static_cast<Index>(categories.size()), 1}, {rows, T});
  }
  const Index N = tables[0].columns();
  for (const Value<S>& table : tables) {
    if (table.columns() != N) wrong_shape("embedding", "tables of different widths", table.shape(), tables[0].shape());
  }
  // Column by column, as the scatters of the way back take them.
  Index* idx = tables[0].tape().template keep<Index>(categories.size());
  for (Index t = 0; t < T; ++t) {
    for (Index i = 0; i < rows; ++i) {
      idx[static_cast<Stride>(t) * rows + i] = categories[static_cast<std::size_t>(i) * tables.size() + t];
    }
    check_index("embedding", {idx + static_cast<Stride>(t) * rows, static_cast<std::size_t>(rows)}, tables[t].rows());
  }
  const Recipe<S> recipe{.name = "embedding", .shape = {rows, N}, .inputs = tables, .repeatable = true};
  return tables[0].tape().record(
      recipe,
      [=](Run<S>& run) {
        each_row(run, {rows, N * T}, [&](Index i) {
          S* to = run.out().row(i);
          std::copy_n(run.in(0).row(idx[i]), N, to);
          for (Index t = 1; t < T; ++t) {
            const Matrix<S> table = run.in(static_cast<std::uint32_t>(t));
            run.kernels().axpy(static_cast<std::size_t>(N), S(1), table.row(idx[static_cast<Stride>(t) * rows + i]),
                               to);
          }
        });
      },
      [=](Run<S>& run) {
        for (Index t = 0; t < T; ++t) {
          const Gradient<S> d = run.d_in(static_cast<std::uint32_t>(t));
          if (!d) continue;
          if (!d.add) set_zero(run, d.to, run.in_shape(static_cast<std::uint32_t>(t)));
          scatter_rows(run, rows, N, run.d_out(), idx + static_cast<Stride>(t) * rows, d.to);
        }
      });
}

template <class S>
Value<S> concat(std::span<const Value<S>> parts) {
  if (parts.empty()) throw std::logic_error("concat: nothing to put together");
  Shape shape{parts[0].rows(), 0};
  for (const Value<S>& part : parts) {
    if (part.rows() != shape.rows) wrong_shape("concat", "the rows differ", parts[0].shape(), part.shape());
    shape.columns += part.columns();
  }
  const Recipe<S> recipe{.name = "concat", .shape = shape, .inputs = parts, .repeatable = true};
  return parts[0].tape().record(
      recipe,
      [](Run<S>& run) {
        each_row(run, run.shape(), [&](Index i) {
          S* to = run.out().row(i);
          for (std::uint32_t k = 0; k < run.inputs(); ++k) {
            to = std::copy_n(run.in(k).row(i), run.in_shape(k).columns, to);
          }
        });
      },
      [](Run<S>& run) {
        Index column = 0;
        for (std::uint32_t k = 0; k < run.inputs(); column += run.in_shape(k).columns, ++k) {
          if (const Gradient<S> d = run.d_in(k)) put_matrix(run, run.d_out().from_column(column), d, run.in_shape(k));
        }
      });
}

template <class S>
Value<S> stack(std::span<const Value<S>> parts) {
  if (parts.empty()) throw std::logic_error("stack: nothing to put together");
  Shape shape{0, parts[0].columns()};
  for (const Value<S>& part : parts) {
    if (part.columns() != shape.columns) wrong_shape("stack", "the columns differ", parts[0].shape(), part.shape());
    shape.rows += part.rows();
  }
  const Recipe<S> recipe{.name = "stack", .shape = shape, .inputs = parts, .repeatable = true};
  const auto from_row = [](Matrix<S> m, Index i) { return Matrix<S>{m.row(i), m.ld}; };
  return parts[0].tape().record(
      recipe,
      [from_row](Run<S>& run) {
        Index row = 0;
        for (std::uint32_t k = 0; k < run.inputs(); row += run.in_shape(k).rows, ++k) {
          put_matrix<S>(run, run.in(k), {from_row(run.out(), row), false}, run.in_shape(k));
        }
      },
      [from_row](Run<S>& run) {
        Index row = 0;
        for (std::uint32_t k = 0; k < run.inputs(); row += run.in_shape(k).rows, ++k) {
          if (const Gradient<S> d = run.d_in(k)) put_matrix(run, from_row(run.d_out(), row), d, run.in_shape(k));
        }
      });
}

template <class S>
Value<S> slice(Value<S> x, Index first, Index count) {
  if (first < 0 || count < 0 || first + count > x.columns()) {
    wrong_shape("slice", "columns from " + std::to_string(first) + " on", {x.rows(), count}, x.shape());
  }
  const Recipe<S> recipe{.name = "slice", .shape = {x.rows(), count}, .inputs = {&x, 1}, .repeatable = true};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        put_matrix<S>(run, run.in().from_column(first), {run.out(), false}, run.shape());
      },
      [=](Run<S>& run) {
        const Gradient<S> d = run.d_in();
        if (!d) return;
        if (!d.add) set_zero(run, d.to, run.in_shape());
        put_matrix<S>(run, run.d_out(), {d.to.from_column(first), true}, run.shape());
      });
}

template <class S>
Value<S> slice_rows(Value<S> x, Index first, Index count) {
  if (first < 0 || count < 0 || first + count > x.rows()) {
    wrong_shape("slice_rows", "rows from " + std::to_string(first) + " on", {count, x.columns()}, x.shape());
  }
  const Recipe<S> recipe{.name = "slice_rows", .shape = {count, x.columns()}, .inputs = {&x, 1}, .repeatable = true};
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        put_matrix<S>(run, {run.in().row(first), run.in().ld}, {run.out(), false}, run.shape());
      },
      [=](Run<S>& run) {
        const Gradient<S> d = run.d_in();
        if (!d) return;
        if (!d.add) set_zero(run, d.to, run.in_shape());
        put_matrix<S>(run, run.d_out(), {{d.to.row(first), d.to.ld}, true}, run.shape());
      });
}

template <class S>
Value<S> reshape(Value<S> x, Index rows, Index columns) {
  if (elements({rows, columns}) != elements(x.shape())) {
    wrong_shape("reshape", "the number of entries differs", x.shape(), {rows, columns});
  }
  const Recipe<S> recipe{.name = "reshape", .shape = {rows, columns}, .inputs = {&x, 1}, .repeatable = true};
  return x.tape().record(
      recipe,
      [](Run<S>& run) {
        put_flat<S>(run, run.in(), run.in_shape(), {run.out(), false}, run.shape());
      },
      [](Run<S>& run) {
        if (const Gradient<S> d = run.d_in()) put_flat(run, run.d_out(), run.shape(), d, run.in_shape());
      });
}

template <class S>
Value<S> transpose(Value<S> x) {
  const Recipe<S> recipe{.name = "transpose", .shape = {x.columns(), x.rows()}, .inputs = {&x, 1}, .repeatable = true};
  return x.tape().record(
      recipe,
      [](Run<S>& run) {
        put_each<S>(run, {run.out(), false}, run.shape(), [&](Index i, Index j) { return run.in().row(j)[i]; });
      },
      [](Run<S>& run) {
        if (const Gradient<S> d = run.d_in()) {
          put_each(run, d, run.in_shape(), [&](Index i, Index j) { return run.d_out().row(j)[i]; });
        }
      });
}

#define AGENTNET_INSTANTIATE(S)                                                          \
  template Value<S> gather(Value<S>, std::span<const Index>, const Segments*);           \
  template Value<S> scatter_add(Value<S>, std::span<const Index>, Index);                \
  template Value<S> embedding(std::span<const Value<S>>, std::span<const Index>, Index); \
  template Value<S> concat(std::span<const Value<S>>);                                   \
  template Value<S> stack(std::span<const Value<S>>);                                    \
  template Value<S> slice(Value<S>, Index, Index);                                       \
  template Value<S> slice_rows(Value<S>, Index, Index);                                  \
  template Value<S> reshape(Value<S>, Index, Index);                                     \
  template Value<S> transpose(Value<S>);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)

}  // namespace agentnet::tape
