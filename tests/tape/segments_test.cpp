#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.h"

namespace agentnet::tape {
namespace {

using Lists = std::vector<std::vector<Index>>;

// Lists of rows as Segments, with their transpose.
struct Held {
  std::vector<std::int64_t> offsets{0};
  std::vector<Index> members;
  Transposed transposed;
  Segments view;
  Held(const Lists& lists, Index rows, bool with_transposed) {
    for (const auto& list : lists) {
      members.insert(members.end(), list.begin(), list.end());
      offsets.push_back(static_cast<std::int64_t>(members.size()));
    }
    view = {
        .count = static_cast<Index>(lists.size()), .rows = rows, .offsets = offsets.data(), .members = members.data()};
    if (!with_transposed) return;
    transposed.assign(view);
    view.transposed = &transposed.segments();
  }
};

// Contiguous segments of these sizes.
struct Runs {
  std::vector<std::int64_t> offsets{0};
  Segments view;
  Runs(const std::vector<Index>& sizes, Index rows) {
    for (const Index size : sizes) offsets.push_back(offsets.back() + size);
    view = {.count = static_cast<Index>(sizes.size()), .rows = rows, .offsets = offsets.data()};
  }
};

Lists lists_of(const Segments& s) {
  Lists lists(static_cast<std::size_t>(s.count));
  for (Index i = 0; i < s.count; ++i) {
    for (std::int64_t e = s.offsets[i]; e < s.offsets[i + 1]; ++e) {
      lists[static_cast<std::size_t>(i)].push_back(s.members != nullptr ? s.members[e] : static_cast<Index>(e));
    }
  }
  return lists;
}

using Reduce = std::function<double(const std::vector<double>&)>;

Dense reduced(const Dense& x, const Lists& lists, const Reduce& reduce) {
  return make_dense(static_cast<Index>(lists.size()), x.columns, [&](Index i, Index j) {
    std::vector<double> entries;
    for (const Index row : lists[static_cast<std::size_t>(i)]) entries.push_back(x(row, j));
    return reduce(entries);
  });
}

double sum(const std::vector<double>& v) {
  double s = 0;
  for (const double e : v) s += e;
  return s;
}
double mean(const std::vector<double>& v) { return v.empty() ? 0 : sum(v) / static_cast<double>(v.size()); }
double largest(const std::vector<double>& v) { return v.empty() ? 0 : *std::max_element(v.begin(), v.end()); }
double smallest(const std::vector<double>& v) { return v.empty() ? 0 : *std::min_element(v.begin(), v.end()); }
double deviation(const std::vector<double>& v) {
  std::vector<double> squares;
  for (const double e : v) squares.push_back(e * e);
  return std::sqrt(std::max(0.0, mean(squares) - mean(v) * mean(v)) + 1e-5);
}

void check_reductions(const Dense& x, const Segments& s) {
  const Lists lists = lists_of(s);
  check(
      {x}, [&](Tape<double>&, Values in) { return segment_sum(in[0], s); }, reduced(x, lists, sum));
  check(
      {x}, [&](Tape<double>&, Values in) { return segment_mean(in[0], s); }, reduced(x, lists, mean));
  check(
      {x}, [&](Tape<double>&, Values in) { return segment_max(in[0], s); }, reduced(x, lists, largest));
  check(
      {x}, [&](Tape<double>&, Values in) { return segment_min(in[0], s); }, reduced(x, lists, smallest));
}

// Rows that repeat, in a segment and in several, an empty segment, a row in none.
const Lists kLists = {{0, 2, 2}, {}, {4, 0, 1}, {1}, {4}};

TEST(SegmentOperations, OfMembersThatRepeat) {
  const Dense x = random_dense(6, 3, 1);
  check_reductions(x, Held(kLists, 6, false).view);
  const Held transposed(kLists, 6, true);
  check_reductions(x, transposed.view);
}

TEST(SegmentOperations, OfConsecutiveRows) {
  const Runs runs({2, 0, 3, 1}, 7);  // the last row is in none
  check_reductions(random_dense(7, 3, 2), runs.view);
}

TEST(SegmentOperations, OfGroups) {
  const std::vector<Index> group = {2, 0, 2, 1, 0, 2};
  const Grouping grouping(group, 4);
  EXPECT_EQ(lists_of(grouping.segments()), (Lists{{1, 4}, {3}, {0, 2, 5}, {}}));
  check_reductions(random_dense(6, 3, 3), grouping.segments());
}

TEST(SegmentOperations, DeviationOfSegments) {
  const Runs runs({3, 4}, 7);
  const Dense x = random_dense(7, 3, 5);
  check(
      {x}, [&](Tape<double>&, Values in) { return segment_std(in[0], runs.view); },
      reduced(x, lists_of(runs.view), deviation));
}

TEST(SegmentOperations, Transposed) {
  Transposed t;
  const Held held(kLists, 6, false);
  t.assign(held.view);
  EXPECT_EQ(lists_of(t.segments()), (Lists{{0, 2}, {2, 3}, {0, 0}, {}, {2, 4}, {}}));
  EXPECT_EQ(t.segments().rows, 5);
}

// Each row minus its segment's largest, exponentials by their sum.
TEST(SegmentOperations, SoftmaxOverSegments) {
  const std::vector<Index> group = {2, 0, 2, 1, 0, 2};
  const Grouping grouping(group, 3);
  const Dense x = random_dense(6, 2, 6);
  for (const double epsilon : {0.0, 0.5}) {
    const Dense plain = make_dense(6, 2, [&](Index i, Index j) {
      double top = -1e9, total = epsilon;
      for (Index k = 0; k < 6; ++k) {
        if (group[k] == group[i]) top = std::max(top, x(k, j));
      }
      for (Index k = 0; k < 6; ++k) {
        if (group[k] == group[i]) total += std::exp(x(k, j) - top);
      }
      return std::exp(x(i, j) - top) / total;
    });
    const Formula formula = [&](Tape<double>&, Values in) {
      return segment_softmax(in[0], grouping.segments(), epsilon);
    };
    if (epsilon == 0) {
      check({x}, formula, plain);
    } else {  // with epsilon the largest is taken as fixed
      expect_near(answer({x}, formula, Inputs::kLeaves, {true, true}).value, plain, 1e-12, "with epsilon");
    }
  }
  const Runs runs({2, 3}, 6);
  check(
      {x}, [&](Tape<double>&, Values in) { return segment_softmax(in[0], runs.view); },
      make_dense(6, 2, [&](Index i, Index j) {
        if (i == 5) return 0.0;
        double total = 0;
        for (Index k = i < 2 ? 0 : 2; k < (i < 2 ? 2 : 5); ++k) total += std::exp(x(k, j));
        return std::exp(x(i, j)) / total;
      }));
}

TEST(SegmentOperations, SpreadToMembers) {
  const Dense x = random_dense(3, 2, 7);
  const Runs runs({2, 0, 3}, 6);
  check(
      {x}, [&](Tape<double>&, Values in) { return spread(in[0], runs.view); },
      make_dense(6, 2, [&](Index i, Index j) { return i == 5 ? 0 : x(i < 2 ? 0 : 2, j); }));
  const std::vector<Index> group = {2, 0, 2, 1};
  const Grouping grouping(group, 3);
  check(
      {x}, [&](Tape<double>&, Values in) { return spread(in[0], grouping.segments()); },
      make_dense(4, 2, [&](Index i, Index j) { return x(group[static_cast<std::size_t>(i)], j); }));
}

// Against its parts: eps times the node and the sum of neighbours.
TEST(SegmentOperations, AggregateIsSelfAndNeighbours) {
  const Dense x = random_dense(5, 3, 8), eps = random_dense(1, 1, 9);
  const Lists ring = {{1, 4}, {0, 2}, {1, 3}, {2, 4}, {3, 0}};
  const Lists directed = {{1, 1, 4}, {}, {0, 2}, {4}, {4}};
  for (const Lists& lists : {ring, directed}) {
    for (const bool transposed : {false, true}) {
      Held held(lists, 5, transposed);
      held.view.symmetric = lists == ring && !transposed;
      const Dense sums = reduced(x, lists, sum);
      check(
          {x}, [&](Tape<double>&, Values in) { return aggregate(in[0], held.view); },
          make_dense(5, 3, [&](Index i, Index j) { return x(i, j) + sums(i, j); }));
      check(
          {x, eps}, [&](Tape<double>&, Values in) { return aggregate(in[0], held.view, in[1]); },
          make_dense(5, 3, [&](Index i, Index j) { return (1 + eps(0, 0)) * x(i, j) + sums(i, j); }));
    }
  }
}

TEST(SegmentOperations, AreChecked) {
  Tape<double> tape;
  tape.begin({});
  const Dense m = random_dense(4, 2, 1);
  const auto x = tape.input(m.v.data(), 4, 2);
  EXPECT_THROW((void)segment_sum(x, Runs({2, 2}, 5).view), std::logic_error);
  EXPECT_THROW((void)segment_sum(x, Runs({2, 3}, 4).view), std::logic_error);
  EXPECT_THROW((void)segment_sum(x, Held({{4}}, 4, false).view), std::logic_error);
  EXPECT_THROW((void)segment_softmax(x, Held({{0, 1}}, 4, false).view), std::logic_error);
  EXPECT_THROW((void)spread(x, Runs({2, 3}, 5).view), std::logic_error);
  EXPECT_THROW((void)aggregate(x, Runs({2, 2}, 4).view), std::logic_error);
  EXPECT_THROW(Grouping(std::vector<Index>{3}, 3), std::logic_error);
}

}  // namespace
}  // namespace agentnet::tape
