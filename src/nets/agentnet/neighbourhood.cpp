#include "nets/agentnet/neighbourhood.h"

#include "nets/agentnet/node_update.h"

namespace agentnet {

namespace {
constexpr BlockSites kSites = {DropoutSite::kNeighbourhoodHidden, DropoutSite::kNeighbourhoodOut};
}

template <class S>
void neighbourhood_forward(const Walk<S>& walk, Messages<S>& messages, const Onlookers& who, int t,
                           NeighbourhoodRecord<S>& record) {
  const Kernels<S>& k = kernels<S>();
  const Block<S>& block = walk.weights->neighbourhood;
  const Index h = walk.h;
  record.who = who;
  BlockRecord<S>& b = record.block;
  b.rows = who.count;
  b.graph = who.graph;
  b.ids = {who.graph, who.node};
  b.xhat = walk.keep().template matrix<S>(who.count, block.own_width());
  OffsetRows<S> offsets = offset_rows(walk, block.offsets, t, who.graph);
  const Matrix<S> nodes = walk.terrain->nodes();
  k.gather_add(who.count, h, nodes.data, nodes.ld, who.row, offsets.data, offsets.ld, offsets.of_row, b.xhat.data,
               b.xhat.ld);
  if (offsets.data != nullptr) offsets.data += h;
  messages.forward(walk, record.messages, who.count, who.row, offsets, b.xhat.from_column(h));

  // All read the states that step 1 left; only then is any of them changed.
  Matrix<S> delta = walk.scratch->template matrix<S>(who.count, h);
  block_forward(walk, block, kSites, t, b, {}, delta);
  record.old_states = add_to_nodes(walk, who.count, who.row, delta);
  messages.changed(who.count, who.row);
}

template <class S>
void neighbourhood_backward(const Walk<S>& walk, Messages<S>& messages, int t, const NeighbourhoodRecord<S>& record) {
  const Kernels<S>& k = kernels<S>();
  const Index h = walk.h, count = record.who.count;
  const Index* rows = record.who.row;
  Matrix<S> d_delta = walk.scratch->template matrix<S>(count, h);
  k.gather_add(count, h, walk.d_nodes.data, walk.d_nodes.ld, rows, nullptr, 0, nullptr, d_delta.data, d_delta.ld);
  Matrix<S> dz = block_backward(walk, walk.weights->neighbourhood, kSites, t, record.block, d_delta, {});
  restore_nodes(walk, count, rows, record.old_states);
  k.scatter_add(count, h, dz.data, dz.ld, rows, nullptr, walk.d_nodes.data, walk.d_nodes.ld);
  messages.backward(walk, record.messages, dz.from_column(h));
}

#define AGENTNET_INSTANTIATE(S)                                                                                      \
  template void neighbourhood_forward(const Walk<S>&, Messages<S>&, const Onlookers&, int, NeighbourhoodRecord<S>&); \
  template void neighbourhood_backward(const Walk<S>&, Messages<S>&, int, const NeighbourhoodRecord<S>&);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)
#undef AGENTNET_INSTANTIATE

}  // namespace agentnet
