// A server of HTTP/1.1: one thread that waits for all connections at once, so that a client who is slow or does not
// read costs a connection and nothing else. TLS is left to a proxy.
//
//   HttpServer server(handler, "127.0.0.1", 8000, limits, headers);
//   ...                                  // it answers until it is destroyed
//   server.drain();                      // takes no more connections, and answers what it has
//
// Whoever can reach the port may connect, so everything has a limit: connections, bytes of a head and of a body, bytes
// that are held for all connections together, and the time to ask, to send a body and to take the answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "http/handler.h"
#include "http/parser.h"

namespace agentnet {

struct HttpLimits {
  RequestLimits request;
  std::size_t connections = 1024;                                 // further ones get 503 and are closed
  std::size_t held_bytes = std::size_t{256} << 20;                // of requests and answers; beyond, a request gets 503
  std::chrono::milliseconds to_ask = std::chrono::seconds(10);    // from the connection to the end of the headers
  std::chrono::milliseconds to_send = std::chrono::seconds(60);   // the whole body
  std::chrono::milliseconds to_take = std::chrono::seconds(60);   // the whole answer
  std::chrono::milliseconds idle = std::chrono::seconds(60);      // between two requests
  std::chrono::milliseconds when_busy = std::chrono::seconds(1);  // instead of to_ask and idle, with many connections
  bool keep_alive = true;                                         // false: one request a connection
};

// What a server has seen.
struct HttpCounts {
  std::uint64_t connections = 0;  // open now
  std::uint64_t accepted = 0;     // in all
  std::uint64_t refused = 0;      // closed at once, for there were too many
  std::uint64_t too_slow = 0;     // closed because their time had run out
  std::uint64_t held_bytes = 0;   // now
};

class HttpServer {
 public:
  // `headers` go with every answer. The handler must outlive the server. Throws Error as Listener does.
  HttpServer(HttpHandler& handler, const std::string& host, std::uint16_t port, const HttpLimits& limits,
             HttpHeaders headers = {});
  ~HttpServer();  // ends connections that are open
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] const std::string& address() const;  // "http://127.0.0.1:8000/"
  [[nodiscard]] bool running() const;                // false: it has failed and answers no more
  [[nodiscard]] HttpCounts counts() const;

  // Takes the connections that the kernel has accepted already, then no more. Every request that has begun is answered,
  // and its connection closed.
  void drain();
  [[nodiscard]] bool drained() const;  // drain() was called, and no connection is left

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// What a server would send for these bytes of a connection on which nothing else comes: for tests and the fuzzer. Waits
// for the handler. Empty: it would close the connection without a word.
[[nodiscard]] std::string http_answers_to(HttpHandler& handler, std::string_view bytes, const HttpLimits& limits,
                                          const HttpHeaders& headers = {});

}  // namespace agentnet
