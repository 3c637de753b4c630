#include "classic/forest.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "agentnet/error.h"
#include "classic/features/graph_numbers.h"
#include "classic/features/wl_table.h"
#include "classic/fitter.h"
#include "classic/learners/scorer_targets.h"
#include "classic/learners/trees.h"
#include "classic/scored_network.h"

namespace agentnet {

namespace {

enum class TableKind { kAuto, kWl, kEcfp };

}  // namespace

template <>
inline constexpr std::array option_names<TableKind> = {std::string_view("auto"), std::string_view("wl"),
                                                       std::string_view("ecfp")};

namespace {

struct ForestOptions {
  TableKind features = TableKind::kAuto;
  int wl_depth = 3;
  std::uint64_t min_graphs = 2, max_columns = 2048;
  int trees = 300, depth = 20;
  double rows = 0.632;
  std::optional<double> columns;
};

struct BoostingOptions {
  TableKind features = TableKind::kAuto;
  int wl_depth = 3;
  std::uint64_t min_graphs = 2, max_columns = 2048;
  int trees = 200, depth = 5;
  double rate = 0.1, rows = 0.8, columns = 0.5, ridge = 1;
};

constexpr auto kVisitTable = [](auto& o, const auto& f) {
  f("features", o.features, kAnyValue,
    "wl: label counts of all categories; ecfp: of what ECFP takes of atoms and bonds; auto: ecfp for molecules");
  f("wl_depth", o.wl_depth, OptionRange{0, 20}, "rounds of relabelling; ecfp has 2");
  f("min_graphs", o.min_graphs, OptionRange{1, 1e9}, "graphs that a label must occur in to count");
  f("max_columns", o.max_columns, OptionRange{1, 1 << 20}, "labels that are kept, those of most graphs first");
};

constexpr auto kVisitForest = [](auto& o, const auto& f) {
  kVisitTable(o, f);
  f("trees", o.trees, OptionRange{1, 100000}, "that are averaged");
  f("depth", o.depth, OptionRange{1, 60}, "of a tree at most");
  f("rows", o.rows, OptionRange{0.01, 1}, "share of the graphs that a tree sees");
  f("columns", o.columns, OptionRange{1e-4, 1},
    "share of the columns that a split is chosen from; auto: their square root, for numbers a third");
};

constexpr auto kVisitBoosting = [](auto& o, const auto& f) {
  kVisitTable(o, f);
  f("trees", o.trees, OptionRange{1, 100000}, "one after the other");
  f("depth", o.depth, OptionRange{1, 60}, "of a tree at most");
  f("rate", o.rate, OptionRange{1e-4, 1}, "share of its correction that a tree makes");
  f("rows", o.rows, OptionRange{0.01, 1}, "share of the graphs that a tree sees");
  f("columns", o.columns, OptionRange{1e-4, 1}, "share of the columns that a split is chosen from");
  f("ridge", o.ridge, OptionRange{0, 1e6}, "against extreme answers of leaves");
};

// --- The table -------------------------------------------------------------------------------------------------------

// How graphs become rows: labels of these columns to this depth, then graph_numbers().
struct TableShape {
  LabelColumns columns;
  int depth = 0;
};

template <class Options>
TableShape table_for(const Options& options, const DataShape& shape, const Schema& schema) {
  constexpr int kEcfpRadius = 2;
  const std::optional<LabelColumns> ecfp = ecfp_columns(schema);
  if (options.features == TableKind::kEcfp && !ecfp) {
    throw Error(ErrorKind::kUsage,
                "ECFP needs molecules: columns atomic_num, degree, formal_charge, num_h, is_in_ring "
                "of atoms and bond_type of bonds",
                "leave model.features at auto, or give SMILES");
  }
  if (options.features != TableKind::kWl && ecfp) return {*ecfp, kEcfpRadius};
  return {
      LabelColumns::all(static_cast<int>(shape.node_categories.size()), static_cast<int>(shape.edge_categories.size())),
      options.wl_depth};
}

// --- The model -------------------------------------------------------------------------------------------------------

class TreeScorer : public GraphScorer {
 public:
  TreeScorer(WlVocabulary vocabulary, TableShape table, DataShape shape, Trees trees,
             std::vector<std::size_t> score_end, bool shares)
      : vocabulary_(std::move(vocabulary)),
        table_(std::move(table)),
        shape_(std::move(shape)),
        trees_(std::move(trees)),
        score_end_(std::move(score_end)),
        shares_(shares) {}

  void scores(const GraphView& graph, std::span<double> scores) const override {
    std::vector<float> dense(vocabulary_.columns(), std::numeric_limits<float>::quiet_NaN());
    std::vector<SparseEntry> row;
    vocabulary_.encode(wl_labels(graph, table_.depth, table_.columns, LabelCounts::kSubtree), row);
    for (const SparseEntry& entry : row) dense[entry.column] = entry.value;
    graph_numbers(graph, shape_, dense);
    std::size_t first = 0;
    for (std::size_t s = 0; s < scores.size(); ++s) {
      const double sum = trees_.sum(dense, first, score_end_[s]);
      scores[s] = shares_ && score_end_[s] > first ? log_odds_of(sum) : sum;
      first = score_end_[s];
    }
  }

 private:
  // ln(p / (1 - p)) of a share of votes, which may be all or none of them.
  static double log_odds_of(double p) {
    constexpr double kLeast = 1e-3;
    p = std::clamp(p, kLeast, 1 - kLeast);
    return std::log(p / (1 - p));
  }

  WlVocabulary vocabulary_;
  TableShape table_;
  DataShape shape_;
  Trees trees_;
  std::vector<std::size_t> score_end_;
  bool shares_;
};

std::vector<int> columns_in(const Json& fitted, const char* name, std::size_t columns) {
  std::vector<int> all;
  std::vector<std::int64_t> numbers;
  read_member(fitted, name, numbers);
  for (const std::int64_t number : numbers) {
    if (number < 0 || static_cast<std::uint64_t>(number) >= columns) {
      throw Error(ErrorKind::kUsage, fmt::format("'fitted': {} names a column that there is not", name),
                  "train the model again");
    }
    all.push_back(static_cast<int>(number));
  }
  return all;
}

template <class Options, bool kBoosted>
class TreeNetwork : public ScoredNetwork {
 public:
  TreeNetwork(const Options& options, NetworkConfig config) : ScoredNetwork(std::move(config)), options_(options) {
    if (!fitted()) return;
    std::uint64_t nodes = 0, trees = 0;
    read_member(fitted_, "columns", columns_);
    read_member(fitted_, "nodes", nodes);
    read_member(fitted_, "trees", trees);
    read_member(fitted_, "depth", table_.depth);
    if (columns_ > kMostLabels || nodes > kMostTreeNodes || trees > nodes || table_.depth < 0 || table_.depth > 20) {
      throw Error(ErrorKind::kUsage, "'fitted': sizes that no model has", "train the model again");
    }
    table_.columns.nodes = columns_in(fitted_, "node_columns", shape().node_categories.size());
    table_.columns.edges = columns_in(fitted_, "edge_columns", shape().edge_categories.size());
    parameters_.add("trees.value", {CheckedSize(nodes)}, Init::kZero);
    for (const char* name : {"trees.column", "trees.left", "trees.right", "trees.absent_left"}) {
      buffers_.add(name, {CheckedSize(nodes)}, Init::kZero);
    }
    buffers_.add("trees.root", {CheckedSize(trees)}, Init::kZero);
    buffers_.add("trees.score_end", {CheckedSize(scores())}, Init::kZero);
    buffers_.add("wl.labels", {CheckedSize(columns_), CheckedSize(3)}, Init::kZero);
    buffers_.add("wl.level_end", {CheckedSize(static_cast<std::uint64_t>(table_.depth)) + 1}, Init::kZero);
  }

  [[nodiscard]] std::string description() const override {
    return fmt::format(
        "{} of {} trees{}", kBoosted ? "gradient boosting" : "random forest", options_.trees,
        fitted() ? fmt::format(" on {} Weisfeiler-Lehman labels of depth {}", columns_, table_.depth) : "");
  }

  [[nodiscard]] std::unique_ptr<GraphScorer> make_scorer(std::span<const float> parameters,
                                                         std::span<const float> buffers) const override {
    const auto take = [&](const char* name) {
      const auto values = tensor_of(this->buffers(), buffers, name);
      return std::vector<float>(values.begin(), values.end());
    };
    TreeNodes nodes;
    const auto values = tensor_of(this->parameters(), parameters, "trees.value");
    nodes.value.assign(values.begin(), values.end());
    nodes.column = take("trees.column");
    nodes.left = take("trees.left");
    nodes.right = take("trees.right");
    nodes.absent_left = take("trees.absent_left");
    nodes.roots = take("trees.root");
    Trees trees(nodes, columns_ + num_graph_numbers(shape()));
    std::vector<std::size_t> ends;
    double before = 0;
    for (const float end : take("trees.score_end")) {
      const auto v = static_cast<double>(end);
      if (!(v >= before && v <= static_cast<double>(trees.count()) && v == std::floor(v))) {
        throw Error(ErrorKind::kData, "the model's trees are damaged: they belong to no score",
                    "copy the file again, or train the model again");
      }
      ends.push_back(static_cast<std::size_t>(before = v));
    }
    WlVocabulary vocabulary = WlVocabulary::from_pieces(take("wl.labels"), take("wl.level_end"));
    return std::make_unique<TreeScorer>(std::move(vocabulary), table_, shape(), std::move(trees), std::move(ends),
                                        !kBoosted && task() != Task::kRegression);
  }

 private:
  Options options_;
  TableShape table_;
  std::uint64_t columns_ = 0;
};

// --- Fitting ---------------------------------------------------------------------------------------------------------

TreeOptions tree_options(const ForestOptions& options, std::size_t columns, bool numbers) {
  const double share = numbers ? 1.0 / 3 : 1 / std::sqrt(static_cast<double>(std::max<std::size_t>(columns, 1)));
  return {.trees = options.trees,
          .depth = options.depth,
          .rows = options.rows,
          .columns = options.columns.value_or(share),
          .numbers = numbers};
}

TreeOptions tree_options(const BoostingOptions& options, std::size_t /*columns*/, bool numbers) {
  return {.boosted = true,
          .trees = options.trees,
          .depth = options.depth,
          .rate = options.rate,
          .rows = options.rows,
          .columns = options.columns,
          .ridge = options.ridge,
          .numbers = numbers};
}

// The trees of each score, grown in lots that are spread over the pool. The lots do not depend on the pool's size.
std::vector<TreeNodes> grow(const SparseRows& rows, const ScorerTargets& targets, const TreeOptions& wanted,
                            const FitTask& task) {
  constexpr int kLot = 50;
  const auto lots = static_cast<std::size_t>(wanted.boosted ? 1 : (wanted.trees + kLot - 1) / kLot);
  std::vector<TreeNodes> parts(targets.of.size() * lots);
  task.pool.run(parts.size(), [&](std::size_t at, int) {
    stop_if_asked(task.should_stop);
    TreeOptions options = wanted;
    options.balanced = task.balanced;
    options.seed = (task.seed * 1000003 + at) % 2147483647;  // what fits into an int
    if (!wanted.boosted) options.trees = std::min(kLot, wanted.trees - static_cast<int>(at % lots) * kLot);
    parts[at] = fit_trees(rows, targets.of[at / lots], options);
    // A lot answers with the mean over its trees, the forest with that over all.
    const float share = wanted.boosted ? 1.0F : static_cast<float>(options.trees) / static_cast<float>(wanted.trees);
    for (std::size_t i = 0; i < parts[at].value.size(); ++i) {
      if (parts[at].column[i] < 0) parts[at].value[i] *= share;
    }
  });
  std::vector<TreeNodes> all(targets.of.size());
  for (std::size_t at = 0; at < parts.size(); ++at) all[at / lots].append(parts[at]);
  return all;
}

template <class Kind>
Fitted fit_kind(const NetworkConfig& config, const FitTask& task) {
  const auto options = read_options<Kind>(config.options);
  const TableShape table = table_for(options, config.shape, task.data.schema);
  const ScorerTargets targets = scorer_targets(task.data, task.train);
  const std::vector<GraphLabels> labels = labels_of(task.data.graphs, task.train, table.depth, table.columns,
                                                    LabelCounts::kSubtree, task.pool, task.should_stop);
  const WlVocabulary vocabulary = WlVocabulary::of(labels, options.min_graphs, options.max_columns);
  SparseRows rows;
  rows.columns = vocabulary.columns() + num_graph_numbers(config.shape);
  std::vector<SparseEntry> row;
  std::vector<float> numbers;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    row.clear();
    numbers.clear();
    vocabulary.encode(labels[i], row);
    graph_numbers(task.data.graphs.view(task.train[i]), config.shape, numbers);
    for (std::size_t c = 0; c < numbers.size(); ++c) {
      row.push_back({static_cast<std::uint32_t>(vocabulary.columns() + c), numbers[c]});
    }
    rows.add(row);
  }
  const TreeOptions wanted = tree_options(options, rows.columns, targets.task == Task::kRegression);
  const std::vector<TreeNodes> scores = grow(rows, targets, wanted, task);

  TreeNodes all;
  std::vector<float> score_end;
  for (const TreeNodes& nodes : scores) {
    all.append(nodes);
    score_end.push_back(static_cast<float>(all.roots.size()));
  }
  const Json decided = {{"columns", vocabulary.columns()},     {"depth", table.depth},
                        {"node_columns", table.columns.nodes}, {"edge_columns", table.columns.edges},
                        {"trees", all.roots.size()},           {"nodes", all.column.size()}};
  Fitted fitted;
  fitted.network = make_classic<Kind>(fitted_config<Kind>(config, targets.task, decided));
  fitted.parameters.resize(fitted.network->parameters().size());
  fitted.buffers.resize(fitted.network->buffers().size());
  const auto put = [](const ParameterLayout& layout, std::vector<float>& to, const char* name,
                      const std::vector<float>& from) {
    std::ranges::copy(from, tensor_of(layout, std::span(to), name).begin());
  };
  const auto parameter = [&](const char* name, const std::vector<float>& from) {
    put(fitted.network->parameters(), fitted.parameters, name, from);
  };
  const auto buffer = [&](const char* name, const std::vector<float>& from) {
    put(fitted.network->buffers(), fitted.buffers, name, from);
  };
  // A score without trees is 0: what is known of its answers is then all in the shift.
  std::vector<float> shift;
  for (std::size_t s = 0; s < scores.size(); ++s) {
    const bool constant = scores[s].roots.empty() && targets.task != Task::kRegression;
    shift.push_back(static_cast<float>(constant ? log_odds(targets.of[s]) : targets.shift[s]));
  }
  parameter("output.scale", {targets.scale.begin(), targets.scale.end()});
  parameter("output.shift", shift);
  parameter("trees.value", all.value);
  buffer("trees.column", all.column);
  buffer("trees.left", all.left);
  buffer("trees.right", all.right);
  buffer("trees.absent_left", all.absent_left);
  buffer("trees.root", all.roots);
  buffer("trees.score_end", score_end);
  buffer("wl.labels", vocabulary.pieces());
  buffer("wl.level_end", vocabulary.level_ends());
  fitted.notes.push_back(fmt::format("{}: {} trees of {} nodes on {} columns", Kind::kName, all.roots.size(),
                                     all.column.size(), rows.columns));
  return fitted;
}

struct ForestKind {
  using Options = ForestOptions;
  using Made = TreeNetwork<ForestOptions, false>;
  static constexpr std::string_view kName = "forest";
  static constexpr std::string_view kSummary =
      "random forest on Weisfeiler-Lehman label counts, for molecules on those of ECFP (XGBoost)";
  static constexpr auto kVisit = kVisitForest;
  static constexpr Fitter kFitter{fit_kind<ForestKind>};
};

struct BoostingKind {
  using Options = BoostingOptions;
  using Made = TreeNetwork<BoostingOptions, true>;
  static constexpr std::string_view kName = "boosting";
  static constexpr std::string_view kSummary =
      "gradient boosting on Weisfeiler-Lehman label counts, for molecules on those of ECFP (XGBoost)";
  static constexpr auto kVisit = kVisitBoosting;
  static constexpr Fitter kFitter{fit_kind<BoostingKind>};
};

}  // namespace

const NetworkKind kForest = classic_kind<ForestKind>();
const NetworkKind kBoosting = classic_kind<BoostingKind>();

}  // namespace agentnet
