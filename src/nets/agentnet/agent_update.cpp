#include "nets/agentnet/agent_update.h"

namespace agentnet {

namespace {
constexpr BlockSites kSites = {DropoutSite::kAgentUpdateHidden, DropoutSite::kAgentUpdateOut};
}

template <class S>
void agent_update_forward(const Walk<S>& walk, int t, AgentUpdateRecord<S>& record, Matrix<S> new_agents) {
  const Kernels<S>& k = kernels<S>();
  const Block<S>& block = walk.weights->agent_update;
  const Index h = walk.h;
  BlockRecord<S>& b = record.block;
  b.rows = walk.A;
  b.graph = walk.graph_of_agent;
  b.ids = {walk.graph_of_agent, walk.number_of_agent};
  b.xhat = walk.keep().template matrix<S>(walk.A, block.own_width());
  const OffsetRows<S> offsets = offset_rows(walk, block.offsets, t, walk.graph_of_agent);
  const S* second = offsets.data != nullptr ? offsets.data + h : nullptr;
  const Matrix<S> nodes = walk.terrain->nodes();
  k.gather_add(walk.A, h, walk.agents.data, walk.agents.ld, nullptr, offsets.data, offsets.ld, offsets.of_row,
               b.xhat.data, b.xhat.ld);
  k.gather_add(walk.A, h, nodes.data, nodes.ld, walk.position, second, offsets.ld, offsets.of_row, b.xhat.data + h,
               b.xhat.ld);
  for (Index a = 0; walk.e > 0 && a < walk.A; ++a) {
    const S* edge = walk.taken[a] == kNone ? nullptr : walk.terrain->edges().row(walk.taken[a]);
    const S* offset =
        second == nullptr ? nullptr : second + h + (offsets.of_row != nullptr ? offsets.of_row[a] * offsets.ld : 0);
    S* to = b.xhat.row(a) + 2 * h;
    for (Index j = 0; j < walk.e; ++j)
      to[j] = (edge != nullptr ? edge[j] : S(0)) + (offset != nullptr ? offset[j] : S(0));
  }
  if (block.window.ready()) read_window(walk, t, b.window);
  block_forward(walk, block, kSites, t, b, walk.agents, new_agents);
}

template <class S>
void agent_update_backward(const Walk<S>& walk, int t, const AgentUpdateRecord<S>& record) {
  const Kernels<S>& k = kernels<S>();
  const Index h = walk.h;
  Matrix<S> d_out = walk.d_agents;
  if (walk.drops()) {  // the mask may not touch the residual path
    d_out = walk.scratch->template matrix<S>(walk.A, h);
    k.gather_add(walk.A, h, walk.d_agents.data, walk.d_agents.ld, nullptr, nullptr, 0, nullptr, d_out.data, d_out.ld);
  }
  Matrix<S> dz = block_backward(walk, walk.weights->agent_update, kSites, t, record.block, d_out, {});
  const Matrix<S> nodes = walk.terrain->nodes();
  k.scatter_add(walk.A, h, dz.data, dz.ld, nullptr, nullptr, walk.d_agents.data, walk.d_agents.ld);
  k.scatter_add(walk.A, h, dz.data + h, dz.ld, walk.position, nullptr, walk.d_nodes.data, walk.d_nodes.ld);
  k.row_dots(walk.A, h, dz.data + h, dz.ld, nullptr, nodes.data, nodes.ld, walk.position, nullptr, walk.d_weight);
  for (Index a = 0; walk.e > 0 && a < walk.A; ++a) {
    if (walk.taken[a] == kNone) continue;
    const S* d = dz.row(a) + 2 * h;
    const S* edge = walk.terrain->edges().row(walk.taken[a]);
    S* d_edge = walk.d_edges.row(walk.taken[a]);
    for (Index j = 0; j < walk.e; ++j) {
      d_edge[j] += d[j];
      walk.d_weight[a] += d[j] * edge[j];
    }
  }
}

#define AGENTNET_INSTANTIATE(S)                                                              \
  template void agent_update_forward(const Walk<S>&, int, AgentUpdateRecord<S>&, Matrix<S>); \
  template void agent_update_backward(const Walk<S>&, int, const AgentUpdateRecord<S>&);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)
#undef AGENTNET_INSTANTIATE

}  // namespace agentnet
