// Pairs of numbers in, the same in ascending order and each once out, in memory that is given.
//
//   EdgeSorter sorter("big.graph", memory);
//   sorter.add(from, to); ...
//   sorter.finish();
//   sorter.merge([&](std::span<const Edge> edges) { ... });
//
// A full buffer is dealt into 2048 parts by the highest bits of the first number and goes to disk as a run. In the end
// the same part of all runs is read and sorted at once; one that does not fit is dealt again by its next bits. So every
// pair is written once and read once, and most of the sorting happens in the cache.
//
// The runs lie in one file beside the given path that has no name: it is gone with the process, however that ends.
// A pair takes 8 bytes, or 16 once a number of 2^32 - 1 or more was met.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/files/atomic_file.h"
#include "data/formats/ids_seen.h"
#include "data/huge/page_buffer.h"
#include "data/huge/scratch_file.h"
#include "data/syntax/edge_list_syntax.h"

namespace agentnet {

class EdgeSorter {
 public:
  // Takes `memory` bytes at most, but not less than some 64 KiB. Throws Error (kFailure) when the disk fails.
  EdgeSorter(std::filesystem::path beside, std::uint64_t memory, FileSystem& fs = FileSystem::real());

  void add(std::uint64_t from, std::uint64_t to) {
    if (wide_mode_ || from >= kNarrow || to >= kNarrow) return add_wide({from, to});
    bits_ |= from | to;
    narrow_[filled_++] = from << 32 | to;
    if (filled_ == run_length_) end_run();
  }

  // Marks the first numbers of all pairs, and with `both` the second ones as well. Before the first pair; `seen` must
  // live until finish().
  void mark(IdsSeen& seen, bool both) {
    seen_ = &seen;
    mark_both_ = both;
  }

  // When all pairs are added: `seen` is complete.
  void finish();
  // Then, once: every pair in ascending order. At most total_pairs() of them come, which a progress bar can use.
  using Take = std::function<void(std::span<const Edge>)>;
  void merge(const Take& take);

  [[nodiscard]] std::uint64_t total_pairs() const { return total_; }
  [[nodiscard]] std::size_t num_runs() const { return made_runs_; }  // that were written to disk

 private:
  static constexpr std::uint64_t kNarrow = 0xFFFFFFFF;
  // The bits that pairs are dealt by: 11 of one of the numbers, from `shift` up.
  struct Level {
    bool of_from = true;
    int shift = 0;
  };
  struct Run {
    std::uint64_t offset = 0;  // in the scratch file
    bool wide = false;
    Level level;
    std::vector<std::uint64_t> parts;  // [2049] where each begins, in pairs
  };
  struct Slice {
    const Run* run;
    std::uint64_t first, count;
  };
  void add_wide(const Edge& edge);
  void lengthen_runs();
  void end_run();
  [[nodiscard]] Level first_level() const;
  [[nodiscard]] bool next_level(Level& level) const;
  template <class Key>
  Run deal(const Key* keys, Key* out, std::size_t count, Level level);
  template <class Key>
  void deal_and_mark(PageBuffer<Key>& keys, PageBuffer<Key>& spare);
  template <class Key>
  void write_run(Run run, const Key* keys);
  template <class Key>
  void read(const Slice& slice, Key* out);
  template <class Key>
  void take_parts(std::span<const Run> runs, Level level, PageBuffer<Key>& keys, PageBuffer<Key>& spare,
                  const Take& take);
  template <class Key>
  void take_sorted(Key* keys, Key* spare, std::size_t count, Level level, const Take& take);
  template <class Key>
  void take_all(PageBuffer<Key>& keys, PageBuffer<Key>& spare, const Take& take);
  [[nodiscard]] ScratchFile& scratch();

  std::filesystem::path beside_;
  std::uint64_t memory_;
  FileSystem& fs_;
  PageBuffer<std::uint64_t> narrow_, narrow_spare_;
  PageBuffer<Edge> wide_, wide_spare_;
  bool wide_mode_ = false;
  std::size_t filled_ = 0;
  std::size_t run_length_ = 0;  // pairs after which a run is ended
  std::uint64_t bits_ = 0;      // that any number has
  IdsSeen* seen_ = nullptr;
  bool mark_both_ = false;
  std::unique_ptr<ScratchFile> scratch_;
  std::vector<Run> runs_;  // one that is not on disk if all fits
  std::uint64_t total_ = 0;
  std::size_t made_runs_ = 0;
  std::vector<Edge> out_;
};

}  // namespace agentnet
