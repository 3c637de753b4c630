#include <fmt/core.h>
#include <xgboost/c_api.h>

#include <string>
#include <utility>

#include "agentnet/error.h"
#include "classic/learners/scorer_targets.h"
#include "classic/learners/trees.h"
#include "core/json.h"

namespace agentnet {
namespace {

void check(int result) {
  if (result == 0) return;
  throw Error(ErrorKind::kFailure, fmt::format("XGBoost: {}", XGBGetLastError()),
              "choose other options of the model, or another --model");
}

// Handles of the C API that are freed.
struct Matrix {
  Matrix(const SparseRows& rows, const Labelled& labelled, const TreeOptions& options) {
    std::vector<std::size_t> start = {0};
    std::vector<unsigned> columns;
    std::vector<float> values, y, weights;
    const AnswerWeights answers = answer_weights(labelled, options.balanced && !options.numbers);
    for (std::size_t i = 0; i < labelled.rows.size(); ++i) {
      for (const SparseEntry& entry : rows.row(labelled.rows[i])) {
        columns.push_back(entry.column);
        values.push_back(entry.value);
      }
      start.push_back(columns.size());
      y.push_back(static_cast<float>(labelled.targets[i]));
      weights.push_back(static_cast<float>(labelled.targets[i] == 1 ? answers.yes : answers.no));
    }
    check(XGDMatrixCreateFromCSREx(start.data(), columns.data(), values.data(), start.size(), values.size(),
                                   rows.columns, &handle));
    check(XGDMatrixSetFloatInfo(handle, "label", y.data(), y.size()));
    if (options.balanced && !options.numbers) {
      check(XGDMatrixSetFloatInfo(handle, "weight", weights.data(), weights.size()));
    }
  }
  ~Matrix() { XGDMatrixFree(handle); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  DMatrixHandle handle = nullptr;
};

struct Booster {
  explicit Booster(const Matrix& matrix) { check(XGBoosterCreate(&matrix.handle, 1, &handle)); }
  ~Booster() { XGBoosterFree(handle); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;
  void set(const char* name, const std::string& value) { check(XGBoosterSetParam(handle, name, value.c_str())); }
  BoosterHandle handle = nullptr;
};

// The trees as XGBoost writes them, whose sum is the score without its base.
TreeNodes read_trees(const Booster& booster) {
  bst_ulong length = 0;
  const char* text = nullptr;
  check(XGBoosterSaveModelToBuffer(booster.handle, R"({"format": "json"})", &length, &text));
  const Json model =
      parse_json({text, length}, "XGBoost's model", ErrorKind::kFailure, {.bytes = std::size_t{1} << 31});
  TreeNodes all;
  for (const Json& tree : model.at("learner").at("gradient_booster").at("model").at("trees")) {
    TreeNodes one;
    const Json &left = tree.at("left_children"), &right = tree.at("right_children"), &column = tree.at("split_indices"),
               &value = tree.at("split_conditions"), &absent = tree.at("default_left");
    for (std::size_t i = 0; i < left.size(); ++i) {
      const bool leaf = left[i].get<int>() < 0;
      one.column.push_back(leaf ? -1.0F : column[i].get<float>());
      one.value.push_back(value[i].get<float>());
      one.left.push_back(leaf ? 0.0F : left[i].get<float>());
      one.right.push_back(leaf ? 0.0F : right[i].get<float>());
      one.absent_left.push_back(absent[i].get<int>() != 0 ? 1.0F : 0.0F);
    }
    one.roots.push_back(0);
    all.append(one);
  }
  return all;
}

}  // namespace

bool has_xgboost() { return true; }

TreeNodes fit_trees(const SparseRows& rows, const Labelled& labelled, const TreeOptions& options) {
  if (labelled.rows.empty() || (!options.numbers && !has_both_answers(labelled))) return {};
  const Matrix matrix(rows, labelled, options);
  Booster booster(matrix);
  booster.set("nthread", "1");
  booster.set("verbosity", "0");
  booster.set("tree_method", "hist");
  booster.set("seed", std::to_string(options.seed));
  booster.set("max_depth", std::to_string(options.depth));
  booster.set("subsample", fmt::format("{}", options.rows));
  booster.set("colsample_bynode", fmt::format("{}", options.columns));
  booster.set("lambda", fmt::format("{}", options.ridge));
  booster.set("min_child_weight", options.boosted && !options.numbers ? "0.1" : "1");
  // A forest averages the shares of yes in its leaves, which are means of squared errors.
  const bool logistic = options.boosted && !options.numbers;
  booster.set("objective", logistic ? "binary:logistic" : "reg:squarederror");
  booster.set("base_score", logistic ? "0.5" : "0");
  booster.set("learning_rate", fmt::format("{}", options.boosted ? options.rate : 1));
  booster.set("num_parallel_tree", std::to_string(options.boosted ? 1 : options.trees));
  for (int round = 0; round < (options.boosted ? options.trees : 1); ++round) {
    check(XGBoosterUpdateOneIter(booster.handle, round, matrix.handle));
  }
  return read_trees(booster);
}

}  // namespace agentnet
