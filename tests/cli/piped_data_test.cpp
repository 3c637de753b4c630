// DATA through pipes, as a shell makes them.
#include "options/piped_data.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "agentnet/data.h"
#include "cli/run_agentnet.h"
#include "data/molecules/molecule.h"
#include "support/small_model.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

std::string graph(int label, const std::string& target) {
  return "{\"node_feat\":[[" + std::to_string(label) + "],[1],[2]],\"edge_index\":[[0,1,1,2],[1,0,2,1]],\"y\":\"" +
         target + "\"}\n";
}

class PipedData : public testing::Test {
 protected:
  PipedData() {
    std::string text;
    for (int g = 0; g < 3000; ++g) text += graph(g % 4, g % 2 == 0 ? "a" : "b");  // more than a pipe holds
    write_text(path("set.jsonl"), text);
    small_model(read_data(path("set.jsonl"), {}).schema).save(path("model"));
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] ProgramResult predict_piped(const std::string& file, const std::string& data,
                                            const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"predict", path("model"), data};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return pipe_into_agentnet(path(file), arguments);
  }
  TempFolder folder_;
};

TEST_F(PipedData, PredictsAsFromTheFile) {
  const std::string expected = run_agentnet({"predict", path("model"), path("set.jsonl")}).out;
  ASSERT_THAT(expected, StartsWith("id,prediction,"));
  for (const char* name : {"-", "/dev/stdin", "/dev/fd/7", "/proc/self/fd/7"}) {
    const ProgramResult result = predict_piped("set.jsonl", name);
    EXPECT_EQ(result.exit_code, 0) << name << ": " << result.err;
    EXPECT_EQ(result.out, expected) << name;
  }
  EXPECT_EQ(predict_piped("set.jsonl", "-", {"--format", "jsonl"}).out, expected);
}

TEST_F(PipedData, PackedAndMappedSetsComeThroughPipesToo) {
  const std::string expected = run_agentnet({"predict", path("model"), path("set.jsonl")}).out;
  for (const char* name : {"set.jsonl.xz", "set.agentset"}) {
    ASSERT_EQ(run_agentnet({"convert", path("set.jsonl"), path(name)}).exit_code, 0);
    const ProgramResult result = predict_piped(name, "-", {"--verify"});
    EXPECT_EQ(result.exit_code, 0) << name << ": " << result.err;
    EXPECT_EQ(result.out, expected) << name;
  }
}

TEST_F(PipedData, EveryCommandThatReadsDataTakesIt) {
  const ProgramResult inspected = pipe_into_agentnet(path("set.jsonl"), {"inspect", "-", "--json", "--no-estimate"});
  ASSERT_EQ(inspected.exit_code, 0) << inspected.err;
  EXPECT_EQ(json::parse(inspected.out)["graphs"], 3000);
  EXPECT_EQ(json::parse(inspected.out)["source"], "/dev/stdin");

  const ProgramResult scored = pipe_into_agentnet(path("set.jsonl"), {"eval", path("model"), "-"});
  EXPECT_EQ(scored.exit_code, 0) << scored.err;
  EXPECT_THAT(scored.out, StartsWith("/dev/stdin: 3000 graphs, classification"));

  const ProgramResult explained =
      pipe_into_agentnet(path("set.jsonl"), {"explain", path("model"), "-", "--first", "1", "--rollouts", "2"});
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_THAT(explained.out, StartsWith("{"));

  const ProgramResult converted = pipe_into_agentnet(path("set.jsonl"), {"convert", "-", path("out.agentset")});
  EXPECT_EQ(converted.exit_code, 0) << converted.err;
  EXPECT_THAT(converted.err, HasSubstr("wrote 3000 graphs"));
}

TEST_F(PipedData, MessagesNameThePipeAndTheLine) {
  write_text(path("broken.jsonl"), graph(1, "a") + "{\"num_nodes\":");
  EXPECT_THAT(predict_piped("broken.jsonl", "-").err, StartsWith("error: /dev/stdin:2:"));
  EXPECT_THAT(predict_piped("broken.jsonl", "/dev/fd/7").err, StartsWith("error: /dev/fd/7:2:"));
  write_text(path("empty"), "");
  const ProgramResult empty = predict_piped("empty", "-");
  EXPECT_EQ(empty.exit_code, 3);
  EXPECT_EQ(empty.err, "error: /dev/stdin is empty\nhint: check the file\n");
}

TEST_F(PipedData, ATableOfMoleculesIsRecognisedByItsHeader) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build has no RDKit";
  write_text(path("train.csv"), "smiles,active\nC,0\nCCO,1\n");
  small_model(read_data(path("train.csv"), {}).schema).save(path("model"));
  const ProgramResult result = predict_piped("train.csv", "-");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, predict_piped("train.csv", "-", {"--format", "smiles"}).out);
}

TEST_F(PipedData, ANamedPipeIsReadUnderAnotherName) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { write_text(pipe, read_text(path("set.jsonl"))); });
  const ProgramResult result = run_agentnet({"predict", path("model"), pipe});
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);  // lets the writer go even if nobody else has
  writer.join();
  ::close(reader);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, run_agentnet({"predict", path("model"), path("set.jsonl")}).out);
  EXPECT_THAT(result.err, StartsWith("note: " + pipe + " is a pipe; what came out of it is called /dev/fd/"));
}

TEST_F(PipedData, OfAFileThatIsReadAlreadyTheRestCounts) {
  write_text(path("text"), "begin rest");
  const int file = ::open(path("text").c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  const std::string name = "/dev/fd/" + std::to_string(file);
  std::ostringstream out, err;
  EXPECT_EQ(reopenable(name, {out, err}), name);
  EXPECT_EQ(read_text(name), "begin rest");
  ASSERT_EQ(::lseek(file, 6, SEEK_SET), 6);
  EXPECT_EQ(reopenable(name, {out, err}), name);
  EXPECT_EQ(read_text(name), "rest");
  ::close(file);
}

TEST_F(PipedData, RunsWantDataThatLasts) {
  for (const std::string command : {"train", "cv"}) {
    const ProgramResult result = pipe_into_agentnet(path("set.jsonl"), {command, "-", "-o", path("run")});
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_EQ(result.err,
              "error: standard input is gone when it is to be read again, as --resume does\n"
              "hint: save the data to a file first\n");
  }
  for (const char* name : {"/dev/stdin", "/dev/fd/7"}) {
    const ProgramResult result = pipe_into_agentnet(path("set.jsonl"), {"train", name, "-o", path("run")});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, StartsWith(std::string("error: ") + name + " is gone when"));
  }
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(PipedData, NoRoomForItIsSaid) {
  const ProgramResult result = pipe_into_agentnet(path("set.jsonl"), {"inspect", "-"}, "TMPDIR=" + path("none"));
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, StartsWith("error: /dev/stdin is a pipe and needs a temporary file: TMPDIR is no folder"));
  EXPECT_THAT(result.err, HasSubstr("\nhint: set TMPDIR"));
}

TEST_F(PipedData, ADashIsStandardOutputForPredictions) {
  const ProgramResult result = predict_piped("set.jsonl", "-", {"-o", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("id,prediction,"));
  EXPECT_THAT(result.err, testing::Not(HasSubstr("wrote")));
  EXPECT_FALSE(std::filesystem::exists("-"));
}

}  // namespace
}  // namespace agentnet
