#include "view/page/page_detail.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "graph/find_edge.h"
#include "view/page/json_text.h"
#include "view/pictures/molecule_picture.h"
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

// The molecule as RDKit sees it; nothing if this is none, or only a part of one.
std::optional<DrawnMolecule> molecule_of(const DetailSource& source) {
  const Explanation& found = *source.explanation;
  const GraphView& graph = source.graph;
  if (!source.spelling->is_molecules() || !can_draw_molecules()) return std::nullopt;
  if (found.nodes.size() != found.num_nodes || found.num_nodes > kMostPlanned) return std::nullopt;
  DrawnMolecule molecule;
  for (std::uint64_t node = 0; node < found.num_nodes; ++node) {
    molecule.atoms.push_back({source.spelling->atomic_number(graph, node),
                              source.spelling->charge(graph, node),
                              source.spelling->hydrogens(graph, node),
                              {}});
  }
  for (const ExplainedEdge& edge : found.edges) {
    const auto entry = find_edge(graph, edge.from, edge.to);
    const BondKind kind = entry ? source.spelling->bond(graph, *entry) : BondKind::kUnknown;
    molecule.bonds.push_back({edge.from, edge.to, kind, std::nullopt});
  }
  return molecule;
}

void write_molecule(JsonText& json, const DrawnMolecule& molecule, const MoleculePlan& plan) {
  json.key("molecule").open('{');
  json.key("symbols").list(molecule.atoms,
                           [&](const DrawnAtom& atom) { json.string(element_symbol(atom.atomic_number)); });
  json.key("hydrogens").list(molecule.atoms, [&](const DrawnAtom& atom) {
    json.integer(static_cast<std::uint64_t>(std::max(atom.hydrogens, 0)));
  });
  json.key("charges").list(molecule.atoms, [&](const DrawnAtom& atom) { json.number(atom.charge); });
  json.key("orders").list(plan.lines, [&](int lines) { json.integer(static_cast<std::uint64_t>(lines)); });
  json.close('}');
}

void write_places(JsonText& json, const std::vector<std::array<double, 2>>& places) {
  json.list(places, [&](const std::array<double, 2>& place) {
    json.open('[').number(place[0], kDigits).number(place[1], kDigits).close(']');
  });
}

void write_nodes(JsonText& json, const DetailSource& source, const std::optional<MoleculePlan>& plan) {
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
  if (plan) {
    write_places(json, plan->places);
  } else if (source.notes.positions.empty()) {
    json.null();
  } else {
    write_places(json, flat_positions(source.notes.positions, found.nodes));
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
  const std::optional<DrawnMolecule> molecule = molecule_of(source);
  const std::optional<MoleculePlan> plan = molecule ? plan_molecule(*molecule) : std::nullopt;
  json.open('{').key("graph").integer(source.row);
  if (plan) write_molecule(json, *molecule, *plan);
  json.key("nodes");
  write_nodes(json, source, plan);
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
