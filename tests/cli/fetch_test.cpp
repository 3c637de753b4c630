// agentnet fetch, as a user runs it, against a server of our own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/run_agentnet.h"
#include "core/files/checksum.h"
#include "support/http_server.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

// An archive with one empty file "a": a header, the central directory, its end.
const std::string kZip = [] {
  const std::string local("PK\x03\x04\x0A\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0a", 31);
  const std::string central(
      "PK\x01\x02\x0A\0\x0A\0\0\0\0\0\0\0\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a", 47);
  const std::string end("PK\x05\x06\0\0\0\0\x01\0\x01\0\x2F\0\0\0\x1F\0\0\0\0\0", 22);
  return local + central + end;
}();

class FetchCommand : public testing::Test {
 protected:
  FetchCommand() { server_.set("/MUTAG.zip", {.body = kZip}); }
  ProgramResult fetch(std::vector<std::string> more) {
    more.insert(more.begin(), {"fetch", "--insecure", "--from", server_.url() + "/", "--cache", cache_.string()});
    return run_agentnet(more);
  }
  DownloadServer server_;
  TempFolder folder_;
  std::filesystem::path cache_ = folder_ / "cache";
};

TEST_F(FetchCommand, PrintsThePathAndDownloadsOnce) {
  const ProgramResult first = fetch({"MUTAG"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, (cache_ / "MUTAG.zip").string() + "\n");
  const std::string sum = xxh3_128_hex(std::as_bytes(std::span(kZip)));
  EXPECT_EQ(first.err, "downloaded " + server_.url() +
                           "/MUTAG.zip (100 bytes)\nnote: there was no checksum to compare " + "it with; " + sum +
                           " is recorded in MUTAG.zip.sum, and later downloads must have it\n");
  EXPECT_EQ(read_text(cache_ / "MUTAG.zip"), kZip);

  const ProgramResult second = fetch({"MUTAG"});
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.out, first.out);
  EXPECT_EQ(second.err, "MUTAG.zip is there already, unchanged; nothing was downloaded\n");
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(FetchCommand, SaysAsJsonWhatItDid) {
  std::filesystem::create_directories(cache_);
  write_text(cache_ / "MUTAG.zip.part", kZip.substr(0, 40));
  const ProgramResult result = fetch({"MUTAG", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto j = nlohmann::json::parse(result.out);
  EXPECT_EQ(j["name"], "MUTAG");
  EXPECT_EQ(j["path"], (cache_ / "MUTAG.zip").string());
  EXPECT_EQ(j["url"], server_.url() + "/MUTAG.zip");
  EXPECT_EQ(j["bytes"], 100);
  EXPECT_EQ(j["xxh3_128"], xxh3_128_hex(std::as_bytes(std::span(kZip))));
  EXPECT_EQ(j["downloaded"], true);
  EXPECT_EQ(j["resumed_from"], 40);
  EXPECT_THAT(result.err, HasSubstr("(100 bytes, 40 of them before)"));
}

TEST_F(FetchCommand, UnknownNameExitsWithTwoAndASuggestion) {
  const ProgramResult result = fetch({"MUTAGG"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "error: there is no set 'MUTAGG': the server has no " + server_.url() +
                            "/MUTAGG.zip\nhint: did you mean MUTAG?\n");
}

TEST_F(FetchCommand, PlainHttpTakesAnOption) {
  const ProgramResult result = run_agentnet({"fetch", "MUTAG", "--from", server_.url() + "/", "--cache", cache_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("is plain http"));
  EXPECT_THAT(result.err, HasSubstr("--insecure"));
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(FetchCommand, WrongChecksumIsAFailure) {
  const ProgramResult result = fetch({"MUTAG", "--checksum", std::string(32, '0')});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("expected " + std::string(32, '0')));
}

TEST_F(FetchCommand, CacheFolderIsTheFirstThatIsNamed) {
  const std::string from = server_.url() + "/";
  const auto run = [&](const std::string& assignments) {
    const ProgramResult result = run_agentnet({"fetch", "MUTAG", "--insecure", "--from", from}, {}, assignments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  const std::string base = folder_.path().string();
  const std::string home = "HOME=" + base + "/h", xdg = "XDG_CACHE_HOME=" + base + "/x",
                    own = "AGENTNET_CACHE=" + base + "/o";
  EXPECT_EQ(run(home + " XDG_CACHE_HOME= AGENTNET_CACHE="), base + "/h/.cache/agentnet/MUTAG.zip\n");
  EXPECT_EQ(run(home + " " + xdg + " AGENTNET_CACHE="), base + "/x/agentnet/MUTAG.zip\n");
  EXPECT_EQ(run(home + " " + xdg + " " + own), base + "/o/MUTAG.zip\n");

  const ProgramResult none =
      run_agentnet({"fetch", "MUTAG", "--insecure", "--from", from}, {}, "HOME= XDG_CACHE_HOME= AGENTNET_CACHE=");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("hint: name a folder with --cache"));
}

}  // namespace
}  // namespace agentnet
