#include "classic/learners/scorer_targets.h"

#include <algorithm>
#include <cmath>

#include "agentnet/error.h"
#include "classic/baselines.h"
#include "classic/scored_network.h"
#include "core/random.h"

namespace agentnet {
namespace {

void standardise(Labelled& labelled, double& scale, double& shift) {
  double mean = 0, squares = 0;
  for (const double y : labelled.targets) mean += y / labelled.count();
  for (const double y : labelled.targets) squares += (y - mean) * (y - mean) / labelled.count();
  shift = mean;
  scale = squares > 0 ? std::sqrt(squares) : 1;
  for (double& y : labelled.targets) y = (y - shift) / scale;
}

}  // namespace

Labelled ScorerTargets::only(std::size_t s, std::span<const char> kept) const {
  Labelled part;
  const Labelled& all = of[s];
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    if (kept[all.rows[i]] == 0) continue;
    part.rows.push_back(all.rows[i]);
    part.targets.push_back(all.targets[i]);
  }
  return part;
}

ScorerTargets scorer_targets(const Dataset& data, std::span<const std::size_t> graphs) {
  ScorerTargets targets;
  targets.task = data.schema.task;
  targets.outputs = static_cast<std::size_t>(baseline_outputs(data.schema));
  targets.graphs = graphs.size();
  for (const std::size_t g : graphs) {
    const auto row = data.graphs.targets(g);
    targets.rows.insert(targets.rows.end(), row.begin(), row.end());
  }
  const std::size_t scores = num_scores(targets.task, targets.outputs);
  targets.scale.assign(scores, 1);
  targets.shift.assign(scores, 0);
  const bool classes = targets.task == Task::kClassification;
  for (std::size_t s = 0; s < scores; ++s) {
    Labelled& labelled = targets.of.emplace_back(labelled_graphs(data, graphs, classes ? 0 : s));
    const auto is_class = static_cast<double>(scores == 1 ? 1 : s);
    if (classes) {
      for (double& y : labelled.targets) y = y == is_class ? 1 : 0;
    } else if (targets.task == Task::kRegression && !labelled.rows.empty()) {
      standardise(labelled, targets.scale[s], targets.shift[s]);
    }
  }
  return targets;
}

std::vector<int> inner_folds(const ScorerTargets& targets, int folds, std::uint64_t seed) {
  // Rows in random order, those of a class together; dealing them out in turn gives each part its share of every class.
  std::vector<std::size_t> order(targets.graphs);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  RandomSequence(seed, Purpose::kSplit, 1).shuffle(order);
  if (targets.task == Task::kClassification) {
    const auto before = [&](std::size_t a, std::size_t b) {
      const double x = targets.rows[a], y = targets.rows[b];
      return std::isnan(y) ? !std::isnan(x) : x < y;  // blanks come last
    };
    std::stable_sort(order.begin(), order.end(), before);
  }
  std::vector<int> fold(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) fold[order[i]] = static_cast<int>(i % static_cast<std::size_t>(folds));
  return fold;
}

double score_rows(const ScorerTargets& targets, Metric metric, std::span<const double> z) {
  const std::size_t width = targets.of.size();
  std::vector<double> predictions(targets.graphs * targets.outputs), row(width);
  for (std::size_t g = 0; g < targets.graphs; ++g) {
    for (std::size_t s = 0; s < width; ++s) row[s] = targets.scale[s] * z[g * width + s] + targets.shift[s];
    scores_to_predictions(targets.task, row, std::span(predictions).subspan(g * targets.outputs, targets.outputs));
  }
  return score(metric, targets.task, static_cast<int>(targets.outputs), predictions, targets.rows, targets.graphs);
}

AnswerWeights answer_weights(const Labelled& labelled, bool balanced) {
  const auto yes = static_cast<double>(std::count(labelled.targets.begin(), labelled.targets.end(), 1.0));
  const double no = labelled.count() - yes;
  if (!balanced || yes == 0 || no == 0) return {};
  return {labelled.count() / (2 * no), labelled.count() / (2 * yes)};
}

double log_odds(const Labelled& labelled) {
  const auto yes = static_cast<double>(std::count(labelled.targets.begin(), labelled.targets.end(), 1.0));
  return std::log((yes + 0.5) / (labelled.count() - yes + 0.5));
}

bool has_both_answers(const Labelled& labelled) {
  return std::any_of(labelled.targets.begin(), labelled.targets.end(),
                     [&](double y) { return y != labelled.targets.front(); });
}

Sigmoid fit_sigmoid(std::span<const double> scores, std::span<const double> answers, AnswerWeights weights) {
  // Newton's method on the log loss of 1 / (1 + exp(-(a s + b))) with targets a little inside of 0 and 1, as Platt
  // does, so that the minimum is finite also for scores that separate the answers.
  const auto yes = static_cast<double>(std::count(answers.begin(), answers.end(), 1.0));
  const double no = static_cast<double>(answers.size()) - yes;
  if (yes == 0 || no == 0) return {};
  const double high = (yes + 1) / (yes + 2), low = 1 / (no + 2);
  constexpr int kSteps = 100;
  constexpr double kRidge = 1e-6;
  const auto weight = [&](std::size_t i) { return answers[i] == 1 ? weights.yes : weights.no; };
  const auto loss = [&](double a, double b) {
    double sum = kRidge * (a * a + b * b) / 2;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double z = a * scores[i] + b, t = answers[i] == 1 ? high : low;
      sum += weight(i) * (std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))) - t * z);
    }
    return sum;
  };
  double a = 1, b = 0, now = loss(a, b);
  for (int step = 0; step < kSteps; ++step) {
    double ga = kRidge * a, gb = kRidge * b, haa = kRidge, hab = 0, hbb = kRidge;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double s = scores[i], p = 1 / (1 + std::exp(-(a * s + b))), t = answers[i] == 1 ? high : low;
      const double slope = weight(i) * (p - t), curve = weight(i) * p * (1 - p);
      ga += slope * s;
      gb += slope;
      haa += curve * s * s;
      hab += curve * s;
      hbb += curve;
    }
    const double det = haa * hbb - hab * hab;
    if (!(det > 0)) break;
    double da = -(hbb * ga - hab * gb) / det, db = -(haa * gb - hab * ga) / det, next = loss(a + da, b + db);
    for (int half = 0; half < 30 && !(next <= now); ++half) next = loss(a + (da /= 2), b + (db /= 2));
    if (!(next < now)) break;
    a += da;
    b += db;
    now = next;
  }
  return std::isfinite(a) && std::isfinite(b) && a > 0 ? Sigmoid{a, b} : Sigmoid{};
}

}  // namespace agentnet
