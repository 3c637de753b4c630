#include "model/page_reader.h"

#include <cstdint>

#include "core/mapped_file.h"

namespace agentnet {
namespace {

constexpr std::uint64_t kPage = 4096;
// The system may map sixteen pages for one that is read; this many then hold 32 MB.
constexpr std::uint64_t kMostHeld = 512;
constexpr std::uint64_t kSmallFile = std::uint64_t{1} << 24;  // is read at once, and need not be asked for by pages

}  // namespace

void PageReader::begin() {
  pages_.clear();
  bytes_ = held_ = 0;
}

void PageReader::will_read(const GraphView& graph, const void* first, std::uint64_t bytes) {
  if (graph.file == nullptr || bytes == 0) return;
  bytes_ += bytes;
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  std::uint64_t fresh = 0;
  for (std::uint64_t page = address / kPage; page <= (address + bytes - 1) / kPage; ++page) {
    if (pages_.insert(page).second) ++fresh;
  }
  if (fresh == 0 || graph.file->size() < kSmallFile) return;
  held_ += fresh;
  if (held_ > kMostHeld) {
    graph.file->release();
    held_ = fresh;
  }
  graph.file->will_read(first, bytes);
}

std::size_t PageReader::memory() const {
  struct Entry {  // of a chained hash table
    void* next;
    std::uint64_t value;
  };
  return pages_.size() * sizeof(Entry) + pages_.bucket_count() * sizeof(void*);
}

}  // namespace agentnet
