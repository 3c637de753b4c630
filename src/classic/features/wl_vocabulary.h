// The labels that a model knows, each a column of its table: those of level 0 first, ascending within a level.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "classic/features/sparse_rows.h"
#include "classic/features/wl_labels.h"

namespace agentnet {

class WlVocabulary {
 public:
  // Labels that occur in at least `min_graphs` of these graphs; if there are more than `most`, those that occur in most
  // graphs (of equals, those of a lower level, then with the smaller hash).
  [[nodiscard]] static WlVocabulary of(std::span<const GraphLabels> graphs, std::size_t min_graphs, std::size_t most);
  // Of a model file: tensors of pieces() and level ends. Throws Error (kData) if they cannot be a vocabulary's.
  [[nodiscard]] static WlVocabulary from_pieces(std::span<const float> pieces, std::span<const float> level_end);

  [[nodiscard]] std::size_t columns() const { return labels_.size(); }
  [[nodiscard]] int depth() const { return static_cast<int>(level_end_.size()) - 1; }
  // The first column beyond level d.
  [[nodiscard]] std::size_t columns_to(int d) const { return level_end_[static_cast<std::size_t>(d)]; }

  // Counts in the columns that there are; labels that are not known are left out.
  void encode(const GraphLabels& graph, std::vector<SparseEntry>& row) const;

  // [columns, 3] the hashes as 24, 20 and 20 bits, which floats hold exactly; and [depth + 1] the ends of levels.
  [[nodiscard]] std::vector<float> pieces() const;
  [[nodiscard]] std::vector<float> level_ends() const;

 private:
  std::vector<std::uint64_t> labels_;
  std::vector<std::size_t> level_end_;
};

// The most columns that any table has, so that their numbers are exact as floats.
inline constexpr std::size_t kMostLabels = std::size_t{1} << 24;

}  // namespace agentnet
