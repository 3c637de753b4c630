// agentnet demo: the model learns a task that standard message-passing networks provably cannot.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <numeric>
#include <ostream>
#include <thread>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "agentnet/train.h"
#include "command_list.h"
#include "core/print.h"
#include "data/synthetic/synthetic.h"
#include "interrupt.h"
#include "output/page_file.h"
#include "output/progress.h"
#include "view/page/page_walks.h"
#include "view/page/run_page.h"

namespace agentnet {
namespace {

struct DemoOptions {
  std::uint64_t steps = 1500;
  std::uint64_t seed = 0;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::string output, page;
  bool force = false;
};

constexpr std::size_t kTrain = 1000, kValid = 100, kFresh = 300, kShown = 6;
constexpr std::uint64_t kStepsPerEpoch = 100;
constexpr int kRollouts = 8;

std::string set_of(std::size_t graphs, std::uint64_t seed) {
  return fmt::format("synthetic:4cycles?graphs={}&seed={}", graphs, seed);
}

// docs/results.md has the search that led to these.
AgentNetConfig demo_model() {
  AgentNetConfig model;
  model.hidden = 32;
  model.agents = 16;
  model.steps = 16;
  model.time_table = TimeTable::kRandom;
  return model;
}

TrainConfig demo_training(const DemoOptions& options) {
  TrainConfig train;
  train.batch = 20;
  // About a hundred each, and exactly as many in all as were asked for.
  train.epochs = std::max<std::uint64_t>(1, options.steps / kStepsPerEpoch);
  while (options.steps % train.epochs != 0) --train.epochs;
  train.steps_per_epoch = options.steps / train.epochs;
  train.learning_rate = 1e-3;
  train.sampling = Sampling::kReplacement;
  train.seed = options.seed;
  return train;
}

Split demo_split() {
  Split split;
  split.train.resize(kTrain);
  std::iota(split.train.begin(), split.train.end(), std::size_t{0});
  split.valid.resize(kValid);
  std::iota(split.valid.begin(), split.valid.end(), kTrain);
  return split;
}

TrainResult trained(const Dataset& data, const Split& split, const DemoOptions& options, const Console& console) {
  const TrainConfig config = demo_training(options);

  const InterruptGuard guard;
  ProgressLine progress(console);
  std::string last = "starting";
  TrainHooks hooks;
  hooks.on_epoch = [&](const EpochRecord& record) {
    last = fmt::format("loss {:.3f}  accuracy on other graphs {:.2f}", record.loss, record.metric.value_or(0));
    progress.print_plain(fmt::format("step {:>4} of {}  {}  {}", record.steps, config.epochs * config.steps_per_epoch,
                                     last, duration_text(record.seconds)),
                         record.epoch == config.epochs);
  };
  hooks.should_stop = [&](std::uint64_t done, std::uint64_t all) {
    progress.show(static_cast<double>(done) / static_cast<double>(all), last);
    return InterruptGuard::interrupted();
  };
  TrainResult result = train(data, split, demo_model(), config, options.threads, hooks);
  if (InterruptGuard::interrupted()) throw Error(ErrorKind::kInterrupted, "interrupted", "agentnet demo starts again");
  return result;
}

// GIN on the same graphs for as many steps, with the options that it has by itself. Takes a second or two.
Model trained_rival(const Dataset& data, const Split& split, const DemoOptions& options) {
  return train(data, split, {.kind = "gin", .options = "{}", .shape = {}}, demo_training(options), options.threads)
      .model;
}

double accuracy(const Predictions& predictions, const GraphSet& graphs) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    right += (predictions.mean[2 * i + 1] > 0.5) == (graphs.targets(i)[0] > 0.5) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(graphs.size());
}

// What the fresh graphs looked like to the model, to click through.
void write_demo_page(const TrainResult& trained, const Dataset& fresh, const Predictions& predictions, double of_rival,
                     const PredictOptions& predicting, const DemoOptions& options, const Console& console) {
  PageData page;
  page.title = "agentnet demo: is there a 4-cycle?";
  page.created = page_maker();
  page.model_file = options.output;
  page.model = &trained.model;
  page.data = &fresh;
  page.graphs.resize(fresh.graphs.size());
  std::iota(page.graphs.begin(), page.graphs.end(), std::size_t{0});
  page.predictions = &predictions;
  page.baselines = {{"GIN, trained the same", {{"accuracy", of_rival}}}};
  page.training = {"accuracy", trained.history};
  add_walks(page, {.walks = predicting});
  write_page(options.page, page, console);
}

void show_results(const TrainResult& trained, const Model& rival, const DemoOptions& options, const Console& console) {
  const Model& model = trained.model;
  const Dataset fresh = make_synthetic(set_of(kFresh, options.seed + 1000));
  PredictOptions predicting;
  predicting.seed = options.seed;
  predicting.threads = options.threads;
  predicting.rollouts = kRollouts;
  const PredictOptions eight = predicting;
  const Predictions several = predict(model, fresh.graphs.views(), predicting);
  predicting.rollouts = 1;
  const Predictions one = predict(model, fresh.graphs.views(), predicting);
  const double of_rival = accuracy(predict(rival, fresh.graphs.views(), predicting), fresh.graphs);
  print_to(console.text(),
           "\naccuracy on {} fresh graphs\n"
           "  GIN, a message-passing network        {:>5.1f} %   (50 is chance, and provably its best)\n"
           "  AgentNet, one walk                    {:>5.1f} %\n"
           "  AgentNet, mean of {} walks             {:>5.1f} %\n\n",
           kFresh, 100 * of_rival, 100 * accuracy(one, fresh.graphs), kRollouts, 100 * accuracy(several, fresh.graphs));
  print_to(console.text(), "some of its predictions\n  graph  has a 4-cycle  predicted probability  walk spread\n");
  for (std::size_t i = 0; i < kShown; ++i) {
    print_to(console.text(), "  {:>5}  {:<13}  {:<21.3f}  {:.3f}\n", i, fresh.graphs.targets(i)[0] > 0.5 ? "yes" : "no",
             several.mean[2 * i + 1], several.walk_spread[2 * i + 1]);
  }
  console.text().flush();
  if (options.page.empty()) return;
  print_to(console.err, "\n");
  write_demo_page(trained, fresh, several, of_rival, eight, options, console);
}

void run_demo(const DemoOptions& options, const Console& console) {
  if (!options.output.empty() && std::filesystem::exists(options.output)) {
    throw Error(ErrorKind::kUsage, options.output + " exists already", "choose another name, or remove it");
  }
  if (!options.page.empty()) plan_page(options.page, options.force);
  const AgentNetConfig config = demo_model();
  print_to(console.err,
           "Each graph has 16 nodes, every one of degree 2; the question is whether it contains a 4-cycle.\n"
           "Message-passing networks see the same in both classes. Training {} agents that walk {} steps each:\n",
           config.agents, config.steps);
  const Dataset data = make_synthetic(set_of(kTrain + kValid, options.seed));
  const Split split = demo_split();
  const TrainResult result = trained(data, split, options, console);
  const Model rival = trained_rival(data, split, options);
  if (!options.output.empty()) result.model.save(options.output);
  show_results(result, rival, options, console);
  if (!options.output.empty()) {
    print_to(console.err, "\nsaved {}; look inside with: agentnet info {}\n", options.output, options.output);
  }
  print_to(console.err, "\nTry next:\n{}",
           options.page.empty() ? "  agentnet demo --page demo.html          the walks behind these answers\n" : "");
  print_to(console.err,
           "  agentnet inspect YOUR-DATA              what a set of graphs holds, and settings that suit it\n"
           "  agentnet train YOUR-DATA -o run1        a tested model of your own\n"
           "  agentnet cv YOUR-DATA                   an honest number for a small set\n");
  if (!options.page.empty()) {
    print_to(console.err, "\nNow open {} in a browser: every answer, and the walks behind it.\n", options.page);
  }
}

}  // namespace

CommandRun define_demo(CLI::App& app) {
  auto options = std::make_shared<DemoOptions>();
  app.add_option("--steps", options->steps, "training steps")->check(CLI::Range(1, 1000000))->capture_default_str();
  app.add_option("--seed", options->seed, "of weights, graphs and walks")->capture_default_str();
  app.add_option("--threads", options->threads, "workers")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("-o,--output", options->output, "save the model to this file");
  CLI::Option* page =
      app.add_option("--page", options->page, "write a page with predictions and walks, to open in a browser");
  app.add_flag("--force", options->force, "replace a page that is there")->needs(page);
  return [options](const Console& console) { run_demo(*options, console); };
}

}  // namespace agentnet
