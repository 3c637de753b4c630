#include "support/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace agentnet {

HttpClient::HttpClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
}

bool HttpClient::send(const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return false;
    sent += static_cast<std::size_t>(now);
  }
  return true;
}

bool HttpClient::receive() {
  std::array<char, 65536> buffer;
  const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (got <= 0) return false;
  rest_.append(buffer.data(), static_cast<std::size_t>(got));
  return true;
}

std::string HttpClient::answer() {
  std::size_t end = 0;
  while ((end = rest_.find("\r\n\r\n")) == std::string::npos) {
    if (!receive()) return {};
  }
  const std::string length = "\r\nContent-Length: ";
  const std::size_t at = rest_.find(length);
  const std::size_t size = end + 4 + (at < end ? std::strtoull(rest_.c_str() + at + length.size(), nullptr, 10) : 0);
  while (rest_.size() < size) {
    if (!receive()) return {};
  }
  std::string answer = rest_.substr(0, size);
  rest_.erase(0, size);
  return answer;
}

std::string HttpClient::all() {
  while (receive()) {
  }
  return std::exchange(rest_, {});
}

void HttpClient::end_sending() { ::shutdown(socket_, SHUT_WR); }

void HttpClient::leave() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

std::string http_request(const std::string& first_line, const std::string& headers, const std::string& body) {
  const std::string length = body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return first_line + " HTTP/1.1\r\nHost: localhost\r\n" + headers + length + "\r\n" + body;
}

std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? std::string() : answer.substr(end + 4);
}

int status_of(const std::string& answer) { return answer.starts_with("HTTP/1.1 ") ? std::atoi(answer.c_str() + 9) : 0; }

}  // namespace agentnet
