// Which labels and substructures agents visit more often than a random walker would, for each predicted class.
//
//   ClassTableBuilder builder({"-1", "1"}, walkers, spelling);
//   for each graph: builder.add(predicted class, graph, explanation);
//   ClassTable table = builder.table();
//
// Letters: A_g and R_g are the visits of agents and the expected visits of random walkers, summed over the places of
// graph g where a substructure occurs; graphs without it do not count.
//   ratio = sum A_g / sum R_g,   standard error = sqrt(G / (G - 1) sum (A_g - ratio R_g)^2) / sum R_g,
//   z = (ratio - 1) / standard error.
// Graphs are the independent observations, not nodes, of which a graph has many that are alike.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/explain.h"
#include "data/syntax/csv.h"
#include "view/pictures/spelling.h"
#include "view/tables/random_walk.h"

namespace agentnet {

struct ClassTableRow {
  std::size_t group = 0;                    // into ClassTable::groups
  std::string kind;                         // "substructure", the name of a node column, or "degree"
  std::string value;                        // "N(C,=O,=O)", "N", "3"
  std::size_t graphs = 0, occurrences = 0;  // where it occurs: graphs, nodes
  double visits = 0, expected = 0;          // per occurrence and rollout: of agents, of random walkers
  double ratio = 0, error = 0;              // of the two, and its standard error over graphs
  double z = 0;                             // NaN if all graphs agree to the last digit
};

struct ClassTable {
  std::vector<std::string> groups;
  std::vector<std::size_t> graphs;  // [groups]
  std::vector<ClassTableRow> rows;  // by group, substructures first; within these the largest z first
  std::size_t rare = 0;             // rows left out because they occur in fewer than kFewestGraphs graphs of the group
  std::size_t too_large = 0;        // graphs left out
};

constexpr std::size_t kFewestGraphs = 5;
constexpr std::uint64_t kMostWalkedNodes = 20000;  // of graphs with more, the random walk is not computed
constexpr std::size_t kMostListed = 6;             // nodes with more neighbours are counted by their label only

class ClassTableBuilder {
 public:
  // `spelling` must outlive the builder.
  ClassTableBuilder(std::vector<std::string> groups, const RandomWalkers& walkers, const Spelling& spelling);

  void add(std::size_t group, const GraphView& graph, const Explanation& explanation);
  [[nodiscard]] ClassTable table() const;

 private:
  struct Key {
    std::size_t group, kind;  // kind 0: substructure; else a column, or the degree
    std::string value;
    auto operator<=>(const Key&) const = default;
  };
  struct Seen {
    std::size_t occurrences = 0;
    double visits = 0, expected = 0;  // A_g, R_g
  };
  [[nodiscard]] std::string kind_name(std::size_t kind) const;
  [[nodiscard]] ClassTableRow row_of(const Key& key, const std::vector<Seen>& graphs) const;

  std::vector<std::string> groups_;
  RandomWalkers walkers_;
  const Spelling& spelling_;
  std::vector<std::size_t> graphs_;  // [groups]
  std::map<Key, std::vector<Seen>> seen_;
  std::size_t too_large_ = 0;
};

// A node's label with those of its neighbours and the bonds between: "N(C,=O,=O)"; degrees stand for labels that there
// are none of. A node without neighbours is just its label.
[[nodiscard]] std::string substructure_at(const GraphView& graph, std::uint64_t node, const Spelling& spelling);

// A line per row: class, kind, value, graphs, occurrences, visits, random_walk, ratio, standard_error, z.
[[nodiscard]] std::string class_table_csv(const ClassTable& table, CsvFor reader = CsvFor::kPrograms);
// Bars for the rows of each group that stand out most.
[[nodiscard]] std::string class_table_svg(const ClassTable& table);

}  // namespace agentnet
