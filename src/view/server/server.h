// The server of `agentnet view`: shows a site to this machine and nobody else.
//
//   ViewServer server(page, data, /*port=*/0);
//   "open " + server.address();
//   ...                                  // it answers until it is destroyed
//
// It listens on 127.0.0.1, answers one request a connection, and has limits, since whatever runs on this machine can
// connect to it. A body is never read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/server.h"

namespace agentnet {

// One request a connection, no body, and as many connections as browsers need.
[[nodiscard]] HttpLimits view_limits();

class ViewServer {
 public:
  // Port 0: any that is free. Throws Error (kFailure) if it cannot listen there.
  ViewServer(std::string page, std::string data, std::uint16_t port, const HttpLimits& limits = view_limits());
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
