// Parts and copies of sets.
#include "agentnet/subset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "data/tables/fingerprint.h"

namespace agentnet {
namespace {

static_assert(!std::is_copy_constructible_v<Dataset>, "else copy_of() and its header's comment are out of date");

Dataset small_set() {
  Dataset data = read_data("synthetic:cycles?graphs=6", {});
  data.rows = {0, 1, 3, 4, 5, 6};
  data.bad_rows = {{.row = 2, .id = "x", .where = "f:3:1", .message = "no"}};
  data.columns["colour"] = {"a", "b", "c", "d", "e", "f"};
  data.official = Split{.train = {0, 1}, .valid = {}, .test = {2}};
  return data;
}

TEST(Subset, HasTheGraphsInTheirOrderWithAllThatBelongsToThem) {
  const Dataset data = small_set();
  const std::vector<std::size_t> chosen = {4, 2, 4};
  const Dataset some = subset(data, chosen);
  ASSERT_EQ(some.graphs.size(), 3U);
  EXPECT_EQ(some.rows, (std::vector<std::uint64_t>{5, 3, 5}));
  EXPECT_EQ(some.columns.at("colour"), (std::vector<std::string>{"e", "c", "e"}));
  EXPECT_EQ(some.schema, data.schema);
  EXPECT_TRUE(some.bad_rows.empty());
  EXPECT_FALSE(some.official);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    EXPECT_EQ(some.graphs.view(i).num_nodes, data.graphs.view(chosen[i]).num_nodes);
    EXPECT_EQ(some.graphs.targets(i)[0], data.graphs.targets(chosen[i])[0]);
  }
  EXPECT_THROW(static_cast<void>(subset(data, std::vector<std::size_t>{6})), std::out_of_range);
}

TEST(CopyOf, IsTheSameSetAndItsOwn) {
  Dataset data = small_set();
  const Dataset copy = copy_of(data);
  EXPECT_EQ(fingerprint(copy), fingerprint(data));
  EXPECT_EQ(copy.rows, data.rows);
  EXPECT_EQ(copy.columns, data.columns);
  EXPECT_EQ(copy.official, data.official);
  EXPECT_EQ(copy.num_rows(), data.num_rows());
  const std::string before = fingerprint(copy);
  data.graphs = GraphSet();
  EXPECT_EQ(fingerprint(copy), before);
}

}  // namespace
}  // namespace agentnet
