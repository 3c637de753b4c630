#include "agentnet/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallestProbability = 1e-15;
constexpr int kCalibrationBins = 15;

enum class Fits { kLabels, kNumbers };  // classes and yes/no questions, or regression

struct Description {
  std::string_view name;
  bool higher_is_better;
  Fits fits;
};

// In the order of the enumeration.
constexpr std::array<Description, 14> kDescriptions = {{{"accuracy", true, Fits::kLabels},
                                                        {"balanced-accuracy", true, Fits::kLabels},
                                                        {"f1", true, Fits::kLabels},
                                                        {"roc-auc", true, Fits::kLabels},
                                                        {"average-precision", true, Fits::kLabels},
                                                        {"log-loss", false, Fits::kLabels},
                                                        {"calibration-error", false, Fits::kLabels},
                                                        {"mcc", true, Fits::kLabels},
                                                        {"specificity", true, Fits::kLabels},
                                                        {"mae", false, Fits::kNumbers},
                                                        {"rmse", false, Fits::kNumbers},
                                                        {"r2", true, Fits::kNumbers},
                                                        {"pearson", true, Fits::kNumbers},
                                                        {"spearman", true, Fits::kNumbers}}};

const Description& describe(Metric metric) { return kDescriptions.at(static_cast<std::size_t>(metric)); }

bool fits(Metric metric, Task task) {
  if (task == Task::kNone) return false;
  return describe(metric).fits == (task == Task::kRegression ? Fits::kNumbers : Fits::kLabels);
}

// The arithmetic mean of what was added; NaN of nothing.
class Mean {
 public:
  void add(double value, double weight = 1) {
    sum_ += weight * value;
    weight_ += weight;
  }
  void add_defined(double value) {
    if (!std::isnan(value)) add(value);
  }
  [[nodiscard]] double value() const { return weight_ > 0 ? sum_ / weight_ : kUndefined; }

 private:
  double sum_ = 0, weight_ = 0;
};

// One labelled entry as a yes/no question.
struct Answer {
  double probability;  // of "yes"
  bool said;           // the answer taken
  bool truth;
};
using Answers = std::vector<Answer>;

// One labelled entry as a bet: the answer taken, how sure it was, and the probability that the truth was given.
struct Bet {
  double confidence;
  double on_truth;
  bool right;
};

class Rows {
 public:
  Rows(Task task, int outputs, std::span<const double> predictions, std::span<const double> targets, std::size_t graphs)
      : task_(task), width_(static_cast<std::size_t>(outputs)), predictions_(predictions), targets_(targets) {
    check(outputs, graphs);
    graphs_ = graphs;
    for (std::size_t g = 0; g < graphs && task == Task::kClassification; ++g) {
      const auto row = predictions.subspan(g * width_, width_);
      likeliest_.push_back(static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin()));
    }
  }

  // A prediction that is no finite number makes every score undefined, unless its target is blank.
  [[nodiscard]] bool all_finite() const {
    for (std::size_t g = 0; g < graphs_; ++g) {
      for (std::size_t c = 0; c < width_; ++c) {
        if (!std::isnan(target(g, c)) && !std::isfinite(prediction(g, c))) return false;
      }
    }
    return true;
  }

  [[nodiscard]] Task task() const { return task_; }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t graphs() const { return graphs_; }
  // For classes; nothing for a blank.
  [[nodiscard]] std::optional<std::size_t> true_class(std::size_t g) const {
    if (std::isnan(targets_[g])) return std::nullopt;
    return static_cast<std::size_t>(targets_[g]);
  }
  [[nodiscard]] std::size_t answered_class(std::size_t g) const { return likeliest_[g]; }
  [[nodiscard]] bool single_question() const { return task_ == Task::kClassification && width_ == 2; }

  // The labelled entries of question c; for classes: is it class c, or another one?
  [[nodiscard]] Answers question(std::size_t c) const {
    Answers answers;
    for (std::size_t g = 0; g < graphs_; ++g) {
      const double y = target(g, c), p = prediction(g, c);
      if (std::isnan(y)) continue;
      if (task_ == Task::kClassification) {
        answers.push_back({p, likeliest_[g] == c, y == static_cast<double>(c)});
      } else {
        answers.push_back({p, p > 0.5, y == 1});
      }
    }
    return answers;
  }

  // The mean of a number over the questions for which it is defined.
  [[nodiscard]] double over_questions(const std::function<double(Answers)>& of_question) const {
    Mean mean;
    for (std::size_t c = single_question() ? 1 : 0; c < width_; ++c) mean.add_defined(of_question(question(c)));
    return mean.value();
  }

  // Of every labelled entry: a graph's class, or each of its questions.
  [[nodiscard]] std::vector<Bet> bets() const {
    std::vector<Bet> bets;
    for (std::size_t g = 0; g < graphs_; ++g) {
      if (task_ == Task::kClassification) {
        if (std::isnan(targets_[g])) continue;
        const auto truth = static_cast<std::size_t>(targets_[g]);
        bets.push_back({prediction(g, likeliest_[g]), prediction(g, truth), likeliest_[g] == truth});
        continue;
      }
      for (std::size_t c = 0; c < width_; ++c) {
        const double y = target(g, c), p = prediction(g, c);
        if (!std::isnan(y)) bets.push_back({std::max(p, 1 - p), y == 1 ? p : 1 - p, (p > 0.5) == (y == 1)});
      }
    }
    return bets;
  }

  // The mean over targets for which it is defined of a number made of their labelled predictions and truths.
  [[nodiscard]] double over_pairs(double (*of_target)(std::vector<double>, std::vector<double>)) const {
    Mean mean;
    for (std::size_t c = 0; c < width_; ++c) {
      std::vector<double> said, truth;
      for (std::size_t g = 0; g < graphs_; ++g) {
        if (std::isnan(target(g, c))) continue;
        said.push_back(prediction(g, c));
        truth.push_back(target(g, c));
      }
      mean.add_defined(of_target(std::move(said), std::move(truth)));
    }
    return mean.value();
  }

  // The mean over targets of the mean over labelled graphs of `term`, with `finish` done to the latter.
  [[nodiscard]] double over_targets(double (*term)(double), double (*finish)(double)) const {
    Mean over_targets;
    for (std::size_t c = 0; c < width_; ++c) {
      Mean over_graphs;
      for (std::size_t g = 0; g < graphs_; ++g) {
        if (!std::isnan(target(g, c))) over_graphs.add(term(prediction(g, c) - target(g, c)));
      }
      over_targets.add_defined(finish(over_graphs.value()));
    }
    return over_targets.value();
  }

 private:
  [[nodiscard]] double prediction(std::size_t g, std::size_t c) const { return predictions_[g * width_ + c]; }
  // For classes the graph's class, whatever c is.
  [[nodiscard]] double target(std::size_t g, std::size_t c) const {
    return task_ == Task::kClassification ? targets_[g] : targets_[g * width_ + c];
  }

  void check(int outputs, std::size_t graphs) const {
    const bool classes = task_ == Task::kClassification;
    if (outputs < 1 || predictions_.size() != graphs * width_ ||
        targets_.size() != (classes ? graphs : graphs * width_)) {
      throw Error(ErrorKind::kMismatch,
                  std::to_string(predictions_.size()) + " predictions and " + std::to_string(targets_.size()) +
                      " targets do not make " + std::to_string(graphs) + " graphs with " + std::to_string(outputs) +
                      " outputs",
                  "give a row of predictions per graph, and one class or a row of targets");
    }
    if (task_ == Task::kRegression) return;
    const double limit = classes ? outputs : 2;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const double y = targets_[i];
      if (std::isnan(y) || (y >= 0 && y < limit && y == std::floor(y))) continue;
      throw Error(ErrorKind::kMismatch,
                  "graph " + std::to_string(classes ? i : i / width_) + " has the label " + std::to_string(y) +
                      ", known are 0 to " + std::to_string(static_cast<int>(limit) - 1),
                  classes ? "number the classes from 0" : "questions are answered 0, 1 or not at all");
    }
  }

  Task task_;
  std::size_t width_ = 0, graphs_ = 0;
  std::span<const double> predictions_, targets_;
  std::vector<std::size_t> likeliest_;  // the class answered, per graph
};

std::uint64_t count_yes(const Answers& answers) {
  return static_cast<std::uint64_t>(
      std::count_if(answers.begin(), answers.end(), [](const Answer& a) { return a.truth; }));
}

// Calls group(yes, no) for each probability that occurs, from the largest down, with the numbers of entries that have
// it.
template <class Group>
void from_the_top(Answers& answers, const Group& group) {
  std::sort(answers.begin(), answers.end(),
            [](const Answer& a, const Answer& b) { return a.probability > b.probability; });
  for (std::size_t i = 0; i < answers.size();) {
    std::uint64_t yes = 0, no = 0;
    const double p = answers[i].probability;
    for (; i < answers.size() && answers[i].probability == p; ++i) ++(answers[i].truth ? yes : no);
    group(yes, no);
  }
}

// The chance that a "yes" is ranked above a "no". Counted in whole numbers: pairs in the right order, and ties as half.
double roc_auc(Answers answers) {
  const std::uint64_t all_yes = count_yes(answers), all_no = answers.size() - all_yes;
  if (all_yes == 0 || all_no == 0) return kUndefined;
  std::uint64_t above = 0, twice_in_order = 0;
  from_the_top(answers, [&](std::uint64_t yes, std::uint64_t no) {
    twice_in_order += no * (2 * above + yes);
    above += yes;
  });
  return static_cast<double>(twice_in_order) / (2 * static_cast<double>(all_yes) * static_cast<double>(all_no));
}

double average_precision(Answers answers) {
  const std::uint64_t all_yes = count_yes(answers);
  if (all_yes == 0 || all_yes == answers.size()) return kUndefined;
  double sum = 0;
  std::uint64_t found = 0, seen = 0;
  from_the_top(answers, [&](std::uint64_t yes, std::uint64_t no) {
    found += yes;
    seen += yes + no;
    sum += static_cast<double>(yes) * static_cast<double>(found) / static_cast<double>(seen);
  });
  return sum / static_cast<double>(all_yes);
}

double f1(const Answers& answers) {
  double both = 0, either = 0;  // "yes" in truth and answer; in truth plus in answer
  for (const Answer& a : answers) {
    both += a.said && a.truth ? 1 : 0;
    either += (a.said ? 1 : 0) + (a.truth ? 1 : 0);
  }
  return either > 0 ? 2 * both / either : kUndefined;
}

// The share of entries with this truth that were answered so.
double recall(const Answers& answers, bool truth) {
  Mean mean;
  for (const Answer& a : answers) {
    if (a.truth == truth) mean.add(a.said == truth ? 1 : 0);
  }
  return mean.value();
}

double balanced_accuracy(const Rows& rows) {
  if (rows.task() == Task::kMultilabel) {
    return rows.over_questions([](const Answers& q) { return (recall(q, true) + recall(q, false)) / 2; });
  }
  Mean over_classes;
  for (std::size_t c = 0; c < rows.width(); ++c) over_classes.add_defined(recall(rows.question(c), true));
  return over_classes.value();
}

// The class answered and the true one of each labelled graph, counted: [C, C], true x answered.
std::vector<double> confusion(const Rows& rows) {
  std::vector<double> counts(rows.width() * rows.width());
  for (std::size_t g = 0; g < rows.graphs(); ++g) {
    if (const auto truth = rows.true_class(g)) counts[*truth * rows.width() + rows.answered_class(g)] += 1;
  }
  return counts;
}

// R_K = (c s - sum_k p_k t_k) / sqrt((s^2 - sum_k p_k^2) (s^2 - sum_k t_k^2)) with s graphs, c of them right, and t_k,
// p_k graphs of class k in truth and answers (Gorodkin 2004). Of two classes this is Matthews' correlation.
double correlation_of(std::span<const double> counts, std::size_t classes) {
  double all = 0, right = 0;
  std::vector<double> truth(classes), said(classes);
  for (std::size_t t = 0; t < classes; ++t) {
    for (std::size_t p = 0; p < classes; ++p) {
      const double n = counts[t * classes + p];
      all += n;
      truth[t] += n;
      said[p] += n;
      if (t == p) right += n;
    }
  }
  double both = 0, of_truth = all * all, of_said = all * all;
  for (std::size_t k = 0; k < classes; ++k) {
    both += truth[k] * said[k];
    of_truth -= truth[k] * truth[k];
    of_said -= said[k] * said[k];
  }
  if (!(of_truth > 0)) return kUndefined;  // one class in truth, or nothing labelled
  if (!(of_said > 0)) return 0;
  return (right * all - both) / (std::sqrt(of_truth) * std::sqrt(of_said));
}

double mcc(const Rows& rows) {
  if (rows.task() == Task::kClassification) return correlation_of(confusion(rows), rows.width());
  return rows.over_questions([](const Answers& answers) {
    std::array<double, 4> counts = {};
    for (const Answer& a : answers) counts.at((a.truth ? 2 : 0) + (a.said ? 1 : 0)) += 1;
    return correlation_of(counts, 2);
  });
}

// The share of entries that were answered right.
double right(const Answers& answers) {
  Mean mean;
  for (const Answer& a : answers) mean.add(a.said == a.truth ? 1 : 0);
  return mean.value();
}

double accuracy(const Rows& rows) {
  if (rows.task() == Task::kMultilabel) return rows.over_questions(right);
  Mean mean;
  for (const Bet& bet : rows.bets()) mean.add(bet.right ? 1 : 0);
  return mean.value();
}

double log_loss(const Rows& rows) {
  Mean mean;
  for (const Bet& bet : rows.bets()) {
    mean.add(-std::log(std::clamp(bet.on_truth, kSmallestProbability, 1 - kSmallestProbability)));
  }
  return mean.value();
}

// Bin b holds confidences in (b / 15, (b + 1) / 15], as Guo et al. (2017) have it; 0 goes to the first.
double calibration_error(const Rows& rows) {
  struct Bin {
    double entries = 0, confidence = 0, right = 0;
  };
  std::array<Bin, kCalibrationBins> bins;
  for (const Bet& bet : rows.bets()) {
    const double place = std::ceil(bet.confidence * kCalibrationBins) - 1;
    Bin& bin = bins.at(static_cast<std::size_t>(std::clamp(place, 0.0, kCalibrationBins - 1.0)));
    bin.entries += 1;
    bin.confidence += bet.confidence;
    bin.right += bet.right ? 1 : 0;
  }
  Mean mean;
  for (const Bin& bin : bins) {
    if (bin.entries > 0) mean.add(std::abs(bin.confidence - bin.right) / bin.entries, bin.entries);
  }
  return mean.value();
}

double mean_of(std::span<const double> values) {
  Mean mean;
  for (const double value : values) mean.add(value);
  return mean.value();
}

// R2 = 1 - sum (y - p)^2 / sum (y - mean y)^2
double r2(std::vector<double> said, std::vector<double> truth) {
  const double centre = mean_of(truth);
  double errors = 0, all = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    errors += (truth[i] - said[i]) * (truth[i] - said[i]);
    all += (truth[i] - centre) * (truth[i] - centre);
  }
  return all > 0 ? 1 - errors / all : kUndefined;
}

bool all_same(const std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

// r = sum (p - mean p)(y - mean y) / sqrt(sum (p - mean p)^2 sum (y - mean y)^2)
double pearson(std::vector<double> said, std::vector<double> truth) {
  if (all_same(said) || all_same(truth)) return kUndefined;  // sums of squares would be what rounding leaves of them
  const double p = mean_of(said), y = mean_of(truth);
  double both = 0, of_said = 0, of_truth = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    both += (said[i] - p) * (truth[i] - y);
    of_said += (said[i] - p) * (said[i] - p);
    of_truth += (truth[i] - y) * (truth[i] - y);
  }
  if (!(of_said > 0) || !(of_truth > 0)) return kUndefined;
  return both / (std::sqrt(of_said) * std::sqrt(of_truth));
}

// From 1; equal values share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = static_cast<double>(first + 1 + last) / 2;
    first = last;
  }
  return ranks;
}

double spearman(std::vector<double> said, std::vector<double> truth) {
  return pearson(ranks_of(said), ranks_of(truth));
}

double compute(Metric metric, const Rows& rows) {
  switch (metric) {
    case Metric::kAccuracy:
      return accuracy(rows);
    case Metric::kBalancedAccuracy:
      return balanced_accuracy(rows);
    case Metric::kF1:
      return rows.over_questions(f1);
    case Metric::kRocAuc:
      return rows.over_questions(roc_auc);
    case Metric::kAveragePrecision:
      return rows.over_questions(average_precision);
    case Metric::kLogLoss:
      return log_loss(rows);
    case Metric::kCalibrationError:
      return calibration_error(rows);
    case Metric::kMcc:
      return mcc(rows);
    case Metric::kSpecificity:
      return rows.over_questions([](const Answers& answers) { return recall(answers, false); });
    case Metric::kMae:
      return rows.over_targets([](double d) { return std::abs(d); }, [](double mean) { return mean; });
    case Metric::kRmse:
      return rows.over_targets([](double d) { return d * d; }, [](double mean) { return std::sqrt(mean); });
    case Metric::kR2:
      return rows.over_pairs(r2);
    case Metric::kPearson:
      return rows.over_pairs(pearson);
    case Metric::kSpearman:
      return rows.over_pairs(spearman);
  }
  return kUndefined;
}

}  // namespace

std::string_view metric_name(Metric metric) { return describe(metric).name; }

Metric metric_from_name(std::string_view name) {
  std::vector<std::string> names;
  for (const Description& description : kDescriptions) {
    if (description.name == name) return static_cast<Metric>(names.size());
    names.emplace_back(description.name);
  }
  std::string all;
  for (const std::string& known : names) all += (all.empty() ? "metrics are " : ", ") + known;
  const auto meant = closest_match(name, names);
  throw Error(ErrorKind::kUsage, "there is no metric " + in_quotes(name), meant ? "did you mean " + *meant + "?" : all);
}

bool higher_is_better(Metric metric) { return describe(metric).higher_is_better; }

bool is_better(Metric metric, double score, double best) {
  if (std::isnan(score) || std::isnan(best)) return !std::isnan(score);
  return higher_is_better(metric) ? score > best : score < best;
}

std::vector<Metric> metrics_for(Task task) {
  std::vector<Metric> fitting;
  for (std::size_t i = 0; i < kDescriptions.size(); ++i) {
    if (fits(static_cast<Metric>(i), task)) fitting.push_back(static_cast<Metric>(i));
  }
  return fitting;
}

double score(Metric metric, Task task, int outputs, std::span<const double> predictions,
             std::span<const double> targets, std::size_t graphs) {
  if (!fits(metric, task)) {
    std::string fitting;
    for (const Metric other : metrics_for(task)) {
      fitting += (fitting.empty() ? "" : ", ") + std::string(metric_name(other));
    }
    throw Error(
        ErrorKind::kUsage,
        "the metric " + std::string(metric_name(metric)) + " does not fit the task " + std::string(task_name(task)),
        fitting.empty() ? "without targets there is nothing to measure" : "metrics that fit: " + fitting);
  }
  const Rows rows(task, outputs, predictions, targets, graphs);
  if (!rows.all_finite()) return kUndefined;
  const double value = compute(metric, rows);
  return std::isfinite(value) ? value : kUndefined;  // a sum of squares may overflow
}

Scores all_scores(Task task, int outputs, std::span<const double> predictions, std::span<const double> targets,
                  std::size_t graphs) {
  Scores scores;
  const std::vector<Metric> fitting = metrics_for(task);
  if (fitting.empty()) return scores;
  const Rows rows(task, outputs, predictions, targets, graphs);
  if (!rows.all_finite()) return scores;
  for (const Metric metric : fitting) {
    const double value = compute(metric, rows);
    if (std::isfinite(value)) scores.push_back({std::string(metric_name(metric)), value});
  }
  return scores;
}

std::vector<Scores> scores_by_target(Task task, int outputs, std::span<const double> predictions,
                                     std::span<const double> targets, std::size_t graphs) {
  const auto width = static_cast<std::size_t>(outputs);
  if (task == Task::kClassification || task == Task::kNone || width < 2) return {};
  static_cast<void>(Rows(task, outputs, predictions, targets, graphs));  // which checks that they belong together
  std::vector<Scores> all;
  for (std::size_t c = 0; c < width; ++c) {
    std::vector<double> said, truth;
    for (std::size_t g = 0; g < graphs; ++g) {
      said.push_back(predictions[g * width + c]);
      truth.push_back(targets[g * width + c]);
    }
    all.push_back(all_scores(task, 1, said, truth, graphs));
  }
  return all;
}

std::vector<TargetScores> scores_by_target(std::span<const std::string> names, Task task,
                                           std::span<const double> predictions, std::span<const double> targets,
                                           std::size_t graphs) {
  std::vector<TargetScores> all;
  for (Scores& scores : scores_by_target(task, static_cast<int>(names.size()), predictions, targets, graphs)) {
    all.push_back({names[all.size()], std::move(scores)});
  }
  return all;
}

double score_named(const Scores& scores, std::string_view name) {
  const auto at = std::find_if(scores.begin(), scores.end(), [&](const Score& score) { return score.name == name; });
  return at == scores.end() ? std::numeric_limits<double>::quiet_NaN() : at->value;
}

}  // namespace agentnet
