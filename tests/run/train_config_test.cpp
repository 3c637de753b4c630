#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "agentnet/error.h"
#include "agentnet/train.h"

namespace agentnet {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& json) {
  TrainConfig config;
  try {
    apply_json(config, json);
    validate(config);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return std::string(error.what()) + " | " + error.hint();
  }
  return "";
}

TEST(TrainConfig, DefaultsAreValidAndSurviveJson) {
  TrainConfig config;
  EXPECT_NO_THROW(validate(config));
  config.epochs = 7;
  config.loss = Loss::kSquaredError;
  config.schedule = Schedule::kPlateau;
  config.sampling = Sampling::kReplacement;
  config.learning_rate = 0.1 + 0.2;
  config.metric = "rmse";
  config.seed = 9007199254740992;
  TrainConfig back;
  apply_json(back, to_json(config));
  EXPECT_EQ(back, config);
}

TEST(TrainConfig, JsonSetsWhatItHasAndLeavesTheRest) {
  TrainConfig config;
  config.batch = 5;
  apply_json(config, R"({"epochs": 3, "class_weights": "balanced"})");
  EXPECT_EQ(config.batch, 5);
  EXPECT_EQ(config.epochs, 3U);
  EXPECT_EQ(config.class_weights, ClassWeights::kBalanced);
}

TEST(TrainConfig, RefusesWithWhatWouldBeRight) {
  EXPECT_THAT(refusal(R"({"epoch": 3})"), HasSubstr("unknown training option 'epoch' | did you mean 'epochs'?"));
  EXPECT_THAT(refusal(R"({"epochs": 0})"), HasSubstr("'epochs' is 0 | it can be 1 to "));
  EXPECT_THAT(refusal(R"({"epochs": 2.5})"), HasSubstr("a whole number"));
  EXPECT_THAT(refusal(R"({"epochs": -1})"), HasSubstr("'epochs' is -1"));
  EXPECT_THAT(refusal(R"({"learning_rate": 0})"), HasSubstr("'learning_rate' is 0"));
  EXPECT_THAT(refusal(R"({"schedule": "linear"})"), HasSubstr("quarter-cosine, cosine, constant, plateau"));
  EXPECT_THAT(refusal(R"({"standardise": 1})"), HasSubstr("true or false"));
  EXPECT_THAT(refusal(R"({"metric": "acuracy"})"), HasSubstr("acuracy"));
  EXPECT_THAT(refusal(R"({"class_weights": "balanced", "loss": "absolute-error"})"), HasSubstr("needs classes"));
  EXPECT_THAT(refusal("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal("{"), HasSubstr("not valid JSON"));
}

TEST(TrainConfig, ValidateSeesWhatWasSetInCode) {
  TrainConfig config;
  config.batch = 0;
  EXPECT_THROW(validate(config), Error);
  config = {};
  config.beta1 = 1;
  EXPECT_THROW(validate(config), Error);
}

TEST(TrainConfig, EveryOptionIsListedOnceWithHelp) {
  std::set<std::string> names;
  for (const OptionHelp& option : train_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_FALSE(option.range.empty()) << option.name;
  }
  EXPECT_GE(names.size(), 22U);
}

}  // namespace
}  // namespace agentnet
