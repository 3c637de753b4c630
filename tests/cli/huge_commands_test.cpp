// convert --memory and the built-in graphs of any size, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cli/run_agentnet.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class HugeCommands : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  [[nodiscard]] json inspected(const std::string& name) const {
    const ProgramResult result = run_agentnet({"inspect", path(name), "--json", "--no-estimate"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    json found = json::parse(result.out);
    found.erase("source");
    return found;
  }
  // Waits until the program has begun to write.
  void wait_for_a_file(RunningProgram& program) const {
    for (int i = 0; i < 500 && program.running() && files().empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  TempFolder folder_;
};

TEST_F(HugeCommands, AListThatIsSortedOnDiskGivesTheSameGraph) {
  std::string list = "# a list\n";
  for (int e = 0; e < 300000; ++e) list += std::to_string(e * 7 % 5000) + "\t" + std::to_string(e * 13 % 4999) + "\n";
  write_text(path("list.txt"), list);
  const ProgramResult result = run_agentnet({"convert", path("list.txt"), path("disk.graph"), "--memory", "1M"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("wrote a graph of 5000 nodes and "));
  ASSERT_EQ(run_agentnet({"convert", path("list.txt"), path("memory.graph")}).exit_code, 0);
  EXPECT_EQ(inspected("disk.graph"), inspected("memory.graph"));
  const ProgramResult again = run_agentnet({"convert", path("list.txt"), path("disk.graph"), "--memory", "1M"});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("exists already"));
}

TEST_F(HugeCommands, LabelsOfNodesAndAClassComeAlong) {
  write_text(path("list.txt"), "1 2\n2 3\n");
  write_text(path("labels.txt"), "1 red\n2 blue\n3 red\n4 green\n");
  write_text(path("numbers.txt"), "1 0.5\n2 1\n3 2\n");
  const ProgramResult result =
      run_agentnet({"convert", path("list.txt"), path("x.graph"), "--node-labels", path("labels.txt"), "--node-numbers",
                    path("numbers.txt"), "--label", "web"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("note: 1 lines about nodes are of ids that no edge has"));
  const json found = inspected("x.graph");
  EXPECT_EQ(found["task"], "classification");
  EXPECT_EQ(found["nodes"]["total"], 3);
}

TEST_F(HugeCommands, OptionsThatMakeNoSenseAreRefused) {
  write_text(path("list.txt"), "1 2\n");
  const auto error = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"convert", path("list.txt")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_agentnet(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  for (const char* memory : {"2X", "M", "-1G", "1K", "99999999999T", "1.5G"}) {
    EXPECT_THAT(error({path("x.graph"), "--memory=" + std::string(memory)}), StartsWith("error: ")) << memory;
  }
  EXPECT_THAT(error({path("x.jsonl"), "--memory", "1G"}), HasSubstr("an edge list that becomes a mapped set"));
  EXPECT_THAT(error({path("x.graph"), "--memory", "1G", "--degree"}),
              HasSubstr("--degree is for conversion in memory"));
  EXPECT_THAT(files(), ElementsAre("list.txt"));
}

TEST_F(HugeCommands, GenerateWritesGraphsOfAnySize) {
  const ProgramResult result =
      run_agentnet({"generate", "big-ladder?nodes=1e4&graphs=2&seed=1", path("ladders.graph")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err.substr(result.err.find("wrote")),
            "wrote 2 graphs of 20000 nodes and 60000 neighbour entries in all to " + path("ladders.graph") + "\n");
  const json found = inspected("ladders.graph");
  EXPECT_EQ(found["graphs"], 2);
  EXPECT_EQ(found["degree"]["min"], 3);
  EXPECT_EQ(found["degree"]["max"], 3);
  EXPECT_EQ(found["task"], "classification");
  const ProgramResult text = run_agentnet({"generate", "big-ladder", path("x.jsonl")});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_THAT(text.err, HasSubstr("hint: give OUT a name that ends in .graph"));
  EXPECT_THAT(run_agentnet({"generate", "--help"}).out, HasSubstr("big-power-law"));
  const ProgramResult data = run_agentnet({"inspect", "synthetic:big-regular"});
  EXPECT_EQ(data.exit_code, 2);
  EXPECT_THAT(data.err, HasSubstr("hint: write it first: agentnet generate 'big-regular' big.graph"));
}

TEST_F(HugeCommands, AnInterruptLeavesNothing) {
  RunningProgram program({"generate", "big-regular?nodes=1e9", path("x.graph")});
  wait_for_a_file(program);
  program.signal(SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 130);
  EXPECT_THAT(result.err, HasSubstr("error: interrupted: nothing was written\n"));
  EXPECT_THAT(files(), ElementsAre());
}

TEST_F(HugeCommands, WhatAKilledRunLeftIsRemovedByTheNext) {
  {
    RunningProgram program({"generate", "big-regular?nodes=1e9", path("x.graph")});
    wait_for_a_file(program);
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait().exit_code, -1);
  }
  ASSERT_EQ(files().size(), 1U);
  EXPECT_EQ(run_agentnet({"generate", "big-regular?nodes=100", path("x.graph")}).exit_code, 0);
  EXPECT_THAT(files(), ElementsAre("x.graph"));
}

}  // namespace
}  // namespace agentnet
