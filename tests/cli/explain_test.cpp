// explain, as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "cli/run_agentnet.h"
#include "data/molecules/molecule.h"
#include "data/syntax/xml.h"
#include "output/explain_files.h"
#include "support/small_model.h"
#include "support/temp_folder.h"
#include "view/page/page.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr int kAgents = 3, kSteps = 3;  // of small_model()

std::string graph(int label, const std::string& more = {}) {
  return "{\"node_feat\":[[" + std::to_string(label) + "],[1],[2],[0]],\"edge_index\":[[0,1,1,2,2,3],[1,0,2,1,3,2]]" +
         more + "}\n";
}

class ExplainCommand : public testing::Test {
 protected:
  ExplainCommand() {
    write_text(path("train.jsonl"), graph(0, ",\"y\":\"a\"") + graph(3, ",\"y\":\"b\""));
    small_model(read_data(path("train.jsonl"), {}).schema).save(path("model"));
    std::string text;
    for (int g = 0; g < 30; ++g) {
      text += graph(g % 4, g % 2 == 0 ? ",\"y\":\"a\"" : ",\"y\":\"b\",\"id\":\"g" + std::to_string(g) + "\"");
    }
    write_text(path("new.jsonl"), text);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
  [[nodiscard]] ProgramResult explain(std::vector<std::string> more = {}, const std::string& data = "new.jsonl") const {
    std::vector<std::string> arguments = {"explain", path("model"), path(data), "--rollouts", "6"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_agentnet(arguments);
  }
  static std::vector<json> lines_of(const std::string& text) {
    std::vector<json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
    return lines;
  }
  static void expect_well_formed(const std::string& xml) {
    XmlReader reader(xml, "test");
    EXPECT_NO_THROW(while (reader.next() != XmlReader::Event::kDone){}) << xml.substr(0, 300);
  }
  TempFolder folder_;
};

TEST_F(ExplainCommand, ExplainsTheFirstTwentyAndSaysSo) {
  const ProgramResult result = explain();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, StartsWith("explaining the first 20 of 30 graphs"));
  EXPECT_THAT(result.err, HasSubstr("most influence"));
  const auto lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 20U);
  EXPECT_EQ(lines[0]["id"], "0");
  EXPECT_EQ(lines[1]["id"], "g1");
  EXPECT_EQ(lines[1]["truth"], "b");
}

TEST_F(ExplainCommand, NumbersAreConsistent) {
  const ProgramResult result = explain({"--all", "--leave-one-out", "10", "--top", "0.5", "--recorded", "2"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const json& j : lines_of(result.out)) {
    double visits = 0, crossings = 0;
    for (const json& node : j["nodes"]) {
      visits += node["visits"].get<double>();
      EXPECT_GE(node["touched"].get<double>(), 0);
      EXPECT_LE(node["touched"].get<double>(), 1);
      EXPECT_TRUE(node["gradient_times_input"].is_number());
      EXPECT_TRUE(node["leave_one_out"].is_number());
    }
    EXPECT_NEAR(visits, kAgents * (kSteps + 1), 1e-6);
    for (const json& edge : j["edges"]) crossings += edge["crossings"].get<double>();
    EXPECT_LE(crossings, kAgents * kSteps + 1e-6);
    EXPECT_EQ(j["edges"].size(), 3U);
    EXPECT_NEAR(j["probabilities"]["a"].get<double>() + j["probabilities"]["b"].get<double>(), 1, 1e-6);
    EXPECT_EQ(j["fidelity"]["nodes"], 2);

    ASSERT_EQ(j["recorded"].size(), 2U);
    for (const json& rollout : j["recorded"]) {
      ASSERT_EQ(rollout["steps"].size(), kSteps + 1U);
      for (int t = 0; t <= kSteps; ++t) {
        const json& step = rollout["steps"][static_cast<std::size_t>(t)];
        ASSERT_EQ(step["agents"].size(), static_cast<std::size_t>(kAgents));
        for (std::size_t a = 0; a < kAgents; ++a) {
          const json& agent = step["agents"][a];
          EXPECT_EQ(agent.contains("candidates"), t < kSteps);
          if (t == kSteps) continue;
          double sum = 0;
          for (const json& p : agent["probabilities"]) sum += p.get<double>();
          EXPECT_NEAR(sum, 1, 1e-5);
          const json& next = rollout["steps"][static_cast<std::size_t>(t) + 1]["agents"][a]["position"];
          EXPECT_THAT(agent["candidates"].get<std::vector<int>>(), testing::Contains(next.get<int>()));
        }
      }
    }
  }
}

TEST_F(ExplainCommand, PredictsWhatPredictPredicts) {
  const auto explained = lines_of(explain({"--ids", "g5,g3,8", "--seed", "4"}).out);
  const auto predicted = lines_of(
      run_agentnet({"predict", path("model"), path("new.jsonl"), "--rollouts", "6", "--seed", "4", "--json"}).out);
  ASSERT_EQ(explained.size(), 3U);
  EXPECT_EQ(explained[0]["id"], "g3");  // in the order of the file
  for (const json& j : explained) {
    const json& p = predicted[j["row"].get<std::size_t>()];
    for (const char* field : {"id", "prediction", "probabilities", "walk_spread"})
      EXPECT_EQ(j[field], p[field]) << field;
  }
}

TEST_F(ExplainCommand, WritesTheSameBytesForAnyNumberOfThreads) {
  const std::string expected = explain({"--threads", "1"}).out;
  EXPECT_EQ(explain({"--threads", "3"}).out, expected);
  EXPECT_NE(explain({"--seed", "1"}).out, expected);
  for (const char* threads : {"1", "3"}) {
    const ProgramResult result = explain({"--format", "svg,graphml", "-o", path(threads), "--threads", threads});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  for (const char* name : {"g1.svg", "g1.graphml", "classes.csv", "classes.svg"}) {
    EXPECT_EQ(read_text(path("1/") + name), read_text(path("3/") + name)) << name;
  }
  EXPECT_NE(explain({"--about", "a"}).out, explain({"--about", "b"}).out);
}

TEST_F(ExplainCommand, WritesEveryFormatIntoAFolder) {
  std::string formats = "jsonl,svg,graphml";
  if (has_viewer()) formats += ",html";
  const ProgramResult result = explain({"--first", "6", "--format", formats, "-o", path("why"), "--classes"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("most visits"));
  EXPECT_THAT(result.out, HasSubstr("where agents go, compared with a random walk"));
  EXPECT_EQ(lines_of(read_text(path("why/explanations.jsonl"))).size(), 6U);
  for (const char* name : {"graph-0", "g1", "graph-2", "g3"}) {
    expect_well_formed(read_text(path(std::string("why/") + name + ".svg")));
    expect_well_formed(read_text(path(std::string("why/") + name + ".graphml")));
  }
  expect_well_formed(read_text(path("why/classes.svg")));
  EXPECT_THAT(read_text(path("why/classes.csv")), StartsWith("class,kind,value,graphs,"));
  EXPECT_THAT(read_text(path("why/classes.csv")), HasSubstr(",substructure,"));
  if (has_viewer()) {
    EXPECT_THAT(read_text(path("why/page.html")), HasSubstr("g3"));
  }
}

TEST_F(ExplainCommand, ReplacesNothingUnlessToldTo) {
  ASSERT_EQ(explain({"--ids", "g1", "--format", "svg", "-o", path("why")}).exit_code, 0);
  const std::string before = read_text(path("why/g1.svg"));
  const ProgramResult refused = explain({"--ids", "g1", "--format", "svg", "-o", path("why"), "--seed", "5"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("g1.svg exists already"));
  EXPECT_THAT(refused.err, HasSubstr("--force"));
  EXPECT_EQ(read_text(path("why/g1.svg")), before);
  // Others may join: only files that would be replaced are in the way.
  EXPECT_EQ(explain({"--ids", "g1", "--format", "graphml", "-o", path("why")}).exit_code, 0);
  EXPECT_EQ(explain({"--ids", "g1", "--format", "svg", "-o", path("why"), "--seed", "5", "--force"}).exit_code, 0);
  EXPECT_NE(read_text(path("why/g1.svg")), before);
}

TEST_F(ExplainCommand, IdsCannotLeadOutOfTheFolder) {
  write_text(path("odd.jsonl"), graph(0, ",\"id\":\"../../evil\"") + graph(1, ",\"id\":\"classes\"") +
                                    graph(2, ",\"id\":\"a/b\"") + graph(3, ",\"id\":\"a_b\"") +
                                    graph(0, ",\"id\":\"<script>\""));
  const ProgramResult result = explain({"--format", "svg", "-o", path("why")}, "odd.jsonl");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path("why"))) names.insert(entry.path().filename());
  EXPECT_THAT(names, testing::UnorderedElementsAre("_._.._evil.svg", "classes-2.svg", "a_b.svg", "a_b-2.svg",
                                                   "_script_.svg", "classes.csv", "classes.svg"));
  EXPECT_FALSE(exists("evil.svg"));
  EXPECT_THAT(read_text(path("why/_script_.svg")), Not(HasSubstr("<script>")));
}

TEST_F(ExplainCommand, MistakesAreNamed) {
  const auto fails = [&](std::vector<std::string> arguments, int code, const std::string& what,
                         const std::string& hint) {
    const ProgramResult result = explain(std::move(arguments));
    EXPECT_EQ(result.exit_code, code) << what;
    EXPECT_THAT(result.err, HasSubstr("error: "));
    EXPECT_THAT(result.err, HasSubstr(what));
    EXPECT_THAT(result.err, HasSubstr(hint));
    EXPECT_EQ(result.out, "");
  };
  fails({"--ids", "g1,g55"}, 2, "has no graph 'g55'", "did you mean g5?");
  fails({"--format", "svg"}, 2, "only jsonl can go to standard output", "-o DIR");
  fails({"--format", "sgv", "-o", path("why")}, 2, "'sgv'", "did you mean svg?");
  fails({"--about", "c"}, 2, "the model has no output 'c'", "it has a, b");
  fails({"--colour", "influense", "--format", "svg", "-o", path("why")}, 2, "'influense'", "did you mean influence?");
  fails({"--colour", "leave-one-out", "--format", "svg", "-o", path("why")}, 2, "not measured", "--leave-one-out 100");
  fails({"--atoms", "C,N"}, 2, "--atoms has 2 names", "name them all");
  fails({"--first", "3", "--all"}, 2, "--first", "--help");
  fails({"--top", "1.5"}, 2, "--top", "");
  fails({"-o", path("train.jsonl/x")}, 1, "cannot make the folder", "-o");
  EXPECT_FALSE(exists("why"));
  write_text(path("bare.jsonl"), "{\"num_nodes\":2,\"edge_index\":[[0],[1]]}\n");
  EXPECT_EQ(explain({}, "bare.jsonl").exit_code, 4);
  EXPECT_EQ(explain({}, "none.jsonl").exit_code, 3);
}

TEST_F(ExplainCommand, DataWithoutTruthIsExplainedToo) {
  write_text(path("unlabelled.jsonl"), graph(0) + graph(1));
  const ProgramResult result = explain({}, "unlabelled.jsonl");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(lines_of(result.out)[0].contains("truth"));
  EXPECT_THAT(result.err, HasSubstr("note: nothing is compared with true values"));
  EXPECT_EQ(explain({"--target", "y"}, "unlabelled.jsonl").exit_code, 2);
}

TEST_F(ExplainCommand, PlantedMarksComeAlong) {
  const Dataset motif = read_data("synthetic:motif?graphs=2&nodes=20&seed=1", {});
  small_model(motif.schema).save(path("motif"));
  const ProgramResult result = run_agentnet({"explain", path("motif"), "synthetic:motif?graphs=2&nodes=20&seed=1",
                                             "--rollouts", "4", "--format", "jsonl,svg", "-o", path("why")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  int marked = 0;
  for (const json& j : lines_of(read_text(path("why/explanations.jsonl")))) {
    for (const json& node : j["nodes"]) marked += node["mark"].get<int>();
  }
  EXPECT_EQ(marked, 5);
}

TEST_F(ExplainCommand, MoleculesAreDrawnAsMolecules) {
  if (!can_read_smiles()) GTEST_SKIP() << "this build has no RDKit";
  write_text(path("train.csv"), "smiles,active\nC,0\nCCO,1\n");
  small_model(read_data(path("train.csv"), {}).schema).save(path("model"));
  write_text(path("new.csv"), "name,smiles\nnitro,c1ccccc1[N+](=O)[O-]\nsalt,[Na+].[Cl-]\n");
  const ProgramResult result = explain({"--format", "svg,jsonl", "-o", path("why")}, "new.csv");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("plain graph")));
  EXPECT_THAT(read_text(path("why/nitro.svg")), HasSubstr("bond-0"));
  expect_well_formed(read_text(path("why/salt.svg")));
  EXPECT_EQ(lines_of(read_text(path("why/explanations.jsonl")))[0]["nodes"][6]["label"], "N");
}

TEST(FileNames, AreSafeAndDifferent) {
  FileNames names;
  EXPECT_EQ(names.name_for("mol-1.a"), "mol-1.a");
  EXPECT_EQ(names.name_for("MOL-1.A"), "MOL-1.A-2");
  EXPECT_EQ(names.name_for(".."), "__");
  EXPECT_EQ(names.name_for(""), "graph");
  EXPECT_EQ(names.name_for("-rf"), "_rf");
  EXPECT_EQ(names.name_for("page"), "page-2");
  EXPECT_EQ(names.name_for(std::string("a\0b/\\\n", 6)), "a_b___");
  EXPECT_EQ(names.name_for(std::string(500, 'x')).size(), 80U);
  EXPECT_EQ(names.name_for(std::string(500, 'x')).size(), 82U);
}

}  // namespace
}  // namespace agentnet
