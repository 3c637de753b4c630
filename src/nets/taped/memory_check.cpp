#include "nets/taped/memory_check.h"

#include <fmt/core.h>

#include <array>

#include "agentnet/error.h"

namespace agentnet {
namespace {

std::string name_of(const GraphView& graph) {
  const std::string place = graph.place();
  return place.empty() ? fmt::format("graph {}", graph.number) : place.substr(0, place.size() - 2);  // without ": "
}

}  // namespace

std::string bytes_in_words(double bytes) {
  constexpr std::array kUnits = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < kUnits.size(); ++unit) bytes /= 1000;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

void refuse_for_memory(const TooMuchMemory& wanted, const Batch& batch, const Call& call,
                       const std::function<double(const GraphView&)>& numbers_of) {
  std::size_t largest = 0;
  for (std::size_t g = 1; g < batch.graphs.size(); ++g) {
    if (numbers_of(batch.graphs[g]) > numbers_of(batch.graphs[largest])) largest = g;
  }
  const GraphView& graph = batch.graphs[largest];
  const std::size_t count = batch.graphs.size();
  const std::string what = fmt::format(
      "{}: {} {} would take {} of memory, and may take {}; the largest, {}, has {} nodes and {} edges", wanted.network,
      count, count == 1 ? "graph" : "graphs together", bytes_in_words(wanted.bytes),
      bytes_in_words(static_cast<double>(wanted.may_take)), name_of(graph), graph.num_nodes, graph.edge_feature_rows());
  const std::string smaller = count > 1 && call.training ? "lower train.batch, " : "";
  throw Error(ErrorKind::kData, what,
              smaller +
                  "make the network narrower, raise --max-memory if there is more, leave out large graphs, or use "
                  "AgentNet, whose memory does not grow with the graph");
}

}  // namespace agentnet
