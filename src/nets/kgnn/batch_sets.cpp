#include "nets/kgnn/batch_sets.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "agentnet/error.h"

namespace agentnet {
namespace {

constexpr Index kMostNodes = 1 << 21;  // three of them fit a key of 63 bits

[[noreturn]] void too_many() {
  throw Error(ErrorKind::kData, "the sets of nodes of a batch are more than can be listed",
              "use smaller batches or graphs, connected pairs, or a network that has no state per set of nodes");
}

Index label_of(const double sum, Index count) {
  return static_cast<Index>(std::clamp(sum, 0.0, static_cast<double>(count - 1)));
}

template <class S, class T>
const T* kept(Formula<S>& f, const std::vector<T>& values) {
  T* copy = f.tape().template keep<T>(values.size());
  std::copy(values.begin(), values.end(), copy);
  return copy;
}

// Column of a type, or -1.
Index column_of(std::int64_t type, const SetWish& wish) {
  if (wish.known_types.empty()) return static_cast<Index>(rank_of_type(type, wish.labels.count, wish.family));
  const auto at = std::lower_bound(wish.known_types.begin(), wish.known_types.end(), type);
  return at != wish.known_types.end() && *at == type ? static_cast<Index>(at - wish.known_types.begin()) : -1;
}

}  // namespace

template <class S>
LabelledGraph labelled_graph(const GraphArrays<S>& graphs, Index b, const LabelColumns& labels) {
  const std::int64_t first = graphs.members().offsets[b], last = graphs.members().offsets[b + 1];
  if (last - first > kMostNodes) too_many();
  const tape::Segments& around = graphs.neighbours();
  const auto columns = static_cast<std::size_t>(graphs.node_columns());
  LabelledGraph graph{.nodes = static_cast<Index>(last - first), .label_count = labels.count};
  for (std::int64_t v = first; v < last; ++v) {
    for (std::int64_t e = around.offsets[v]; e < around.offsets[v + 1]; ++e) {
      graph.neighbours.push_back(static_cast<Index>(around.members[e] - first));
    }
    graph.offsets.push_back(static_cast<std::int64_t>(graph.neighbours.size()));
    double sum = 0;
    const S* row = graphs.node_features().data() + static_cast<std::size_t>(v) * columns + labels.first;
    for (Index j = 0; j < labels.count && labels.any; ++j) sum += j * static_cast<double>(row[j]);
    graph.labels.push_back(label_of(sum, labels.count));
  }
  return graph;
}

template <class S>
BatchSets<S> make_sets(Formula<S>& f, const SetWish& wish) {
  const GraphArrays<S>& graphs = f.graphs();
  const int k = nodes_per_set(wish.family);
  std::vector<Index> nodes, neighbours, types;
  std::vector<std::int64_t> offsets = {0}, of_graph = {0};
  std::vector<S> typed;
  bool all_known = true;
  for (Index b = 0; b < graphs.graphs(); ++b) {
    const auto first = static_cast<Index>(graphs.members().offsets[b]);
    const auto before = static_cast<Index>(offsets.size()) - 1;
    const NodeSets sets = enumerate_sets(labelled_graph(graphs, b, wish.labels), wish.family, wish.types);
    constexpr auto kMost = static_cast<std::size_t>(std::numeric_limits<Index>::max() / 2);
    if (nodes.size() + sets.nodes.size() > kMost || neighbours.size() + sets.neighbours.size() > kMost) too_many();
    for (const Index v : sets.nodes) nodes.push_back(first + v);
    for (const Index s : sets.neighbours) neighbours.push_back(before + s);
    const std::int64_t base = offsets.back();
    for (std::size_t s = 1; s < sets.offsets.size(); ++s) offsets.push_back(base + sets.offsets[s]);
    of_graph.push_back(static_cast<std::int64_t>(offsets.size()) - 1);
    for (const std::int64_t type : sets.types) {
      const Index column = column_of(type, wish);
      all_known = all_known && column >= 0;
      types.push_back(std::max(column, Index{0}));
      typed.push_back(column >= 0 ? S(1) : S(0));
    }
  }
  const auto count = static_cast<Index>(offsets.size()) - 1;
  BatchSets<S> all;
  all.members = f.runs_of(count, k);
  all.members.rows = graphs.nodes();
  all.members.members = kept(f, nodes);
  all.members.disjoint = false;
  all.neighbours = {.count = count, .rows = count, .offsets = kept(f, offsets), .members = kept(f, neighbours)};
  all.neighbours.symmetric = true;
  all.graphs = {.count = graphs.graphs(), .rows = count, .offsets = kept(f, of_graph), .disjoint = true};
  all.types = {kept(f, types), types.size()};
  if (!all_known) all.typed = f.tape().input(kept(f, typed), count, 1);
  return all;
}

#define AGENTNET_INSTANTIATE(S)                                 \
  template BatchSets<S> make_sets(Formula<S>&, const SetWish&); \
  template LabelledGraph labelled_graph(const GraphArrays<S>&, Index, const LabelColumns&);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)

}  // namespace agentnet
