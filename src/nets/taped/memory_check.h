// What is said where a batch would take more memory than it may.
#pragma once

#include <functional>
#include <string>

#include "nn/network.h"

namespace agentnet {

struct TooMuchMemory {
  std::string network;         // its description
  double bytes = 0;            // that the batch would take
  std::uint64_t may_take = 0;  // that there are for it
};

// Throws Error (kData) that says so, and names the largest graph of the batch by `numbers_of`.
[[noreturn]] void refuse_for_memory(const TooMuchMemory& wanted, const Batch& batch, const Call& call,
                                    const std::function<double(const GraphView&)>& numbers_of);

// "1.5 GB", of 1000 each.
[[nodiscard]] std::string bytes_in_words(double bytes);

}  // namespace agentnet
