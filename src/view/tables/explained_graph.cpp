#include "view/tables/explained_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "graph/find_edge.h"
#include "predict/not_finite.h"
#include "view/pictures/svg.h"

namespace agentnet {
namespace {

std::size_t explained_index(const ExplainedGraph& explained) {
  return static_cast<std::size_t>(explained.explanation.output);
}

}  // namespace

Answer answer_of(const ExplainedGraph& explained) {
  const std::vector<double>& mean = explained.explanation.mean;
  const Task task = explained.set.task;
  Answer answer;
  std::size_t at = explained_index(explained);
  if (task == Task::kClassification) {
    at = static_cast<std::size_t>(std::max_element(mean.begin(), mean.end()) - mean.begin());
    answer.text = explained.set.outputs[at];
  } else if (task == Task::kMultilabel) {
    answer.text = mean[at] > 0.5 ? "yes" : "no";
  } else {
    answer.text = fmt::format("{:.4g}", mean[at]);
    answer.is_probability = false;
  }
  answer.value = mean[at];
  answer.walk_spread = explained.explanation.walk_spread[at];
  const auto finite = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  };
  answer.is_finite = finite(mean) && finite(explained.explanation.walk_spread);
  if (!answer.is_finite) answer.text = "not finite";
  return answer;
}

std::string truth_of(const ExplainedGraph& explained) {
  const bool classes = explained.set.task == Task::kClassification;
  const std::size_t at = classes ? 0 : explained_index(explained);
  if (at >= explained.targets.size() || std::isnan(explained.targets[at])) return {};
  const double value = explained.targets[at];
  if (classes) return explained.set.outputs.at(static_cast<std::size_t>(value));
  if (explained.set.task == Task::kMultilabel) return value != 0 ? "yes" : "no";
  return fmt::format("{:.4g}", value);
}

std::string explained_output(const ExplainedGraph& explained) {
  const std::string& name = explained.set.outputs[explained_index(explained)];
  return explained.set.task == Task::kClassification ? "class '" + name + "'" : name;
}

std::string verdict(const ExplainedGraph& explained) {
  const Answer answer = answer_of(explained);
  std::string text = "predicted ";
  if (explained.set.task != Task::kClassification) text += explained_output(explained) + ": ";
  text += answer.text;
  if (!answer.is_finite) return fmt::format("no prediction: {}", kNotFinite);
  text += answer.is_probability ? fmt::format(" (p = {:.2f}, walk spread {:.2f})", answer.value, answer.walk_spread)
                                : fmt::format(" (walk spread {})", short_number(answer.walk_spread));
  const std::string truth = truth_of(explained);
  return truth.empty() ? text : fmt::format("{}, truth: {}", text, truth);
}

PictureSubject picture_subject(const ExplainedGraph& explained) {
  const bool is_number = explained.id.find_first_not_of("0123456789") == std::string::npos;
  return {.graph = explained.graph,
          .explanation = explained.explanation,
          .spelling = explained.set.spelling,
          .marks = explained.marks,
          .title = is_number ? "graph " + explained.id : explained.id,
          .subtitle = verdict(explained),
          .output = explained_output(explained)};
}

std::uint64_t entry_of(const ExplainedGraph& explained, const ExplainedEdge& edge) {
  const std::vector<std::uint64_t>& nodes = explained.explanation.nodes;
  return find_edge(explained.graph, nodes[edge.from], nodes[edge.to]).value();
}

}  // namespace agentnet
