#include "view/server/server.h"

#include <fmt/core.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "agentnet/error.h"
#include "view/server/connection.h"
#include "view/server/site.h"

namespace agentnet {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kHost = "127.0.0.1";
constexpr int kBacklog = 512;  // connections that the kernel keeps for us; httplib's 5 would make browsers wait
constexpr std::size_t kPiece = std::size_t{1} << 16;  // of an answer that is written at once

// Set while a connection is handed over that nobody has time for.
thread_local bool refusing = false;

// A fixed number of threads, and a queue that does not grow without end.
class Workers : public httplib::TaskQueue {
 public:
  Workers(const ServerLimits& limits, std::atomic<int>& waiting) : limits_(limits), waiting_(waiting) {
    for (int i = 0; i < limits.workers; ++i) threads_.emplace_back([this] { work(); });
  }

  void enqueue(std::function<void()> task) override {
    {
      const std::lock_guard lock(mutex_);
      if (static_cast<int>(tasks_.size()) < limits_.waiting) {
        tasks_.push_back(std::move(task));
        waiting_ = static_cast<int>(tasks_.size());
        wake_.notify_one();
        return;
      }
    }
    refusing = true;
    task();  // closes the connection
    refusing = false;
  }

  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  // Also what is left when the server closes: a task that is not run would never close its connection.
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      waiting_ = static_cast<int>(tasks_.size());
      lock.unlock();
      task();
      lock.lock();
    }
  }

  const ServerLimits& limits_;
  std::atomic<int>& waiting_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

// The headers of a request for httplib's parser, and a place for what it writes.
class HeadStream : public httplib::Stream {
 public:
  HeadStream(std::string_view head, std::function<bool(std::string_view)> write)
      : head_(head), write_(std::move(write)) {}

  [[nodiscard]] bool is_readable() const override { return !head_.empty(); }
  [[nodiscard]] bool is_writable() const override { return !broken_; }
  ssize_t read(char* to, size_t size) override {
    const std::size_t count = std::min(size, head_.size());
    std::copy_n(head_.data(), count, to);
    head_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* bytes, size_t size) override {
    if (broken_ || !write_({bytes, size})) {
      broken_ = true;
      return -1;
    }
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { here(ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { here(ip, port); }
  [[nodiscard]] socket_t socket() const override { return INVALID_SOCKET; }

 private:
  static void here(std::string& ip, int& port) {
    ip = kHost;
    port = 0;
  }
  std::string_view head_;
  std::function<bool(std::string_view)> write_;
  bool broken_ = false;
};

// httplib's server with our own reading: it waits for headers as long as somebody sends a byte now and then, keeps any
// number of connections, and serves a request for a thousand ranges of a page with a thousand pages.
class LimitedServer : public httplib::Server {
 public:
  LimitedServer(Site site, const ServerLimits& limits) : site_(site), limits_(limits) {
    httplib::Headers headers;
    for (const auto& [name, value] : site_headers()) headers.emplace(name, value);
    set_default_headers(std::move(headers));
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return HandlerResponse::Handled;
    });
    set_socket_options([](socket_t socket) {  // httplib's own would let a second program share the port
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    new_task_queue = [this] { return new Workers(limits_, waiting_); };
  }

  void open(std::uint16_t port) {
    const int found = port == 0 ? bind_to_any_port(kHost) : bind_to_port(kHost, port) ? port : -1;
    if (found <= 0 || ::listen(svr_sock_, kBacklog) != 0) {
      throw Error(ErrorKind::kFailure, fmt::format("cannot listen on {}:{}", kHost, port),
                  "another program may use this port: choose another, or leave --port out");
    }
    port_ = static_cast<std::uint16_t>(found);
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  void close_all() { closing_ = true; }

  void answer_head(std::string_view head, const std::function<bool(std::string_view)>& write) {
    HeadStream stream(head, write);
    bool closed = true;
    process_request(stream, /*close_connection=*/true, closed, [](httplib::Request& request) {
      request.ranges.clear();
      request.headers.erase("Range");
      request.headers.erase("Accept-Encoding");  // packing takes longer than the way to the next process
      request.headers.erase("Expect");           // a body is not wanted
    });
  }

  // For bytes that come from no socket.
  void pretend_to_listen(std::uint16_t port) {
    port_ = port;
    svr_sock_ = 0;  // anything but INVALID_SOCKET, by which httplib knows that it was stopped
  }

 private:
  void answer(const httplib::Request& request, httplib::Response& response) const {
    const bool one_host = request.get_header_value_count("Host") == 1;
    const SiteAnswer found =
        answer_for(site_, request.method, request.path, one_host ? request.get_header_value("Host") : "", port_);
    response.status = found.status;
    const auto give = [body = found.body](size_t offset, size_t length, httplib::DataSink& sink) {
      return sink.write(body.data() + offset, std::min(length, kPiece));
    };
    response.set_content_provider(found.body.size(), std::string(found.content_type), give);
  }

  bool process_and_close_socket(socket_t socket) override {
    auto started = Clock::now();
    bool asking = true;
    Connection connection(socket, [&] {
      const auto limit = !asking ? limits_.to_take : waiting_ > 0 ? limits_.when_busy : limits_.to_ask;
      return closing_ || Clock::now() - started > limit;
    });
    if (refusing) return false;
    try {
      std::string head;
      const Connection::Head found = connection.read_head(limits_.head_bytes, head);
      if (found == Connection::Head::kGone) return false;
      asking = false;
      started = Clock::now();
      if (found == Connection::Head::kWhole) {
        answer_head(head, [&](std::string_view bytes) { return connection.write(bytes); });
      } else {
        connection.write(
            "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      }
      connection.finish();
      return true;
    } catch (const std::exception&) {  // out of memory: this connection ends, the server goes on
      return false;
    }
  }

  Site site_;
  ServerLimits limits_;
  std::uint16_t port_ = 0;
  std::atomic<int> waiting_ = 0;
  std::atomic<bool> closing_ = false;
};

}  // namespace

class ViewServer::Impl {
 public:
  Impl(std::string page, std::string data, std::uint16_t port, const ServerLimits& limits)
      : page_(std::move(page)), data_(std::move(data)), server_({page_, data_}, limits) {
    server_.open(port);
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
    while (!server_.is_running() && !ended_) std::this_thread::yield();  // stop() would be lost before that
  }
  ~Impl() {
    server_.close_all();
    server_.stop();
    thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] std::uint16_t port() const { return server_.port(); }
  [[nodiscard]] bool running() const { return !ended_; }

 private:
  std::string page_, data_;
  LimitedServer server_;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

ViewServer::ViewServer(std::string page, std::string data, std::uint16_t port, const ServerLimits& limits)
    : impl_(std::make_unique<Impl>(std::move(page), std::move(data), port, limits)) {}
ViewServer::~ViewServer() = default;

std::uint16_t ViewServer::port() const { return impl_->port(); }
std::string ViewServer::address() const { return fmt::format("http://{}:{}/", kHost, port()); }
bool ViewServer::running() const { return impl_->running(); }

std::string answer_to_bytes(const std::string& page, const std::string& data, std::uint16_t port,
                            std::string_view request) {
  const std::size_t end = end_of_head(request);
  if (end > ServerLimits().head_bytes) return {};
  LimitedServer server({page, data}, {});
  server.pretend_to_listen(port);
  std::string answer;
  server.answer_head(request.substr(0, end), [&](std::string_view bytes) {
    answer += bytes;
    return true;
  });
  return answer;
}

}  // namespace agentnet
