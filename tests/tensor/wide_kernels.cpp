// The kernels at AVX-512's vector width and tile, compiled without AVX-512: the compiler splits the vectors, so that
// their logic is tested on machines that cannot run the real set.
#define AGENTNET_ISA isa_wide_test
#define AGENTNET_VECTOR_BYTES 64
#define AGENTNET_TILE_ROWS 12
#include "kernel_sets.h"
#include "tensor/kernels_impl.h"

namespace agentnet {

template <>
const Kernels<float>& wide_kernels<float>() {
  static constexpr Kernels<float> kKernels = isa_wide_test::make_kernels<float>("wide");
  return kKernels;
}
template <>
const Kernels<double>& wide_kernels<double>() {
  static constexpr Kernels<double> kKernels = isa_wide_test::make_kernels<double>("wide");
  return kKernels;
}

}  // namespace agentnet
