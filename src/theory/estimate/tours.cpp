// One walk in tours from a set of anchors; see estimate.h.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "agentnet/error.h"
#include "theory/estimate/counted_walk.h"
#include "theory/estimate/estimate.h"
#include "theory/estimate/id_set.h"

namespace agentnet::theory {

namespace {

class TourWalker {
 public:
  TourWalker(WalkAccess& access, const EstimateOptions& options)
      : access_(&access), walk_(access, options), options_(&options) {
    // The interval is made for a quarter of the risk that was allowed: tours are skewed, and the walk stops when it is
    // content.
    quantile_ = normal_quantile(1 - (1 - options.confidence) / 8);
    unseen_ = -std::log(1 - options.confidence);
  }

  Estimates run() {
    if (walk_.degree() == 0) {
      throw Error(ErrorKind::kData, "the walk starts on a node without neighbours", "start it somewhere else");
    }
    collect_anchors();
    Estimates result;
    explored_ = access_->explored();
    if (anchors_.size() <= kMostCounted && explored_) {
      result.of = count_all(*access_, anchors_, options_->what);
      result.exact = true;
    } else {
      make_tours();
      for (const Measure& measure : options_->what) result.of.push_back(interval(measure));
      result.tours = moments_.count();
    }
    result.anchors = anchors_.size();
    result.steps = walk_.steps();
    return result;
  }

 private:
  static constexpr std::uint64_t kFewestExcursions = 400;  // tours that leave the anchors, for a mean to be normal
  static constexpr std::uint64_t kFewestToSay = 50;        // anything at all

  void anchor() {
    if (!is_anchor_.insert(walk_.here())) {
      ++returns_;
      return;
    }
    anchors_.push_back(walk_.here());
    const double degree = walk_.degree();
    volume_ += degree;
    wedges_ += degree * (degree - 1) / 2;
    volume_before_.push_back(volume_);
  }

  // Until as many steps as these would come back to the anchors often enough for the error that is asked for: then the
  // anchors have cost about as much as the tours will.
  void collect_anchors() {
    const double tours = std::max(static_cast<double>(kFewestExcursions), std::pow(quantile_ / options_->error, 2));
    const std::uint64_t most = std::max<std::uint64_t>(1, options_->max_steps / 4);
    std::uint64_t returns_at_half = 0, half = 0;
    anchor();
    while (walk_.steps() < most && !walk_.over()) {
      walk_.step();
      anchor();
      if (walk_.steps() >= 2 * half) {
        half = walk_.steps();
        returns_at_half = returns_;
      }
      // Of the steps since `half`; fewer than half of all steps are not looked at.
      if (walk_.steps() >= half + half / 2 && static_cast<double>(returns_ - returns_at_half) * 2 > tours) break;
    }
  }

  [[nodiscard]] std::uint64_t random_anchor() {
    const double at = walk_.random().uniform() * volume_;
    const auto chosen = std::upper_bound(volume_before_.begin(), volume_before_.end(), at) - volume_before_.begin();
    return anchors_[std::min(static_cast<std::size_t>(chosen), anchors_.size() - 1)];
  }

  void make_tours() {
    base_[kEnds] = 1;
    base_[kInverse] = static_cast<double>(anchors_.size()) / volume_;
    base_[kWedge] = wedges_ / volume_;
    std::uint64_t next_look = kFewestExcursions;
    // The last tour needs room to end: those that are cut are the long ones.
    while (walk_.steps() < options_->max_steps / 4 * 3 + 1 && !walk_.over()) {
      if (!tour()) return;
      if (moments_.count() < next_look) continue;
      next_look += next_look / 10;
      if (std::all_of(options_->what.begin(), options_->what.end(),
                      [&](const Measure& measure) { return interval(measure).met; })) {
        return;
      }
    }
  }

  // Returns false if the tour was cut short: nothing is known then of how large things may be.
  bool tour() {
    Sums sums{};
    std::uint64_t before = 0;
    walk_.go(random_anchor());
    if (walk_.wants_triangles()) {  // the node before the first: as random as the one after it
      const std::uint64_t anchor = walk_.here();
      walk_.step();
      before = walk_.here();
      walk_.go(anchor);
    }
    bool first = true;  // an anchor: its part of the sums is in base_
    do {
      const std::uint64_t here = walk_.here();
      const double degree = walk_.degree();
      if (!first) {
        sums[kEnds] += 1;
        sums[kInverse] += 1 / degree;
        sums[kWedge] += (degree - 1) / 2;
      }
      first = false;
      ++centres_;
      walk_.step();
      if (walk_.wants_triangles()) walk_.look(before, here, degree, sums);
      before = here;
      cut_ = walk_.over() && !is_anchor_.contains(walk_.here());
    } while (!cut_ && !is_anchor_.contains(walk_.here()));
    moments_.add(sums);
    return !cut_;
  }

  [[nodiscard]] Estimate interval(const Measure& measure) const {
    const Recipe recipe = recipe_of(measure);
    const bool ratio = recipe.ratio();
    const double bottom = ratio ? base_[recipe.bottom] + moments_.mean(recipe.bottom) : 1;
    Estimate result{measure, 0, 0, std::numeric_limits<double>::infinity(), false};
    if (moments_.count() < 2 || bottom <= 0) return result;  // no wedges: the clustering of an edge is not defined
    const double scale = recipe.scale * (ratio ? 1 : volume_) / bottom;
    const double base = base_[recipe.top], mean = moments_.mean(recipe.top);
    result.value = scale * (base + mean);
    if (explored_ && recipe.top < kClosed) {  // nothing is outside the anchors
      result.low = result.high = result.value;
      result.met = true;
      return result;
    }
    result.low = ratio ? 0 : scale * base;
    if (mean <= 0 && recipe.top == kClosed) result.high = none_seen_high(recipe);
    if (mean <= 0 || !can_say(recipe)) return result;
    // On the logarithm of what is not known: it is positive and skewed to the right.
    if (ratio) {
      const double spread = ratio_spread(recipe);
      result.low = result.value * std::exp(-spread);
      result.high = result.value * std::exp(spread);
    } else {
      const double deviation =
          std::sqrt(moments_.covariance(recipe.top, recipe.top) / static_cast<double>(moments_.count()));
      const double spread = quantile_ * deviation / mean + unseen_ * moments_.largest_share(recipe.top);
      result.low = scale * (base + mean * std::exp(-spread));
      result.high = scale * (base + mean * std::exp(spread));
    }
    result.met = result.relative_error() <= options_->error && telling(recipe) >= kFewestExcursions;
    return result;
  }

  // Where walks mix slowly most tours end at once and the few others decide, and where there is little to be found few
  // tours find it: these must be many, and no single one may decide.
  [[nodiscard]] std::uint64_t telling(const Recipe& recipe) const {
    return std::min(explored_ ? moments_.count() : moments_.hits(kEnds), moments_.hits(recipe.top));
  }
  [[nodiscard]] bool can_say(const Recipe& recipe) const {
    constexpr double kLargestShare = 0.1;
    return !cut_ && telling(recipe) >= kFewestToSay && moments_.largest_share(recipe.top) <= kLargestShare &&
           (explored_ || moments_.largest_share(kEnds) <= kLargestShare);
  }

  // Of a ratio of means, by the delta method.
  [[nodiscard]] double ratio_spread(const Recipe& recipe) const {
    const double top = base_[recipe.top] + moments_.mean(recipe.top);
    const double bottom = base_[recipe.bottom] + moments_.mean(recipe.bottom);
    const double variance = moments_.covariance(recipe.top, recipe.top) / (top * top) +
                            moments_.covariance(recipe.bottom, recipe.bottom) / (bottom * bottom) -
                            2 * moments_.covariance(recipe.top, recipe.bottom) / (top * bottom);
    const double tail = std::max(moments_.largest_share(recipe.top) * moments_.mean(recipe.top) / top,
                                 moments_.largest_share(recipe.bottom) * moments_.mean(recipe.bottom) / bottom);
    return quantile_ * std::sqrt(std::max(0.0, variance) / static_cast<double>(moments_.count())) + unseen_ * tail;
  }

  // Not one triangle among so many looks: their share is below -log(risk) / looks, about.
  [[nodiscard]] double none_seen_high(const Recipe& recipe) const {
    if (recipe.top != kClosed) return std::numeric_limits<double>::infinity();
    const double share = -std::log((1 - options_->confidence) / 2) / static_cast<double>(centres_);
    if (recipe.ratio()) return std::min(1.0, share);
    return 2 * share * volume_ * (base_[kWedge] + moments_.mean(kWedge)) /
           3;  // twice: the number of wedges is an estimate, too
  }

  WalkAccess* access_;
  CountedWalk walk_;
  const EstimateOptions* options_;
  double quantile_ = 0;
  // Tours have long tails. A kind of tour that was not met yet may have a chance of so many in all tours (the "rule of
  // three"); it is taken to be as large as the largest so far.
  double unseen_ = 0;
  IdSet is_anchor_;
  std::vector<std::uint64_t> anchors_;
  std::vector<double> volume_before_;  // [anchors] the degrees up to and with each
  double volume_ = 0, wedges_ = 0;     // of the anchors
  Sums base_{};                        // the mean of what the first node of a tour adds
  bool cut_ = false;                   // the last tour did not end
  bool explored_ = false;              // every neighbour of an anchor is one
  std::uint64_t returns_ = 0, centres_ = 0;
  Moments moments_;
};

}  // namespace

double Estimate::relative_error() const {
  if (value == 0) return high == 0 ? 0 : std::numeric_limits<double>::infinity();
  return std::max(high / value - 1, 1 - low / value);
}

void check_estimate_options(const EstimateOptions& options) {
  const auto refuse = [](const std::string& what, const char* hint) { throw Error(ErrorKind::kUsage, what, hint); };
  if (!(options.error > 0 && options.error < 1)) {
    refuse(fmt::format("an error of {} is not between 0 and 1", options.error), "0.05 is five percent of the estimate");
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    refuse(fmt::format("a confidence of {} is not between 0 and 1", options.confidence), "0.95 is usual");
  }
  if (options.max_steps == 0) refuse("a walk of 0 steps sees nothing", "give --max-steps a million or more");
  if (options.what.empty()) refuse("nothing is to be estimated", "name something: triangles");
}

Estimates estimate(WalkAccess& walk, const EstimateOptions& options) {
  check_estimate_options(options);
  return TourWalker(walk, options).run();
}

}  // namespace agentnet::theory
