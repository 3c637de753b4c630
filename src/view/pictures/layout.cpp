#include "view/pictures/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random.h"

namespace agentnet {
namespace {

using Neighbours = std::vector<std::vector<std::uint32_t>>;

// A connected piece: its nodes, and how far they are from one another.
struct Piece {
  std::vector<std::uint32_t> nodes;
  std::vector<double> distance;  // [n, n] in edges
  std::vector<Point> places;
  double width = 0, height = 0;

  [[nodiscard]] double apart(std::size_t i, std::size_t j) const { return distance[i * nodes.size() + j]; }
};

Neighbours neighbours_of(std::size_t nodes, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges) {
  Neighbours neighbours(nodes);
  for (const auto& [u, v] : edges) {
    if (u == v) continue;
    neighbours[u].push_back(v);
    neighbours[v].push_back(u);
  }
  return neighbours;
}

std::vector<Piece> pieces_of(const Neighbours& neighbours) {
  std::vector<Piece> pieces;
  std::vector<char> seen(neighbours.size(), 0);
  for (std::uint32_t first = 0; first < neighbours.size(); ++first) {
    if (seen[first] != 0) continue;
    Piece& piece = pieces.emplace_back();
    piece.nodes.push_back(first);
    seen[first] = 1;
    for (std::size_t i = 0; i < piece.nodes.size(); ++i) {
      for (const std::uint32_t v : neighbours[piece.nodes[i]]) {
        if (seen[v] == 0) piece.nodes.push_back(v);
        seen[v] = 1;
      }
    }
    std::sort(piece.nodes.begin(), piece.nodes.end());
  }
  return pieces;
}

// Breadth first from every node.
void measure(Piece& piece, const Neighbours& neighbours, std::vector<std::size_t>& number) {
  const std::size_t n = piece.nodes.size();
  for (std::size_t i = 0; i < n; ++i) number[piece.nodes[i]] = i;
  piece.distance.assign(n * n, -1);
  std::vector<std::size_t> open;
  for (std::size_t start = 0; start < n; ++start) {
    double* row = piece.distance.data() + start * n;
    open.assign(1, start);
    row[start] = 0;
    for (std::size_t at = 0; at < open.size(); ++at) {
      for (const std::uint32_t v : neighbours[piece.nodes[open[at]]]) {
        const std::size_t j = number[v];
        if (row[j] >= 0) continue;
        row[j] = row[open[at]] + 1;
        open.push_back(j);
      }
    }
  }
}

// Nodes far from one another.
std::vector<std::size_t> pivots_of(const Piece& piece) {
  constexpr std::size_t kMostPivots = 40;
  const std::size_t n = piece.nodes.size();
  std::vector<std::size_t> pivots;
  std::vector<double> nearest(n, std::numeric_limits<double>::max());
  for (std::size_t next = 0; pivots.size() < std::min(n, kMostPivots);) {
    pivots.push_back(next);
    for (std::size_t i = 0; i < n; ++i) nearest[i] = std::min(nearest[i], piece.apart(i, next));
    next = static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin());
  }
  return pivots;
}

// Squared distances to the pivots less the means of rows and columns. [n, p]
std::vector<double> centred_squares(const Piece& piece, const std::vector<std::size_t>& pivots) {
  const std::size_t n = piece.nodes.size(), p = pivots.size();
  std::vector<double> c(n * p), row_mean(n, 0), column_mean(p, 0);
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < p; ++j) {
      const double d = piece.apart(i, pivots[j]);
      c[i * p + j] = d * d;
      row_mean[i] += d * d / static_cast<double>(p);
      column_mean[j] += d * d / static_cast<double>(n);
      mean += d * d / static_cast<double>(n * p);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < p; ++j) c[i * p + j] = -0.5 * (c[i * p + j] - row_mean[i] - column_mean[j] + mean);
  }
  return c;
}

// The direction in which the rows of c [n, p] spread most, at right angles to `other` (which may be empty).
std::vector<double> main_direction(const std::vector<double>& c, std::size_t p, const std::vector<double>& other) {
  constexpr int kRounds = 60;
  const std::size_t n = c.size() / p;
  RandomSequence random(other.empty() ? 1 : 2, Purpose::kData);
  std::vector<double> v(p), image(n);
  for (double& x : v) x = random.uniform() - 0.5;
  const auto make_unit = [&] {
    if (!other.empty()) {
      const double along = std::inner_product(v.begin(), v.end(), other.begin(), 0.0);
      for (std::size_t j = 0; j < p; ++j) v[j] -= along * other[j];
    }
    const double length = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
    for (double& x : v) x = length > 1e-12 ? x / length : 0;
  };
  make_unit();
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      image[i] = std::inner_product(v.begin(), v.end(), c.begin() + static_cast<std::ptrdiff_t>(i * p), 0.0);
    }
    std::fill(v.begin(), v.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < p; ++j) v[j] += c[i * p + j] * image[i];
    }
    make_unit();
  }
  return v;
}

double length_of(const Point& a) { return std::sqrt(a.x * a.x + a.y * a.y); }

// Brings the mean length on paper to that in the graph.
void rescale(Piece& piece) {
  double weighted = 0, squares = 0;
  for (std::size_t i = 0; i < piece.nodes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double d = piece.apart(i, j);
      const double on_paper = length_of({piece.places[i].x - piece.places[j].x, piece.places[i].y - piece.places[j].y});
      weighted += on_paper / d;
      squares += on_paper * on_paper / (d * d);
    }
  }
  for (Point& place : piece.places) {
    place.x *= squares > 0 ? weighted / squares : 1;
    place.y *= squares > 0 ? weighted / squares : 1;
  }
}

void project(Piece& piece) {
  const std::size_t n = piece.nodes.size();
  const std::vector<std::size_t> pivots = pivots_of(piece);
  const std::size_t p = pivots.size();
  const std::vector<double> c = centred_squares(piece, pivots);
  const std::vector<double> first = main_direction(c, p, {});
  const std::vector<double> second = main_direction(c, p, first);
  piece.places.assign(n, {});
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < p; ++j) {
      piece.places[i].x += c[i * p + j] * first[j];
      piece.places[i].y += c[i * p + j] * second[j];
    }
  }
  rescale(piece);
  // Twins, such as the leaves of a star, lie on one another and would stay there.
  RandomSequence random(3, Purpose::kData);
  for (Point& place : piece.places) {
    place.x += 0.2 * (random.uniform() - 0.5);
    place.y += 0.2 * (random.uniform() - 0.5);
  }
}

// Moves every node to where its springs to all others balance, many times (stress majorization, one node at a time).
void relax(Piece& piece) {
  constexpr int kRounds = 300;
  constexpr double kSettled = 1e-3;
  const std::size_t n = piece.nodes.size();
  double moved = 1;
  for (int round = 0; round < kRounds && moved > kSettled; ++round) {
    moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      Point sum;
      double weights = 0;
      for (std::size_t j = 0; j < n; ++j) {
        if (j == i) continue;
        const double d = piece.apart(i, j), weight = 1 / (d * d);
        const Point from{piece.places[i].x - piece.places[j].x, piece.places[i].y - piece.places[j].y};
        const double pull = d / std::max(length_of(from), 1e-9);
        sum.x += weight * (piece.places[j].x + pull * from.x);
        sum.y += weight * (piece.places[j].y + pull * from.y);
        weights += weight;
      }
      const Point to{sum.x / weights, sum.y / weights};
      moved = std::max(moved, length_of({to.x - piece.places[i].x, to.y - piece.places[i].y}));
      piece.places[i] = to;
    }
  }
}

// Pushes nodes apart that would hide one another.
void separate(Piece& piece) {
  constexpr int kRounds = 200;
  bool pushed = true;
  for (int round = 0; round < kRounds && pushed; ++round) {
    pushed = false;
    for (std::size_t i = 0; i < piece.places.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        Point &a = piece.places[i], &b = piece.places[j];
        const Point from{a.x - b.x, a.y - b.y};
        const double length = length_of(from);
        if (length >= kClosest) continue;
        const double push = (1.01 * kClosest - length) / 2 / std::max(length, 1e-9);
        a = {a.x + push * from.x, a.y + push * from.y};
        b = {b.x - push * from.x, b.y - push * from.y};
        pushed = true;
      }
    }
  }
}

// The longest extent lies across; the upper left corner is the origin.
void turn(Piece& piece) {
  const auto n = static_cast<double>(piece.places.size());
  Point mean;
  for (const Point& place : piece.places) mean = {mean.x + place.x / n, mean.y + place.y / n};
  double xx = 0, xy = 0, yy = 0;
  for (Point& place : piece.places) {
    place = {place.x - mean.x, place.y - mean.y};
    xx += place.x * place.x;
    xy += place.x * place.y;
    yy += place.y * place.y;
  }
  const double angle = 0.5 * std::atan2(2 * xy, xx - yy), c = std::cos(angle), s = std::sin(angle);
  Point low{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  Point high{-low.x, -low.y};
  for (Point& place : piece.places) {
    place = {c * place.x + s * place.y, c * place.y - s * place.x};
    low = {std::min(low.x, place.x), std::min(low.y, place.y)};
    high = {std::max(high.x, place.x), std::max(high.y, place.y)};
  }
  for (Point& place : piece.places) place = {place.x - low.x, place.y - low.y};
  piece.width = high.x - low.x;
  piece.height = high.y - low.y;
}

// In rows, the tallest first, to a page that is a little wider than high.
Layout packed(std::vector<Piece> pieces, std::size_t nodes) {
  constexpr double kGap = 1;
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.height > b.height; });
  double area = 0, widest = 0;
  for (const Piece& piece : pieces) {
    area += (piece.width + kGap) * (piece.height + kGap);
    widest = std::max(widest, piece.width);
  }
  const double page = std::max(widest, 1.2 * std::sqrt(area));
  Layout layout;
  layout.places.resize(nodes);
  double x = 0, y = 0, row = 0;
  for (const Piece& piece : pieces) {
    if (x > 0 && x + piece.width > page) {
      y += row + kGap;
      x = row = 0;
    }
    for (std::size_t i = 0; i < piece.nodes.size(); ++i) {
      layout.places[piece.nodes[i]] = {x + piece.places[i].x, y + piece.places[i].y};
    }
    layout.width = std::max(layout.width, x + piece.width);
    layout.height = std::max(layout.height, y + piece.height);
    x += piece.width + kGap;
    row = std::max(row, piece.height);
  }
  return layout;
}

}  // namespace

Layout layout_graph(std::size_t nodes, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges) {
  const Neighbours neighbours = neighbours_of(nodes, edges);
  std::vector<Piece> pieces = pieces_of(neighbours);
  std::vector<std::size_t> number(nodes);
  for (Piece& piece : pieces) {
    if (piece.nodes.size() == 1) {
      piece.places = {{}};
      continue;
    }
    measure(piece, neighbours, number);
    project(piece);
    relax(piece);
    separate(piece);
    turn(piece);
    piece.distance = {};
  }
  return packed(std::move(pieces), nodes);
}

}  // namespace agentnet
