#include "view/page/page_detail.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "graph/find_edge.h"
#include "view/page/json_text.h"
#include "view/pictures/positions.h"

namespace agentnet {
namespace {

constexpr int kDigits = 4;  // of probabilities and the like: more than a picture can show

// The page takes no number that is not one: what has no influence that could be told has none.
void write_number(JsonText& json, double value) { json.number(std::isfinite(value) ? value : 0, kDigits); }

void write_numbers(JsonText& json, std::span<const double> values) {
  json.list(values, [&](double value) { write_number(json, value); });
}

// Single bonds, which most are, go without saying.
std::string edge_label(const DetailSource& source, std::uint64_t entry) {
  switch (source.spelling->bond(source.graph, entry)) {
    case BondKind::kSingle:
      return "";
    case BondKind::kDouble:
      return "=";
    case BondKind::kTriple:
      return "\u2261";
    case BondKind::kAromatic:
      return "ar";
    case BondKind::kUnknown:
      break;
  }
  return source.spelling->edge(source.graph, entry);
}

void write_nodes(JsonText& json, const DetailSource& source) {
  const Explanation& found = *source.explanation;
  json.open('{').key("count").integer(found.nodes.size());
  json.key("ids");
  if (found.nodes.size() == found.num_nodes) {
    json.null();
  } else {
    json.list(found.nodes, [&](std::uint64_t node) { json.integer(node); });
  }
  json.key("labels");
  if (source.spelling->node_columns().empty()) {
    json.null();
  } else {
    json.list(found.nodes, [&](std::uint64_t node) { json.string(source.spelling->node(source.graph, node)); });
  }
  json.key("positions");
  if (source.notes.positions.empty()) {
    json.null();
  } else {
    json.list(flat_positions(source.notes.positions, found.nodes), [&](const std::array<double, 2>& place) {
      json.open('[').number(place[0], kDigits).number(place[1], kDigits).close(']');
    });
  }
  json.key("marks");
  if (source.notes.marks.empty()) {
    json.null();
  } else {
    json.list(found.nodes, [&](std::uint64_t node) { json.integer(source.notes.marks[node] != 0 ? 1 : 0); });
  }
  json.close('}');
}

void write_edges(JsonText& json, const DetailSource& source) {
  const Explanation& found = *source.explanation;
  json.key("edges").list(
      found.edges, [&](const ExplainedEdge& edge) { json.open('[').integer(edge.from).integer(edge.to).close(']'); });
  json.key("edge_labels");
  if (source.graph.edge_categories.width > 0) {
    json.list(found.edges, [&](const ExplainedEdge& edge) {
      const auto entry = find_edge(source.graph, found.nodes[edge.from], found.nodes[edge.to]);
      json.string(entry ? edge_label(source, *entry) : "");
    });
  } else {
    json.null();
  }
  json.key("directed").boolean(found.directed);
  json.key("edge_visits").list(found.edges, [&](const ExplainedEdge& edge) { write_number(json, edge.crossings); });
}

void write_agent(JsonText& json, const AgentWalk& agent) {
  json.open('{');
  json.key("path").list(agent.path, [&](std::uint32_t node) { json.integer(node); });
  json.key("moves").list(agent.choices, [&](const Choices& choices) {
    json.open('{');
    json.key("nodes").list(choices.nodes, [&](std::uint32_t node) { json.integer(node); });
    json.key("p").list(choices.probability, [&](float p) { write_number(json, p); });
    json.close('}');
  });
  json.close('}');
}

void write_rollout(JsonText& json, const RecordedRollout& rollout, std::size_t outputs) {
  json.open('{').key("outputs").open('[');
  for (std::size_t i = 0; i < rollout.outputs.size(); i += outputs) {
    write_numbers(json, std::span(rollout.outputs).subspan(i, outputs));
  }
  json.close(']');
  json.key("agents").list(rollout.agents, [&](const AgentWalk& agent) { write_agent(json, agent); });
  json.close('}');
}

}  // namespace

std::string detail_json(const DetailSource& source, std::size_t rollouts) {
  const Explanation& found = *source.explanation;
  JsonText json;
  json.open('{').key("graph").integer(source.row);
  json.key("nodes");
  write_nodes(json, source);
  write_edges(json, source);
  write_numbers(json.key("visits"), found.visits);
  if (found.influence.empty()) {
    json.key("influence").null();
  } else {
    write_numbers(json.key("influence"), found.influence);
  }
  write_numbers(json.key("touched"), found.touched);
  json.key("rollouts").open('[');
  for (std::size_t r = 0; r < std::min(rollouts, found.walks.size()); ++r) {
    write_rollout(json, found.walks[r], found.mean.size());
  }
  json.close(']').close('}');
  return json.take();
}

}  // namespace agentnet
