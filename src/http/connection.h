// One connection of a server: what has come, what is to go, and how long it may take.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "http/handler.h"
#include "http/parser.h"
#include "http/server.h"

namespace agentnet {

using HttpClock = std::chrono::steady_clock;

class HttpConnection {
 public:
  enum class Phase {
    kIdle,       // no byte of a request is there
    kAsking,     // part of a head is
    kSending,    // part of a body is
    kWaiting,    // for the handler
    kTaking,     // the client takes the answer
    kLingering,  // all is said; the client may read it before the socket is closed
  };
  // What to do next.
  enum class Next { kWait, kClose, kHand };  // kHand: take_request() goes to the handler

  // Takes the socket over.
  HttpConnection(int socket, std::uint64_t id, std::string peer, const HttpLimits& limits, const HttpHeaders& headers);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // Reads what is there.
  [[nodiscard]] Next read(HttpHandler& handler);
  // Looks at what has been read: the next request may be there already.
  [[nodiscard]] Next advance(HttpHandler& handler);
  [[nodiscard]] HttpRequest take_request();
  // Begins to send; kWait: go on with write() when the socket takes more.
  [[nodiscard]] Next answer(HttpAnswer answer);
  [[nodiscard]] Next write();
  // Whether its time is over.
  [[nodiscard]] bool too_slow(HttpClock::time_point now, bool busy) const;
  // No further request is taken; one that is there is answered.
  void close_after_this() { last_ = true; }
  void set_room(std::size_t bytes) { room_ = bytes; }  // how many more bytes the server may hold

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] std::uint64_t id() const { return id_; }
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] HttpClock::time_point since() const { return since_; }
  [[nodiscard]] bool wants_to_write() const { return phase_ == Phase::kTaking; }
  [[nodiscard]] bool wants_to_read() const { return phase_ != Phase::kTaking && phase_ != Phase::kWaiting; }
  [[nodiscard]] std::size_t bytes_held() const;
  [[nodiscard]] std::shared_ptr<const std::atomic<bool>> gone() const { return gone_; }

 private:
  void enter(Phase phase);
  [[nodiscard]] Next answer_without_handler(HttpHandler& handler, int status);
  [[nodiscard]] Next answered();

  int socket_;
  std::uint64_t id_;
  std::string peer_;
  const HttpLimits& limits_;
  const HttpHeaders& headers_;
  RequestParser parser_;
  Phase phase_ = Phase::kIdle;
  std::size_t unheard_ = 0;  // bytes while lingering
  HttpClock::time_point since_ = HttpClock::now();
  std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
  std::string head_;  // of the answer
  std::shared_ptr<const std::string> body_;
  std::size_t sent_ = 0;        // of head and body
  std::size_t in_service_ = 0;  // bytes of the request that the handler has
  std::size_t room_ = std::numeric_limits<std::size_t>::max();
  bool first_ = true;                               // no request was answered yet
  bool last_ = false;                               // nothing is read after the answer
  bool ended_ = false;                              // the client has said all
  bool keep_alive_ = false, without_body_ = false;  // of the request that is being answered
};

}  // namespace agentnet
