#include "theory/judges/planted_graph.h"

#include <cmath>
#include <vector>

#include "core/random.h"

namespace agentnet::theory {

namespace {

class Planter {
 public:
  explicit Planter(std::uint64_t seed) : random_(seed, Purpose::kData, 20) { parts_.undirected = true; }

  Graph plant() {
    bulk();
    firsts_.push_back(0);
    const std::uint64_t others = 1 + random_.below(5);
    for (std::uint64_t i = 0; i < others; ++i) {
      const std::uint32_t first = nodes_;
      other();
      tie(first);
      firsts_.push_back(first);
    }
    parts_.num_nodes = nodes_;
    return Graph(std::move(parts_));
  }

 private:
  // Between low and high, alike on a logarithmic scale.
  [[nodiscard]] std::uint32_t size(double low, double high) {
    return static_cast<std::uint32_t>(low * std::pow(high / low, random_.uniform()));
  }
  [[nodiscard]] std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_.below(n)); }
  void join(std::uint32_t u, std::uint32_t v) {
    if (u == v) return;
    parts_.from.push_back(u);
    parts_.to.push_back(v);
  }

  void bulk() {
    const std::uint32_t n = size(3000, 30000);
    switch (random_.below(3)) {
      case 0:
        random_part(n, 3 + below(5));
        break;
      case 1:
        lattice(n);
        break;
      default:
        grown(n);
    }
  }
  void other() {
    switch (random_.below(5)) {
      case 0:
        return clique(size(15, 300));
      case 1: {
        const std::uint32_t n = size(50, 2000);
        return random_part(n, std::min(n / 2, size(5, 60)));
      }
      case 2:
        return tree(size(50, 20000));
      case 3:
        return star(size(50, 20000));
      default:
        return grown(size(100, 20000));
    }
  }

  // To a part before it, at random nodes of both.
  void tie(std::uint32_t first) {
    const std::size_t part = random_.below(firsts_.size());
    const std::uint32_t begin = firsts_[part], end = part + 1 < firsts_.size() ? firsts_[part + 1] : first;
    const std::uint64_t edges = 1 + random_.below(3);
    for (std::uint64_t i = 0; i < edges; ++i) join(begin + below(end - begin), first + below(nodes_ - first));
  }

  void random_part(std::uint32_t n, std::uint32_t edges_per_node) {
    for (std::uint32_t u = 0; u < n; ++u) {
      join(nodes_ + u, nodes_ + (u + 1) % n);
      for (std::uint32_t i = 1; i < edges_per_node; ++i) join(nodes_ + u, nodes_ + below(n));
    }
    nodes_ += n;
  }
  // Rows of a square, with every other diagonal: walks take long to cross it.
  void lattice(std::uint32_t n) {
    const auto side = static_cast<std::uint32_t>(std::sqrt(n));
    for (std::uint32_t y = 0; y < side; ++y) {
      for (std::uint32_t x = 0; x < side; ++x) {
        const std::uint32_t at = nodes_ + y * side + x;
        if (x + 1 < side) join(at, at + 1);
        if (y + 1 < side) join(at, at + side);
        if (x + 1 < side && y + 1 < side && (x + y) % 2 == 0) join(at, at + side + 1);
      }
    }
    nodes_ += side * side;
  }
  // Every new node joins both ends of random edges.
  void grown(std::uint32_t n) {
    std::vector<std::uint32_t> ends{nodes_, nodes_ + 1};
    join(nodes_, nodes_ + 1);
    for (std::uint32_t u = 2; u < n; ++u) {
      for (int i = 0; i < 2; ++i) {
        const std::size_t at = random_.below(ends.size()) & ~std::size_t{1};
        for (const std::uint32_t v : {ends[at], ends[at + 1]}) {
          join(nodes_ + u, v);
          ends.insert(ends.end(), {nodes_ + u, v});
        }
      }
    }
    nodes_ += n;
  }
  void clique(std::uint32_t n) {
    for (std::uint32_t u = 0; u < n; ++u) {
      for (std::uint32_t v = u + 1; v < n; ++v) join(nodes_ + u, nodes_ + v);
    }
    nodes_ += n;
  }
  void tree(std::uint32_t n) {
    for (std::uint32_t u = 1; u < n; ++u) join(nodes_ + u, nodes_ + below(u));
    nodes_ += n;
  }
  void star(std::uint32_t n) {
    for (std::uint32_t u = 1; u < n; ++u) join(nodes_, nodes_ + u);
    nodes_ += n;
  }

  RandomSequence random_;
  GraphParts parts_;
  std::uint32_t nodes_ = 0;
  std::vector<std::uint32_t> firsts_;  // nodes of the parts
};

}  // namespace

Graph planted_graph(std::uint64_t seed) { return Planter(seed).plant(); }

}  // namespace agentnet::theory
