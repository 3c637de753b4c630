// For every machine: compiled without any instruction-set option.
#define AGENTNET_ISA isa_baseline
#define AGENTNET_VECTOR_BYTES 16
#define AGENTNET_TILE_ROWS 4  // 8 of 16 registers accumulate
#include "tensor/kernels_impl.h"

namespace agentnet {
extern const Kernels<float> kKernelsBaselineF32 = isa_baseline::make_kernels<float>("baseline");
extern const Kernels<double> kKernelsBaselineF64 = isa_baseline::make_kernels<double>("baseline");
}  // namespace agentnet
