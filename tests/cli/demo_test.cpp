// agentnet demo and agentnet info, which reads what demo saves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_agentnet.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A demo short enough for a test; `more` are further arguments.
ProgramResult short_demo(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"demo", "--steps", "3", "--seed", "5"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_agentnet(arguments);
}

TEST(Demo, ReportsTrainingOnStandardErrorAndTheResultOnStandardOutput) {
  const ProgramResult result = short_demo({});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("of 3  loss "));
  EXPECT_THAT(result.out, HasSubstr("accuracy on 300 fresh graphs"));
}

TEST(Demo, TrainsAsManyStepsAsItWasAskedFor) {
  const ProgramResult result = run_agentnet({"demo", "--steps", "115"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("step  115 of 115  loss "));
}

TEST(Demo, SavesTheSameBytesForAnyNumberOfThreads) {
  const TempFolder folder;
  const std::string one = folder / "one.safetensors";
  const std::string three = folder / "three.safetensors";
  const ProgramResult first = short_demo({"--threads", "1", "-o", one});
  const ProgramResult second = short_demo({"--threads", "3", "-o", three});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(first.out, second.out);
  EXPECT_FALSE(read_text(one).empty());
  EXPECT_TRUE(read_text(one) == read_text(three));
}

TEST(Demo, AnotherSeedGivesAnotherModel) {
  const TempFolder folder;
  const std::string five = folder / "five.safetensors";
  const std::string six = folder / "six.safetensors";
  EXPECT_EQ(short_demo({"-o", five}).exit_code, 0);
  EXPECT_EQ(run_agentnet({"demo", "--steps", "3", "--seed", "6", "-o", six}).exit_code, 0);
  EXPECT_FALSE(read_text(five) == read_text(six));
}

TEST(Demo, DoesNotOverwriteAFile) {
  const TempFolder folder;
  const std::string path = folder / "precious";
  write_text(path, "keep me");
  const ProgramResult result = short_demo({"-o", path});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("error: " + path));
  EXPECT_EQ(read_text(path), "keep me");
}

TEST(Info, SaysWhatAModelFileHolds) {
  const TempFolder folder;
  const std::string path = folder / "model.safetensors";
  ASSERT_EQ(short_demo({"-o", path}).exit_code, 0);

  const ProgramResult text = run_agentnet({"info", path});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, StartsWith(path + ": AgentNet with 16 agents, 16 steps, hidden size 32, 2 outputs"));
  EXPECT_THAT(text.out, HasSubstr("no 4-cycle, 4-cycle"));
  EXPECT_THAT(text.out, HasSubstr("agents.weight"));

  const ProgramResult json = run_agentnet({"info", path, "--json"});
  EXPECT_EQ(json.exit_code, 0) << json.err;
  const auto parsed = nlohmann::json::parse(json.out);
  EXPECT_EQ(parsed.at("kind"), "agentnet");
  EXPECT_EQ(parsed.at("options").at("hidden"), 32);
  EXPECT_EQ(parsed.at("shape").at("outputs"), 2);
  EXPECT_EQ(parsed.at("label_names").at(1), "4-cycle");
  std::int64_t values = 0;
  for (const auto& tensor : parsed.at("tensors")) {
    std::int64_t size = 1;
    for (const std::int64_t extent : tensor.at("shape")) size *= extent;
    values += size;
  }
  EXPECT_GE(parsed.at("parameters"), values);  // the flat buffer may be padded between tensors
  EXPECT_GT(values, 0);
}

TEST(Info, ADamagedFileIsABadFile) {
  const TempFolder folder;
  const std::string path = folder / "model.safetensors";
  ASSERT_EQ(short_demo({"-o", path}).exit_code, 0);
  std::string bytes = read_text(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_text(path, bytes);

  const ProgramResult result = run_agentnet({"info", path});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("error: "));
  EXPECT_THAT(result.err, HasSubstr(path));
}

// A header that nests JSON deeper than a stack is high, and one that promises more bytes than the file has.
TEST(Info, AHostileFileIsABadFile) {
  const TempFolder folder;
  const std::string path = folder / "model.safetensors";
  const auto with_header = [](const std::string& header, std::uint64_t size) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(size >> (8 * i) & 0xff);
    return bytes + header;
  };
  const std::string deep =
      "{\"__metadata__\":{\"config\":" + std::string(80'000, '[') + std::string(80'000, ']') + "}}";
  for (const std::string& bytes : {with_header(deep, deep.size()), with_header("{}", std::uint64_t{1} << 60)}) {
    write_text(path, bytes);
    const ProgramResult result = run_agentnet({"info", path});
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith("error: "));
    EXPECT_THAT(result.err, HasSubstr(path));
    EXPECT_LT(result.err.size(), 1000U) << "a message, not the file";
  }
}

TEST(Info, NamesTheFileThatIsNotThere) {
  const ProgramResult result = run_agentnet({"info", "no/such/model.safetensors"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, StartsWith("error: cannot read no/such/model.safetensors"));
  EXPECT_THAT(result.err, HasSubstr("\nhint: "));
}

}  // namespace
}  // namespace agentnet
