// Many short walks from random places; see estimate.h.
//
// Two things are kept apart. What walks saw has the ordinary interval of a mean of independent values (`spread`). What
// they did not see is bounded: if parts of the graph held more than a share p of all ends of edges, K walks from random
// ends would all have missed them with probability (1 - p)^K at most, and a part with V ends has at most V nodes,
// V^2 / 2 wedges and, by the theorem of Kruskal and Katona, V^(r/2) / r! cliques of r nodes (`Unseen`). So a walk that
// is caught in a dense region, or has missed one, cannot make an interval narrow that should be wide.
#include <algorithm>
#include <cmath>
#include <limits>

#include "theory/estimate/counted_walk.h"
#include "theory/estimate/estimate.h"
#include "theory/estimate/id_set.h"

namespace agentnet::theory {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Walkers {
 public:
  Walkers(PlacedAccess& access, const EstimateOptions& options)
      : access_(&access), walk_(access, options), options_(&options), risk_(1 - options.confidence) {
    // The interval is made for a quarter of the risk that was allowed, and so is the bound on what was not seen: values
    // are skewed, and walking ends when the result looks good.
    quantile_ = normal_quantile(1 - risk_ / 8);
  }

  Estimates run() {
    Estimates result;
    const std::vector<std::uint64_t> few = access_->few_nodes(kMostCounted);
    if (!few.empty()) {
      result.of = count_all(*access_, few, options_->what);
      result.exact = true;
      return result;
    }
    collect_anchors();
    make_walks();
    for (const Measure& measure : options_->what) result.of.push_back(interval(measure));
    result.anchors = anchors_;
    result.steps = walk_.steps();
    result.walks = moments_.count();
    result.unseen = unseen_share();
    return result;
  }

 private:
  // Short walks and many: what one walk sees again and again counts once. Beginning somewhere costs little more than a
  // step.
  static constexpr std::uint64_t kLength = 16;         // nodes of a walk that have one before and one after them
  static constexpr std::uint64_t kFewestWalks = 1000;  // before walking may end
  static constexpr std::uint64_t kFewestToMeet = 100;  // walks that saw any of what is estimated
  static constexpr std::uint64_t kFewestToSay = 50;
  static constexpr double kLargestShare = 0.1;  // what a single walk may make of the whole, to say anything

  // Nodes that walks meet, in rounds that double them, until as many steps as these would meet them often enough.
  void collect_anchors() {
    const double wanted = std::max(400.0, 2 * std::pow(quantile_ / options_->error, 2));
    const std::uint64_t most = std::max<std::uint64_t>(1, options_->max_steps / 4);
    constexpr std::uint64_t kFirst = 64;
    std::uint64_t walks = kFirst;
    double share = 0;
    do {
      std::vector<std::uint64_t> met;
      std::uint64_t again = 0, walked = 0;
      for (; walked < walks && (walked == 0 || walk_.steps() < most) && !walk_.over(); ++walked) {
        begin();
        for (std::uint64_t i = 0; i < kLength; ++i) {
          again += is_anchor_.contains(walk_.here()) ? 1 : 0;
          met.push_back(walk_.here());
          walk_.step();
        }
      }
      // The share of earlier anchors; there are about twice as many now.
      share = 2 * static_cast<double>(again) / static_cast<double>(std::max<std::uint64_t>(1, walked) * kLength);
      if (anchors_ > 0) walks *= 2;
      for (const std::uint64_t node : met) anchor(node);
    } while (walk_.steps() < most && !walk_.over() && share * static_cast<double>(walk_.steps()) < wanted);
  }

  void begin() {
    access_->place(walk_.random());
    walk_.count_step();
  }

  void anchor(std::uint64_t node) {
    if (!is_anchor_.insert(node)) return;
    ++anchors_;
    volume_ += static_cast<double>(access_->degree(node));
  }

  void make_walks() {
    std::uint64_t next_look = kFewestWalks;
    do {
      moments_.add(walk());
      if (moments_.count() < next_look) continue;
      next_look += next_look / 10;
      if (std::all_of(options_->what.begin(), options_->what.end(),
                      [&](const Measure& measure) { return interval(measure).met; })) {
        return;
      }
    } while (!walk_.over());
  }

  // The mean of g over its nodes, for every column.
  Sums walk() {
    Sums sums{};
    begin();
    std::uint64_t before = walk_.here();
    walk_.step();
    for (std::uint64_t i = 0; i < kLength; ++i) {
      const std::uint64_t here = walk_.here();
      const double degree = walk_.degree();
      sums[kEnds] += 1;
      sums[kInverse] += 1 / degree;
      sums[kWedge] += (degree - 1) / 2;
      sums[kMember] += is_anchor_.contains(here) ? 1 : 0;
      walk_.step();
      if (walk_.wants_triangles()) walk_.look(before, here, degree, sums);
      before = here;
    }
    for (double& sum : sums) sum /= static_cast<double>(kLength);
    return sums;
  }

  [[nodiscard]] double unseen_share() const {
    return std::min(1.0, -std::log(risk_ / 4) / static_cast<double>(moments_.count()));
  }

  // Of the logarithm of a ratio of two means, by the delta method; and as tails are long, a kind of walk that was not
  // met yet is allowed for, as large as the largest so far ("rule of three").
  [[nodiscard]] double spread(std::size_t top, std::size_t bottom) const {
    const double a = moments_.mean(top), b = moments_.mean(bottom);
    const double variance = moments_.covariance(top, top) / (a * a) + moments_.covariance(bottom, bottom) / (b * b) -
                            2 * moments_.covariance(top, bottom) / (a * b);
    return quantile_ * std::sqrt(std::max(0.0, variance) / static_cast<double>(moments_.count())) -
           std::log(risk_) * std::max(excess(top), excess(bottom));
  }
  // By how much one walk of the largest kind moves the mean.
  [[nodiscard]] double excess(std::size_t column) const {
    return std::max(0.0, moments_.largest_share(column) - 1 / static_cast<double>(moments_.count()));
  }

  [[nodiscard]] bool tells(std::size_t column, std::uint64_t walks) const {
    return moments_.hits(column) >= walks && moments_.largest_share(column) <= kLargestShare;
  }

  // 2 m, at most, with the parts that were not seen.
  [[nodiscard]] double most_ends() const {
    if (!tells(kMember, kFewestToSay)) return kInfinity;
    return volume_ / moments_.mean(kMember) * std::exp(spread(kEnds, kMember)) / (1 - unseen_share());
  }

  // What parts that no walk came into may hold of a column's sum over the graph.
  [[nodiscard]] double unseen(std::size_t column) const {
    const double ends = most_ends() * unseen_share();
    switch (column) {
      case kEnds:
      case kInverse:
        return ends;
      case kWedge:
        return ends * ends / 2;
      default:  // r! times the cliques of r nodes
        return std::pow(ends, static_cast<double>(column - kClosed + 3) / 2);
    }
  }

  [[nodiscard]] Estimate interval(const Measure& measure) const {
    const Recipe recipe = recipe_of(measure);
    Estimate result{measure, 0, 0, kInfinity, false};
    const std::size_t bottom = recipe.ratio() ? recipe.bottom : static_cast<std::size_t>(kMember);
    if (moments_.count() < 2 || moments_.mean(bottom) <= 0) return result;
    const double scale = recipe.scale * (recipe.ratio() ? 1 : volume_);
    result.value = scale * moments_.mean(recipe.top) / moments_.mean(bottom);
    if (moments_.mean(recipe.top) <= 0 && recipe.top == kClosed) result.high = most_if_none(recipe);
    if (!tells(recipe.top, kFewestToSay) || !tells(bottom, kFewestToSay)) return result;
    const double factor = std::exp(spread(recipe.top, bottom));
    result.low = result.value / factor;
    result.high = result.value * factor;
    allow_for_unseen(recipe, result);
    result.met = result.relative_error() <= options_->error && tells(recipe.top, kFewestToMeet) &&
                 tells(bottom, kFewestToMeet) && (recipe.top == kEnds || tells(kMember, kFewestToMeet));
    return result;
  }

  void allow_for_unseen(const Recipe& recipe, Estimate& result) const {
    if (!recipe.ratio()) {
      result.high += recipe.scale * unseen(recipe.top);
    } else if (recipe.bottom == kInverse) {  // the average degree; 1 / d is at most 1
      const double share = unseen_share();
      result.low = 1 / ((1 - share) / result.low + share);
      result.high /= 1 - share;
    } else {  // the clustering: triangles over wedges
      const double wedges = least_wedges();
      result.low *= wedges / (wedges + unseen(kWedge));
      result.high = std::min(1.0, result.high + recipe.scale * unseen(kClosed) / wedges);
    }
  }

  [[nodiscard]] double least_wedges() const {
    return volume_ * moments_.mean(kWedge) / moments_.mean(kMember) / std::exp(spread(kWedge, kMember));
  }

  // Not one triangle among so many looks: their share is below -log(risk) / looks, about; and those of unseen parts.
  // Twice, as the number of wedges is an estimate, too.
  [[nodiscard]] double most_if_none(const Recipe& recipe) const {
    if (!tells(kWedge, kFewestToSay) || !tells(kMember, kFewestToSay)) return kInfinity;
    const double share = 2 * unseen_share() / static_cast<double>(kLength);
    const double wedges = least_wedges();
    const double clustering = std::min(1.0, share + unseen(kClosed) / 2 / wedges);
    if (recipe.ratio()) return clustering;
    return (share * volume_ * moments_.mean(kWedge) / moments_.mean(kMember) + unseen(kClosed) / 2) / 3;
  }

  PlacedAccess* access_;
  CountedWalk walk_;
  const EstimateOptions* options_;
  double risk_, quantile_ = 0;
  IdSet is_anchor_;
  std::uint64_t anchors_ = 0;
  double volume_ = 0;  // the degrees of the anchors
  Moments moments_;
};

}  // namespace

Estimates estimate_whole(PlacedAccess& walk, const EstimateOptions& options) {
  check_estimate_options(options);
  return Walkers(walk, options).run();
}

}  // namespace agentnet::theory
