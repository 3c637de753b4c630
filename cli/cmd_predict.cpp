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
#include "data/output.h"
#include "data/read_in_parts.h"
#include "data_options.h"
#include "infer/prediction_table.h"
#include "infer/reading.h"
#include "model_arguments.h"

namespace agentnet {
namespace {

struct PredictArguments {
  std::string model, output;
  DataArguments data;
  RolloutArguments rollouts;
  std::size_t batch = 4096;
  bool json = false, force = false, fail_on_bad_rows = false;
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
};

std::string in_order(const Dataset& part, const Predictions& predictions, const PredictionTable& table) {
  std::string text;
  const auto width = static_cast<std::size_t>(predictions.outputs);
  std::size_t g = 0, b = 0;
  while (g < part.graphs.size() || b < part.bad_rows.size()) {
    if (g == part.graphs.size() || (b < part.bad_rows.size() && part.bad_rows[b].row < part.rows[g])) {
      const BadRow& bad = part.bad_rows[b++];
      text += table.bad_row(bad.row, bad.id, bad.message);
    } else {
      const auto row = [&](const std::vector<double>& values) { return std::span(values).subspan(g * width, width); };
      text += table.row(part.rows[g], part.graphs.id(g), row(predictions.mean), row(predictions.deviation));
      ++g;
    }
  }
  return text;
}

void report(const PredictArguments& arguments, const Totals& totals, double seconds, const Console& console) {
  fmt::print(console.err, "predicted {} of {} rows, {} each, {:.0f} graphs/s{}\n", totals.graphs, totals.rows,
             rollouts_text(arguments.rollouts), static_cast<double>(totals.graphs) / std::max(seconds, 1e-9),
             arguments.output.empty() ? "" : "; wrote " + arguments.output);
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

void run_predict(const PredictArguments& arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  const Model model = Model::load(arguments.model);
  const PredictionTable table(schema_of(model).task, output_names(model),
                              arguments.json ? PredictionTable::Form::kJsonLines : PredictionTable::Form::kCsv);
  const std::string& source = arguments.data.source;
  const DataOptions reading = reading_options_for(model, source, arguments.data.parsed(), WithTargets::kNo);
  PredictOptions options = arguments.rollouts.options;
  options.threads = reading.threads;

  Destination out(arguments, console);
  std::string header = table.header();  // comes with the first part, which shows whether the data fits the model
  Totals totals;
  read_in_parts(source, reading, arguments.batch, [&](Dataset&& part) {
    Predictions predictions;
    predictions.outputs = model.config().outputs;
    if (part.graphs.size() > 0) {
      totals.unseen.add(fit_to_model(part, model));
      options.first_graph = totals.graphs;
      predictions = predict(model, part.graphs.views(), options);
    }
    if (totals.bad == 0 && !part.bad_rows.empty()) {
      totals.first_bad = part.bad_rows[0].where + ": " + part.bad_rows[0].message;
    }
    totals.graphs += part.graphs.size();
    totals.bad += part.bad_rows.size();
    totals.rows += part.num_rows();
    out.write(std::exchange(header, {}) + in_order(part, predictions, table));
  });
  out.commit();
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
  app.add_flag("--fail-on-bad-rows", arguments->fail_on_bad_rows,
               "exit with 3 if a row is not a graph; what is written stays the same");
  return [arguments](const Console& console) { run_predict(*arguments, console); };
}

}  // namespace agentnet
