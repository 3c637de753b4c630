#include <gtest/gtest.h>

#include "agentnet/data.h"
#include "agentnet/error.h"

namespace agentnet {
namespace {

TEST(Task, IsNamedAndFoundByItsName) {
  for (const Task task : {Task::kNone, Task::kClassification, Task::kMultilabel, Task::kRegression}) {
    EXPECT_EQ(task_from_name(task_name(task)), task);
  }
}

TEST(Task, AMistypedNameGetsASuggestion) {
  try {
    static_cast<void>(task_from_name("regresion"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_STREQ(error.what(), "there is no task 'regresion'");
    EXPECT_EQ(error.hint(), "did you mean regression?");
  }
}

}  // namespace
}  // namespace agentnet
