// Scores of candidate moves and their gradients, against the plain loops, on numbers for which both are exact.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <tuple>

#include "kernel_sets.h"
#include "plain_kernels.h"
#include "tables.h"

namespace agentnet {
namespace {

template <class Set>
class Candidates : public KernelTest<Set> {};
TYPED_TEST_SUITE(Candidates, EverySet, SetName);

// M agents at a node with C candidates, states N wide.
struct Case {
  Index M = *rc::gen::inRange<Index>(0, 14);
  Index C = *rc::gen::inRange<Index>(0, 30);
  Index N = *rc::gen::inRange<Index>(1, 71);
  std::uint64_t seed = *rc::gen::arbitrary<std::uint64_t>();

  static constexpr Index kNodes = 40;
};

TYPED_TEST(Candidates, DotsAreThoseOfEveryAgentWithEveryCandidate) {
  using S = typename TypeParam::Scalar;
  const auto run = [](const Kernels<S>& k, const Case& c) {
    Maker<S> maker(c.seed);
    const Table<S> x = maker.input(c.M, c.N), y = maker.input(Case::kNodes, c.N);
    const auto idx = maker.indices(c.C, Case::kNodes);
    Table<S> out = maker.output(c.M, c.C);
    k.candidate_dots(c.M, c.C, c.N, x.data(), x.ld(), idx.data(), y.data(), y.ld(), out.data(), out.ld());
    return out;
  };
  EXPECT_TRUE(rc::check([&] {
    const Case c;
    RC_ASSERT(run(TestFixture::fast(), c) == run(Plain<S>::all(), c));
  }));
}

TYPED_TEST(Candidates, BackwardAddsToAgentsAndCandidates) {
  using S = typename TypeParam::Scalar;
  const auto run = [](const Kernels<S>& k, const Case& c) {
    Maker<S> maker(c.seed);
    const Table<S> x = maker.input(c.M, c.N), y = maker.input(Case::kNodes, c.N), weight = maker.input(c.M, c.C);
    const auto idx = maker.distinct(c.C, Case::kNodes);
    Table<S> dx = maker.output(c.M, c.N), dy = maker.output(Case::kNodes, c.N);
    k.candidate_dots_backward(c.M, c.C, c.N, weight.data(), weight.ld(), x.data(), x.ld(), idx.data(), y.data(), y.ld(),
                              dx.data(), dx.ld(), dy.data(), dy.ld());
    return std::tuple(dx, dy);
  };
  EXPECT_TRUE(rc::check([&] {
    const Case c;
    RC_ASSERT(run(TestFixture::fast(), c) == run(Plain<S>::all(), c));
  }));
}

TYPED_TEST(Candidates, AffineScatterAddsEvenWhereIndicesRepeat) {
  using S = typename TypeParam::Scalar;
  const auto run = [](const Kernels<S>& k, const Case& c) {
    Maker<S> maker(c.seed);
    constexpr Index kNodes = 7;
    const Table<S> y = maker.input(kNodes, c.N);
    const auto idx = maker.indices(c.C, kNodes);
    const auto scale = maker.scales(c.C), shift = maker.values(c.C);
    Table<S> dy = maker.output(kNodes, c.N);
    k.affine_scatter(c.C, c.N, idx.data(), scale.data(), shift.data(), y.data(), y.ld(), dy.data(), dy.ld());
    return dy;
  };
  EXPECT_TRUE(rc::check([&] {
    const Case c;
    RC_ASSERT(run(TestFixture::fast(), c) == run(Plain<S>::all(), c));
  }));
}

// The widths of the model and a hub with more candidates than any block.
TYPED_TEST(Candidates, OfAHubAreScoredLikeOthers) {
  using S = typename TypeParam::Scalar;
  const Kernels<S>& k = TestFixture::fast();
  constexpr Index kAgents = 6, kCandidates = 777, kWidth = 128;
  Maker<S> maker(1);
  const Table<S> x = maker.input(kAgents, kWidth), y = maker.input(kCandidates, kWidth);
  const auto idx = maker.distinct(kCandidates, kCandidates);
  Table<S> out = maker.output(kAgents, kCandidates), expected = out;
  k.candidate_dots(kAgents, kCandidates, kWidth, x.data(), x.ld(), idx.data(), y.data(), y.ld(), out.data(), out.ld());
  Plain<S>::candidate_dots(kAgents, kCandidates, kWidth, x.data(), x.ld(), idx.data(), y.data(), y.ld(),
                           expected.data(), expected.ld());
  EXPECT_TRUE(out == expected);
}

}  // namespace
}  // namespace agentnet
