#include "nn/network.h"

#include <fmt/core.h>

#include <algorithm>

#include "agentnet/error.h"

namespace agentnet {
namespace {

void check_width(const char* what, std::size_t graph, int found, std::size_t expected) {
  if (static_cast<std::size_t>(found) == expected) return;
  throw Error(ErrorKind::kMismatch,
              fmt::format("graph {} has {} {}, the model expects {}", graph, found, what, expected),
              "use data with the features that the model was made for");
}

}  // namespace

void check_columns(const DataShape& shape, const Batch& batch) {
  for (std::size_t i = 0; i < batch.graphs.size(); ++i) {
    const GraphView& g = batch.graphs[i];
    if (g.num_nodes == 0) {
      throw Error(ErrorKind::kData, fmt::format("graph {} has no nodes", i), "leave empty graphs out");
    }
    check_width("dense node features", i, g.node_dense.width, static_cast<std::size_t>(shape.node_features));
    check_width("categorical node features", i, g.node_categories.width, shape.node_categories.size());
    if (g.num_edges() == 0) continue;  // without edges there are no columns to count
    check_width("dense edge features", i, g.edge_dense.width, static_cast<std::size_t>(shape.edge_features));
    check_width("categorical edge features", i, g.edge_categories.width, shape.edge_categories.size());
  }
}

template <class S>
double Runner<S>::gradients(const Batch& batch, const Call& call, const LossFunction<S>& loss, std::span<S> gradient) {
  const std::size_t count = shards(batch, call);
  SumTree<S> sums(count, sum_width(), buffers_);
  add_shards(batch, call, loss, 0, count, sums);
  typename SumTree<S>::Total total = sums.total();
  finish(*total.values, gradient);
  buffers_.give_back(std::move(total.values));
  return total.loss;
}

template <class S>
void Network<S>::initialise_buffers(std::span<S> buffers) const {
  agentnet::initialise<S>(buffers_, 0, 0, buffers);
}

template class Runner<float>;
template class Runner<double>;
template class Network<float>;
template class Network<double>;

}  // namespace agentnet
