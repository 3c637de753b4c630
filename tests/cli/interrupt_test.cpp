#include "interrupt.h"

#include <gtest/gtest.h>

namespace agentnet {
namespace {

TEST(InterruptGuard, HearsASignalAndPutsTheOldHandlerBack) {
  struct sigaction before {
  }, after{};
  sigaction(SIGTERM, nullptr, &before);
  {
    const InterruptGuard guard;
    EXPECT_FALSE(InterruptGuard::interrupted());
    ASSERT_EQ(raise(SIGTERM), 0);
    EXPECT_TRUE(InterruptGuard::interrupted());
  }
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

// As a shell starts what a script runs in the background.
TEST(InterruptGuard, LeavesASignalThatIsIgnoredIgnored) {
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &before);
  {
    const InterruptGuard guard;
    ASSERT_EQ(raise(SIGINT), 0);
    EXPECT_FALSE(InterruptGuard::interrupted());
  }
  sigaction(SIGINT, &before, nullptr);
}

TEST(InterruptGuard, HearsAClosedTerminalAndTheEndOfTheTime) {
  for (const int signal : {SIGHUP, SIGXCPU}) {
    const InterruptGuard guard;
    ASSERT_EQ(raise(signal), 0);
    EXPECT_TRUE(InterruptGuard::interrupted());
    if (signal == SIGXCPU) {
      ASSERT_EQ(raise(signal), 0) << "which comes every second, and ends nothing here";
    }
  }
}

}  // namespace
}  // namespace agentnet
