// A server of models, without its sockets: what is asked by which address, who may ask, and what is answered.
//
//   ServedModels models;
//   models.add("tox", "tox.safetensors");
//   ServeService service(models, tokens, options, log);
//   HttpServer server(service, "127.0.0.1", 8000, service.http_limits(), serve_headers());
//   service.listens_on(server.port(), /*loopback=*/true);
//
// docs/serve.md lists the routes. Nothing of a request is told to anybody but its client: logs and metrics hold routes,
// codes, sizes and times.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "http/handler.h"
#include "http/server.h"
#include "serve/batcher.h"
#include "serve/metrics.h"
#include "serve/options.h"
#include "serve/served_model.h"
#include "serve/tokens.h"

namespace agentnet {

// What is told of a request.
struct RequestRecord {
  std::string_view route;  // one of ours: "/predict", "/v2/models/M/infer"; empty: none
  int status = 0;
  std::size_t bytes_in = 0, bytes_out = 0;  // of the bodies
  std::uint64_t rows = 0;
  std::chrono::duration<double> took{};
};

// Headers of every answer.
[[nodiscard]] const HttpHeaders& serve_headers();

class ServeService : public HttpHandler {
 public:
  using Log = std::function<void(const RequestRecord&)>;  // called by several threads, one at a time

  // `tokens` may be null: everybody may ask. Both must outlive the service.
  ServeService(ServedModels& models, const Tokens* tokens, const ServeOptions& options, Log log = {});
  ~ServeService() override;

  [[nodiscard]] HttpLimits http_limits() const;
  // What the server found: on a loopback address, the Host of a request must be this machine's.
  void listens_on(std::uint16_t port, bool loopback);
  // For /metrics and /v2/health/ready.
  void count_with(std::function<HttpCounts()> counts);
  void drain() { draining_ = true; }
  [[nodiscard]] ServeMetrics& metrics() { return metrics_; }

  std::optional<HttpAnswer> on_head(const HttpRequest& request) override;
  void on_request(HttpRequest&& request, HttpReply reply) override;
  HttpAnswer on_refused(int status) override;

 private:
  enum class What {
    kPage,
    kModels,
    kMetrics,
    kOpenApi,
    kServer,
    kLive,
    kReady,
    kModel,
    kModelReady,  // answered at once
    kPredict,
    kExplain,
    kView,
    kInfer  // that take time
  };
  struct Route;
  struct Found;   // a route, and the model in the path
  struct Ticket;  // a request on its way to its answer

  [[nodiscard]] Found find_route(const HttpRequest& request) const;
  [[nodiscard]] std::optional<HttpAnswer> refuse_stranger(const HttpRequest& request, const Route& route) const;
  [[nodiscard]] std::optional<HttpAnswer> refuse_crowd(const HttpRequest& request) const;
  [[nodiscard]] HttpAnswer answer_at_once(const Found& found) const;
  [[nodiscard]] std::string client_of(const HttpRequest& request) const;
  [[nodiscard]] ServedModelPointer model_for(const std::string& name) const;
  void read_and_predict(const std::shared_ptr<Ticket>& ticket);
  void explain_now(const std::shared_ptr<Ticket>& ticket);
  void finish(Ticket& ticket, HttpAnswer answer);
  void record(const RequestRecord& record);
  template <class Step>
  void guarded(const std::shared_ptr<Ticket>& ticket, const Step& step);

  ServedModels& models_;
  const Tokens* tokens_;
  const ServeOptions options_;
  // The same for everybody.
  const std::shared_ptr<const std::string> page_, open_api_;
  Log log_;
  std::mutex log_mutex_;
  ServeMetrics metrics_;
  std::function<HttpCounts()> counts_;
  std::atomic<std::uint16_t> port_ = 0;
  std::atomic<bool> loopback_ = true, draining_ = false;
  std::atomic<std::size_t> requests_ = 0;
  mutable std::mutex clients_mutex_;
  std::map<std::string, std::size_t, std::less<>> clients_;  // requests that are not answered yet
  Batcher batcher_;  // the last member: its threads end before anything else goes
};

}  // namespace agentnet
