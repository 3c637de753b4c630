// agentnet man and agentnet completion: they say what --help says, and shells take them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/run_agentnet.h"
#include "commands.h"
#include "manual/command_text.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

// What a shell prints for this command line.
std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> part{};
  while (pipe != nullptr && std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
  if (pipe != nullptr) pclose(pipe);
  return text;
}

bool has_program(const std::string& name) { return !output_of("command -v " + name).empty(); }

std::string script_file(const TempFolder& folder, const std::string& shell) {
  const ProgramResult result = run_agentnet({"completion", shell});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::ofstream(folder / shell) << result.out;
  return folder / shell;
}

// What bash offers for the last of these words.
std::string bash_offers(const std::string& words) {
  const TempFolder folder;
  const std::string file = script_file(folder, "bash");
  return output_of("bash -c 'source \"" + file + "\"; compopt() { :; }; COMP_WORDS=(" + words +
                   "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _agentnet; echo \"${COMPREPLY[*]}\"'");
}

TEST(CommandTexts, HaveEveryOptionOfEveryCommand) {
  for (const CommandText& command : command_texts(commands())) {
    const ProgramResult help = run_agentnet({command.name, "--help"});
    for (const OptionText& option : command.options) {
      for (const std::string& name : option.names) EXPECT_THAT(help.out, HasSubstr(name)) << command.name;
    }
    EXPECT_FALSE(command.options.empty()) << command.name;
    EXPECT_THAT(help.out, HasSubstr(command.summary));
  }
}

TEST(CommandTexts, KnowTheChoicesThatTheOptionTablesKnow) {
  const std::vector<CommandText> all = command_texts(commands());
  const auto train = std::ranges::find(all, "train", &CommandText::name);
  ASSERT_NE(train, all.end());
  const auto choices = [&](const std::string& name) {
    for (const OptionText& option : train->options) {
      if (option.names.back() == name) return option.choices;
    }
    return std::vector<std::string>{};
  };
  EXPECT_THAT(choices("--model"), AllOf(Contains("agentnet"), Contains("gin")));
  EXPECT_THAT(choices("--schedule"), Contains("quarter-cosine"));
  EXPECT_THAT(choices("--set"), AllOf(Contains("model.hidden="), Contains("train.epochs=")));
  EXPECT_TRUE(choices("--epochs").empty());
}

TEST(Man, PrintsThePageOfACommand) {
  const ProgramResult page = run_agentnet({"man", "train"});
  EXPECT_EQ(page.exit_code, 0);
  EXPECT_THAT(page.out, StartsWith(".TH AGENTNET-TRAIN 1"));
  EXPECT_THAT(page.out, AllOf(HasSubstr("\\fB\\-\\-epochs\\fR"), HasSubstr(".SH EXAMPLE")));
  const ProgramResult unknown = run_agentnet({"man", "trian"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean train?"));
}

TEST(Man, WritesAPageForEveryCommandAndManTakesThem) {
  const TempFolder folder;
  ASSERT_EQ(run_agentnet({"man", "-o", folder / "man1"}).exit_code, 0);
  std::size_t pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "man1")) {
    ++pages;
    if (!has_program("groff")) continue;
    EXPECT_EQ(output_of("groff -man -Tascii -ww -z '" + entry.path().string() + "' 2>&1"), "") << entry.path();
  }
  EXPECT_EQ(pages, commands().size() + 1);
}

TEST(Completion, OffersCommandsOptionsAndValuesInBash) {
  EXPECT_THAT(bash_offers("agentnet tr"), StartsWith("train"));
  EXPECT_THAT(bash_offers("agentnet train --epo"), StartsWith("--epochs"));
  EXPECT_THAT(bash_offers("agentnet train --model dropg"), HasSubstr("dropgin"));
  EXPECT_THAT(bash_offers("agentnet train --set model.hid"), HasSubstr("model.hidden="));
  EXPECT_EQ(bash_offers("agentnet train data"), "\n");  // a file, which bash finds by itself
}

TEST(Completion, IsReadByTheOtherShellsWhereTheyAre) {
  const TempFolder folder;
  if (has_program("zsh")) {
    EXPECT_EQ(output_of("zsh -n '" + script_file(folder, "zsh") + "' 2>&1"), "");
  }
  if (has_program("fish")) {
    const std::string file = script_file(folder, "fish");
    EXPECT_EQ(output_of("HOME='" + std::string(folder / "") + "' fish --no-execute '" + file + "' 2>&1"), "");
    EXPECT_THAT(output_of("HOME='" + std::string(folder / "") + "' fish -c \"source '" + file +
                          "'; complete -C 'agentnet train --epo'\" 2>&1"),
                HasSubstr("--epochs"));
  }
  if (!has_program("zsh") && !has_program("fish")) GTEST_SKIP() << "neither zsh nor fish is installed";
}

TEST(Completion, KnowsThreeShells) {
  const ProgramResult other = run_agentnet({"completion", "fsih"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, AllOf(HasSubstr("fsih"), HasSubstr("did you mean fish?")));
}

}  // namespace
}  // namespace agentnet
