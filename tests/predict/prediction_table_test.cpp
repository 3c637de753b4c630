#include "predict/prediction_table.h"

#include <gtest/gtest.h>

#include <limits>

namespace agentnet {
namespace {

using Form = PredictionTable::Form;
using Values = std::vector<double>;

TEST(PredictionTable, ClassesHaveTheirProbabilities) {
  const PredictionTable table(Task::kClassification, {"no", "yes, \"really\""}, Form::kCsv);
  EXPECT_EQ(table.header(), "id,prediction,p_no,\"p_yes, \"\"really\"\"\",walk_spread,status\n");
  EXPECT_EQ(table.row(4, "", {Values{0.25, 0.75}, Values{0.1, 0.2}}), "4,\"yes, \"\"really\"\"\",0.25,0.75,0.2,ok\n");
  EXPECT_EQ(table.row(4, "a,b", {Values{0.5, 0.5}, Values{0.1, 0.2}}), "\"a,b\",no,0.5,0.5,0.1,ok\n");
  EXPECT_EQ(table.bad_row(5, "x", "'?' is no molecule: a, b"), "x,,,,,\"'?' is no molecule: a, b\"\n");
}

TEST(PredictionTable, OneTargetHasAnAnswerSeveralHaveTheirColumns) {
  const PredictionTable number(Task::kRegression, {"homo"}, Form::kCsv);
  EXPECT_EQ(number.header(), "id,prediction,homo,walk_spread_homo,status\n");
  EXPECT_EQ(number.row(0, "", {Values{-1.5}, Values{0.25}}), "0,-1.5,-1.5,0.25,ok\n");
  EXPECT_EQ(number.bad_row(1, "", "why"), "1,,,,why\n");
  const PredictionTable question(Task::kMultilabel, {"toxic"}, Form::kCsv);
  EXPECT_EQ(question.row(0, "m", {Values{0.75}, Values{0}}), "m,1,0.75,0,ok\n");
  const PredictionTable several(Task::kMultilabel, {"a", "b"}, Form::kCsv);
  EXPECT_EQ(several.header(), "id,a,b,walk_spread_a,walk_spread_b,status\n");
  EXPECT_EQ(several.row(0, "m", {Values{0.75, 0.5}, Values{0, 1}}), "m,0.75,0.5,0,1,ok\n");
  EXPECT_EQ(several.bad_row(1, "n", "why"), "n,,,,,why\n");
}

TEST(PredictionTable, JsonLinesSayTheSame) {
  const PredictionTable table(Task::kClassification, {"no", "yes"}, Form::kJsonLines);
  EXPECT_EQ(table.header(), "");
  EXPECT_EQ(table.row(3, "m", {Values{0.25, 0.75}, Values{0.1, 0.2}}),
            "{\"row\":3,\"id\":\"m\",\"prediction\":\"yes\",\"probabilities\":{\"no\":0.25,\"yes\":0.75},"
            "\"walk_spread\":{\"no\":0.1,\"yes\":0.2},\"status\":\"ok\"}\n");
  EXPECT_EQ(table.bad_row(4, "", "why"), "{\"row\":4,\"id\":\"4\",\"status\":\"why\"}\n");
  const PredictionTable number(Task::kRegression, {"y"}, Form::kJsonLines);
  EXPECT_EQ(number.row(0, "", {Values{2}, Values{0}}),
            "{\"row\":0,\"id\":\"0\",\"prediction\":2.0,\"values\":{\"y\":2.0},\"walk_spread\":{\"y\":0.0},"
            "\"status\":\"ok\"}\n");
}

TEST(PredictionTable, WhatIsNotFiniteIsNoPrediction) {
  const PredictionTable table(Task::kRegression, {"y"}, Form::kCsv);
  const Values nan = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(table.row(0, "", {nan, Values{0}}), "0,,,,the model's output is not a finite number\n");
}

TEST(PredictionTable, SaysHowManyRolloutsSettledIt) {
  const PredictionTable table(Task::kClassification, {"a", "b"}, PredictionTable::Form::kCsv, /*with_rollouts=*/true);
  EXPECT_EQ(table.header(), "id,prediction,p_a,p_b,walk_spread,rollouts,settled,status\n");
  const Values mean = {0.25, 0.75}, walk_spread = {0.1, 0.2};
  EXPECT_EQ(table.row(0, "", {mean, walk_spread, 12, true}), "0,b,0.25,0.75,0.2,12,yes,ok\n");
  EXPECT_EQ(table.bad_row(1, "", "no graph"), "1,,,,,,,no graph\n");
  const PredictionTable json(Task::kClassification, {"a", "b"}, PredictionTable::Form::kJsonLines, true);
  EXPECT_NE(json.row(0, "", {mean, walk_spread, 1000, false}).find("\"rollouts\":1000,\"settled\":false"),
            std::string::npos);
}

TEST(PredictionTable, OneRolloutSaysNothingOfTheDeviation) {
  const PredictionTable table(Task::kClassification, {"a", "b"}, Form::kCsv);
  EXPECT_EQ(table.row(0, "", {Values{0.25, 0.75}, Values{0, 0}, 1, false}), "0,b,0.25,0.75,,ok\n");
  const PredictionTable numbers(Task::kRegression, {"x", "y"}, Form::kCsv);
  EXPECT_EQ(numbers.row(0, "", {Values{1, 2}, Values{0, 0}, 1, false}), "0,1,2,,,ok\n");
  const PredictionTable json(Task::kRegression, {"x"}, Form::kJsonLines);
  EXPECT_NE(json.row(0, "", {Values{1}, Values{0}, 1, false}).find("\"walk_spread\":{\"x\":null}"), std::string::npos);
}

// std::stod throws at a number that is merely very small.
TEST(PredictionTable, JsonHoldsTheSmallestProbabilities) {
  const PredictionTable table(Task::kClassification, {"no", "yes"}, Form::kJsonLines);
  EXPECT_EQ(table.row(0, "", {Values{1e-310, 1}, Values{5e-324, 0}}),
            "{\"row\":0,\"id\":\"0\",\"prediction\":\"yes\",\"probabilities\":{\"no\":1e-310,\"yes\":1.0},"
            "\"walk_spread\":{\"no\":5e-324,\"yes\":0.0},\"status\":\"ok\"}\n");
}

TEST(PredictionTable, ForSpreadsheetsNoTextIsAFormula) {
  const PredictionTable table(Task::kClassification, {"=1+1", "b"}, Form::kCsv, false, CsvFor::kSpreadsheets);
  EXPECT_EQ(table.header(), "id,prediction,p_=1+1,p_b,walk_spread,status\n");
  EXPECT_EQ(table.row(0, "=cmd|' /C calc'!A0", {Values{0.75, 0.25}, Values{0, 0}}),
            "'=cmd|' /C calc'!A0,'=1+1,0.75,0.25,0,ok\n");
  EXPECT_EQ(table.row(0, "-7", {Values{0.25, 0.75}, Values{0, 0}}), "-7,b,0.25,0.75,0,ok\n");
  EXPECT_EQ(table.bad_row(0, "@SUM(A1)", "-x"), "'@SUM(A1),,,,,'-x\n");
  const PredictionTable exact(Task::kClassification, {"=1+1", "b"}, Form::kCsv);
  EXPECT_EQ(exact.row(0, "=A1", {Values{0.75, 0.25}, Values{0, 0}}), "=A1,=1+1,0.75,0.25,0,ok\n");
}

}  // namespace
}  // namespace agentnet
