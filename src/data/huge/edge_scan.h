// The edges of an edge list from front to back, without keeping them: the fast way through very long lists.
//
// Lines of two plain numbers are read in place, several hundred million bytes a second; any other line goes to
// EdgeListSyntax, so that both readers accept, mean and complain about the same.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "agentnet/error.h"
#include "data/io/input.h"
#include "data/syntax/edge_list_syntax.h"

namespace agentnet {

// A list that only conversion in memory can handle; of kind kUsage.
class NeedsMemory : public Error {
 public:
  NeedsMemory(const std::string& message, std::string hint) : Error(ErrorKind::kUsage, message, std::move(hint)) {}
};

struct EdgeListFacts {
  std::uint64_t listed = 0;    // edges
  std::uint64_t largest = 0;   // id
  std::uint64_t declared = 0;  // nodes, of a comment; 0: none
  bool both_ways = true;       // no comment says "Direction: as listed"
  std::string end;             // "file:line:column" behind the last line
};

// Calls take(edges, bytes of text so far, facts so far) for the edges in the order of the list, some thousand at a
// time. Throws Error (kData) as read_edge_list() does, and NeedsMemory for a list with weights.
using TakeEdges = std::function<void(std::span<const Edge>, std::uint64_t bytes, const EdgeListFacts& facts)>;
[[nodiscard]] EdgeListFacts scan_edge_list(ByteStream& stream, const std::string& place, const TakeEdges& take,
                                           std::size_t block = std::size_t{1} << 20);

}  // namespace agentnet
