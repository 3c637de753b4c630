// The server with a handler that takes its time: nothing is lost, and clients who are slow cost nobody else anything.
#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/http_client.h"

namespace agentnet {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Answers "/now" with the body at once and "/later" from another thread; refuses "/no" by its head.
class Echo : public HttpHandler {
 public:
  Echo() : thread_([this] { work(); }) {}
  ~Echo() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;

  std::optional<HttpAnswer> on_head(const HttpRequest& request) override {
    if (request.path != "/no") return std::nullopt;
    return http_answer(403, "text/plain", "no");
  }
  void on_request(HttpRequest&& request, HttpReply reply) override {
    if (request.path == "/never") return;  // dropped without an answer
    if (request.path == "/now") return reply.send(http_answer(200, "text/plain", std::move(request.body)));
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(std::move(request.body), std::move(reply));
    wake_.notify_all();
  }
  void hold(bool hold) {
    const std::lock_guard lock(mutex_);
    held_ = hold;
    wake_.notify_all();
  }
  std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }
  bool first_is_gone() {
    const std::lock_guard lock(mutex_);
    return waiting_.front().second.gone();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stopping_ || (!held_ && !waiting_.empty()); });
      if (stopping_) return;
      auto [body, reply] = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      reply.send(http_answer(200, "text/plain", std::move(body)));
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::pair<std::string, HttpReply>> waiting_;
  bool held_ = false, stopping_ = false;
  std::thread thread_;
};

HttpLimits limits_of_test() {
  HttpLimits limits;
  limits.request.body_bytes = 1 << 20;
  return limits;
}

// Waits, however slow the machine, for what must become true some time.
template <class Holds>
void wait_until(const Holds& holds) {
  for (int i = 0; i < 6000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(holds());
}

class HttpServerTest : public testing::Test {
 protected:
  Echo echo_;
};

TEST_F(HttpServerTest, AnswersManyRequestsOfAConnectionInTheirOrder) {
  HttpServer server(echo_, "127.0.0.1", 0, limits_of_test(), {{"X-Always", "yes"}});
  HttpClient client(server.port());
  std::string all;
  for (int i = 0; i < 50; ++i) all += http_request(i % 2 == 0 ? "POST /now" : "POST /later", "", std::to_string(i));
  client.send(all);
  for (int i = 0; i < 50; ++i) {
    const std::string answer = client.answer();
    EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("\r\nX-Always: yes\r\n")));
    EXPECT_EQ(body_of(answer), std::to_string(i));
  }
}

TEST_F(HttpServerTest, CarriesLargeBodiesBothWays) {
  HttpServer server(echo_, "127.0.0.1", 0, limits_of_test());
  std::string large(1 << 20, 'x');
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<char>('a' + i % 23);
  HttpClient client(server.port());
  for (const char* way : {"POST /now", "POST /later"}) {
    ASSERT_TRUE(client.send(http_request(way, "", large)));
    EXPECT_EQ(body_of(client.answer()), large);
  }
  client.send(http_request("POST /now", "Content-Length: 2000000\r\n"));
  EXPECT_EQ(status_of(client.all()), 413);
}

TEST_F(HttpServerTest, SaysContinueToWhoWaitsForIt) {
  HttpServer server(echo_, "127.0.0.1", 0, limits_of_test());
  HttpClient client(server.port());
  client.send(http_request("POST /now", "Expect: 100-continue\r\nContent-Length: 3\r\n"));
  EXPECT_EQ(client.answer(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_EQ(body_of(client.answer()), "abc");
  // Who is refused need not send the body.
  client.send(http_request("POST /no", "Expect: 100-continue\r\nContent-Length: 3\r\n"));
  EXPECT_THAT(client.all(), AllOf(StartsWith("HTTP/1.1 403 "), EndsWith("no")));
}

TEST_F(HttpServerTest, ARefusalOfTheHeadKeepsTheConnectionIfThereIsNoBody) {
  HttpServer server(echo_, "127.0.0.1", 0, limits_of_test());
  HttpClient client(server.port());
  client.send(http_request("GET /no") + http_request("GET /no") + http_request("POST /now", "", "after"));
  EXPECT_EQ(status_of(client.answer()), 403);
  EXPECT_EQ(status_of(client.answer()), 403);
  EXPECT_EQ(body_of(client.answer()), "after");
}

TEST_F(HttpServerTest, AHandlerThatForgetsToAnswerIs500) {
  HttpServer server(echo_, "127.0.0.1", 0, limits_of_test());
  HttpClient client(server.port());
  client.send(http_request("GET /never"));
  EXPECT_EQ(status_of(client.answer()), 500);
}

TEST_F(HttpServerTest, SlowClientsCostNobodyElseAnything) {
  HttpLimits limits = limits_of_test();
  limits.to_ask = limits.to_send = limits.when_busy = std::chrono::minutes(10);  // none is let go in this test
  HttpServer server(echo_, "127.0.0.1", 0, limits);
  std::vector<HttpClient> slow;
  for (int i = 0; i < 300; ++i) {
    slow.emplace_back(server.port());
    slow.back().send(i % 3 == 0   ? "GET /now HT"
                     : i % 3 == 1 ? http_request("POST /now", "Content-Length: 100\r\n") + "part of it"
                                  : "");
  }
  for (int i = 0; i < 20; ++i) {
    HttpClient client(server.port());
    client.send(http_request("POST /later", "", "quick"));
    EXPECT_EQ(body_of(client.answer()), "quick");
  }
  wait_until([&] { return server.counts().connections >= 300; });
}

TEST_F(HttpServerTest, ClientsThatSendOrTakeTooSlowlyAreLetGo) {
  HttpLimits limits = limits_of_test();
  limits.to_ask = limits.to_send = limits.to_take = limits.idle = std::chrono::milliseconds(300);
  limits.request.body_bytes = 100 << 20;
  HttpServer server(echo_, "127.0.0.1", 0, limits);
  HttpClient asking(server.port()), sending(server.port()), idle(server.port()), deaf(server.port());
  asking.send("GET /now");
  sending.send(http_request("POST /now", "Content-Length: 100\r\n") + "part");
  idle.send(http_request("POST /now", "", "first"));
  EXPECT_EQ(body_of(idle.answer()), "first");
  for (HttpClient* client : {&asking, &sending, &idle}) EXPECT_EQ(client->all(), "");
  wait_until([&] { return server.counts().too_slow >= 3; });
  // More than the kernel keeps for us, and it is never read.
  deaf.send(http_request("POST /now", "", std::string(50 << 20, 'x')));
  wait_until([&] { return server.counts().too_slow >= 4; });
}

TEST_F(HttpServerTest, OneConnectionTooManyIsToldSo) {
  HttpLimits limits = limits_of_test();
  limits.connections = 4;
  limits.when_busy = std::chrono::minutes(1);
  HttpServer server(echo_, "127.0.0.1", 0, limits);
  std::vector<HttpClient> clients;
  for (int i = 0; i < 4; ++i) clients.emplace_back(server.port());
  wait_until([&] { return server.counts().connections == 4; });
  HttpClient other(server.port());
  EXPECT_THAT(other.all(), AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("\r\nRetry-After: ")));
  clients.clear();
  wait_until([&] { return server.counts().connections == 0; });
  HttpClient again(server.port());
  again.send(http_request("POST /now", "", "room"));
  EXPECT_EQ(body_of(again.answer()), "room");
}

TEST_F(HttpServerTest, HoldsNoMoreThanItMay) {
  HttpLimits limits = limits_of_test();
  limits.held_bytes = 2000;
  HttpServer server(echo_, "127.0.0.1", 0, limits);
  echo_.hold(true);
  HttpClient first(server.port());
  first.send(http_request("POST /later", "", std::string(1500, 'a')));
  wait_until([&] { return echo_.waiting() == 1; });
  HttpClient second(server.port());
  second.send(http_request("POST /later", "", std::string(1500, 'b')));
  EXPECT_EQ(status_of(second.all()), 503);
  HttpClient small(server.port());
  small.send(http_request("POST /now", "", "small"));
  EXPECT_EQ(body_of(small.answer()), "small");
  echo_.hold(false);
  EXPECT_EQ(body_of(first.answer()), std::string(1500, 'a'));
  wait_until([&] { return server.counts().held_bytes == 0; });
}

TEST_F(HttpServerTest, TellsWhenNobodyWaitsAnyMore) {
  HttpServer server(echo_, "127.0.0.1", 0, limits_of_test());
  echo_.hold(true);
  {
    HttpClient client(server.port());
    client.send(http_request("POST /later", "", "x"));
    wait_until([&] { return echo_.waiting() == 1; });
    EXPECT_FALSE(echo_.first_is_gone());
    // A client that has said all still waits for its answer.
    client.end_sending();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_FALSE(echo_.first_is_gone());
    echo_.hold(false);
    EXPECT_EQ(body_of(client.answer()), "x");
  }
  wait_until([&] { return server.counts().connections == 0; });
}

TEST_F(HttpServerTest, DrainingLosesNoRequest) {
  HttpServer server(echo_, "127.0.0.1", 0, limits_of_test());
  echo_.hold(true);
  std::vector<HttpClient> clients;
  for (int i = 0; i < 30; ++i) {
    clients.emplace_back(server.port());
    ASSERT_TRUE(clients.back().connected());
    // Some requests are whole, some half, and some have not begun.
    const std::string request = http_request("POST /later", "", std::to_string(i));
    clients.back().send(request.substr(0, i % 3 == 0 ? request.size() : i % 3 == 1 ? 20 : 0));
  }
  server.drain();  // perhaps before a single connection was accepted
  for (int i = 0; i < 30; ++i) {
    const std::string request = http_request("POST /later", "", std::to_string(i));
    if (i % 3 == 1) clients[static_cast<std::size_t>(i)].send(request.substr(20));
  }
  EXPECT_FALSE(server.drained());
  echo_.hold(false);
  for (int i = 0; i < 30; ++i) {
    const std::string answer = clients[static_cast<std::size_t>(i)].all();
    if (i % 3 == 2) continue;  // never asked: closed
    EXPECT_EQ(body_of(answer), std::to_string(i));
    EXPECT_THAT(answer, HasSubstr("\r\nConnection: close\r\n"));
  }
  clients.clear();
  wait_until([&] { return server.drained(); });
  EXPECT_FALSE(HttpClient(server.port()).connected());
}

}  // namespace
}  // namespace agentnet
