// One graph per file: that is what Gephi, Cytoscape and networkx read.
#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "view/pictures/svg.h"
#include "view/tables/explained_graph.h"

namespace agentnet {
namespace {

class ExplanationGraphml {
 public:
  explicit ExplanationGraphml(const ExplainedGraph& explained) : explained_(explained), e_(explained.explanation) {}

  [[nodiscard]] std::string write() {
    out_ =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
    key("node", "label", "string");
    for (const char* name : {"visits", "touched"}) key("node", name, "double");
    if (!e_.influence.empty()) key("node", "gradient_times_input", "double");
    if (!e_.left_out.empty()) key("node", "leave_one_out", "double");
    if (!explained_.marks.empty()) key("node", "mark", "int");
    key("edge", "label", "string");
    key("edge", "crossings", "double");
    if (!e_.influence.empty()) key("edge", "gradient_times_input", "double");
    if (!e_.left_out.empty()) key("edge", "leave_one_out", "double");
    for (const char* name : {"id", "verdict", "explained_output"}) key("graph", name, "string");
    for (const char* name : {"num_nodes", "rollouts"}) key("graph", name, "long");
    out_ += fmt::format("  <graph edgedefault=\"{}\">\n", e_.directed ? "directed" : "undirected");
    write_graph();
    out_ += "  </graph>\n</graphml>\n";
    return std::move(out_);
  }

 private:
  void key(const char* owner, const char* name, const char* type) {
    out_ += fmt::format("  <key id=\"{0}_{1}\" for=\"{0}\" attr.name=\"{1}\" attr.type=\"{2}\"/>\n", owner, name, type);
  }
  void data(const char* owner, const char* name, const std::string& value) {
    out_ += fmt::format("<data key=\"{}_{}\">{}</data>", owner, name, xml_text(value));
  }
  void data(const char* owner, const char* name, double value) {
    if (std::isfinite(value)) data(owner, name, fmt::format("{:.9g}", value == 0 ? 0.0 : value));
  }

  void write_graph() {
    out_ += "    ";
    data("graph", "id", explained_.id);
    data("graph", "verdict", verdict(explained_));
    data("graph", "explained_output", explained_.set.outputs[static_cast<std::size_t>(e_.output)]);
    data("graph", "num_nodes", std::to_string(e_.num_nodes));
    data("graph", "rollouts", std::to_string(e_.rollouts));
    out_ += "\n";
    for (std::size_t i = 0; i < e_.nodes.size(); ++i) {
      out_ += fmt::format("    <node id=\"{}\">", e_.nodes[i]);
      const std::string label = explained_.set.spelling.node(explained_.graph, e_.nodes[i]);
      data("node", "label", label.empty() ? std::to_string(e_.nodes[i]) : label);
      data("node", "visits", e_.visits[i]);
      data("node", "touched", e_.touched[i]);
      if (!e_.influence.empty()) data("node", "gradient_times_input", e_.influence[i]);
      if (!e_.left_out.empty()) data("node", "leave_one_out", e_.left_out[i]);
      if (!explained_.marks.empty()) data("node", "mark", std::to_string(explained_.marks[e_.nodes[i]]));
      out_ += "</node>\n";
    }
    for (const ExplainedEdge& edge : e_.edges) {
      out_ += fmt::format("    <edge source=\"{}\" target=\"{}\">", e_.nodes[edge.from], e_.nodes[edge.to]);
      const std::string label = explained_.set.spelling.edge(explained_.graph, entry_of(explained_, edge));
      if (!label.empty()) data("edge", "label", label);
      data("edge", "crossings", edge.crossings);
      if (!e_.influence.empty()) data("edge", "gradient_times_input", edge.influence);
      if (!e_.left_out.empty()) data("edge", "leave_one_out", edge.left_out);
      out_ += "</edge>\n";
    }
  }

  const ExplainedGraph& explained_;
  const Explanation& e_;
  std::string out_;
};

}  // namespace

std::string explanation_graphml(const ExplainedGraph& explained) { return ExplanationGraphml(explained).write(); }

}  // namespace agentnet
