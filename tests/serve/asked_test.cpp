#include "serve/asked.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/request.h"
#include "serve/problem.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

Asked ask(const std::string& query, bool explain = false) { return asked_of(query_fields(query), {}, explain); }

// What is said of a query that is refused, with its hint.
std::string refusal(const std::string& query, bool explain = false) {
  try {
    static_cast<void>(ask(query, explain));
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.status(), 400);
    return problem.what() + (" / " + problem.hint());
  }
  return "";
}

TEST(Asked, TakesWhatIsNotSaidFromTheServer) {
  ServeOptions options;
  options.predicting.rollouts = 5;
  options.predicting.seed = 7;
  const Asked asked = asked_of({}, options, false);
  EXPECT_EQ(asked.predicting.rollouts, 5);
  EXPECT_EQ(asked.predicting.seed, 7U);
  EXPECT_EQ(asked.model, "");
}

TEST(Asked, ReadsEveryOption) {
  const Asked asked = ask("model=m&rollouts=3&seed=18446744073709551615&greedy=true&draws=row&max_neighbours=4");
  EXPECT_EQ(asked.model, "m");
  EXPECT_EQ(asked.predicting.rollouts, 3);
  EXPECT_EQ(asked.predicting.seed, 18446744073709551615U);
  EXPECT_TRUE(asked.predicting.greedy);
  EXPECT_EQ(asked.predicting.draws, DrawKey::kRow);
  EXPECT_EQ(asked.predicting.max_neighbours, 4);
  const Asked sure = ask("confidence=0.95");
  EXPECT_DOUBLE_EQ(sure.predicting.confidence, 0.95);
  EXPECT_EQ(sure.predicting.rollouts, 1000) << "as many as it takes";
  const Asked why = ask("recorded=1&leave_one_out=20&about=yes", true);
  EXPECT_EQ(why.explaining.recorded, 1);
  EXPECT_EQ(why.explaining.leave_one_out, 20U);
  EXPECT_EQ(why.about, "yes");
}

TEST(Asked, RefusesWhatMakesNoSense) {
  EXPECT_THAT(refusal("rollout=3"), HasSubstr("did you mean rollouts?"));
  EXPECT_THAT(refusal("rollouts=1001"), HasSubstr("a number from 1 to 1000"));
  EXPECT_THAT(refusal("confidence=0.9", true), HasSubstr("no option 'confidence'"));
  EXPECT_THAT(refusal("recorded=1"), HasSubstr("no option 'recorded'"));
  for (const char* query : {"rollouts=0", "rollouts=-1", "rollouts=", "rollouts=3x", "rollouts=1e9", "seed=-1",
                            "seed=x", "seed=18446744073709551616", "greedy=maybe", "draws=dice", "max_neighbours=-1",
                            "confidence=0", "confidence=1", "confidence=nan", "confidence=2"}) {
    EXPECT_NE(refusal(query), "") << query;
  }
}

}  // namespace
}  // namespace agentnet
