// Bytes become requests, however they are cut; what smuggles a second request past a proxy is refused.
#include "http/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace agentnet {
namespace {

using State = RequestParser::State;

constexpr RequestLimits kLimits = {.head_bytes = 1000, .headers = 20, .body_bytes = 100};

// Steps until there is nothing more to say; the last word.
State run(RequestParser& parser) {
  State state = parser.step();
  while (state == State::kHead) state = parser.step();
  return state;
}

State state_of(const std::string& bytes) {
  RequestParser parser(kLimits);
  parser.add(bytes);
  return run(parser);
}

int refusal_of(const std::string& bytes) {
  RequestParser parser(kLimits);
  parser.add(bytes);
  return run(parser) == State::kRefused ? parser.refusal() : 0;
}

std::string post(const std::string& headers, const std::string& rest) {
  return "POST /predict HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + rest;
}

TEST(RequestParser, TakesARequestApart) {
  RequestParser parser(kLimits);
  parser.add(
      "POST /a%20b/c?x=1&y=%41 HTTP/1.1\r\nHost:  example.com:80 \r\nX-Twice: 1\r\nx-twice: 2\r\n"
      "Content-Length: 5\r\n\r\nhello");
  EXPECT_EQ(parser.step(), State::kHead);
  EXPECT_EQ(parser.request().body, "");
  EXPECT_EQ(parser.step(), State::kWhole);
  const HttpRequest request = parser.take();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/a b/c");
  EXPECT_EQ(request.query, "x=1&y=%41");
  EXPECT_EQ(request.body, "hello");
  EXPECT_EQ(request.header("host"), "example.com:80");
  EXPECT_EQ(request.header("x-twice"), std::nullopt) << "two values are no value";
  EXPECT_TRUE(request.has_header("x-twice"));
  EXPECT_TRUE(request.keep_alive);
  EXPECT_EQ(parser.step(), State::kIdle);
}

TEST(RequestParser, DoesNotCareHowTheBytesAreCut) {
  const std::string one = post("Content-Length: 3\r\n", "abc");
  const std::string two =
      post("Transfer-Encoding: chunked\r\n", "3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: x\r\n\r\n");
  const std::string all = one + two + "\r\n" + one;
  for (std::size_t piece = 1; piece <= all.size(); ++piece) {
    RequestParser parser(kLimits);
    std::vector<std::string> bodies;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      parser.add(std::string_view(all).substr(at, piece));
      while (run(parser) == State::kWhole) bodies.push_back(parser.take().body);
    }
    EXPECT_THAT(bodies, testing::ElementsAre("abc", "abc0123456789", "abc")) << "pieces of " << piece;
    EXPECT_EQ(parser.step(), State::kIdle);
  }
}

TEST(RequestParser, WaitsForWhatIsMissing) {
  EXPECT_EQ(state_of(""), State::kIdle);
  EXPECT_EQ(state_of("GET"), State::kReading);
  EXPECT_EQ(state_of("GET / HTTP/1.1\r\nHost: a\r\n"), State::kReading);
  EXPECT_EQ(state_of(post("Content-Length: 3\r\n", "ab")), State::kReading);
  EXPECT_EQ(state_of(post("Transfer-Encoding: chunked\r\n", "3\r\nabc")), State::kReading);
  EXPECT_EQ(state_of(post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n")), State::kReading);
}

TEST(RequestParser, RefusesWhatIsNoRequest) {
  for (const char* line : {"GET", "GET /", "GET / HTTP/1.1 x", "GET  / HTTP/1.1", "G(T / HTTP/1.1", "GET /%zz HTTP/1.1",
                           "GET /%2 HTTP/1.1", "GET a HTTP/1.1", "GET http://a/ HTTP/1.1", "GET * HTTP/1.1",
                           "GET /#x HTTP/1.1", "\x16\x03\x01", "GET / HTTP", " GET / HTTP/1.1"}) {
    EXPECT_EQ(refusal_of(std::string(line) + "\r\nHost: a\r\n\r\n"), 400) << line;
  }
  EXPECT_EQ(refusal_of("GET / HTTP/2.0\r\n\r\n"), 505);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost : a\r\n\r\n"), 400) << "a space before the colon";
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost: a\r\n continued\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"), 400) << "a bare line end";
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nHost: a\rX: y\r\n\r\n"), 400);
  EXPECT_EQ(refusal_of(std::string("GET /") + '\0' + " HTTP/1.1\r\n\r\n"), 400);
}

TEST(RequestParser, RefusesTwoWaysToSayHowLongABodyIs) {
  EXPECT_EQ(refusal_of(post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "")), 400);
  EXPECT_EQ(refusal_of(post("Content-Length: 3\r\nContent-Length: 3\r\n", "")), 400);
  EXPECT_EQ(refusal_of(post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "")), 400);
  EXPECT_EQ(refusal_of(post("Transfer-Encoding: gzip, chunked\r\n", "")), 501);
  for (const char* length : {"", "-1", "+3", "3 ", "0x3", "3,3", "3.0", "three"}) {
    const int refusal = refusal_of(post(std::string("Content-Length: ") + length + "\r\n", "abc"));
    EXPECT_EQ(refusal, std::string(length) == "3 " ? 0 : 400) << length;  // white space around a value is none of it
  }
  EXPECT_EQ(refusal_of("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
  for (const char* chunks : {"-1\r\n", "\r\n", "g\r\n", "3 3\r\nabc\r\n", "3\r\nabcd\r\n",
                             "3\nabc\r\n0\r\n\r\n0\r\n\r\n", "ffffffffffffffffff\r\n"}) {
    EXPECT_EQ(refusal_of(post("Transfer-Encoding: chunked\r\n", chunks)), 400) << chunks;
  }
}

TEST(RequestParser, HasLimits) {
  EXPECT_EQ(refusal_of("GET /" + std::string(1000, 'a')), 431);
  EXPECT_EQ(refusal_of("GET / HTTP/1.1\r\nX: " + std::string(2000, 'a') + "\r\n\r\n"), 431);
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 30; ++i) many += "X: y\r\n";
  EXPECT_EQ(refusal_of(many + "\r\n"), 431);
  EXPECT_EQ(refusal_of(post("Content-Length: 101\r\n", "")), 413) << "before it is there";
  EXPECT_EQ(refusal_of(post("Content-Length: 99999999999999999999999999\r\n", "")), 413);
  EXPECT_EQ(refusal_of(post("Transfer-Encoding: chunked\r\n", "64\r\n" + std::string(100, 'a') + "\r\n1\r\nb\r\n")),
            413);
  EXPECT_EQ(refusal_of(post("Transfer-Encoding: chunked\r\n", "64\r\n" + std::string(100, 'a') + "\r\n0\r\n\r\n")), 0);
  EXPECT_EQ(refusal_of(post("Transfer-Encoding: chunked\r\n", "1;" + std::string(500, 'x'))), 400);
  EXPECT_EQ(refusal_of(post("Transfer-Encoding: chunked\r\n", "0\r\nX: " + std::string(2000, 'x'))), 431);
}

TEST(RequestParser, TellsTheHeadOfARequestThatIsTooLong) {
  RequestParser parser(kLimits);
  parser.add(post("Content-Length: 1000\r\n", ""));
  EXPECT_EQ(parser.step(), State::kHead) << "whoever asks without a token need not know how much is too much";
  EXPECT_EQ(parser.step(), State::kRefused);
}

TEST(RequestParser, KnowsWhoWantsToAskAgain) {
  const auto keeps = [](const std::string& first_line, const std::string& headers) {
    RequestParser parser(kLimits);
    parser.add(first_line + "\r\n" + headers + "\r\n");
    EXPECT_EQ(run(parser), State::kWhole);
    return parser.take().keep_alive;
  };
  EXPECT_TRUE(keeps("GET / HTTP/1.1", ""));
  EXPECT_FALSE(keeps("GET / HTTP/1.1", "Connection: Close\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.1", "Connection: x, close\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0", ""));
  EXPECT_TRUE(keeps("GET / HTTP/1.0", "Connection: keep-alive\r\n"));
}

TEST(RequestParser, KnowsWhoWaitsToSend) {
  RequestParser parser(kLimits);
  parser.add(post("Expect: 100-continue\r\nContent-Length: 3\r\n", ""));
  EXPECT_EQ(parser.step(), State::kHead);
  EXPECT_TRUE(parser.wants_continue());
  parser.continued();
  EXPECT_FALSE(parser.wants_continue());
  EXPECT_EQ(refusal_of(post("Expect: 200-ok\r\nContent-Length: 3\r\n", "")), 417);
}

TEST(Query, IsDecoded) {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"a", "1"}, {"b c", "x&y"}, {"d", ""}, {"e", "%z"}};
  EXPECT_EQ(query_fields("a=1&b+c=x%26y&&d&e=%z"), expected);
  EXPECT_TRUE(query_fields("").empty());
}

}  // namespace
}  // namespace agentnet
