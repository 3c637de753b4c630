// How a rollout reads arrays that may lie in a file.
//
//   const std::uint32_t* list = reader.fetch(graph, graph.neighbours + first, degree);   // for all agents,
//   reader.finish();                                                                     // then wait for all of it
//   ... list[0] ...
//
// Arrays in memory and in small files are used where they are. Of a huge file the bytes are copied: those that the
// system has in its cache at once, the others after all of them have been asked for, so that cold reads overlap.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "agentnet/graph.h"
#include "tensor/arena.h"

namespace agentnet {

class PageReader {
 public:
  // Forgets what was fetched.
  void begin();

  // `count` values at `first`, an array of the graph; null stays null. Valid after finish(), until begin().
  template <class T>
  [[nodiscard]] const T* fetch(const GraphView& graph, const T* first, std::uint64_t count) {
    if (first == nullptr) return nullptr;
    if (!in_huge_file(graph, first)) {
      count_read(graph, first, count * sizeof(T));
      return first;
    }
    T* out = copies_.take<T>(count);
    request(graph, first, count, out);
    return out;
  }
  // The same into memory of the caller's, wherever the array is.
  template <class T>
  void request(const GraphView& graph, const T* first, std::uint64_t count, T* out) {
    request_bytes(graph, first, count * sizeof(T), out);
  }
  // Room that lives as long as what is fetched.
  template <class T>
  [[nodiscard]] T* room(std::uint64_t count) {
    return copies_.take<T>(count);
  }
  void finish();

  // Whether the array is copied when it is read.
  [[nodiscard]] static bool in_huge_file(const GraphView& graph, const void* first);

  // What was read of files, counting a page once.
  [[nodiscard]] std::uint64_t pages() const { return pages_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t memory() const;

 private:
  struct Pending {
    const MappedFile* file;
    const void* first;
    std::uint64_t bytes;
    void* out;
  };
  void request_bytes(const GraphView& graph, const void* first, std::uint64_t bytes, void* out);
  void count_read(const GraphView& graph, const void* first, std::uint64_t bytes);

  Arena copies_;
  std::vector<Pending> pending_;
  std::unordered_set<std::uint64_t> pages_;
  std::uint64_t bytes_ = 0;
};

}  // namespace agentnet
