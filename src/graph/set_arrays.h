// The long arrays behind a GraphSet: all graphs one after the other. The mapped file (graph/set_file.h) holds the same
// arrays as its sections.
//
// Letters: G graphs, N nodes, E entries of neighbour lists (directed edges), R rows of edge features, over all graphs.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agentnet/graph.h"

namespace agentnet {

// Values that this program owns and may append to, or that lie in a mapped file.
template <class T>
class Array {
 public:
  Array() = default;
  Array(std::vector<T> values) : own_(std::move(values)) {}  // NOLINT: a vector is an array
  [[nodiscard]] static Array borrowed(std::span<const T> values) {
    Array array;
    array.lent_ = values;
    return array;
  }

  [[nodiscard]] std::span<const T> all() const { return lent_.data() != nullptr ? lent_ : std::span<const T>(own_); }
  [[nodiscard]] const T* data() const { return all().data(); }
  [[nodiscard]] std::size_t size() const { return all().size(); }
  [[nodiscard]] bool empty() const { return all().empty(); }
  [[nodiscard]] const T& operator[](std::size_t i) const { return all()[i]; }

  // The values for changing; those of a file are copied into memory first.
  [[nodiscard]] std::vector<T>& own() {
    if (lent_.data() != nullptr) {
      own_.assign(lent_.begin(), lent_.end());
      lent_ = {};
    }
    return own_;
  }

 private:
  std::vector<T> own_;
  std::span<const T> lent_;
};

struct SetArrays {
  int node_dense_width = 0, node_category_width = 0;
  int edge_dense_width = 0, edge_category_width = 0;
  int num_targets = 0;

  Array<std::uint64_t> first_node;  // [G + 1]
  Array<std::uint64_t> first_edge;  // [G + 1]
  // [N + G]: graph g's n + 1 offsets start at first_node[g] + g and count from its own first edge.
  Array<std::uint64_t> offsets;
  Array<std::uint32_t> neighbours;  // [E]
  // Both empty if no edge with features was given twice; else the rows of entry e as in GraphView::edge_rows.
  Array<std::uint64_t> first_row;  // [G + 1]
  Array<std::uint64_t> edge_rows;  // [E + G]: graph g's start at first_edge[g] + g and count from its own first row

  Array<float> node_dense;              // [N, node_dense_width]
  Array<std::int32_t> node_categories;  // [N, node_category_width]
  Array<float> edge_dense;              // [R, edge_dense_width]
  Array<std::int32_t> edge_categories;  // [R, edge_category_width]

  Array<double> targets;          // [G, num_targets]
  Array<std::uint64_t> first_id;  // [G + 1] into id_text; empty if no graph has an id
  Array<char> id_text;
  Array<float> positions;     // [N, 3] or empty
  Array<std::uint8_t> marks;  // [N] or empty

  std::shared_ptr<const void> file;  // what the borrowed arrays lie in

  [[nodiscard]] std::size_t num_graphs() const { return first_node.empty() ? 0 : first_node.size() - 1; }
  [[nodiscard]] std::uint64_t num_nodes() const { return first_node.empty() ? 0 : first_node[num_graphs()]; }
  [[nodiscard]] std::uint64_t num_edges() const { return first_edge.empty() ? 0 : first_edge[num_graphs()]; }
  [[nodiscard]] std::uint64_t num_rows() const { return first_row.empty() ? num_edges() : first_row[num_graphs()]; }
};

}  // namespace agentnet
