#include "classic/features/wl_vocabulary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "agentnet/error.h"

namespace agentnet {
namespace {

constexpr int kHighShift = 40, kMiddleShift = 20;
constexpr std::uint64_t kMiddleMask = (std::uint64_t{1} << 20) - 1;
constexpr double kHighEnd = 0x1p24, kPieceEnd = 0x1p20;

struct Candidate {
  std::uint64_t label;
  std::uint32_t graphs;  // that it occurs in
  std::uint32_t level;
};

// All labels of a level with the number of graphs that have them, ascending.
void collect_level(std::span<const GraphLabels> graphs, std::size_t level, std::size_t min_graphs,
                   std::vector<std::uint64_t>& scratch, std::vector<Candidate>& out) {
  scratch.clear();
  for (const GraphLabels& graph : graphs) {
    const std::size_t first = level == 0 ? 0 : graph.level_end[level - 1];
    for (std::size_t i = first; i < graph.level_end[level]; ++i) scratch.push_back(graph.all[i].label);
  }
  std::sort(scratch.begin(), scratch.end());
  for (std::size_t i = 0; i < scratch.size();) {
    std::size_t end = i + 1;
    while (end < scratch.size() && scratch[end] == scratch[i]) ++end;
    if (end - i >= min_graphs) {
      out.push_back({scratch[i], static_cast<std::uint32_t>(end - i), static_cast<std::uint32_t>(level)});
    }
    i = end;
  }
}

// A whole number below `end`. Throws Error (kData).
std::uint64_t whole_below(float value, double end) {
  const auto v = static_cast<double>(value);
  if (v >= 0 && v < end && v == std::floor(v)) return static_cast<std::uint64_t>(v);
  throw Error(ErrorKind::kData, "the model's table of labels holds a number that is none of a label",
              "copy the file again, or train the model again");
}

}  // namespace

WlVocabulary WlVocabulary::of(std::span<const GraphLabels> graphs, std::size_t min_graphs, std::size_t most) {
  std::vector<Candidate> all;
  std::vector<std::uint64_t> scratch;
  const std::size_t levels = graphs.empty() ? 0 : graphs[0].level_end.size();
  for (std::size_t level = 0; level < levels; ++level) collect_level(graphs, level, min_graphs, scratch, all);
  if (all.size() > most) {  // keep the most frequent, in the order that they are in
    std::vector<std::uint32_t> order(all.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return all[a].graphs > all[b].graphs; });
    order.resize(most);
    std::sort(order.begin(), order.end());
    std::vector<Candidate> kept;
    for (const std::uint32_t i : order) kept.push_back(all[i]);
    all = std::move(kept);
  }
  WlVocabulary vocabulary;
  vocabulary.level_end_.assign(levels, 0);
  for (const Candidate& c : all) {
    vocabulary.labels_.push_back(c.label);
    ++vocabulary.level_end_[c.level];
  }
  std::partial_sum(vocabulary.level_end_.begin(), vocabulary.level_end_.end(), vocabulary.level_end_.begin());
  return vocabulary;
}

WlVocabulary WlVocabulary::from_pieces(std::span<const float> pieces, std::span<const float> level_end) {
  WlVocabulary vocabulary;
  vocabulary.labels_.reserve(pieces.size() / 3);
  for (std::size_t i = 0; i + 2 < pieces.size(); i += 3) {
    vocabulary.labels_.push_back(whole_below(pieces[i], kHighEnd) << kHighShift |
                                 whole_below(pieces[i + 1], kPieceEnd) << kMiddleShift |
                                 whole_below(pieces[i + 2], kPieceEnd));
  }
  const auto columns = static_cast<double>(vocabulary.labels_.size());
  std::size_t before = 0;
  for (const float end : level_end) {
    const std::uint64_t here = whole_below(end, columns + 1);
    const auto first = vocabulary.labels_.begin() + static_cast<std::ptrdiff_t>(before);
    const auto last = vocabulary.labels_.begin() + static_cast<std::ptrdiff_t>(here);
    if (here < before || !std::is_sorted(first, last)) {
      throw Error(ErrorKind::kData, "the model's table of labels is not in order",
                  "copy the file again, or train the model again");
    }
    vocabulary.level_end_.push_back(before = here);
  }
  if (vocabulary.level_end_.empty() || before != vocabulary.labels_.size()) {
    throw Error(ErrorKind::kData, "the model's table of labels has columns of no level",
                "copy the file again, or train the model again");
  }
  return vocabulary;
}

void WlVocabulary::encode(const GraphLabels& graph, std::vector<SparseEntry>& row) const {
  const std::size_t levels = std::min(level_end_.size(), graph.level_end.size());
  for (std::size_t level = 0; level < levels; ++level) {
    auto at = labels_.begin() + static_cast<std::ptrdiff_t>(level == 0 ? 0 : level_end_[level - 1]);
    const auto end = labels_.begin() + static_cast<std::ptrdiff_t>(level_end_[level]);
    for (std::size_t i = level == 0 ? 0 : graph.level_end[level - 1]; i < graph.level_end[level]; ++i) {
      at = std::lower_bound(at, end, graph.all[i].label);  // both are ascending
      if (at == end) break;
      if (*at == graph.all[i].label) {
        row.push_back({static_cast<std::uint32_t>(at - labels_.begin()), graph.all[i].count});
      }
    }
  }
}

std::vector<float> WlVocabulary::pieces() const {
  std::vector<float> pieces;
  pieces.reserve(3 * labels_.size());
  for (const std::uint64_t label : labels_) {
    pieces.push_back(static_cast<float>(label >> kHighShift));
    pieces.push_back(static_cast<float>(label >> kMiddleShift & kMiddleMask));
    pieces.push_back(static_cast<float>(label & kMiddleMask));
  }
  return pieces;
}

std::vector<float> WlVocabulary::level_ends() const { return {level_end_.begin(), level_end_.end()}; }

}  // namespace agentnet
