// Huge graphs straight into a graph set file: their neighbour lists as they come, everything else behind them.
//
//   SetStream stream("big.graph", {nodes_of_first, nodes_of_second});
//   for every graph: stream.add(from, to), ascending and each once; stream.end_graph();
//   stream.add_labels(labels);  stream.writer().add("node_dense", ...);
//   stream.finish({.node_dense = 1}, metadata, memory);
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "graph/hub_lists.h"
#include "graph/set_file_writer.h"

namespace agentnet {

class SetStream {
 public:
  // `nodes` of each graph; none may be 0.
  SetStream(const std::filesystem::path& path, const std::vector<std::uint64_t>& nodes,
            FileSystem& fs = FileSystem::real());

  void add(std::uint64_t from, std::uint64_t to) {
    if (from != node_) advance(from);
    if (wide_) {
      wide_entries_[filled_] = to;
    } else {
      entries_[filled_] = static_cast<std::uint32_t>(to);
    }
    if (++filled_ == kPiece) write_entries();
  }
  void end_graph();

  [[nodiscard]] std::uint64_t num_nodes() const { return first_node_.back(); }  // of all graphs
  [[nodiscard]] std::uint64_t num_entries() const { return written_ + filled_; }
  // For further sections, when all graphs are ended.
  [[nodiscard]] SetFileWriter& writer() { return writer_; }

  // The labels of all nodes ([num_nodes()]), beside every entry that leads to them.
  void add_labels(std::span<const std::uint8_t> labels);
  // One dense feature of 1 for every node.
  void add_constant_feature();
  // Hub lists, what else is missing, and the end. `memory` is for the lists of hubs.
  void finish(const SetWidths& widths, std::string_view metadata, std::uint64_t memory);

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 16;
  void advance(std::uint64_t node);
  void add_offset(std::uint64_t offset);
  void write_entries();
  [[nodiscard]] std::size_t entry_size() const { return wide_ ? sizeof(std::uint64_t) : sizeof(std::uint32_t); }

  std::vector<std::uint64_t> first_node_ = {0}, first_edge_ = {0};
  bool wide_ = false;
  SetFileWriter writer_;
  SetFileWriter::Section offsets_section_, entries_section_, labels_section_ = 0;
  bool labelled_ = false;
  std::size_t graph_ = 0;
  std::uint64_t node_ = 0, list_begin_ = 0;  // the current node, and its first entry among all
  std::uint64_t written_ = 0;                // entries in the file
  std::size_t filled_ = 0;                   // entries in the buffer
  std::vector<std::uint64_t> offsets_, wide_entries_;
  std::vector<std::uint32_t> entries_;
  HubNodes hubs_;
};

}  // namespace agentnet
