// An update function of the paper: LN -> Linear -> act -> Linear, forward and backward.
#pragma once

#include "nets/agentnet/walk.h"
#include "nets/agentnet/window.h"

namespace agentnet {

// What backward needs of one application to `rows` rows.
template <class S>
struct BlockRecord {
  Index rows = 0;
  const Index* graph = nullptr;  // [rows]
  RowIds ids;
  Matrix<S> xhat;     // [rows, own width] the normalised input
  S* rstd = nullptr;  // [rows]
  Matrix<S> hidden;   // [rows, wide] after activation and dropout

  // Only with input columns that whole graphs share:
  S* mean = nullptr;   // [rows]
  Matrix<S> shared;    // [B, shared width] those columns, before the norm
  Matrix<S> products;  // [B, wide] W'_shared shared

  WindowRecord<S> window;  // only with a window
};

struct BlockSites {
  DropoutSite hidden, out;
};

// out [rows, block.second.out()] = f(z), plus `residual` where given. record.xhat holds z [rows, own width] (offsets
// added) and is normalised in place; record.shared holds the shared columns (offsets added) where the block has any,
// and record.window what agents remember where it has a window: act(W' LN(z) + b' + W_window bits).
template <class S>
void block_forward(const Walk<S>& walk, const Block<S>& block, BlockSites sites, int t, BlockRecord<S>& record,
                   Matrix<S> residual, Matrix<S> out);

// Takes d_out [rows, out], which it may change, adds to the block's gradients and returns dz [rows, own width];
// d_shared [B, shared width] is written where the block has shared columns. Offsets' gradients are added too.
template <class S>
[[nodiscard]] Matrix<S> block_backward(const Walk<S>& walk, const Block<S>& block, BlockSites sites, int t,
                                       const BlockRecord<S>& record, Matrix<S> d_out, Matrix<S> d_shared);

// The epilogues of an activation with dropout behind it.
template <class S>
[[nodiscard]] Epilogue<S> activation(double slope);
template <class S>
[[nodiscard]] Epilogue<S> activation_backward(const Walk<S>& walk, double slope, Matrix<S> activated);

}  // namespace agentnet
