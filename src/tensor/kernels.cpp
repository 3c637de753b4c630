#include "tensor/kernels.h"

namespace agentnet {

extern const Kernels<float> kKernelsBaselineF32;
extern const Kernels<double> kKernelsBaselineF64;
#ifdef AGENTNET_X86_KERNELS
extern const Kernels<float> kKernelsAvx2F32;
extern const Kernels<double> kKernelsAvx2F64;
extern const Kernels<float> kKernelsAvx512F32;
extern const Kernels<double> kKernelsAvx512F64;
#endif

namespace {

bool has_avx2() {
#ifdef AGENTNET_X86_KERNELS
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

bool has_avx512() {
#ifdef AGENTNET_X86_KERNELS
  return has_avx2() && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
#else
  return false;
#endif
}

}  // namespace

template <>
std::vector<const Kernels<float>*> available_kernels<float>() {
  std::vector<const Kernels<float>*> all = {&kKernelsBaselineF32};
#ifdef AGENTNET_X86_KERNELS
  if (has_avx2()) all.push_back(&kKernelsAvx2F32);
  if (has_avx512()) all.push_back(&kKernelsAvx512F32);
#endif
  return all;
}

template <>
std::vector<const Kernels<double>*> available_kernels<double>() {
  std::vector<const Kernels<double>*> all = {&kKernelsBaselineF64};
#ifdef AGENTNET_X86_KERNELS
  if (has_avx2()) all.push_back(&kKernelsAvx2F64);
  if (has_avx512()) all.push_back(&kKernelsAvx512F64);
#endif
  return all;
}

template <>
const Kernels<float>& kernels<float>() {
  static const Kernels<float>& best = *available_kernels<float>().back();
  return best;
}

template <>
const Kernels<double>& kernels<double>() {
  static const Kernels<double>& best = *available_kernels<double>().back();
  return best;
}

}  // namespace agentnet
