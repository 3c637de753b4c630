#include "capi/from_arrays.h"

#include <fmt/core.h>

#include <cmath>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "capi/guard.h"
#include "core/json.h"
#include "core/text.h"
#include "graph/set_arrays.h"

namespace agentnet::capi {
namespace {

[[noreturn]] void bad_data(const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::kData, message, hint);
}

// --- What the columns are called -------------------------------------------------------------------------------------

FeatureSchema features_of(const Json& schema, const char* owner) {
  FeatureSchema features;
  if (!schema.contains(owner)) return features;
  const Json& own = schema.at(owner);
  if (own.contains("dense")) own.at("dense").get_to(features.dense);
  if (!own.contains("categories")) return features;
  for (const Json& column : own.at("categories")) {
    features.categories.push_back(
        {column.at("name").get<std::string>(), column.at("values").get<std::vector<std::string>>()});
  }
  return features;
}

void check_features(const FeatureSchema& features, std::size_t dense, std::size_t categories, const char* owner) {
  if (features.dense.size() != dense || features.categories.size() != categories) {
    throw Error(ErrorKind::kUsage,
                fmt::format("the schema names {} dense and {} categorical {} columns, the arrays have {} and {}",
                            features.dense.size(), features.categories.size(), owner, dense, categories),
                "name every column once, in the order of the arrays");
  }
  std::set<std::string_view> names;
  const auto add = [&](const std::string& name) {
    if (names.insert(name).second) return;
    throw Error(ErrorKind::kUsage, fmt::format("two {} columns are called {}", owner, in_quotes(name)),
                "give every column its own name");
  };
  for (const std::string& name : features.dense) add(name);
  for (const CategoryColumn& column : features.categories) {
    add(column.name);
    std::set<std::string_view> values;
    for (const std::string& value : column.values) {
      if (values.insert(value).second) continue;
      throw Error(ErrorKind::kUsage,
                  fmt::format("column {} has the value {} twice", in_quotes(column.name), in_quotes(value)),
                  "list every value once");
    }
  }
}

std::size_t count_of(std::int32_t columns, const char* name) {
  if (columns >= 0) return static_cast<std::size_t>(columns);
  throw Error(ErrorKind::kUsage, fmt::format("agentnet_arrays.{} is {}", name, columns), "give a number of columns");
}

// Without a schema, categories are their own names: 0, 1, ... up to the largest.
FeatureSchema numbered_features(std::size_t dense, std::size_t categories, const std::int32_t* values,
                                std::uint64_t rows) {
  FeatureSchema features;
  for (std::size_t c = 0; c < dense; ++c) features.dense.push_back(fmt::format("dense{}", c));
  constexpr std::int32_t kMost = 1 << 20;  // names are kept with the model
  for (std::size_t c = 0; c < categories; ++c) {
    std::int32_t largest = -1;
    for (std::uint64_t r = 0; r < rows; ++r) largest = std::max(largest, values[r * categories + c]);
    if (largest >= kMost) {
      bad_data(fmt::format("category column {} has the number {}", c, largest),
               "number the categories of a column from 0, or make a dense column of it");
    }
    CategoryColumn column{fmt::format("category{}", c), {}};
    for (std::int32_t v = 0; v <= largest; ++v) column.values.push_back(std::to_string(v));
    features.categories.push_back(std::move(column));
  }
  return features;
}

// --- The graphs ------------------------------------------------------------------------------------------------------

class Reader {
 public:
  explicit Reader(const agentnet_arrays& arrays)
      : a_(arrays),
        node_dense_(count_of(a_.node_dense_columns, "node_dense_columns")),
        node_categories_(count_of(a_.node_category_columns, "node_category_columns")),
        edge_dense_(count_of(a_.edge_dense_columns, "edge_dense_columns")),
        edge_categories_(count_of(a_.edge_category_columns, "edge_category_columns")) {}

  Dataset read(const char* schema, std::shared_ptr<const void> owner) {
    check_arrays();
    name_columns(schema);
    check_features(data_.schema.nodes, node_dense_, node_categories_, "node");
    check_features(data_.schema.edges, edge_dense_, edge_categories_, "edge");
    check_dense(a_.node_dense, node_dense_, a_.node_offsets, data_.schema.nodes.dense, "node");
    check_dense(a_.edge_dense, edge_dense_, a_.edge_offsets, data_.schema.edges.dense, "edge");
    check_categories(a_.node_categories, node_categories_, a_.node_offsets, data_.schema.nodes.categories, "node");
    check_categories(a_.edge_categories, edge_categories_, a_.edge_offsets, data_.schema.edges.categories, "edge");
    if (a_.positions != nullptr) check_dense(a_.positions, 3, a_.node_offsets, {"x", "y", "z"}, "node");
    const bool ascend = edges_ascend();  // which checks every end
    if (a_.undirected == 0 && ascend) {
      borrow_lists();
    } else {
      build_lists();
    }
    add_nodes_and_ids();
    set().file = std::move(owner);
    data_.source = data_.format = "arrays";
    return std::move(data_);
  }

 private:
  [[nodiscard]] SetArrays& set() { return data_.graphs.arrays(); }
  [[nodiscard]] std::uint64_t nodes(std::uint64_t g) const {
    return static_cast<std::uint64_t>(a_.node_offsets[g + 1] - a_.node_offsets[g]);
  }
  [[nodiscard]] std::uint64_t all_nodes() const { return static_cast<std::uint64_t>(a_.node_offsets[a_.graphs]); }
  [[nodiscard]] std::uint64_t all_edges() const { return static_cast<std::uint64_t>(a_.edge_offsets[a_.graphs]); }

  void check_arrays() const {
    if (a_.graphs == 0) bad_data("there are no graphs", "give at least one");
    static_cast<void>(required(a_.node_offsets, "agentnet_arrays.node_offsets"));
    static_cast<void>(required(a_.edge_offsets, "agentnet_arrays.edge_offsets"));
    check_offsets(a_.node_offsets, "node");
    check_offsets(a_.edge_offsets, "edge");
    for (std::uint64_t g = 0; g < a_.graphs; ++g) {
      if (nodes(g) == 0) bad_data(fmt::format("graph {} has no nodes", g), "leave empty graphs out");
      if (nodes(g) > std::uint64_t{1} << 32) {
        bad_data(fmt::format("graph {} has {} nodes, more than 2^32", g, nodes(g)), "split the graph");
      }
    }
    const auto need = [](const void* array, std::uint64_t values, const char* name) {
      if (values > 0 && array == nullptr) refuse_null(name);
    };
    need(a_.from, all_edges(), "agentnet_arrays.from");
    need(a_.to, all_edges(), "agentnet_arrays.to");
    need(a_.node_dense, node_dense_, "agentnet_arrays.node_dense");
    need(a_.node_categories, node_categories_, "agentnet_arrays.node_categories");
    need(a_.edge_dense, all_edges() > 0 ? edge_dense_ : 0, "agentnet_arrays.edge_dense");
    need(a_.edge_categories, all_edges() > 0 ? edge_categories_ : 0, "agentnet_arrays.edge_categories");
    need(a_.id_text, a_.id_offsets != nullptr ? a_.id_offsets[a_.graphs] : 0, "agentnet_arrays.id_text");
  }

  void check_offsets(const std::int64_t* offsets, const char* owner) const {
    if (offsets[0] != 0) {
      bad_data(fmt::format("{}_offsets begins with {}, not 0", owner, offsets[0]),
               "offsets count from the first graph");
    }
    for (std::uint64_t g = 0; g < a_.graphs; ++g) {
      if (offsets[g] <= offsets[g + 1]) continue;
      bad_data(fmt::format("{}_offsets falls from {} to {} at graph {}", owner, offsets[g], offsets[g + 1], g),
               "offsets never fall");
    }
  }

  void name_columns(const char* text) {
    if (text == nullptr) {
      data_.schema.nodes = numbered_features(node_dense_, node_categories_, a_.node_categories, all_nodes());
      data_.schema.edges = numbered_features(edge_dense_, edge_categories_, a_.edge_categories, all_edges());
      return;
    }
    const Json schema = options_object(text, "schema");
    try {
      data_.schema.nodes = features_of(schema, "nodes");
      data_.schema.edges = features_of(schema, "edges");
    } catch (const Json::exception& e) {
      throw Error(
          ErrorKind::kUsage, fmt::format("the schema is not as expected: {}", printable(e.what())),
          R"(it looks like {"nodes": {"dense": ["charge"], "categories": [{"name": "element", "values": ["C"]}]}})");
    }
  }

  // "graph 3, node 7", of a row of all graphs.
  [[nodiscard]] std::string place(const std::int64_t* offsets, std::uint64_t row, const char* owner) const {
    const auto* const after = std::upper_bound(offsets, offsets + a_.graphs + 1, static_cast<std::int64_t>(row));
    const std::int64_t g = after - offsets - 1;
    return fmt::format("graph {}, {} {}", g, owner, static_cast<std::int64_t>(row) - offsets[g]);
  }

  void check_dense(const float* values, std::size_t columns, const std::int64_t* offsets,
                   const std::vector<std::string>& names, const char* owner) const {
    const std::uint64_t count = static_cast<std::uint64_t>(offsets[a_.graphs]) * columns;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (std::isfinite(values[i])) continue;
      bad_data(
          fmt::format("{}: {} is {}", place(offsets, i / columns, owner), in_quotes(names[i % columns]), values[i]),
          "replace missing and infinite values");
    }
  }

  void check_categories(const std::int32_t* values, std::size_t columns, const std::int64_t* offsets,
                        const std::vector<CategoryColumn>& names, const char* owner) const {
    const std::uint64_t rows = static_cast<std::uint64_t>(offsets[a_.graphs]);
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t most = names[c].values.size();
      for (std::uint64_t r = 0; r < rows; ++r) {
        const std::int32_t value = values[r * columns + c];
        if (value >= 0 && static_cast<std::size_t>(value) <= most) continue;  // most: none of those
        bad_data(fmt::format("{}: {} is {}, but the column has {} values", place(offsets, r, owner),
                             in_quotes(names[c].name), value, most),
                 "number the values of a category from 0, in the order of its list");
      }
    }
  }

  // Checks every end; whether each graph lists its edges in ascending order, none twice.
  [[nodiscard]] bool edges_ascend() const {
    bool ascend = true;
    for (std::uint64_t g = 0; g < a_.graphs; ++g) {
      const std::uint64_t n = nodes(g);
      std::uint64_t last = 0;
      for (std::int64_t e = a_.edge_offsets[g]; e < a_.edge_offsets[g + 1]; ++e) {
        if (a_.from[e] >= n || a_.to[e] >= n) bad_end(g, e);
        const std::uint64_t key = (std::uint64_t{a_.from[e]} << 32 | a_.to[e]);
        if (e > a_.edge_offsets[g] && key <= last) ascend = false;
        last = key;
      }
    }
    return ascend;
  }

  [[noreturn]] void bad_end(std::uint64_t g, std::int64_t e) const {
    bad_data(fmt::format("graph {}: edge {} goes from node {} to node {}, but the graph's nodes are 0 to {}", g,
                         e - a_.edge_offsets[g], a_.from[e], a_.to[e], nodes(g) - 1),
             "number the nodes of every graph from 0");
  }

  template <class T>
  [[nodiscard]] static Array<T> lent(const T* values, std::uint64_t count) {
    return Array<T>::borrowed({values, static_cast<std::size_t>(count)});
  }

  // The edges are neighbour lists already; only where each node's begins has to be found.
  void borrow_lists() {
    std::vector<std::uint64_t> first(a_.edge_offsets, a_.edge_offsets + a_.graphs + 1), offsets;
    offsets.reserve(all_nodes() + a_.graphs);
    for (std::uint64_t g = 0; g < a_.graphs; ++g) {
      const std::int64_t begin = a_.edge_offsets[g], end = a_.edge_offsets[g + 1];
      std::int64_t e = begin;
      for (std::uint64_t v = 0; v < nodes(g); ++v) {
        offsets.push_back(static_cast<std::uint64_t>(e - begin));
        while (e < end && a_.from[e] == v) ++e;
      }
      offsets.push_back(static_cast<std::uint64_t>(e - begin));
    }
    set().first_edge = std::move(first);
    set().offsets = std::move(offsets);
    set().neighbours = lent(a_.to, all_edges());
    set().edge_dense = lent(a_.edge_dense, all_edges() * edge_dense_);
    set().edge_categories = lent(a_.edge_categories, all_edges() * edge_categories_);
  }

  // Graph sorts and merges the edges; features of nodes do not come along.
  void build_lists() {
    for (std::uint64_t g = 0; g < a_.graphs; ++g) {
      const auto first = static_cast<std::size_t>(a_.edge_offsets[g]),
                 last = static_cast<std::size_t>(a_.edge_offsets[g + 1]);
      GraphParts parts;
      parts.num_nodes = nodes(g);
      parts.from.assign(a_.from + first, a_.from + last);
      parts.to.assign(a_.to + first, a_.to + last);
      parts.undirected = a_.undirected != 0;
      if (edge_dense_ > 0)
        parts.edge_dense.assign(a_.edge_dense + first * edge_dense_, a_.edge_dense + last * edge_dense_);
      if (edge_categories_ > 0) {
        parts.edge_categories.assign(a_.edge_categories + first * edge_categories_,
                                     a_.edge_categories + last * edge_categories_);
      }
      try {
        data_.graphs.add(Graph(std::move(parts)), {});
      } catch (const Error& e) {
        throw Error(e.kind(), fmt::format("graph {}: {}", g, e.what()), e.hint());
      }
    }
  }

  void add_nodes_and_ids() {
    SetArrays& s = set();
    s.first_node = std::vector<std::uint64_t>(a_.node_offsets, a_.node_offsets + a_.graphs + 1);
    s.node_dense = lent(a_.node_dense, all_nodes() * node_dense_);
    s.node_categories = lent(a_.node_categories, all_nodes() * node_categories_);
    s.node_dense_width = a_.node_dense_columns;
    s.node_category_width = a_.node_category_columns;
    s.edge_dense_width = a_.edge_dense_columns;
    s.edge_category_width = a_.edge_category_columns;
    s.positions = lent(a_.positions, a_.positions != nullptr ? 3 * all_nodes() : 0);
    if (a_.id_offsets == nullptr) return;
    std::vector<std::uint64_t> first(a_.id_offsets, a_.id_offsets + a_.graphs + 1);
    for (std::uint64_t g = 0; g < a_.graphs; ++g) {
      if (first[g] > first[g + 1]) bad_data(fmt::format("id_offsets falls at graph {}", g), "offsets never fall");
    }
    const std::string_view text(a_.id_text != nullptr ? a_.id_text : "", first.back());
    if (valid_utf8_prefix(text) != text.size()) bad_data("the ids are not UTF-8", "encode them as UTF-8");
    s.id_text.append(text.data(), text.size());
    s.first_id = std::move(first);
  }

  const agentnet_arrays& a_;
  std::size_t node_dense_, node_categories_, edge_dense_, edge_categories_;
  Dataset data_;
};

}  // namespace

Dataset dataset_from_arrays(const agentnet_arrays& arrays, const char* schema, std::shared_ptr<const void> owner) {
  return Reader(arrays).read(schema, std::move(owner));
}

}  // namespace agentnet::capi
