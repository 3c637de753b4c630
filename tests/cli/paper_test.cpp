// The paper's experiments, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/run_agentnet.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

TEST(PaperCommand, ListsExperimentsWithThePapersFigures) {
  const ProgramResult result = run_agentnet({"paper", "list"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, MatchesRegex("(.|\n)*\nMUTAG +tu +93.6 ± 8.6 +mutagenic molecules \\(table 2\\)\n(.|\n)*"));
  EXPECT_THAT(result.out, HasSubstr("zinc-128 "));
  // The columns stay in line, however long a name is: what is learned begins below its heading.
  std::istringstream lines(result.out);
  std::string line;
  std::getline(lines, line);
  const std::size_t column = line.find("what is learned");
  while (std::getline(lines, line)) {
    std::size_t at = 0, characters = 0;
    for (; at < line.size() && characters < column; ++at) characters += (line[at] & 0xC0) != 0x80 ? 1 : 0;
    while (at < line.size() && (line[at] & 0xC0) == 0x80) ++at;
    EXPECT_EQ(line.substr(at - 2, 2), "  ") << line;
    EXPECT_NE(line.at(at), ' ') << line;
  }
}

TEST(PaperCommand, ShowsSettingsThatTrainReads) {
  const TempFolder folder;
  const ProgramResult shown = run_agentnet({"paper", "show", "2wl"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("table 1: accuracy 100.0 ± 0.0 %"));
  EXPECT_THAT(shown.out, HasSubstr("agentnet train -c 2wl.toml -o run\n"));
  EXPECT_THAT(shown.out, HasSubstr("solo_steps = 0 "));
  EXPECT_THAT(run_agentnet({"paper", "show", "2wl-ours"}).out, HasSubstr("solo_steps = 2000 "));
  const std::string file = folder / "4cycles.toml";
  EXPECT_EQ(run_agentnet({"paper", "show", "4cycles", "--scale", "tiny", "--toml"}, file).exit_code, 0);
  const ProgramResult again = run_agentnet({"train", "-c", file, "--print-config"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, read_text(file));
}

TEST(PaperCommand, ShowsExperimentsWhoseDataIsNotThere) {
  const TempFolder folder;
  const ProgramResult result = run_agentnet({"paper", "show", "MUTAG", "--data", folder.path()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("agentnet cv -c MUTAG.toml --protocol gin -o run\n"));
  EXPECT_THAT(result.out, HasSubstr("# The data is not at hand"));
}

TEST(PaperCommand, RunsAndWritesTables) {
  const TempFolder folder;
  const std::string out = folder / "out";
  const std::vector<std::string> command = {"paper", "run", "4cycles", "--scale", "tiny", "--seeds", "2", "-o", out};
  const ProgramResult result = run_agentnet(command);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\n| 4cycles    | accuracy % | 100.0 ± 0.0 "));
  EXPECT_THAT(result.out, HasSubstr("| 2 seeds "));
  EXPECT_EQ(read_text(out + "/results.md"), result.out);
  EXPECT_THAT(read_text(out + "/results.csv"), HasSubstr("\n4cycles,agentnet,,tiny,1,,accuracy,"));
  EXPECT_THAT(result.err, HasSubstr("4cycles, seed 0: "));

  std::vector<std::string> again = command;
  again.emplace_back("--json");
  const ProgramResult second = run_agentnet(again);
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.err, Not(HasSubstr("4cycles, seed 0: ")));
  const json found = json::parse(second.out);
  EXPECT_EQ(found[0]["experiment"], "4cycles");
  EXPECT_EQ(found[0]["one_rollout"]["values"], 2);
  EXPECT_EQ(found[0]["paper"], "100.0 ± 0.0");
}

TEST(PaperCommand, ARivalsRunStandsInThePapersTable) {
  const TempFolder folder;
  const std::string out = folder / "out";
  const ProgramResult run = run_agentnet({"paper", "run", "2wl", "--model", "gin", "--scale", "tiny", "-o", out});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\n| 2wl --model gin | accuracy % | 50.0 ± 0.0 "));
  const ProgramResult table = run_agentnet({"paper", "table", "1", "--json", "-o", out});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  const json found = json::parse(table.out);
  EXPECT_EQ(found["rows"][0]["cells"][2]["ours"]["over"], "1 seed");
  EXPECT_TRUE(found["rows"][0]["cells"][0]["ours"].is_null());
  const ProgramResult all = run_agentnet({"paper", "table", "-o", out});
  EXPECT_THAT(all.out, AllOf(HasSubstr("Table 1 of the paper"), HasSubstr("Table 9 of the paper")));
  const ProgramResult page = run_agentnet({"paper", "table", "1", "--format", "html", "-o", out});
  EXPECT_THAT(page.out, HasSubstr("<span class=\"how\">"));
}

TEST(PaperCommand, WritesIntoNoFolderOfOtherMake) {
  const TempFolder folder;
  for (const char* name : {"results.md", "results.csv", "config.toml", "cv.toml"}) {
    const std::string out = folder / (std::string("of-") + name);
    std::filesystem::create_directory(out);
    write_text(out + "/" + name, "my notes\n");
    const ProgramResult result = run_agentnet({"paper", "run", "4cycles", "--scale", "tiny", "-o", out});
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr("exists and holds something else\nhint: name another folder with -o"));
    EXPECT_EQ(read_text(out + "/" + name), "my notes\n");
  }
}

TEST(PaperCommand, MistakesAreNamed) {
  const TempFolder folder;
  const auto fails = [](const std::vector<std::string>& arguments, const std::string& message,
                        const std::string& hint) {
    std::vector<std::string> all = {"paper"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const ProgramResult result = run_agentnet(all);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_THAT(result.err, HasSubstr("hint: " + hint));
  };
  fails({"run", "4cylces"}, "there is no experiment '4cylces'", "did you mean '4cycles'?");
  fails({"run"}, "no experiment named", "agentnet paper list");
  fails({"go", "4cycles"}, "unknown action 'go'", "there are list, show, run, table and figure");
  fails({"table", "two"}, "'two' is not the number of a table", "for example: agentnet paper table 2");
  fails({"table", "11"}, "the paper has no table 11 of results", "there are 1, 2, 3, 5, 6, 7, 8, 9");
  fails({"run", "4cycles", "--model", "gni"}, "there is no method 'gni'", "did you mean 'gin'?");
  fails({"run", "4cycles", "--scale", "huge"}, "there is no scale 'huge'", "there are tiny, small and full");
  fails({"list", "4cycles"}, "unexpected argument '4cycles'", "agentnet paper show");
  const std::string out = folder / "out";
  fails({"run", "4cycles", "MUTAG", "--scale", "tiny", "--data", folder.path(), "-o", out}, "the set MUTAG is not in",
        "agentnet fetch MUTAG");
  EXPECT_FALSE(std::filesystem::exists(out));  // before anything was run
}

}  // namespace
}  // namespace agentnet
