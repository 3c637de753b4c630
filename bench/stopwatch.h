// Time, medians, and the yardstick: what a large sgemm reaches on this machine right now.
#pragma once

#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "core/thread_pool.h"

extern "C" void openblas_set_num_threads(int);  // not declared by every cblas.h

namespace agentnet {

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct Summary {
  double median = 0;
  double deviation = 0;  // standard deviation
  std::size_t count = 0;
};

inline Summary summarise(std::vector<double> values) {
  Summary s;
  s.count = values.size();
  std::sort(values.begin(), values.end());
  s.median = values[values.size() / 2];
  double mean = 0;
  for (const double v : values) mean += v / static_cast<double>(values.size());
  for (const double v : values) s.deviation += (v - mean) * (v - mean) / static_cast<double>(values.size());
  s.deviation = std::sqrt(s.deviation);
  return s;
}

// One square sgemm per worker at the same time, each on a single BLAS thread.
class SgemmProbe {
 public:
  explicit SgemmProbe(ThreadPool& pool) : pool_(pool) {
    openblas_set_num_threads(1);
    const auto workers = static_cast<std::size_t>(pool.size());
    for (auto* m : {&a_, &b_, &c_}) m->assign(workers, std::vector<float>(kSize * kSize, 0.5F));
    gflops();  // warm up
  }

  double gflops() {
    const auto workers = static_cast<std::size_t>(pool_.size());
    const Stopwatch watch;
    pool_.run(workers, [&](std::size_t task, int) {
      const int n = static_cast<int>(kSize);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0F, a_[task].data(), n, b_[task].data(), n,
                  0.0F, c_[task].data(), n);
    });
    return static_cast<double>(workers) * 2e-9 * kSize * kSize * kSize / watch.seconds();
  }

 private:
  static constexpr std::size_t kSize = 1024;
  ThreadPool& pool_;
  std::vector<std::vector<float>> a_, b_, c_;
};

}  // namespace agentnet
