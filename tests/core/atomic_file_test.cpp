#include "core/files/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "support/faulty_files.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::ElementsAre;

std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

void replace(const std::filesystem::path& path, FileSystem& fs) {
  AtomicFile file(path, fs);
  file.write("new ", 4);
  file.write("content", 7);
  file.commit();
}

TEST(AtomicFile, ReplacesTheFileOnCommit) {
  const TempFolder folder;
  write_text(folder / "model", "old content, which is longer");
  replace(folder / "model", FileSystem::real());
  EXPECT_EQ(read_text(folder / "model"), "new content");
  EXPECT_THAT(files_in(folder.path()), ElementsAre("model"));
}

TEST(AtomicFile, CreatesAFileThatWasNotThere) {
  const TempFolder folder;
  replace(folder / "model", FileSystem::real());
  EXPECT_EQ(read_text(folder / "model"), "new content");
}

TEST(AtomicFile, WithoutCommitLeavesNoTrace) {
  const TempFolder folder;
  write_text(folder / "model", "old");
  {
    AtomicFile file(folder / "model");
    file.write("new", 3);
  }
  EXPECT_EQ(read_text(folder / "model"), "old");
  EXPECT_THAT(files_in(folder.path()), ElementsAre("model"));
}

TEST(AtomicFile, SyncsTheContentBeforeTheRenameAndTheFolderAfterIt) {
  const TempFolder folder;
  FaultyFiles fs;
  replace(folder / "model", fs);
  EXPECT_THAT(fs.calls, ElementsAre("open", "write", "write", "fsync", "close", "rename",  // the file
                                    "open", "fsync", "close"));                            // its folder
}

// The heart of the promise: whichever single call fails, and for whatever reason.
class AnyCallFails : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Errors, AnyCallFails, testing::Values(EIO, ENOSPC, EDQUOT, EROFS));

TEST_P(AnyCallFails, OldFileStaysWholeAndNoTemporaryIsLeft) {
  const TempFolder folder;
  FaultyFiles good;
  replace(folder / "model", good);
  const auto rename = std::find(good.calls.begin(), good.calls.end(), "rename") - good.calls.begin();
  const int last = static_cast<int>(good.calls.size()) - 1;  // closing the folder: nothing depends on it

  for (int call = 0; call < last; ++call) {
    SCOPED_TRACE(good.calls[static_cast<std::size_t>(call)] + ", call " + std::to_string(call));
    write_text(folder / "model", "old");
    FaultyFiles fs(call, GetParam());
    EXPECT_THROW(replace(folder / "model", fs), Error);
    EXPECT_EQ(read_text(folder / "model"), call <= rename ? "old" : "new content");
    EXPECT_THAT(files_in(folder.path()), ElementsAre("model"));
    EXPECT_EQ(fs.descriptors, 0);
  }
}

TEST(AtomicFile, SaysWhichFileWhatFailedAndWhatToDo) {
  const TempFolder folder;
  FaultyFiles fs(1, ENOSPC);
  try {
    replace(folder / "model", fs);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailure);
    EXPECT_EQ(error.what(), "cannot write " + (folder / "model").string() +
                                ": failed to write its new content: No space left on device");
    EXPECT_EQ(error.hint(), "free some space, or write to another disk");
  }
}

TEST(AtomicFile, WritesOnAfterShortWrites) {
  const TempFolder folder;
  FaultyFiles fs;
  fs.most_per_write = 3;
  replace(folder / "model", fs);
  EXPECT_EQ(read_text(folder / "model"), "new content");
}

TEST(AtomicFile, TriesAgainWhenASignalInterrupts) {
  const TempFolder folder;
  for (const int call : {0, 1}) {  // open, write
    FaultyFiles fs(call, EINTR);
    replace(folder / "model", fs);
    EXPECT_EQ(read_text(folder / "model"), "new content");
  }
}

TEST(AtomicFile, TakesAnotherNameWhenTheTemporaryExists) {
  const TempFolder folder;
  FaultyFiles fs(0, EEXIST);
  replace(folder / "model", fs);
  EXPECT_EQ(read_text(folder / "model"), "new content");
}

TEST(AtomicFile, IsContentWhereFoldersCannotBeSynced) {
  const TempFolder folder;
  FaultyFiles fs(7, EINVAL);
  replace(folder / "model", fs);
  EXPECT_EQ(fs.calls[7], "fsync");
  EXPECT_EQ(read_text(folder / "model"), "new content");
}

TEST(AtomicFile, TwoWritersOfOneFileDoNotMeet) {
  const TempFolder folder;
  AtomicFile first(folder / "model"), second(folder / "model");
  first.write("first", 5);
  second.write("second", 6);
  first.commit();
  EXPECT_EQ(read_text(folder / "model"), "first");
  second.commit();
  EXPECT_EQ(read_text(folder / "model"), "second");
}

TEST(AtomicFile, ReplacesTheFileBehindALink) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "elsewhere");
  write_text(folder / "elsewhere/model", "old");
  std::filesystem::create_symlink("elsewhere/model", folder / "link");
  replace(folder / "link", FileSystem::real());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_text(folder / "elsewhere/model"), "new content");
}

void expect_refusal(const std::filesystem::path& path, const std::string& reason, const std::string& hint) {
  try {
    AtomicFile file(path);
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailure);
    EXPECT_EQ(error.what(), "cannot write " + path.string() + ": " + reason);
    EXPECT_EQ(error.hint(), hint);
  }
}

TEST(AtomicFile, RefusesTargetsThatAreNotFiles) {
  const TempFolder folder;
  expect_refusal(folder.path(), "it exists and is not a regular file", "choose another name");
  expect_refusal("/dev/null", "it exists and is not a regular file", "choose another name");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(AtomicFile, RefusesALinkThatLeadsNowhere) {
  const TempFolder folder;
  std::filesystem::create_symlink("nothing", folder / "link");
  expect_refusal(folder / "link", "it is a link that leads nowhere", "remove the link, or create what it points to");
}

TEST(AtomicFile, RefusesAFolderThatDoesNotExist) {
  const TempFolder folder;
  expect_refusal(folder / "missing/model", "failed to create a temporary file beside it: No such file or directory",
                 "check that the folder exists");
}

TEST(AtomicFile, IsOverAfterCommitAndAfterAFailure) {
  const TempFolder folder;
  AtomicFile committed(folder / "a");
  committed.commit();
  EXPECT_THROW(committed.write("x", 1), std::logic_error);
  EXPECT_THROW(committed.commit(), std::logic_error);

  FaultyFiles fs(1);
  AtomicFile failed(folder / "b", fs);
  EXPECT_THROW(failed.write("x", 1), Error);
  EXPECT_THROW(failed.commit(), std::logic_error);
  EXPECT_FALSE(std::filesystem::exists(folder / "b"));
}

TEST(AtomicFile, CanBeWrittenAndReadAtAnyPlace) {
  const TempFolder folder;
  for (const int failing : {kNoFailure, 1, 2, 3}) {
    FaultyFiles fs(failing, ENOSPC);
    fs.most_per_write = 2;
    try {
      AtomicFile file(folder / "model", fs);
      file.write_at(6, "net", 3);
      file.write_at(0, "agent", 5);
      std::string back(5, ' ');
      file.read_at(0, back.data(), back.size());
      EXPECT_EQ(back, "agent");
      EXPECT_THROW(file.read_at(8, back.data(), back.size()), Error) << "the file ends before that";
      EXPECT_THROW(file.commit(), std::logic_error);
      EXPECT_EQ(failing, kNoFailure);
    } catch (const Error& error) {
      EXPECT_NE(failing, kNoFailure) << error.what();
    }
    EXPECT_THAT(files_in(folder.path()), ElementsAre());
  }
  AtomicFile file(folder / "model");
  file.write_at(6, "net", 3);
  file.write_at(0, "agent", 5);
  file.commit();
  EXPECT_EQ(read_text(folder / "model"), std::string("agent\0net", 9)) << "what is skipped reads as zeros";
}

TEST(AtomicFile, TheFirstInAFolderRemovesWhatKilledProcessesLeft) {
  const TempFolder folder;
  const std::string dead = "999999999", alive = std::to_string(::getpid());       // no process has the first number
  const std::vector<std::string> others = {"model.agentnet-tmp-" + alive + "-7",  // its process lives
                                           "model.agentnet-tmp-" + dead,          // all others are not quite our names
                                           "model.agentnet-tmp-" + dead + "-",    //
                                           "model.agentnet-tmp-" + dead + "-1x",  //
                                           "model.agentnet-tmp-" + dead + "-01",  //
                                           "model.agentnet-tmp-0" + dead + "-1",  //
                                           "model.agentnet-tmp--" + dead + "-1",  //
                                           "model.agentnet-tmp-notes",            //
                                           "model.tmp-" + dead + "-1",            //
                                           ".agentnet-tmp-" + dead + "-1"};
  for (const std::string& name : others) write_text(folder / name, "not ours");
  std::filesystem::create_directory(folder / ("folder.agentnet-tmp-" + dead + "-1"));
  std::filesystem::create_symlink(folder / others[0], folder / ("link.agentnet-tmp-" + dead + "-1"));
  const std::filesystem::path locked = folder / ("locked.agentnet-tmp-" + dead + "-1");
  write_text(locked, "somebody in another container is at work");
  const int fd = ::open(locked.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  write_text(folder / ("model.agentnet-tmp-" + dead + "-1"), "half");
  write_text(folder / ("other.agentnet-tmp-" + dead + "-23"), "half");

  replace(folder / "model", FileSystem::real());
  ::close(fd);
  std::vector<std::string> left = files_in(folder.path()), expected = others;
  for (const char* name : {"model", "folder.agentnet-tmp-999999999-1", "link.agentnet-tmp-999999999-1",
                           "locked.agentnet-tmp-999999999-1"}) {
    expected.emplace_back(name);
  }
  std::ranges::sort(left);
  std::ranges::sort(expected);
  EXPECT_EQ(left, expected);
}

TEST(AtomicFile, IsLockedWhileItIsWritten) {
  const TempFolder folder;
  const AtomicFile file(folder / "model");
  const std::vector<std::string> names = files_in(folder.path());
  ASSERT_EQ(names.size(), 1U);
  EXPECT_TRUE(is_temporary_name(names[0]));
  constexpr pid_t kNobody = 999999999;
  EXPECT_FALSE(is_abandoned(folder / names[0], kNobody));
}

}  // namespace
}  // namespace agentnet
