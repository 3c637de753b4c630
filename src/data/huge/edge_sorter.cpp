#include "data/huge/edge_sorter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <utility>

namespace agentnet {
namespace {

constexpr int kPartBits = 11;
constexpr std::size_t kParts = std::size_t{1} << kPartBits;
constexpr std::size_t kLeastPairs = 1024;                // of a run
constexpr std::size_t kFirstRun = std::size_t{1} << 21;  // pairs of the first runs, where they fit
constexpr std::size_t kRunsOfALength = 16;
constexpr std::size_t kOut = 4096;  // pairs that are handed out at once

// Pairs as keys: narrow ones are one number.
inline Edge edge_of(std::uint64_t key) { return {key >> 32, key & 0xFFFFFFFFU}; }
inline Edge edge_of(const Edge& key) { return key; }
inline bool before(std::uint64_t a, std::uint64_t b) { return a < b; }
inline bool before(const Edge& a, const Edge& b) { return a.from < b.from || (a.from == b.from && a.to < b.to); }

// Some bits of one of the numbers of a key.
struct Digit {
  bool of_from;
  int shift;
  std::uint64_t mask;

  [[nodiscard]] std::size_t operator()(std::uint64_t key) const {
    return (key >> (of_from ? shift + 32 : shift)) & mask;
  }
  [[nodiscard]] std::size_t operator()(const Edge& key) const {
    return ((of_from ? key.from : key.to) >> shift) & mask;
  }
};

// Digits that cover the lowest `bits` of a number, each of about the same length and at most `most` bits.
void add_digits(std::vector<Digit>& digits, bool of_from, int bits, int most) {
  if (bits <= 0) return;
  const int count = (bits + most - 1) / most, length = (bits + count - 1) / count;
  for (int i = 0; i < count; ++i) digits.push_back({of_from, i * length, (std::uint64_t{1} << length) - 1});
}

// Least significant digit first; returns where the result is, `keys` or `spare`.
template <class Key>
Key* radix_sort(Key* keys, Key* spare, std::size_t count, std::span<const Digit> digits) {
  std::array<std::array<std::uint32_t, kParts>, 8> counts;  // NOLINT: cleared where used
  const std::size_t tables = std::min(digits.size(), counts.size());
  for (std::size_t first = 0; first < digits.size(); first += tables) {
    const auto some = digits.subspan(first, std::min(tables, digits.size() - first));
    for (std::size_t d = 0; d < some.size(); ++d) std::fill_n(counts[d].begin(), some[d].mask + 1, 0);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t d = 0; d < some.size(); ++d) ++counts[d][some[d](keys[i])];
    }
    for (std::size_t d = 0; d < some.size(); ++d) {
      const Digit digit = some[d];
      std::uint32_t* next = counts[d].data();
      if (next[digit(keys[0])] == count) continue;  // all the same
      std::uint32_t sum = 0;
      for (std::size_t b = 0; b <= digit.mask; ++b) sum += std::exchange(next[b], sum);
      for (std::size_t i = 0; i < count; ++i) spare[next[digit(keys[i])]++] = keys[i];
      std::swap(keys, spare);
    }
  }
  return keys;
}

}  // namespace

EdgeSorter::EdgeSorter(std::filesystem::path beside, std::uint64_t memory, FileSystem& fs)
    : beside_(std::move(beside)), memory_(memory), fs_(fs) {
  // A part must be countable with 32 bits.
  const std::size_t pairs = std::clamp<std::uint64_t>(memory / (2 * sizeof(std::uint64_t)), kLeastPairs, kNarrow);
  narrow_ = PageBuffer<std::uint64_t>(pairs);
  narrow_spare_ = PageBuffer<std::uint64_t>(pairs);
  out_.reserve(kOut);
  lengthen_runs();
}

// Short runs stay in the cache while they are dealt, and fresh pages cost time; when there are many runs they become
// longer, up to what the memory holds.
void EdgeSorter::lengthen_runs() {
  const std::size_t room = wide_mode_ ? wide_.size() : narrow_.size();
  run_length_ = std::min(room, kFirstRun << std::min<std::size_t>(made_runs_ / kRunsOfALength, 16));
}

ScratchFile& EdgeSorter::scratch() {
  if (scratch_ == nullptr) scratch_ = std::make_unique<ScratchFile>(beside_, fs_);
  return *scratch_;
}

EdgeSorter::Level EdgeSorter::first_level() const {
  return {true, std::max(0, static_cast<int>(std::bit_width(bits_)) - kPartBits)};
}

// The bits below those of `level`; false if there are none.
bool EdgeSorter::next_level(Level& level) const {
  if (level.shift == 0 && !level.of_from) return false;
  level =
      level.shift > 0 ? Level{level.of_from, std::max(0, level.shift - kPartBits)} : Level{false, first_level().shift};
  return true;
}

void EdgeSorter::add_wide(const Edge& edge) {
  if (!wide_mode_) {
    if (filled_ > 0) end_run();
    wide_mode_ = true;
    narrow_ = {};
    narrow_spare_ = {};
    const std::size_t pairs = std::clamp<std::uint64_t>(memory_ / (2 * sizeof(Edge)), kLeastPairs, kNarrow);
    wide_ = PageBuffer<Edge>(pairs);
    wide_spare_ = PageBuffer<Edge>(pairs);
    lengthen_runs();
  }
  bits_ |= edge.from | edge.to;
  wide_[filled_++] = edge;
  if (filled_ == run_length_) end_run();
}

// Copies the keys to `out`, part by part.
template <class Key>
EdgeSorter::Run EdgeSorter::deal(const Key* keys, Key* out, std::size_t count, Level level) {
  const Digit digit{level.of_from, level.shift, kParts - 1};
  Run run;
  run.wide = std::is_same_v<Key, Edge>;
  run.level = level;
  run.parts.assign(kParts + 1, 0);
  for (std::size_t i = 0; i < count; ++i) ++run.parts[digit(keys[i]) + 1];
  for (std::size_t p = 0; p < kParts; ++p) run.parts[p + 1] += run.parts[p];
  std::vector<std::uint64_t> next(run.parts.begin(), run.parts.end() - 1);
  for (std::size_t i = 0; i < count; ++i) out[next[digit(keys[i])]++] = keys[i];
  return run;
}

template <class Key>
void EdgeSorter::write_run(Run run, const Key* keys) {
  run.offset = scratch().size();
  scratch().append(keys, run.parts.back() * sizeof(Key));
  runs_.push_back(std::move(run));
}

// The pairs of the buffer, dealt, in `keys`.
template <class Key>
void EdgeSorter::deal_and_mark(PageBuffer<Key>& keys, PageBuffer<Key>& spare) {
  Run run = deal(keys.data(), spare.data(), filled_, first_level());
  std::swap(keys, spare);
  for (std::size_t i = 0; seen_ != nullptr && i < filled_; ++i) {
    const Edge edge = edge_of(keys[i]);
    seen_->mark(edge.from);
    if (mark_both_) seen_->mark(edge.to);
  }
  total_ += filled_;
  runs_.push_back(std::move(run));
}

void EdgeSorter::end_run() {
  if (wide_mode_) {
    deal_and_mark(wide_, wide_spare_);
  } else {
    deal_and_mark(narrow_, narrow_spare_);
  }
  Run run = std::move(runs_.back());
  runs_.pop_back();
  if (wide_mode_) {
    write_run(std::move(run), wide_.data());
  } else {
    write_run(std::move(run), narrow_.data());
  }
  filled_ = 0;
  ++made_runs_;
  lengthen_runs();
}

void EdgeSorter::finish() {
  if (made_runs_ > 0) {
    if (filled_ > 0) end_run();
  } else if (wide_mode_) {
    deal_and_mark(wide_, wide_spare_);
  } else {
    deal_and_mark(narrow_, narrow_spare_);
  }
}

template <class Key>
void EdgeSorter::read(const Slice& slice, Key* out) {
  const auto count = static_cast<std::size_t>(slice.count);
  if (std::is_same_v<Key, Edge> && !slice.run->wide) {
    // Narrow pairs go to the second half of their place, so that each is read before it is written over.
    auto* narrow = reinterpret_cast<std::uint64_t*>(out) + count;
    scratch().read(slice.run->offset + slice.first * sizeof(std::uint64_t), narrow, count * sizeof(std::uint64_t));
    for (std::size_t i = 0; i < count; ++i) {
      const Edge edge = edge_of(narrow[i]);
      if constexpr (std::is_same_v<Key, Edge>) out[i] = edge;
    }
    return;
  }
  scratch().read(slice.run->offset + slice.first * sizeof(Key), out, count * sizeof(Key));
}

// Keys that agree in all bits from `level` up.
template <class Key>
void EdgeSorter::take_sorted(Key* keys, Key* spare, std::size_t count, Level level, const Take& take) {
  constexpr std::size_t kFew = 64, kMany = 8192;
  if (count <= kFew) {
    std::sort(keys, keys + count, [](const Key& a, const Key& b) { return before(a, b); });
  } else {
    std::vector<Digit> digits;
    const int most = count < kMany ? 8 : kPartBits;
    add_digits(digits, false, level.of_from ? static_cast<int>(std::bit_width(bits_)) : level.shift, most);
    if (level.of_from) add_digits(digits, true, level.shift, most);
    keys = radix_sort(keys, spare, count, digits);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && keys[i] == keys[i - 1]) continue;
    out_.push_back(edge_of(keys[i]));
    if (out_.size() < kOut) continue;
    take(out_);
    out_.clear();
  }
}

// All runs were dealt by the bits of `level`, or by lower ones of the same number: then several of their parts are
// one.
template <class Key>
void EdgeSorter::take_parts(std::span<const Run> runs, Level level, PageBuffer<Key>& keys, PageBuffer<Key>& spare,
                            const Take& take) {
  std::vector<Slice> slices;
  for (std::size_t part = 0; part < kParts; ++part) {
    slices.clear();
    std::uint64_t total = 0;
    for (const Run& run : runs) {
      const int finer = level.shift - run.level.shift;  // ids were smaller when the run was dealt
      const std::uint64_t begin = std::min<std::uint64_t>(finer < 64 ? part << finer : kParts, kParts);
      const std::uint64_t end = std::min<std::uint64_t>(finer < 64 ? (part + 1) << finer : kParts, kParts);
      const std::uint64_t count = run.parts[end] - run.parts[begin];
      if (count > 0) slices.push_back({&run, run.parts[begin], count});
      total += count;
    }
    if (total == 0) continue;
    Level below = level;
    if (total <= keys.size()) {
      std::size_t filled = 0;
      for (const Slice& slice : slices) {
        read(slice, keys.data() + filled);
        filled += static_cast<std::size_t>(slice.count);
      }
      take_sorted(keys.data(), spare.data(), filled, level, take);
    } else if (!next_level(below)) {
      Key same;
      read({slices[0].run, slices[0].first, 1}, &same);
      take_sorted(&same, &same, 1, level, take);
    } else {
      std::vector<Run> dealt;
      for (Slice& slice : slices) {
        while (slice.count > 0) {
          Slice some = slice;
          some.count = std::min<std::uint64_t>(slice.count, keys.size());
          read(some, keys.data());
          slice.first += some.count;
          slice.count -= some.count;
          Run run = deal(keys.data(), spare.data(), static_cast<std::size_t>(some.count), below);
          run.offset = scratch().size();
          scratch().append(spare.data(), static_cast<std::size_t>(some.count) * sizeof(Key));
          dealt.push_back(std::move(run));
        }
      }
      take_parts(std::span<const Run>(dealt), below, keys, spare, take);
    }
  }
}

template <class Key>
void EdgeSorter::take_all(PageBuffer<Key>& keys, PageBuffer<Key>& spare, const Take& take) {
  if (made_runs_ > 0) {
    take_parts(std::span<const Run>(runs_), first_level(), keys, spare, take);
  } else if (filled_ > 0) {
    const Run& run = runs_.back();
    for (std::size_t part = 0; part < kParts; ++part) {
      const std::uint64_t begin = run.parts[part], end = run.parts[part + 1];
      if (begin < end) take_sorted(keys.data() + begin, spare.data(), end - begin, run.level, take);
    }
  }
  take(out_);
  out_.clear();
}

void EdgeSorter::merge(const Take& take) {
  if (wide_mode_) {
    take_all(wide_, wide_spare_, take);
  } else {
    take_all(narrow_, narrow_spare_, take);
  }
}

}  // namespace agentnet
