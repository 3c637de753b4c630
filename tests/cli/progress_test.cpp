#include "output/progress.h"

#include <gtest/gtest.h>

namespace agentnet {
namespace {

TEST(ProgressLine, TheBarGivesWayToTheWords) {
  const std::string words = "epoch 8/40  loss 0.7224  3 s left";
  EXPECT_EQ(progress_line(0.25, words, 100), "[#####...............]  25 %  " + words);
  EXPECT_EQ(progress_line(0.25, words, 50), "[##.....]  25 %  " + words);
  EXPECT_EQ(progress_line(0.25, words, 46), "[###.......] " + words);
  EXPECT_EQ(progress_line(0.25, words, 40), " 25 %  " + words);
  EXPECT_EQ(progress_line(0.25, words, 30), words.substr(0, 30));
}

TEST(ProgressLine, OfATrainingFitsAnOrdinaryTerminal) {
  const std::string words = "epoch 352/400  loss 0.4837  accuracy 0.6842  12:34 min left  952 graphs/s";
  const std::string line = progress_line(0.5, words, 79);
  EXPECT_LE(line.size(), 79U);
  EXPECT_NE(line.find(words), std::string::npos) << line;
}

TEST(ProgressLine, FractionsBeyondTheEndsAreTheEnds) {
  EXPECT_EQ(progress_line(1.5, "x", 40), "[####################] 100 %  x");
  EXPECT_EQ(progress_line(-1, "x", 40), "[....................]   0 %  x");
}

TEST(TimeLeft, GoesBySpeedSinceItWasFirstAsked) {
  TimeLeft left;
  EXPECT_EQ(left.text(0.50, 100), "");  // taken up half way: nothing is known of its speed
  EXPECT_EQ(left.text(0.51, 200), "");  // too little was done since
  EXPECT_EQ(left.text(0.60, 102), "");  // or in too little time
  EXPECT_EQ(left.text(0.60, 200), "about 6:40 min left");
  EXPECT_EQ(left.text(1.00, 300), "about 0 s left");
  EXPECT_EQ(left.text(0.10, 400), "");  // the next one
  EXPECT_EQ(left.text(0.20, 410), "about 1:20 min left");
}

}  // namespace
}  // namespace agentnet
