// Sets of two or three nodes of a graph, which of them are neighbours, and their types (Morris et al., AAAI 2019).
//
// Letters: n nodes, S sets of k nodes, L labels of nodes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tensor/kernels.h"

namespace agentnet {

enum class SetFamily {
  kTwoMalkin,  // all pairs, numbered (0, 1), (0, 2), ...
  kTwoLocal,
  kConnectedTwoMalkin,  // adjacent pairs, numbered as they are found
  kConnectedTwoLocal,
  kConnectedThreeMalkin,  // u, v, w with u - v - w, numbered as they are found by u, then v, then w
  kConnectedThreeLocal,
};
[[nodiscard]] int nodes_per_set(SetFamily family);

// Whose neighbours may replace a member. Malkin: its own. Local: those of any member. In both cases the result is a
// set of the family, and the relation is made symmetric.

// Whether a type says if all of a set is adjacent, or as the published code has it for triples: if the nodes with the
// smallest and the largest number are. That is not invariant: a path is typed as a triangle where its ends happen to
// be those two.
enum class SetTypes { kInvariant, kPublished };

// What sets are made of.
struct LabelledGraph {
  Index nodes = 0;
  std::vector<std::int64_t> offsets = {0};  // [n + 1]
  std::vector<Index> neighbours = {};       // of node v at offsets[v] .. offsets[v + 1] - 1, ascending
  std::vector<Index> labels = {};           // [n], below label_count
  Index label_count = 1;                    // L

  [[nodiscard]] bool adjacent(Index u, Index v) const;
};

struct NodeSets {
  int k = 2;
  std::vector<Index> nodes;                 // [S, k], ascending in each set
  std::vector<std::int64_t> offsets = {0};  // [S + 1]
  std::vector<Index> neighbours;            // sets, ascending, each once, never the set itself
  // [S] the sorted labels as digits of a number to base L; L^k more if the set is complete (see SetTypes). Connected
  // pairs are always adjacent, so that their types do not say it.
  std::vector<std::int64_t> types;

  [[nodiscard]] Index count() const { return static_cast<Index>(offsets.size()) - 1; }
};

// Time and memory are linear in what comes out but for a logarithm of degrees, and for triples in the replacements that
// are tried.
[[nodiscard]] NodeSets enumerate_sets(const LabelledGraph& graph, SetFamily family, SetTypes types);

// [3 S, 2] columns (pair, triple): which pairs of all (numbered as kTwoMalkin does) are in the triples, those in the
// order of their nodes.
[[nodiscard]] std::vector<std::pair<Index, Index>> pairs_in_triples(Index nodes, const NodeSets& triples);

// The number of sets there will be, without making them: all pairs, adjacent pairs, or an upper bound for triples.
[[nodiscard]] double count_sets(double nodes, double edges, double squared_degrees, SetFamily family);

// Types are numbered by their rank among all that can be: sorted labels, first of sets that are not complete.
[[nodiscard]] std::int64_t possible_types(std::int64_t labels, SetFamily family);
[[nodiscard]] std::int64_t rank_of_type(std::int64_t type, std::int64_t labels, SetFamily family);

}  // namespace agentnet
