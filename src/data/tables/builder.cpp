#include "data/tables/builder.h"

#include <fmt/core.h>

#include <algorithm>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/tables/features.h"
#include "data/tables/keep_columns.h"

namespace agentnet {
namespace {

std::uint64_t key(std::uint32_t from, std::uint32_t to) { return (std::uint64_t{from} << 32) | to; }

template <class T>
void repeat_rows(std::vector<T>& rows, std::size_t listed, const std::vector<std::size_t>& repeated) {
  if (rows.empty() || listed == 0) return;
  const std::size_t width = rows.size() / listed;
  rows.reserve(rows.size() + width * repeated.size());
  for (const std::size_t row : repeated) {
    for (std::size_t c = 0; c < width; ++c) rows.push_back(rows[row * width + c]);
  }
}

}  // namespace

void add_missing_reverses(GraphParts& parts) {
  const std::size_t listed = parts.from.size();
  std::vector<std::uint64_t> keys(listed);
  for (std::size_t i = 0; i < listed; ++i) keys[i] = key(parts.from[i], parts.to[i]);
  std::sort(keys.begin(), keys.end());
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < listed; ++i) {
    if (!std::binary_search(keys.begin(), keys.end(), key(parts.to[i], parts.from[i]))) missing.push_back(i);
  }
  for (const std::size_t i : missing) {
    parts.from.push_back(parts.to[i]);
    parts.to.push_back(parts.from[i]);
  }
  repeat_rows(parts.edge_dense, listed, missing);
  repeat_rows(parts.edge_categories, listed, missing);
}

void SetBuilder::add(GraphParts parts, std::string_view id, const std::function<std::string()>& where,
                     const NodeNotes& notes) {
  const Direction direction = options_.direction == Direction::kAsFormat ? default_direction_ : options_.direction;
  try {
    if (!repeated_ids_ && !id.empty() && !ids_.emplace(id).second) {
      throw Error(ErrorKind::kData, fmt::format("the id {} is there twice", in_quotes(id)),
                  "give every graph its own id");
    }
    if (valid_utf8_prefix(id) != id.size()) {
      throw Error(ErrorKind::kData, fmt::format("the id {} is not UTF-8", in_quotes(id)), "save the file as UTF-8");
    }
    // Nodes that nothing in the file describes: a few bytes must not make gigabytes.
    if (parts.node_dense.empty() && parts.node_categories.empty()) {
      bare_nodes_ += parts.num_nodes;
      plausible_nodes_ += 64 * (parts.from.size() + 1);
      if (bare_nodes_ > plausible_nodes_) {
        throw Error(
            ErrorKind::kData,
            fmt::format("the graph says it has {} nodes, but lists {} edges", parts.num_nodes, parts.from.size()),
            "check the number of nodes");
      }
    }
    const bool sized = parts.from.size() == parts.to.size();
    if (direction == Direction::kUndirected && !parts.undirected && sized) add_missing_reverses(parts);
    graphs_.add(Graph(std::move(parts)), {}, id, notes);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", where(), error.what()), error.hint());
  }
  row_of_graph_.push_back(rows_++);
}

void SetBuilder::add_bad_row(std::string id, std::string where, std::string message) {
  bad_rows_.push_back({rows_++, std::move(id), std::move(where), std::move(message)});
}

Dataset SetBuilder::finish(const std::string& source, const std::string& format) && {
  if (graphs_.size() == 0) {
    throw Error(ErrorKind::kData,
                bad_rows_.empty() ? fmt::format("{} holds no graphs", source)
                                  : fmt::format("{}: none of its {} rows is a graph; the first: {}: {}", source,
                                                bad_rows_.size(), bad_rows_[0].where, bad_rows_[0].message),
                "check the file");
  }
  Dataset data = collect(source, format);
  if (data.bad_rows.empty()) data.rows.clear();
  return data;
}

Dataset SetBuilder::take_part(const std::string& source, const std::string& format) {
  Dataset data = collect(source, format);
  graphs_ = GraphSet();
  row_of_graph_.clear();
  bad_rows_.clear();
  nodes.forget_values();
  edges.forget_values();
  targets.forget_values();
  return data;
}

Dataset SetBuilder::collect(const std::string& source, const std::string& format) {
  Dataset data;
  data.source = source;
  data.format = format;
  data.schema = schema;
  data.graphs = std::move(graphs_);
  data.rows = std::move(row_of_graph_);
  data.bad_rows = std::move(bad_rows_);
  SetArrays& arrays = data.graphs.arrays();
  // Columns that a reader has typed itself are there already; of the others, those that are not wanted go in finish().
  if (nodes.size() > 0) nodes.require_wanted(source, "node");
  if (edges.size() > 0) edges.require_wanted(source, "edge");
  keep_columns(data, nodes.size() > 0 ? std::vector<std::string>{} : options_.node_columns,
               edges.size() > 0 ? std::vector<std::string>{} : options_.edge_columns);
  nodes.finish(arrays.node_dense, arrays.node_dense_width, arrays.node_categories, arrays.node_category_width,
               data.schema.nodes);
  edges.finish(arrays.edge_dense, arrays.edge_dense_width, arrays.edge_categories, arrays.edge_category_width,
               data.schema.edges);
  forget_bare_rows(arrays);
  arrays.targets = targets.finish(options_.task, source, data.schema);
  arrays.num_targets = static_cast<int>(data.schema.targets.size());
  data.notes = targets.notes();
  if (data.graphs.size() > 0) add_features(data, options_);
  return data;
}

}  // namespace agentnet
