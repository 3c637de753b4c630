#include "paper/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "agentnet/error.h"
#include "paper/methods.h"
#include "paper/set_sizes.h"
#include "support/shared_dir.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::HasSubstr;
using testing::Not;

// Where counting gives another number than the paper's text, after rounding.
const std::vector<std::pair<std::string, std::string>> kOtherwise = {};

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
  EXPECT_THAT(table, HasSubstr("| 85.0 ± 7.1 (2 folds, small, 90 s) |"));
  EXPECT_THAT(table, HasSubstr("| 70.0 ± 0.0 (2 folds, small, 90 s) |"));
  const std::string csv = table_csv(paper_table(2), results);
  EXPECT_THAT(csv, HasSubstr("\n2,GIN,MUTAG,89.4 ± 5.6,70.0 ± 0.0,,2 folds,small,90.0,,0\n"));
  EXPECT_THAT(csv, HasSubstr("\n2,CRaWl,DD,78.3 ± 5.5,,,,,,,\n"));
  const auto json = nlohmann::json::parse(table_json(paper_table(2), results));
  EXPECT_EQ(json["rows"][0]["cells"][0]["ours"]["over"], "2 folds");
  EXPECT_TRUE(json["rows"][0]["cells"][1]["ours"].is_null());
  const std::string page = table_html(paper_table(2), results);
  EXPECT_THAT(page, HasSubstr("<td>89.4 ± 5.6<span class=\"ours\">70.0 ± 0.0</span>"));
  EXPECT_THAT(table_markdown(paper_table(2), {}), Not(HasSubstr("folds, small")));
}

TEST(PaperTables, ACellIsTheBestPointOfAGrid) {
  std::vector<ExperimentResult> results = {made_up("MUTAG", "", {0.7, 0.7}), made_up("MUTAG", "", {0.9, 0.8})};
  results[0].point = "batch=32";
  results[1].point = "batch=128";
  EXPECT_THAT(table_markdown(paper_table(2), results),
              HasSubstr("| 85.0 ± 7.1 (2 folds, small, best of 2 settings: batch=128, 90 s) |"));
}

TEST(PaperTables, ThoseThatAreNotThereAreNamed) {
  EXPECT_THROW(static_cast<void>(paper_table(10)), Error);
  EXPECT_THROW(static_cast<void>(paper_table(4)), Error);  // is counted, not run
}

TEST(PaperTables, SizesOfSetsAreCountedAndTheRestIsBlank) {
  const TempFolder folder;
  write_text(folder / "MUTAG.txt", "2\n2 0\n0 1 1\n0 1 0\n3 1\n1 1 1\n1 2 0 2\n1 1 1\n");
  std::string said;
  const PaperTable table = set_sizes_table(
      {.data = folder.path(), .made = folder / "made", .say = [&](const std::string& text) { said += text + "\n"; }});
  EXPECT_EQ(table.rows.front().name, "MUTAG");
  std::vector<std::string> ours;
  for (const PaperCell& cell : table.rows.front().cells) ours.push_back(cell.ours);
  EXPECT_EQ(ours, (std::vector<std::string>{"2", "2.5", "3", "2", "1.2", "2"}));
  EXPECT_EQ(table.rows[1].cells.front().ours, "");
  EXPECT_THAT(said, HasSubstr("the set PTC is not in "));
  EXPECT_THAT(table_markdown(table, {}), HasSubstr("| - ours"));
}

// All sets that are here, in full. REDDIT-BINARY and COLLAB-like degrees included.
TEST(PaperTables, SizesOfTheSharedSetsAreThePapers) {
  const auto shared = shared_dir();
  if (!shared) GTEST_SKIP() << kNoSharedDir;
#ifdef AGENTNET_SANITIZED
  GTEST_SKIP() << "takes long with sanitizers";
#endif
  const TempFolder folder;
  const PaperTable table = set_sizes_table({.data = *shared / "data", .made = folder.path()});
  for (const PaperTable::Row& row : table.rows) {
    if (row.name == "QM9" || row.cells.front().ours.empty()) continue;  // a subset
    SCOPED_TRACE(row.name);
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      if (std::ranges::find(kOtherwise, std::pair(row.name, table.columns[c])) != std::end(kOtherwise)) continue;
      EXPECT_EQ(row.cells[c].ours, row.cells[c].paper) << table.columns[c];
    }
  }
}

}  // namespace
}  // namespace agentnet
