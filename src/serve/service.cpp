#include "serve/service.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "agentnet/error.h"
#include "core/json.h"
#include "core/text.h"
#include "serve/answers.h"
#include "serve/asked.h"
#include "serve/inference_protocol.h"
#include "serve/open_api.h"
#include "serve/page.h"
#include "serve/problem.h"
#include "serve/request_data.h"

namespace agentnet {
namespace {

constexpr std::string_view kModelPart = "M";  // stands for a model's name in the table of routes

// Parts of a path between its slashes.
std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::size_t end = std::min(path.find('/'), path.size());
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

}  // namespace

struct ServeService::Route {
  std::string_view path;  // in which M stands for a model, and V for its version
  What what;
  bool post = false;
  bool open = false;  // without a token: probes ask for it, or there is nothing to hide
};

struct ServeService::Found {
  const Route* route = nullptr;  // null: no such path
  std::string model, version;
};

struct ServeService::Ticket {
  Ticket(HttpRequest&& asked, HttpReply way_back, const Route& its_route, std::string its_model)
      : request(std::move(asked)),
        bytes_in(request.body.size()),
        reply(std::move(way_back)),
        route(its_route),
        model(std::move(its_model)) {}

  HttpRequest request;
  std::size_t bytes_in;
  HttpReply reply;
  const Route& route;
  std::string model;                  // in the path
  std::optional<std::string> client;  // that it counts for; its name may be empty
  ServeClock::time_point since = ServeClock::now(), deadline;
  std::uint64_t rows = 0;
  bool finished = false;
  std::optional<InferenceRequest> inference;
};

const HttpHeaders& serve_headers() {
  static const HttpHeaders headers = {
      // The page's script and style stand in it; the viewer's page is shown in a frame that may run scripts only.
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
       "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cache-Control", "no-store"},
  };
  return headers;
}

ServeService::ServeService(ServedModels& models, const Tokens* tokens, const ServeOptions& options, Log log)
    : models_(models),
      tokens_(tokens),
      options_(options),
      page_(std::make_shared<const std::string>(serve_page())),
      open_api_(std::make_shared<const std::string>(open_api(options))),
      log_(std::move(log)),
      batcher_(options_, metrics_) {}

ServeService::~ServeService() = default;

HttpLimits ServeService::http_limits() const {
  HttpLimits limits;
  limits.request.body_bytes = options_.body_bytes;
  limits.connections = options_.connections;
  limits.held_bytes = options_.held_bytes;
  return limits;
}

void ServeService::listens_on(std::uint16_t port, bool loopback) {
  port_ = port;
  loopback_ = loopback;
}

void ServeService::count_with(std::function<HttpCounts()> counts) {
  const std::lock_guard lock(clients_mutex_);
  counts_ = std::move(counts);
}

ServeService::Found ServeService::find_route(const HttpRequest& request) const {
  static constexpr std::array kRoutes = {
      Route{"/", What::kPage, false, true},
      Route{"/predict", What::kPredict, true},
      Route{"/explain", What::kExplain, true},
      Route{"/view", What::kView, true},
      Route{"/models", What::kModels},
      Route{"/metrics", What::kMetrics},
      Route{"/openapi.json", What::kOpenApi, false, true},
      Route{"/v2", What::kServer},
      Route{"/v2/health/live", What::kLive, false, true},
      Route{"/v2/health/ready", What::kReady, false, true},
      Route{"/v2/models/M", What::kModel},
      Route{"/v2/models/M/ready", What::kModelReady},
      Route{"/v2/models/M/infer", What::kInfer, true},
      Route{"/v2/models/M/versions/V", What::kModel},
      Route{"/v2/models/M/versions/V/ready", What::kModelReady},
      Route{"/v2/models/M/versions/V/infer", What::kInfer, true},
  };
  const std::vector<std::string_view> asked = parts_of(request.path);
  for (const Route& route : kRoutes) {
    const std::vector<std::string_view> parts = parts_of(route.path);
    if (parts.size() != asked.size()) continue;
    Found found = {&route, {}, {}};
    bool same = true;
    for (std::size_t i = 0; i < parts.size() && same; ++i) {
      if (parts[i] == kModelPart) {
        found.model = asked[i];
      } else if (parts[i] == "V") {
        found.version = asked[i];
      } else {
        same = parts[i] == asked[i];
      }
    }
    if (same) return found;
  }
  return {};
}

std::optional<HttpAnswer> ServeService::on_head(const HttpRequest& request) {
  std::optional<HttpAnswer> refusal;
  const Found found = find_route(request);
  try {
    const std::string_view host = request.header("host").value_or(std::string_view());
    if (host.empty()) throw Problem(400, "the request does not say which host it is for");
    if (loopback_ && !is_own_host(host, port_)) {
      throw Problem(421, "this server is for this machine only", "ask for 127.0.0.1");
    }
    if (found.route == nullptr) throw Problem(404, "there is nothing at this address", "see /openapi.json");
    const bool right =
        found.route->post ? request.method == "POST" : request.method == "GET" || request.method == "HEAD";
    if (!right) {
      refusal = problem_answer(Problem(405, "this address takes another method"));
      refusal->headers.emplace_back("Allow", found.route->post ? "POST" : "GET, HEAD");
    }
    if (!refusal) refusal = refuse_stranger(request, *found.route);
    if (!refusal && found.route->post) refusal = refuse_crowd(request);
  } catch (const std::exception& error) {
    refusal = problem_answer(problem_of(error));
  }
  if (refusal) {
    record({.route = found.route == nullptr ? std::string_view() : found.route->path,
            .status = refusal->status,
            .bytes_out = refusal->body->size()});
  }
  return refusal;
}

// Pages of strangers in a browser on this machine can send requests here, though they cannot read the answers.
std::optional<HttpAnswer> ServeService::refuse_stranger(const HttpRequest& request, const Route& route) const {
  if (loopback_ && request.has_header("origin")) {
    constexpr std::string_view kScheme = "http://";
    const std::string_view origin = request.header("origin").value_or(std::string_view());
    if (!origin.starts_with(kScheme) || !is_own_host(origin.substr(kScheme.size()), port_)) {
      return problem_answer(Problem(403, "pages from elsewhere may not ask this server"));
    }
  }
  if (tokens_ == nullptr || route.open) return std::nullopt;
  if (tokens_->find(request.header("authorization").value_or(std::string_view()))) return std::nullopt;
  return problem_answer(Problem(401, "the request has no token, or a wrong one", "send Authorization: Bearer TOKEN"));
}

std::optional<HttpAnswer> ServeService::refuse_crowd(const HttpRequest& request) const {
  if (requests_ >= options_.requests || batcher_.queued_rows() >= options_.queue_rows) {
    return problem_answer(Problem(503, "the server has more to do than it can", "ask again in a moment"));
  }
  const std::lock_guard lock(clients_mutex_);
  const auto client = clients_.find(client_of(request));
  if (client != clients_.end() && client->second >= options_.requests_of_client) {
    return problem_answer(
        Problem(429, "this client has too many requests that are not answered yet", "wait for some of the answers"));
  }
  return std::nullopt;
}

std::string ServeService::client_of(const HttpRequest& request) const {
  if (tokens_ != nullptr) {
    const auto token = tokens_->find(request.header("authorization").value_or(std::string_view()));
    if (token) return "token " + std::to_string(*token);
  }
  return request.peer;
}

HttpAnswer ServeService::on_refused(int status) {
  metrics_.add_refused(status);
  if (log_) {
    const std::lock_guard lock(log_mutex_);
    log_({.route = {}, .status = status});
  }
  switch (status) {
    case 413:
      return problem_answer(Problem(413, fmt::format("a body may have {} bytes", options_.body_bytes),
                                    "send the rows in several requests"));
    case 503:
      return problem_answer(Problem(503, "the server has more to do than it can", "ask again in a moment"));
    default:
      return problem_answer(Problem(status, fmt::format("the request is no HTTP that is understood here: {}",
                                                        std::string(status_words(status)))));
  }
}

void ServeService::on_request(HttpRequest&& request, HttpReply reply) {
  Found found = find_route(request);
  auto ticket = std::make_shared<Ticket>(std::move(request), std::move(reply), *found.route, std::move(found.model));
  ticket->deadline = ticket->since + options_.request_time;
  ++requests_;
  if (!found.route->post) {
    return guarded(ticket, [&] {
      if (!ticket->model.empty()) {
        const ServedModelPointer model = model_for(ticket->model);
        if (!found.version.empty() && found.version != model->version) {
          throw Problem(404, "the model is there in another version", "its version is " + model->version);
        }
      }
      found.model = ticket->model;
      finish(*ticket, answer_at_once(found));
    });
  }
  guarded(ticket, [&] {
    ticket->client = client_of(ticket->request);
    {
      const std::lock_guard lock(clients_mutex_);
      ++clients_[*ticket->client];
    }
    switch (ticket->route.what) {
      case What::kExplain:
      case What::kView:
        return batcher_.submit_long([this, ticket] { guarded(ticket, [&] { explain_now(ticket); }); });
      default:
        return batcher_.submit([this, ticket] { guarded(ticket, [&] { read_and_predict(ticket); }); });
    }
  });
}

template <class Step>
void ServeService::guarded(const std::shared_ptr<Ticket>& ticket, const Step& step) {
  try {
    step();
  } catch (const std::bad_alloc&) {
    finish(*ticket, problem_answer(Problem(503, "the server has no memory left for this request", "send less")));
  } catch (const std::exception& error) {
    finish(*ticket, problem_answer(problem_of(error)));
  }
}

void ServeService::finish(Ticket& ticket, HttpAnswer answer) {
  if (std::exchange(ticket.finished, true)) return;
  --requests_;
  if (ticket.client) {
    const std::lock_guard lock(clients_mutex_);
    const auto client = clients_.find(*ticket.client);
    if (client != clients_.end() && --client->second == 0) clients_.erase(client);
  }
  record({.route = ticket.route.path,
          .status = answer.status,
          .bytes_in = ticket.bytes_in,
          .bytes_out = answer.body == nullptr ? 0 : answer.body->size(),
          .rows = ticket.rows,
          .took = ServeClock::now() - ticket.since});
  ticket.reply.send(std::move(answer));
}

void ServeService::record(const RequestRecord& record) {
  metrics_.add_request(record.route.empty() ? "other" : record.route, record.status, record.took);
  if (!log_) return;
  const std::lock_guard lock(log_mutex_);
  log_(record);
}

ServedModelPointer ServeService::model_for(const std::string& name) const {
  ServedModelPointer model = models_.find(name);
  if (model == nullptr) throw Problem(404, fmt::format("there is no model {} here", in_quotes(name)), "see /models");
  return model;
}

HttpAnswer ServeService::answer_at_once(const Found& found) const {
  const auto json = [](const Json& value, int status = 200) {
    return http_answer(status, "application/json", value.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  };
  switch (found.route->what) {
    case What::kPage:
      return {.content_type = "text/html; charset=utf-8", .body = page_};
    case What::kModels: {
      Json list = Json::array();
      for (const ServedModelPointer& model : models_.all()) {
        list.push_back({{"name", model->name},
                        {"version", model->version},
                        {"kind", model->model.config().kind},
                        {"task", task_name(model->task)},
                        {"outputs", model->outputs},
                        {"molecules", model->molecules},
                        {"walks", model->model.walks()}});
      }
      return json({{"models", std::move(list)}});
    }
    case What::kMetrics: {
      ServeState state;
      {
        const std::lock_guard lock(clients_mutex_);
        if (counts_) state.http = counts_();
      }
      state.queued_rows = batcher_.queued_rows();
      state.requests = requests_;
      state.draining = draining_;
      for (const ServedModelPointer& model : models_.all()) {
        state.models.push_back({model->name, model->version, model->model.config().kind});
      }
      return http_answer(200, "text/plain; version=0.0.4; charset=utf-8", metrics_.text(state));
    }
    case What::kOpenApi:
      return {.content_type = "application/json", .body = open_api_};
    case What::kServer:
      return server_metadata();
    case What::kLive:
      return json({{"live", true}});
    case What::kReady:
      return json({{"ready", !draining_}}, draining_ ? 503 : 200);
    case What::kModel:
      return model_metadata(*model_for(found.model));
    case What::kModelReady:
      return json({{"name", found.model}, {"ready", !draining_}}, draining_ ? 503 : 200);
    case What::kPredict:
    case What::kExplain:
    case What::kView:
    case What::kInfer:
      break;
  }
  throw Problem(500, "the server has failed to answer");
}

void ServeService::read_and_predict(const std::shared_ptr<Ticket>& ticket) {
  if (ServeClock::now() > ticket->deadline) throw Problem(503, "the request has waited too long", "ask again later");
  HttpRequest& request = ticket->request;
  AskedFields fields = query_fields(request.query);
  const bool infer = ticket->route.what == What::kInfer;
  if (infer) {
    const auto length = request.header("inference-header-content-length").value_or(std::string_view());
    ticket->inference = parse_inference(request.body, length, options_);
    for (auto& field : ticket->inference->parameters) fields.push_back(std::move(field));
    request.body = {};
  }
  const Asked asked = asked_of(fields, options_, /*explain=*/false);
  if (infer && !asked.model.empty()) throw Problem(400, "the address names the model", "leave the option model out");
  auto job = std::make_unique<PredictJob>();
  job->model = model_for(infer ? ticket->model : asked.model);
  job->options = asked.predicting;
  job->deadline = ticket->deadline;
  job->gone = [ticket] { return ticket->reply.gone(); };
  if (infer) {
    job->data = read_texts(*job->model, ticket->inference->rows, options_);
    ticket->inference->rows.clear();
  } else {
    if (request.has_header("content-encoding")) {
      throw Problem(415, "packed bodies are not read here", "send the body as it is");
    }
    job->data = read_request(*job->model, request.header("content-type").value_or(std::string_view()),
                             std::move(request.body), options_);
  }
  ticket->rows = job->data.rows;
  job->done = [this, ticket](PredictJob& done, const std::exception_ptr& failure) {
    guarded(ticket, [&] {
      if (failure != nullptr) std::rethrow_exception(failure);
      HttpAnswer answer =
          ticket->inference
              ? inference_answer(*done.model, *ticket->inference, done.data, done.answers)
              : prediction_answer(*done.model, done.options, done.data, done.answers,
                                  answer_form(ticket->request.header("accept").value_or(std::string_view())));
      count_rows(done.data, done.answers, metrics_);
      finish(*ticket, std::move(answer));
    });
  };
  batcher_.add(std::move(job));
}

void ServeService::explain_now(const std::shared_ptr<Ticket>& ticket) {
  HttpRequest& request = ticket->request;
  ServeOptions limits = options_;
  limits.rows = std::min(options_.rows, options_.explained);
  const Asked asked = asked_of(query_fields(request.query), options_, /*explain=*/true);
  const ServedModelPointer model = model_for(asked.model);
  if (request.has_header("content-encoding")) throw Problem(415, "packed bodies are not read here", "send it as it is");
  const RequestData data = read_request(*model, request.header("content-type").value_or(std::string_view()),
                                        std::move(request.body), limits);
  ticket->rows = data.rows;
  const auto may_end = [&ticket] {
    if (ServeClock::now() > ticket->deadline || ticket->reply.gone()) {
      throw Problem(503, "the request has taken too long", "send fewer rows, or ask for fewer rollouts");
    }
  };
  may_end();
  finish(*ticket, ticket->route.what == What::kView ? view_answer(*model, asked, data, may_end)
                                                    : explanation_answer(*model, asked, data, may_end));
}

}  // namespace agentnet
