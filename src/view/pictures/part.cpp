#include "view/pictures/part.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

namespace agentnet {

std::vector<std::uint32_t> part_to_draw(const Explanation& explanation, std::size_t most) {
  const auto n = static_cast<std::uint32_t>(explanation.nodes.size());
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  if (n <= most) return order;
  const std::vector<double>& visits = explanation.visits;
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    return visits[a] != visits[b] ? visits[a] > visits[b] : a < b;
  };
  std::sort(order.begin(), order.end(), earlier);

  std::vector<std::vector<std::uint32_t>> neighbours(n);
  for (const ExplainedEdge& edge : explanation.edges) {
    neighbours[edge.from].push_back(edge.to);
    neighbours[edge.to].push_back(edge.from);
  }
  const auto later = [&](std::uint32_t a, std::uint32_t b) { return earlier(b, a); };
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, decltype(later)> beside(later);
  std::vector<char> chosen(n, 0);
  std::vector<std::uint32_t> part;
  const auto choose = [&](std::uint32_t node) {
    if (chosen[node] != 0) return;
    chosen[node] = 1;
    part.push_back(node);
    for (const std::uint32_t v : neighbours[node]) {
      if (chosen[v] == 0) beside.push(v);
    }
  };
  std::size_t next = 0;  // of `order`
  while (part.size() < most) {
    while (next < n && chosen[order[next]] != 0) ++next;
    const bool visited_elsewhere = next < n && visits[order[next]] > 0;
    if (!beside.empty() && (visits[beside.top()] > 0 || !visited_elsewhere)) {
      const std::uint32_t node = beside.top();
      beside.pop();
      choose(node);
    } else if (next < n) {
      choose(order[next]);
    } else {
      break;
    }
  }
  std::sort(part.begin(), part.end());
  return part;
}

}  // namespace agentnet
