// What must hold of any bytes that arrive at the server of agentnet view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "reader_property.h"
#include "view/server/server.h"
#include "view/server/site.h"

namespace agentnet {

inline constexpr std::uint16_t kFuzzedPort = 4711;

// The decision itself, with any bytes as method, path and host: what is given away is one of the two pages, to somebody
// on this machine.
inline void check_decision(std::string_view method, std::string_view path, std::string_view host) {
  const Site site = {"page", "data"};
  const SiteAnswer answer = answer_for(site, method, path, host, kFuzzedPort);
  const bool known = answer.status == 200 || answer.status == 400 || answer.status == 404 || answer.status == 405 ||
                     answer.status == 421;
  require_of_reader(known && !answer.content_type.empty() && !answer.body.empty(), "an answer of no known kind");
  if (answer.status != 200) {
    require_of_reader(answer.body != "page" && answer.body != "data", "a refusal that gives a page away");
    return;
  }
  require_of_reader(method == "GET" || method == "HEAD", "another method was served");
  require_of_reader(answer.body == (path == "/" ? "page" : "data"), "the wrong page");
  require_of_reader(path == "/" || path == "/data.json", "another path was served");
  // Written once more, another way than the server has it.
  std::string name(host.substr(0, host.ends_with(":4711") ? host.size() - 5 : host.size()));
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  require_of_reader(name == "localhost" || name == "127.0.0.1" || name == "[::1]", "a foreign host was served");
}

// The bytes as a whole request, through the parser; and cut at line ends, as the three things that decide.
inline void check_request(std::span<const std::byte> bytes) {
  const std::string text = text_of(bytes);
  const std::size_t first = text.find('\n');
  const std::size_t second = first == std::string::npos ? first : text.find('\n', first + 1);
  if (second != std::string::npos) {
    check_decision(text.substr(0, first), text.substr(first + 1, second - first - 1), text.substr(second + 1));
  }
  for (const std::string& request : {text, text + "\r\n\r\n"}) {
    const std::string answer = answer_to_bytes("the page", "the data", kFuzzedPort, request);
    if (answer.empty()) continue;
    require_of_reader(answer.starts_with("HTTP/1.1 "), "an answer that is none");
    require_of_reader(answer.find("\r\n\r\n") != std::string::npos, "an answer whose headers do not end");
    require_of_reader(answer.size() < 4096, "an answer that grows with the request");
    const bool gave = answer.find("the page") != std::string::npos || answer.find("the data") != std::string::npos;
    require_of_reader(!gave || answer.starts_with("HTTP/1.1 200 "), "a refusal that gives a page away");
  }
}

}  // namespace agentnet
