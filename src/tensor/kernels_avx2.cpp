// Compiled with AVX2 and FMA; only reached on machines that have both.
#define AGENTNET_ISA isa_avx2
#define AGENTNET_VECTOR_BYTES 32
#define AGENTNET_TILE_ROWS 6  // 12 of 16 registers accumulate
#include "tensor/kernels_impl.h"

namespace agentnet {
extern const Kernels<float> kKernelsAvx2F32 = isa_avx2::make_kernels<float>("avx2");
extern const Kernels<double> kKernelsAvx2F64 = isa_avx2::make_kernels<double>("avx2");
}  // namespace agentnet
