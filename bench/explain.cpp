// What an explanation costs beside the prediction of the same rollouts.
//
//   bench_explain [--rollouts 64] [--repetitions 5] [--threads N] [--json]
//
// Prediction and explanation take turns, so that both see the same machine; the ratio is the median over the turns.
#include "agentnet/explain.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "stopwatch.h"
#include "workloads.h"

namespace agentnet {
namespace {

struct Options {
  int rollouts = 64, repetitions = 5, threads = 1;
  bool json = false;
};

struct Row {
  std::string workload;
  std::size_t graphs = 0;
  double predict_ms = 0, walks = 0, gradient = 0;  // the last two as multiples of the first
};

Row measure(const Workload& w, const Options& options) {
  Model model(w.config, 1);
  model.card().task = "classification";
  std::vector<GraphView> graphs = w.views();
  graphs.resize(std::min<std::size_t>(graphs.size(), 64));
  const PredictOptions walks{.rollouts = options.rollouts, .threads = options.threads};
  const auto time = [&](const auto& f) {
    const Stopwatch watch;
    f();
    return watch.seconds();
  };
  const auto predicting = [&] { static_cast<void>(predict(model, graphs, walks)); };
  const auto explaining = [&](bool influence) {
    return [&, influence] { static_cast<void>(explain(model, graphs, {.walks = walks, .influence = influence})); };
  };
  predicting();
  explaining(true)();
  std::vector<double> plain, watched, gradient;
  for (int i = 0; i < options.repetitions; ++i) {
    const double base = time(predicting);
    plain.push_back(base);
    watched.push_back(time(explaining(false)) / base);
    gradient.push_back(time(explaining(true)) / base);
  }
  return {w.name, graphs.size(), 1e3 * summarise(plain).median, summarise(watched).median, summarise(gradient).median};
}

void run(const Options& options) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  if (!options.json) {
    fmt::print("{:<10} {:>4} {:>6} {:>12} {:>14} {:>22}\n", "workload", "h", "graphs", "predict ms", "walks alone",
               "walks and influence");
  }
  for (const Workload& w : training_workloads()) {
    const Row row = measure(w, options);
    if (options.json) {
      all.push_back({{"workload", row.workload},
                     {"hidden", w.config.hidden},
                     {"graphs", row.graphs},
                     {"predict_ms", row.predict_ms},
                     {"walks_ratio", row.walks},
                     {"gradient_ratio", row.gradient}});
    } else {
      fmt::print("{:<10} {:>4} {:>6} {:>12.1f} {:>13.2f}x {:>21.2f}x\n", row.workload, w.config.hidden, row.graphs,
                 row.predict_ms, row.walks, row.gradient);
    }
  }
  if (options.json) fmt::print("{}\n", all.dump(2));
}

}  // namespace
}  // namespace agentnet

int main(int argc, char** argv) {
  CLI::App app{"What an explanation costs beside the prediction of the same rollouts"};
  agentnet::Options options;
  app.add_option("--rollouts", options.rollouts, "of each graph")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "turns")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--threads", options.threads, "workers")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_flag("--json", options.json, "as JSON");
  CLI11_PARSE(app, argc, argv);
  agentnet::run(options);
}
