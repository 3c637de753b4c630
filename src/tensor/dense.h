// A linear layer ready for use: y = epilogue(x W'^T + b'), with the layer norm before it folded in.
//
// LN(x) = gamma * xhat + beta followed by Linear(W, b) equals one linear layer on xhat with
// W' = W diag(gamma) and b' = b + W beta. Folding and packing happen once per optimizer step; the
// gradients of W' and b' are collected over the whole batch and taken apart once, by unfold_norm.
#pragma once

#include <vector>

#include "tensor/kernels.h"
#include "tensor/matrix.h"

namespace agentnet {

// Where a layer's weights are: W [out, in] with row distance ld; null pointers mean absent.
template <class S>
struct LayerSource {
  const S* weight = nullptr;
  Stride ld = 0;
  Index out = 0;
  Index in = 0;
  const S* bias = nullptr;   // [out]
  const S* gamma = nullptr;  // [in], of the norm before the layer
  const S* beta = nullptr;   // [in]
};

template <class S>
class Dense {
 public:
  void prepare(const LayerSource<S>& source);

  [[nodiscard]] bool ready() const { return out_ > 0; }
  [[nodiscard]] Index in() const { return in_; }
  [[nodiscard]] Index out() const { return out_; }
  [[nodiscard]] const S* bias() const { return bias_.data(); }                                         // b' [out]
  [[nodiscard]] const S* row(Index o) const { return folded_.data() + static_cast<Stride>(o) * in_; }  // W'[o]

  // y [M, out] = epilogue(x [M, in] W'^T); b' is the epilogue's bias unless it has its own or `plain` is set.
  void forward(Index M, Matrix<S> x, Epilogue<S> epilogue, Matrix<S> y, bool plain = false) const;
  // dx [M, in] = epilogue(dy [M, out] W').
  void backward_input(Index M, Matrix<S> dy, const Epilogue<S>& epilogue, Matrix<S> dx) const;

 private:
  Index in_ = 0;
  Index out_ = 0;
  std::vector<S> folded_;    // W' [out, in]
  std::vector<S> bias_;      // b' [out]
  std::vector<S> forward_;   // W'^T in panels
  std::vector<S> backward_;  // W' in panels
};

// Adds to the gradients of a layer: d_weight [out, in] (row distance ld) += dy^T x, d_bias += column sums of dy.
template <class S>
void accumulate_layer(Index M, Index out, Index in, Matrix<S> dy, Matrix<S> x, S* d_weight, Stride ld, S* d_bias);

// Turns the collected gradients of W' and b' into those of W, gamma and beta (b' has b's gradient already). d_weight
// [out, in] is changed in place, d_gamma and d_beta [in] are added to.
template <class S>
void unfold_norm(const LayerSource<S>& source, S* d_weight, Stride ld, const S* d_bias, S* d_gamma, S* d_beta);

}  // namespace agentnet
