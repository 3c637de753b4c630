// Which answer a request gets, without a socket.
#include "view/server/site.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <span>

#include "server_property.h"
#include "support/temp_folder.h"
#include "view/server/server.h"

namespace agentnet {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::uint16_t kPort = 4711;
const Site kSite = {"the page", "the data"};

int status(std::string_view method, std::string_view path, std::string_view host = "127.0.0.1:4711") {
  return answer_for(kSite, method, path, host, kPort).status;
}

TEST(Site, HasTwoPagesAndNothingElse) {
  EXPECT_EQ(answer_for(kSite, "GET", "/", "localhost:4711", kPort).body, "the page");
  EXPECT_EQ(answer_for(kSite, "HEAD", "/data.json", "localhost:4711", kPort).body, "the data");
  for (const char* path : {"", "//", "/index.html", "/../etc/passwd", "/data.json/", "/data.json/..", "etc/passwd",
                           "/DATA.JSON", "/.", "*", "http://127.0.0.1:4711/"}) {
    EXPECT_EQ(status("GET", path), 404) << path;
  }
  EXPECT_EQ(status("GET", std::string_view("/\0", 2)), 404);
}

TEST(Site, CanOnlyBeRead) {
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "", "PRI"}) {
    EXPECT_EQ(status(method, "/"), 405) << method;
  }
}

TEST(Site, IsForThisMachineOnly) {
  for (const char* host : {"127.0.0.1", "127.0.0.1:4711", "localhost", "LocalHost:4711", "[::1]", "[::1]:4711"}) {
    EXPECT_EQ(status("GET", "/", host), 200) << host;
  }
  for (const char* host : {"example.com", "example.com:4711", "127.0.0.1:80", "127.0.0.1.example.com", "localhost.",
                           "127.0.0.1:4711@example.com", "127.0.0.1:", "127.0.0.12", "localhost:4711:4711", "[::1",
                           " 127.0.0.1", "127.0.0.1 ", "0.0.0.0", "[::ffff:127.0.0.1]"}) {
    EXPECT_EQ(status("GET", "/", host), 421) << host;
  }
  EXPECT_EQ(status("GET", "/", ""), 400);
  EXPECT_EQ(status("GET", "/", std::string_view("localhost\0", 10)), 421);
}

// The same through the parser of the server.
std::string ask(const std::string& first_line, const std::string& headers = "Host: 127.0.0.1:4711\r\n") {
  return answer_to_bytes("the page", "the data", kPort, first_line + "\r\n" + headers + "\r\n");
}

TEST(Site, AnswersWithTheHeadersThatKeepItToItself) {
  const std::string answer = ask("GET / HTTP/1.1");
  EXPECT_THAT(
      answer,
      AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("\r\n\r\nthe page"), HasSubstr("\r\nContent-Length: 8\r\n"),
            HasSubstr("\r\nConnection: close\r\n"), HasSubstr("\r\nContent-Security-Policy: default-src 'none';"),
            HasSubstr("\r\nX-Content-Type-Options: nosniff\r\n"), HasSubstr("\r\nCache-Control: no-store\r\n")));
  EXPECT_THAT(ask("GET /data.json HTTP/1.1"), HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(ask("GET /nothing HTTP/1.1"), AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("nosniff")));
}

TEST(Site, AHeadHasNoBody) {
  EXPECT_THAT(ask("HEAD / HTTP/1.1"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("\r\nContent-Length: 8\r\n"), EndsWith("\r\n\r\n")));
}

TEST(Site, TakesNoPartialAndPackedRequests) {
  std::string ranges = "0-1";
  for (int i = 0; i < 500; ++i) ranges += ",0-1";
  const std::string answer =
      ask("GET / HTTP/1.1", "Host: localhost\r\nAccept-Encoding: br, gzip\r\nRange: bytes=" + ranges + "\r\n");
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("\r\n\r\nthe page"),
                            Not(HasSubstr("Content-Encoding"))));
}

TEST(Site, RefusesWhatIsNoRequest) {
  for (const std::string line :
       {"", " ", "GET", "GET /", "GET / HTTP/9.9", "GET  / HTTP/1.1 x", "\x16\x03\x01", "G\0T / HTTP/1.1"}) {
    const std::string answer = ask(line);
    EXPECT_THAT(answer, AllOf(Not(HasSubstr(" 200 ")), Not(HasSubstr("the page")))) << line;
  }
  EXPECT_THAT(ask("GET / HTTP/1.1", ""), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask("GET / HTTP/1.1", "Host: localhost\r\nHost: example.com\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(ask("GET / HTTP/1.1", "Host: example.com\r\n"), StartsWith("HTTP/1.1 421 "));
  EXPECT_THAT(ask("POST / HTTP/1.1", "Host: localhost\r\nContent-Length: 1000000000\r\n"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(ask("GET /%2e%2e/etc/passwd HTTP/1.1"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(ask("GET /%00 HTTP/1.1"), StartsWith("HTTP/1.1 404 "));
}

TEST(Site, HoldsUnderTheInputsOfTheFuzzer) {
  int inputs = 0;
  for (const char* folder : {"corpus", "regressions"}) {
    const auto path = std::filesystem::path(AGENTNET_FUZZ_DIR) / folder / "fuzz_server";
    if (!std::filesystem::is_directory(path)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      const std::string bytes = read_text(entry.path());
      EXPECT_NO_THROW(check_request(std::as_bytes(std::span(bytes)))) << entry.path();
      ++inputs;
    }
  }
  EXPECT_GE(inputs, 5);
}

}  // namespace
}  // namespace agentnet
