// The frame around the commands, with commands made for the purpose.
#include "program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <new>
#include <sstream>
#include <stdexcept>

#include "agentnet/error.h"

namespace agentnet {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

CommandRun define_greet(CLI::App& app) {
  struct Options {
    std::string name;
    int times = 1;
  };
  auto options = std::make_shared<Options>();
  app.add_option("NAME", options->name, "Whom to greet")->required();
  app.add_option("--times", options->times, "How often")->check(CLI::Range(1, 9));
  return [options](const Console& console) {
    for (int i = 0; i < options->times; ++i) console.out << "hello " << options->name << '\n';
  };
}

template <ErrorKind kind>
CommandRun define_failing(CLI::App&) {
  return [](const Console&) { throw Error(kind, "it broke", "mend it"); };
}

CommandRun define_out_of_memory(CLI::App&) {
  return [](const Console&) { throw std::bad_alloc(); };
}

CommandRun define_bug(CLI::App&) {
  return [](const Console&) { throw std::logic_error("row 7 of 6"); };
}

constexpr Command kCommands[] = {
    {"greet", "Say hello", "agentnet greet Ada --times 2", define_greet},
    {"failure", "Throws", "agentnet failure", define_failing<ErrorKind::kFailure>},
    {"usage", "Throws", "agentnet usage", define_failing<ErrorKind::kUsage>},
    {"data", "Throws", "agentnet data", define_failing<ErrorKind::kData>},
    {"mismatch", "Throws", "agentnet mismatch", define_failing<ErrorKind::kMismatch>},
    {"interrupted", "Throws", "agentnet interrupted", define_failing<ErrorKind::kInterrupted>},
    {"memory", "Throws", "agentnet memory", define_out_of_memory},
    {"bug", "Throws", "agentnet bug", define_bug},
};

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_program(kCommands, arguments, {out, err});
  return {code, out.str(), err.str()};
}

TEST(Program, RunsTheCommandWithItsOptions) {
  const Outcome outcome = run({"greet", "Ada", "--times", "2"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "hello Ada\nhello Ada\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(Program, EveryKindOfErrorHasItsExitCodeAndTwoLines) {
  const std::pair<const char*, int> expected[] = {
      {"failure", 1}, {"usage", 2}, {"data", 3}, {"mismatch", 4}, {"interrupted", 130}};
  for (const auto& [command, code] : expected) {
    const Outcome outcome = run({command});
    EXPECT_EQ(outcome.code, code) << command;
    EXPECT_EQ(outcome.out, "") << command;
    EXPECT_EQ(outcome.err, "error: it broke\nhint: mend it\n") << command;
  }
}

TEST(Program, OutOfMemoryIsAFailure) {
  const Outcome outcome = run({"memory"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "error: out of memory\n");
}

TEST(Program, AnExceptionThatIsNotOursIsReportedAsABug) {
  const Outcome outcome = run({"bug"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, StartsWith("error: row 7 of 6\nhint: this is a bug"));
}

TEST(Program, SuggestsTheCommandThatWasMeant) {
  const Outcome outcome = run({"gret", "Ada"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "error: unknown command 'gret'\nhint: did you mean greet?\n");
}

TEST(Program, PointsToHelpWhenNoCommandIsNear) {
  const Outcome outcome = run({"xylophone"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "error: unknown command 'xylophone'\nhint: agentnet --help lists what there is\n");
}

TEST(Program, SuggestsTheOptionThatWasMeant) {
  for (const char* typed : {"--tiems", "--tiems=3"}) {
    const Outcome outcome = run({"greet", "Ada", typed});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "error: unknown option '--tiems'\nhint: did you mean --times?\n");
  }
}

TEST(Program, AMistypedOptionIsReportedBeforeAMissingArgument) {
  const Outcome outcome = run({"greet", "--tiems"});
  EXPECT_THAT(outcome.err, StartsWith("error: unknown option '--tiems'\n"));
}

TEST(Program, SuggestsOptionsOfTheProgramItself) {
  EXPECT_EQ(run({"--verson"}).err, "error: unknown option '--verson'\nhint: did you mean --version?\n");
}

TEST(Program, ParseErrorsAreUsageErrorsThatPointToTheCommandsHelp) {
  const std::vector<std::vector<std::string>> wrong = {
      {"greet"},                                // a required argument is missing
      {"greet", "Ada", "--times"},              // no value
      {"greet", "Ada", "--times", "many"},      // not a number
      {"greet", "Ada", "--times", "10"},        // out of range
      {"greet", "Ada", "Bob"},                  // one argument too many
      {"greet", "Ada", "--times", "2", "bug"},  // a second command
  };
  for (const auto& arguments : wrong) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, StartsWith("error: "));
    EXPECT_THAT(outcome.err, HasSubstr("\nhint: agentnet greet --help lists its options\n"));
  }
}

TEST(Program, NoCommandIsAUsageError) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err, "error: no command given\nhint: agentnet --help lists what there is\n");
}

TEST(Program, HelpListsEveryCommand) {
  const Outcome outcome = run({"--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  for (const Command& command : kCommands) EXPECT_THAT(outcome.out, HasSubstr(command.name));
  EXPECT_THAT(outcome.out, Not(HasSubstr("ubcommand")));
}

TEST(Program, HelpOfACommandEndsWithItsExample) {
  const Outcome outcome = run({"greet", "--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Usage: agentnet greet"));
  EXPECT_THAT(outcome.out, HasSubstr("--times"));
  EXPECT_THAT(outcome.out, HasSubstr("Example:\n  agentnet greet Ada --times 2\n"));
}

TEST(Program, OutputThatCannotBeWrittenIsAFailure) {
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(run_program(kCommands, {"greet", "Ada"}, {out, err}), 1);
  EXPECT_THAT(err.str(), StartsWith("error: cannot write to standard output\n"));
}

CommandRun define_hostile(CLI::App&) {
  return [](const Console& console) {
    console.out << "id\x1b[2J\n";
    console.text() << "class \x1b[2J\n";
    console.err << "note \x1b[2J\n";
    throw Error(ErrorKind::kData, "row \x1b]52;c;\x07",
                "\x9b"
                "31m");
  };
}

CommandRun define_plain(CLI::App&) {
  return [](const Console& console) {
    console.out << "data";
    console.text() << " and text";
  };
}

constexpr Command kOther[] = {{"hostile", "Escapes", "agentnet hostile", define_hostile},
                              {"plain", "Text", "agentnet plain", define_plain}};

TEST(Program, LetsNoTextCommandTheTerminal) {
  std::ostringstream out, err;
  EXPECT_EQ(run_program(kOther, {"hostile"}, {out, err}), 3);
  EXPECT_EQ(out.str(), "id\x1b[2J\nclass \\x1b[2J\n") << "data for programs stays as it is";
  EXPECT_EQ(err.str(), "note \\x1b[2J\nerror: row \\x1b]52;c;\\x07\nhint: \\x9b31m\n");
  std::ostringstream screen;
  EXPECT_EQ(run_program(kOther, {"hostile"}, {.out = screen, .err = err, .out_is_terminal = true}), 3);
  EXPECT_EQ(screen.str(), "id\\x1b[2J\nclass \\x1b[2J\n") << "unless people look at it";
}

TEST(Program, EndsWithoutAWordIfNobodyReadsItsOutput) {
  for (const bool closed : {true, false}) {
    std::ostringstream out, err;
    out.setstate(std::ios::badbit);
    Console console{out, err};
    console.out_is_closed = closed ? +[] { return true; } : +[] { return false; };
    EXPECT_EQ(run_program(kOther, {"plain"}, console), closed ? 141 : 1);
    EXPECT_EQ(err.str(), closed ? "" : "error: cannot write to standard output\nhint: is the disk full?\n");
  }
}

}  // namespace
}  // namespace agentnet
