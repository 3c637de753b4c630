// What a server of models is told, and what it lets a request ask for.
#pragma once

#include <chrono>
#include <cstddef>

#include "agentnet/predict.h"

namespace agentnet {

struct ServeOptions {
  PredictOptions predicting = {.rollouts = 8};  // what a request gets that does not say otherwise
  int threads = 1;                              // that read requests and run models
  std::size_t batch_rows = 64;                  // rows that are run together, at most
  std::chrono::microseconds batch_wait = std::chrono::milliseconds(2);  // for further rows, at most

  // Of one request; beyond, it is refused with 413, or with 400 where it asks for more than it may.
  std::size_t body_bytes = std::size_t{16} << 20;
  std::size_t rows = 10000;
  std::uint64_t nodes = 100000;  // of a graph; its edges may be sixteen times as many
  int rollouts = 1000;
  std::size_t explained = 16;  // rows of a request for explanations

  // Of all together; beyond, 503 with Retry-After.
  std::size_t queue_rows = 100000;  // read, and waiting for their answers
  std::size_t requests = 1024;      // whole, and not answered yet
  std::size_t connections = 1024;
  std::size_t held_bytes = std::size_t{64} << 20;                     // bodies and answers in memory
  std::chrono::milliseconds request_time = std::chrono::seconds(30);  // from the last byte of a request

  // Of one client (its token, or its address): requests that are not answered yet; beyond, 429 with Retry-After.
  std::size_t requests_of_client = 256;
};

}  // namespace agentnet
