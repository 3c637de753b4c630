#include "http/listener.h"

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "agentnet/error.h"
#include "core/text.h"

namespace agentnet {
namespace {

constexpr int kBacklog = 4096;  // connections that the kernel keeps for us, if it is allowed so many

using Found = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Found find_host(const std::string& host, std::uint16_t port) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0 || found == nullptr) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} is no address to listen on: {}", in_quotes(host), ::gai_strerror(error)),
                "127.0.0.1 is for this machine only, 0.0.0.0 for every network that it is in");
  }
  return {found, ::freeaddrinfo};
}

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    const auto* const four = reinterpret_cast<const sockaddr_in*>(address);
    return ntohl(four->sin_addr.s_addr) >> 24U == 127;
  }
  if (address->sa_family != AF_INET6) return false;
  return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

}  // namespace

bool is_loopback(const std::string& host) { return is_loopback(find_host(host, 0)->ai_addr); }

Listener::Listener(const std::string& host, std::uint16_t port) {
  const Found found = find_host(host, port);
  loopback_ = is_loopback(found->ai_addr);
  const int yes = 1;
  socket_ = ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  // Not SO_REUSEPORT: a second program could share the port.
  if (socket_ < 0 || ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      ::bind(socket_, found->ai_addr, found->ai_addrlen) != 0 || ::listen(socket_, kBacklog) != 0) {
    const std::string why = std::strerror(errno);
    const bool taken = errno == EADDRINUSE;
    close();
    throw Error(ErrorKind::kFailure, fmt::format("cannot listen on {}:{}: {}", host, port, why),
                taken ? "another program uses this port: choose another with --port, or 0 for any that is free"
                      : "choose another port with --port, or 0 for any that is free");
  }
  sockaddr_storage bound = {};
  socklen_t size = sizeof(bound);
  ::getsockname(socket_, reinterpret_cast<sockaddr*>(&bound), &size);
  port_ = ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port
                                            : reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
  address_ = host.find(':') == std::string::npos ? fmt::format("http://{}:{}/", host, port_)
                                                 : fmt::format("http://[{}]:{}/", host, port_);
}

void Listener::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

}  // namespace agentnet
