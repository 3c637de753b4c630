#include "http/server.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <future>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "http/connection.h"
#include "http/listener.h"

namespace agentnet {
namespace {

using Clock = HttpClock;
using Next = HttpConnection::Next;
using Phase = HttpConnection::Phase;

constexpr std::uint64_t kListener = 0, kMailbox = 1, kFirstConnection = 2;  // who an event is for
constexpr auto kRound = std::chrono::milliseconds(100);                     // between two looks at who is too slow
// After drain(), a client that keeps its connection may have sent a request that is on its way.
constexpr auto kDrainIdle = std::chrono::milliseconds(500);

// Answers on their way from the threads that made them to the one that sends them.
class Mailbox {
 public:
  Mailbox() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (event_ < 0)
      throw Error(ErrorKind::kFailure, "the system has no room for another server", "close other programs");
  }
  ~Mailbox() { ::close(event_); }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  void put(std::uint64_t id, HttpAnswer&& answer) {
    const std::lock_guard lock(mutex_);
    answers_.emplace_back(id, std::move(answer));
    // The reader's own thread looks into the box before it waits.
    if (answers_.size() == 1 && std::this_thread::get_id() != reader_) wake();
  }
  std::vector<std::pair<std::uint64_t, HttpAnswer>> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answers_, {});
  }
  [[nodiscard]] bool empty() {
    const std::lock_guard lock(mutex_);
    return answers_.empty();
  }
  void read_by_this_thread() { reader_ = std::this_thread::get_id(); }
  void silence() const {
    std::uint64_t ignored = 0;
    if (::read(event_, &ignored, sizeof(ignored)) < 0) return;  // it is silent
  }
  void wake() const {
    const std::uint64_t one = 1;
    if (::write(event_, &one, sizeof(one)) < 0) return;  // the counter is full: it is awake
  }
  [[nodiscard]] int event() const { return event_; }

 private:
  int event_;
  std::atomic<std::thread::id> reader_;
  std::mutex mutex_;
  std::vector<std::pair<std::uint64_t, HttpAnswer>> answers_;
};

std::string peer_of(const sockaddr_storage& address) {
  const auto bytes_of = [](const auto& raw) { return std::string(reinterpret_cast<const char*>(&raw), sizeof(raw)); };
  if (address.ss_family == AF_INET) return bytes_of(reinterpret_cast<const sockaddr_in*>(&address)->sin_addr);
  if (address.ss_family == AF_INET6) return bytes_of(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr);
  return {};
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl(HttpHandler& handler, const std::string& host, std::uint16_t port, const HttpLimits& limits, HttpHeaders headers)
      : handler_(handler),
        limits_(limits),
        headers_(std::move(headers)),
        listener_(host, port),
        port_(listener_.port()),
        poll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (poll_ < 0)
      throw Error(ErrorKind::kFailure, "the system has no room for another server", "close other programs");
    watch(EPOLL_CTL_ADD, listener_.socket(), kListener, EPOLLIN);
    watch(EPOLL_CTL_ADD, mailbox_->event(), kMailbox, EPOLLIN);
    thread_ = std::thread([this] { run(); });
  }
  ~Impl() {
    stopping_ = true;
    mailbox_->wake();
    thread_.join();
    ::close(poll_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const std::string& address() const { return listener_.address(); }
  [[nodiscard]] bool running() const { return !failed_; }
  [[nodiscard]] bool drained() const { return drained_; }
  [[nodiscard]] HttpCounts counts() const { return {open_, accepted_, refused_, too_slow_, held_}; }
  void drain() {
    draining_ = true;
    mailbox_->wake();
  }

 private:
  struct Entry {
    explicit Entry(int socket, std::uint64_t id, std::string peer, const HttpLimits& limits, const HttpHeaders& headers)
        : connection(socket, id, std::move(peer), limits, headers) {}
    HttpConnection connection;
    std::uint32_t watched = EPOLLIN;
    std::size_t held = 0;  // as counted in held_
  };

  bool watch(int how, int file, std::uint64_t id, std::uint32_t events) const {
    epoll_event event = {};
    event.events = events;
    event.data.u64 = id;
    return ::epoll_ctl(poll_, how, file, &event) == 0;
  }

  void run() {
    mailbox_->read_by_this_thread();
    std::array<epoll_event, 256> events = {};
    while (!stopping_) {
      // A handler that answers at once has put answers into the box meanwhile.
      const int patience = mailbox_->empty() ? static_cast<int>(kRound.count()) : 0;
      const int count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), patience);
      if (count < 0 && errno != EINTR) break;
      for (int i = 0; i < count; ++i) handle(events[static_cast<std::size_t>(i)]);
      // Each answer may lead to the next request of its connection; before that is answered, others have their turn.
      for (auto& [id, answer] : mailbox_->take()) deliver(id, std::move(answer));
      const auto now = Clock::now();
      if (now - last_round_ >= kRound) {
        last_round_ = now;
        look_around(now);
      }
    }
    failed_ = !stopping_;
    entries_.clear();
  }

  void handle(const epoll_event& event) {
    if (event.data.u64 == kMailbox) return mailbox_->silence();  // it is emptied after every wait
    if (event.data.u64 == kListener) return accept_all();
    const auto at = entries_.find(event.data.u64);
    if (at == entries_.end()) return;  // closed by an event before this one
    Entry& entry = *at->second;
    if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) return close(entry);
    guarded(entry, [&] {
      HttpConnection& connection = entry.connection;
      if (connection.wants_to_write()) return (event.events & EPOLLOUT) != 0 ? connection.write() : Next::kWait;
      if (!connection.wants_to_read()) return Next::kWait;
      give_room(entry);
      return connection.read(handler_);
    });
  }

  void deliver(std::uint64_t id, HttpAnswer&& answer) {
    const auto at = entries_.find(id);
    if (at == entries_.end()) return;  // the client left
    Entry& entry = *at->second;
    guarded(entry, [&] {
      if (draining_) entry.connection.close_after_this();
      return entry.connection.answer(std::move(answer));
    });
  }

  // Does something with a connection and what follows from it. Out of memory: this connection ends, the server goes on.
  template <class Step>
  void guarded(Entry& entry, const Step& step) {
    try {
      HttpConnection& connection = entry.connection;
      Next next = step();
      if (next == Next::kWait && connection.phase() == Phase::kIdle) {  // another request may have come with the last
        give_room(entry);
        next = connection.advance(handler_);
      }
      if (next == Next::kHand) hand_over(connection);
      if (next == Next::kClose) return close(entry);
      count_held(entry);
      const std::uint32_t wanted = connection.wants_to_write()  ? EPOLLOUT
                                   : connection.wants_to_read() ? EPOLLIN
                                                                : static_cast<std::uint32_t>(0);
      // While the handler works, bytes are rarely there: the change is made when some come.
      if (wanted == 0 && step_made_request(next)) return;
      if (wanted != entry.watched) {
        entry.watched = wanted;
        if (!watch(EPOLL_CTL_MOD, connection.socket(), connection.id(), wanted)) close(entry);
      }
    } catch (const std::exception&) {
      close(entry);
    }
  }

  static bool step_made_request(Next next) { return next == Next::kHand; }

  void hand_over(HttpConnection& connection) {
    const auto send = [mailbox = mailbox_, id = connection.id()](HttpAnswer&& answer) {
      mailbox->put(id, std::move(answer));
    };
    handler_.on_request(connection.take_request(), HttpReply(send, connection.gone()));
  }

  void give_room(Entry& entry) const {
    const std::size_t others = held_ - entry.held;
    entry.connection.set_room(limits_.held_bytes > others ? limits_.held_bytes - others : 0);
  }

  void count_held(Entry& entry) {
    const std::size_t now = entry.connection.bytes_held();
    held_ += now - entry.held;
    entry.held = now;
  }

  void close(Entry& entry) {
    held_ -= entry.held;
    entries_.erase(entry.connection.id());
    open_ = entries_.size();
  }

  void accept_all() {
    while (listener_.socket() >= 0) {
      sockaddr_storage address = {};
      socklen_t size = sizeof(address);
      const int socket =
          ::accept4(listener_.socket(), reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket < 0) {
        if (errno == EINTR || errno == ECONNABORTED) continue;
        // Out of files or memory: the connection stays where it is until others have gone.
        if (errno != EAGAIN && errno != EWOULDBLOCK) pause_listening();
        return;
      }
      ++accepted_;
      if (entries_.size() >= limits_.connections) {
        refuse(socket);
        continue;
      }
      take_in(socket, peer_of(address));
    }
  }

  void take_in(int socket, std::string peer) {
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    const std::uint64_t id = next_id_++;
    try {
      entries_.emplace(id, std::make_unique<Entry>(socket, id, std::move(peer), limits_, headers_));
    } catch (const std::exception&) {
      ::close(socket);
      return;
    }
    open_ = entries_.size();
    if (!watch(EPOLL_CTL_ADD, socket, id, EPOLLIN)) close(*entries_.at(id));
  }

  void refuse(int socket) {
    ++refused_;
    const HttpAnswer answer = handler_.on_refused(503);
    const std::string text = answer_head(answer, headers_, /*keep_alive=*/false) + *answer.body;
    // Into the empty buffer of a new socket, or not at all.
    if (::send(socket, text.data(), text.size(), MSG_NOSIGNAL) > 0) ::shutdown(socket, SHUT_WR);
    std::array<char, 4096> rest;
    while (::recv(socket, rest.data(), rest.size(), 0) > 0) continue;  // unread bytes would take the answer back
    ::close(socket);
  }

  void pause_listening() {
    listening_ = false;
    watch(EPOLL_CTL_MOD, listener_.socket(), kListener, 0);
  }

  void look_around(Clock::time_point now) {
    const bool no_files = !listening_;  // the system has no room for further connections
    if (no_files && listener_.socket() >= 0) {
      listening_ = watch(EPOLL_CTL_MOD, listener_.socket(), kListener, EPOLLIN);
    }
    if (draining_ && listener_.socket() >= 0) {
      accept_all();
      listener_.close();
      draining_since_ = now;
    }
    const bool busy = no_files || 4 * entries_.size() >= 3 * limits_.connections;
    std::vector<Entry*> slow;
    for (const auto& [id, entry] : entries_) {
      const HttpConnection& connection = entry->connection;
      if (connection.too_slow(now, busy)) {
        too_slow_ += connection.phase() == Phase::kLingering ? 0 : 1;
        slow.push_back(entry.get());
      } else if (draining_ && connection.phase() == Phase::kIdle && now - draining_since_ > kDrainIdle) {
        slow.push_back(entry.get());
      }
    }
    for (Entry* entry : slow) close(*entry);
    if (draining_ && listener_.socket() < 0 && entries_.empty()) drained_ = true;
  }

  HttpHandler& handler_;
  const HttpLimits limits_;
  const HttpHeaders headers_;
  Listener listener_;
  const std::uint16_t port_;
  int poll_;
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();  // outlives us where a handler still works
  std::unordered_map<std::uint64_t, std::unique_ptr<Entry>> entries_;
  std::uint64_t next_id_ = kFirstConnection;
  bool listening_ = true;
  Clock::time_point last_round_ = Clock::now(), draining_since_;
  std::atomic<bool> stopping_ = false, draining_ = false, drained_ = false, failed_ = false;
  std::atomic<std::uint64_t> open_ = 0, accepted_ = 0, refused_ = 0, too_slow_ = 0, held_ = 0;
  std::thread thread_;
};

HttpServer::HttpServer(HttpHandler& handler, const std::string& host, std::uint16_t port, const HttpLimits& limits,
                       HttpHeaders headers)
    : impl_(std::make_unique<Impl>(handler, host, port, limits, std::move(headers))) {}
HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const { return impl_->port(); }
const std::string& HttpServer::address() const { return impl_->address(); }
bool HttpServer::running() const { return impl_->running(); }
HttpCounts HttpServer::counts() const { return impl_->counts(); }
void HttpServer::drain() { impl_->drain(); }
bool HttpServer::drained() const { return impl_->drained(); }

std::string http_answers_to(HttpHandler& handler, std::string_view bytes, const HttpLimits& limits,
                            const HttpHeaders& headers) {
  // A connection of its own, so that these are the very bytes: the kernel holds what is not read yet.
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) return {};
  HttpConnection connection(ends[0], kFirstConnection, {}, limits, headers);
  std::string answers;
  const auto collect = [&] {
    std::array<char, 4096> buffer;
    for (ssize_t got; (got = ::recv(ends[1], buffer.data(), buffer.size(), 0)) > 0;) {
      answers.append(buffer.data(), static_cast<std::size_t>(got));
    }
  };
  Next next = Next::kWait;
  bool ended = false;
  while (next != Next::kClose) {
    collect();
    if (next == Next::kHand) {
      // Every reply is answered, by whatever thread, or dropped, which is an answer as well.
      auto given = std::make_shared<std::promise<HttpAnswer>>();
      std::future<HttpAnswer> answer = given->get_future();
      handler.on_request(
          connection.take_request(),
          HttpReply([given](HttpAnswer&& found) { given->set_value(std::move(found)); }, connection.gone()));
      next = connection.answer(answer.get());
    } else if (connection.phase() == Phase::kIdle && !connection.wants_to_write() && next == Next::kWait &&
               connection.bytes_held() > 0) {
      next = connection.advance(handler);
    } else if (connection.wants_to_write()) {
      next = connection.write();
    } else {
      const ssize_t sent = bytes.empty() ? 0 : ::send(ends[1], bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
      if (bytes.empty() && !std::exchange(ended, true)) ::shutdown(ends[1], SHUT_WR);
      next = connection.read(handler);
      if (ended && connection.phase() == Phase::kLingering) break;
    }
  }
  collect();
  ::close(ends[1]);
  return answers;
}

}  // namespace agentnet
