// agentnet serve MODEL...: answers over HTTP.
#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "command_list.h"
#include "core/print.h"
#include "core/text.h"
#include "http/listener.h"
#include "http/server.h"
#include "options/model_arguments.h"
#include "output/progress.h"
#include "run/run_folder.h"
#include "serve/served_model.h"
#include "serve/service.h"
#include "serve/tokens.h"
#include "serve_signals.h"

namespace agentnet {
namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

struct ServeArguments {
  std::vector<std::string> models;
  std::string host = "127.0.0.1", token_file;
  int port = 8000;
  bool insecure = false, log = false;
  RolloutArguments rollouts;
  ServeOptions options;
  std::string batch_wait = "2ms", request_time = "30s", drain_time = "30s";
  std::chrono::milliseconds drain{};
  std::uint64_t body_bytes = 16 * kMega, memory = 64 * kMega;
  std::string draws;
};

template <class Duration>
Duration time_of(const std::string& text, const char* option, double most_seconds) {
  const double seconds = parse_duration(text, option);
  if (seconds > most_seconds) {
    throw Error(ErrorKind::kUsage, fmt::format("{} {} is too long", option, text),
                fmt::format("give at most {}s", most_seconds));
  }
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

// "NAME=FILE", a file, or the folder of a run; the name is the file's, or the folder's.
std::pair<std::string, std::filesystem::path> named_model(const std::string& argument) {
  std::error_code ignored;
  const std::size_t equals = argument.find('=');
  const bool named = equals != std::string::npos && is_model_name(argument.substr(0, equals)) &&
                     !std::filesystem::exists(argument, ignored);
  const std::filesystem::path path = named ? argument.substr(equals + 1) : argument;
  if (std::filesystem::is_directory(path, ignored)) {
    const std::filesystem::path folder = path.has_filename() ? path : path.parent_path();
    return {named ? argument.substr(0, equals) : folder.filename().string(), run_model_file(path)};
  }
  return {named ? argument.substr(0, equals) : path.stem().string(), path};
}

// Every connection is an open file. Systems allow a program few of them unless it asks for more.
void allow_connections(ServeOptions& options, const Console& console) {
  constexpr rlim_t kOthers = 64;  // models, and what the libraries hold
  rlimit files = {};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  const rlim_t wanted = options.connections + kOthers;
  if (files.rlim_cur < wanted) {
    files.rlim_cur = files.rlim_max == RLIM_INFINITY ? wanted : std::min(wanted, files.rlim_max);
    if (::setrlimit(RLIMIT_NOFILE, &files) != 0 || ::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  }
  if (files.rlim_cur >= wanted) return;
  options.connections = static_cast<std::size_t>(std::max<rlim_t>(files.rlim_cur, kOthers + 1) - kOthers);
  print_to(console.err, "note: the system allows {} open files, enough for {} connections (ulimit -Hn)\n",
           files.rlim_cur, options.connections);
}

class ServeRun {
 public:
  ServeRun(const ServeArguments& arguments, const Console& console) : arguments_(arguments), console_(console) {
    refuse_strangers_by_default();
    if (!arguments.token_file.empty()) tokens_.emplace(arguments.token_file);
    for (const std::string& argument : arguments.models) {
      const auto [name, path] = named_model(argument);
      models_.add(name, path);
    }
  }

  void run() {
    const ServeSignals signals;
    ServeService service(models_, tokens_ ? &*tokens_ : nullptr, arguments_.options,
                         arguments_.log ? [this](const RequestRecord& record) { log(record); } : ServeService::Log());
    HttpServer server(service, arguments_.host, static_cast<std::uint16_t>(arguments_.port), service.http_limits(),
                      serve_headers());
    service.listens_on(server.port(), is_loopback(arguments_.host));
    service.count_with([&server] { return server.counts(); });
    tell_what_is_served(server);
    wait_for_the_end(server, service);
    drain(server, service);
    service.count_with({});
  }

 private:
  void refuse_strangers_by_default() const {
    if (is_loopback(arguments_.host) || arguments_.insecure || !arguments_.token_file.empty()) return;
    throw Error(ErrorKind::kUsage, fmt::format("on {}, everybody who reaches this machine may ask", arguments_.host),
                "give a file of tokens with --token-file, or allow it with --insecure");
  }

  void tell_what_is_served(const HttpServer& server) const {
    for (const ServedModelPointer& model : models_.all()) {
      print_to(console_.err, "{}: {}, version {}\n", model->name, model->model.description(), model->version);
    }
    print_to(console_.err, "serving on {} with {} thread{}; Ctrl-C ends this\n", server.address(),
             arguments_.options.threads, arguments_.options.threads == 1 ? "" : "s");
    console_.err.flush();
  }

  void wait_for_the_end(const HttpServer& server, ServeService& service) {
    auto last_look = std::chrono::steady_clock::now();
    while (!ServeSignals::asked_to_stop()) {
      if (!server.running()) throw Error(ErrorKind::kFailure, "the server has stopped", "start it again");
      const auto now = std::chrono::steady_clock::now();
      const bool asked = ServeSignals::asked_to_reload();
      if (asked || now - last_look >= std::chrono::seconds(1)) {
        last_look = now;
        reload(service, asked);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  // Every second, and all of it when SIGHUP asks.
  void reload(ServeService& service, bool asked) {
    for (const ModelReload& reload : models_.reload(asked)) {
      service.metrics().add_reload(reload.name, reload.loaded);
      if (reload.loaded) {
        print_to(console_.err, "{}: loaded again, version {}\n", reload.name, models_.find(reload.name)->version);
      } else {
        print_to(console_.err, "warning: {} was not loaded again, and the old one goes on: {}\n", reload.name,
                 reload.problem);
      }
    }
    if (asked && tokens_) {
      try {
        tokens_->reload();
        print_to(console_.err, "tokens: read again\n");
      } catch (const Error& error) {
        print_to(console_.err, "warning: the tokens were not read again, and the old ones go on: {}\n", error.what());
      }
    }
    console_.err.flush();
  }

  void drain(HttpServer& server, ServeService& service) const {
    print_to(console_.err, "finishing what has begun\n");
    console_.err.flush();
    service.drain();
    server.drain();
    const auto end = std::chrono::steady_clock::now() + arguments_.drain;
    while (!server.drained() && server.running() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (!server.drained()) {
      throw Error(ErrorKind::kInterrupted,
                  fmt::format("{} connections were open after {}", server.counts().connections, arguments_.drain_time),
                  "give them more time with --drain-time");
    }
  }

  // Sizes, codes and times: nothing of what was asked.
  void log(const RequestRecord& record) const {
    print_to(console_.err, "{} {} rows={} in={} out={} ms={:.1f}\n", record.route.empty() ? "-" : record.route,
             record.status, record.rows, record.bytes_in, record.bytes_out, 1000 * record.took.count());
    console_.err.flush();
  }

  const ServeArguments& arguments_;
  const Console& console_;
  std::optional<Tokens> tokens_;
  ServedModels models_;
};

void add_limits(CLI::App& app, ServeArguments& arguments) {
  ServeOptions& options = arguments.options;
  const char* const group = "Limits";
  const auto size = [&](const char* name, std::size_t& value, const char* help) {
    app.add_option(name, value, help)
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40))
        ->capture_default_str()
        ->group(group);
  };
  app.add_option("--max-body", arguments.body_bytes, "of a request, such as 16MB; more gets 413")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->default_str("16MB")
      ->group(group);
  size("--max-rows", options.rows, "of a request; more gets 413");
  app.add_option("--max-nodes", options.nodes, "of a graph; more gets 413")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32))
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-rollouts", options.rollouts, "that a request may ask for; more gets 400")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->group(group);
  size("--max-explained", options.explained, "rows of a request to /explain and /view; more gets 413");
  size("--max-queue", options.queue_rows, "rows that wait for their answers; more gets 503");
  size("--max-requests", options.requests, "that wait for their answers; more gets 503");
  size("--max-requests-of-client", options.requests_of_client, "the same of one token, or address; more gets 429");
  size("--max-connections", options.connections, "open at once; more gets 503");
  app.add_option("--max-memory", arguments.memory, "of bodies and answers, such as 64MB; more gets 503")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->default_str("64MB")
      ->group(group);
  app.add_option("--request-time", arguments.request_time, "for an answer: 500ms, 30s, 2m; later gets 503")
      ->capture_default_str()
      ->group(group);
  app.add_option("--drain-time", arguments.drain_time, "to finish what has begun when the server is to end")
      ->capture_default_str()
      ->group(group);
}

}  // namespace

CommandRun define_serve(CLI::App& app) {
  auto arguments = std::make_shared<ServeArguments>();
  app.add_option("MODEL", arguments->models, "model files or folders of runs; NAME=FILE gives one another name")
      ->required();
  app.add_option("--host", arguments->host, "address to listen on; other than this machine's own takes --token-file")
      ->capture_default_str();
  app.add_option("--port", arguments->port, "to listen on; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option("--threads", arguments->options.threads, "that read requests and run models")
      ->check(CLI::Range(1, 1024))
      ->default_val(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  app.add_option("--batch-rows", arguments->options.batch_rows, "rows that are run together, at most")
      ->check(CLI::Range(std::size_t{1}, std::size_t{4096}))
      ->capture_default_str();
  app.add_option("--batch-wait", arguments->batch_wait, "that a row waits for others, at most: 2ms, 0s")
      ->capture_default_str();
  add_rollout_options(app, arguments->rollouts);
  app.add_option("--token-file", arguments->token_file,
                 "who has one of the tokens in this file, one per line, may ask: Authorization: Bearer TOKEN");
  app.add_flag("--insecure", arguments->insecure, "let everybody ask who reaches --host");
  app.add_flag("--log", arguments->log,
               "tell of every request: its address, code, sizes and time, nothing of its data");
  add_limits(app, *arguments);
  return [arguments, &app](const Console& console) {
    finish_rollout_options(app, arguments->rollouts);
    ServeOptions& options = arguments->options;
    options.predicting = arguments->rollouts.options;
    options.rollouts = std::max(options.rollouts, options.predicting.rollouts);
    options.batch_wait = time_of<std::chrono::microseconds>(arguments->batch_wait, "--batch-wait", 60);
    options.request_time = time_of<std::chrono::milliseconds>(arguments->request_time, "--request-time", 86400);
    arguments->drain = time_of<std::chrono::milliseconds>(arguments->drain_time, "--drain-time", 86400);
    options.body_bytes = arguments->body_bytes;
    options.held_bytes = std::max(arguments->memory, arguments->body_bytes);
    allow_connections(options, console);
    ServeRun(*arguments, console).run();
  };
}

}  // namespace agentnet
