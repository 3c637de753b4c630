#include "http/request.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace agentnet {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  std::optional<std::string_view> found;
  for (const auto& [key, value] : headers) {
    if (key != name) continue;
    if (found) return std::nullopt;
    found = value;
  }
  return found;
}

bool HttpRequest::has_header(std::string_view name) const {
  return std::any_of(headers.begin(), headers.end(), [&](const auto& header) { return header.first == name; });
}

HttpAnswer http_answer(int status, std::string content_type, std::string body, HttpHeaders headers) {
  return {status, std::move(content_type), std::make_shared<const std::string>(std::move(body)), std::move(headers)};
}

std::string_view status_words(int status) {
  struct Words {
    int status;
    std::string_view words;
  };
  static constexpr std::array kAll = {Words{100, "Continue"},
                                      Words{200, "OK"},
                                      Words{400, "Bad Request"},
                                      Words{401, "Unauthorized"},
                                      Words{403, "Forbidden"},
                                      Words{404, "Not Found"},
                                      Words{405, "Method Not Allowed"},
                                      Words{408, "Request Timeout"},
                                      Words{413, "Content Too Large"},
                                      Words{415, "Unsupported Media Type"},
                                      Words{417, "Expectation Failed"},
                                      Words{421, "Misdirected Request"},
                                      Words{422, "Unprocessable Content"},
                                      Words{429, "Too Many Requests"},
                                      Words{431, "Request Header Fields Too Large"},
                                      Words{500, "Internal Server Error"},
                                      Words{501, "Not Implemented"},
                                      Words{503, "Service Unavailable"},
                                      Words{505, "HTTP Version Not Supported"}};
  const auto* const found =
      std::find_if(kAll.begin(), kAll.end(), [&](const Words& words) { return words.status == status; });
  return found == kAll.end() ? "Unknown" : found->words;
}

std::string answer_head(const HttpAnswer& answer, const HttpHeaders& always, bool keep_alive) {
  std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " ";
  text += status_words(answer.status);
  const auto add = [&](std::string_view name, std::string_view value) {
    text.append("\r\n").append(name).append(": ").append(value);
  };
  for (const auto& [name, value] : always) add(name, value);
  for (const auto& [name, value] : answer.headers) add(name, value);
  const std::size_t size = answer.body == nullptr ? 0 : answer.body->size();
  if (size > 0) add("Content-Type", answer.content_type);
  add("Content-Length", std::to_string(size));
  if (!keep_alive) add("Connection", "close");
  return text + "\r\n\r\n";
}

std::vector<std::pair<std::string, std::string>> query_fields(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> fields;
  const auto decoded = [](std::string_view text) {
    std::string spaced(text);
    std::replace(spaced.begin(), spaced.end(), '+', ' ');
    return percent_decoded(spaced).value_or(spaced);
  };
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view field = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (field.empty()) continue;
    const std::size_t equals = std::min(field.find('='), field.size());
    fields.emplace_back(decoded(field.substr(0, equals)), decoded(field.substr(std::min(equals + 1, field.size()))));
  }
  return fields;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

bool is_own_host(std::string_view host, std::uint16_t port) {
  for (const std::string_view own : {"127.0.0.1", "localhost", "[::1]"}) {
    if (host.size() < own.size() || !same_letters(host.substr(0, own.size()), own)) continue;
    const std::string_view rest = host.substr(own.size());
    if (rest.empty() || rest == ":" + std::to_string(port)) return true;
  }
  return false;
}

}  // namespace agentnet
