// The junction tree of a molecule: its rings and bonds, and who is next to whom among them.
#pragma once

#include <utility>
#include <vector>

#include "nets/taped/simple_graph.h"

namespace agentnet {

// What a clique is; the rows of the network's table.
enum class CliqueType : Index { kRing, kBond, kBridged, kSingle };
inline constexpr Index kCliqueTypes = 4;

struct JunctionTree {
  std::vector<std::vector<Index>> cliques;     // atoms, ascending
  std::vector<CliqueType> types;               // of each clique
  std::vector<std::pair<Index, Index>> edges;  // a < b; a forest: one tree per connected part
};

// Cliques are the rings of a smallest set of rings, where rings that share more than two atoms are one (a bridged
// compound), the bonds in no ring, and single atoms where several of these meet; the tree joins those that share most.
// Throws Error (kData) for graphs with so many rings that they are no molecules.
[[nodiscard]] JunctionTree junction_tree(const SimpleGraph& graph);

// A smallest cycle basis: as many independent cycles as there are, as short as they can be together. Atoms of each, in
// ascending order; shorter rings first.
[[nodiscard]] std::vector<std::vector<Index>> smallest_rings(const SimpleGraph& graph);

}  // namespace agentnet
