#include <gtest/gtest.h>

#include <stdexcept>

#include "agentnet/data.h"
#include "agentnet/error.h"

namespace agentnet {
namespace {

TEST(Task, IsNamedAndFoundByItsName) {
  for (const Task task : {Task::kNone, Task::kClassification, Task::kMultilabel, Task::kRegression}) {
    EXPECT_EQ(task_from_name(task_name(task)), task);
  }
}

TEST(Task, ANumberThatIsNoTaskHasNoName) {
  try {
    static_cast<void>(task_name(static_cast<Task>(77)));
    FAIL();
  } catch (const std::logic_error& e) {
    EXPECT_STREQ(e.what(), "there is no task with the number 77");
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
