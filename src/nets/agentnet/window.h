// What agents remember of their last s positions (docs/spec.md, section 3, "Window").
//
// A node has 2 s bits in the eyes of an agent, for i = 1..s:
//   bit 2 (i - 1)      it is the node where the agent stood i steps ago
//   bit 2 (i - 1) + 1  an edge leads to it from that node
// They are what a walker needs to notice that it has closed a cycle or walks within a clique. The agent update is told
// the bits of the node that the agent stands on; with `window_moves`, candidates of a move are preferred by theirs. All
// of it is read from the lists of neighbours of nodes that the agents have stood on, so the cost does not depend on the
// size of the graph.
#pragma once

#include <cstdint>

#include "nets/agentnet/walk.h"

namespace agentnet {

constexpr int kLongestWindow = 32;  // a set of bits fits into 64

// The bits of the nodes that agents stand on. Many agents see the same, so that what the bits are multiplied by is
// multiplied once for each of the different sets of bits, P of them.
template <class S>
struct WindowRecord {
  Index patterns = 0;              // P
  const Index* pattern = nullptr;  // [A] the agent's
  Matrix<S> bits;                  // [P, 2 s] of zeros and ones
  Matrix<S> products;              // [P, wide] what the bits add to the first layer of the agent update
};

// Fills all but `products`.
template <class S>
void read_window(const Walk<S>& walk, int t, WindowRecord<S>& record);

// The bits of all candidates, by slot (transition.h). The edge that leads from the current node to each of its
// neighbours is left out: it would move all of their logits alike.
struct CandidateBits {
  const std::int64_t* first = nullptr;  // [A + 1]
  const CandidateBit* bits = nullptr;
};

template <class S>
[[nodiscard]] CandidateBits read_candidate_bits(const Walk<S>& walk, const Occupied<S>& occupied, int step);

}  // namespace agentnet
