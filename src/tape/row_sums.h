// Sums of rows by segments, and the scatters that lead back, for the operations that need them.
#pragma once

#include <numeric>

#include "tape/loops.h"
#include "tape/segments.h"
#include "tape/tape.h"

namespace agentnet::tape {

constexpr Index kColumnGrain = 16;  // columns of a task that scatters: a cache line

// to[index[i]] += x[i] in the order of i. Tasks have columns, because rows may repeat.
template <class S>
void scatter_rows(const Run<S>& run, Index rows, Index columns, Matrix<S> x, const Index* index, Matrix<S> to) {
  run.parallel(
      columns, elements({rows, columns}),
      [&](Index first, Index last) {
        run.kernels().scatter_add(rows, last - first, x.data + first, x.ld, index, nullptr, to.data + first, to.ld);
      },
      kColumnGrain);
}

// y[i] = scale[i] * sum of x over the members of segment i, with what the kernels want to have beside the segments.
template <class S>
class RowSums {
 public:
  RowSums() = default;
  RowSums(Tape<S>& tape, const Segments& segments, bool mean = false) : segments_(segments) {
    const auto count = static_cast<std::size_t>(segments.count);
    S* scale = tape.template keep<S>(count);
    Index* rows = tape.template keep<Index>(count);
    for (Index i = 0; i < segments.count; ++i) {
      const std::int64_t size = segments.size(i);
      scale[i] = mean && size > 0 ? S(1) / static_cast<S>(size) : S(1);
    }
    std::iota(rows, rows + count, Index{0});
    scale_ = scale;
    rows_ = rows;
  }

  [[nodiscard]] const Segments& segments() const { return segments_; }
  [[nodiscard]] const S* scale() const { return scale_; }

  // to = or += y.
  void put(const Run<S>& run, Matrix<S> x, const Gradient<S>& to, Index columns) const {
    const auto all = static_cast<std::size_t>(segments_.offsets[segments_.count]);
    run.parallel(segments_.count, (all + static_cast<std::size_t>(segments_.count)) * static_cast<std::size_t>(columns),
                 [&](Index first, Index last) { put_part(run, x, to, columns, first, last); });
  }
  // The same for segments first .. last - 1.
  void put_part(const Run<S>& run, Matrix<S> x, const Gradient<S>& to, Index columns, Index first, Index last) const {
    if (segments_.members != nullptr) {
      run.kernels().segment_sum(last - first, columns, segments_.offsets + first, segments_.offsets + first + 1,
                                segments_.members, scale_ + first, x.data, x.ld, to.add ? to.to.row(first) : nullptr,
                                to.to.ld, to.add ? rows_ : nullptr, to.to.row(first), to.to.ld);
      return;
    }
    for (Index i = first; i < last; ++i) {
      S* out = to.to.row(i);
      if (!to.add) std::fill_n(out, columns, S(0));
      const auto begin = static_cast<Index>(segments_.offsets[i]);
      const auto rows = static_cast<Index>(segments_.size(i));
      if (scale_[i] == S(1)) {
        run.kernels().column_sums(rows, columns, x.row(begin), x.ld, out);
      } else {
        for (Index e = begin; e < begin + rows; ++e)
          run.kernels().axpy(static_cast<std::size_t>(columns), scale_[i], x.row(e), out);
      }
    }
  }

 private:
  Segments segments_;
  const S* scale_ = nullptr;     // [count]
  const Index* rows_ = nullptr;  // 0, 1, ..
};

// The way back: to[m] = or += scale[i] * dy[i] for every member m of segment i.
template <class S>
class RowSumsBack {
 public:
  RowSumsBack(Tape<S>& tape, const RowSums<S>& sums, bool mean) : sums_(sums) {
    const Segments& s = sums.segments();
    transposed_ = !mean && (s.symmetric || s.transposed != nullptr);
    if (transposed_) back_ = s.symmetric ? sums : RowSums<S>(tape, *s.transposed);
  }

  void put(const Run<S>& run, Matrix<S> dy, const Gradient<S>& to, Index columns) const {
    const Segments& s = sums_.segments();
    if (transposed_) return back_.put(run, dy, to, columns);
    if (!to.add) set_zero(run, to.to, {s.rows, columns});
    const auto all = static_cast<std::size_t>(s.offsets[s.count]) * static_cast<std::size_t>(columns);
    if (s.members == nullptr || s.disjoint) {
      run.parallel(s.count, all, [&](Index first, Index last) {
        for (Index i = first; i < last; ++i) {
          for (std::int64_t e = s.offsets[i]; e < s.offsets[i + 1]; ++e) {
            const Index row = s.members != nullptr ? s.members[e] : static_cast<Index>(e);
            run.kernels().axpy(static_cast<std::size_t>(columns), sums_.scale()[i], dy.row(i), to.to.row(row));
          }
        }
      });
      return;
    }
    run.parallel(
        columns, all,
        [&](Index first, Index last) {
          run.kernels().segment_scatter(s.count, last - first, s.offsets, s.offsets + 1, s.members, sums_.scale(),
                                        dy.data + first, dy.ld, to.to.data + first, to.to.ld);
        },
        kColumnGrain);
  }

 private:
  RowSums<S> sums_;
  RowSums<S> back_;  // of the transposed segments
  bool transposed_ = false;
};

}  // namespace agentnet::tape
