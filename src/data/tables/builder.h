// Where a reader puts what it reads, graph by graph; at the end it is a Dataset.
//
//   SetBuilder set(options);
//   set.nodes.add_numbered("label", 1, FeatureKind::kCategories);
//   set.targets.set_names({"class"});
//   ... per graph: fill GraphParts (features: all columns of set.nodes as floats, from set.nodes.value(...));
//       set.add(std::move(parts), id, [&] { return lines.where(at); });  set.targets.add(0, text);
//   return std::move(set).finish(input.name(), "tu");
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "agentnet/data.h"
#include "data/tables/columns.h"
#include "data/tables/targets.h"

namespace agentnet {

class SetBuilder {
 public:
  explicit SetBuilder(const DataOptions& options)
      : nodes(options.node_columns), edges(options.edge_columns), targets(options.bounds), options_(options) {}

  // Columns of the dense features of nodes and edges. A reader with fixed categories (molecules) leaves these empty,
  // fills GraphParts' categories and describes them in schema.nodes and schema.edges.
  FeatureColumns nodes, edges;
  Targets targets;
  Schema schema;

  // What an edge of this format is when the user does not say: kDirected or kUndirected.
  void set_default_direction(Direction direction) { default_direction_ = direction; }

  // For ids out of a column that only looks like one: they may repeat.
  void allow_repeated_ids() { repeated_ids_ = true; }

  // Adds a graph. Errors, also that of an id that was there before, are placed by `where` ("file:line:column"). Nodes
  // that have neither features nor edges need no bytes in some files: far more of them than of anything else throw
  // Error (kData), so that a damaged count does not ask for all the memory there is.
  void add(GraphParts parts, std::string_view id, const std::function<std::string()>& where,
           const NodeNotes& notes = {});
  // A row that means no graph; rows are counted over add() and add_bad_row().
  void add_bad_row(std::string id, std::string where, std::string message);
  // The next row to be added has this number: those before it are left to others.
  void skip_to_row(std::uint64_t row) { rows_ = row; }
  [[nodiscard]] std::size_t size() const { return graphs_.size(); }  // graphs of this part
  [[nodiscard]] std::uint64_t num_rows() const { return rows_; }     // of all parts

  // Decides on the types of columns and targets, adds the features that the options ask for. Throws Error (kData) if
  // there is no graph at all.
  [[nodiscard]] Dataset finish(const std::string& source, const std::string& format) &&;

  // The same for what was added since the last call, which may be no graph at all: the file is handed out in parts,
  // each typed by itself. Columns and targets keep their names, rows are counted on, and Dataset::rows is always
  // filled.
  [[nodiscard]] Dataset take_part(const std::string& source, const std::string& format);

 private:
  [[nodiscard]] Dataset collect(const std::string& source, const std::string& format);

  const DataOptions& options_;
  Direction default_direction_ = Direction::kDirected;
  bool repeated_ids_ = false;
  GraphSet graphs_;
  std::unordered_set<std::string> ids_;
  std::uint64_t rows_ = 0;
  std::uint64_t bare_nodes_ = 0, plausible_nodes_ = std::uint64_t{1} << 22;
  std::vector<std::uint64_t> row_of_graph_;
  std::vector<BadRow> bad_rows_;
};

// Gives every edge whose reverse is not listed a reverse with the same features.
void add_missing_reverses(GraphParts& parts);

}  // namespace agentnet
