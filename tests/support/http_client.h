// A client that sends any bytes it likes, and takes what comes back as it comes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace agentnet {

class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port);
  ~HttpClient() { leave(); }
  HttpClient(HttpClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_), rest_(std::move(other.rest_)) {}
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  bool send(const std::string& bytes);
  // One answer, as long as its Content-Length says; empty if the server closes before that.
  std::string answer();
  // All until the server closes the connection.
  std::string all();
  void end_sending();
  void leave();

 private:
  bool receive();  // more bytes into rest_

  int socket_;
  bool connected_ = false;
  std::string rest_;
};

// A whole request with a Host header and, if there is a body, its length.
[[nodiscard]] std::string http_request(const std::string& first_line, const std::string& headers = {},
                                       const std::string& body = {});
// What stands behind the empty line.
[[nodiscard]] std::string body_of(const std::string& answer);
// The status of an answer; 0 if it is none.
[[nodiscard]] int status_of(const std::string& answer);

}  // namespace agentnet
