#include "view/tables/how_wrong.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace agentnet {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kBins = 15;  // as train/metrics.h

using Row = std::span<const double>;

Row row_of(const Answers& answers, std::size_t g) {
  const auto width = static_cast<std::size_t>(answers.outputs);
  return answers.mean.subspan(g * width, width);
}

Row targets_of(const Answers& answers, std::size_t g) {
  if (answers.targets.empty()) return {};
  const std::size_t width = answers.task == Task::kClassification ? 1 : static_cast<std::size_t>(answers.outputs);
  return answers.targets.subspan(g * width, width);
}

// The number of the true class; none if it is blank.
std::size_t true_class(const Answers& answers, std::size_t g) {
  const Row target = targets_of(answers, g);
  if (target.empty() || !(target[0] >= 0)) return static_cast<std::size_t>(answers.outputs);
  return static_cast<std::size_t>(target[0]);
}

bool is_finite(Row row) {
  return std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); });
}

std::size_t likeliest(Row row) {
  return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

double wrong_class(const Answers& answers, std::size_t g) {
  const std::size_t truth = true_class(answers, g);
  const Row row = row_of(answers, g);
  if (truth >= row.size()) return kUnknown;
  double rival = 0;
  for (std::size_t c = 0; c < row.size(); ++c) rival = c == truth ? rival : std::max(rival, row[c]);
  return rival - row[truth];
}

double worst_question(Row row, Row target) {
  double worst = kUnknown;
  for (std::size_t c = 0; c < target.size(); ++c) {
    if (std::isnan(target[c])) continue;
    const double lead = target[c] > 0.5 ? 1 - 2 * row[c] : 2 * row[c] - 1;
    if (!(worst >= lead)) worst = lead;
  }
  return worst;
}

// The standard deviation of each target over the set; 1 where there is none.
std::vector<double> spread_of_targets(const Answers& answers) {
  const auto width = static_cast<std::size_t>(answers.outputs);
  std::vector<double> spread(width, 1);
  if (answers.task == Task::kClassification) return spread;  // a class number is one value, however many outputs
  for (std::size_t c = 0; c < width && !answers.targets.empty(); ++c) {
    double sum = 0, squares = 0, count = 0;
    for (std::size_t g = 0; g < answers.graphs(); ++g) {
      const double y = answers.targets[g * width + c];
      if (std::isnan(y)) continue;
      count += 1;
      const double off = y - sum;  // Welford's: `sum` is the mean so far
      sum += off / count;
      squares += off * (y - sum);
    }
    if (count > 1 && squares > 0) spread[c] = std::sqrt(squares / (count - 1));
  }
  return spread;
}

double mean_error(Row row, Row target, std::span<const double> spread) {
  double sum = 0, count = 0;
  for (std::size_t c = 0; c < target.size(); ++c) {
    if (std::isnan(target[c])) continue;
    sum += std::abs(row[c] - target[c]) / spread[c];
    count += 1;
  }
  return count > 0 ? sum / count : kUnknown;
}

// `most` of the values, evenly spaced, the first and the last among them.
std::vector<std::size_t> even_choice(std::span<const std::size_t> values, std::size_t most) {
  if (values.size() <= most) return {values.begin(), values.end()};
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < most; ++i) {
    chosen.push_back(values[most == 1 ? 0 : i * (values.size() - 1) / (most - 1)]);
  }
  return chosen;
}

}  // namespace

std::vector<double> how_wrong(const Answers& answers) {
  const std::vector<double> spread = spread_of_targets(answers);
  std::vector<double> wrong(answers.graphs(), kUnknown);
  for (std::size_t g = 0; g < wrong.size(); ++g) {
    const Row row = row_of(answers, g), target = targets_of(answers, g);
    if (!is_finite(row)) continue;
    wrong[g] = answers.task == Task::kClassification ? wrong_class(answers, g)
               : answers.task == Task::kMultilabel   ? worst_question(row, target)
                                                     : mean_error(row, target, spread);
  }
  return wrong;
}

std::vector<std::size_t> graphs_to_explain(const Answers& answers, std::size_t most) {
  const std::vector<double> wrong = how_wrong(answers);
  std::vector<std::size_t> order(answers.graphs());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t g) {
    return std::isnan(wrong[g]) ? -std::numeric_limits<double>::infinity() : wrong[g];
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  if (order.size() <= most) return order;

  // Numbers are never plain wrong: their worst half of the choice is simply the largest errors.
  const bool numbers = answers.task != Task::kClassification && answers.task != Task::kMultilabel;
  std::size_t worst = 0;
  while (worst < (most + 1) / 2 && (numbers ? !std::isnan(wrong[order[worst]]) : wrong[order[worst]] > 0)) ++worst;
  std::vector<std::size_t> chosen(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(worst));
  const auto others = even_choice(std::span(order).subspan(worst), most - worst);
  chosen.insert(chosen.end(), others.begin(), others.end());
  return chosen;
}

std::vector<std::vector<std::uint64_t>> confusion_matrix(const Answers& answers) {
  const auto classes = static_cast<std::size_t>(answers.outputs);
  std::vector<std::vector<std::uint64_t>> counts(classes, std::vector<std::uint64_t>(classes));
  for (std::size_t g = 0; g < answers.graphs(); ++g) {
    const std::size_t truth = true_class(answers, g);
    if (truth < classes && is_finite(row_of(answers, g))) ++counts[truth][likeliest(row_of(answers, g))];
  }
  return counts;
}

std::vector<CalibrationBin> calibration_bins(const Answers& answers) {
  std::array<CalibrationBin, kBins> bins;
  const auto add = [&](double confidence, bool right) {
    const double place = std::ceil(confidence * static_cast<double>(kBins)) - 1;
    CalibrationBin& bin = bins[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(kBins - 1)))];
    bin.confidence += confidence;
    bin.accuracy += right ? 1 : 0;
    ++bin.count;
  };
  for (std::size_t g = 0; g < answers.graphs(); ++g) {
    const Row row = row_of(answers, g), target = targets_of(answers, g);
    if (!is_finite(row)) continue;
    if (answers.task == Task::kClassification) {
      const std::size_t truth = true_class(answers, g), said = likeliest(row);
      if (truth < row.size()) add(row[said], said == truth);
      continue;
    }
    for (std::size_t c = 0; c < target.size(); ++c) {
      const bool yes = row[c] > 0.5;
      if (!std::isnan(target[c])) add(yes ? row[c] : 1 - row[c], yes == (target[c] > 0.5));
    }
  }
  std::vector<CalibrationBin> filled;
  for (CalibrationBin& bin : bins) {
    if (bin.count == 0) continue;
    bin.confidence /= static_cast<double>(bin.count);
    bin.accuracy /= static_cast<double>(bin.count);
    filled.push_back(bin);
  }
  return filled;
}

}  // namespace agentnet
