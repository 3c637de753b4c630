// What a server counts, in Prometheus' text format. Numbers only: nothing of what was asked.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/server.h"

namespace agentnet {

// Counts of values up to each bound, as Prometheus wants them.
template <std::size_t kBounds>
struct Histogram {
  std::array<std::uint64_t, kBounds + 1> counts = {};  // the last: above all bounds
  std::uint64_t count = 0;
  double sum = 0;

  void add(double value, const std::array<double, kBounds>& bounds) {
    std::size_t i = 0;
    while (i < kBounds && value > bounds[i]) ++i;
    ++counts[i];
    ++count;
    sum += value;
  }
};

// What is not counted by request, but looked up when somebody asks.
struct ServeState {
  HttpCounts http;
  std::uint64_t queued_rows = 0, requests = 0;
  bool draining = false;
  // name, version, kind
  std::vector<std::array<std::string, 3>> models;
};

// All functions may be called by any number of threads.
class ServeMetrics {
 public:
  enum class Rows { kAnswered, kNoGraph, kNoNumber };

  // `route` is one of the server's own, never what a client wrote.
  void add_request(std::string_view route, int status, std::chrono::duration<double> took);
  void add_refused(int status);
  void add_rows(Rows status, std::uint64_t count);
  void add_batch(std::size_t rows);
  void add_reload(const std::string& model, bool loaded);

  [[nodiscard]] std::string text(const ServeState& state) const;

 private:
  static constexpr std::array kSeconds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0};
  static constexpr std::array kBatchRows = {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0};

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t, std::less<>> requests_;
  std::map<std::string, Histogram<kSeconds.size()>, std::less<>> seconds_;
  std::map<int, std::uint64_t> refused_;
  std::array<std::uint64_t, 3> rows_ = {};
  Histogram<kBatchRows.size()> batches_;
  std::map<std::pair<std::string, bool>, std::uint64_t> reloads_;
};

}  // namespace agentnet
