// The convolution of MPNN and 1-GNN: every edge has a matrix, which a small network makes of its features
// (Gilmer et al., ICML 2017; NNConv in PyTorch Geometric).
#pragma once

#include <string>
#include <vector>

#include "nets/taped/formula.h"

namespace agentnet {

enum class EdgeSum { kSum, kMean };

// NAME.nn.0 [edge_hidden, edge columns], NAME.nn.2 [in out, edge_hidden], NAME.lin.weight [out, in], NAME.bias [out].
inline void add_nnconv(ParameterLayout& layout, const std::string& name, CheckedSize in, CheckedSize out,
                       CheckedSize edge_columns, CheckedSize edge_hidden) {
  layout.add_torch_linear(name + ".nn.0", edge_hidden, edge_columns);
  layout.add_torch_linear(name + ".nn.2", in * out, edge_hidden);
  layout.add_torch_linear(name + ".lin", out, in, /*bias=*/false);
  layout.add(name + ".bias", {out}, Init::kZero);
}

// W_e for every edge, [E, in out].
template <class S>
tape::Value<S> edge_matrices(Formula<S>& f, tape::Value<S> edges, const std::string& name) {
  return f.linear(f.linear(edges, name + ".nn.0", {tape::Activation::kRelu}), name + ".nn.2");
}

// Sum or mean over the edges u -> v of h_u^T W_e, plus lin h_v + bias; h [N R, in]. The matrices are the same in all
// runs, so that runs lie side by side and each takes its columns.
template <class S>
tape::Value<S> nnconv(Formula<S>& f, tape::Value<S> h, tape::Value<S> matrices, const std::string& name, EdgeSum how,
                      Index runs) {
  const GraphArrays<S>& graphs = f.graphs();
  const Index in = h.columns();
  const auto sent = tape::gather(f.side_by_side(h, runs), graphs.senders(), &graphs.sent());  // [E, R in]
  std::vector<tape::Value<S>> messages;
  for (Index r = 0; r < runs; ++r) {
    messages.push_back(tape::row_products(runs == 1 ? sent : tape::slice(sent, r * in, in), matrices));
  }
  const auto all = runs == 1 ? messages[0] : tape::concat<S>(messages);  // [E, R out]
  const auto received =
      how == EdgeSum::kSum ? tape::segment_sum(all, graphs.received()) : tape::segment_mean(all, graphs.received());
  const auto own = tape::linear<S>(h, f.parameter(name + ".lin.weight"), f.parameter(name + ".bias"));
  return f.below_each_other(received, runs) + own;
}

}  // namespace agentnet
