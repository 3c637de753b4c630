#include "classic/wl.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "agentnet/error.h"
#include "classic/features/wl_table.h"
#include "classic/fitter.h"
#include "classic/learners/linear_learner.h"
#include "classic/learners/scorer_targets.h"
#include "classic/scored_network.h"

namespace agentnet {

namespace {

enum class LinearKind { kLogistic, kSvm };

struct WlOptions {
  std::optional<int> depth;
  int max_depth = 5;
  LabelCounts kernel = LabelCounts::kSubtree;
  LinearKind learner = LinearKind::kLogistic;
  std::optional<double> cost;
  int inner_folds = 3;
  std::uint64_t min_graphs = 1, max_columns = std::uint64_t{1} << 22;
};

}  // namespace

template <>
inline constexpr std::array option_names<LabelCounts> = {std::string_view("subtree"), std::string_view("assignment")};
template <>
inline constexpr std::array option_names<LinearKind> = {std::string_view("logistic"), std::string_view("svm")};

namespace {

constexpr auto kVisitWl = [](auto& o, const auto& f) {
  f("depth", o.depth, OptionRange{0, 20}, "rounds of relabelling; auto: chosen inside of the training part");
  f("max_depth", o.max_depth, OptionRange{0, 20}, "the largest depth that is tried");
  f("kernel", o.kernel, kAnyValue, "subtree: label counts; assignment: their optimal assignment");
  f("learner", o.learner, kAnyValue, "logistic regression, or a support vector machine (then calibrated)");
  f("cost", o.cost, OptionRange{1e-6, 1e6}, "of errors against simplicity; auto: chosen inside of the training part");
  f("inner_folds", o.inner_folds, OptionRange{2, 20}, "parts of the training graphs that choices are tested on");
  f("min_graphs", o.min_graphs, OptionRange{1, 1e9}, "graphs that a label must occur in to count");
  f("max_columns", o.max_columns, OptionRange{1, static_cast<double>(kMostLabels)},
    "labels that are kept at most, those of most graphs first");
};

class WlScorer : public GraphScorer {
 public:
  WlScorer(WlVocabulary vocabulary, std::vector<LinearScore> scores, LabelColumns columns, LabelCounts kernel)
      : vocabulary_(std::move(vocabulary)), scores_(std::move(scores)), columns_(std::move(columns)), kernel_(kernel) {}

  void scores(const GraphView& graph, std::span<double> scores) const override {
    const GraphLabels labels = wl_labels(graph, vocabulary_.depth(), columns_, kernel_);
    std::vector<SparseEntry> row;
    vocabulary_.encode(labels, row);
    const double factor = unit_factors(labels).back();
    for (std::size_t s = 0; s < scores.size(); ++s) scores[s] = scores_[s](row, factor);
  }

 private:
  WlVocabulary vocabulary_;
  std::vector<LinearScore> scores_;
  LabelColumns columns_;
  LabelCounts kernel_;
};

LabelColumns columns_of(const DataShape& shape) {
  return LabelColumns::all(static_cast<int>(shape.node_categories.size()),
                           static_cast<int>(shape.edge_categories.size()));
}

class WlNetwork : public ScoredNetwork {
 public:
  WlNetwork(const WlOptions& options, NetworkConfig config) : ScoredNetwork(std::move(config)), options_(options) {
    if (!fitted()) return;
    std::uint64_t columns = 0;
    read_member(fitted_, "columns", columns);
    read_member(fitted_, "depth", depth_);
    if (columns > kMostLabels || depth_ > 20) {
      throw Error(ErrorKind::kUsage, "'fitted': more columns or levels than a model can have", "train it again");
    }
    parameters_.add("linear.weight", {CheckedSize(scores()), CheckedSize(columns)}, Init::kZero);
    parameters_.add("linear.bias", {CheckedSize(scores())}, Init::kZero);
    buffers_.add("wl.labels", {CheckedSize(columns), CheckedSize(3)}, Init::kZero);
    buffers_.add("wl.level_end", {CheckedSize(depth_) + 1}, Init::kZero);
  }

  [[nodiscard]] std::string description() const override {
    const char* learner = options_.learner == LinearKind::kLogistic ? "logistic regression" : "linear SVM";
    const char* counts = options_.kernel == LabelCounts::kSubtree ? "subtree" : "optimal assignment";
    if (!fitted()) return fmt::format("Weisfeiler-Lehman {} labels with {}", counts, learner);
    return fmt::format("Weisfeiler-Lehman {} labels of depth {} with {}", counts, depth_,
                       task() == Task::kRegression ? "linear regression" : learner);
  }

  [[nodiscard]] std::unique_ptr<GraphScorer> make_scorer(std::span<const float> parameters,
                                                         std::span<const float> buffers) const override {
    WlVocabulary vocabulary = WlVocabulary::from_pieces(tensor_of(this->buffers(), buffers, "wl.labels"),
                                                        tensor_of(this->buffers(), buffers, "wl.level_end"));
    const auto weights = tensor_of(this->parameters(), parameters, "linear.weight");
    const auto bias = tensor_of(this->parameters(), parameters, "linear.bias");
    std::vector<LinearScore> linear;
    for (std::size_t s = 0; s < scores(); ++s) {
      const auto row = weights.subspan(s * vocabulary.columns(), vocabulary.columns());
      linear.push_back({{row.begin(), row.end()}, bias[s]});
    }
    return std::make_unique<WlScorer>(std::move(vocabulary), std::move(linear), columns_of(shape()), options_.kernel);
  }

 private:
  WlOptions options_;
  std::uint32_t depth_ = 0;
};

// --- Fitting ---------------------------------------------------------------------------------------------------------

struct Setting {
  int depth = 0;
  double cost = 1;
};

class WlFit {
 public:
  WlFit(const WlOptions& options, const DataShape& shape, const FitTask& task)
      : options_(options), task_(task), targets_(scorer_targets(task.data, task.train)) {
    const int deepest = options.depth.value_or(options.max_depth);
    const std::vector<GraphLabels> labels = labels_of(task.data.graphs, task.train, deepest, columns_of(shape),
                                                      options.kernel, task.pool, task.should_stop);
    vocabulary_ = WlVocabulary::of(labels, options.min_graphs, options.max_columns);
    rows_.columns = vocabulary_.columns();
    std::vector<SparseEntry> row;
    factors_.assign(static_cast<std::size_t>(deepest) + 1, std::vector<double>(labels.size()));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      row.clear();
      vocabulary_.encode(labels[i], row);
      rows_.add(row);
      const std::vector<double> factors = unit_factors(labels[i]);
      for (std::size_t d = 0; d < factors.size(); ++d) factors_[d][i] = factors[d];
    }
    folds_ = inner_folds(targets_, std::min<int>(options.inner_folds, static_cast<int>(labels.size())), task.seed);
  }

  Setting choose() {
    Setting best{options_.depth.value_or(0), options_.cost.value_or(kFirstCost)};
    if (!options_.depth && enough()) {
      std::vector<Setting> tried;
      for (int d = 0; d <= options_.max_depth; ++d) tried.push_back({d, best.cost});
      best = best_of(tried);
    } else if (!options_.depth) {
      best.depth = std::min(kFallbackDepth, options_.max_depth);
    }
    if (!options_.cost && enough()) {
      std::vector<Setting> tried;
      for (const double cost : kCosts) tried.push_back({best.depth, cost});
      best = best_of(tried);
    }
    return best;
  }

  std::vector<LinearScore> learn(const Setting& setting) {
    std::vector<LinearScore> scores(targets_.of.size());
    task_.pool.run(scores.size(), [&](std::size_t s, int) { scores[s] = fit(targets_.of[s], setting); });
    return scores;
  }

  // Slopes and shifts [S] of z: units of the data; for a support vector machine, what makes scores probabilities.
  std::vector<Sigmoid> calibrate(const Setting& setting) {
    std::vector<Sigmoid> all;
    const bool svm = options_.learner == LinearKind::kSvm && targets_.task != Task::kRegression;
    const std::vector<double> z = svm && enough() ? held_out({{setting}}).front() : std::vector<double>();
    for (std::size_t s = 0; s < targets_.of.size(); ++s) {
      all.push_back({targets_.scale[s], targets_.shift[s]});
      if (z.empty()) continue;
      std::vector<double> scores;
      for (const std::size_t r : targets_.of[s].rows) scores.push_back(z[r * targets_.of.size() + s]);
      all.back() = fit_sigmoid(scores, targets_.of[s].targets, answer_weights(targets_.of[s], task_.balanced));
    }
    return all;
  }

  [[nodiscard]] const WlVocabulary& vocabulary() const { return vocabulary_; }
  [[nodiscard]] double chosen_by() const { return chosen_by_; }

 private:
  static constexpr double kFirstCost = 10;
  static constexpr std::array kCosts = {0.1, 1.0, 10.0, 100.0};
  static constexpr int kFallbackDepth = 3;
  static constexpr std::size_t kFewest = 10;  // graphs; fewer do not choose anything

  [[nodiscard]] bool enough() const { return targets_.graphs >= kFewest; }

  [[nodiscard]] LinearScore fit(const Labelled& labelled, const Setting& setting) const {
    stop_if_asked(task_.should_stop);
    const LinearLoss loss = targets_.task == Task::kRegression          ? LinearLoss::kSquared
                            : options_.learner == LinearKind::kLogistic ? LinearLoss::kLogistic
                                                                        : LinearLoss::kHinge;
    return fit_linear({rows_, vocabulary_.columns_to(setting.depth), factors_[static_cast<std::size_t>(setting.depth)]},
                      labelled, {loss, setting.cost, task_.balanced});
  }

  // For each setting, z [rows, S] of rows that were held out of the fit.
  [[nodiscard]] std::vector<std::vector<double>> held_out(std::span<const Setting> settings) {
    const std::size_t width = targets_.of.size();
    const auto folds = static_cast<std::size_t>(*std::max_element(folds_.begin(), folds_.end())) + 1;
    std::vector<std::vector<double>> z(settings.size(), std::vector<double>(targets_.graphs * width));
    task_.pool.run(settings.size() * folds * width, [&](std::size_t at, int) {
      const std::size_t s = at % width, fold = at / width % folds, setting = at / width / folds;
      std::vector<char> kept(targets_.graphs);
      for (std::size_t r = 0; r < kept.size(); ++r) kept[r] = folds_[r] == static_cast<int>(fold) ? 0 : 1;
      const Labelled part = targets_.only(s, kept);
      const LinearScore score = fit(part, settings[setting]);
      const std::vector<double>& factor = factors_[static_cast<std::size_t>(settings[setting].depth)];
      for (std::size_t r = 0; r < kept.size(); ++r) {
        if (kept[r] == 0) z[setting][r * width + s] = score(rows_.row(r), factor[r]);
      }
    });
    return z;
  }

  // Of equals that with the lower log loss, then the first.
  Setting best_of(const std::vector<Setting>& tried) {
    const std::vector<std::vector<double>> z = held_out(tried);
    std::size_t best = 0;
    double value = std::nan(""), loss = std::nan("");
    const bool numbers = targets_.task == Task::kRegression;
    for (std::size_t i = 0; i < tried.size(); ++i) {
      const double here = score_rows(targets_, task_.metric, z[i]);
      const double here_loss = numbers ? here : score_rows(targets_, Metric::kLogLoss, z[i]);
      const bool as_good = !numbers && !is_better(task_.metric, value, here);
      if (is_better(task_.metric, here, value) || (as_good && is_better(Metric::kLogLoss, here_loss, loss))) {
        value = here;
        loss = here_loss;
        best = i;
      }
    }
    chosen_by_ = value;
    return tried[best];
  }

  const WlOptions& options_;
  const FitTask& task_;
  ScorerTargets targets_;
  WlVocabulary vocabulary_;
  SparseRows rows_;
  std::vector<std::vector<double>> factors_;  // [depth + 1][rows]
  std::vector<int> folds_;
  double chosen_by_ = std::nan("");
};

Fitted fit_wl(const NetworkConfig& config, const FitTask& task);

struct WlKind {
  using Options = WlOptions;
  using Made = WlNetwork;
  static constexpr std::string_view kName = "wl";
  static constexpr std::string_view kSummary =
      "Weisfeiler-Lehman subtree or optimal assignment features with logistic regression or a linear SVM (liblinear)";
  static constexpr auto kVisit = kVisitWl;
  static constexpr Fitter kFitter{fit_wl};
};

Fitted fit_wl(const NetworkConfig& config, const FitTask& task) {
  const auto options = read_options<WlKind>(config.options);
  WlFit fit(options, config.shape, task);
  const Setting setting = fit.choose();
  const std::vector<LinearScore> scores = fit.learn(setting);
  const std::vector<Sigmoid> units = fit.calibrate(setting);

  const std::size_t columns = fit.vocabulary().columns_to(setting.depth);
  const auto levels = static_cast<std::size_t>(setting.depth) + 1;
  Json decided = {{"columns", columns}, {"depth", setting.depth}, {"cost", setting.cost}};
  Fitted fitted;
  fitted.network = make_classic<WlKind>(fitted_config<WlKind>(config, task.data.schema.task, decided));
  fitted.parameters.resize(fitted.network->parameters().size());
  fitted.buffers.resize(fitted.network->buffers().size());
  const auto parameter = [&](const char* name) {
    return tensor_of(fitted.network->parameters(), std::span(fitted.parameters), name);
  };
  for (std::size_t s = 0; s < scores.size(); ++s) {
    parameter("output.scale")[s] = static_cast<float>(units[s].slope);
    parameter("output.shift")[s] = static_cast<float>(units[s].shift);
    parameter("linear.bias")[s] = scores[s].bias;
    std::ranges::copy(scores[s].weights, parameter("linear.weight").subspan(s * columns).begin());
  }
  const std::vector<float> pieces = fit.vocabulary().pieces(), ends = fit.vocabulary().level_ends();
  const auto buffer = [&](const char* name) {
    return tensor_of(fitted.network->buffers(), std::span(fitted.buffers), name);
  };
  std::copy_n(pieces.begin(), 3 * columns, buffer("wl.labels").begin());
  std::copy_n(ends.begin(), levels, buffer("wl.level_end").begin());
  fitted.notes.push_back(fmt::format("wl: depth {}, cost {:g}, {} labels{}", setting.depth, setting.cost, columns,
                                     std::isnan(fit.chosen_by())
                                         ? ""
                                         : fmt::format("; chosen by {} {:.4f} inside of the training part",
                                                       metric_name(task.metric), fit.chosen_by())));
  return fitted;
}

}  // namespace

const NetworkKind kWl = classic_kind<WlKind>();

}  // namespace agentnet
