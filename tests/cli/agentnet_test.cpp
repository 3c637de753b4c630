// The program itself: what it prints, where, and how it exits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "agentnet/version.h"
#include "cli/run_agentnet.h"
#include "commands.h"

namespace agentnet {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Agentnet, PrintsItsVersion) {
  for (const char* flag : {"--version", "-V"}) {
    const ProgramResult result = run_agentnet({flag});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, std::string("agentnet ") + kVersion + "\n");
    EXPECT_EQ(result.err, "");
  }
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
