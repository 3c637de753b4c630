// A request and an answer of HTTP/1.1 as plain values: no socket, no parser.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agentnet {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;
  std::string path;     // decoded, without the query
  std::string query;    // behind the ?, as it came
  HttpHeaders headers;  // names in small letters
  std::string body;
  std::string peer;         // the address of the client, without its port; empty if there is none
  bool keep_alive = false;  // the client would like to ask again on this connection

  // The value of a header that stands there once; nothing if it is missing or stands there twice. `name` in small
  // letters.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
  [[nodiscard]] bool has_header(std::string_view name) const;
};

struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;  // shared: a large page is not copied for each client; null: none
  HttpHeaders headers = {};                 // besides those that the server sends with every answer
};

[[nodiscard]] HttpAnswer http_answer(int status, std::string content_type, std::string body, HttpHeaders headers = {});

// "Not Found" for 404.
[[nodiscard]] std::string_view status_words(int status);

// The first line, the headers and the empty line. `always` are headers of every answer.
[[nodiscard]] std::string answer_head(const HttpAnswer& answer, const HttpHeaders& always, bool keep_alive);

// "a=1&b=x%20y" as pairs, decoded; what cannot be decoded is left as it is.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> query_fields(std::string_view query);

// %20 becomes a space; nothing if a % is followed by anything but two hexadecimal digits.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

// Whether two texts are the same but for the case of ASCII letters.
[[nodiscard]] bool same_letters(std::string_view a, std::string_view b);

// Whether a Host header means a server on this machine that listens on `port`: 127.0.0.1, localhost or [::1], with this
// port or (browsers leave out 80) none. A page of somebody else's, whose name a name server leads to this machine, has
// another Host and must not read what is served here.
[[nodiscard]] bool is_own_host(std::string_view host, std::uint16_t port);

}  // namespace agentnet
