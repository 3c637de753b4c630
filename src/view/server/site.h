// What the server of `agentnet view` answers: two pages, and no to everything else. No socket in sight, so that tests
// and a fuzzer can ask it anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/request.h"

namespace agentnet {

// What is served.
struct Site {
  std::string_view page;  // of "/": HTML
  std::string_view data;  // of "/data.json"
};

struct SiteAnswer {
  int status = 0;  // 200, 400, 404, 405 or 421
  std::string_view content_type;
  std::string_view body;  // of the site, or a sentence; with HEAD it is not sent
};

// `path` is decoded and without its query. `host` is the Host header, empty if there is none; other names than this
// machine's own get 421: a page of somebody else's, whose name a name server leads to this machine, must not read ours.
[[nodiscard]] SiteAnswer answer_for(const Site& site, std::string_view method, std::string_view path,
                                    std::string_view host, std::uint16_t port);

// Headers of every answer: nothing from elsewhere is loaded or run, nothing is kept, nobody puts the page into a frame.
[[nodiscard]] const HttpHeaders& site_headers();

}  // namespace agentnet
