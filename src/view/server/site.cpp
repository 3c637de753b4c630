#include "view/server/site.h"

namespace agentnet {
namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";

}  // namespace

SiteAnswer answer_for(const Site& site, std::string_view method, std::string_view path, std::string_view host,
                      std::uint16_t port) {
  if (host.empty()) return {400, kText, "The request does not say which host it is for.\n"};
  if (!is_own_host(host, port)) return {421, kText, "This server is for this machine only: ask for 127.0.0.1.\n"};
  if (method != "GET" && method != "HEAD") return {405, kText, "Pages can be read here, nothing else.\n"};
  if (path == "/") return {200, "text/html; charset=utf-8", site.page};
  if (path == "/data.json") return {200, "application/json", site.data};
  return {404, kText, "There is no such page; / is the only one.\n"};
}

const HttpHeaders& site_headers() {
  static const HttpHeaders headers = {
      // Script and style stand in the page itself; the data comes from beside it.
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
       "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cache-Control", "no-store"},
      {"Allow", "GET, HEAD"},
  };
  return headers;
}

}  // namespace agentnet
