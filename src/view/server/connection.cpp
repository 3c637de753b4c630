#include "view/server/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace agentnet {
namespace {

constexpr int kSlice = 50;     // milliseconds between questions whether to go on
constexpr int kLingering = 4;  // slices in which the other side may read what it was told

}  // namespace

std::size_t end_of_head(std::string_view bytes) {
  const std::size_t at = bytes.find("\r\n\r\n");
  return at == std::string_view::npos ? at : at + 4;
}

Connection::Connection(int socket, std::function<bool()> give_up) : socket_(socket), give_up_(std::move(give_up)) {
  ::fcntl(socket_, F_SETFL, ::fcntl(socket_, F_GETFL) | O_NONBLOCK);
}

Connection::~Connection() { ::close(socket_); }

bool Connection::wait_for(short event) {
  while (!give_up_()) {
    pollfd asked = {socket_, event, 0};
    const int ready = ::poll(&asked, 1, kSlice);
    if (ready > 0) return true;  // errors show in the call that follows
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

Connection::Head Connection::read_head(std::size_t most, std::string& head) {
  head.clear();
  std::array<char, 2048> buffer = {};
  while (wait_for(POLLIN)) {
    const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return Head::kGone;
    head.append(buffer.data(), static_cast<std::size_t>(got));
    const std::size_t end = end_of_head(head);
    if (end <= most) {
      head.resize(end);
      return Head::kWhole;
    }
    if (head.size() > most) return Head::kTooLong;
  }
  return Head::kGone;
}

bool Connection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if ((errno != EAGAIN && errno != EINTR) || !wait_for(POLLOUT)) {
      return false;
    }
  }
  return true;
}

void Connection::finish() {
  ::shutdown(socket_, SHUT_WR);
  std::array<char, 2048> rest = {};
  for (int i = 0; i < kLingering; ++i) {
    pollfd asked = {socket_, POLLIN, 0};
    if (::poll(&asked, 1, kSlice) > 0 && ::recv(socket_, rest.data(), rest.size(), 0) <= 0) return;
  }
}

}  // namespace agentnet
