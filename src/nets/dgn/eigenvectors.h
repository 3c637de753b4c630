// The smooth directions of a graph: eigenvectors of its Laplacian.
#pragma once

#include <vector>

#include "nets/taped/simple_graph.h"

namespace agentnet {

// [n, count]: unit eigenvectors of D - A for the smallest eigenvalues, ascending; the first is constant, columns that
// there are none for are 0. The entry with the largest amount is positive, which settles the sign; in a space of equal
// eigenvalues the choice is fixed but depends on the numbers of the nodes. Lanczos' method with full
// orthogonalisation: exact up to kExactNodes nodes, beyond that an approximation in time linear in the graph.
inline constexpr int kExactNodes = 129;
[[nodiscard]] std::vector<double> laplacian_eigenvectors(const SimpleGraph& graph, int count);

}  // namespace agentnet
