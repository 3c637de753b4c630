#include "theory/estimate/estimate.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"
#include "theory/estimate/id_set.h"

namespace agentnet::theory {

namespace {

constexpr int kMostClique = 6;

// What is summed over a tour, without its first node where the mean over that is known (`base_`). kEnds and kInverse
// give 2 m and n; the others are as named.
enum Column : std::size_t { kEnds, kInverse, kWedge, kClosed, kClique4, kClique5, kClique6, kColumns };

double factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }

// Measure = scale * vol(S) * mean of `top`, or that over the mean of `bottom` where there is one.
struct Recipe {
  std::size_t top = kEnds;
  double scale = 1;
  std::size_t bottom = kColumns;  // kColumns: none
};

Recipe recipe_of(const Measure& measure) {
  switch (measure.kind) {
    case Measure::Kind::kNodes:
      return {kInverse, 1, kColumns};
    case Measure::Kind::kAverageDegree:
      return {kEnds, 1, kInverse};
    case Measure::Kind::kWedges:
      return {kWedge, 1, kColumns};
    case Measure::Kind::kTriangles:
      return {kClosed, 1.0 / 6, kColumns};
    case Measure::Kind::kClustering:
      return {kClosed, 0.5, kWedge};  // 3 triangles / wedges
    case Measure::Kind::kCliques:
      return {kClosed + static_cast<std::size_t>(measure.size - 3), 1 / factorial(measure.size), kColumns};
  }
  return {};
}

// The standard normal quantile, by bisection of erfc: called a few times per estimate.
double normal_quantile(double p) {
  double low = -10, high = 10;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

using Sums = std::array<double, kColumns>;

// Means and covariances of the tours, updated tour by tour (Welford).
class Moments {
 public:
  void add(const Sums& x) {
    ++count_;
    const double n = static_cast<double>(count_);
    Sums before{}, after{};
    for (std::size_t i = 0; i < kColumns; ++i) {
      before[i] = x[i] - mean_[i];
      mean_[i] += before[i] / n;
      after[i] = x[i] - mean_[i];
      largest_[i] = std::max(largest_[i], x[i]);
      hits_[i] += x[i] > 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < kColumns; ++i) {
      for (std::size_t j = 0; j < kColumns; ++j) products_[i][j] += before[i] * after[j];
    }
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double mean(std::size_t i) const { return mean_[i]; }
  // What a single tour makes of the sum of all, at most.
  [[nodiscard]] double largest_share(std::size_t i) const {
    return mean_[i] > 0 ? largest_[i] / (mean_[i] * static_cast<double>(count_)) : 0;
  }
  [[nodiscard]] std::uint64_t hits(std::size_t i) const { return hits_[i]; }  // tours with any of it
  [[nodiscard]] double covariance(std::size_t i, std::size_t j) const {
    return products_[i][j] / static_cast<double>(count_ - 1);
  }

 private:
  std::uint64_t count_ = 0;
  Sums mean_{}, largest_{};
  std::array<std::uint64_t, kColumns> hits_{};
  std::array<Sums, kColumns> products_{};
};

class TourWalker {
 public:
  TourWalker(WalkAccess& walk, const EstimateOptions& options)
      : walk_(&walk), options_(&options), random_(options.seed, Purpose::kMove) {
    for (const Measure& measure : options.what) {
      if (measure.kind == Measure::Kind::kCliques) largest_clique_ = std::max(largest_clique_, measure.size);
      wants_triangles_ = wants_triangles_ || recipe_of(measure).top >= kClosed;
    }
    // The interval is made for a quarter of the risk that was allowed: tours are skewed, and the walk stops when it is
    // content.
    quantile_ = normal_quantile(1 - (1 - options.confidence) / 8);
    unseen_ = -std::log(1 - options.confidence);
  }

  Estimates run() {
    if (walk_->degree(walk_->here()) == 0) {
      throw Error(ErrorKind::kData, "the walk starts on a node without neighbours", "start it somewhere else");
    }
    collect_anchors();
    Estimates result;
    result.anchors = anchors_.size();
    explored_ = walk_->explored();
    if (anchors_.size() <= kMostCounted && explored_) {
      result = count_all();
    } else {
      make_tours();
      for (const Measure& measure : options_->what) result.of.push_back(interval(measure));
      result.tours = moments_.count();
    }
    result.anchors = anchors_.size();
    result.steps = steps_;
    return result;
  }

 private:
  static constexpr std::size_t kMostCounted = 256;         // components of so many nodes are counted exactly
  static constexpr std::uint64_t kFewestExcursions = 400;  // tours that leave the anchors, for a mean to be normal
  static constexpr std::uint64_t kFewestToSay = 50;        // anything at all

  void step() {
    walk_->step(random_);
    ++steps_;
  }
  void go(std::uint64_t name) {
    if (walk_->here() == name) return;
    walk_->go(name);
    ++steps_;
  }
  [[nodiscard]] bool over() {
    if (steps_ >= options_->max_steps) return true;
    return options_->stop && steps_ % 1024 < 16 && options_->stop();
  }

  void anchor() {
    if (!is_anchor_.insert(walk_->here())) {
      ++returns_;
      return;
    }
    anchors_.push_back(walk_->here());
    const auto degree = static_cast<double>(walk_->degree(walk_->here()));
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
    while (steps_ < most && !over()) {
      step();
      anchor();
      if (steps_ >= 2 * half) {
        half = steps_;
        returns_at_half = returns_;
      }
      // Of the steps since `half`; fewer than half of all steps are not looked at.
      if (steps_ >= half + half / 2 && static_cast<double>(returns_ - returns_at_half) * 2 > tours) break;
    }
  }

  [[nodiscard]] std::uint64_t random_anchor() {
    const double at = random_.uniform() * volume_;
    const auto chosen = std::upper_bound(volume_before_.begin(), volume_before_.end(), at) - volume_before_.begin();
    return anchors_[std::min(static_cast<std::size_t>(chosen), anchors_.size() - 1)];
  }

  void make_tours() {
    base_[kEnds] = 1;
    base_[kInverse] = static_cast<double>(anchors_.size()) / volume_;
    base_[kWedge] = wedges_ / volume_;
    std::uint64_t next_look = kFewestExcursions;
    // The last tour needs room to end: those that are cut are the long ones.
    while (steps_ < options_->max_steps / 4 * 3 + 1 && !over()) {
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
    go(random_anchor());
    if (wants_triangles_) {  // the node before the first: as random as the one after it
      const std::uint64_t anchor = walk_->here();
      step();
      before = walk_->here();
      go(anchor);
    }
    bool first = true;  // an anchor: its part of the sums is in base_
    do {
      const std::uint64_t here = walk_->here();
      const auto degree = static_cast<double>(walk_->degree(here));
      if (!first) {
        sums[kEnds] += 1;
        sums[kInverse] += 1 / degree;
        sums[kWedge] += (degree - 1) / 2;
      }
      first = false;
      ++centres_;
      step();
      if (wants_triangles_) look_for_triangle(before, here, degree, sums);
      before = here;
      cut_ = over() && !is_anchor_.contains(walk_->here());
    } while (!cut_ && !is_anchor_.contains(walk_->here()));
    moments_.add(sums);
    return !cut_;
  }

  // g(a, b, c) = d(b) if a, b, c are a triangle: every triangle is met in 6 orders. Larger cliques from there: another
  // neighbour of the clique's node of least degree, each of which stands for that many.
  void look_for_triangle(std::uint64_t a, std::uint64_t b, double degree, Sums& sums) {
    const std::uint64_t c = walk_->here();
    if (a == c || !walk_->adjacent(a, c)) return;
    sums[kClosed] += degree;
    if (largest_clique_ < 4) return;
    constexpr int kTries = 8;
    for (int i = 0; i < kTries; ++i) grow_clique({a, b, c}, degree / kTries, sums);
    go(c);
  }

  void grow_clique(std::array<std::uint64_t, kMostClique> clique, double weight, Sums& sums) {
    for (std::size_t size = 3; size < static_cast<std::size_t>(largest_clique_); ++size) {
      const std::uint64_t least = least_of(clique, size);
      weight *= static_cast<double>(walk_->degree(least));
      go(least);
      step();
      const std::uint64_t next = walk_->here();
      for (std::size_t i = 0; i < size; ++i) {
        if (next == clique[i] || (clique[i] != least && !walk_->adjacent(next, clique[i]))) return;
      }
      clique[size] = next;
      sums[kClosed + size - 2] += weight;
    }
  }

  [[nodiscard]] std::uint64_t least_of(const std::array<std::uint64_t, kMostClique>& clique, std::size_t size) {
    return *std::min_element(clique.begin(), clique.begin() + static_cast<std::ptrdiff_t>(size),
                             [&](std::uint64_t a, std::uint64_t b) { return walk_->degree(a) < walk_->degree(b); });
  }

  [[nodiscard]] Estimate interval(const Measure& measure) const {
    const Recipe recipe = recipe_of(measure);
    const bool ratio = recipe.bottom != kColumns;
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
    if (recipe.bottom != kColumns) return std::min(1.0, share);
    return 2 * share * volume_ * (base_[kWedge] + moments_.mean(kWedge)) /
           3;  // twice: the number of wedges is an estimate, too
  }

  Estimates count_all();

  WalkAccess* walk_;
  const EstimateOptions* options_;
  RandomSequence random_;
  double quantile_ = 0;
  // Tours have long tails. A kind of tour that was not met yet may have a chance of so many in all tours (the "rule of
  // three"); it is taken to be as large as the largest so far.
  double unseen_ = 0;
  int largest_clique_ = 0;
  bool wants_triangles_ = false;
  IdSet is_anchor_;
  std::vector<std::uint64_t> anchors_;
  std::vector<double> volume_before_;  // [anchors] the degrees up to and with each
  double volume_ = 0, wedges_ = 0;     // of the anchors
  Sums base_{};                        // the mean of what the first node of a tour adds
  bool cut_ = false;                   // the last tour did not end
  bool explored_ = false;              // every neighbour of an anchor is one
  std::uint64_t steps_ = 0, returns_ = 0, centres_ = 0;
  Moments moments_;
};

// Every node of the component is an anchor: plain counting, by the walk's own questions.
Estimates TourWalker::count_all() {
  const std::size_t n = anchors_.size();
  std::vector<std::vector<std::size_t>> later(n);  // adjacent nodes of higher number
  double ends = 0, wedges = 0;
  for (std::size_t u = 0; u < n; ++u) {
    const double degree = volume_before_[u] - (u == 0 ? 0 : volume_before_[u - 1]);
    ends += degree;
    wedges += degree * (degree - 1) / 2;
    for (std::size_t v = u + 1; v < n; ++v) {
      if (walk_->adjacent(anchors_[u], anchors_[v])) later[u].push_back(v);
    }
  }
  const auto cliques = [&](const auto& self, const std::vector<std::size_t>& common, int size) -> double {
    if (size == 0) return 1;
    double count = 0;
    for (const std::size_t u : common) {
      std::vector<std::size_t> both;
      std::set_intersection(common.begin(), common.end(), later[u].begin(), later[u].end(), std::back_inserter(both));
      count += self(self, both, size - 1);
    }
    return count;
  };
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), 0);
  Estimates result;
  result.exact = true;
  for (const Measure& measure : options_->what) {
    double value = 0;
    switch (measure.kind) {
      case Measure::Kind::kNodes:
        value = static_cast<double>(n);
        break;
      case Measure::Kind::kAverageDegree:
        value = ends / static_cast<double>(n);
        break;
      case Measure::Kind::kWedges:
        value = wedges;
        break;
      case Measure::Kind::kTriangles:
        value = cliques(cliques, all, 3);
        break;
      case Measure::Kind::kClustering:
        value = wedges > 0 ? 3 * cliques(cliques, all, 3) / wedges : 0;
        break;
      case Measure::Kind::kCliques:
        value = cliques(cliques, all, measure.size);
        break;
    }
    result.of.push_back({measure, value, value, value, true});
  }
  return result;
}

}  // namespace

std::string Measure::name() const {
  switch (kind) {
    case Kind::kNodes:
      return "nodes";
    case Kind::kAverageDegree:
      return "average-degree";
    case Kind::kWedges:
      return "wedges";
    case Kind::kTriangles:
      return "triangles";
    case Kind::kClustering:
      return "clustering";
    case Kind::kCliques:
      return fmt::format("cliques:{}", size);
  }
  return "";
}

std::vector<Measure> parse_measures(std::string_view text) {
  const std::vector<std::string> names = {"nodes",      "average-degree", "wedges",    "triangles",
                                          "clustering", "cliques:4",      "cliques:5", "cliques:6"};
  std::vector<Measure> measures;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string name(text.substr(0, comma));
    const auto known = std::find(names.begin(), names.end(), name) - names.begin();
    if (known == static_cast<std::ptrdiff_t>(names.size())) {
      const auto near = closest_match(name, names);
      throw Error(ErrorKind::kUsage, fmt::format("'{}' cannot be estimated", name),
                  near ? fmt::format("did you mean {}?", *near) : fmt::format("choose of {}", join_text(names, ", ")));
    }
    Measure measure{known >= 5 ? Measure::Kind::kCliques : static_cast<Measure::Kind>(known),
                    known >= 5 ? static_cast<int>(known) - 1 : 0};
    if (std::find(measures.begin(), measures.end(), measure) == measures.end()) measures.push_back(measure);
    if (comma == std::string_view::npos) return measures;
    text.remove_prefix(comma + 1);
  }
}

double Estimate::relative_error() const {
  if (value == 0) return high == 0 ? 0 : std::numeric_limits<double>::infinity();
  return std::max(high / value - 1, 1 - low / value);
}

Estimates estimate(WalkAccess& walk, const EstimateOptions& options) {
  const auto refuse = [](const std::string& what, const char* hint) { throw Error(ErrorKind::kUsage, what, hint); };
  if (!(options.error > 0 && options.error < 1)) {
    refuse(fmt::format("an error of {} is not between 0 and 1", options.error), "0.05 is five percent of the estimate");
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    refuse(fmt::format("a confidence of {} is not between 0 and 1", options.confidence), "0.95 is usual");
  }
  if (options.max_steps == 0) refuse("a walk of 0 steps sees nothing", "give --max-steps a million or more");
  if (options.what.empty()) refuse("nothing is to be estimated", "name something: triangles");
  return TourWalker(walk, options).run();
}

}  // namespace agentnet::theory
