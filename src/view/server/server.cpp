#include "view/server/server.h"

#include <atomic>
#include <utility>

#include "view/server/site.h"

namespace agentnet {
namespace {

constexpr const char* kHost = "127.0.0.1";

// Every request is answered from its head.
class SiteHandler : public HttpHandler {
 public:
  SiteHandler(std::string page, std::string data)
      : page_(std::make_shared<const std::string>(std::move(page))),
        data_(std::make_shared<const std::string>(std::move(data))) {}

  void set_port(std::uint16_t port) { port_ = port; }

  std::optional<HttpAnswer> on_head(const HttpRequest& request) override {
    const SiteAnswer found = answer_for({*page_, *data_}, request.method, request.path,
                                        request.header("host").value_or(std::string_view()), port_);
    HttpAnswer answer = {.status = found.status, .content_type = std::string(found.content_type), .body = nullptr};
    for (const auto& own : {page_, data_}) {  // the server keeps it until the last client has taken it
      if (found.body.data() == own->data()) answer.body = own;
    }
    if (answer.body == nullptr) answer.body = std::make_shared<const std::string>(found.body);
    return answer;
  }
  void on_request(HttpRequest&& /*request*/, HttpReply reply) override { reply.send({.status = 500, .body = nullptr}); }

 private:
  std::shared_ptr<const std::string> page_, data_;
  std::atomic<std::uint16_t> port_ = 0;
};

}  // namespace

HttpLimits view_limits() {
  HttpLimits limits;
  limits.connections = 256;
  limits.held_bytes = std::size_t{1} << 40;  // the answers are all the same two texts
  limits.keep_alive = false;
  return limits;
}

class ViewServer::Impl {
 public:
  Impl(std::string page, std::string data, std::uint16_t port, const HttpLimits& limits)
      : handler_(std::move(page), std::move(data)), server_(handler_, kHost, port, limits, site_headers()) {
    handler_.set_port(server_.port());
  }
  [[nodiscard]] const HttpServer& server() const { return server_; }

 private:
  SiteHandler handler_;
  HttpServer server_;
};

ViewServer::ViewServer(std::string page, std::string data, std::uint16_t port, const HttpLimits& limits)
    : impl_(std::make_unique<Impl>(std::move(page), std::move(data), port, limits)) {}
ViewServer::~ViewServer() = default;

std::uint16_t ViewServer::port() const { return impl_->server().port(); }
std::string ViewServer::address() const { return impl_->server().address(); }
bool ViewServer::running() const { return impl_->server().running(); }

std::string answer_to_bytes(const std::string& page, const std::string& data, std::uint16_t port,
                            std::string_view request) {
  SiteHandler handler(page, data);
  handler.set_port(port);
  return http_answers_to(handler, request, view_limits(), site_headers());
}

}  // namespace agentnet
