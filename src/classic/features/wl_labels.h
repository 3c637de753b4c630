// Weisfeiler-Lehman subtree labels (Shervashidze et al. 2011). A node's label of level 0 is a hash of its categories;
//
//   label[d + 1](u) = hash(label[d](u), multiset of (categories of the edge u -> v, label[d](v)) over neighbours v)
//
// so that two nodes have the same label of level d exactly if their neighbourhoods unroll to the same tree of depth d
// (but for a collision of 64-bit hashes). A graph is how often each label occurs in it. Dense columns are not seen.
#pragma once

#include <cstdint>
#include <vector>

#include "agentnet/graph.h"

namespace agentnet {

// Which categorical columns labels are made of.
struct LabelColumns {
  std::vector<int> nodes, edges;
  [[nodiscard]] static LabelColumns all(int node_columns, int edge_columns);
};

// What the count of a label is worth.
enum class LabelCounts {
  kSubtree,     // itself: a product of two graphs is the Weisfeiler-Lehman subtree kernel
  kAssignment,  // count c becomes the c labels (label, 1) .. (label, c), each once: a product is then the sum over
                // labels of min(c, c'), the optimal assignment kernel (Kriege et al. 2016), exactly
};

struct LabelCount {
  std::uint64_t label = 0;
  float count = 0;
  bool operator==(const LabelCount&) const = default;
};

// The labels of a graph, level by level, ascending within each.
struct GraphLabels {
  std::vector<LabelCount> all;
  std::vector<std::size_t> level_end;  // [depth + 1] into `all`
};

// Takes O(depth * (edges + n log n)), and memory for one graph. Throws Error (kUsage) for graphs of more than 2^32
// nodes, kData for a damaged file. The same labels for any numbering of nodes.
[[nodiscard]] GraphLabels wl_labels(const GraphView& graph, int depth, const LabelColumns& columns, LabelCounts counts);

}  // namespace agentnet
