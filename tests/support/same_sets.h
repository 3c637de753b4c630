// Whether two sets hold the same graphs.
#pragma once

#include <string>

#include "agentnet/data.h"

namespace agentnet {

struct Compared {
  bool ids = true, positions = true, marks = true;
};

// The first difference, in words; empty if there is none. Categories and classes are compared by their spelling,
// columns by their place: formats differ in what they call them.
[[nodiscard]] std::string difference(const Dataset& a, const Dataset& b, const Compared& compared = {});

// All of a small set as text, to be compared with what a test expects:
//
//   classification class{-1,1}
//   nodes label{0,3} attribute
//   edges weight
//   mutag-1: 0[0 0.5] 1[3 1]; 0>1[2.5] 1>0[2.5]; -1
//
// Nodes and edges without features have no brackets, an edge with several rows has as many; a blank target is "?".
[[nodiscard]] std::string described(const Dataset& data);

}  // namespace agentnet
