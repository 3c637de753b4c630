#include "tensor/dense.h"

namespace agentnet {

template <class S>
void Dense<S>::prepare(const LayerSource<S>& source) {
  const Kernels<S>& k = kernels<S>();
  in_ = source.in;
  out_ = source.out;
  const auto in = static_cast<std::size_t>(in_);
  const auto out = static_cast<std::size_t>(out_);
  folded_.resize(out * in);
  bias_.assign(out, S(0));
  for (std::size_t o = 0; o < out; ++o) {
    const S* w = source.weight + static_cast<Stride>(o) * source.ld;
    S* to = folded_.data() + o * in;
    S b = source.bias != nullptr ? source.bias[o] : S(0);
    for (std::size_t i = 0; i < in; ++i) {
      to[i] = source.gamma != nullptr ? w[i] * source.gamma[i] : w[i];
      if (source.beta != nullptr) b += w[i] * source.beta[i];
    }
    bias_[o] = b;
  }
  forward_.resize(packed_size(k, in_, out_));
  backward_.resize(packed_size(k, out_, in_));
  k.pack(in_, out_, folded_.data(), 1, in_, forward_.data());
  k.pack(out_, in_, folded_.data(), in_, 1, backward_.data());
}

template <class S>
void Dense<S>::forward(Index M, Matrix<S> x, Epilogue<S> epilogue, Matrix<S> y, bool plain) const {
  if (epilogue.bias == nullptr && !plain) epilogue.bias = bias_.data();
  kernels<S>().gemm(M, out_, in_, x.data, x.ld, forward_.data(), epilogue, y.data, y.ld);
}

template <class S>
void Dense<S>::backward_input(Index M, Matrix<S> dy, const Epilogue<S>& epilogue, Matrix<S> dx) const {
  kernels<S>().gemm(M, in_, out_, dy.data, dy.ld, backward_.data(), epilogue, dx.data, dx.ld);
}

template <class S>
void accumulate_layer(Index M, Index out, Index in, Matrix<S> dy, Matrix<S> x, S* d_weight, Stride ld, S* d_bias) {
  const Kernels<S>& k = kernels<S>();
  k.gemm_tn(M, out, in, dy.data, dy.ld, x.data, x.ld, d_weight, ld);
  if (d_bias != nullptr) k.column_sums(M, out, dy.data, dy.ld, d_bias);
}

template <class S>
void unfold_norm(const LayerSource<S>& source, S* d_weight, Stride ld, const S* d_bias, S* d_gamma, S* d_beta) {
  for (Index o = 0; o < source.out; ++o) {
    const S* w = source.weight + static_cast<Stride>(o) * source.ld;
    S* dw = d_weight + static_cast<Stride>(o) * ld;
    const S db = d_bias != nullptr ? d_bias[o] : S(0);
    for (Index i = 0; i < source.in; ++i) {
      d_gamma[i] += dw[i] * w[i];
      d_beta[i] += db * w[i];
      dw[i] = dw[i] * source.gamma[i] + db * source.beta[i];
    }
  }
}

#define AGENTNET_INSTANTIATE(S)                                                              \
  template class Dense<S>;                                                                   \
  template void accumulate_layer(Index, Index, Index, Matrix<S>, Matrix<S>, S*, Stride, S*); \
  template void unfold_norm(const LayerSource<S>&, S*, Stride, const S*, S*, S*);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)
#undef AGENTNET_INSTANTIATE

}  // namespace agentnet
