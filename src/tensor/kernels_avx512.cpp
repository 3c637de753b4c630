// Compiled with AVX-512 (F, BW, DQ, VL); only reached on machines that have it.
#define AGENTNET_ISA isa_avx512
#define AGENTNET_VECTOR_BYTES 64
#define AGENTNET_TILE_ROWS 12  // 24 of 32 registers accumulate
#include "tensor/kernels_impl.h"

namespace agentnet {
extern const Kernels<float> kKernelsAvx512F32 = isa_avx512::make_kernels<float>("avx512");
extern const Kernels<double> kKernelsAvx512F64 = isa_avx512::make_kernels<double>("avx512");
}  // namespace agentnet
