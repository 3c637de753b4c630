// An explanation with what it is an explanation of, as those who write it down need it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "agentnet/explain.h"
#include "view/pictures/picture.h"
#include "view/pictures/spelling.h"

namespace agentnet {

// What all graphs of a set have in common. The spelling must outlive whoever uses this.
struct ExplainedSet {
  Task task = Task::kNone;
  std::vector<std::string> outputs;  // names of classes or targets
  const Spelling& spelling;
};

// The references must outlive whoever uses this.
struct ExplainedGraph {
  const ExplainedSet& set;
  std::string id;
  std::uint64_t row = 0;  // of the source
  GraphView graph;
  std::span<const double> targets = {};      // empty: not known
  std::span<const std::uint8_t> marks = {};  // the same
  const Explanation& explanation;
};

// The predicted class, its probability and its walk spread; or the same of the output that is explained: a number, or
// yes or no.
struct Answer {
  std::string text;  // "1", "yes", "2.31"
  double value = 0;  // the probability, or the number
  double walk_spread = 0;
  bool is_probability = true;
  bool is_finite = true;  // false: the model gives no finite number, and the text says so
};
[[nodiscard]] Answer answer_of(const ExplainedGraph& explained);
// The true class, or the true value of the explained output; empty if it is not known.
[[nodiscard]] std::string truth_of(const ExplainedGraph& explained);

// "class '1'", or the name of a target: what influence is about.
[[nodiscard]] std::string explained_output(const ExplainedGraph& explained);

// "predicted 1 (p = 0.93, 0.05 between rollouts), true class 1"
[[nodiscard]] std::string verdict(const ExplainedGraph& explained);

[[nodiscard]] PictureSubject picture_subject(const ExplainedGraph& explained);

// The entry of the neighbour lists behind an edge of the explanation.
[[nodiscard]] std::uint64_t entry_of(const ExplainedGraph& explained, const ExplainedEdge& edge);

// One line of JSON, with a newline: everything in the explanation (docs/explain.md lists the fields).
[[nodiscard]] std::string explanation_json(const ExplainedGraph& explained);
// A whole GraphML file with the same values of nodes and edges as attributes.
[[nodiscard]] std::string explanation_graphml(const ExplainedGraph& explained);

}  // namespace agentnet
