#include "classic/baselines.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "agentnet/error.h"
#include "classic/learners/linear_model.h"

namespace agentnet {
namespace {

constexpr std::size_t kMostCategories = 256;
constexpr std::size_t kMostDense = 256;
constexpr std::string_view kDegree = "degree";  // as DataOptions::degree and molecules name it

using Numbers = std::vector<double>;

// --- What a model without edges sees of a graph ----------------------------------------------------------------------

class NodeFeatures {
 public:
  // Chooses the features, and how to standardise them, by the graphs of `train`.
  NodeFeatures(const Dataset& data, std::span<const std::size_t> train) : graphs_(data.graphs) {
    choose_categories(data.schema.nodes, train);
    for (std::size_t c = 0; c < data.schema.nodes.dense.size() && dense_.size() < kMostDense; ++c) {
      if (data.schema.nodes.dense[c] != kDegree) dense_.push_back(c);
    }
    standardise(train);
  }

  [[nodiscard]] FeatureRows rows(std::span<const std::size_t> graphs) const {
    FeatureRows rows{graphs.size(), used_.size(), {}};
    rows.values.reserve(rows.count * rows.width);
    for (const std::size_t g : graphs) {
      const Numbers raw = raw_row(g);
      for (const Used& f : used_) rows.values.push_back(static_cast<float>((raw[f.from] - f.mean) / f.deviation));
    }
    return rows;
  }

 private:
  static constexpr int kNotKept = -1;
  struct Used {
    std::size_t from;  // place in raw_row()
    double mean, deviation;
  };

  void choose_categories(const FeatureSchema& schema, std::span<const std::size_t> train) {
    for (const CategoryColumn& column : schema.categories) {
      place_.emplace_back(column.name == kDegree ? 0 : column.values.size() + 1, kNotKept);
    }
    std::vector<std::vector<std::uint64_t>> counts;
    for (const auto& column : place_) counts.emplace_back(column.size(), 0);
    for (const std::size_t g : train) {
      each_category(g, [&](std::size_t column, std::size_t value) { ++counts[column][value]; });
    }
    struct Seen {
      std::uint64_t times;
      std::size_t column, value;
    };
    std::vector<Seen> seen;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      for (std::size_t v = 0; v < counts[c].size(); ++v) {
        if (counts[c][v] > 0) seen.push_back({counts[c][v], c, v});
      }
    }
    std::stable_sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.times > b.times; });
    seen.resize(std::min(seen.size(), kMostCategories));
    for (const Seen& s : seen) place_[s.column][s.value] = static_cast<int>(num_categories_++);
  }

  // Calls f(column, value) for every node and every column that may be used. A number beyond the vocabulary is the one
  // for values that were never seen.
  template <class F>
  void each_category(std::size_t graph, const F& f) const {
    const GraphView view = graphs_.view(graph);
    for (std::uint64_t u = 0; u < view.num_nodes; ++u) {
      const std::span<const std::int32_t> row = view.node_categories.row(u);
      for (std::size_t c = 0; c < std::min(row.size(), place_.size()); ++c) {
        if (!place_[c].empty()) f(c, std::min(static_cast<std::size_t>(row[c]), place_[c].size() - 1));
      }
    }
  }

  // Shares of categories, means of dense columns, n, log(n + 1).
  [[nodiscard]] Numbers raw_row(std::size_t graph) const {
    const GraphView view = graphs_.view(graph);
    Numbers raw(num_categories_ + dense_.size() + 2, 0.0);
    each_category(graph, [&](std::size_t column, std::size_t value) {
      const int place = place_[column][value];
      if (place != kNotKept) raw[static_cast<std::size_t>(place)] += 1;
    });
    if (!dense_.empty()) {
      Numbers node(static_cast<std::size_t>(view.node_dense.width));
      for (std::uint64_t u = 0; u < view.num_nodes; ++u) {
        view.node_dense.copy(u, node.data());
        for (std::size_t i = 0; i < dense_.size(); ++i) raw[num_categories_ + i] += node.at(dense_[i]);
      }
    }
    const auto n = static_cast<double>(view.num_nodes);
    for (std::size_t i = 0; i + 2 < raw.size(); ++i) raw[i] /= n;
    raw[raw.size() - 2] = n;
    raw[raw.size() - 1] = std::log1p(n);
    return raw;
  }

  // Means and deviations in one pass (Welford); what does not vary is of no use.
  void standardise(std::span<const std::size_t> train) {
    constexpr double kVaries = 1e-9;  // relative to the mean; less is rounding
    const std::size_t width = num_categories_ + dense_.size() + 2;
    Numbers mean(width, 0.0), squares(width, 0.0);
    double rows = 0;
    for (const std::size_t g : train) {
      const Numbers raw = raw_row(g);
      rows += 1;
      for (std::size_t i = 0; i < width; ++i) {
        const double from_mean = raw[i] - mean[i];
        mean[i] += from_mean / rows;
        squares[i] += from_mean * (raw[i] - mean[i]);
      }
    }
    for (std::size_t i = 0; i < width; ++i) {
      const double deviation = std::sqrt(squares[i] / std::max(rows, 1.0));
      if (deviation > kVaries * std::abs(mean[i])) used_.push_back({i, mean[i], deviation});
    }
  }

  const GraphSet& graphs_;
  std::vector<std::vector<int>> place_;  // [column][value] -> place in raw_row(); an empty column is left out
  std::size_t num_categories_ = 0;
  std::vector<std::size_t> dense_;  // columns
  std::vector<Used> used_;
};

// --- The baselines ---------------------------------------------------------------------------------------------------

// How often each value 0, 1, ... below `values` occurs; all the same where nothing is known.
Numbers shares_of(const Labelled& labelled, std::size_t values) {
  if (labelled.rows.empty()) return Numbers(values, 1 / static_cast<double>(values));
  Numbers counts(values, 0.0);
  for (const double y : labelled.targets) counts[static_cast<std::size_t>(y)] += 1;
  for (double& count : counts) count /= labelled.count();
  return counts;
}

struct Moments {
  double mean = 0, deviation = 0;
};

Moments moments_of(const Labelled& labelled) {
  Moments moments;
  if (labelled.rows.empty()) return moments;
  for (const double y : labelled.targets) moments.mean += y / labelled.count();
  double squares = 0;
  for (const double y : labelled.targets) squares += (y - moments.mean) * (y - moments.mean);
  moments.deviation = std::sqrt(squares / labelled.count());
  return moments;
}

// Rows of predictions: what every graph gets, until a model knows better.
class Predictions {
 public:
  Predictions(const Numbers& row, std::size_t graphs) : width_(row.size()) {
    for (std::size_t g = 0; g < graphs; ++g) values_.insert(values_.end(), row.begin(), row.end());
  }
  double& at(std::size_t graph, std::size_t c) { return values_[graph * width_ + c]; }
  [[nodiscard]] Numbers take() && { return std::move(values_); }

 private:
  std::size_t width_;
  Numbers values_;
};

Numbers constant_row(const Dataset& data, std::span<const std::size_t> train) {
  const auto outputs = static_cast<std::size_t>(baseline_outputs(data.schema));
  if (data.schema.task == Task::kClassification) return shares_of(labelled_graphs(data, train, 0), outputs);
  Numbers row;
  for (std::size_t c = 0; c < outputs; ++c) {
    const Labelled labelled = labelled_graphs(data, train, c);
    row.push_back(data.schema.task == Task::kMultilabel ? shares_of(labelled, 2)[1] : moments_of(labelled).mean);
  }
  return row;
}

class StructureBlind {
 public:
  StructureBlind(const Dataset& data, std::span<const std::size_t> train, std::span<const std::size_t> test)
      : predictions_(constant_row(data, train), test.size()) {
    const NodeFeatures features(data, train);
    train_ = features.rows(train);
    test_ = features.rows(test);
    if (train_.width == 0) return;
    gram_ = gram_matrix(train_);
    const auto outputs = static_cast<std::size_t>(baseline_outputs(data.schema));
    if (data.schema.task == Task::kClassification) {
      learn_classes(labelled_graphs(data, train, 0), outputs, [](std::size_t c) { return c; });
      return;
    }
    for (std::size_t c = 0; c < outputs; ++c) {
      const Labelled labelled = labelled_graphs(data, train, c);
      if (data.schema.task == Task::kRegression) {
        learn_numbers(labelled, c);
      } else {
        learn_classes(labelled, 2, [&](std::size_t answer) { return answer == 1 ? c : kNowhere; });
      }
    }
  }

  [[nodiscard]] Numbers predictions() && { return std::move(predictions_).take(); }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  // The probability of class c goes to output column(c). Classes that do not occur keep the constant prediction: 0.
  template <class Column>
  void learn_classes(Labelled labelled, std::size_t classes, const Column& column) {
    std::vector<std::size_t> number(classes, kNowhere), present;
    const Numbers shares = shares_of(labelled, classes);
    for (std::size_t c = 0; c < classes && !labelled.rows.empty(); ++c) {
      if (shares[c] == 0) continue;
      number[c] = present.size();
      present.push_back(c);
    }
    if (present.size() < 2) return;
    for (double& y : labelled.targets) y = static_cast<double>(number[static_cast<std::size_t>(y)]);
    const LinearModel model = LinearModel::of_classes(train_, gram_, labelled, present.size());
    Numbers row;
    for (std::size_t g = 0; g < test_.count; ++g) {
      model.probabilities(test_.row(g), row);
      for (std::size_t k = 0; k < present.size(); ++k) {
        if (column(present[k]) != kNowhere) predictions_.at(g, column(present[k])) = row[k];
      }
    }
  }

  void learn_numbers(Labelled labelled, std::size_t column) {
    const Moments moments = moments_of(labelled);
    if (!(moments.deviation > 0)) return;
    for (double& y : labelled.targets) y = (y - moments.mean) / moments.deviation;
    const LinearModel model = LinearModel::of_numbers(train_, gram_, labelled);
    for (std::size_t g = 0; g < test_.count; ++g) {
      predictions_.at(g, column) = moments.mean + moments.deviation * model.number(test_.row(g));
    }
  }

  Predictions predictions_;
  FeatureRows train_, test_;
  Numbers gram_;
};

}  // namespace

Labelled labelled_graphs(const Dataset& data, std::span<const std::size_t> graphs, std::size_t target) {
  Labelled labelled;
  const bool classes = data.schema.task == Task::kClassification, numbers = data.schema.task == Task::kRegression;
  const double limit = classes ? baseline_outputs(data.schema) : 2;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const std::span<const double> row = data.graphs.targets(graphs[i]);
    if (target >= row.size()) {
      throw Error(ErrorKind::kMismatch, "the schema names more targets than graphs have");
    }
    const double y = row[target];
    if (std::isnan(y)) continue;
    if (!numbers && !(y >= 0 && y < limit && y == std::floor(y))) {
      throw Error(ErrorKind::kMismatch, "graph " + std::to_string(graphs[i]) + " has the label " + std::to_string(y) +
                                            ", which is none of the " + std::to_string(static_cast<int>(limit)) +
                                            " there are");
    }
    labelled.rows.push_back(i);
    labelled.targets.push_back(y);
  }
  return labelled;
}

int baseline_outputs(const Schema& schema) {
  if (schema.task == Task::kNone) {
    throw Error(ErrorKind::kUsage, "without targets there is nothing to predict", "name the target columns");
  }
  const std::size_t outputs =
      schema.task == Task::kClassification ? std::max<std::size_t>(2, schema.classes.size()) : schema.targets.size();
  return static_cast<int>(outputs);
}

std::vector<double> constant_baseline(const Dataset& data, std::span<const std::size_t> train,
                                      std::span<const std::size_t> test) {
  return Predictions(constant_row(data, train), test.size()).take();
}

std::string_view constant_baseline_name(Task task) {
  switch (task) {
    case Task::kNone:
      break;
    case Task::kClassification:
      return "majority class";
    case Task::kMultilabel:
      return "share of yes";
    case Task::kRegression:
      return "mean";
  }
  return "";
}

std::vector<double> structure_blind_baseline(const Dataset& data, std::span<const std::size_t> train,
                                             std::span<const std::size_t> test) {
  return StructureBlind(data, train, test).predictions();
}

}  // namespace agentnet
