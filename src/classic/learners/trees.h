// Decision trees of sparse rows, as tensors: node i of all trees together has
//
//   column[i]   the column that it asks about, or -1 for a leaf
//   value[i]    a row goes left if its value is smaller than this; of a leaf, its answer
//   left[i], right[i]   where it goes on, always at a larger number than i
//   absent_left[i]      1 if a row that does not have the column goes left
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "classic/features/sparse_rows.h"
#include "classic/learners/linear_model.h"

namespace agentnet {

struct TreeNodes {
  std::vector<float> column, value, left, right, absent_left;  // [nodes]
  std::vector<float> roots;                                    // [trees]

  // Puts the trees of another after these.
  void append(const TreeNodes& other);
};

// The most nodes that the trees of a model have, so that their numbers are exact as floats.
inline constexpr std::size_t kMostTreeNodes = std::size_t{1} << 24;

// Trees that were checked. Immutable.
class Trees {
 public:
  // Throws Error (kData) for a number that is none of a node or of a column, and for a way back.
  Trees(const TreeNodes& nodes, std::size_t columns);
  [[nodiscard]] std::size_t count() const { return roots_.size(); }
  // The sum of the answers of trees [first, last) about a row; `dense` has all its columns, NaN where it has none.
  [[nodiscard]] double sum(std::span<const float> dense, std::size_t first, std::size_t last) const;

 private:
  struct Node {
    int column;
    float value;
    std::uint32_t left, right;
    bool absent_left;
  };
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
};

// --- Learning them, with XGBoost (Chen and Guestrin 2016). A build without it (option AGENTNET_XGBOOST) has these
// functions all the same; fit_trees() then throws Error (kUsage), which names the package. ---------------------------

struct TreeOptions {
  bool boosted = false;  // each tree corrects those before it; else each is grown for itself, and they are averaged
  int trees = 100;
  int depth = 6;
  double rate = 1;       // of boosting
  double rows = 0.632;   // share of rows that a tree sees
  double columns = 1;    // share of columns that a split is chosen from
  double ridge = 0;      // against extreme leaves
  bool numbers = false;  // targets are numbers, not answers
  bool balanced = false;
  std::uint64_t seed = 0;
};

// Trees whose sum is the score: boosted, ln(p / (1 - p)) or the number; else the share of yes or the number. Runs on
// the calling thread alone, so that the result does not depend on the number of threads. Any number may do so at once.
[[nodiscard]] TreeNodes fit_trees(const SparseRows& rows, const Labelled& labelled, const TreeOptions& options);

[[nodiscard]] bool has_xgboost();

}  // namespace agentnet
