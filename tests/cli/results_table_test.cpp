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

TEST(PrintScores, OfNothingIsNothing) {
  std::ostringstream out;
  print_scores(out, {});
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace agentnet
