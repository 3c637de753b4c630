// agentnet theory and agentnet estimate, as a user runs them.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_agentnet.h"
#include "view/page/page.h"

namespace agentnet {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Theory, SaysALineForEachClaimInTheOrderAskedFor) {
  const TempFolder folder;
  write_text(folder / "graphs.g6", ">>graph6<<C~\nC]\n");
  const ProgramResult result = run_agentnet({"theory", "count", "cliques", "--graphs", folder / "graphs.g6"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("count "));
  EXPECT_THAT(result.out,
              HasSubstr("holds: an agent counts the induced copies of H at its start. Tried: 2 graphs of the list"));
  EXPECT_THAT(result.out, HasSubstr("\ncliques         holds as corrected: "));
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 2);
}

TEST(Theory, GivesJsonWithTheNumbers) {
  const ProgramResult result = run_agentnet({"theory", "many-better", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json list = json::parse(result.out);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["claim"], "many-better");
  EXPECT_EQ(list[0]["verdict"], "holds as corrected");
  EXPECT_TRUE(list[0]["numbers"].contains("guaranteed success"));
}

TEST(Theory, RefusesWhatMakesNoSense) {
  const TempFolder folder;
  EXPECT_EQ(run_agentnet({"theory", "clique"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"theory", "show"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"theory", "count", "-o", folder / "a.svg"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"theory", "count", "--graphs", folder / "none.g6"}).exit_code, 3);
  write_text(folder / "bad.g6", "C~\nC!\n");
  const ProgramResult bad = run_agentnet({"theory", "count", "--graphs", folder / "bad.g6"});
  EXPECT_EQ(bad.exit_code, 3);
  EXPECT_THAT(bad.err, HasSubstr("bad.g6:2: not graph6"));
  write_text(folder / "parts.g6", "C?\n");  // four nodes, no edges
  EXPECT_THAT(run_agentnet({"theory", "count", "--graphs", folder / "parts.g6"}).err,
              HasSubstr("not a connected graph"));
  write_text(folder / "empty.g6", "\n");
  EXPECT_EQ(run_agentnet({"theory", "count", "--graphs", folder / "empty.g6"}).exit_code, 3);
}

TEST(Theory, ShowDrawsTheConstructionAndReplacesNothingUnasked) {
  const TempFolder folder;
  const std::string file = folder / "cliques.svg";
  const ProgramResult result = run_agentnet({"theory", "show", "cliques", "-o", file});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string svg = read_text(file);
  EXPECT_THAT(svg, StartsWith("<?xml"));
  EXPECT_THAT(svg, HasSubstr("G1 of the appendix, 5 steps"));
  EXPECT_THAT(svg, HasSubstr("<animate"));
  EXPECT_EQ(run_agentnet({"theory", "show", "cliques", "-o", file}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"theory", "show", "trees", "-o", file, "--force"}).exit_code, 0);
  EXPECT_NE(read_text(file), svg);
}

// The data of the viewer's page, as the command prints it.
TEST(Theory, ShowGivesThePagesDataForEveryClaim) {
  const char* const claims[] = {"deepening", "depth-first",     "injective",   "2wl",       "count",      "cliques",
                                "cycles",    "random-walk",     "more-agents", "frequency", "one-better", "many-better",
                                "trees",     "message-passing", "cost"};
  for (const char* claim : claims) {
    const ProgramResult result = run_agentnet({"theory", "show", claim, "--json"});
    ASSERT_EQ(result.exit_code, 0) << claim << result.err;
    EXPECT_EQ(result.out.find('<'), std::string::npos) << claim;
    const json page = json::parse(result.out);
    EXPECT_EQ(page["version"], 1);
    EXPECT_TRUE(page["model"]["programmed"]);
    EXPECT_THAT(page["title"].get<std::string>(), StartsWith(std::string(claim) + ": "));
    ASSERT_GE(page["details"].size(), 1u);
    for (const json& detail : page["details"]) {
      const std::size_t n = detail["nodes"]["count"];
      EXPECT_EQ(detail["visits"].size(), n);
      EXPECT_EQ(detail["nodes"]["marks"].size(), n);
      for (const json& rollout : detail["rollouts"]) {
        const std::size_t visits = rollout["outputs"].size();
        for (const json& agent : rollout["agents"]) {
          EXPECT_EQ(agent["path"].size(), visits);
          EXPECT_EQ(agent["moves"].size(), visits - 1);
        }
        EXPECT_LE(rollout["outputs"].back()[0], rollout["outputs"].back()[1]);  // visited are seen
      }
    }
  }
}

TEST(Theory, ShowCountsWhatAgentsVisitedAndSaw) {
  const ProgramResult result = run_agentnet({"theory", "show", "message-passing", "--json"});
  const json page = json::parse(result.out);
  EXPECT_EQ(page["graphs"][0]["mean"], json({5, 5}));  // an agent on each of five nodes
  EXPECT_EQ(page["model"]["agents"], 5);
  const json star = json::parse(run_agentnet({"theory", "show", "depth-first", "--json"}).out);
  const json& outputs = star["details"][0]["rollouts"][0]["outputs"];
  EXPECT_EQ(outputs[0], json({1, 6}));  // from the middle of a star all is seen
  EXPECT_EQ(outputs[1], json({2, 6}));
  EXPECT_EQ(outputs[9], json({6, 6}));  // 2 n0 - 3 steps
  EXPECT_LT(outputs[8][0], 6);
}

TEST(Theory, ShowWritesThePageAndRefusesWhatItCannotUse) {
  const TempFolder folder;
  const std::string file = folder / "trees.html";
  const ProgramResult result = run_agentnet({"theory", "show", "trees", "-o", file});
  if (has_viewer()) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(read_text(file), HasSubstr("G1: two agents meet at the top"));
    const ProgramResult again = run_agentnet({"theory", "show", "trees", "-o", file});
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.err, HasSubstr("exists already"));
  } else {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  EXPECT_EQ(run_agentnet({"theory", "show", "trees", "-o", folder / "trees.png"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"theory", "show", "trees", "--json", "-o", folder / "other.html"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"theory", "show", "trees", "cliques"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"theory", "show", "tree"}).exit_code, 2);
  const ProgramResult thorough = run_agentnet({"theory", "show", "trees", "--thorough"});
  EXPECT_EQ(thorough.exit_code, 2);
  EXPECT_THAT(thorough.err, HasSubstr("--thorough does not go with show"));
}

std::string cycle_with_chords(int n) {
  std::string text;
  for (int u = 0; u < n; ++u) {
    for (const int hop : {1, 2, 17}) text += std::to_string(u) + " " + std::to_string((u + hop) % n) + "\n";
  }
  return text;
}

TEST(EstimateCommand, GivesIntervalsAndWhatItTouched) {
  const TempFolder folder;
  write_text(folder / "graph.txt", cycle_with_chords(1000));
  const ProgramResult result = run_agentnet({"estimate", folder / "graph.txt", "--undirected", "--what",
                                             "average-degree,clustering", "--error", "0.2", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["nodes"], 1000);
  EXPECT_EQ(found["symmetrised"], false);
  EXPECT_EQ(found["estimates"][0]["what"], "average-degree");
  EXPECT_NEAR(found["estimates"][0]["value"], 6, 1e-9);  // every node has six neighbours
  EXPECT_TRUE(found["estimates"][1]["met"]);
  EXPECT_LE(found["estimates"][1]["low"], 0.2);  // 3 * 1000 triangles / 15000 wedges
  EXPECT_GE(found["estimates"][1]["high"], 0.2);
  EXPECT_GT(found["nodes_touched"], 100);
  EXPECT_GT(found["pages_touched"], 0);
  EXPECT_EQ(found["of"], "graph");
  EXPECT_TRUE(found["start"].is_null());
  EXPECT_GE(found["walks"], 1000);
  EXPECT_LT(found["unseen_share"], 0.01);
}

TEST(EstimateCommand, SaysThatOneWalkKnowsNothingOfWhatItDidNotComeTo) {
  const TempFolder folder;
  write_text(folder / "graph.txt", cycle_with_chords(1000));
  const ProgramResult result = run_agentnet({"estimate", folder / "graph.txt", "--undirected", "--what",
                                             "average-degree", "--error", "0.2", "--start", "3", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("note: one walk knows nothing of parts that it did not come to"));
  const json found = json::parse(result.out);
  EXPECT_EQ(found["of"], "component");
  EXPECT_EQ(found["start"], 3);
  EXPECT_GT(found["tours"], 0);
  EXPECT_TRUE(found["unseen_share"].is_null());
}

// Two rings of 600 nodes and a third of 3: all of them, or the one that a node is in.
TEST(EstimateCommand, EstimatesAllComponentsOrTheOneOfAStart) {
  const TempFolder folder;
  std::string text;
  const auto ring = [&](int first, int length) {
    for (int i = 0; i < length; ++i) text += fmt::format("{} {}\n", first + i, first + (i + 1) % length);
  };
  ring(0, 600);
  ring(600, 600);
  ring(1200, 3);
  write_text(folder / "graph.txt", text);
  const auto nodes = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"estimate", folder / "graph.txt", "--undirected", "--what", "nodes", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_agentnet(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out)["estimates"][0];
  };
  const json whole = nodes({});
  EXPECT_TRUE(whole["met"]);
  EXPECT_LE(whole["low"], 1203);
  EXPECT_GE(whole["high"], 1203);
  const json part = nodes({"--start", "700"});
  EXPECT_LE(part["low"], 600);
  EXPECT_GE(part["high"], 600);
  EXPECT_LT(part["high"], 1150);
  EXPECT_EQ(nodes({"--start", "1201"})["value"], 3);
}

TEST(EstimateCommand, TakesADirectedGraphBothWaysAndSaysSo) {
  const TempFolder folder;
  write_text(folder / "graph.txt", "0 1\n1 2\n2 0\n3 4\n");
  const ProgramResult result = run_agentnet({"estimate", folder / "graph.txt", "--directed", "--start", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("directed: taken as if every edge went both ways"));
  EXPECT_THAT(result.out, HasSubstr("estimated is the connected component of node 1"));
  EXPECT_THAT(result.out, HasSubstr("nodes           3 (counted, all of it was seen)"));
  EXPECT_THAT(result.out, HasSubstr("triangles       1 (counted"));
}

TEST(EstimateCommand, SaysWhatItReachedWhenTheErrorCannotBeMet) {
  const TempFolder folder;
  write_text(folder / "graph.txt", cycle_with_chords(5000));
  const ProgramResult result = run_agentnet({"estimate", folder / "graph.txt", "--undirected", "--what", "triangles",
                                             "--error", "0.0001", "--max-steps", "20000"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("wider than the 0.01 % asked for"));
  EXPECT_THAT(result.err, HasSubstr("note: triangles is known to within "));
}

TEST(EstimateCommand, RefusesWhatMakesNoSense) {
  const TempFolder folder;
  write_text(folder / "none.jsonl", "{\"num_nodes\": 3, \"edge_index\": [[], []]}\n");
  const ProgramResult none = run_agentnet({"estimate", folder / "none.jsonl"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("3 nodes and no edges"));
  write_text(folder / "graph.txt", "0 1\n1 2\n2 0\n");
  const std::string graph = folder / "graph.txt";
  EXPECT_EQ(run_agentnet({"estimate", graph, "--what", "squares"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"estimate", graph, "--error", "0"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"estimate", graph, "--confidence", "1.5"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"estimate", graph, "--max-steps", "0"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"estimate", graph, "--start", "77"}).exit_code, 2);
  EXPECT_EQ(run_agentnet({"estimate", graph, "--graph", "1"}).exit_code, 2);
  const ProgramResult several = run_agentnet({"estimate", "synthetic:cycles?graphs=4"});
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_THAT(several.err, HasSubstr("choose one: --graph 0"));
  EXPECT_EQ(run_agentnet({"estimate", folder / "missing.txt"}).exit_code, 3);
}

}  // namespace
}  // namespace agentnet
