#include "core/files/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

#include "agentnet/error.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

std::string text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFile, ShowsTheBytesOfTheFile) {
  const TempFolder folder;
  const std::string content("with a \0 zero", 13);
  write_text(folder / "file", content);
  const MappedFile file = MappedFile::open(folder / "file");
  EXPECT_EQ(file.size(), content.size());
  EXPECT_EQ(text_of(file), content);
}

TEST(MappedFile, OfAnEmptyFileIsEmpty) {
  const TempFolder folder;
  write_text(folder / "file", "");
  EXPECT_TRUE(MappedFile::open(folder / "file").bytes().empty());
}

TEST(MappedFile, KeepsItsAddressWhenMoved) {
  const TempFolder folder;
  write_text(folder / "file", "content");
  MappedFile first = MappedFile::open(folder / "file");
  const std::byte* address = first.bytes().data();
  MappedFile second = std::move(first);
  MappedFile third;
  third = std::move(second);
  EXPECT_EQ(third.bytes().data(), address);
  EXPECT_EQ(text_of(third), "content");
}

TEST(MappedFile, OutlivesTheNameOfItsFile) {
  const TempFolder folder;
  write_text(folder / "file", "content");
  const MappedFile file = MappedFile::open(folder / "file");
  std::filesystem::remove(folder / "file");
  EXPECT_EQ(text_of(file), "content");
}

void expect_refusal(const std::filesystem::path& path, const std::string& reason, const std::string& hint) {
  try {
    static_cast<void>(MappedFile::open(path));
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_EQ(error.what(), "cannot read " + path.string() + ": " + reason);
    EXPECT_EQ(error.hint(), hint);
  }
}

TEST(MappedFile, SaysWhichFileIsMissing) {
  const TempFolder folder;
  expect_refusal(folder / "missing", "No such file or directory", "check the path");
}

TEST(MappedFile, RefusesAFolder) {
  const TempFolder folder;
  expect_refusal(folder.path(), "it is not a regular file", "give the path of a file");
}

TEST(MappedFile, RefusesAPipeWithoutWaitingForIt) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_refusal(folder / "pipe", "it is not a regular file", "give the path of a file");
}

TEST(MappedFile, ThatIsCutUnderneathIsAnErrorAndNoCrash) {
  const TempFolder folder;
  write_text(folder / "file", std::string(40000, 'x'));
  const MappedFile file = MappedFile::open(folder / "file");
  file.check();
  std::filesystem::resize_file(folder / "file", 4096);
  EXPECT_EQ(static_cast<char>(file.bytes()[30000]), '\0');
  EXPECT_EQ(static_cast<char>(file.bytes()[100]), 'x');
  EXPECT_THROW(file.check(), Error);
  EXPECT_EQ(static_cast<char>(file.bytes()[20000]), '\0');
}

TEST(MappedFile, ThatIsWrittenToUnderneathIsAnError) {
  const TempFolder folder;
  write_text(folder / "file", std::string(5000, 'x'));
  const MappedFile file = MappedFile::open(folder / "file");
  std::filesystem::last_write_time(folder / "file",
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  try {
    file.check();
    FAIL() << "no exception";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_NE(std::string(error.what()).find("changed while it was being read"), std::string::npos) << error.what();
  }
}

TEST(MappedFile, CopiesWhatTheMappingShows) {
  const TempFolder folder;
  std::string content(100000, 'a');
  content[50000] = 'b';
  write_text(folder / "file", content);
  const MappedFile file = MappedFile::open(folder / "file");
  std::string copy(3, ' ');
  file.ask_for(file.bytes().data() + 49999, 3);
  file.read(file.bytes().data() + 49999, 3, copy.data());
  EXPECT_EQ(copy, "aba");
  copy = "   ";
  if (!file.read_now(file.bytes().data() + 49999, 3, copy.data())) copy = "aba";  // not in the cache: nothing to see
  EXPECT_EQ(copy, "aba");
  file.check();
}

TEST(MappedFile, CopiesZerosOfWhatWasCutAndRemembersIt) {
  const TempFolder folder;
  write_text(folder / "file", std::string(40000, 'x'));
  const MappedFile file = MappedFile::open(folder / "file");
  std::filesystem::resize_file(folder / "file", 10);
  std::string copy(4, ' ');
  file.read(file.bytes().data() + 8, 4, copy.data());
  EXPECT_EQ(copy, std::string("xx\0\0", 4));
  EXPECT_FALSE(file.read_now(file.bytes().data() + 8, 4, copy.data()));
  EXPECT_THROW(file.check(), Error);
}

TEST(MappedFileDeathTest, BusErrorsElsewhereEndTheProgramAsEver) {
  const TempFolder folder;
  write_text(folder / "file", "content");
  const MappedFile file = MappedFile::open(folder / "file");
  EXPECT_EXIT(::raise(SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace agentnet
