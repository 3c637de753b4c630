#include "nets/cin/batch_cells.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "agentnet/error.h"
#include "nets/cin/cells.h"

namespace agentnet {
namespace {

// Cells of one dimension, as they are found.
struct CellList {
  std::vector<std::int64_t> offsets{0};  // of boundary
  std::vector<Index> boundary;
  std::vector<std::int64_t> of_graph{0};
  std::vector<std::uint64_t> graph;
  std::vector<std::uint32_t> number;

  [[nodiscard]] Index count() const { return static_cast<Index>(graph.size()); }
  void end_cell(std::uint64_t id, std::uint32_t its_number) {
    offsets.push_back(static_cast<std::int64_t>(boundary.size()));
    graph.push_back(id);
    number.push_back(its_number);
  }
};

template <class S, class T>
const T* kept(Formula<S>& f, const std::vector<T>& values) {
  T* to = f.tape().template keep<T>(values.size());
  std::copy(values.begin(), values.end(), to);
  return to;
}

void add_cells(const CellComplex& cells, Index first_node, std::uint64_t id, CellList& edges, CellList& rings) {
  const Index first_edge = edges.count();
  for (Index e = 0; e < cells.edge_count(); ++e) {
    for (std::size_t end = 0; end < 2; ++end) {
      edges.boundary.push_back(first_node + cells.edges[2 * static_cast<std::size_t>(e) + end]);
    }
    edges.end_cell(id, static_cast<std::uint32_t>(e));
  }
  for (Index r = 0; r < cells.ring_count(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    for (std::size_t i = cells.rings[at]; i < cells.rings[at + 1]; ++i) {
      rings.boundary.push_back(first_edge + cells.ring_edges[i]);
    }
    rings.end_cell(id, static_cast<std::uint32_t>(r));
  }
  edges.of_graph.push_back(edges.count());
  rings.of_graph.push_back(rings.count());
}

// All ordered pairs of cells on the boundary of each cell of `above`.
template <class S>
CellPairs make_pairs(Formula<S>& f, const CellList& above, Index below) {
  std::vector<Index> receiver, sender, shared;
  for (Index c = 0; c < above.count(); ++c) {
    const auto at = static_cast<std::size_t>(c);
    for (std::int64_t i = above.offsets[at]; i < above.offsets[at + 1]; ++i) {
      for (std::int64_t j = above.offsets[at]; j < above.offsets[at + 1]; ++j) {
        if (i == j) continue;
        receiver.push_back(above.boundary[static_cast<std::size_t>(i)]);
        sender.push_back(above.boundary[static_cast<std::size_t>(j)]);
        shared.push_back(c);
      }
    }
    if (receiver.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max() / 2)) {
      throw Error(ErrorKind::kData, "the rings of a batch have more pairs of edges than fit",
                  "use smaller batches, or a smaller model option 'max_ring'");
    }
  }
  CellPairs pairs{.sender = {kept(f, sender), sender.size()},
                  .shared = {kept(f, shared), shared.size()},
                  .by_receiver = f.grouped(receiver, below),
                  .by_sender = f.grouped(sender, below),
                  .by_shared = f.grouped(shared, above.count())};
  return pairs;
}

// Every edge of the data belongs to the cell of its two ends; loops to none.
template <class S>
tape::Segments make_edge_rows(Formula<S>& f, const CellList& edges) {
  const GraphArrays<S>& graphs = f.graphs();
  const Index N = graphs.nodes(), none = edges.count();
  std::vector<Index> first(static_cast<std::size_t>(N) + 1, 0);  // the cells whose smaller end a node is
  for (std::size_t e = 0; e < edges.graph.size(); ++e) ++first[static_cast<std::size_t>(edges.boundary[2 * e]) + 1];
  for (std::size_t v = 1; v < first.size(); ++v) first[v] += first[v - 1];
  std::vector<Index> cell_of_row(static_cast<std::size_t>(graphs.edges()), none);
  const tape::Segments& received = graphs.received();
  for (Index v = 0; v < N; ++v) {
    for (std::int64_t row = received.offsets[v]; row < received.offsets[v + 1]; ++row) {
      const Index u = graphs.senders()[static_cast<std::size_t>(row)];
      if (u == v) continue;
      const auto [small, large] = std::minmax(u, v);
      Index low = first[static_cast<std::size_t>(small)], high = first[static_cast<std::size_t>(small) + 1];
      while (low < high) {
        const Index middle = low + (high - low) / 2;
        const bool below = edges.boundary[2 * static_cast<std::size_t>(middle) + 1] < large;
        (below ? low : high) = below ? middle + 1 : middle;
      }
      cell_of_row[static_cast<std::size_t>(row)] = low;
    }
  }
  tape::Segments rows = f.grouped(cell_of_row, none + 1);
  rows.count = none;
  return rows;
}

}  // namespace

template <class S>
BatchCells find_batch_cells(Formula<S>& f, int largest_ring) {
  const GraphArrays<S>& graphs = f.graphs();
  const tape::Segments &members = graphs.members(), &neighbours = graphs.neighbours();
  CellList edges, rings;
  for (Index g = 0; g < members.count; ++g) {
    const auto first = static_cast<Index>(members.offsets[g]);
    const SimpleGraph graph(static_cast<Index>(members.size(g)), neighbours.offsets + first, neighbours.members, first);
    add_cells(find_cells(graph, largest_ring), first, graphs.ids()[static_cast<std::size_t>(g)], edges, rings);
  }
  BatchCells cells;
  cells.edges = edges.count();
  cells.rings = rings.count();
  const std::array<const CellList*, 2> lists = {&edges, &rings};
  cells.of_graph[0] = members;
  for (std::size_t d = 0; d < 2; ++d) {
    const CellList& list = *lists[d];
    const Index below = d == 0 ? graphs.nodes() : edges.count();
    cells.boundary[d] = {
        .count = list.count(), .rows = below, .offsets = kept(f, list.offsets), .members = kept(f, list.boundary)};
    cells.pairs[d] = make_pairs(f, list, below);
    cells.names[d] = {kept(f, list.graph), kept(f, list.number)};
    cells.of_graph[d + 1] = {
        .count = members.count, .rows = list.count(), .offsets = kept(f, list.of_graph), .disjoint = true};
  }
  cells.edge_rows = make_edge_rows(f, edges);
  return cells;
}

template BatchCells find_batch_cells(Formula<float>&, int);
template BatchCells find_batch_cells(Formula<double>&, int);

}  // namespace agentnet
