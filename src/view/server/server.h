// The server of `agentnet view`: shows a site to this machine and nobody else.
//
//   ViewServer server(page, data, /*port=*/0);
//   "open " + server.address();
//   ...                                  // it answers until it is destroyed
//
// It listens on 127.0.0.1, answers one request a connection, and has limits, since whatever runs on this machine can
// connect to it: so many workers, so many connections that wait for one (further ones are closed), so many bytes of
// headers, so much time to send them and to take the answer. A body is never read.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace agentnet {

struct ServerLimits {
  int workers = 16;
  int waiting = 256;                                              // connections beyond the workers'
  std::size_t head_bytes = 8192;                                  // of a request: its first line and headers
  std::chrono::milliseconds to_ask = std::chrono::seconds(10);    // from the connection to the end of the headers
  std::chrono::milliseconds to_take = std::chrono::seconds(60);   // the whole answer
  std::chrono::milliseconds when_busy = std::chrono::seconds(1);  // instead of to_ask while others wait
};

class ViewServer {
 public:
  // Port 0: any that is free. Throws Error (kFailure) if it cannot listen there.
  ViewServer(std::string page, std::string data, std::uint16_t port, const ServerLimits& limits = {});
  ~ViewServer();  // ends connections that are open
  ViewServer(const ViewServer&) = delete;
  ViewServer& operator=(const ViewServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string address() const;  // "http://127.0.0.1:PORT/"
  [[nodiscard]] bool running() const;         // false: it has failed and answers no more

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// What the server would send for these bytes of a connection on which nothing else comes, through the same parser: for
// tests. Empty: it would close the connection without a word.
[[nodiscard]] std::string answer_to_bytes(const std::string& page, const std::string& data, std::uint16_t port,
                                          std::string_view request);

}  // namespace agentnet
