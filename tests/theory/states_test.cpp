#include "theory/machine/states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "core/random.h"

namespace agentnet::theory {
namespace {

using testing::ElementsAre;

TEST(States, TheSameInputsGetTheSameNumberAndOthersAnother) {
  States states;
  const std::uint32_t one[] = {1}, two[] = {2}, both[] = {1, 2};
  const NodeState a = states.feature(one), b = states.feature(two), c = states.feature(both), d = states.feature({});
  EXPECT_EQ(states.feature(one), a);
  EXPECT_EQ((std::set{a, b, c, d}).size(), 4u);
}

TEST(States, AMultisetHasNoOrderButHasMultiplicities) {
  States states;
  const std::uint32_t one[] = {1}, two[] = {2};
  const NodeState a = states.feature(one), b = states.feature(two);
  NodeState ab[] = {a, b}, ba[] = {b, a}, aab[] = {a, a, b}, abb[] = {a, b, b};
  EXPECT_EQ(states.looked(a, ab), states.looked(a, ba));
  EXPECT_NE(states.looked(a, aab), states.looked(a, abb));
  EXPECT_NE(states.looked(a, ab), states.looked(b, ab));
}

TEST(States, CanBeReadBack) {
  States states;
  const std::uint32_t one[] = {7, 9};
  const NodeState node = states.feature(one);
  AgentState agents[] = {states.ready(5), states.ready(3)};
  const AgentState third = agents[1];
  const NodeState marked = states.marked(node, 11, agents);
  NodeState around[] = {node};
  const NodeState looked = states.looked(marked, around);
  const AgentState after = states.visited(third, looked);
  EXPECT_EQ(states.kind(node), StateKind::kFeature);
  EXPECT_THAT(states.features(node), ElementsAre(7, 9));
  EXPECT_EQ(states.kind(marked), StateKind::kMarked);
  EXPECT_EQ(states.mark(marked).before, node);
  EXPECT_EQ(states.mark(marked).time, 11u);
  EXPECT_EQ(states.mark(marked).agents.size(), 2u);
  EXPECT_EQ(states.look(looked).own, marked);
  EXPECT_THAT(states.look(looked).neighbours, ElementsAre(node.number));
  EXPECT_EQ(states.id(third), 3u);
  EXPECT_EQ(states.id(after), 3u);
  EXPECT_EQ(states.visit(after).before, third);
  EXPECT_EQ(states.visit(after).node, looked);
  EXPECT_EQ(last_visit(states, looked, 3), 11u);
  EXPECT_EQ(last_visit(states, looked, 4), kNever);
  EXPECT_EQ(first_state(states, looked), node);
}

// Injective by construction: compared with a map of the tuples themselves, through several growths of the table.
TEST(States, AgreeWithAMapOfTuples) {
  States states;
  std::map<std::vector<std::uint32_t>, std::uint32_t> plain;
  RandomSequence random(1, Purpose::kTest);
  for (int i = 0; i < 50000; ++i) {
    std::vector<std::uint32_t> tuple(random.below(4));
    for (std::uint32_t& word : tuple) word = static_cast<std::uint32_t>(random.below(40));
    const NodeState state = states.feature(tuple);
    EXPECT_EQ(plain.try_emplace(tuple, state.number).first->second, state.number);
  }
  EXPECT_EQ(states.size(), plain.size());
  std::set<std::uint32_t> numbers;
  for (const auto& [tuple, number] : plain) numbers.insert(number);
  EXPECT_EQ(numbers.size(), plain.size());
}

}  // namespace
}  // namespace agentnet::theory
