#include "serve/metrics.h"

#include <fmt/core.h>

namespace agentnet {
namespace {

void describe(std::string& text, std::string_view name, std::string_view kind, std::string_view help) {
  text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, kind);
}

template <std::size_t kBounds>
void write_histogram(std::string& text, std::string_view name, const std::string& labels,
                     const Histogram<kBounds>& histogram, const std::array<double, kBounds>& bounds) {
  std::uint64_t so_far = 0;
  const std::string before = labels.empty() ? "" : labels + ",";
  for (std::size_t i = 0; i < kBounds; ++i) {
    so_far += histogram.counts[i];
    text += fmt::format("{}_bucket{{{}le=\"{}\"}} {}\n", name, before, bounds[i], so_far);
  }
  text += fmt::format("{}_bucket{{{}le=\"+Inf\"}} {}\n", name, before, histogram.count);
  const std::string all = labels.empty() ? "" : "{" + labels + "}";
  text += fmt::format("{}_sum{} {}\n{}_count{} {}\n", name, all, histogram.sum, name, all, histogram.count);
}

}  // namespace

void ServeMetrics::add_request(std::string_view route, int status, std::chrono::duration<double> took) {
  const std::lock_guard lock(mutex_);
  ++requests_[{std::string(route), status}];
  seconds_[std::string(route)].add(took.count(), kSeconds);
}

void ServeMetrics::add_refused(int status) {
  const std::lock_guard lock(mutex_);
  ++refused_[status];
}

void ServeMetrics::add_rows(Rows status, std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  rows_[static_cast<std::size_t>(status)] += count;
}

void ServeMetrics::add_batch(std::size_t rows) {
  const std::lock_guard lock(mutex_);
  batches_.add(static_cast<double>(rows), kBatchRows);
}

void ServeMetrics::add_reload(const std::string& model, bool loaded) {
  const std::lock_guard lock(mutex_);
  ++reloads_[{model, loaded}];
}

std::string ServeMetrics::text(const ServeState& state) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  const auto number = [&](std::string_view name, std::string_view kind, std::string_view help, std::uint64_t value) {
    describe(text, name, kind, help);
    text += fmt::format("{} {}\n", name, value);
  };
  describe(text, "agentnet_requests_total", "counter", "Requests that were answered, by route and status code.");
  for (const auto& [key, count] : requests_) {
    text += fmt::format("agentnet_requests_total{{route=\"{}\",code=\"{}\"}} {}\n", key.first, key.second, count);
  }
  describe(text, "agentnet_refused_total", "counter",
           "Requests that reached no route: malformed, too large, or too many.");
  for (const auto& [status, count] : refused_) {
    text += fmt::format("agentnet_refused_total{{code=\"{}\"}} {}\n", status, count);
  }
  describe(text, "agentnet_request_seconds", "histogram", "From the last byte of a request to its answer.");
  for (const auto& [route, histogram] : seconds_) {
    write_histogram(text, "agentnet_request_seconds", "route=\"" + route + "\"", histogram, kSeconds);
  }
  describe(text, "agentnet_rows_total", "counter", "Rows that were answered, by what became of them.");
  constexpr std::array<std::string_view, 3> kRows = {"ok", "bad", "not_finite"};
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    text += fmt::format("agentnet_rows_total{{status=\"{}\"}} {}\n", kRows[i], rows_[i]);
  }
  describe(text, "agentnet_batch_rows", "histogram", "Rows that were run together.");
  write_histogram(text, "agentnet_batch_rows", "", batches_, kBatchRows);
  number("agentnet_queue_rows", "gauge", "Rows that were read and have no answer yet.", state.queued_rows);
  number("agentnet_requests", "gauge", "Requests that are whole and have no answer yet.", state.requests);
  number("agentnet_connections", "gauge", "Open connections.", state.http.connections);
  number("agentnet_connections_total", "counter", "Connections that were accepted.", state.http.accepted);
  number("agentnet_connections_refused_total", "counter", "Connections that were one too many.", state.http.refused);
  number("agentnet_connections_slow_total", "counter", "Connections whose time had run out.", state.http.too_slow);
  number("agentnet_held_bytes", "gauge", "Bytes of requests and answers in memory.", state.http.held_bytes);
  number("agentnet_draining", "gauge", "1 while the server finishes what it has and takes no more.",
         state.draining ? 1 : 0);
  describe(text, "agentnet_model_info", "gauge", "A model that is served; its version changes when it is reloaded.");
  for (const auto& [name, version, kind] : state.models) {
    text += fmt::format("agentnet_model_info{{model=\"{}\",version=\"{}\",kind=\"{}\"}} 1\n", name, version, kind);
  }
  describe(text, "agentnet_model_reloads_total", "counter", "Times that a model's file was read again.");
  for (const auto& [key, count] : reloads_) {
    text += fmt::format("agentnet_model_reloads_total{{model=\"{}\",result=\"{}\"}} {}\n", key.first,
                        key.second ? "loaded" : "failed", count);
  }
  return text;
}

}  // namespace agentnet
