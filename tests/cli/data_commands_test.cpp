// inspect, convert and generate, as a user runs them.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/run_agentnet.h"
#include "data/molecules/molecule.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class DataCommands : public testing::Test {
 protected:
  DataCommands() {
    write_text(folder_ / "set.jsonl",
               "{\"num_nodes\":3,\"edge_index\":[[0,1,1,2],[1,0,2,1]],\"y\":\"a\",\"split\":\"train\"}\n"
               "{\"num_nodes\":3,\"edge_index\":[[0,1,1,2],[1,0,2,1]],\"y\":\"b\",\"split\":\"test\"}\n"
               "{\"num_nodes\":1,\"edge_index\":[[0],[0]],\"y\":\"a\",\"split\":\"train\"}\n");
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  static json inspected(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "inspect");
    arguments.insert(arguments.end(), {"--json", "--no-estimate"});
    const ProgramResult result = run_agentnet(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out);
  }
  TempFolder folder_;
};

TEST_F(DataCommands, InspectTellsAsJsonWhatItUnderstood) {
  const json found = inspected({path("set.jsonl")});
  EXPECT_EQ(found["format"], "jsonl");
  EXPECT_EQ(found["graphs"], 3);
  EXPECT_EQ(found["nodes"], json({{"total", 7}, {"mean", 7.0 / 3}, {"min", 1}, {"max", 3}}));
  EXPECT_EQ(found["edges"]["total"], 5);
  EXPECT_EQ(found["degree"]["max"], 2);
  EXPECT_EQ(found["self_loops"], 1);
  EXPECT_EQ(found["task"], "classification");
  EXPECT_EQ(found["classes"], json::parse(R"([{"name":"a","count":2},{"name":"b","count":1}])"));
  EXPECT_EQ(found["duplicates"], json::parse(R"({"groups":1,"graphs":2,"conflicting_groups":1})"));
  EXPECT_EQ(found["bad_rows"], json::array());
  EXPECT_EQ(found["suggested"]["metric"], "accuracy");
}

TEST_F(DataCommands, InspectShowsMeanAndSpreadOfNumbersAndInfoTheScaleOfAModel) {
  std::string rows;
  for (int g = 0; g < 20; ++g) {
    rows += fmt::format(
        "{{\"num_nodes\":2,\"edge_index\":[[0,1],[1,0]],\"node_feat\":[[{}.5,0.25],[{}.5,0.25]],\"y\":\"{}\"}}\n", g,
        40 - g, g % 2 == 0 ? "a" : "b");
  }
  write_text(folder_ / "numbers.jsonl", rows);
  const json columns = inspected({path("numbers.jsonl")})["node_features"];
  ASSERT_EQ(columns.size(), 2U) << columns;
  EXPECT_DOUBLE_EQ(columns[0]["mean"], 20.5);
  EXPECT_EQ(columns[0]["max"], 40.5);
  EXPECT_EQ(columns[0]["centre"], columns[0]["mean"]);
  EXPECT_EQ(columns[1]["deviation"], 0);
  const std::string text = run_agentnet({"inspect", path("numbers.jsonl"), "--no-estimate"}).out;
  EXPECT_THAT(text, HasSubstr(": mean 20.5, spread "));
  EXPECT_THAT(text, HasSubstr(": 0.25 everywhere, which is read as 1"));
  const auto info = [&](const std::string& features) {
    const ProgramResult trained =
        run_agentnet({"train", path("numbers.jsonl"), "-o", path(features), "--hidden", "4", "--agents", "2", "--steps",
                      "2", "--epochs", "1", "--no-rivals", "--set", "train.features=" + features});
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
    return run_agentnet({"info", path(features) + "/model.safetensors"}).out;
  };
  EXPECT_THAT(info("standardised"), HasSubstr("centre -0.75, spread 1\n")) << "0.25 becomes 1";
  EXPECT_THAT(info("raw"), Not(HasSubstr("centre")));
}

TEST_F(DataCommands, AMoleculeOfMoreAtomsThanAllowedIsABadRow) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build has no RDKit";
  write_text(path("molecules.csv"), "smiles,y\nCC,1\nCCO,0\nC,0\n");
  const json found = inspected({path("molecules.csv"), "--max-atoms", "2"});
  EXPECT_EQ(found["graphs"], 2);
  ASSERT_EQ(found["bad_rows"].size(), 1U);
  EXPECT_THAT(found["bad_rows"][0].dump(), HasSubstr("3 atoms, more than 2; --max-atoms allows more"));
}

TEST_F(DataCommands, TheLimitsOfReadingAreSettings) {
  const ProgramResult result =
      run_agentnet({"train", path("set.jsonl"), "--max-atoms", "700", "--max-unpack-ratio", "300", "--print-config"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("max_atoms = 700"));
  EXPECT_THAT(result.out, HasSubstr("max_unpack_ratio = 300"));
  const ProgramResult wrong = run_agentnet({"inspect", path("set.jsonl"), "--max-atoms", "0"});
  EXPECT_EQ(wrong.exit_code, 2);
}

TEST_F(DataCommands, InspectTellsTheSameInWords) {
  const ProgramResult result = run_agentnet({"inspect", path("set.jsonl"), "--no-estimate"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, StartsWith(path("set.jsonl") + ": 3 graphs (jsonl), classification\n"));
  EXPECT_EQ(result.err, "");
}

TEST_F(DataCommands, ColumnsThatAreLeftOutAreNamed) {
  std::filesystem::create_directory(folder_ / "t");
  write_text(folder_ / "t/graphs.csv", "graph,p,note\na,0.5,x\nb,1.5,y\n");
  write_text(folder_ / "t/nodes.csv", "graph,node,f\na,0,1.5\nb,0,2.5\n");
  write_text(folder_ / "t/edges.csv", "graph,source,target\na,0,0\nb,0,0\n");
  const ProgramResult result = run_agentnet({"inspect", folder_ / "t", "--no-estimate"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("left out       note (text; --target says otherwise)"));
  const ProgramResult trained = run_agentnet({"train", folder_ / "t", "--print-config"});
  EXPECT_THAT(trained.err, HasSubstr("one number to predict (p); left out: note (text)"));
}

TEST_F(DataCommands, InspectMeasuresHowLongTrainingTakes) {
  const ProgramResult result = run_agentnet({"inspect", path("set.jsonl")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("training with that takes about "));
}

TEST_F(DataCommands, ASetIsTheSameInEveryFormat) {
  for (const std::string name : {"out.agentset", "out.txt.xz", "out.jsonl.zst", "out.tu", "out.csv", "out.graphml"}) {
    std::vector<std::string> arguments = {"convert", path("set.jsonl"), path(name)};
    if (name == "out.tu" || name == "out.csv") arguments.insert(arguments.end(), {"--to", name.substr(4)});
    const ProgramResult result = run_agentnet(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("wrote 3 graphs to " + path(name)));
    const json found = inspected({path(name)});
    for (const char* key : {"graphs", "nodes", "edges", "degree", "classes", "task", "self_loops", "duplicates"}) {
      EXPECT_EQ(found[key], inspected({path("set.jsonl")})[key]) << name << " " << key;
    }
  }
}

TEST_F(DataCommands, ConvertWritesAPartOfASplit) {
  const ProgramResult result = run_agentnet(
      {"convert", path("set.jsonl"), path("train.agentset"), "--split", "column:split", "--part", "train"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(inspected({path("train.agentset")})["graphs"], 2);
  const ProgramResult lone = run_agentnet({"convert", path("set.jsonl"), path("x.agentset"), "--part", "train"});
  EXPECT_EQ(lone.exit_code, 2);
  EXPECT_EQ(lone.err, "error: --split and --part go together\nhint: for example: --split official --part train\n");
}

TEST_F(DataCommands, TheOfficialSplitGoesAlong) {
  std::filesystem::create_directories(path("ogb/raw"));
  std::filesystem::create_directories(path("ogb/split/time"));
  write_text(path("ogb/raw/num-node-list.csv"), "1\n2\n1\n");
  write_text(path("ogb/raw/num-edge-list.csv"), "0\n1\n0\n");
  write_text(path("ogb/raw/edge.csv"), "0,1\n");
  write_text(path("ogb/raw/graph-label.csv"), "1\n0\n1\n");
  write_text(path("ogb/split/time/train.csv"), "0\n1\n");
  write_text(path("ogb/split/time/valid.csv"), "");
  write_text(path("ogb/split/time/test.csv"), "2\n");
  EXPECT_EQ(run_agentnet({"convert", path("ogb"), path("ogb.agentset")}).exit_code, 0);
  for (const char* name : {"ogb", "ogb.agentset"}) {
    const json found = inspected({path(name), "--split", "official"});
    EXPECT_EQ(found["splits"], json::parse(R"([{"train":2,"valid":0,"test":1}])")) << name;
  }
  const ProgramResult none = run_agentnet({"inspect", path("set.jsonl"), "--split", "official"});
  EXPECT_NE(none.exit_code, 0);
  EXPECT_THAT(none.err, HasSubstr("\nhint: "));
}

// Packing takes a second or so, long enough to be interrupted in.
TEST_F(DataCommands, AnInterruptLeavesNoHalfOfAFile) {
  const std::string set = "synthetic:ladder?nodes=4000&graphs=40";
  RunningProgram program({"generate", set, path("out.jsonl.xz")});
  const auto files = [&] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path() != folder_ / "set.jsonl") names.push_back(entry.path().filename());
    }
    return names;
  };
  while (program.running() && files().empty()) ::usleep(1000);
  program.signal(SIGTERM);
  const ProgramResult result = program.wait();
  if (result.exit_code == 130) {
    EXPECT_THAT(result.err, HasSubstr("out.jsonl.xz was being written; it is complete\nhint: "));
  } else {
    EXPECT_EQ(result.exit_code, 0) << "it ended before the signal came, or: " << result.err;
  }
  EXPECT_THAT(files(), testing::ElementsAre("out.jsonl.xz"));
  EXPECT_EQ(inspected({path("out.jsonl.xz")})["graphs"], 40);
}

TEST_F(DataCommands, StandardOutputTakesNoSets) {
  for (const std::string command : {"convert", "generate"}) {
    const std::string in = command == "convert" ? path("set.jsonl") : "synthetic:csl";
    const ProgramResult result = run_agentnet({command, in, "-", "--to", "jsonl"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err,
                StartsWith("error: sets of graphs are written to a file or folder, not to standard output"));
  }
}

TEST_F(DataCommands, GenerateWritesABuiltInSet) {
  const ProgramResult result = run_agentnet({"generate", "synthetic:csl?graphs=20", path("csl.agentset")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(inspected({path("csl.agentset")})["graphs"], 20);
  const ProgramResult file = run_agentnet({"generate", path("set.jsonl"), path("x.agentset")});
  EXPECT_EQ(file.exit_code, 2);
  EXPECT_THAT(file.err, HasSubstr("is not a built-in set\nhint: built-in sets are called synthetic:NAME"));
}

TEST_F(DataCommands, NothingIsOverwrittenUnlessForced) {
  write_text(path("out.jsonl"), "precious");
  const ProgramResult refused = run_agentnet({"convert", path("set.jsonl"), path("out.jsonl")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err,
            "error: " + path("out.jsonl") + " exists already\nhint: choose another name, or replace it with --force\n");
  EXPECT_EQ(read_text(path("out.jsonl")), "precious");
  EXPECT_EQ(run_agentnet({"convert", path("set.jsonl"), path("out.jsonl"), "--force"}).exit_code, 0);
  EXPECT_EQ(inspected({path("out.jsonl")})["graphs"], 3);
}

TEST_F(DataCommands, BadDataExitsWithThreeAndSaysWhere) {
  write_text(path("bad.jsonl"), "{\"num_nodes\":2,\"edge_index\":[[0],[5]]}\n");
  const ProgramResult result = run_agentnet({"inspect", path("bad.jsonl")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "error: " + path("bad.jsonl") +
                            ":1:29: edge_index names node 5, but the graph's nodes are 0 to 1\n"
                            "hint: number the nodes of every graph from 0\n");
  EXPECT_EQ(run_agentnet({"inspect", path("none")}).exit_code, 3);
}

TEST_F(DataCommands, ADamagedMappedSetIsFoundByEveryCommandThatReadsIt) {
  EXPECT_EQ(run_agentnet({"convert", path("set.jsonl"), path("set.agentset")}).exit_code, 0);
  std::string bytes = read_text(path("set.agentset"));
  bytes[2 * 4096] = '\x7f';
  write_text(path("set.agentset"), bytes);
  const std::vector<std::vector<std::string>> commands = {{"inspect", path("set.agentset")},
                                                          {"inspect", path("set.agentset"), "--degree"},
                                                          {"convert", path("set.agentset"), path("x.jsonl")}};
  for (const auto& command : commands) {
    const ProgramResult result = run_agentnet(command);
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_THAT(result.err, HasSubstr("section 'first_edge' is damaged"));
  }
}

TEST_F(DataCommands, WrongUseExitsWithTwoAndASuggestion) {
  const ProgramResult format = run_agentnet({"inspect", path("set.jsonl"), "--format", "jsnl"});
  EXPECT_EQ(format.exit_code, 2);
  EXPECT_EQ(format.err, "error: there is no format 'jsnl'\nhint: did you mean jsonl?\n");
  const ProgramResult both = run_agentnet({"inspect", path("set.jsonl"), "--directed", "--undirected"});
  EXPECT_EQ(both.exit_code, 2);
  const ProgramResult target = run_agentnet({"inspect", path("set.jsonl"), "--target", "yy"});
  EXPECT_EQ(target.exit_code, 2);
  EXPECT_THAT(target.err, HasSubstr("has no target 'yy'"));
  const ProgramResult synthetic = run_agentnet({"inspect", "synthetic:cls"});
  EXPECT_EQ(synthetic.exit_code, 2);
  EXPECT_THAT(synthetic.err, HasSubstr("csl"));
}

TEST_F(DataCommands, NamesThatAreNotUtf8DoNotBreakTheJson) {
  const std::string name = path("caf\xE9.jsonl");
  std::filesystem::copy(path("set.jsonl"), name);
  EXPECT_EQ(inspected({name})["graphs"], 3);
}

// Names with commas between them, or one name that has commas in it.
TEST_F(DataCommands, TargetsMayHaveCommasInTheirNames) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build has no RDKit";
  write_text(path("a.csv"), "smiles,\"logP, exp\",logP, exp,other\nC,1.5,2.5,3.5,4.5\nCC,2.5,3.5,4.5,5.5\n");
  const auto targets = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"inspect", path("a.csv"), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_agentnet(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<std::string> names;
    const json found = json::parse(result.out);
    for (const json& target : found["targets"]) names.push_back(target["name"]);
    return names;
  };
  EXPECT_EQ(targets({"--target", "logP, exp"}), std::vector<std::string>{"logP, exp"});
  EXPECT_EQ(targets({"--target", "logP,other"}), (std::vector<std::string>{"logP", "other"}));
  EXPECT_EQ(targets({"--target", "logP, exp", "--target", "other"}), (std::vector<std::string>{"logP, exp", "other"}));
  EXPECT_EQ(run_agentnet({"inspect", path("a.csv"), "--target", "logP,nothing"}).exit_code, 2);
}

}  // namespace
}  // namespace agentnet
