// How long one prediction takes, and that it does not depend on the size of the graph.
//
//   bench_predict [--nodes 10000,1000000] [--threads N] [--seconds S] [--json]
//
// First the training workloads as predictions; then one random 6-regular graph of each size, k = 16, T = 16, h = 128,
// as the authors' code was timed (docs/performance.md).
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "nets/agentnet/engine.h"
#include "stopwatch.h"
#include "workloads.h"

namespace agentnet {
namespace {

struct Row {
  std::string workload;
  std::uint64_t nodes = 0;
  int hidden = 0, threads = 0;
  Summary time;
  double gflop = 0, sgemm_gflops = 0;
  std::uint64_t nodes_touched = 0;
  double memory_mb = 0;
};

Row measure(const Workload& w, int threads, double seconds) {
  ThreadPool pool(threads);
  Engine<float> engine(w.config, pool);
  std::vector<float> parameters(engine.layout().size());
  initialise_agentnet<float>(engine.layout(), w.config, 1, parameters);
  engine.set_parameters(parameters);
  const std::vector<GraphView> graphs = w.views();
  std::vector<std::uint64_t> ids(graphs.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  std::vector<float> outputs(graphs.size() * static_cast<std::size_t>(w.config.outputs));
  RolloutOptions options;
  const auto run = [&] {
    engine.predict({graphs, ids}, options, outputs);
    ++options.epoch;
  };
  run();
  run();
  std::vector<double> times, touched, work, speeds;
  SgemmProbe probe(pool);
  const Stopwatch whole;
  while (times.size() < 9 || whole.seconds() < seconds) {
    const Stopwatch watch;
    run();
    times.push_back(watch.seconds());
    touched.push_back(static_cast<double>(engine.work().nodes_touched));
    work.push_back(minimal_gflop(w.config, graphs.size(), engine.work(), /*training=*/false));
    if (times.size() % 4 == 1) speeds.push_back(probe.gflops());
  }
  Row row;
  row.workload = w.name;
  for (const GraphView& g : graphs) row.nodes += g.num_nodes;
  row.hidden = w.config.hidden;
  row.threads = threads;
  row.time = summarise(times);
  row.gflop = summarise(work).median;
  row.sgemm_gflops = summarise(speeds).median;
  row.nodes_touched = static_cast<std::uint64_t>(summarise(touched).median);
  row.memory_mb = static_cast<double>(engine.memory()) / 1e6;
  return row;
}

Workload single_graph(std::uint32_t nodes) {
  Workload w;
  w.name = "regular6";
  w.config.hidden = 128;
  w.config.agents = 16;
  w.config.steps = 16;
  w.config.node_features = 1;
  w.graphs.push_back(regular_graph(nodes, 6, 1));
  w.labels.push_back(0);
  return w;
}

void print(const std::vector<Row>& rows, bool json) {
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Row& r : rows) {
      all.push_back({{"workload", r.workload},
                     {"n", r.nodes},
                     {"hidden", r.hidden},
                     {"threads", r.threads},
                     {"ms_median", r.time.median * 1e3},
                     {"ms_deviation", r.time.deviation * 1e3},
                     {"gflop", r.gflop},
                     {"sgemm_gflops", r.sgemm_gflops},
                     {"share", r.gflop / r.time.median / r.sgemm_gflops},
                     {"nodes_touched", r.nodes_touched},
                     {"memory_mb", r.memory_mb}});
    }
    fmt::print("{}\n", all.dump(2));
    return;
  }
  fmt::print("{:<10} {:>9} {:>4} {:>3} {:>9} {:>7} {:>8} {:>7} {:>9} {:>7}\n", "workload", "n", "h", "thr", "ms", "+-",
             "GFLOP", "share", "touched", "MB");
  for (const Row& r : rows) {
    fmt::print("{:<10} {:>9} {:>4} {:>3} {:>9.3f} {:>7.3f} {:>8.3f} {:>6.1f}% {:>9} {:>7.1f}\n", r.workload, r.nodes,
               r.hidden, r.threads, r.time.median * 1e3, r.time.deviation * 1e3, r.gflop,
               100 * r.gflop / r.time.median / r.sgemm_gflops, r.nodes_touched, r.memory_mb);
  }
}

}  // namespace
}  // namespace agentnet

int main(int argc, char** argv) {
  CLI::App app{"Time of a prediction, on sets and on single graphs of any size"};
  std::vector<std::uint32_t> nodes = {1000, 10000, 100000, 1000000};
  int threads = 1;
  double seconds = 2;
  bool json = false, only_single = false;
  app.add_option("--nodes", nodes, "sizes of the single graphs")->delimiter(',')->check(CLI::Range(7U, 1U << 30));
  app.add_option("--threads", threads, "workers")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--seconds", seconds, "time to spend on each row")->check(CLI::NonNegativeNumber);
  app.add_flag("--single", only_single, "only the single graphs");
  app.add_flag("--json", json, "an array of rows instead of a table");
  CLI11_PARSE(app, argc, argv);
  std::vector<agentnet::Row> rows;
  if (!only_single) {
    for (const agentnet::Workload& w : agentnet::training_workloads()) {
      rows.push_back(agentnet::measure(w, threads, seconds));
    }
  }
  for (const std::uint32_t n : nodes) rows.push_back(agentnet::measure(agentnet::single_graph(n), threads, seconds));
  agentnet::print(rows, json);
  return 0;
}
