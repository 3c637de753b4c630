#include <cmath>
#include <vector>

#include "check.h"

namespace agentnet::tape {
namespace {

TEST(DropoutOperation, KeepsARecordedMask) {
  const Dense x = random_dense(3, 2, 1);
  const std::vector<std::int64_t> mask = {1, 0, 0, 1, 1, 1};
  const Dropout from{.p = 0.25, .mask = mask.data()};
  check(
      {x}, [&](Tape<double>&, Values in) { return dropout(in[0], from); },
      make_dense(3, 2, [&](Index i, Index j) { return x(i, j) * static_cast<double>(mask[2 * i + j]) / 0.75; }));
  check(
      {x}, [&](Tape<double>&, Values in) { return dropout(in[0], from); }, x, false);
}

// What is drawn depends on the names of a row, not on where it stands; other sites and epochs draw otherwise.
TEST(DropoutOperation, DrawsByNamesOfRows) {
  const Dense x = make_dense(2000, 7, [](Index, Index) { return 1; });
  const auto drawn = [&](const Dropout& from, Index rows) {
    Dense part(rows, 7);
    part.v.assign(x.v.begin(), x.v.begin() + static_cast<std::ptrdiff_t>(part.v.size()));
    return answer({part}, [&](Tape<double>&, Values in) { return dropout(in[0], from); }, Inputs::kLeaves,
                  {true, true});
  };
  const Dropout from{.p = 0.3, .key = random_key(5, Purpose::kDropout, 2), .site = 1};
  const Answer all = drawn(from, 2000);
  double kept = 0;
  for (const double v : all.value.v) kept += v > 0 ? 1.0 : 0.0;
  EXPECT_NEAR(kept / 14000, 0.7, 0.02);
  for (const double v : all.value.v) EXPECT_TRUE(v == 0 || std::abs(v - 1 / 0.7) < 1e-15);

  const std::vector<std::uint64_t> graph(3, 0);
  const std::vector<std::uint32_t> member = {1999, 0, 5};
  Dropout named = from;
  named.graph = graph.data();
  named.member = member.data();
  const Answer some = drawn(named, 3);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 7; ++j) EXPECT_EQ(some.value(i, j), all.value(static_cast<Index>(member[i]), j));
  }
  Dropout other = from;
  other.site = 2;
  EXPECT_NE(drawn(other, 2000).value.v, all.value.v);
  other = from;
  other.key = random_key(5, Purpose::kDropout, 3);
  EXPECT_NE(drawn(other, 2000).value.v, all.value.v);
}

TEST(DropoutOperation, GradientsGoThroughTheSameDraws) {
  const Dense x = random_dense(5, 9, 1);
  const Dropout from{.p = 0.5, .key = random_key(5, Purpose::kDropout, 2)};
  const Formula formula = [&](Tape<double>&, Values in) { return dropout(square(in[0]), from); };
  check({x}, formula, answer({x}, formula, Inputs::kLeaves, {true, false}).value);
}

TEST(DropoutOperation, DropsWholeRows) {
  const Dense x = random_dense(4, 2, 1);
  const std::vector<std::int64_t> dropped = {0, 1, 0, 1};
  check(
      {x}, [&](Tape<double>&, Values in) { return drop_rows(in[0], dropped); },
      make_dense(4, 2, [&](Index i, Index j) { return i % 2 == 1 ? 0 : x(i, j); }), false);
}

}  // namespace
}  // namespace agentnet::tape
