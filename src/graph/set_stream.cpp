#include "graph/set_stream.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace agentnet {
namespace {

constexpr std::uint64_t kMostNarrowNodes = std::uint64_t{1} << 32;

}  // namespace

SetStream::SetStream(const std::filesystem::path& path, const std::vector<std::uint64_t>& nodes, FileSystem& fs)
    : writer_(path, fs) {
  for (const std::uint64_t n : nodes) {
    first_node_.push_back(first_node_.back() + n);
    wide_ = wide_ || n > kMostNarrowNodes;
  }
  writer_.add("first_node", std::as_bytes(std::span(first_node_)));
  offsets_section_ = writer_.reserve("offsets", (num_nodes() + nodes.size()) * sizeof(std::uint64_t));
  entries_section_ = writer_.begin(wide_ ? "wide_neighbours" : "neighbours");
  wide_entries_.resize(wide_ ? kPiece : 0);
  entries_.resize(wide_ ? 0 : kPiece);
  offsets_.reserve(kPiece);
  add_offset(0);
}

void SetStream::add_offset(std::uint64_t offset) {
  offsets_.push_back(offset);
  if (offsets_.size() < kPiece) return;
  writer_.write(offsets_section_, std::span<const std::uint64_t>(offsets_));
  offsets_.clear();
}

void SetStream::write_entries() {
  if (wide_) {
    writer_.write(entries_section_, std::span<const std::uint64_t>(wide_entries_).first(filled_));
  } else {
    writer_.write(entries_section_, std::span<const std::uint32_t>(entries_).first(filled_));
  }
  written_ += filled_;
  filled_ = 0;
}

// The lists of the current node and of those before `node` are complete.
void SetStream::advance(std::uint64_t node) {
  const std::uint64_t entries = num_entries();
  hubs_.consider(node_, list_begin_, entries - list_begin_);
  for (; node_ < node; ++node_) add_offset(entries - first_edge_.back());
  list_begin_ = entries;
}

void SetStream::end_graph() {
  advance(first_node_.at(graph_ + 1) - first_node_[graph_]);
  hubs_.end_graph();
  first_edge_.push_back(num_entries());
  node_ = 0;
  if (++graph_ + 1 < first_node_.size()) return add_offset(0);
  write_entries();
  writer_.write(offsets_section_, std::span<const std::uint64_t>(offsets_));
}

void SetStream::add_labels(std::span<const std::uint8_t> labels) {
  labels_section_ = writer_.reserve("labels", num_entries());
  labelled_ = true;
  std::vector<std::uint8_t> piece(kPiece);
  const auto convert = [&](const auto& entries) {
    for (std::size_t g = 0; g + 1 < first_node_.size(); ++g) {
      const auto of_graph = labels.subspan(first_node_[g], first_node_[g + 1] - first_node_[g]);
      for (std::uint64_t e = first_edge_[g]; e < first_edge_[g + 1];) {
        const std::size_t count = std::min<std::uint64_t>(kPiece, first_edge_[g + 1] - e);
        writer_.read(entries_section_, e * entry_size(),
                     std::as_writable_bytes(std::span(entries)).first(count * entry_size()));
        for (std::size_t i = 0; i < count; ++i) piece[i] = of_graph[entries[i]];
        writer_.write(labels_section_, std::span<const std::uint8_t>(piece).first(count));
        e += count;
      }
    }
  };
  if (wide_) {
    convert(std::span(wide_entries_));
  } else {
    convert(std::span(entries_));
  }
}

void SetStream::add_constant_feature() {
  const float one = 1;
  writer_.add("node_row", std::as_bytes(std::span(&one, 1)));
}

void SetStream::finish(const SetWidths& widths, std::string_view metadata, std::uint64_t memory) {
  if (graph_ + 1 != first_node_.size()) throw std::logic_error("SetStream: a graph is not ended");
  writer_.add("first_edge", std::as_bytes(std::span(first_edge_)));
  const auto reading = [this](SetFileWriter::Section section, std::size_t size) {
    return [this, section, size](std::uint64_t first, std::uint64_t count, std::byte* out) {
      writer_.read(section, first * size, {out, count * size});
    };
  };
  HubNodes::Read labels;
  if (labelled_) labels = reading(labels_section_, 1);
  hubs_.write(writer_, wide_, reading(entries_section_, entry_size()), labels, 1, memory);
  writer_.add(kMetadataSection, std::as_bytes(std::span(metadata)));
  writer_.finish(widths);
}

}  // namespace agentnet
