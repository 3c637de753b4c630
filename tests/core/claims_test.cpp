#include "core/files/claims.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "agentnet/error.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

// Short, so that tests are; on another machine than the test's, so that locks are not asked.
ClaimOptions elsewhere() { return {.beat_seconds = 0.02, .lease_seconds = 1, .machine = "elsewhere"}; }
ClaimOptions here() { return {.beat_seconds = 0.02, .lease_seconds = 3600, .machine = ""}; }
ClaimOptions watcher() { return {.beat_seconds = 0.02, .lease_seconds = 1, .machine = "watcher"}; }

// A process that claims the piece "a", says so through a pipe, and does `then`.
class Process {
 public:
  Process(const std::filesystem::path& folder, const ClaimOptions& options, const std::function<int(Claim&)>& then) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ClaimFolder claims(folder, options);
      const auto claim = claims.claim("a");
      const char byte = claim != nullptr ? 'y' : 'n';
      const bool told = ::write(ends[1], &byte, 1) == 1;
      ::_exit(told && claim != nullptr ? then(*claim) : 99);
    }
    char byte = 'n';
    claimed_ = ::read(ends[0], &byte, 1) == 1 && byte == 'y';
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Process() { signal(SIGKILL); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] bool claimed() const { return claimed_; }
  void signal(int number) {
    if (pid_ <= 0) return;
    ::kill(pid_, number);
    if (number == SIGKILL) wait();
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
  bool claimed_ = false;
};

int sleep_for_ever(Claim&) {
  while (true) ::pause();
}

// Seconds until the piece "a" is to be had; negative if it is not within ten.
double seconds_until_claimed(ClaimFolder& claims) {
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  while (passed() < 10) {
    if (claims.claim("a") != nullptr) return passed();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return -1;
}

TEST(Claims, APieceIsForOneAtATime) {
  const TempFolder temp;
  ClaimFolder mine(temp / "claims", here()), yours(temp / "claims", here());
  auto first = mine.claim("a");
  ASSERT_NE(first, nullptr);
  EXPECT_TRUE(first->held());
  EXPECT_EQ(yours.claim("a"), nullptr);
  EXPECT_EQ(mine.claim("a"), nullptr) << "the same process asks again";
  EXPECT_NE(yours.claim("b"), nullptr);
  first.reset();
  EXPECT_NE(yours.claim("a"), nullptr);
}

TEST(Claims, OneOfManyThreadsGetsIt) {
  const TempFolder temp;
  for (int round = 0; round < 20; ++round) {
    const std::string name = "piece-" + std::to_string(round);
    std::vector<std::unique_ptr<ClaimFolder>> folders;
    for (int i = 0; i < 8; ++i) folders.push_back(std::make_unique<ClaimFolder>(temp / "claims", here()));
    std::vector<std::unique_ptr<Claim>> won(8);  // gone before the folders
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 8; ++i) threads.emplace_back([&, i] { won[i] = folders[i]->claim(name); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::count_if(won.begin(), won.end(), [](const auto& claim) { return claim != nullptr; }), 1);
  }
}

TEST(Claims, OfAKilledProcessOnThisMachineAreTakenOverAtOnce) {
  const TempFolder temp;
  ClaimFolder claims(temp / "claims", here());  // with a lease of an hour
  Process process(temp / "claims", here(), sleep_for_ever);
  ASSERT_TRUE(process.claimed());
  EXPECT_EQ(claims.claim("a"), nullptr);
  process.signal(SIGKILL);
  EXPECT_GE(seconds_until_claimed(claims), 0);
}

TEST(Claims, OfAKilledProcessElsewhereAreTakenOverAfterTheLease) {
  const TempFolder temp;
  ClaimFolder claims(temp / "claims", watcher());
  Process process(temp / "claims", elsewhere(), sleep_for_ever);
  ASSERT_TRUE(process.claimed());
  process.signal(SIGKILL);
  EXPECT_GE(seconds_until_claimed(claims), 1) << "who watches cannot know that it is dead, and waits";
}

TEST(Claims, OfALivingProcessElsewhereAreLeftAlone) {
  const TempFolder temp;
  ClaimFolder claims(temp / "claims", {.beat_seconds = 0.02, .lease_seconds = 1.5, .machine = "watcher"});
  Process process(temp / "claims", elsewhere(), sleep_for_ever);
  ASSERT_TRUE(process.claimed());
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(claims.claim("a"), nullptr) << "after " << i << " of 100 looks at a process that lives";
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST(Claims, AHolderThatWasStoppedForLongerFindsOut) {
  const TempFolder temp;
  ClaimFolder claims(temp / "claims", watcher());
  Process process(temp / "claims", elsewhere(), [](Claim& claim) {
    while (claim.held()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return 7;
  });
  ASSERT_TRUE(process.claimed());
  process.signal(SIGSTOP);
  EXPECT_GE(seconds_until_claimed(claims), 1);
  const auto taken = claims.claim("a");
  ASSERT_NE(taken, nullptr) << "the one above was given back";
  process.signal(SIGCONT);
  EXPECT_EQ(process.wait(), 7);
  EXPECT_TRUE(taken->held()) << "what the old holder does on its way out takes nothing from the new one";
  ClaimFolder third(temp / "claims", here());
  EXPECT_EQ(third.claim("a"), nullptr);
}

TEST(Claims, LeaveNothingBehind) {
  const TempFolder temp;
  {
    ClaimFolder claims(temp / "claims", here());
    const auto a = claims.claim("a"), b = claims.claim("b");
  }
  EXPECT_FALSE(std::filesystem::exists(temp / "claims"));
}

TEST(Claims, OfKilledProcessesAreRemovedWhenAllIsDone) {
  const TempFolder temp;
  ClaimFolder claims(temp / "claims", here());
  Process process(temp / "claims", here(), sleep_for_ever);
  ASSERT_TRUE(process.claimed());
  const auto other = claims.claim("b");
  claims.remove_dead();
  EXPECT_EQ(ClaimFolder(temp / "claims", here()).claim("a"), nullptr) << "its holder lives";
  process.signal(SIGKILL);
  for (int i = 0; i < 1000 && std::filesystem::exists(temp / "claims/a.0"); ++i) {  // until the system has ended it
    claims.remove_dead();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(std::filesystem::exists(temp / "claims/a.0"));
  EXPECT_TRUE(other->held());
  EXPECT_TRUE(std::filesystem::exists(temp / "claims/b.0"));
}

TEST(Claims, RefuseWhatIsNoNameAndNoFolder) {
  const TempFolder temp;
  ClaimFolder claims(temp / "claims", here());
  EXPECT_THROW(static_cast<void>(claims.claim("../a")), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(claims.claim("")), std::invalid_argument);
  write_text(temp / "file", "");
  ClaimFolder nowhere(temp / "file", here());
  EXPECT_THROW(static_cast<void>(nowhere.claim("a")), Error);
}

// A name that is the beginning of another one.
TEST(Claims, KnowNamesApart) {
  const TempFolder temp;
  ClaimFolder claims(temp / "claims", here());
  const auto one = claims.claim("fold-1");
  EXPECT_NE(claims.claim("fold-10"), nullptr);
  EXPECT_NE(claims.claim("fold"), nullptr);
}

}  // namespace
}  // namespace agentnet
