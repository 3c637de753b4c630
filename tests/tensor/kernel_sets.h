// Typed tests over every set of kernels in both precisions; a set that this machine cannot run is skipped.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "tensor/kernels.h"

namespace agentnet {

// AVX-512's logic for every machine (wide_kernels.cpp).
template <class S>
[[nodiscard]] const Kernels<S>& wide_kernels();
template <>
const Kernels<float>& wide_kernels<float>();
template <>
const Kernels<double>& wide_kernels<double>();

struct Baseline {
  static constexpr std::string_view kName = "baseline";
};
struct Avx2 {
  static constexpr std::string_view kName = "avx2";
};
struct Avx512 {
  static constexpr std::string_view kName = "avx512";
};
struct Wide {
  static constexpr std::string_view kName = "wide";
};

template <class S, class Set>
struct SetOf {
  using Scalar = S;
  // Null where the machine lacks the instructions.
  static const Kernels<S>* find() {
    if constexpr (std::is_same_v<Set, Wide>) return &wide_kernels<S>();
    for (const Kernels<S>* k : available_kernels<S>()) {
      if (k->name == Set::kName) return k;
    }
    return nullptr;
  }
  static std::string name() { return std::string(Set::kName) + (std::is_same_v<S, float> ? "_f32" : "_f64"); }
};

using EverySet =
    testing::Types<SetOf<float, Baseline>, SetOf<float, Avx2>, SetOf<float, Avx512>, SetOf<float, Wide>,
                   SetOf<double, Baseline>, SetOf<double, Avx2>, SetOf<double, Avx512>, SetOf<double, Wide>>;

struct SetName {
  template <class Set>
  static std::string GetName(int /*index*/) {  // NOLINT(readability-identifier-naming): GoogleTest calls it
    return Set::name();
  }
};

template <class Set>
class KernelTest : public testing::Test {
 protected:
  void SetUp() override {
    if (Set::find() == nullptr) GTEST_SKIP() << "this machine cannot run the kernels " << Set::name();
  }
  [[nodiscard]] static const Kernels<typename Set::Scalar>& fast() { return *Set::find(); }
};

}  // namespace agentnet
