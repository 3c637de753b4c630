// Bytes of a connection become requests, or refusals: no socket in sight, so that tests and a fuzzer can ask anything.
//
//   RequestParser parser({.head_bytes = 8192, .body_bytes = 1 << 20});
//   parser.add(bytes);
//   while (parser.step() == RequestParser::State::kHead) ... // look at request(), perhaps answer without the body
//
// Strict where requests are smuggled by those who are not: lines end in CRLF, a header is not continued on the next
// line, there is one length and no other saying of it, and a target begins with a slash.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "http/request.h"

namespace agentnet {

struct RequestLimits {
  std::size_t head_bytes = 8192;  // the first line and the headers
  std::size_t headers = 100;
  std::size_t body_bytes = 0;  // a longer body is refused, after its head was told, and not read
};

class RequestParser {
 public:
  enum class State {
    kIdle,     // between requests: not a byte of the next one is there
    kReading,  // in the middle of one
    kHead,     // the headers are complete: said once for each request, before its body
    kWhole,    // request() is complete
    kRefused,  // refusal() says why; nothing more can be read from this connection
  };

  explicit RequestParser(const RequestLimits& limits) : limits_(limits) {}

  // More bytes. What is held is never more than a head and a body of the allowed size, and what was added at once.
  void add(std::string_view bytes) { held_.append(bytes); }
  // Goes on as far as it can.
  State step();

  [[nodiscard]] const HttpRequest& request() const { return request_; }  // from kHead on
  [[nodiscard]] HttpRequest take();                                      // after kWhole; then the next one is read
  [[nodiscard]] int refusal() const { return refusal_; }                 // 400, 413, 417, 431, 501 or 505
  // The client waits for "100 Continue" before it sends its body.
  [[nodiscard]] bool wants_continue() const { return wants_continue_ && part_ != Part::kHead; }
  void continued() { wants_continue_ = false; }
  // The length of the body, if it was said, of the request whose head is complete; else 0.
  [[nodiscard]] std::size_t announced() const { return part_ == Part::kBody ? length_ : 0; }
  [[nodiscard]] std::size_t bytes_held() const { return held_.size() + request_.body.size(); }
  [[nodiscard]] bool in_body() const { return part_ != Part::kHead; }

 private:
  enum class Part { kHead, kTooLong, kBody, kChunkSize, kChunk, kChunkEnd, kTrailer, kDone };

  State refuse(int status);
  State read_head();
  State read_body();
  bool parse_head(std::string_view head);
  bool parse_first_line(std::string_view line);
  bool parse_header(std::string_view line);
  bool settle_body();
  bool settle_connection();

  RequestLimits limits_;
  std::string held_;         // bytes that no part has taken yet, from `taken_` on
  std::size_t scanned_ = 0;  // of held_: where the end of the head was looked for already
  HttpRequest request_;
  Part part_ = Part::kHead;
  std::size_t length_ = 0;   // of the body, or of the chunk, that is still to come
  std::size_t trailer_ = 0;  // bytes of trailers that were thrown away
  bool version_1_0_ = false, wants_continue_ = false, head_told_ = false;
  int refusal_ = 0;
};

}  // namespace agentnet
