// A matrix product with everything that an epilogue may ask for; features are switched on bit by bit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tables.h"
#include "tensor/kernels.h"

namespace agentnet {

enum Feature : int {
  kBias = 1,
  kGroup = 2,
  kDirection = 4,
  kLeaky = 8,
  kGate = 16,
  kResidual = 32,
  kAccumulate = 64,
  kAllFeatures = 127
};

template <class S>
class Product {
 public:
  Product(Index M, Index N, Index K, std::uint64_t seed, Values values = Values::kExact) : M_(M), N_(N), K_(K) {
    constexpr Index kGroups = 3;
    Maker<S> maker(seed, values);
    x_ = maker.input(M, K);
    b_ = maker.input(K, N);
    y_ = maker.output(M, N);
    bias_ = maker.values(N);
    group_ = maker.input(kGroups, N);
    group_of_row_ = maker.indices(M, kGroups);
    group_scale_ = maker.scales(M);
    direction_ = maker.values(N);
    direction_scale_ = maker.scales(M);
    gate_ = maker.input(M, N);
    residual_ = maker.input(M, N);
  }

  // The result with these kernels.
  [[nodiscard]] Table<S> run(const Kernels<S>& k, int features) const {
    return run_in_chunks(k, features, M_ > 0 ? M_ : 1);
  }
  // The same, computed a few rows at a time.
  [[nodiscard]] Table<S> run_in_chunks(const Kernels<S>& k, int features, Index rows) const {
    std::vector<S> packed(packed_size(k, K_, N_), S(777));
    k.pack(K_, N_, b_.data(), b_.ld(), 1, packed.data());
    Table<S> y = y_;
    for (Index first = 0; first < M_; first += rows) {
      k.gemm(std::min(rows, M_ - first), N_, K_, x_.row(first), x_.ld(), packed.data(), epilogue(features, first),
             y.row(first), y.ld());
    }
    return y;
  }

 private:
  // For the rows from `first` on. The factors are such that whole numbers stay exact.
  [[nodiscard]] Epilogue<S> epilogue(int features, Index first) const {
    Epilogue<S> e;
    if ((features & kBias) != 0) e.bias = bias_.data();
    if ((features & kGroup) != 0) {
      e.group = group_.data();
      e.ld_group = group_.ld();
      e.group_of_row = group_of_row_.data() + first;
      e.group_scale = group_scale_.data() + first;
    }
    if ((features & kDirection) != 0) {
      e.direction = direction_.data();
      e.direction_scale = direction_scale_.data() + first;
    }
    e.leaky = (features & kLeaky) != 0;
    e.slope = S(0.25);
    if ((features & kGate) != 0) {
      e.gate = gate_.row(first);
      e.ld_gate = gate_.ld();
      e.gate_positive = S(2);
      e.gate_negative = S(0.5);
      e.gate_zero = S(0.25);
    }
    if ((features & kResidual) != 0) {
      e.residual = residual_.row(first);
      e.ld_residual = residual_.ld();
    }
    e.accumulate = (features & kAccumulate) != 0;
    return e;
  }

  Index M_, N_, K_;
  Table<S> x_, b_, y_, group_, gate_, residual_;
  std::vector<S> bias_, group_scale_, direction_, direction_scale_;
  std::vector<Index> group_of_row_;
};

// C [N, K] += A [M, N]^T B [M, K].
template <class S>
[[nodiscard]] Table<S> transposed_product(const Kernels<S>& k, Index M, Index N, Index K, std::uint64_t seed) {
  Maker<S> maker(seed);
  const Table<S> a = maker.input(M, N), b = maker.input(M, K);
  Table<S> c = maker.output(N, K);
  k.gemm_tn(M, N, K, a.data(), a.ld(), b.data(), b.ld(), c.data(), c.ld());
  return c;
}

}  // namespace agentnet
