#include "support/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace agentnet {

namespace {

void send_all(int connection, std::string_view data) {
  while (!data.empty()) {
    const ssize_t sent = ::send(connection, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the client has gone
    data.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string read_request(int connection) {
  std::string request;
  char buffer[4096];
  while (request.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
    if (got <= 0) return {};
    request.append(buffer, static_cast<std::size_t>(got));
  }
  return request;
}

std::string header(const std::string& request, const std::string& name) {
  const std::size_t at = request.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const std::size_t start = at + name.size() + 4;
  return request.substr(start, request.find("\r\n", start) - start);
}

}  // namespace

DownloadServer::DownloadServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    throw std::runtime_error("cannot listen on 127.0.0.1");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

DownloadServer::~DownloadServer() {
  ::shutdown(listener_, SHUT_RDWR);  // accept() returns
  thread_.join();
  ::close(listener_);
}

std::string DownloadServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

void DownloadServer::set(const std::string& path, HttpPage page) {
  const std::lock_guard lock(mutex_);
  pages_[path] = std::move(page);
}

std::vector<std::string> DownloadServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void DownloadServer::serve() {
  for (;;) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    answer(connection);
    ::close(connection);
  }
}

void DownloadServer::answer(int connection) {
  const std::string request = read_request(connection);
  const std::size_t start = request.find(' ') + 1;
  const std::string path = request.substr(start, request.find(' ', start) - start);
  const std::string range = header(request, "Range");
  HttpPage page{.body = "nothing here", .status = 404};
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(range.empty() ? path : path + " " + range);
    if (const auto found = pages_.find(path); found != pages_.end()) {
      HttpPage& stored = found->second;
      page = stored;
      if (page.status_times-- <= 0) page.status = 0;
      if (page.cut_times-- <= 0) page.cut_after.reset();
      stored.status_times = page.status_times;
      if (page.status == 0) stored.cut_times = page.cut_times;
    }
  }
  std::string head, body = page.body;
  const std::string total = std::to_string(page.body.size());
  if (!page.redirect.empty()) {
    head = "HTTP/1.1 302 Found\r\nLocation: " + page.redirect + "\r\n";
    body = "elsewhere";
  } else if (page.status != 0) {
    head = "HTTP/1.1 " + std::to_string(page.status) + " Status\r\n";
    body = "an error page";
  } else if (page.ranges && range.starts_with("bytes=")) {
    const std::size_t first = std::stoul(range.substr(6));
    if (first >= page.body.size()) {
      head = "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */" + total + "\r\n";
      body.clear();
    } else {
      head = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + std::to_string(first) + "-" +
             std::to_string(page.body.size() - 1) + "/" + total + "\r\n";
      body = page.body.substr(first);
    }
  } else {
    head = "HTTP/1.1 200 OK\r\n";
  }
  if (page.say_length) head += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  send_all(connection, head + "Connection: close\r\n\r\n");
  send_all(connection, std::string_view(body).substr(0, page.cut_after.value_or(body.size())));
}

}  // namespace agentnet
