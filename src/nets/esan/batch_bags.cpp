#include "nets/esan/batch_bags.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "agentnet/error.h"
#include "core/random.h"

namespace agentnet {
namespace {

void check_size(std::size_t size) {
  if (size <= static_cast<std::size_t>(std::numeric_limits<Index>::max() / 2)) return;
  throw Error(ErrorKind::kData, "the subgraphs of a batch have more nodes or edges than can be listed",
              "use smaller batches or graphs, or lower model.fraction, the share of subgraphs that are drawn");
}

template <class S>
class BagsOfBatch {
 public:
  BagsOfBatch(Formula<S>& f, const BagWish& wish) : f_(f), graphs_(f.graphs()), wish_(wish) {}

  BatchBags<S> make() {
    copy_graphs();
    if (wish_.double_self_loops && wish_.policy == BagPolicy::kEdgeDeleted) find_self_loops();
    const auto numbers = chosen();
    for (Index b = 0; b < graphs_.graphs(); ++b) add(b, numbers[static_cast<std::size_t>(b)]);
    return finish();
  }

 private:
  [[nodiscard]] BagGraph graph(Index b) const {
    const std::int64_t first = graphs_.members().offsets[b], n = graphs_.members().size(b);
    const std::int64_t* offsets = graphs_.neighbours().offsets + first;
    return {.nodes = static_cast<Index>(n),
            .offsets = {offsets, static_cast<std::size_t>(n) + 1},
            .senders =
                std::span(local_senders_)
                    .subspan(static_cast<std::size_t>(offsets[0]), static_cast<std::size_t>(offsets[n] - offsets[0]))};
  }
  void copy_graphs() {
    const tape::Segments& around = graphs_.neighbours();
    local_senders_.assign(around.members, around.members + around.offsets[around.count]);
    for (Index b = 0; b < graphs_.graphs(); ++b) {
      const std::int64_t first = graphs_.members().offsets[b], last = graphs_.members().offsets[b + 1];
      for (std::int64_t e = around.offsets[first]; e < around.offsets[last]; ++e) {
        local_senders_[static_cast<std::size_t>(e)] -= static_cast<Index>(first);
      }
    }
  }

  void find_self_loops() {
    const tape::Segments& around = graphs_.neighbours();
    loop_of_edge_.assign(static_cast<std::size_t>(graphs_.edges()), -1);
    for (Index v = 0; v < around.count; ++v) {
      for (std::int64_t e = around.offsets[v]; e < around.offsets[v + 1]; ++e) {
        if (around.members[e] != v) continue;
        loop_of_edge_[static_cast<std::size_t>(e)] = static_cast<Index>(self_loops_.size());
        self_loops_.push_back(static_cast<Index>(e));
      }
    }
  }

  // The numbers of the subgraphs of each graph.
  std::vector<std::vector<Index>> chosen() {
    std::vector<Index> sizes, counts;
    for (Index b = 0; b < graphs_.graphs(); ++b) {
      sizes.push_back(bag_size(graph(b), wish_.policy));
      counts.push_back(sample_size(sizes.back(), wish_.fraction));
    }
    if (wish_.fraction < 1) return draw_subsets(sizes, counts);
    std::vector<std::vector<Index>> all(sizes.size());
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      all[b].resize(static_cast<std::size_t>(sizes[b]));
      std::iota(all[b].begin(), all[b].end(), Index{0});
    }
    return all;
  }

  // Of each graph b: counts[b] of the numbers below sizes[b], all as likely as each other, in the order drawn.
  std::vector<std::vector<Index>> draw_subsets(const std::vector<Index>& sizes, const std::vector<Index>& counts) {
    const RandomKey key = f_.key(Purpose::kDropout);
    const std::uint32_t site = f_.next_site();
    std::vector<std::vector<Index>> subsets(sizes.size());
    std::size_t at = 0;
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      const auto count = static_cast<std::size_t>(counts[b]);
      if (f_.recorded() != nullptr) {
        const auto& recorded = f_.recorded()->marks.at("sample");
        for (std::size_t i = 0; i < count; ++i) subsets[b].push_back(static_cast<Index>(recorded.at(at++)));
        continue;
      }
      // The first places of a shuffled list.
      std::vector<Index>& list = subsets[b];
      list.resize(static_cast<std::size_t>(sizes[b]));
      std::iota(list.begin(), list.end(), Index{0});
      for (std::size_t i = 0; i < count; ++i) {
        const auto number = static_cast<std::uint32_t>(i);
        const double draw =
            to_unit_double(philox(random_counter(graphs_.ids()[b], 0, site, number / 4), key)[number % 4]);
        const std::size_t left = list.size() - i;
        std::swap(list[i], list[i + std::min(static_cast<std::size_t>(draw * static_cast<double>(left)), left - 1)]);
      }
      list.resize(count);
    }
    return subsets;
  }

  void add(Index b, const std::vector<Index>& numbers) {
    const BagGraph from = graph(b);
    const auto first_node = static_cast<Index>(graphs_.members().offsets[b]);
    const auto first_edge = static_cast<Index>(from.offsets.front());
    const auto first_copy = static_cast<Index>(original_.size());
    const std::int64_t base = offsets_.back();
    const Bag bag = make_bag(from, wish_.policy, wish_.hops, numbers);
    check_size(original_.size() + bag.offsets.size());
    check_size(senders_.size() + bag.senders.size());
    for (Index s = 0; s < bag.subgraphs; ++s) {
      for (Index v = 0; v < from.nodes; ++v) {
        original_.push_back(first_node + v);
        add_marks(bag, s * from.nodes + v, v == numbers[static_cast<std::size_t>(s)]);
        graph_ids_.push_back(graphs_.ids()[static_cast<std::size_t>(b)]);
        numbers_.push_back(static_cast<std::uint32_t>(s * from.nodes + v));
      }
      node_offsets_.push_back(static_cast<std::int64_t>(original_.size()));
    }
    for (std::size_t i = 1; i < bag.offsets.size(); ++i) offsets_.push_back(base + bag.offsets[i]);
    for (const Index u : bag.senders) senders_.push_back(first_copy + u);
    for (const Index e : bag.edges) edges_.push_back(edge_of(first_edge + e));
    subgraph_offsets_.push_back(static_cast<std::int64_t>(node_offsets_.size()) - 1);
  }

  [[nodiscard]] Index edge_of(Index e) const {
    const Index loop = loop_of_edge_.empty() ? -1 : loop_of_edge_[static_cast<std::size_t>(e)];
    return loop < 0 ? e : graphs_.edges() + loop;
  }

  void add_marks(const Bag& bag, Index copy, bool root) {
    if (wish_.policy == BagPolicy::kEgoNetsPlus) {
      marks_.push_back(root ? S(1) : S(0));
      marks_.push_back(root ? S(0) : S(1));
    }
    if (wish_.degrees == 0) return;
    const auto at = static_cast<std::size_t>(copy);
    const std::int64_t degree = std::min<std::int64_t>(bag.offsets[at + 1] - bag.offsets[at], wish_.degrees - 1);
    for (int d = 0; d < wish_.degrees; ++d) marks_.push_back(d == degree ? S(1) : S(0));
  }

  template <class T>
  [[nodiscard]] std::span<const T> kept(const std::vector<T>& values) {
    T* copy = f_.tape().template keep<T>(values.size());
    std::copy(values.begin(), values.end(), copy);
    return {copy, values.size()};
  }

  // The copies that each copy sends to, in ascending order: the way back of sums over neighbours.
  [[nodiscard]] const tape::Segments* receivers(const tape::Segments& neighbours) {
    const auto all = static_cast<std::size_t>(neighbours.offsets[neighbours.count]);
    auto* back = f_.tape().template keep<tape::Segments>(1);
    *back = f_.grouped({neighbours.members, all}, neighbours.rows);  // places among the members
    auto* receiver = f_.tape().template keep<Index>(all);
    for (Index i = 0; i < neighbours.count; ++i) {
      std::fill(receiver + neighbours.offsets[i], receiver + neighbours.offsets[i + 1], i);
    }
    auto* members = f_.tape().template keep<Index>(all);
    for (std::size_t e = 0; e < all; ++e) members[e] = receiver[back->members[e]];
    back->members = members;
    back->rows = neighbours.count;
    back->disjoint = false;
    return back;
  }

  BatchBags<S> finish() {
    const auto M = static_cast<Index>(original_.size()), T = static_cast<Index>(node_offsets_.size()) - 1;
    const auto K = static_cast<Index>(senders_.size());
    BatchBags<S> all;
    all.original = kept(original_);
    all.copies = f_.grouped(all.original, graphs_.nodes());
    const std::int64_t* offsets = kept(offsets_).data();
    all.senders = kept(senders_);
    all.neighbours = {.count = M, .rows = M, .offsets = offsets, .members = all.senders.data()};
    all.nodes = {.count = T, .rows = M, .offsets = kept(node_offsets_).data(), .disjoint = true};
    all.subgraphs = {.count = graphs_.graphs(), .rows = T, .offsets = kept(subgraph_offsets_).data(), .disjoint = true};
    if (const int columns = mark_columns(wish_); columns > 0)
      all.marks = f_.tape().input(kept(marks_).data(), M, columns);
    if (wish_.edges) {
      all.sent = f_.grouped(all.senders, M);
      all.received = {.count = M, .rows = K, .offsets = offsets, .disjoint = true};
      all.edges = kept(edges_);
      all.self_loops = kept(self_loops_);
      all.of_edge = f_.grouped(all.edges, graphs_.edges() + static_cast<Index>(self_loops_.size()));
    } else {
      all.neighbours.transposed = receivers(all.neighbours);
    }
    all.graph_ids = kept(graph_ids_);
    all.numbers = kept(numbers_);
    return all;
  }

  Formula<S>& f_;
  const GraphArrays<S>& graphs_;
  const BagWish& wish_;
  std::vector<Index> local_senders_, original_, senders_, edges_, self_loops_, loop_of_edge_;
  std::vector<std::int64_t> offsets_ = {0}, node_offsets_ = {0}, subgraph_offsets_ = {0};
  std::vector<S> marks_;
  std::vector<std::uint64_t> graph_ids_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace

int mark_columns(const BagWish& wish) { return (wish.policy == BagPolicy::kEgoNetsPlus ? 2 : 0) + wish.degrees; }

template <class S>
BatchBags<S> make_bags(Formula<S>& f, const BagWish& wish) {
  return BagsOfBatch<S>(f, wish).make();
}

template BatchBags<float> make_bags(Formula<float>&, const BagWish&);
template BatchBags<double> make_bags(Formula<double>&, const BagWish&);

}  // namespace agentnet
