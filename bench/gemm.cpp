// Our matrix products against OpenBLAS and, where it is installed, oneDNN, at the shapes that the model uses.
//
//   bench_gemm [--hidden H] [--seconds S]
//
// forward: y [M, N] = x [M, K] W^T, where W [N, K] is packed beforehand, as the engine does once per optimizer step.
// gradient: dW [N, K] += dy [M, N]^T x [M, K].
// All on one thread. The contenders take turns; a number is the median over the turns.
#include <cblas.h>
#include <dlfcn.h>
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "stopwatch.h"
#include "tensor/kernels.h"
#include "tensor/matrix.h"

#if __has_include(<oneapi/dnnl/dnnl.h>)
#include <oneapi/dnnl/dnnl.h>
#define AGENTNET_BENCH_DNNL
#endif

namespace agentnet {
namespace {

std::vector<float> some_numbers(Index rows, Stride ld, std::uint64_t seed) {
  RandomSequence random(seed, Purpose::kTest);
  std::vector<float> v(static_cast<std::size_t>(rows) * static_cast<std::size_t>(ld));
  for (float& x : v) x = static_cast<float>(random.normal());
  return v;
}

// What both products of a layer read, laid out as in the engine; gradients lie in the flat buffer, rows close together.
struct Operands {
  Index M, N, K;
  Stride ldx = leading_dimension<float>(K), ldy = leading_dimension<float>(N);
  std::vector<float> x = some_numbers(M, ldx, 1), dy = some_numbers(M, ldy, 2), w = some_numbers(N, K, 3);
  std::vector<float> packed = std::vector<float>(packed_size(kernels<float>(), K, N));

  Operands(Index rows, Index out, Index in) : M(rows), N(out), K(in) {
    kernels<float>().pack(K, N, w.data(), 1, K, packed.data());
  }
  [[nodiscard]] double gflop() const { return 2e-9 * M * N * K; }
};

using Product = void (*)(const Operands& o, float* out);
struct Contender {
  std::string name;
  Product forward, gradient;
};

const std::vector<Contender> kContenders = {
    {"ours",
     [](const Operands& o, float* y) {
       kernels<float>().gemm(o.M, o.N, o.K, o.x.data(), o.ldx, o.packed.data(), {}, y, o.ldy);
     },
     [](const Operands& o, float* dw) {
       kernels<float>().gemm_tn(o.M, o.N, o.K, o.dy.data(), o.ldy, o.x.data(), o.ldx, dw, o.K);
     }},
    {"OpenBLAS",
     [](const Operands& o, float* y) {
       cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, o.M, o.N, o.K, 1.0F, o.x.data(), static_cast<int>(o.ldx),
                   o.w.data(), o.K, 0.0F, y, static_cast<int>(o.ldy));
     },
     [](const Operands& o, float* dw) {
       cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, o.N, o.K, o.M, 1.0F, o.dy.data(), static_cast<int>(o.ldy),
                   o.x.data(), static_cast<int>(o.ldx), 1.0F, dw, o.K);
     }},
#ifdef AGENTNET_BENCH_DNNL
    {"oneDNN",
     [](const Operands& o, float* y) {
       dnnl_sgemm('N', 'T', o.M, o.N, o.K, 1.0F, o.x.data(), o.ldx, o.w.data(), o.K, 0.0F, y, o.ldy);
     },
     [](const Operands& o, float* dw) {
       dnnl_sgemm('T', 'N', o.N, o.K, o.M, 1.0F, o.dy.data(), o.ldy, o.x.data(), o.ldx, 1.0F, dw, o.K);
     }},
#endif
};

// OpenMP, on which oneDNN runs, reads its environment before main(): its call is looked up among what is loaded.
void keep_to_one_thread() {
  openblas_set_num_threads(1);
  using SetThreads = void (*)(int);
  if (auto* set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set(1);
}

// GFLOP/s of every contender at one product.
std::vector<double> race(const Operands& o, Product Contender::*product, double seconds) {
  const auto size = static_cast<std::size_t>(std::max(o.M * o.ldy, static_cast<Stride>(o.N) * o.K));
  std::vector<std::vector<float>> results(kContenders.size(), std::vector<float>(size));
  for (std::size_t c = 0; c < kContenders.size(); ++c) {
    (kContenders[c].*product)(o, results[c].data());
    for (std::size_t i = 0; i < size; ++i) {
      if (std::abs(results[c][i] - results[0][i]) > 1e-3F) {  // a race between different products would say nothing
        throw std::logic_error(kContenders[c].name + " and ours compute different products");
      }
    }
  }
  constexpr double kTurn = 5e-3;  // GFLOP: a tenth of a millisecond or less
  const int calls = std::max(1, static_cast<int>(kTurn / o.gflop()));
  std::vector<std::vector<double>> times(kContenders.size());
  const Stopwatch whole;
  while (times[0].size() < 11 || whole.seconds() < seconds) {
    for (std::size_t c = 0; c < kContenders.size(); ++c) {
      const Stopwatch watch;
      for (int i = 0; i < calls; ++i) (kContenders[c].*product)(o, results[c].data());
      times[c].push_back(watch.seconds() / calls);
    }
  }
  std::vector<double> gflops;
  for (const auto& t : times) gflops.push_back(o.gflop() / summarise(t).median);
  return gflops;
}

void print_header() {
  fmt::print("{:<8} {:>4} {:>4} {:>4} {:>4} | GFLOP/s:", "product", "h", "M", "N", "K");
  for (const Contender& c : kContenders) fmt::print(" {:>8}", c.name);
  fmt::print(" | ours to:");
  for (std::size_t c = 1; c < kContenders.size(); ++c) fmt::print(" {:>8}", kContenders[c].name);
  fmt::print("\n");
}

void print_row(const char* product, int hidden, const Operands& o, const std::vector<double>& gflops) {
  fmt::print("{:<8} {:>4} {:>4} {:>4} {:>4} |         ", product, hidden, o.M, o.N, o.K);
  for (const double g : gflops) fmt::print(" {:>8.1f}", g);
  fmt::print(" |         ");
  for (std::size_t c = 1; c < gflops.size(); ++c) fmt::print(" {:>8.2f}", gflops[0] / gflops[c]);
  fmt::print("\n");
}

}  // namespace
}  // namespace agentnet

int main(int argc, char** argv) {
  using namespace agentnet;
  CLI::App app{"Matrix products at the model's shapes: ours, OpenBLAS and oneDNN on one thread"};
  int only = 0;
  double seconds = 0.05;
  app.add_option("--hidden", only, "only this h (default: 32, 64 and 128)")->check(CLI::Range(1, 4096));
  app.add_option("--seconds", seconds, "time to spend on each row")->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);

  keep_to_one_thread();
  print_header();
  for (const int h : only > 0 ? std::vector<int>{only} : std::vector<int>{32, 64, 128}) {
    for (const auto& [in, out] : {std::pair(2 * h, 4 * h), std::pair(4 * h, h), std::pair(h, 2 * h)}) {
      for (const Index rows : {18, 85, 144, 284, 576}) {
        const Operands o(rows, out, in);
        print_row("forward", h, o, race(o, &Contender::forward, seconds));
        print_row("gradient", h, o, race(o, &Contender::gradient, seconds));
      }
    }
  }
  return 0;
}
