// The graphs of the claims about several agents, for those claims and for their pictures.
#include "theory/claims/claim_list.h"

namespace agentnet::theory {

namespace {

std::vector<Situation::Start> anywhere(const SmallGraph& graph) {
  std::vector<Situation::Start> starts;
  for (int v = 0; v < graph.nodes; ++v) starts.push_back({v, Rational(1, graph.nodes)});
  return starts;
}

}  // namespace

SmallGraph groups_of_three(int triangles) {
  SmallGraph graph;
  graph.nodes = 30;
  for (int group = 0; group < 10; ++group) {
    const int first = 3 * group;
    graph.join(first, first + 1);
    graph.join(first + 1, first + 2);
    if (group < triangles) graph.join(first, first + 2);
    if (group > 0) graph.join(first - 2, first + 1);
  }
  return graph;
}

Situation path_end(int length, int others, int end, bool from_others) {
  Situation situation{small_path(length), {}};
  situation.graph.labels[static_cast<std::size_t>(length - 1)] = static_cast<std::uint8_t>(end);
  for (int i = 0; i < others; ++i) {
    const int node = situation.graph.nodes++;
    situation.graph.labels[static_cast<std::size_t>(node)] = 1;
    situation.graph.join(0, node);
  }
  situation.starts = from_others ? std::vector<Situation::Start>{{length, 1}} : anywhere(situation.graph);
  return situation;
}

Situation two_parts(int part, int path, int second) {
  Situation situation;
  SmallGraph& graph = situation.graph;
  graph.nodes = 2 * part + path;
  for (int i = 0; i < part; ++i) {
    graph.join(i, (i + 1) % part);
    graph.join(part + i, part + (i + 1) % part);
    graph.labels[static_cast<std::size_t>(part + i)] = static_cast<std::uint8_t>(second);
  }
  int end = 0;
  for (int i = 0; i < path; ++i) {
    graph.join(end, 2 * part + i);
    end = 2 * part + i;
    graph.labels[static_cast<std::size_t>(end)] = 2;
  }
  graph.join(end, part);
  situation.starts = anywhere(graph);
  return situation;
}

}  // namespace agentnet::theory
