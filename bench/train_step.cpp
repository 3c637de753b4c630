// How fast a training step is, as a share of the speed of a large sgemm timed in the same process between repetitions.
//
//   bench_train_step [--workload NAME] [--threads N] [--seconds S] [--json]
//   bench_train_step --workload NAME --threads N --steps N
//
// With --steps it makes that many steps and no sgemm, and prints the shortest of them: for a count of instructions
// under valgrind, and for two builds of this program that take turns (scripts/compare-builds).
//
// A step is forward, loss, backward, clipping and AdamW. GFLOP counts the minimal algorithm (workloads.h).
#include <cblas.h>
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "nets/agentnet/engine.h"
#include "stopwatch.h"
#include "train/adamw.h"
#include "train/loss.h"
#include "workloads.h"

namespace agentnet {
namespace {

struct Row {
  std::string workload;
  int hidden = 0, threads = 0;
  bool recorded = false;
  Summary step, sgemm;
  double gflop = 0, memory_mb = 0;
  double shortest = 0;  // seconds of the shortest step

  [[nodiscard]] double sgemm_gflops() const { return sgemm.median; }
  [[nodiscard]] double share() const { return gflop / step.median / sgemm.median; }
};

// What is measured: steps = 0 means as many as fit into the seconds, at least five, each beside an sgemm.
struct Effort {
  double seconds = 3;
  int steps = 0;
};

Row measure(const Workload& w, int threads, Effort effort) {
  ThreadPool pool(threads);
  Engine<float> engine(w.config, pool);
  std::vector<float> parameters(engine.layout().size()), gradient(parameters.size());
  initialise_agentnet<float>(engine.layout(), w.config, 1, parameters);
  AdamW<float> optimizer(engine.layout(), {});
  const std::vector<GraphView> graphs = w.views();
  std::vector<std::uint64_t> ids(graphs.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  const auto loss = make_loss<float>(LossKind::kCrossEntropy, w.config.outputs, w.labels, graphs.size());
  RolloutOptions options;
  options.seed = 1;

  const auto step = [&] {
    engine.set_parameters(parameters);
    engine.gradients({graphs, ids}, options, loss, gradient);
    clip_norm<float>(gradient, 1.0);
    optimizer.step(parameters, gradient, 1e-4);
    ++options.epoch;
  };
  Row row;
  row.workload = w.name;
  row.hidden = w.config.hidden;
  row.threads = threads;
  row.recorded = w.recorded;
  step();  // the first steps fill the arenas
  step();
  std::vector<double> times, speeds, work;
  std::optional<SgemmProbe> probe;
  if (effort.steps == 0) probe.emplace(pool);
  const Stopwatch whole;
  const auto enough = [&] {
    if (effort.steps > 0) return times.size() == static_cast<std::size_t>(effort.steps);
    return times.size() >= 5 && whole.seconds() >= effort.seconds;
  };
  while (!enough()) {
    const Stopwatch watch;
    step();
    times.push_back(watch.seconds());
    work.push_back(minimal_gflop(w.config, graphs.size(), engine.work(), /*training=*/true));
    if (probe) speeds.push_back(probe->gflops());
  }
  row.shortest = *std::min_element(times.begin(), times.end());
  row.step = summarise(times);
  if (probe) row.sgemm = summarise(speeds);
  row.gflop = summarise(work).median;
  row.memory_mb = static_cast<double>(engine.memory() + optimizer.memory() + gradient.size() * sizeof(float)) / 1e6;
  return row;
}

void print_table(const std::vector<Row>& rows) {
  fmt::print("{:<12} {:>4} {:>3} {:>9} {:>7} {:>8} {:>9} {:>7} {:>7} {:>8}\n", "workload", "h", "thr", "ms", "+-",
             "GFLOP", "GFLOP/s", "sgemm", "share", "MB");
  for (const Row& r : rows) {
    fmt::print("{:<12} {:>4} {:>3} {:>9.2f} {:>7.2f} {:>8.3f} {:>9.1f} {:>7.1f} {:>6.1f}% {:>8.1f}{}\n", r.workload,
               r.hidden, r.threads, r.step.median * 1e3, r.step.deviation * 1e3, r.gflop, r.gflop / r.step.median,
               r.sgemm_gflops(), 100 * r.share(), r.memory_mb, r.recorded ? "" : "  (built-in graphs)");
  }
}

void print_json(const std::vector<Row>& rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Row& r : rows) {
    all.push_back({{"workload", r.workload},
                   {"hidden", r.hidden},
                   {"threads", r.threads},
                   {"ms_median", r.step.median * 1e3},
                   {"ms_deviation", r.step.deviation * 1e3},
                   {"repetitions", r.step.count},
                   {"gflop", r.gflop},
                   {"sgemm_gflops", r.sgemm_gflops()},
                   {"share", r.share()},
                   {"memory_mb", r.memory_mb},
                   {"recorded", r.recorded}});
  }
  fmt::print("{}\n", all.dump(2));
}

}  // namespace
}  // namespace agentnet

int main(int argc, char** argv) {
  CLI::App app{"Time of a training step, as a share of sgemm's speed"};
  std::string name;
  int threads = 0;
  agentnet::Effort effort;
  bool json = false;
  app.add_option("--workload", name, "only this one: mutag (or mutag32, mutag64, mutag128), dd64, reddit64, wl128");
  app.add_option("--threads", threads, "only this number of threads (default: 1 and 2)")->check(CLI::Range(1, 1024));
  app.add_option("--seconds", effort.seconds, "time to spend on each row")->check(CLI::NonNegativeNumber);
  app.add_option("--steps", effort.steps, "this many steps and no sgemm; prints the shortest, in milliseconds")
      ->check(CLI::Range(1, 1'000'000));
  app.add_flag("--json", json, "an array of rows instead of a table");
  CLI11_PARSE(app, argc, argv);

  std::vector<agentnet::Row> rows;
  for (const agentnet::Workload& w : agentnet::training_workloads()) {
    if (!name.empty() && name != w.name && name != w.name + std::to_string(w.config.hidden)) continue;
    for (const int t : threads > 0 ? std::vector<int>{threads} : std::vector<int>{1, 2}) {
      rows.push_back(agentnet::measure(w, t, effort));
    }
  }
  if (rows.empty()) {
    fmt::print(stderr, "error: no workload named '{}'\nhint: mutag, dd64, reddit64 or wl128\n", name);
    return 2;
  }
  if (effort.steps > 0) {
    for (const agentnet::Row& r : rows) fmt::print("{:.4f}\n", 1e3 * r.shortest);
  } else if (json) {
    agentnet::print_json(rows);
  } else {
    agentnet::print_table(rows);
  }
  return 0;
}
