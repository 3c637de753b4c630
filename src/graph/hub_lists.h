// Long neighbour lists once more, in the order of graph/hub_order.h, as sections of a graph set file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "graph/hub_order.h"
#include "graph/set_file_writer.h"

namespace agentnet {

// The nodes with more than kLongList neighbours, collected graph by graph in ascending order.
class HubNodes {
 public:
  // `entry` is where its list begins among those of all graphs.
  void consider(std::uint64_t node, std::uint64_t entry, std::uint64_t degree) {
    if (degree <= kLongList) return;
    nodes_.push_back(node);
    entries_.push_back(entry);
    ends_.push_back((ends_.empty() ? 0 : ends_.back()) + degree);
  }
  void end_graph() { first_.push_back(nodes_.size()); }
  [[nodiscard]] bool empty() const { return nodes_.empty(); }

  // Reads `count` entries of the neighbour lists, or of the labels beside them, from entry `first` on.
  using Read = std::function<void(std::uint64_t first, std::uint64_t count, std::byte* out)>;

  // Writes first_hub, hubs and hub_entries, then hub_neighbours or wide_hub_neighbours and, if there is a reader for
  // them, hub_labels of `label_width` bytes per entry. Takes `memory` bytes, or little more.
  void write(SetFileWriter& writer, bool wide, const Read& read_neighbours, const Read& read_labels,
             std::size_t label_width, std::uint64_t memory) const;

 private:
  void write_lists(SetFileWriter& writer, const char* name, std::size_t entry_size, const Read& read,
                   std::uint64_t memory) const;

  std::vector<std::uint64_t> first_ = {0};  // [graphs + 1]
  std::vector<std::uint64_t> nodes_, entries_, ends_;
};

}  // namespace agentnet
