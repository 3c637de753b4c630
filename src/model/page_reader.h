// What a rollout reads of files: asked for ahead of time, counted, and given back.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "agentnet/graph.h"

namespace agentnet {

class PageReader {
 public:
  void begin();
  // `bytes` of the graph's arrays at `first` will be read. Does nothing for graphs in memory.
  void will_read(const GraphView& graph, const void* first, std::uint64_t bytes);

  // Of this rollout, counting a page once.
  [[nodiscard]] std::uint64_t pages() const { return pages_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t memory() const;

 private:
  std::unordered_set<std::uint64_t> pages_;
  std::uint64_t bytes_ = 0;
  std::uint64_t held_ = 0;  // pages asked for since the last were given back
};

}  // namespace agentnet
