#include "data/io/fetch.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>

#include "agentnet/error.h"
#include "core/files/checksum.h"
#include "core/random.h"
#include "support/http_server.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

// An archive with one file of random bytes, so that every byte counts.
std::string zip_of(std::size_t bytes, std::uint64_t seed) {
  RandomSequence random(seed, Purpose::kTest);
  std::string content(bytes, ' ');
  for (char& c : content) c = static_cast<char>(random.below(256));
  std::string result(bytes + 4096, '\0');
  std::size_t used = 0;
  archive* out = archive_write_new();
  archive_write_set_format_zip(out);
  archive_write_open_memory(out, result.data(), result.size(), &used);
  archive_entry* entry = archive_entry_new();
  archive_entry_set_pathname(entry, "SET/SET_A.txt");
  archive_entry_set_size(entry, static_cast<la_int64_t>(bytes));
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_write_header(out, entry);
  archive_write_data(out, content.data(), content.size());
  archive_entry_free(entry);
  archive_write_close(out);
  archive_write_free(out);
  result.resize(used);
  return result;
}

std::string checksum(const std::string& bytes) { return xxh3_128_hex(std::as_bytes(std::span(bytes))); }

class Fetch : public testing::Test {
 protected:
  Fetch() {
    options_.folder = folder_ / "cache";
    options_.from = server_.url() + "/";
    options_.download.insecure = true;  // our own server
    options_.download.tries = 3;
    options_.download.pause = std::chrono::milliseconds(0);
    events_.note = [this](const std::string& message) { notes_.push_back(message); };
  }
  void serve(HttpPage page) { server_.set("/SET.zip", std::move(page)); }
  FetchResult run(std::string_view name = "SET") { return fetch(name, options_, events_); }
  void have_part(const std::string& bytes) {
    std::filesystem::create_directories(options_.folder);
    write_text(part_, bytes);
  }
  void expect_error(ErrorKind kind, const std::string& message, const std::string& hint,
                    std::string_view name = "SET") {
    try {
      static_cast<void>(run(name));
      ADD_FAILURE() << "no error; expected: " << message;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      EXPECT_EQ(error.what(), message);
      EXPECT_THAT(error.hint(), HasSubstr(hint));
    }
  }
  void expect_complete() {
    EXPECT_EQ(checksum(read_text(file_)), checksum(zip_));
    EXPECT_EQ(read_text(file_.string() + ".sum"), checksum(zip_) + "  SET.zip\n");
    EXPECT_FALSE(std::filesystem::exists(part_));
  }

  const std::string zip_ = zip_of(200'000, 1);
  DownloadServer server_;
  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "cache/SET.zip", part_ = folder_ / "cache/SET.zip.part";
  FetchOptions options_;
  DownloadEvents events_;
  std::vector<std::string> notes_;
};

TEST(FetchNames, HaveTheirOfficialAddresses) {
  EXPECT_EQ(official_address("MUTAG"), "https://www.chrsmrrs.com/graphkerneldatasets/MUTAG.zip");
  EXPECT_EQ(official_address("Some_other-set.2"), "https://www.chrsmrrs.com/graphkerneldatasets/Some_other-set.2.zip");
  EXPECT_EQ(official_address("ogbg-molhiv"),
            "https://snap.stanford.edu/ogb/data/graphproppred/csv_mol_download/hiv.zip");
  EXPECT_THAT(known_sets(), testing::IsSupersetOf({"MUTAG", "ogbg-molhiv", "ogbg-molpcba", "REDDIT-BINARY"}));
  for (const std::string& name : known_sets()) {
    EXPECT_THAT(official_address(name), EndsWith(".zip"));
    EXPECT_THAT(official_address(name), StartsWith("https://"));
  }
}

TEST(FetchNames, NoSetHasTheseNames) {
  for (const char* name : {"", "../x", ".hidden", "a/b", "a b", "a?b", "-x"}) {
    EXPECT_THROW(static_cast<void>(official_address(name)), Error) << name;
  }
  try {
    static_cast<void>(official_address("ogbg-molhif"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no address is known for the OGB set 'ogbg-molhif'");
    EXPECT_EQ(error.hint(), "did you mean ogbg-molhiv?");
  }
}

TEST_F(Fetch, DownloadsOnceAndKeepsTheChecksum) {
  serve({.body = zip_});
  const FetchResult first = run();
  EXPECT_TRUE(first.downloaded);
  EXPECT_EQ(first.file, file_);
  EXPECT_EQ(first.url, server_.url() + "/SET.zip");
  EXPECT_EQ(first.bytes, zip_.size());
  EXPECT_EQ(first.checksum, checksum(zip_));
  EXPECT_EQ(first.resumed_from, 0u);
  expect_complete();

  const FetchResult second = run();
  EXPECT_FALSE(second.downloaded);
  EXPECT_EQ(second.file, file_);
  EXPECT_EQ(second.bytes, zip_.size());
  EXPECT_EQ(second.checksum, checksum(zip_));
  EXPECT_THAT(server_.requests(), ElementsAre("/SET.zip"));
}

TEST_F(Fetch, PlainHttpIsRefusedUnlessTheRiskIsTaken) {
  serve({.body = zip_});
  options_.download.insecure = false;
  expect_error(ErrorKind::kUsage, "'" + options_.from + "' is plain http: anybody on the way could change what arrives",
               "--insecure");
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(Fetch, DownloadItselfRefusesPlainHttp) {
  serve({.body = zip_});
  EXPECT_THROW(static_cast<void>(download(server_.url() + "/SET.zip", folder_ / "file", {}, {})), Error);
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(Fetch, TrustsTheFirstDownloadAndNoOtherAfterIt) {
  serve({.body = zip_});
  EXPECT_TRUE(run().trusted);
  EXPECT_FALSE(run().trusted) << "compared with what was recorded";
  std::filesystem::remove(file_);
  EXPECT_FALSE(run().trusted) << "the same again";
  std::filesystem::remove(file_);
  const std::string other = zip_of(200'000, 2);
  serve({.body = other});
  expect_error(ErrorKind::kFailure,
               server_.url() + "/SET.zip did not give a usable file: it has the checksum " + checksum(other) +
                   ", expected " + checksum(zip_),
               "remove " + file_.string() + ".sum if a new version is what you expect");
  EXPECT_FALSE(std::filesystem::exists(file_));
  std::filesystem::remove(file_.string() + ".sum");
  EXPECT_TRUE(run().trusted);
}

TEST_F(Fetch, OgbSetsComeUnderTheirOwnName) {
  server_.set("/hiv.zip", {.body = zip_});
  EXPECT_EQ(run("ogbg-molhiv").file.filename(), "ogbg-molhiv.zip");
}

TEST_F(Fetch, AddressOfAFileCanHaveAnyName) {
  server_.set("/elsewhere/other.tar.gz?x=1", {.body = zip_});
  options_.from = server_.url() + "/elsewhere/other.tar.gz?x=1";
  EXPECT_EQ(run().file.filename(), "SET.tar.gz");
  options_.from = "ftp://example.org/x.zip";
  expect_error(ErrorKind::kUsage, "'ftp://example.org/x.zip' is no address to download from", "https://");
}

TEST_F(Fetch, ReportsProgressUpToTheTotal) {
  serve({.body = zip_});
  std::uint64_t last = 0, total = 0;
  bool monotone = true;
  events_.progress = [&](std::uint64_t received, std::uint64_t of) {
    monotone = monotone && received >= last;
    last = received;
    total = of;
  };
  static_cast<void>(run());
  EXPECT_TRUE(monotone);
  EXPECT_EQ(last, zip_.size());
  EXPECT_EQ(total, zip_.size());
}

TEST_F(Fetch, GoesOnFromWhatIsThere) {
  serve({.body = zip_});
  have_part(zip_.substr(0, 5000));
  const FetchResult result = run();
  EXPECT_EQ(result.resumed_from, 5000u);
  EXPECT_EQ(result.bytes, zip_.size());
  EXPECT_THAT(server_.requests(), ElementsAre("/SET.zip bytes=5000-"));
  EXPECT_THAT(notes_, IsEmpty());
  expect_complete();
}

TEST_F(Fetch, NothingMissingIsNothingSent) {
  serve({.body = zip_});
  have_part(zip_);
  EXPECT_EQ(run().resumed_from, zip_.size());
  EXPECT_THAT(server_.requests(), SizeIs(1));
  expect_complete();
}

TEST_F(Fetch, ServerWithoutRangesSendsEverythingAgain) {
  serve({.body = zip_, .ranges = false});
  have_part(zip_.substr(0, 5000));
  EXPECT_EQ(run().resumed_from, 0u);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("starting again")));
  expect_complete();
}

TEST_F(Fetch, BeginningOfAnotherFileIsThrownAway) {
  serve({.body = zip_});
  have_part(std::string(5000, 'x'));
  EXPECT_EQ(run().resumed_from, 0u);
  EXPECT_THAT(server_.requests(), ElementsAre("/SET.zip bytes=5000-", "/SET.zip"));
  expect_complete();
}

TEST_F(Fetch, BeginningLongerThanTheFileIsThrownAway) {
  serve({.body = zip_});
  have_part(zip_ + "more");
  static_cast<void>(run());
  EXPECT_THAT(server_.requests(), ElementsAre(StartsWith("/SET.zip bytes="), "/SET.zip"));
  expect_complete();
}

TEST_F(Fetch, CutConnectionsAreTakenUpAgain) {
  serve({.body = zip_, .cut_after = 1000, .cut_times = 7});  // more often than `tries`: each gained something
  const FetchResult result = run();
  EXPECT_EQ(result.resumed_from, 0u);  // from before this call
  EXPECT_THAT(server_.requests(), SizeIs(8));
  EXPECT_EQ(server_.requests().back(), "/SET.zip bytes=7000-");
  EXPECT_THAT(notes_, SizeIs(7));
  expect_complete();
}

TEST_F(Fetch, ServerThatAlwaysCutsInTheSamePlaceIsGivenUp) {
  serve({.body = zip_, .ranges = false, .cut_after = 1000});
  EXPECT_THROW(static_cast<void>(run()), Error);
  EXPECT_THAT(server_.requests(), SizeIs(3));
  EXPECT_EQ(read_text(part_), zip_.substr(0, 1000));
}

TEST_F(Fetch, FailureKeepsWhatHasArrivedAndSaysSo) {
  serve({.body = zip_, .cut_after = 1000, .cut_times = 1});
  events_.note = [this](const std::string&) { serve({.status = 503}); };
  expect_error(ErrorKind::kFailure, "cannot download " + server_.url() + "/SET.zip: the server answers 503",
               "the same command goes on from the 1000 bytes that are there");
  serve({.body = zip_});
  EXPECT_EQ(run().resumed_from, 1000u);
  expect_complete();
}

TEST_F(Fetch, FileWithoutALengthEndsWithTheConnection) {
  serve({.body = zip_, .say_length = false});
  EXPECT_EQ(run().bytes, zip_.size());
  expect_complete();
}

TEST_F(Fetch, UnknownNameGetsASuggestion) {
  expect_error(ErrorKind::kUsage, "there is no set 'MUTAGG': the server has no " + server_.url() + "/MUTAGG.zip",
               "did you mean MUTAG?", "MUTAGG");
  EXPECT_THAT(server_.requests(), SizeIs(1));
  EXPECT_TRUE(std::filesystem::is_empty(options_.folder));
  expect_error(ErrorKind::kUsage, "'a b' is not the name of a set", "names look like MUTAG", "a b");
}

TEST_F(Fetch, ServerErrorsThatPassAreWaitedOut) {
  serve({.body = zip_, .status = 500, .status_times = 2});
  EXPECT_TRUE(run().downloaded);
  EXPECT_THAT(notes_, ElementsAre("the server answers 500; trying again (2 of 3)",
                                  "the server answers 500; trying again (3 of 3)"));
  expect_complete();
}

TEST_F(Fetch, ServerErrorsThatStayFail) {
  serve({.status = 500});
  expect_error(ErrorKind::kFailure, "cannot download " + server_.url() + "/SET.zip: the server answers 500",
               "check the address and the network");
  EXPECT_THAT(server_.requests(), SizeIs(3));
  EXPECT_TRUE(std::filesystem::is_empty(options_.folder));
}

TEST_F(Fetch, RefusalIsNotRepeated) {
  serve({.status = 403});
  expect_error(ErrorKind::kFailure, "cannot download " + server_.url() + "/SET.zip: the server answers 403", "address");
  EXPECT_THAT(server_.requests(), SizeIs(1));
}

TEST_F(Fetch, ErrorPageDoesNotSpoilWhatIsThere) {
  serve({.body = zip_, .status = 500, .status_times = 1});
  have_part(zip_.substr(0, 5000));
  EXPECT_EQ(run().resumed_from, 5000u);
  expect_complete();
}

TEST_F(Fetch, NobodyListening) {
  {
    const DownloadServer gone;
    options_.from = gone.url() + "/";
  }
  try {
    static_cast<void>(run());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailure);
    EXPECT_THAT(error.what(), StartsWith("cannot download " + options_.from + "SET.zip: "));
  }
  EXPECT_THAT(notes_, SizeIs(2));
}

TEST_F(Fetch, RedirectionIsFollowedToWebServersOnly) {
  server_.set("/real/SET.zip", {.body = zip_});
  serve({.redirect = "/real/SET.zip"});
  EXPECT_TRUE(run().downloaded);
  expect_complete();
  std::filesystem::remove(file_);
  write_text(folder_ / "secret.zip", zip_);
  serve({.redirect = "file://" + (folder_ / "secret.zip").string()});
  EXPECT_THROW(static_cast<void>(run()), Error);
}

TEST_F(Fetch, PageInsteadOfAnArchiveIsNotKept) {
  serve({.body = "<html>We have moved</html>"});
  expect_error(ErrorKind::kFailure,
               server_.url() + "/SET.zip did not give a usable file: " + part_.string() + ": this is no archive",
               "check the address");
  EXPECT_TRUE(std::filesystem::is_empty(options_.folder));
}

TEST_F(Fetch, EmptyFileIsNotKept) {
  serve({.body = ""});
  expect_error(ErrorKind::kFailure, server_.url() + "/SET.zip did not give a usable file: it is empty",
               "check the address");
  EXPECT_TRUE(std::filesystem::is_empty(options_.folder));
}

TEST_F(Fetch, DamagedArchiveIsNotKept) {
  std::string damaged = zip_;
  damaged[100'000] = static_cast<char>(damaged[100'000] + 1);
  serve({.body = damaged});
  try {
    static_cast<void>(run());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailure);
    EXPECT_THAT(error.what(), HasSubstr("damaged archive"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(options_.folder));
}

TEST_F(Fetch, ChecksumMustMatchIfGiven) {
  serve({.body = zip_});
  options_.checksum = std::string(32, '0');
  expect_error(ErrorKind::kFailure,
               server_.url() + "/SET.zip did not give a usable file: it has the checksum " + checksum(zip_) +
                   ", expected " + options_.checksum,
               "the same command starts again");
  EXPECT_TRUE(std::filesystem::is_empty(options_.folder));
  options_.checksum = checksum(zip_);
  std::ranges::transform(options_.checksum, options_.checksum.begin(), [](unsigned char c) { return std::toupper(c); });
  EXPECT_TRUE(run().downloaded);
  options_.checksum = "abc";
  expect_error(ErrorKind::kUsage, "'abc' is no checksum", "xxhsum -H2");
}

TEST_F(Fetch, FileThatHasChangedIsRefused) {
  serve({.body = zip_});
  static_cast<void>(run());
  const std::string other = zip_of(100, 2);
  write_text(file_, other);
  expect_error(ErrorKind::kFailure,
               file_.string() + " has the checksum " + checksum(other) + ", expected " + checksum(zip_),
               "remove it to download it again");
  std::filesystem::remove(file_);
  EXPECT_TRUE(run().downloaded);
  expect_complete();
}

TEST_F(Fetch, FileOfUnknownOriginIsReadThroughFirst) {
  std::filesystem::create_directories(options_.folder);
  write_text(file_, "not an archive");
  expect_error(ErrorKind::kFailure, file_.string() + ": this is no archive", "remove it to download it again");
  write_text(file_, zip_);
  EXPECT_FALSE(run().downloaded);
  EXPECT_EQ(read_text(file_.string() + ".sum"), checksum(zip_) + "  SET.zip\n");
  EXPECT_THAT(server_.requests(), IsEmpty());
}

TEST_F(Fetch, StoppingKeepsWhatHasArrived) {
  serve({.body = zip_, .cut_after = 1000, .cut_times = 1});
  bool stop = false;
  events_.note = [&](const std::string&) { stop = true; };  // between two tries
  events_.stop = [&] { return stop; };
  options_.download.pause = std::chrono::milliseconds(60'000);
  expect_error(ErrorKind::kInterrupted, "the download was stopped after 1000 bytes",
               "the same command goes on from there");
  stop = false;
  EXPECT_EQ(run().resumed_from, 1000u);
  expect_complete();
}

TEST_F(Fetch, StoppingEndsATransfer) {
  serve({.body = zip_});
  events_.stop = [] { return true; };
  EXPECT_THROW(static_cast<void>(run()), Error);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(Fetch, ExceptionOfACallbackComesThrough) {
  serve({.body = zip_});
  events_.progress = [](std::uint64_t, std::uint64_t) { throw std::domain_error("from the callback"); };
  EXPECT_THROW(static_cast<void>(run()), std::domain_error);
}

TEST_F(Fetch, SecondDownloadOfTheSameFileIsRefused) {
  serve({.body = zip_});
  have_part("");
  const int fd = ::open(part_.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(fd, LOCK_EX), 0);
  expect_error(ErrorKind::kFailure, part_.string() + " is being downloaded already", "wait for the other program");
  ::close(fd);
}

TEST_F(Fetch, FolderThatCannotBeMade) {
  write_text(folder_ / "file", "");
  options_.folder = folder_ / "file" / "cache";
  expect_error(ErrorKind::kFailure, "cannot make the folder " + options_.folder.string(), "name another folder");
}

}  // namespace
}  // namespace agentnet
