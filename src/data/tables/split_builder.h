// What splits.cpp and split_file.cpp share: a split as it is read, value by value.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

enum class SplitPart { kTrain, kValid, kTest };

// The part that a word names, in any case.
[[nodiscard]] std::optional<SplitPart> split_part(std::string_view word);
[[nodiscard]] std::string_view split_part_name(SplitPart part);
[[nodiscard]] std::vector<std::size_t>& part_of(Split& split, SplitPart part);

// Called for a value that does not fit, with a message and a hint; throws, and knows the place.
using SplitFailure = std::function<void(const std::string& message, const std::string& hint)>;

// Every fold lists all graphs: as many folds as graphs would be a list of their square.
void require_few_folds(std::size_t folds, std::size_t graphs, const SplitFailure& fail);

// Names what may be a split among the columns of a table, unless it is kept for one: split, set, fold.
void note_split_columns(const std::vector<std::string>& header, const DataOptions& options,
                        std::vector<std::string>& notes);
[[nodiscard]] bool is_split_column(std::string_view name);

// One value per graph: the name of a part, or the number of a fold; a blank is neither.
class SplitColumn {
 public:
  void add(std::string_view value, const SplitFailure& fail);
  // One split, or one per fold.
  [[nodiscard]] std::vector<Split> finish(const SplitFailure& fail) const;

 private:
  std::size_t graphs_ = 0;
  Split parts_;
  std::map<std::uint64_t, std::vector<std::size_t>> folds_;
  bool has_parts_ = false;
};

// Numbers of graphs, part by part.
class SplitNumbers {
 public:
  explicit SplitNumbers(std::uint64_t graphs) : part_of_(graphs) {}
  void add(SplitPart part, std::uint64_t graph, const SplitFailure& fail);
  // The split so far; the next one begins.
  [[nodiscard]] Split take();

 private:
  Split split_;
  std::vector<std::optional<SplitPart>> part_of_;
};

}  // namespace agentnet
