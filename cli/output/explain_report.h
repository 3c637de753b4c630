// Explanations as short tables for people.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "view/tables/class_table.h"
#include "view/tables/explained_graph.h"

namespace agentnet {

// A line per graph: what is predicted, the nodes that count most and those that are visited most, how much of the graph
// was needed, and how the prediction holds up without the most influential nodes.
class ExplainSummary {
 public:
  void add(const ExplainedGraph& explained);
  void print(std::ostream& out) const;

 private:
  std::vector<std::vector<std::string>> rows_;
  bool with_fidelity_ = false;
};

// The rows that stand out most, for every class, and what was left out.
void print_class_table(std::ostream& out, const ClassTable& table);

}  // namespace agentnet
