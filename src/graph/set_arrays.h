// The long arrays behind a GraphSet: all graphs one after the other. The mapped file (graph/set_file.h) holds the same
// arrays as its sections.
//
// Letters: G graphs, N nodes, E entries of neighbour lists (directed edges), R rows of edge features, over all graphs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "agentnet/graph.h"

namespace agentnet {

// Numbers that grow at the end. realloc() moves the pages of a large block instead of copying them, so that growing
// takes no second copy of a set.
template <class T>
class Growing {
 public:
  Growing() = default;
  ~Growing() { std::free(data_); }
  Growing(Growing&& other) noexcept { swap(other); }
  Growing& operator=(Growing&& other) noexcept {
    swap(other);
    return *this;
  }
  Growing(const Growing&) = delete;
  Growing& operator=(const Growing&) = delete;

  void append(const T* first, std::size_t count) {
    if (count == 0) return;
    if (count > capacity_ - size_) grow(count);
    std::copy_n(first, count, data_ + size_);
    size_ += count;
  }
  [[nodiscard]] std::span<const T> all() const { return {data_, size_}; }

 private:
  void grow(std::size_t more) {
    const std::size_t capacity = std::max(2 * capacity_, size_ + more);
    auto* moved = static_cast<T*>(std::realloc(data_, capacity * sizeof(T)));  // NOLINT: no new-expression can do this
    if (moved == nullptr) throw std::bad_alloc();
    data_ = moved;
    capacity_ = capacity;
  }
  void swap(Growing& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  static_assert(std::is_trivially_copyable_v<T>);
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

// Values that this program owns and may append to, or that lie in a mapped file.
template <class T>
class Array {
 public:
  Array() = default;
  Array(std::vector<T> values) : given_(std::move(values)) {}  // NOLINT: a vector is an array
  [[nodiscard]] static Array borrowed(std::span<const T> values) {
    Array array;
    array.lent_ = values;
    return array;
  }

  // Pieces of an array that is appended to are valid until the next time.
  [[nodiscard]] std::span<const T> all() const {
    if (lent_.data() != nullptr) return lent_;
    return given_.empty() ? grown_.all() : std::span<const T>(given_);
  }
  [[nodiscard]] const T* data() const { return all().data(); }
  [[nodiscard]] std::size_t size() const { return all().size(); }
  [[nodiscard]] bool empty() const { return all().empty(); }
  [[nodiscard]] const T& operator[](std::size_t i) const { return all()[i]; }

  void append(const T* first, std::size_t count) {
    if (lent_.data() != nullptr || !given_.empty()) {
      Growing<T> copy;
      copy.append(data(), size());
      *this = Array();
      grown_ = std::move(copy);
    }
    grown_.append(first, count);
  }
  void push_back(T value) { append(&value, 1); }

  // The values for changing, as a vector; those of a file or of a growing array are copied first.
  [[nodiscard]] std::vector<T>& own() {
    if (given_.empty()) {
      std::vector<T> copy(all().begin(), all().end());
      *this = Array(std::move(copy));
    }
    return given_;
  }

 private:
  std::vector<T> given_;
  Growing<T> grown_;
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
  Array<std::uint32_t> neighbours;       // [E]
  Array<std::uint64_t> wide_neighbours;  // [E] instead, if a graph has more than 2^32 nodes
  // Both empty if no edge with features was given twice; else the rows of entry e as in GraphView::edge_rows.
  Array<std::uint64_t> first_row;  // [G + 1]
  Array<std::uint64_t> edge_rows;  // [E + G]: graph g's start at first_edge[g] + g and count from its own first row

  Array<float> node_dense;              // [N, node_dense_width]
  Array<float> node_row;                // [node_dense_width] instead, if it is the same for all of very many nodes
  Array<std::int32_t> node_categories;  // [N, node_category_width]
  Array<float> edge_dense;              // [R, edge_dense_width]
  Array<std::int32_t> edge_categories;  // [R, edge_category_width]

  Array<double> targets;          // [G, num_targets]
  Array<std::uint64_t> first_id;  // [G + 1] into id_text; empty if no graph has an id
  Array<char> id_text;
  Array<float> positions;     // [N, 3] or empty
  Array<std::uint8_t> marks;  // [N] or empty

  // What spares reading further pages of a huge graph (GraphView); only files have it, and not all of them.
  Array<std::uint8_t> labels;           // [E, node_category_width] categories of the neighbours
  Array<std::uint64_t> first_hub;       // [G + 1] into hubs
  Array<std::uint64_t> hubs;            // [H] nodes with more than kLongList neighbours (graph/hub_order.h), ascending
  Array<std::uint64_t> hub_entries;     // [H + 1] where their lists begin in the next three, of L entries
  Array<std::uint32_t> hub_neighbours;  // [L], or
  Array<std::uint64_t> wide_hub_neighbours;  // [L]
  Array<std::uint8_t> hub_labels;            // [L, node_category_width], if there are `labels`

  // What the categories of a file are called by a model (GraphView); empty: their own numbers.
  std::vector<std::vector<std::int32_t>> model_numbers;
  std::vector<Renumbering> node_renumbering, edge_renumbering;  // [columns], into model_numbers

  std::shared_ptr<const void> file;     // what the borrowed arrays lie in
  const MappedFile* mapping = nullptr;  // the same, if that is a mapped file

  // For whoever changes the categories of nodes, or the graphs themselves: copies of what was are none any more.
  void forget_labels() {
    labels = {};
    hub_labels = {};
  }
  void forget_hubs() {
    first_hub = {};
    hubs = {};
    hub_entries = {};
    hub_neighbours = {};
    wide_hub_neighbours = {};
    hub_labels = {};
  }

  // Gives every node its own row.
  void spread_node_row() {
    if (node_row.empty()) return;
    std::vector<float> rows;
    rows.reserve(num_nodes() * node_row.size());
    for (std::uint64_t n = 0; n < num_nodes(); ++n)
      rows.insert(rows.end(), node_row.all().begin(), node_row.all().end());
    node_dense = std::move(rows);
    node_row = {};
  }

  [[nodiscard]] std::size_t num_graphs() const { return first_node.empty() ? 0 : first_node.size() - 1; }
  [[nodiscard]] std::uint64_t num_nodes() const { return first_node.empty() ? 0 : first_node[num_graphs()]; }
  [[nodiscard]] std::uint64_t num_edges() const { return first_edge.empty() ? 0 : first_edge[num_graphs()]; }
  [[nodiscard]] std::uint64_t num_rows() const { return first_row.empty() ? num_edges() : first_row[num_graphs()]; }
};

}  // namespace agentnet
