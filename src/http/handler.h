// What stands behind a server: it is asked, and answers at once or later, from whatever thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "http/request.h"

namespace agentnet {

// The way back of one answer. Whoever holds it answers once; if it is dropped without an answer, the client gets 500
// rather than silence.
class HttpReply {
 public:
  using Send = std::function<void(HttpAnswer&&)>;

  HttpReply(Send send, std::shared_ptr<const std::atomic<bool>> gone)
      : send_(std::move(send)), gone_(std::move(gone)) {}
  ~HttpReply() { finish(); }
  HttpReply(HttpReply&& other) noexcept : send_(std::exchange(other.send_, nullptr)), gone_(std::move(other.gone_)) {}
  HttpReply& operator=(HttpReply&& other) noexcept {
    finish();
    send_ = std::exchange(other.send_, nullptr);
    gone_ = std::move(other.gone_);
    return *this;
  }
  HttpReply(const HttpReply&) = delete;
  HttpReply& operator=(const HttpReply&) = delete;

  void send(HttpAnswer&& answer) {
    if (const Send send = std::exchange(send_, nullptr)) send(std::move(answer));
  }
  // Whether nobody waits for the answer any more; any thread may ask.
  [[nodiscard]] bool gone() const { return gone_ != nullptr && *gone_; }

 private:
  void finish() noexcept {
    try {
      send({.status = 500, .body = nullptr});
    } catch (...) {  // out of memory: the connection's time will run out
    }
  }

  Send send_;
  std::shared_ptr<const std::atomic<bool>> gone_;
};

// All of it is called by the server's one thread, which serves every connection: none of it may wait.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;

  // The head of a request, before its body is read. An answer refuses the body: what comes of it is thrown away.
  [[nodiscard]] virtual std::optional<HttpAnswer> on_head(const HttpRequest& request) = 0;
  // A whole request.
  virtual void on_request(HttpRequest&& request, HttpReply reply) = 0;
  // What is answered without asking: the request was malformed, or the server has no room.
  [[nodiscard]] virtual HttpAnswer on_refused(int status) {
    HttpAnswer answer = http_answer(status, "text/plain; charset=utf-8", std::string(status_words(status)) + ".\n");
    if (status == 503) answer.headers.emplace_back("Retry-After", "1");
    return answer;
  }
};

}  // namespace agentnet
