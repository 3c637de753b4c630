// The program itself: what it prints, where, and how it exits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "agentnet/version.h"
#include "classic/learners/linear_learner.h"
#include "classic/learners/trees.h"
#include "cli/run_agentnet.h"
#include "commands.h"
#include "data/io/archives/unpack.h"
#include "data/io/download.h"
#include "data/molecules/molecule.h"
#include "view/page/page.h"

namespace agentnet {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Agentnet, PrintsItsVersion) {
  for (const char* flag : {"--version", "-V"}) {
    const ProgramResult result = run_agentnet({flag});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.out, StartsWith(std::string("agentnet ") + kVersion + "\n"));
    EXPECT_EQ(result.err, "");
  }
}

// The line of `agentnet --version` that begins so; empty if none does.
std::string line_of(const std::string& text, const std::string& beginning) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(beginning)) return line;
  }
  return "";
}

TEST(Agentnet, SaysWhichPartsThisBuildHas) {
  const std::string out = run_agentnet({"--version"}).out;
  const auto expect = [&](const char* part, bool here) {
    EXPECT_THAT(line_of(out, here ? "with: " : "without: "), HasSubstr(part)) << out;
    EXPECT_THAT(line_of(out, here ? "without: " : "with: "), Not(HasSubstr(part))) << out;
  };
  expect("molecules from SMILES (RDKit)", can_read_smiles());
  expect("packed files (libarchive)", can_unpack());
  expect("downloads (libcurl)", can_download());
  expect("fitting wl (liblinear)", has_liblinear());
  expect("fitting forest and boosting (XGBoost)", has_xgboost());
  expect("the viewer's page", has_viewer());
}

TEST(Agentnet, EveryCommandHasHelpWithAnExampleThatNamesIt) {
  const ProgramResult help = run_agentnet({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("Usage: agentnet "));
  for (const Command& command : commands()) {
    EXPECT_THAT(help.out, HasSubstr(command.name));
    const ProgramResult own = run_agentnet({command.name, "--help"});
    EXPECT_EQ(own.exit_code, 0) << command.name;
    const std::size_t example = own.out.find("Example:\n");
    ASSERT_NE(example, std::string::npos) << command.name;
    EXPECT_THAT(own.out.substr(example), HasSubstr(std::string("agentnet ") + command.name)) << command.name;
  }
}

TEST(Agentnet, WrongUseExitsWithTwoAndWritesToStandardErrorOnly) {
  const std::vector<std::vector<std::string>> wrong = {{}, {"no-such-command"}, {"--no-such-option"}};
  for (const auto& arguments : wrong) {
    const ProgramResult result = run_agentnet(arguments);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("error: "));
    EXPECT_THAT(result.err, HasSubstr("\nhint: "));
  }
}

TEST(Agentnet, AFullDiskIsAFailure) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const ProgramResult result = run_agentnet({"--version"}, "/dev/full");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, StartsWith("error: cannot write to standard output\n"));
}

}  // namespace
}  // namespace agentnet
