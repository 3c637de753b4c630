#include "nets/agentnet/walk.h"

#include <fmt/core.h>

#include <cmath>

#include "agentnet/error.h"
#include "core/checked.h"
#include "nn/parameters.h"

namespace agentnet {

std::uint64_t agents_on(const AgentNetConfig& config, int k, const GraphView& graph) {
  if (config.start != StartPolicy::kEveryNode) return static_cast<std::uint64_t>(k);
  const CheckedSize agents = CheckedSize(static_cast<std::uint64_t>(k)) * graph.num_nodes;
  const CheckedSize numbers = agents * static_cast<std::uint64_t>(config.hidden) *
                              (static_cast<std::uint64_t>(config.steps) + 1);  // the agents' states of all visits
  if (numbers.valid() && numbers.value() <= kMostElements) return agents.value();
  throw Error(ErrorKind::kUsage,
              fmt::format("{}{} nodes are too many for an agent on every node with {} steps and {} hidden units",
                          graph.place(), graph.num_nodes, config.steps, config.hidden),
              "train a model with start = \"random\": its cost does not depend on the number of nodes");
}

double reduce_scale(Reduce reduce, std::uint64_t count) {
  const double c = count > 0 ? static_cast<double>(count) : 1.0;
  switch (reduce) {
    case Reduce::kLog:
      return std::log2(c + 1) / c;
    case Reduce::kMean:
      return 1 / c;
    case Reduce::kSqrt:
      return 1 / std::sqrt(c);
    case Reduce::kSum:
      break;
  }
  return 1;
}

double neighbour_scale(Reduce reduce, const Place& place) {
  const double scale = reduce_scale(reduce, place.true_degree);
  const auto seen = static_cast<std::uint64_t>(place.degree);
  return seen == place.true_degree ? scale
                                   : scale * (static_cast<double>(place.true_degree) / static_cast<double>(seen));
}

namespace {

// How a graph's size enters: a number near 1 for graphs of a thousand nodes.
double size_feature(std::uint64_t num_nodes) { return std::log2(static_cast<double>(num_nodes) + 1) / 10; }

}  // namespace

template <class S>
void apply_dropout(const Walk<S>& walk, DropoutSite site, int step, Index rows, Index width, RowIds ids, Matrix<S> x) {
  const double p = walk.config().dropout;
  const S keep = static_cast<S>(1 / (1 - p));
  const RandomKey key = random_key(walk.options.seed, Purpose::kDropout, walk.options.epoch);
  constexpr int kSiteShift = 24;  // a row has fewer than 2^26 columns
  const std::uint32_t first_block = static_cast<std::uint32_t>(site) << kSiteShift;
  for (Index i = 0; i < rows; ++i) {
    const std::uint64_t graph = walk.graph_ids[static_cast<std::size_t>(ids.graph[i])];
    S* row = x.row(i);
    for (Index j = 0; j < width; j += 4) {
      const auto bits =
          philox(random_counter(graph, ids.key != nullptr ? ids.key[i] : 0, static_cast<std::uint32_t>(step),
                                first_block + static_cast<std::uint32_t>(j / 4)),
                 key);
      for (Index c = j; c < width && c < j + 4; ++c) {
        row[c] = to_unit_double(bits[static_cast<std::size_t>(c - j)]) < p ? S(0) : row[c] * keep;
      }
    }
  }
}

template <class S>
OffsetRows<S> offset_rows(const Walk<S>& walk, const InputOffsets<S>& offsets, int t, const Index* graph_of_row) {
  const S* time = offsets.time.empty()
                      ? nullptr
                      : offsets.time.data() + static_cast<std::size_t>(t) * static_cast<std::size_t>(offsets.width);
  if (offsets.size == nullptr) return {time, 0, nullptr};
  Matrix<S> rows = walk.scratch->template matrix<S>(walk.B, offsets.width);
  for (Index g = 0; g < walk.B; ++g) {
    const S size = static_cast<S>(size_feature(walk.graphs[static_cast<std::size_t>(g)].num_nodes));
    for (Index j = 0; j < offsets.width; ++j) {
      rows.row(g)[j] = (time != nullptr ? time[j] : S(0)) + size * offsets.size[j];
    }
  }
  return {rows.data, rows.ld, graph_of_row};
}

template <class S>
void offset_gradient(const Walk<S>& walk, const InputOffsets<S>& offsets, int t, Index rows, Index first, Index width,
                     Matrix<S> dz, const Index* graph_of_row) {
  if (walk.explaining) return;
  if (!offsets.time.empty()) {
    S* d_time =
        walk.gradient + offsets.time_slot + static_cast<std::size_t>(t) * static_cast<std::size_t>(offsets.width);
    kernels<S>().column_sums(rows, width, dz.data, dz.ld, d_time + first);
  }
  if (offsets.size != nullptr) {
    S* d_size = walk.gradient + offsets.size_slot + first;
    for (Index i = 0; i < rows; ++i) {
      const GraphView& graph = walk.graphs[static_cast<std::size_t>(graph_of_row[i])];
      kernels<S>().axpy(static_cast<std::size_t>(width), static_cast<S>(size_feature(graph.num_nodes)), dz.row(i),
                        d_size);
    }
  }
}

#define AGENTNET_INSTANTIATE(S)                                                                              \
  template void apply_dropout(const Walk<S>&, DropoutSite, int, Index, Index, RowIds, Matrix<S>);            \
  template OffsetRows<S> offset_rows(const Walk<S>&, const InputOffsets<S>&, int, const Index*);             \
  template void offset_gradient(const Walk<S>&, const InputOffsets<S>&, int, Index, Index, Index, Matrix<S>, \
                                const Index*);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)
#undef AGENTNET_INSTANTIATE

}  // namespace agentnet
