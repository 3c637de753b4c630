// agentnet theory and agentnet estimate, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/run_agentnet.h"

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
