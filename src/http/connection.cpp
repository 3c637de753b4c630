#include "http/connection.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace agentnet {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 14;  // read at once
constexpr int kPieces = 16;                           // before others have their turn
// What a client that nobody listens to any more may still say before the connection is closed, by time and in bytes.
constexpr auto kLinger = std::chrono::milliseconds(300);
constexpr std::size_t kLingerBytes = std::size_t{1} << 26;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

HttpConnection::HttpConnection(int socket, std::uint64_t id, std::string peer, const HttpLimits& limits,
                               const HttpHeaders& headers)
    : socket_(socket), id_(id), peer_(std::move(peer)), limits_(limits), headers_(headers), parser_(limits.request) {}

HttpConnection::~HttpConnection() {
  *gone_ = true;
  if (socket_ >= 0) ::close(socket_);
}

void HttpConnection::enter(Phase phase) {
  if (phase == phase_) return;
  // The time to ask runs from the connection's beginning, or from the first byte of a later request.
  if (!(first_ && phase_ == Phase::kIdle && phase == Phase::kAsking)) since_ = HttpClock::now();
  phase_ = phase;
}

std::size_t HttpConnection::bytes_held() const {
  return parser_.bytes_held() + in_service_ + head_.size() + (body_ == nullptr ? 0 : body_->size());
}

HttpConnection::Next HttpConnection::read(HttpHandler& handler) {
  std::array<char, kPiece> buffer;
  for (int i = 0; i < kPieces; ++i) {
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got < 0) return Next::kClose;
    if (got == 0) {
      ended_ = true;
      if (phase_ == Phase::kLingering) return Next::kClose;
      break;
    }
    if (phase_ == Phase::kLingering) {  // nobody listens any more
      unheard_ += static_cast<std::size_t>(got);
      if (unheard_ > kLingerBytes) return Next::kClose;
      continue;
    }
    parser_.add({buffer.data(), static_cast<std::size_t>(got)});
    const Next next = advance(handler);
    if (next != Next::kWait || !wants_to_read()) return next;
    if (static_cast<std::size_t>(got) < buffer.size()) break;
  }
  // A client that has said all, and not a whole request, gets no answer.
  return ended_ && wants_to_read() && phase_ != Phase::kLingering ? Next::kClose : Next::kWait;
}

HttpConnection::Next HttpConnection::advance(HttpHandler& handler) {
  while (true) {
    switch (parser_.step()) {
      case RequestParser::State::kIdle:
        enter(Phase::kIdle);
        return ended_ || last_ ? Next::kClose : Next::kWait;
      case RequestParser::State::kReading:
        enter(parser_.in_body() ? Phase::kSending : Phase::kAsking);
        if (parser_.bytes_held() > room_) return answer_without_handler(handler, 503);
        return Next::kWait;
      case RequestParser::State::kHead: {
        keep_alive_ = limits_.keep_alive && parser_.request().keep_alive;
        without_body_ = parser_.request().method == "HEAD";
        std::optional<HttpAnswer> refusal = handler.on_head(parser_.request());
        if (!refusal && parser_.announced() > room_) return answer_without_handler(handler, 503);
        if (refusal) {  // without its body; what comes behind a body that was not read is not understood
          if (parser_.step() == RequestParser::State::kWhole) {
            static_cast<void>(parser_.take());
          } else {
            last_ = true;
          }
          const Next next = answer(std::move(*refusal));
          if (next != Next::kWait || phase_ != Phase::kIdle) return next;
          break;  // the next request may be there already
        }
        if (parser_.wants_continue()) {
          parser_.continued();
          const ssize_t size = static_cast<ssize_t>(kContinue.size());
          if (::send(socket_, kContinue.data(), kContinue.size(), MSG_NOSIGNAL) != size) return Next::kClose;
        }
        break;
      }
      case RequestParser::State::kWhole:
        enter(Phase::kWaiting);
        return Next::kHand;
      case RequestParser::State::kRefused:
        return answer_without_handler(handler, parser_.refusal());
    }
  }
}

HttpRequest HttpConnection::take_request() {
  HttpRequest request = parser_.take();
  in_service_ = request.body.size();
  request.peer = peer_;
  return request;
}

HttpConnection::Next HttpConnection::answer_without_handler(HttpHandler& handler, int status) {
  last_ = true;
  return answer(handler.on_refused(status));
}

HttpConnection::Next HttpConnection::answer(HttpAnswer answer) {
  last_ = last_ || !keep_alive_;
  in_service_ = 0;
  if (last_) parser_ = RequestParser(limits_.request);  // nothing of what was sent is looked at any more
  head_ = answer_head(answer, headers_, !last_);
  body_ = without_body_ ? nullptr : std::move(answer.body);
  sent_ = 0;
  enter(Phase::kTaking);
  return write();
}

HttpConnection::Next HttpConnection::write() {
  const std::string_view body = body_ == nullptr ? std::string_view() : std::string_view(*body_);
  while (sent_ < head_.size() + body.size()) {
    std::array<iovec, 2> parts = {};
    const std::size_t of_head = std::min(sent_, head_.size());
    const std::size_t of_body = sent_ - of_head;
    parts[0] = {head_.data() + of_head, head_.size() - of_head};
    parts[1] = {const_cast<char*>(body.data()) + of_body, body.size() - of_body};
    msghdr message = {};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      sent_ += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return Next::kWait;
    } else if (errno != EINTR) {
      return Next::kClose;
    }
  }
  return answered();
}

HttpConnection::Next HttpConnection::answered() {
  head_.clear();
  body_.reset();
  first_ = false;
  if (last_) {
    // Closing at once, with bytes unread, would throw away what the other side has not read yet.
    ::shutdown(socket_, SHUT_WR);
    enter(Phase::kLingering);
    return ended_ ? Next::kClose : Next::kWait;
  }
  enter(Phase::kIdle);
  return Next::kWait;
}

bool HttpConnection::too_slow(HttpClock::time_point now, bool busy) const {
  const auto limit = [&]() -> HttpClock::duration {
    switch (phase_) {
      case Phase::kIdle:
        return busy ? limits_.when_busy : first_ ? limits_.to_ask : limits_.idle;
      case Phase::kAsking:
        return busy ? limits_.when_busy : limits_.to_ask;
      case Phase::kSending:
        return limits_.to_send;
      case Phase::kWaiting:
        return HttpClock::duration::max();
      case Phase::kTaking:
        return limits_.to_take;
      case Phase::kLingering:
        return kLinger;
    }
    return HttpClock::duration::zero();
  };
  return now - since_ > limit();
}

}  // namespace agentnet
