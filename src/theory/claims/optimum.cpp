#include "theory/claims/optimum.h"

#include <algorithm>
#include <bit>
#include <map>

namespace agentnet::theory {

namespace {

// One way that things may really be: a situation, and the nodes that were visited, in the order of the first visits.
struct Particle {
  std::size_t situation = 0;
  std::vector<std::uint8_t> nodes;
  std::uint32_t visited = 0;  // the same as bits
  Rational probability;
};

// What a first visit shows: the node's label, which known places are adjacent, and the labels of all neighbours.
using Observation = std::vector<std::uint32_t>;

class Search {
 public:
  Search(const std::vector<Situation>& situations, const std::vector<Rational>& prior, int target)
      : situations_(&situations), prior_(&prior), target_(target) {}

  Verdicts run(int steps) {
    std::map<Observation, std::vector<Particle>> groups;
    for (std::size_t i = 0; i < situations_->size(); ++i) {
      for (const Situation::Start& start : (*situations_)[i].starts) {
        Particle particle{i, {}, 0, start.probability};
        add(particle, start.node);
        groups[observe(particle)].push_back(std::move(particle));
      }
    }
    Verdicts total = nothing();
    for (const auto& [seen, particles] : groups) plus(total, best(particles, 0, steps));
    total.information_states = information_states_;
    return total;
  }

 private:
  [[nodiscard]] const SmallGraph& graph(const Particle& particle) const {
    return (*situations_)[particle.situation].graph;
  }
  [[nodiscard]] Verdicts nothing() const {
    Verdicts verdicts;
    verdicts.success.assign(situations_->size(), Rational());
    return verdicts;
  }
  static void plus(Verdicts& sum, const Verdicts& other) {
    for (std::size_t i = 0; i < sum.success.size(); ++i) sum.success[i] += other.success[i];
    sum.value += other.value;
  }
  static void add(Particle& particle, int node) {
    particle.nodes.push_back(static_cast<std::uint8_t>(node));
    particle.visited |= 1u << node;
  }

  [[nodiscard]] Observation observe(const Particle& particle) const {
    const SmallGraph& g = graph(particle);
    const int node = particle.nodes.back();
    Observation seen{g.labels[static_cast<std::size_t>(node)]};
    std::uint32_t known = 0;
    for (std::size_t place = 0; place + 1 < particle.nodes.size(); ++place) {
      if (g.adjacent(node, particle.nodes[place])) known |= 1u << place;
    }
    seen.push_back(known);
    for (int w = 0; w < g.nodes; ++w) {
      if (g.adjacent(node, w)) seen.push_back(g.labels[static_cast<std::size_t>(w)]);
    }
    std::sort(seen.begin() + 2, seen.end());
    return seen;
  }

  // Distances from place `from` to all places through visited nodes. All particles of an information state agree.
  [[nodiscard]] std::vector<int> distances(const Particle& particle, std::size_t from) const {
    const SmallGraph& g = graph(particle);
    std::vector<int> distance(particle.nodes.size(), -1);
    std::uint32_t reached = 1u << particle.nodes[from];
    for (int d = 0; reached != 0; ++d) {
      std::uint32_t next = 0;
      for (std::size_t place = 0; place < particle.nodes.size(); ++place) {
        if (distance[place] >= 0 || ((reached >> particle.nodes[place]) & 1u) == 0) continue;
        distance[place] = d;
        next |= g.row(particle.nodes[place]) & particle.visited;
      }
      reached = next;
    }
    return distance;
  }

  // The value of stopping here: the likeliest situation, or whether the target was visited.
  [[nodiscard]] Verdicts stop(const std::vector<Particle>& particles) const {
    Verdicts verdicts = nothing();
    if (target_ >= 0) {
      for (const Particle& particle : particles) {
        if (((particle.visited >> target_) & 1u) != 0) verdicts.success[0] += particle.probability;
      }
      verdicts.value = verdicts.success[0];
      return verdicts;
    }
    std::vector<Rational> mass(situations_->size());
    for (const Particle& particle : particles) mass[particle.situation] += particle.probability;
    std::size_t guess = 0;
    for (std::size_t i = 1; i < mass.size(); ++i) {
      if (mass[i] * (*prior_)[i] > mass[guess] * (*prior_)[guess]) guess = i;
    }
    verdicts.success[guess] = mass[guess];
    verdicts.value = mass[guess] * (*prior_)[guess];
    return verdicts;
  }

  // Nothing that can still be seen would change the answer.
  [[nodiscard]] bool decided(const std::vector<Particle>& particles) const {
    if (target_ >= 0) return ((particles[0].visited >> target_) & 1u) != 0 && particles.size() == 1;
    return std::all_of(particles.begin(), particles.end(),
                       [&](const Particle& particle) { return particle.situation == particles[0].situation; });
  }

  // The optimum from an information state, the agent standing on the place of the last visit.
  Verdicts best(const std::vector<Particle>& particles, std::size_t here, int steps) {
    ++information_states_;
    Verdicts result = stop(particles);
    if (steps == 0 || decided(particles)) return result;
    const std::vector<int> distance = distances(particles[0], here);
    for (std::size_t place = 0; place < distance.size(); ++place) {
      if (distance[place] + 1 > steps) continue;
      for (const std::uint8_t label : fresh_labels(particles[0], place)) {
        const Verdicts verdicts = go(particles, place, label, steps - distance[place] - 1);
        if (verdicts.value > result.value) result = verdicts;
      }
    }
    return result;
  }

  [[nodiscard]] std::vector<std::uint8_t> fresh_labels(const Particle& particle, std::size_t place) const {
    const SmallGraph& g = graph(particle);
    std::vector<std::uint8_t> labels;
    const std::uint32_t fresh = g.row(particle.nodes[place]) & ~particle.visited;
    for (int w = 0; w < g.nodes; ++w) {
      if (((fresh >> w) & 1u) != 0) labels.push_back(g.labels[static_cast<std::size_t>(w)]);
    }
    std::sort(labels.begin(), labels.end());
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    return labels;
  }

  // To one of the unvisited neighbours of `place` with that label.
  Verdicts go(const std::vector<Particle>& particles, std::size_t place, std::uint8_t label, int steps) {
    std::map<Observation, std::vector<Particle>> groups;
    for (const Particle& particle : particles) {
      const SmallGraph& g = graph(particle);
      std::uint32_t choices = g.row(particle.nodes[place]) & ~particle.visited;
      for (int w = 0; w < g.nodes; ++w) {
        if (g.labels[static_cast<std::size_t>(w)] != label) choices &= ~(1u << w);
      }
      const Rational probability = particle.probability / Rational(std::popcount(choices));
      for (int w = 0; w < g.nodes; ++w) {
        if (((choices >> w) & 1u) == 0) continue;
        Particle next = particle;
        next.probability = probability;
        add(next, w);
        groups[observe(next)].push_back(std::move(next));
      }
    }
    Verdicts sum = nothing();
    for (const auto& [seen, group] : groups) plus(sum, best(group, group[0].nodes.size() - 1, steps));
    return sum;
  }

  const std::vector<Situation>* situations_;
  const std::vector<Rational>* prior_;
  int target_;
  std::uint64_t information_states_ = 0;
};

}  // namespace

Verdicts best_guess(const std::vector<Situation>& situations, const std::vector<Rational>& prior, int steps) {
  return Search(situations, prior, -1).run(steps);
}

Rational best_reach(const Situation& situation, int target, int steps) {
  return Search({situation}, {Rational(1)}, target).run(steps).value;
}

// value(p) = max over policies of p s1 + (1 - p) s2 with prior p of the first. Policies are straight lines in p; start
// with those of p = 1 (s1 = 1, s2 = 0) and p = 0, cross them, ask for the best line there, and keep the steeper side.
Rational minimax(const Situation& first, const Situation& second, int steps) {
  struct Line {
    Rational s1, s2;
  };
  Line left{0, 1}, right{1, 0};  // falling towards larger p, and rising
  while (true) {
    // p where both are equal: p s1 + (1 - p) s2.
    const Rational a = left.s2 - right.s2, b = right.s1 - left.s1;
    const Rational p = a / (a + b);
    const Rational here = p * left.s1 + (Rational(1) - p) * left.s2;
    const Verdicts best = best_guess({first, second}, {p, Rational(1) - p}, steps);
    if (best.value <= here) return here;
    const Line line{best.success[0], best.success[1]};
    if (line.s1 == line.s2) return line.s1;
    (line.s1 < line.s2 ? left : right) = line;
  }
}

}  // namespace agentnet::theory
