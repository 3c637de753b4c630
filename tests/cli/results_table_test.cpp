#include "output/results_table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace agentnet {
namespace {

TEST(PrintScores, EveryColumnIsAsWideAsItsWidestCell) {
  std::ostringstream out;
  print_scores(out, {{"valid (19 graphs)", {{"accuracy", 0.84211}, {"f1", 0.86957}, {"log-loss", 0.5}}},
                     {"  mean", {{"accuracy", 1}, {"log-loss", 0.0044151234}}}});
  EXPECT_EQ(out.str(),
            "                   accuracy      f1  log-loss\n"
            "valid (19 graphs)    0.8421  0.8696       0.5\n"
            "  mean                    1       -  0.004415\n");
}

TEST(PrintScores, AMetricThatOnlyALaterRowHasIsShown) {
  std::ostringstream out;
  print_scores(out, {{"valid", {{"accuracy", 1}, {"log-loss", 0.5}}},
                     {"test", {{"accuracy", 1}, {"roc-auc", 0.75}, {"log-loss", 0.25}}}});
  EXPECT_EQ(out.str(),
            "       accuracy  roc-auc  log-loss\n"
            "valid         1        -       0.5\n"
            "test          1     0.75      0.25\n");
}

TEST(PrintResults, EveryTargetOfTheLastPartHasARow) {
  RunResult result;
  result.constant_name = "mean";
  PartScores part;
  part.name = "test";
  part.graphs = 1;
  part.model = part.constant = part.structure_blind = {{"mae", 0.5}};
  part.by_target = {{"homo", {{"mae", 0.25}}}, {"lu\nmo", {{"mae", 0.75}}}};
  result.parts = {part};
  std::ostringstream out;
  print_results(out, result);
  EXPECT_EQ(out.str(),
            "                 mae\n"
            "test (1 graph)   0.5\n"
            "  mean           0.5\n"
            "  without edges  0.5\n"
            "\neach target of the test part\n"
            "             mae\n"
            "  homo      0.25\n"
            "  lu\\x0amo  0.75\n");
}

TEST(PrintTargets, OfManyTheFirstAreShown) {
  std::vector<TargetScores> many;
  for (int t = 0; t < 40; ++t) many.push_back({"t" + std::to_string(t), {{"mae", 0.5}}});
  std::ostringstream out;
  print_targets(out, many, "each target", "look elsewhere");
  EXPECT_NE(out.str().find("  t29 "), std::string::npos);
  EXPECT_EQ(out.str().find("  t30 "), std::string::npos);
  EXPECT_NE(out.str().find("  and 10 more: look elsewhere\n"), std::string::npos);
}

TEST(PrintScores, OfNothingIsNothing) {
  std::ostringstream out;
  print_scores(out, {});
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace agentnet
