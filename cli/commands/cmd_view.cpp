// agentnet view RUN|MODEL [DATA]: predictions and the walks behind them in a browser, served or as one file.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <ostream>
#include <thread>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "command_list.h"
#include "core/counted.h"
#include "core/print.h"
#include "interrupt.h"
#include "options/data_options.h"
#include "options/model_arguments.h"
#include "options/piped_data.h"
#include "options/run_source.h"
#include "options/split_options.h"
#include "output/page_file.h"
#include "output/progress.h"
#include "predict/not_finite.h"
#include "predict/reading.h"
#include "run/run.h"
#include "view/page/page_walks.h"
#include "view/page/run_page.h"
#include "view/server/server.h"

namespace agentnet {
namespace {

struct ViewArguments {
  std::string model;  // a model file, or the folder of a run
  DataArguments data;
  SplitArguments split;
  PartArguments part;
  RolloutArguments rollouts;
  std::size_t walks = 40;
  MoleculeNames names;
  std::string page;
  bool force = false;
  int port = 0;

  const CLI::App* app = nullptr;  // what was given on the command line

  [[nodiscard]] bool is_run() const { return is_run_folder(model); }
};

// What the page is about; it points into itself, and stays where it is.
struct Subject {
  explicit Subject(const std::filesystem::path& file) : model(Model::load(file)) {}
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  Model model;
  Dataset data;
  Predictions predictions;
  PredictOptions predicting;
  PageData page;
};

// The run's own data, split and way of predicting: the numbers are those of its summary.
void take_from_run(const ViewArguments& arguments, Subject& subject, const Console& console) {
  refuse_reading_options(*arguments.app);
  RunSource source = read_run_source(arguments.model, arguments.data, console);
  const Settings& settings = source.settings;
  const Split& split = source.split;
  subject.data = std::move(source.data);
  fit_to_model(subject.data, subject.model, /*with_targets=*/true);
  const std::string part = arguments.part.name.empty() ? std::string(part_to_show(split)) : arguments.part.name;

  PageData& page = subject.page;
  page.title = page_title(settings.source, part);
  page.graphs = graphs_of_part(split, part);
  page.training = training_of_run(arguments.model, settings);
  page.baselines = page_baselines(subject.data, split.train, page.graphs);
  take_walks_of_run(*arguments.app, settings, subject.predicting);
}

void take_from_data(const ViewArguments& arguments, Subject& subject, const Console& console) {
  DataOptions asked = arguments.data.parsed();
  prepare_for_split(arguments.split, asked);
  const std::string source = reopenable(arguments.data.source, console);
  keep_smiles(source, reading_options_for(subject.model, source, asked, WithTargets::kNo), asked);
  subject.data = read_with_truth(subject.model, source, asked, console).data;
  subject.page.title = page_title(source, arguments.part.name);
  subject.page.graphs = chosen_graphs(subject.data, arguments.split, arguments.part, asked.threads);
  if (arguments.is_run()) subject.page.training = training_of_run(arguments.model, {});
}

std::unique_ptr<Subject> subject_of(const ViewArguments& arguments, const Console& console) {
  const bool own_data = arguments.data.source.empty();
  if (own_data) require_run(arguments.model, fmt::format("view {} DATA", arguments.model));
  const std::filesystem::path file = model_file_of(arguments.model);
  auto subject = std::make_unique<Subject>(file);
  subject->predicting = arguments.rollouts.options;
  subject->predicting.threads = arguments.data.options.threads;
  subject->page.created = page_maker();
  subject->page.model_file = file.filename().string();
  if (own_data) {
    take_from_run(arguments, *subject, console);
  } else {
    take_from_data(arguments, *subject, console);
  }
  if (subject->page.graphs.empty()) throw Error(ErrorKind::kData, "there are no graphs to show");
  return subject;
}

void predict_and_explain(const ViewArguments& arguments, Subject& subject, const Console& console) {
  PageData& page = subject.page;
  page.model = &subject.model;
  page.data = &subject.data;
  page.names = arguments.names;
  static_cast<void>(Spelling(subject.data.schema, page.names));  // names that are none are told before the work
  std::vector<GraphView> views;
  for (const std::size_t g : page.graphs) views.push_back(subject.data.graphs.view(g));
  print_to(console.err, "{}, {} each\n", counted(views.size(), "graph"), rollouts_text(subject.predicting.rollouts));
  subject.predictions = predict(subject.model, views, subject.predicting);
  page.predictions = &subject.predictions;
  if (const auto wild = not_finite(subject.predictions); !wild.empty()) {
    print_to(console.err, "warning: {}; the page says so of each\n", not_finite_text(wild.size(), views.size()));
  }

  const InterruptGuard guard;
  ProgressLine progress(console);
  WalkChoice choice;
  choice.graphs = arguments.walks;
  choice.walks = subject.predicting;
  choice.should_stop = [&](std::size_t done, std::size_t of) {
    progress.show(static_cast<double>(done) / static_cast<double>(of), fmt::format("walks {} of {}", done, of));
    return InterruptGuard::interrupted();
  };
  add_walks(page, choice);
  if (InterruptGuard::interrupted()) throw Error(ErrorKind::kInterrupted, "interrupted");
}

void serve(const ViewArguments& arguments, const PageData& page, const Console& console) {
  std::size_t walks = 0;
  std::string json = page_json(page, &walks);
  tell_left_out(page, walks, console);
  const InterruptGuard guard;
  const ViewServer server(std::string(empty_page()), std::move(json), static_cast<std::uint16_t>(arguments.port));
  print_to(console.err, "open {} in a browser ({}, {} with walks); Ctrl-C ends this\n", server.address(),
           counted(page.graphs.size(), "graph"), walks);
  console.err.flush();
  while (!InterruptGuard::interrupted()) {
    if (!server.running()) throw Error(ErrorKind::kFailure, "the server has stopped", "start it again");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

void run_view(const ViewArguments& arguments, const Console& console) {
  require_viewer();
  if (!arguments.page.empty()) plan_page(arguments.page, arguments.force);
  const std::unique_ptr<Subject> subject = subject_of(arguments, console);
  predict_and_explain(arguments, *subject, console);
  if (arguments.page.empty()) {
    serve(arguments, subject->page, console);
  } else {
    write_page(arguments.page, subject->page, console);
  }
}

}  // namespace

CommandRun define_view(CLI::App& app) {
  auto arguments = std::make_shared<ViewArguments>();
  app.add_option(kRunOrModel, arguments->model, kRunOrModelHelp)->required();
  add_optional_data_options(app, arguments->data, SourceName::kForNow);
  app.remove_option(app.get_option("--keep"));
  add_split_options(app, arguments->split);
  add_part_options(app, arguments->part);
  add_rollout_options(app, arguments->rollouts);
  app.remove_option(app.get_option("--confidence"));
  app.add_option("--walks", arguments->walks, "graphs whose walks are recorded: the most confidently wrong first")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app.add_option("--atoms", arguments->names.atoms,
                 "node labels that are mere numbers are these elements, such as C,N,O or 0=C,1=N")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--bonds", arguments->names.bonds, "the same for edge labels: single, double, triple, aromatic")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI::Option* page = app.add_option("--export", arguments->page, "write the page to this file and exit");
  app.add_flag("--force", arguments->force, "replace a file that is there")->needs(page);
  app.add_option("--port", arguments->port, "of 127.0.0.1 to serve on; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str()
      ->excludes(page);
  return [arguments, &app](const Console& console) {
    arguments->app = &app;
    run_view(*arguments, console);
  };
}

}  // namespace agentnet
