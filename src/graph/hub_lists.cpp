#include "graph/hub_lists.h"

#include <algorithm>
#include <cstring>

namespace agentnet {
namespace {

constexpr std::uint64_t kLeastPiece = 4096;  // entries

// A list in the order of `order`, piece by piece. One that does not fit is read once per piece, from front to back.
class Shuffler {
 public:
  Shuffler(std::size_t entry_size, const HubNodes::Read& read, std::uint64_t memory)
      : entry_size_(entry_size), read_(read), memory_(memory) {}

  template <class Write>
  void operator()(std::uint64_t entry, std::uint64_t degree, const HubOrder& order, const Write& write) {
    const bool fits = degree * entry_size_ <= memory_ / 2;
    const std::uint64_t window = fits ? degree : std::max(kLeastPiece, memory_ / 4 / entry_size_);
    const std::uint64_t piece =
        std::min(degree, fits ? std::max<std::uint64_t>(kLeastPiece, memory_ / 4 / entry_size_)
                              : std::max<std::uint64_t>(kLeastPiece, memory_ / 4 / (entry_size_ + sizeof(Wanted))));
    list_.resize(window * entry_size_);
    if (fits) read_(entry, degree, list_.data());
    for (std::uint64_t begin = 0; begin < degree; begin += piece) {
      const std::uint64_t count = std::min(piece, degree - begin);
      out_.resize(count * entry_size_);
      if (fits) {
        for (std::uint64_t i = 0; i < count; ++i) copy(order(begin + i), i);
      } else {
        pick(entry, degree, window, order, begin, count);
      }
      write(std::span<const std::byte>(out_));
    }
  }

 private:
  struct Wanted {
    std::uint64_t from, to;
  };

  void copy(std::uint64_t from, std::uint64_t to) {
    std::memcpy(out_.data() + to * entry_size_, list_.data() + from * entry_size_, entry_size_);
  }

  void pick(std::uint64_t entry, std::uint64_t degree, std::uint64_t window, const HubOrder& order, std::uint64_t begin,
            std::uint64_t count) {
    wanted_.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) wanted_[i] = {order(begin + i), i};
    std::ranges::sort(wanted_, {}, &Wanted::from);
    auto next = wanted_.begin();
    for (std::uint64_t first = 0; first < degree && next != wanted_.end(); first += window) {
      const std::uint64_t length = std::min(window, degree - first);
      read_(entry + first, length, list_.data());
      for (; next != wanted_.end() && next->from < first + length; ++next) copy(next->from - first, next->to);
    }
  }

  std::size_t entry_size_;
  const HubNodes::Read& read_;
  std::uint64_t memory_;
  std::vector<std::byte> list_, out_;
  std::vector<Wanted> wanted_;
};

}  // namespace

void HubNodes::write(SetFileWriter& writer, bool wide, const Read& read_neighbours, const Read& read_labels,
                     std::size_t label_width, std::uint64_t memory) const {
  if (empty()) return;
  writer.add("first_hub", std::as_bytes(std::span(first_)));
  writer.add("hubs", std::as_bytes(std::span(nodes_)));
  std::vector<std::uint64_t> starts = {0};
  starts.insert(starts.end(), ends_.begin(), ends_.end());
  writer.add("hub_entries", std::as_bytes(std::span(starts)));
  write_lists(writer, wide ? "wide_hub_lists" : "hub_neighbours", wide ? sizeof(std::uint64_t) : sizeof(std::uint32_t),
              read_neighbours, memory);
  if (read_labels) write_lists(writer, "hub_labels", label_width, read_labels, memory);
}

void HubNodes::write_lists(SetFileWriter& writer, const char* name, std::size_t entry_size, const Read& read,
                           std::uint64_t memory) const {
  const auto section = writer.reserve(name, ends_.back() * entry_size);
  Shuffler shuffled(entry_size, read, memory);
  for (std::size_t h = 0; h < nodes_.size(); ++h) {
    const std::uint64_t degree = ends_[h] - (h == 0 ? 0 : ends_[h - 1]);
    shuffled(entries_[h], degree, HubOrder(nodes_[h], degree),
             [&](std::span<const std::byte> piece) { writer.write(section, piece); });
  }
}

}  // namespace agentnet
