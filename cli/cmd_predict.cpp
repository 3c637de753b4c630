// agentnet predict MODEL DATA: a line per row of the data, in its order.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <ostream>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "command_list.h"
#include "data/mapped_set.h"
#include "data/output.h"
#include "data/read_in_parts.h"
#include "data_options.h"
#include "infer/prediction_table.h"
#include "infer/reading.h"
#include "model_arguments.h"
#include "run_statistics.h"

namespace agentnet {
namespace {

struct PredictArguments {
  std::string model, output;
  DataArguments data;
  RolloutArguments rollouts;
  std::size_t batch = 4096;
  bool json = false, force = false, fail_on_bad_rows = false, stats = false, verify = false;
};

// Standard output, or a file that is complete or absent.
class Destination {
 public:
  Destination(const PredictArguments& arguments, const Console& console) : out_(console.out) {
    if (arguments.output.empty()) return;
    std::error_code ignored;
    if (!arguments.force && std::filesystem::exists(arguments.output, ignored)) {
      throw Error(ErrorKind::kUsage, fmt::format("{} exists already", arguments.output),
                  "choose another name, or replace it with --force");
    }
    file_ = std::make_unique<TextOutput>(arguments.output);
  }

  void write(const std::string& text) {
    if (file_ != nullptr) return file_->write(text);
    out_ << text;
    if (!out_) throw Error(ErrorKind::kFailure, "cannot write to standard output", "is the disk full?");
  }
  void commit() {
    if (file_ != nullptr) file_->commit();
  }

 private:
  std::ostream& out_;
  std::unique_ptr<TextOutput> file_;
};

// What there is to say at the end.
struct Totals {
  std::uint64_t rows = 0, graphs = 0;
  std::uint64_t bad = 0;
  std::string first_bad;
  UnseenCounts unseen;
  std::uint64_t rollouts = 0, settled = 0;
  RunStatistics statistics;
};

// The graphs [first, last) of a part and what is not a graph before and between them; after them too, if they are its
// last.
std::string in_order(const Dataset& part, std::size_t first, std::size_t last, const Predictions& predictions,
                     const PredictionTable& table) {
  std::string text;
  const auto width = static_cast<std::size_t>(predictions.outputs);
  const bool to_the_end = last == part.graphs.size();
  std::size_t b = 0;
  while (first > 0 && b < part.bad_rows.size() && part.bad_rows[b].row < part.rows[first - 1]) ++b;
  std::size_t g = first;
  while (g < last || (to_the_end && b < part.bad_rows.size())) {
    if (g == last || (b < part.bad_rows.size() && part.bad_rows[b].row < part.rows[g])) {
      const BadRow& bad = part.bad_rows[b++];
      text += table.bad_row(bad.row, bad.id, bad.message);
      continue;
    }
    const std::size_t i = g - first;
    const auto row = [&](const std::vector<double>& values) { return std::span(values).subspan(i * width, width); };
    text += table.row(part.rows[g], part.graphs.id(g),
                      {row(predictions.mean), row(predictions.deviation), predictions.rollouts[i],
                       !predictions.settled.empty() && predictions.settled[i] != 0});
    ++g;
  }
  return text;
}

void report(const PredictArguments& arguments, const Totals& totals, double seconds, const Console& console) {
  const double per_graph =
      static_cast<double>(totals.rollouts) / static_cast<double>(std::max<std::uint64_t>(totals.graphs, 1));
  const bool anytime = arguments.rollouts.options.confidence > 0;
  fmt::print(console.err, "predicted {} of {} rows, {} each, {:.0f} graphs/s{}\n", totals.graphs, totals.rows,
             anytime ? fmt::format("{:.1f} rollouts", per_graph) : rollouts_text(arguments.rollouts),
             static_cast<double>(totals.graphs) / std::max(seconds, 1e-9),
             arguments.output.empty() ? "" : "; wrote " + arguments.output);
  if (anytime && totals.settled < totals.graphs) {
    fmt::print(console.err, "note: {} of {} decisions are not settled after {}; more may settle them: --rollouts\n",
               totals.graphs - totals.settled, totals.graphs, rollouts_text(arguments.rollouts));
  }
  if (totals.bad > 0) {
    fmt::print(console.err, "note: {} of {} rows are not graphs, their status says why; the first: {}\n", totals.bad,
               totals.rows, totals.first_bad);
  }
  totals.unseen.print(console);
  if (totals.bad > 0 && arguments.fail_on_bad_rows) {
    throw Error(ErrorKind::kData, fmt::format("{} of {} rows are not graphs", totals.bad, totals.rows),
                "correct them, or leave --fail-on-bad-rows out");
  }
}

// All of a mapped set, before any of it is used.
void verify(const std::string& source, const DataOptions& reading, const Console& console) {
  if (format_of(source, reading) != "agentset") return;  // other formats are checked as they are read
  check_mapped_set(read_data(source, reading));
  fmt::print(console.err, "{}: every checksum matches\n", source);
}

void run_predict(const PredictArguments& arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  Totals totals;
  const Model model = Model::load(arguments.model);
  PredictOptions options = arguments.rollouts.options;
  const PredictionTable table(schema_of(model).task, output_names(model),
                              arguments.json ? PredictionTable::Form::kJsonLines : PredictionTable::Form::kCsv,
                              options.confidence > 0);
  const std::string& source = arguments.data.source;
  const DataOptions reading = reading_options_for(model, source, arguments.data.parsed(), WithTargets::kNo);
  options.threads = reading.threads;

  if (arguments.verify) verify(source, reading, console);
  RunStatistics& statistics = totals.statistics;

  Destination out(arguments, console);
  std::string header = table.header();  // comes with the first part, which shows whether the data fits the model
  read_in_parts(source, reading, arguments.batch, [&](Dataset&& part) {
    statistics.end_phase("reading");
    if (part.graphs.size() > 0) totals.unseen.add(fit_to_model(part, model));
    if (totals.bad == 0 && !part.bad_rows.empty()) {
      totals.first_bad = part.bad_rows[0].where + ": " + part.bad_rows[0].message;
    }
    std::size_t first = 0;
    do {  // at least once: a part may have nothing but bad rows
      const std::size_t last = std::min(first + arguments.batch, part.graphs.size());
      std::vector<GraphView> views;
      for (std::size_t g = first; g < last; ++g) views.push_back(part.graphs.view(g));
      options.first_graph = totals.graphs + first;
      const Predictions predictions = predict(model, views, options);
      for (const int count : predictions.rollouts) totals.rollouts += static_cast<std::uint64_t>(count);
      for (const char settled : predictions.settled) totals.settled += settled != 0 ? 1 : 0;
      statistics.add(views, predictions);
      statistics.end_phase("walking");
      out.write(std::exchange(header, {}) + in_order(part, first, last, predictions, table));
      statistics.end_phase("writing");
      first = last;
    } while (first < part.graphs.size());
    totals.graphs += part.graphs.size();
    totals.bad += part.bad_rows.size();
    totals.rows += part.num_rows();
  });
  out.commit();
  statistics.end_phase("writing");
  if (arguments.stats) statistics.print(console, arguments.json);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report(arguments, totals, took.count(), console);
}

}  // namespace

CommandRun define_predict(CLI::App& app) {
  auto arguments = std::make_shared<PredictArguments>();
  app.add_option("MODEL", arguments->model, "a model file")->required();
  add_data_options(app, arguments->data);
  for (const char* name : {"--task", "--target", "--keep"}) app.remove_option(app.get_option(name));
  app.add_option("-o,--output", arguments->output, "write to this file; .gz, .xz and .zst pack it");
  app.add_flag("--force", arguments->force, "replace the file if it exists");
  app.add_flag("--json", arguments->json, "a JSON object per line instead of CSV");
  add_rollout_options(app, arguments->rollouts);
  app.add_option("--batch", arguments->batch, "rows in memory at a time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 32))
      ->capture_default_str();
  app.add_flag("--stats", arguments->stats, "say what it cost: nodes, edges, pages and bytes read, time by phase");
  app.add_flag("--verify", arguments->verify, "first check all of a mapped file; else what is read of it is checked");
  app.add_flag("--fail-on-bad-rows", arguments->fail_on_bad_rows,
               "exit with 3 if a row is not a graph; what is written stays the same");
  return [arguments, &app](const Console& console) {
    finish_rollout_options(app, arguments->rollouts);
    run_predict(*arguments, console);
  };
}

}  // namespace agentnet
