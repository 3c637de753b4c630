// Graphs as AgentNet sees them: who is next to whom, and the features of nodes and edges.
//
// A Graph owns its arrays; a GraphView is a handful of pointers into arrays that somebody else owns
// (a Graph, or a mapped file). The engine only ever sees views, so a graph need not be in memory.
//
// An edge u -> v means: an agent on u can move to v, and u reads v's state when it looks around.
// Undirected graphs hold both directions. Neighbour lists are sorted and free of duplicates; the
// feature rows of merged duplicates are all kept, because the model sums their *embeddings*.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agentnet {

// Rows of dense features, in single or double precision (double is for checking the engine).
struct DenseRows {
  const float* f32 = nullptr;
  const double* f64 = nullptr;  // used when not null
  int width = 0;
  bool same = false;  // all rows are like the first, which is the only one there is

  // Where a row begins in f32 or f64.
  [[nodiscard]] std::uint64_t start(std::uint64_t row) const {
    return same ? 0 : row * static_cast<std::uint64_t>(width);
  }
  // Writes row `row` to out[0 .. width).
  template <class S>
  void copy(std::uint64_t row, S* out) const {
    const std::uint64_t first = start(row);
    for (int c = 0; c < width; ++c) {
      out[c] = f64 != nullptr ? static_cast<S>(f64[first + c]) : static_cast<S>(f32[first + c]);
    }
  }
};

// Other numbers for the categories of a column: those that a model knows them by. -1 for a number past the end.
struct Renumbering {
  std::span<const std::int32_t> numbers = {};

  [[nodiscard]] std::int32_t operator()(std::int32_t category) const {
    const auto at = static_cast<std::uint32_t>(category);
    return at < numbers.size() ? numbers[at] : -1;
  }
};

// Rows of categorical features: small non-negative integers, one vocabulary per column.
struct CategoryRows {
  const std::int32_t* data = nullptr;
  int width = 0;
  const Renumbering* renumbering = nullptr;  // [width] what readers of value() see; null: the numbers as they are

  // Column `column` of a row.
  [[nodiscard]] std::int32_t value(std::uint64_t r, std::size_t column) const {
    return renumbered(data[r * static_cast<std::uint64_t>(width) + column], column);
  }
  [[nodiscard]] std::int32_t renumbered(std::int32_t category, std::size_t column) const {
    return renumbering != nullptr ? renumbering[column](category) : category;
  }

  [[nodiscard]] std::span<const std::int32_t> row(std::uint64_t r) const {
    return {data + r * static_cast<std::uint64_t>(width), static_cast<std::size_t>(width)};
  }
};

// Long neighbour lists once more, in an order of their own (src/graph/hub_order.h): any stretch of such a list is a
// uniform sample of it, and lies in a page or two.
struct HubLists {
  std::span<const std::uint64_t> nodes = {};  // those with long lists, ascending
  const std::uint64_t* first = nullptr;       // [nodes + 1] where their lists begin in the arrays below
  const std::uint32_t* neighbours = nullptr;  // one of these two
  const std::uint64_t* wide_neighbours = nullptr;
  const std::uint8_t* labels = nullptr;  // as GraphView::labels
  std::uint64_t entries = 0;             // of these arrays
};

class MappedFile;  // src/core/mapped_file.h

// Numbers first .. last - 1.
struct IndexRange {
  std::uint64_t first = 0, last = 0;

  [[nodiscard]] std::uint64_t size() const { return last - first; }
};

// A file may be damaged, or change while it is read, and most of a huge one is never checked as a whole. What comes out
// of these functions can be used as an index all the same: they throw Error (kData), naming the file and the graph,
// where the arrays say what cannot be. Who reads the arrays themselves checks what is read.
struct GraphView {
  std::uint64_t num_nodes = 0;
  const std::uint64_t* offsets = nullptr;          // [num_nodes + 1] into neighbours
  const std::uint32_t* neighbours = nullptr;       // ascending within a node, distinct
  const std::uint64_t* wide_neighbours = nullptr;  // instead, in a graph of more than 2^32 nodes
  DenseRows node_dense;
  CategoryRows node_categories;
  DenseRows edge_dense;
  CategoryRows edge_categories;
  // Entry e of `neighbours` owns the feature rows [edge_rows[e], edge_rows[e + 1]);
  // null means exactly row e, that is, no edge was given twice.
  const std::uint64_t* edge_rows = nullptr;
  std::uint64_t num_edge_rows = 0;  // rows that there are, where edge_rows is given
  // What spares reading further pages of a huge graph; all of it may be absent.
  HubLists hubs;
  const std::uint8_t* labels = nullptr;  // [num_edges, node_categories.width] the neighbours' categories, beside them
  const MappedFile* file = nullptr;      // where the arrays lie, if in a file
  std::uint64_t number = 0;              // of the graph in its set, for messages
  // Entries that the neighbour lists have, whatever `offsets` say.
  static constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_edges = kUnknown;

  [[nodiscard]] std::uint64_t num_edges() const {
    const std::uint64_t edges = offsets[num_nodes];
    if (edges != most_edges && most_edges != kUnknown) damaged_end(edges);
    return edges;
  }
  // The entries of a node's neighbour list.
  [[nodiscard]] IndexRange entries_of(std::uint64_t node) const {
    const IndexRange entries{offsets[node], offsets[node + 1]};
    if (entries.first > entries.last || entries.last > most_edges) damaged_list(node);
    return entries;
  }
  [[nodiscard]] std::uint64_t degree(std::uint64_t node) const { return entries_of(node).size(); }
  // The node that an entry of the neighbour lists leads to, in narrow and wide graphs alike.
  [[nodiscard]] std::uint64_t neighbour(std::uint64_t entry) const {
    const std::uint64_t node = wide_neighbours != nullptr ? wide_neighbours[entry] : neighbours[entry];
    if (node >= num_nodes) damaged_entry(entry, node);
    return node;
  }
  // The rows of edge features that an entry owns, at least one.
  [[nodiscard]] IndexRange edge_rows_of(std::uint64_t entry) const {
    if (edge_rows == nullptr) return {entry, entry + 1};
    const IndexRange rows{edge_rows[entry], edge_rows[entry + 1]};
    if (rows.first >= rows.last || rows.last > num_edge_rows) damaged_rows(entry);
    return rows;
  }
  // All rows of edge features.
  [[nodiscard]] std::uint64_t edge_feature_rows() const { return edge_rows != nullptr ? num_edge_rows : num_edges(); }
  // The neighbours themselves. Not for wide graphs, and not for files that were not checked: any number may stand here.
  [[nodiscard]] std::span<const std::uint32_t> neighbours_of(std::uint64_t node) const {
    const IndexRange entries = entries_of(node);
    return {neighbours + entries.first, static_cast<std::size_t>(entries.size())};
  }

  // "FILE: graph 3: ", as far as that is known.
  [[nodiscard]] std::string place() const;
  // Throws Error (kData): `what` is wrong with this graph.
  [[noreturn]] void damaged(const std::string& what) const;

 private:
  [[noreturn]] void damaged_end(std::uint64_t edges) const;
  [[noreturn]] void damaged_list(std::uint64_t node) const;
  [[noreturn]] void damaged_entry(std::uint64_t entry, std::uint64_t node) const;
  [[noreturn]] void damaged_rows(std::uint64_t entry) const;
};

// What a graph is made from. `from[i] -> to[i]` is an edge; feature arrays are row-major and either
// empty or complete: one row per node, or one per listed edge, in the order of the list.
struct GraphParts {
  std::uint64_t num_nodes = 0;
  std::vector<std::uint32_t> from;
  std::vector<std::uint32_t> to;
  bool undirected = false;  // also add to -> from, with the same features

  std::vector<float> node_dense;
  std::vector<std::int32_t> node_categories;
  std::vector<float> edge_dense;
  std::vector<std::int32_t> edge_categories;

  // Double precision twins of the dense features; at most one of each pair may be given.
  std::vector<double> node_dense64;
  std::vector<double> edge_dense64;
};

class Graph {
 public:
  Graph() = default;

  // Sorts, merges duplicates and checks: a node id out of range, a graph without nodes, a feature
  // array whose size is not a multiple of the number of rows, a non-finite feature or a negative
  // category throws Error (kData).
  explicit Graph(GraphParts parts);

  [[nodiscard]] std::uint64_t num_nodes() const { return num_nodes_; }
  // Directed entries after merging: an undirected edge counts twice, a self loop once.
  [[nodiscard]] std::uint64_t num_edges() const { return neighbours_.size(); }

  // Valid as long as this graph lives and is not moved from. Of one that was moved from: throws std::logic_error.
  [[nodiscard]] GraphView view() const;

 private:
  std::uint64_t num_nodes_ = 0;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> neighbours_;
  std::vector<std::uint64_t> edge_rows_;
  std::vector<float> node_dense_, edge_dense_;
  std::vector<double> node_dense64_, edge_dense64_;
  std::vector<std::int32_t> node_categories_, edge_categories_;
  int node_dense_width_ = 0, edge_dense_width_ = 0;
  int node_category_width_ = 0, edge_category_width_ = 0;
};

struct SetArrays;  // src/graph/set_arrays.h

// What a set may know of the nodes of a graph besides what the model reads; an empty span: nothing.
struct NodeNotes {
  std::span<const float> positions = {};     // [n, 3] coordinates
  std::span<const std::uint8_t> marks = {};  // [n] 1: the node is part of what decides the class (planted motifs)
};

// A set of graphs with one row of targets each. All graphs of a set have the same feature columns. The graphs share a
// few long arrays, in memory or in a mapped file (graph/set_file.h), so that a view costs the same for any graph.
class GraphSet {
 public:
  GraphSet();
  // Takes arrays that belong together: a mapped set, or one whose columns were rewritten.
  explicit GraphSet(std::unique_ptr<SetArrays> arrays);
  ~GraphSet();
  GraphSet(GraphSet&&) noexcept;
  GraphSet& operator=(GraphSet&&) noexcept;

  // Appends a copy of a graph. `targets` has num_targets() entries (the first graph decides how many);
  // a class label is its index, NaN is a blank. Features in double precision are rounded. Throws Error (kData) when
  // the graph's feature columns, the number of targets or the presence of notes differ from those of the first graph.
  // A graph without edges (a single atom, say) has no edge columns and fits any.
  void add(const Graph& graph, std::span<const double> targets, std::string_view id = {}, const NodeNotes& notes = {});

  // The graphs of these numbers, in this order; a number may stand more than once.
  [[nodiscard]] GraphSet subset(std::span<const std::size_t> graphs) const;

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] int num_targets() const;
  // A number that is not below size() throws std::out_of_range. Views are valid until the set is changed, moved or
  // gone.
  [[nodiscard]] GraphView view(std::size_t i) const;
  [[nodiscard]] std::span<const double> targets(std::size_t i) const;
  [[nodiscard]] std::string_view id(std::size_t i) const;
  [[nodiscard]] NodeNotes notes(std::size_t i) const;
  [[nodiscard]] std::vector<GraphView> views() const;  // of all graphs

  // The arrays themselves, for the rooms that read and write whole sets. Throws std::logic_error, as all of the above
  // do, for a set that was moved from.
  [[nodiscard]] const SetArrays& arrays() const;
  [[nodiscard]] SetArrays& arrays();

 private:
  std::unique_ptr<SetArrays> arrays_;  // never null, but for a set that was moved from
};

}  // namespace agentnet
