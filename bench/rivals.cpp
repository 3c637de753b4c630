// How fast a training step of GIN is, as a share of the speed of a large sgemm timed in the same process between steps.
//
//   bench_rivals [--workload NAME] [--seconds S]
//
// GIN has 5 convolutions of two linear maps, h = 64, batch norm, sum readouts of every layer and no dropout. A step is
// forward, loss, backward, clipping and AdamW, on the batches of bench_train_step. GFLOP counts the products of the
// formula, once forward and twice backward; sums over neighbours, norms and everything else count nothing. "share" goes
// by the clock; "alone" by the processor time of both, which other programs disturb less (one thread only). The last
// column is how many times as fast two threads are as one.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "nets/kinds.h"
#include "stopwatch.h"
#include "train/adamw.h"
#include "train/loss.h"
#include "workloads.h"

namespace agentnet {
namespace {

constexpr int kLayers = 5, kHidden = 64;

NetworkConfig gin_for(const Workload& w) {
  NetworkConfig config{.kind = "gin", .options = {}, .shape = {}};
  config.options = fmt::format(R"({{"layers": {}, "hidden": {}, "mlp_layers": 2, "dropout": 0}})", kLayers, kHidden);
  config.shape.node_features = w.config.node_features;
  config.shape.outputs = w.config.outputs;
  return config;
}

// 2 flops per multiplication and addition; N nodes, G graphs, d_0 features and d_1 = ... = d_5 = h:
// convolution l = 1..5: [N, d_{l-1}] [d_{l-1}, h] and [N, h] [h, h]; readout l = 0..5: [G, d_l] [d_l, C].
double product_gflop(const Workload& w) {
  double nodes = 0;
  for (const Graph& graph : w.graphs) nodes += static_cast<double>(graph.view().num_nodes);
  const auto graphs = static_cast<double>(w.graphs.size());
  const double features = w.config.node_features, classes = w.config.outputs, h = kHidden;
  double forward = 2 * graphs * features * classes;
  for (int l = 1; l <= kLayers; ++l) {
    forward += 2 * nodes * ((l == 1 ? features : h) * h + h * h) + 2 * graphs * h * classes;
  }
  return 3 * forward / 1e9;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Row {
  Summary step, sgemm;              // by the clock: seconds, GFLOP/s
  Summary step_alone, sgemm_alone;  // by processor time
  double memory_mb = 0;
};

Row measure(const Workload& w, int threads, double seconds) {
  ThreadPool pool(threads);
  const auto network = builtin_kinds().make(gin_for(w));
  std::vector<float> parameters(network->parameters().size()), gradient(parameters.size());
  std::vector<float> buffers(network->buffers().size());
  network->initialise(1, parameters);
  network->initialise_buffers(buffers);
  const auto prepared = network->make_prepared();
  const auto runner = network->make_runner(pool);
  AdamW<float> optimizer(network->parameters(), {});
  const std::vector<GraphView> graphs = w.views();
  std::vector<std::uint64_t> ids(graphs.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  const auto loss = make_loss<float>(LossKind::kCrossEntropy, w.config.outputs, w.labels, graphs.size());
  Call call;
  call.seed = 1;
  call.training = true;

  const auto step = [&] {
    prepared->prepare(parameters, buffers);
    runner->use(*prepared);
    static_cast<void>(runner->gradients({graphs, ids}, call, loss, gradient));
    runner->update_buffers(buffers);
    static_cast<void>(clip_norm<float>(gradient, 1.0));
    optimizer.step(parameters, gradient, 1e-4);
    ++call.number;
  };
  step();  // the first steps fill the arenas
  step();
  std::vector<double> times, speeds, alone_times, alone_speeds;
  SgemmProbe probe(pool);
  const Stopwatch whole;
  while (times.size() < 5 || whole.seconds() < seconds) {
    const Stopwatch watch;
    const double before = processor_seconds();
    step();
    alone_times.push_back(processor_seconds() - before);
    times.push_back(watch.seconds());
    const Stopwatch probing;
    const double before_probe = processor_seconds();
    speeds.push_back(probe.gflops());
    alone_speeds.push_back(speeds.back() * probing.seconds() / (processor_seconds() - before_probe));
  }
  Row row;
  row.step = summarise(times);
  row.sgemm = summarise(speeds);
  row.step_alone = summarise(alone_times);
  row.sgemm_alone = summarise(alone_speeds);
  row.memory_mb = static_cast<double>(runner->memory() + optimizer.memory() + gradient.size() * sizeof(float)) / 1e6;
  return row;
}

void run(const Workload& w, double seconds) {
  const double gflop = product_gflop(w);
  double alone = 0;
  for (const int threads : {1, 2}) {
    const Row row = measure(w, threads, seconds);
    if (threads == 1) alone = row.step.median;
    const double share_alone = gflop / row.step_alone.median / row.sgemm_alone.median;
    fmt::print("{:<12} {:>3} {:>9.2f} {:>7.2f} {:>8.3f} {:>9.1f} {:>7.1f} {:>6.1f}% {:>7} {:>8.1f} {:>6.2f}{}\n",
               w.name, threads, row.step.median * 1e3, row.step.deviation * 1e3, gflop, gflop / row.step.median,
               row.sgemm.median, 100 * gflop / row.step.median / row.sgemm.median,
               threads == 1 ? fmt::format("{:.1f}%", 100 * share_alone) : "", row.memory_mb, alone / row.step.median,
               w.recorded ? "" : "  (built-in graphs)");
  }
}

}  // namespace
}  // namespace agentnet

int main(int argc, char** argv) {
  CLI::App app{"Time of a training step of GIN, as a share of sgemm's speed"};
  std::string name;
  double seconds = 3;
  app.add_option("--workload", name, "only this one: mutag, dd64 or reddit64");
  app.add_option("--seconds", seconds, "time to spend on each row")->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);
  if (!name.empty() && name != "mutag" && name != "dd64" && name != "reddit64") {
    fmt::print(stderr, "error: no workload named '{}'\nhint: mutag, dd64 or reddit64\n", name);
    return 2;
  }
  fmt::print("{:<12} {:>3} {:>9} {:>7} {:>8} {:>9} {:>7} {:>7} {:>7} {:>8} {:>6}\n", "workload", "thr", "ms", "+-",
             "GFLOP", "GFLOP/s", "sgemm", "share", "alone", "MB", "faster");
  for (const agentnet::Workload& w : agentnet::training_workloads()) {
    // GIN's width is its own; of the widths that a workload has, one names it.
    const bool wanted = w.config.hidden == agentnet::kHidden && w.name != "wl128";
    if (wanted && (name.empty() || name == w.name)) agentnet::run(w, seconds);
  }
  return 0;
}
