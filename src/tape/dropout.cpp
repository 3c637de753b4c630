#include <stdexcept>

#include "tape/loops.h"
#include "tape/operations.h"

namespace agentnet::tape {
namespace {

using Bits = std::uint32_t;
constexpr Index kBits = 32;

[[nodiscard]] Index words(Index columns) { return (columns + kBits - 1) / kBits; }

// Bit j of a row's words: entry j is kept.
void draw_row(const Dropout& from, Index row, Index columns, Bits* bits) {
  std::fill_n(bits, words(columns), Bits{0});
  const auto keep = [&](Index j) { bits[j / kBits] |= Bits{1} << (j % kBits); };
  if (from.mask != nullptr) {
    const std::int64_t* mask = from.mask + static_cast<Stride>(row) * columns;
    for (Index j = 0; j < columns; ++j) {
      if (mask[j] != 0) keep(j);
    }
    return;
  }
  const std::uint64_t graph = from.graph != nullptr ? from.graph[row] : 0;
  const std::uint32_t member = from.member != nullptr ? from.member[row] : static_cast<std::uint32_t>(row);
  for (Index j = 0; j < columns; j += 4) {
    const auto draws = philox(random_counter(graph, member, from.site, static_cast<std::uint32_t>(j / 4)), from.key);
    for (Index k = j; k < std::min<Index>(columns, j + 4); ++k) {
      if (to_unit_double(draws[static_cast<std::size_t>(k - j)]) >= from.p) keep(k);
    }
  }
}

}  // namespace

template <class S>
Value<S> dropout(Value<S> x, const Dropout& dropout) {
  if (!(dropout.p >= 0 && dropout.p < 1)) throw std::logic_error("dropout: p is at least 0 and below 1");
  if (dropout.site >= 65536) throw std::logic_error("dropout: a network has fewer than 65536 sites");
  if (!x.tape().mode().training || dropout.p == 0) return x;
  const Shape shape = x.shape();
  const S scale = static_cast<S>(1 / (1 - dropout.p));
  const std::size_t bytes =
      static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(words(shape.columns)) * sizeof(Bits);
  const Dropout* from = new (x.tape().template keep<Dropout>(1)) Dropout(dropout);
  const Recipe<S> recipe{.name = "dropout",
                         .shape = shape,
                         .inputs = {&x, 1},
                         .repeatable = true,
                         .in_place = 0,
                         .in_place_backward = 0,
                         .saved_bytes = bytes};
  const auto factor = [scale, shape](const Run<S>& run, Index i, Index j) {
    const Bits* bits = run.template saved<Bits>() + static_cast<Stride>(i) * words(shape.columns);
    return ((bits[j / kBits] >> (j % kBits)) & 1u) != 0 ? scale : S(0);
  };
  return x.tape().record(
      recipe,
      [=](Run<S>& run) {
        each_row(run, shape, [&](Index i) {
          Bits* bits = run.template saved<Bits>() + static_cast<Stride>(i) * words(shape.columns);
          if (!run.again()) draw_row(*from, i, shape.columns, bits);
          const S* in = run.in().row(i);
          S* out = run.out().row(i);
          for (Index j = 0; j < shape.columns; ++j) out[j] = factor(run, i, j) * in[j];
        });
      },
      [=](Run<S>& run) {
        if (const Gradient<S> d = run.d_in()) {
          put_each(run, d, shape, [&](Index i, Index j) { return factor(run, i, j) * run.d_out().row(i)[j]; });
        }
      });
}

template <class S>
Value<S> drop_rows(Value<S> x, std::span<const std::int64_t> dropped) {
  if (static_cast<Index>(dropped.size()) != x.rows()) {
    wrong_shape("drop_rows", "not a mark per row", {static_cast<Index>(dropped.size()), 1}, x.shape());
  }
  const std::int64_t* marks = dropped.data();
  const Recipe<S> recipe{.name = "drop_rows",
                         .shape = x.shape(),
                         .inputs = {&x, 1},
                         .repeatable = true,
                         .in_place = 0,
                         .in_place_backward = 0};
  return x.tape().record(
      recipe,
      [marks](Run<S>& run) {
        put_each<S>(run, {run.out(), false}, run.shape(),
                    [&](Index i, Index j) { return marks[i] != 0 ? S(0) : run.in().row(i)[j]; });
      },
      [marks](Run<S>& run) {
        if (const Gradient<S> d = run.d_in()) {
          put_each(run, d, run.shape(), [&](Index i, Index j) { return marks[i] != 0 ? S(0) : run.d_out().row(i)[j]; });
        }
      });
}

#define AGENTNET_INSTANTIATE(S)                        \
  template Value<S> dropout(Value<S>, const Dropout&); \
  template Value<S> drop_rows(Value<S>, std::span<const std::int64_t>);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)

}  // namespace agentnet::tape
