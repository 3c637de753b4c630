// The server under clients that mean no good: it refuses, forgets, and still answers afterwards.
#include "view/server/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "agentnet/error.h"

namespace agentnet {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::size_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator all(folder);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// The thread sanitizer has a thread of its own from the first one on: let it come before anything is counted.
const bool kOwnThreadsStarted = [] {
  std::thread([] {}).join();
  return true;
}();

// What a leak would add to: open files and threads of this process.
struct Holdings {
  std::size_t files = entries_of("/proc/self/fd"), threads = entries_of("/proc/self/task");

  [[nodiscard]] bool within(const Holdings& other) const { return files <= other.files && threads <= other.threads; }
};

std::ostream& operator<<(std::ostream& out, const Holdings& h) {
  return out << h.files << " files and " << h.threads << " threads";
}

// Waits until what was opened is closed again, however slow the machine: a leak is what never goes away.
void expect_back_to(const Holdings& before) {
  for (int i = 0; i < 3000 && !Holdings().within(before); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(Holdings().within(before)) << Holdings() << " rather than " << before;
}

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~Client() { leave(); }
  Client(Client&& other) noexcept : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  bool send(const std::string& bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  // Until the server closes the connection.
  std::string answer() {
    std::string all;
    char buffer[65536];
    for (ssize_t got; (got = ::recv(socket_, buffer, sizeof(buffer), 0)) > 0;) {
      all.append(buffer, static_cast<std::size_t>(got));
    }
    return all;
  }
  void leave() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

 private:
  int socket_;
  bool connected_ = false;
};

std::string get(const ViewServer& server, const std::string& path = "/", const std::string& more = {}) {
  Client client(server.port());
  client.send("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) + "\r\n" + more + "\r\n");
  return client.answer();
}

// Limits of a test are short: on a busy machine, a client of ours may be too slow for them now and then.
void expect_answers(const ViewServer& server) {
  std::string answer = get(server);
  for (int i = 0; i < 100 && !answer.starts_with("HTTP/1.1 200 "); ++i) answer = get(server);
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), EndsWith("the page")));
  EXPECT_TRUE(server.running());
}

// Limits of a test: it should not take long to be too slow.
HttpLimits short_limits() {
  HttpLimits limits = view_limits();
  limits.to_ask = limits.when_busy = std::chrono::milliseconds(300);
  limits.to_take = std::chrono::milliseconds(300);
  return limits;
}

TEST(Server, ServesItsPageAndItsData) {
  const Holdings before;
  {
    const ViewServer server("the page", std::string(3000000, 'x'), 0);
    EXPECT_EQ(server.address(), "http://127.0.0.1:" + std::to_string(server.port()) + "/");
    expect_answers(server);
    const std::string data = get(server, "/data.json");
    EXPECT_THAT(data.substr(0, 1000), HasSubstr("Content-Length: 3000000\r\n"));
    EXPECT_EQ(data.size() - data.find("\r\n\r\n") - 4, 3000000U);
    EXPECT_THAT(get(server, "/etc/passwd"), StartsWith("HTTP/1.1 404 "));
  }
  expect_back_to(before);
}

TEST(Server, APortThatIsTakenIsAnError) {
  const ViewServer first("the page", "the data", 0);
  try {
    const ViewServer second("another page", "the data", first.port());
    FAIL() << "two servers on one port";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kFailure);
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(first.port())));
  }
  expect_answers(first);
}

TEST(Server, ListensToThisMachineOnly) {
  const ViewServer server("the page", "the data", 0);
  // Connections to another address of this machine, such as 127.0.0.2, are refused.
  const int other = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(server.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  EXPECT_NE(::connect(other, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ::close(other);
  EXPECT_THAT(get(server, "/", "X: y\r\n"), StartsWith("HTTP/1.1 200 "));
  Client foreign(server.port());
  foreign.send("GET / HTTP/1.1\r\nHost: attacker.example\r\n\r\n");
  EXPECT_THAT(foreign.answer(), StartsWith("HTTP/1.1 421 "));
}

TEST(Server, MalformedRequestsGetARefusalOrNothing) {
  const Holdings before;
  {
    const ViewServer server("the page", "the data", 0, short_limits());
    std::string all_bytes;
    for (int i = 0; i < 256; ++i) all_bytes += static_cast<char>(i);
    const std::vector<std::string> requests = {
        "",
        "\r\n\r\n",
        "\n\n",
        "GET\r\n\r\n",
        "GET / HTTP/1.1\r\n",
        "GET / HTTP/1.1\n\n",
        all_bytes + "\r\n\r\n",
        std::string(100, '\0') + "\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n: :\r\n\r\n",
        "POST / HTTP/1.1\r\n\r\nbody",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"};
    for (const std::string& request : requests) {
      Client client(server.port());
      client.send(request);
      const std::string answer = client.answer();
      EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 ")) << answer;
    }
    expect_answers(server);
  }
  expect_back_to(before);
}

TEST(Server, HugeHeadersAreRefused) {
  const ViewServer server("the page", "the data", 0);
  EXPECT_THAT(get(server, "/", "X: " + std::string(10000, 'x') + "\r\n"), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(get(server, "/" + std::string(20000, 'x')), StartsWith("HTTP/1.1 431 "));
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "X" + std::to_string(i) + ": y\r\n";
  EXPECT_THAT(get(server, "/", many), StartsWith("HTTP/1.1 431 "));
  // One that never ends is cut off: sending fails sooner or later.
  Client endless(server.port());
  const std::string piece(1 << 20, 'x');
  int sent = 0;
  while (sent < 1000 && endless.send(piece)) ++sent;
  EXPECT_LT(sent, 1000) << "a gigabyte of headers was taken";
  expect_answers(server);
}

TEST(Server, ManyRangesCostNoMoreThanThePage) {
  const ViewServer server("the page", std::string(1000000, 'x'), 0);
  std::string ranges = "0-";
  for (int i = 0; i < 1500; ++i) ranges += ",0-";
  const std::string answer = get(server, "/data.json", "Range: bytes=" + ranges + "\r\n");
  EXPECT_LT(answer.size(), 1010000U);
  expect_answers(server);
}

// One byte now and then: the time for the whole request counts, not that between two bytes.
TEST(Server, SlowClientsAreLetGo) {
  const Holdings before;
  {
    constexpr std::size_t kLot = 50000000;
    const ViewServer server("the page", std::string(kLot, 'x'), 0, short_limits());
    std::vector<Client> slow;
    for (int i = 0; i < 40; ++i) slow.emplace_back(server.port());  // more than there are workers
    bool all_gone = false;
    for (int i = 0; i < 3000 && !all_gone; ++i) {
      all_gone = true;
      for (Client& client : slow) all_gone = !client.send("x") && all_gone;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_TRUE(all_gone);
    slow.clear();
    // One that asks for a lot and does not read it, for longer and longer: a busy machine may need time to let it go.
    std::size_t taken = kLot;
    for (int wait = 600; wait < 30000 && taken >= kLot; wait *= 2) {
      Client deaf(server.port());
      deaf.send("GET /data.json HTTP/1.1\r\nHost: localhost\r\n\r\n");
      expect_answers(server);
      std::this_thread::sleep_for(std::chrono::milliseconds(wait));
      taken = deaf.answer().size();
    }
    EXPECT_LT(taken, kLot) << "the server waited for a client that does not read";
  }
  expect_back_to(before);
}

TEST(Server, AThousandConnectionsAtOnceAreAnsweredOrClosed) {
  rlimit files = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  if (files.rlim_cur < 2600) {  // both ends are in this process
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
    if (files.rlim_cur < 2600 || ::setrlimit(RLIMIT_NOFILE, &files) != 0) GTEST_SKIP() << "too few open files allowed";
  }
  const Holdings before;
  {
    HttpLimits limits = view_limits();
    limits.when_busy = std::chrono::milliseconds(100);
    limits.to_ask = std::chrono::seconds(2);
    const ViewServer server("the page", "the data", 0, limits);
    expect_answers(server);  // all of its threads are there
    const Holdings serving;
    std::vector<Client> clients;
    for (int i = 0; i < 1000; ++i) clients.emplace_back(server.port());
    EXPECT_LE(Holdings().threads, serving.threads) << "a thread per connection";
    std::size_t connected = 0, answered = 0;
    const std::string request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for (std::size_t i = 0; i < clients.size(); ++i) {
      connected += clients[i].connected() ? 1 : 0;
      if (i % 2 == 0) clients[i].send(request);  // the others say nothing at all
    }
    for (Client& client : clients) {
      const std::string answer = client.answer();
      if (answer.empty() || answer.starts_with("HTTP/1.1 503 ")) continue;
      EXPECT_THAT(answer, EndsWith("the page"));
      ++answered;
    }
    EXPECT_EQ(connected, 1000U);
    EXPECT_GT(answered, 0U);
    clients.clear();
    expect_answers(server);
    expect_back_to(serving);
  }
  expect_back_to(before);
}

TEST(Server, StopsAtOnceWithConnectionsOpen) {
  const Holdings before;
  std::vector<Client> clients;
  {
    const ViewServer server("the page", "the data", 0);  // would wait ten seconds for each
    for (int i = 0; i < 100; ++i) clients.emplace_back(server.port());
    expect_answers(server);
  }
  clients.clear();
  expect_back_to(before);
}

}  // namespace
}  // namespace agentnet
