#include "paper/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "agentnet/error.h"
#include "paper/methods.h"

namespace agentnet {
namespace {

using testing::HasSubstr;
using testing::Not;

ExperimentResult made_up(const char* experiment, const char* method, const std::vector<double>& values) {
  ExperimentResult result;
  result.experiment = experiments_named(experiment).front();
  result.method = method;
  SeedResult seed;
  seed.scale = "small";
  seed.one_rollout = values;
  seed.seconds = 90;
  result.seeds.push_back(seed);
  return result;
}

TEST(PaperTables, EveryCellLeadsToAnExperimentAndAMethod) {
  std::set<int> numbers;
  for (const PaperTable& table : paper_tables()) {
    EXPECT_TRUE(numbers.insert(table.number).second);
    for (const PaperTable::Row& row : table.rows) {
      ASSERT_EQ(row.cells.size(), table.columns.size()) << row.name;
      for (const PaperCell& cell : row.cells) {
        EXPECT_FALSE(cell.paper.empty()) << row.name;
        if (table.number == 6) continue;  // sets that have no recipe
        SCOPED_TRACE(row.name + " " + cell.experiment);
        const auto found = experiments_named(cell.experiment);
        ASSERT_EQ(found.size(), 1U);
        if (!cell.method.empty()) {
          EXPECT_NO_THROW(static_cast<void>(method_named(cell.method)));
        } else if (!cell.valid && !found.front()->paper.empty()) {
          EXPECT_EQ(found.front()->paper, cell.paper);  // the experiment says the same
        }
      }
    }
  }
}

TEST(PaperTables, AnExperimentOfATableStandsInIt) {
  for (const Experiment& e : experiments()) {
    if (!e.place.starts_with("table ")) continue;
    EXPECT_EQ(paper_figure(e.name, ""), e.paper) << e.name;
  }
  EXPECT_EQ(paper_figure("MUTAG", "gin"), "89.4 ± 5.6");
  EXPECT_EQ(paper_figure("MUTAG", "wl"), "");
}

TEST(PaperTables, OursStandUnderTheirsAndTheRestIsBlank) {
  const std::vector<ExperimentResult> results = {made_up("MUTAG", "", {0.9, 0.8}), made_up("MUTAG", "gin", {0.7, 0.7})};
  const std::string table = table_markdown(paper_table(2), results);
  EXPECT_THAT(table, HasSubstr("\n| AgentNet "));
  EXPECT_THAT(table, HasSubstr("| 85.0 ± 7.1 (2 folds, small) |"));
  EXPECT_THAT(table, HasSubstr("| 70.0 ± 0.0 (2 folds, small) |"));
  const std::string csv = table_csv(paper_table(2), results);
  EXPECT_THAT(csv, HasSubstr("\n2,GIN,MUTAG,89.4 ± 5.6,70.0 ± 0.0,,2 folds,small,90.0\n"));
  EXPECT_THAT(csv, HasSubstr("\n2,CRaWl,DD,78.3 ± 5.5,,,,,\n"));
  const auto json = nlohmann::json::parse(table_json(paper_table(2), results));
  EXPECT_EQ(json["rows"][0]["cells"][0]["ours"]["over"], "2 folds");
  EXPECT_TRUE(json["rows"][0]["cells"][1]["ours"].is_null());
  const std::string page = table_html(paper_table(2), results);
  EXPECT_THAT(page, HasSubstr("<td>89.4 ± 5.6<span class=\"ours\">70.0 ± 0.0</span>"));
  EXPECT_THAT(table_markdown(paper_table(2), {}), Not(HasSubstr("folds, small")));
}

TEST(PaperTables, ThoseThatAreNotThereAreNamed) {
  EXPECT_THROW(static_cast<void>(paper_table(10)), Error);
  try {
    static_cast<void>(paper_table(4));
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.hint(), HasSubstr("agentnet inspect"));
  }
}

}  // namespace
}  // namespace agentnet
