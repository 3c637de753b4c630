#include "nets/agentnet/page_reader.h"

#include <cstddef>
#include <cstring>
#include <span>

#include "core/files/mapped_file.h"

namespace agentnet {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kHuge = std::uint64_t{1} << 24;  // smaller files are soon in memory as a whole

bool in_file(const GraphView& graph, const void* first) {
  if (graph.file == nullptr) return false;
  const std::span<const std::byte> file = graph.file->bytes();
  const auto address = reinterpret_cast<std::uintptr_t>(first), begin = reinterpret_cast<std::uintptr_t>(file.data());
  return address >= begin && address < begin + file.size();  // a set may have some of its arrays in memory
}

}  // namespace

void PageReader::begin() {
  copies_.reset();
  pending_.clear();
  pages_.clear();
  bytes_ = 0;
}

bool PageReader::in_huge_file(const GraphView& graph, const void* first) {
  return in_file(graph, first) && graph.file->size() >= kHuge;
}

void PageReader::count_read(const GraphView& graph, const void* first, std::uint64_t bytes) {
  if (bytes == 0 || !in_file(graph, first)) return;
  bytes_ += bytes;
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  for (std::uint64_t page = address / kPage; page <= (address + bytes - 1) / kPage; ++page) pages_.insert(page);
}

void PageReader::request_bytes(const GraphView& graph, const void* first, std::uint64_t bytes, void* out) {
  if (bytes == 0) return;
  count_read(graph, first, bytes);
  if (!in_huge_file(graph, first)) {
    std::memcpy(out, first, bytes);
  } else if (!graph.file->read_now(first, bytes, out)) {
    graph.file->ask_for(first, bytes);
    pending_.push_back({graph.file, first, bytes, out});
  }
}

void PageReader::finish() {
  for (const Pending& read : pending_) read.file->read(read.first, read.bytes, read.out);
  pending_.clear();
}

std::size_t PageReader::memory() const {
  struct Entry {  // of a chained hash table
    void* next;
    std::uint64_t value;
  };
  return copies_.capacity() + pages_.size() * sizeof(Entry) + pages_.bucket_count() * sizeof(void*);
}

}  // namespace agentnet
