// agentnet predict RUN|MODEL [DATA]: a line per row of the data, in its order.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "agentnet/version.h"
#include "command_list.h"
#include "core/files/atomic_file.h"
#include "core/files/checksum.h"
#include "core/files/mapped_file.h"
#include "core/json.h"
#include "core/number.h"
#include "core/print.h"
#include "core/text.h"
#include "data/formats/all_columns.h"
#include "data/io/output.h"
#include "data/io/read_in_parts.h"
#include "data/io/row_share.h"
#include "interrupt.h"
#include "options/data_options.h"
#include "options/explain_choice.h"
#include "options/model_arguments.h"
#include "options/piped_data.h"
#include "options/run_source.h"
#include "options/split_options.h"
#include "output/run_statistics.h"
#include "predict/draw_keys.h"
#include "predict/not_finite.h"
#include "predict/prediction_parts.h"
#include "predict/prediction_table.h"
#include "predict/reading.h"
#include "run/run.h"
#include "view/page/run_page.h"

namespace agentnet {
namespace {

struct PredictArguments {
  std::string model;  // a model file, or the folder of a run
  std::string output, shard;
  RowShare share;  // what `shard` says
  DataArguments data;
  SplitArguments split;
  PartArguments part;
  RolloutArguments rollouts;
  std::size_t batch = 4096;
  MemoryArguments memory;
  bool json = false, force = false, fail_on_bad_rows = false, stats = false, safe_csv = false;
  const CLI::App* app = nullptr;  // what was given on the command line

  // Whether the data is read as a whole, since only some of its graphs are asked for.
  [[nodiscard]] bool of_a_part() const { return !part.name.empty() || !split.spec.empty(); }
};

// "3/8": the third of eight.
RowShare share_of(const PredictArguments& arguments) {
  const std::string& text = arguments.shard;
  if (arguments.of_a_part()) {
    throw Error(ErrorKind::kUsage, "--shard divides all rows of the data, and --part chooses some",
                "leave out one of them");
  }
  const std::size_t slash = text.find('/');
  const auto part = parse_count(text.substr(0, slash));
  const auto parts = slash == std::string::npos ? std::nullopt : parse_count(text.substr(slash + 1));
  constexpr std::uint64_t kMost = 1000000;
  if (!part || !parts || *part < 1 || *part > *parts || *parts > kMost) {
    throw Error(ErrorKind::kUsage, fmt::format("--shard {} is no part of a prediction", in_quotes(text)),
                "give which of how many, from 1: --shard 3/8");
  }
  if (arguments.output.empty() || arguments.output == "-") {
    throw Error(ErrorKind::kUsage, "the parts of a prediction need a folder", "name it with -o PARTS");
  }
  if (arguments.data.source == "-") {
    throw Error(ErrorKind::kUsage, "all parts read the same data, which standard input gives but once", "name a file");
  }
  return {.part = *part - 1, .parts = *parts};
}

// Standard output, or a file that is complete or absent.
class Destination {
 public:
  Destination(const PredictArguments& arguments, const Console& console) : console_(console) {
    if (!to_file(arguments)) return;
    std::error_code ignored;
    if (!arguments.force && std::filesystem::exists(arguments.output, ignored)) {
      throw Error(ErrorKind::kUsage, fmt::format("{} exists already", arguments.output),
                  "choose another name, or replace it with --force");
    }
    file_ = std::make_unique<TextOutput>(arguments.output);
  }

  // A part of a prediction: into the folder of its parts. What is left there of a part that was not completed is
  // replaced.
  Destination(const std::filesystem::path& part, const Console& console)
      : console_(console), file_(std::make_unique<TextOutput>(part)) {}

  [[nodiscard]] static bool to_file(const PredictArguments& arguments) {
    return !arguments.output.empty() && arguments.output != "-";
  }
  void write(const std::string& text) {
    bytes_ += text.size();
    checksum_.update(std::as_bytes(std::span(text)));
    if (file_ != nullptr) return file_->write(text);
    console_.out << text;
    check_output(console_);
  }
  void commit() {
    if (file_ != nullptr) file_->commit();
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::string checksum() const { return checksum_.hex(); }

 private:
  const Console& console_;
  std::unique_ptr<TextOutput> file_;
  std::uint64_t bytes_ = 0;
  Checksum checksum_;
};

// What there is to say at the end.
struct Totals {
  bool done_before = false;  // a part that was complete already: nothing was done
  std::uint64_t rows = 0, graphs = 0;
  std::uint64_t bad = 0;
  std::string first_bad;
  std::uint64_t not_finite = 0;
  std::string first_not_finite;  // its id
  UnseenCounts unseen;
  std::uint64_t rollouts = 0, settled = 0;
  int asked_for = 0;  // rollouts of a graph
  RunStatistics statistics;
};

// Columns of the input that stand between the id and the prediction.
class KeptColumns {
 public:
  // `taken` are the names of the table's own columns: an input's column of the same name is called input_NAME.
  KeptColumns(std::vector<std::string> names, const std::string& taken, bool json, CsvFor reader)
      : names_(std::move(names)), json_(json), reader_(reader) {
    for (const std::string& name : names_) {
      const std::string field = csv_field(name, reader_);
      const bool there = ("," + taken).find("," + field + ",") != std::string::npos || name == "id" || name == "status";
      titles_.push_back(there ? "input_" + name : name);
    }
  }

  // The header with the columns behind its first, `id`.
  [[nodiscard]] std::string header(const std::string& header) const {
    if (header.empty() || names_.empty()) return header;
    std::string fields;
    for (const std::string& title : titles_) fields += "," + csv_field(title, reader_);
    const std::size_t end = header.find(',');
    return header.substr(0, end) + fields + header.substr(end);
  }

  // A line of the table with the values of a graph, or with blanks for a row that is none.
  [[nodiscard]] std::string line(const std::string& line, const std::string& id, const Dataset& part,
                                 std::optional<std::size_t> graph) const {
    if (names_.empty()) return line;
    if (json_) {
      Json kept = Json::object();
      for (std::size_t c = 0; graph && c < names_.size(); ++c) kept[names_[c]] = part.columns.at(names_[c])[*graph];
      return "{\"input\":" + kept.dump(-1, ' ', false, Json::error_handler_t::replace) + "," + line.substr(1);
    }
    std::string fields;
    for (const std::string& name : names_) {
      fields += "," + (graph ? csv_field(part.columns.at(name)[*graph], reader_) : std::string());
    }
    const std::size_t end = csv_field(id, reader_).size();
    return line.substr(0, end) + fields + line.substr(end);
  }

 private:
  std::vector<std::string> names_, titles_;
  bool json_;
  CsvFor reader_;
};

// The graphs of a part, and the rows before, between and after them that are none. Of the graphs, `own` were predicted,
// in this order; rows of other shares are left out.
std::string in_order(const Dataset& part, const std::vector<std::size_t>& own, const RowShare& share,
                     const Predictions& predictions, const PredictionTable& table, const KeptColumns& kept) {
  const auto id_of = [](std::uint64_t row, std::string_view id) {
    return id.empty() ? std::to_string(row) : std::string(id);
  };
  std::string text;
  const auto width = static_cast<std::size_t>(predictions.outputs);
  std::size_t i = 0, b = 0;
  while (i < own.size() || b < part.bad_rows.size()) {
    if (i == own.size() || (b < part.bad_rows.size() && part.bad_rows[b].row < part.rows[own[i]])) {
      const BadRow& bad = part.bad_rows[b++];
      if (!share.has(bad.row)) continue;
      text += kept.line(table.bad_row(bad.row, bad.id, bad.message), id_of(bad.row, bad.id), part, std::nullopt);
      continue;
    }
    const std::size_t g = own[i];
    const auto row = [&](const std::vector<double>& values) { return std::span(values).subspan(i * width, width); };
    const std::string line = table.row(part.rows[g], part.graphs.id(g),
                                       {row(predictions.mean), row(predictions.walk_spread), predictions.rollouts[i],
                                        !predictions.settled.empty() && predictions.settled[i] != 0});
    text += kept.line(line, id_of(part.rows[g], part.graphs.id(g)), part, g);
    ++i;
  }
  return text;
}

void fail_on_bad_rows(const Totals& totals) {
  if (totals.bad > 0) {
    throw Error(ErrorKind::kData, fmt::format("{} of {} rows are not graphs", totals.bad, totals.rows),
                "correct them, or leave --fail-on-bad-rows out");
  }
  if (totals.not_finite > 0) {
    throw Error(ErrorKind::kData, not_finite_text(totals.not_finite, totals.graphs),
                "look for features far beyond those that the model was trained on, or leave --fail-on-bad-rows out");
  }
}

void report(const PredictArguments& arguments, const Totals& totals, double seconds, const Console& console) {
  const double per_graph =
      static_cast<double>(totals.rollouts) / static_cast<double>(std::max<std::uint64_t>(totals.graphs, 1));
  const bool anytime = arguments.rollouts.options.confidence > 0;
  // A network that draws nothing is run once, however many rollouts were asked for.
  const bool once = !anytime && totals.rollouts == totals.graphs && totals.asked_for > 1;
  print_to(console.err, "predicted {} of {} rows, {} each, {:.0f} graphs/s{}\n", totals.graphs - totals.not_finite,
           totals.rows,
           anytime ? fmt::format("{:.1f} rollouts", per_graph)
           : once  ? "one run (the network draws nothing)"
                   : rollouts_text(totals.asked_for),
           static_cast<double>(totals.graphs) / std::max(seconds, 1e-9),
           Destination::to_file(arguments) ? "; wrote " + arguments.output : "");
  if (anytime && totals.settled < totals.graphs) {
    print_to(console.err, "note: {} of {} decisions are not settled after {}; more may settle them: --rollouts\n",
             totals.graphs - totals.settled, totals.graphs, rollouts_text(totals.asked_for));
  }
  if (totals.bad > 0) {
    print_to(console.err, "note: {} of {} rows are not graphs, their status says why; the first: {}\n", totals.bad,
             totals.rows, totals.first_bad);
  }
  totals.unseen.print(console);
  if (totals.not_finite > 0) {
    print_to(console.err, "warning: {}, their status says so; the first: {}\n",
             not_finite_text(totals.not_finite, totals.graphs), totals.first_not_finite);
  }
  if (arguments.fail_on_bad_rows) fail_on_bad_rows(totals);
}

// From the data to the lines, part by part.
class PredictRun {
 public:
  PredictRun(const PredictArguments& arguments, const Console& console)
      : arguments_(arguments),
        console_(console),
        model_(Model::load(model_file_of(arguments.model))),
        options_(arguments.rollouts.options),
        table_(schema_of(model_).task, output_names(model_),
               arguments.json ? PredictionTable::Form::kJsonLines : PredictionTable::Form::kCsv,
               options_.confidence > 0, arguments.safe_csv ? CsvFor::kSpreadsheets : CsvFor::kPrograms),
        header_(table_.header()) {}

  Totals run() {
    totals_ = arguments_.data.source.empty() ? run_own_part() : arguments_.of_a_part() ? run_part() : run_all();
    totals_.asked_for = options_.rollouts;
    return std::move(totals_);
  }

 private:
  // A part of the run's own split, with the walks of its own test: the numbers are those of its predictions.csv.
  Totals run_own_part() {
    require_run(arguments_.model, fmt::format("predict {} DATA", arguments_.model));
    refuse_reading_options(*arguments_.app);
    if (arguments_.part.name.empty()) {
      throw Error(ErrorKind::kUsage, "no data given", "name it, or a part of the run's own data: --part test");
    }
    SettingsLayers layers;
    layers.file(run_config_file(arguments_.model));
    const Settings of_data = layers.data_settings();
    const std::vector<std::string> keep = columns_to_keep(of_data.source, arguments_.data.parsed(), of_data.data);
    RunSource source = read_run_source(arguments_.model, arguments_.data, console_, keep);
    fit_to_model(source.data, model_, /*with_targets=*/true);
    take_walks_of_run(*arguments_.app, source.settings, options_);
    options_.threads = arguments_.data.options.threads;
    return predict_chosen(std::move(source.data), graphs_of_part(source.split, arguments_.part.name), keep);
  }

  // The graphs of a part of a split: all of the data is read first, for the split is a split of all.
  Totals run_part() {
    DataOptions asked = arguments_.data.parsed();
    const std::string source = reopenable(arguments_.data.source, console_);
    const std::vector<std::string> keep =
        columns_to_keep(source, asked, reading_options_for(model_, source, asked, WithTargets::kNo));
    asked.keep = keep;
    prepare_for_split(arguments_.split, asked);
    Dataset data = read_with_truth(model_, source, asked, console_).data;  // some splits go by the targets
    const std::vector<std::size_t> chosen = chosen_graphs(data, arguments_.split, arguments_.part, asked.threads);
    options_.threads = asked.threads;
    return predict_chosen(std::move(data), chosen, keep);
  }

  Totals predict_chosen(Dataset data, std::vector<std::size_t> chosen, const std::vector<std::string>& keep) {
    std::ranges::sort(chosen);
    if (data.rows.empty()) {
      data.rows.resize(data.graphs.size());
      std::iota(data.rows.begin(), data.rows.end(), std::uint64_t{0});
    }
    data.bad_rows.clear();  // of no part, and told
    data.notes.clear();
    const KeptColumns kept = kept_columns(keep);
    header_ = kept.header(header_);
    options_.may_end = [this] { stop_if_interrupted(); };
    const InterruptGuard guard;
    Destination out(arguments_, console_);
    take(std::move(data), chosen, kept, out);
    stop_if_interrupted();
    out.commit();
    totals_.statistics.end_phase("writing");
    return std::move(totals_);
  }

  Totals run_all() {
    DataOptions asked = arguments_.data.parsed();
    const std::string source = reopenable(arguments_.data.source, console_);
    asked.keep = columns_to_keep(source, asked, reading_options_for(model_, source, asked, WithTargets::kNo));
    const KeptColumns kept = kept_columns(asked.keep);
    header_ = kept.header(header_);
    const DataOptions reading = reading_options_for(model_, source, asked, WithTargets::kNo);
    options_.threads = reading.threads;
    options_.may_end = [this] { stop_if_interrupted(); };

    const InterruptGuard guard;  // before there is a temporary file to leave behind
    const bool shared = !arguments_.shard.empty();
    const PartForm form = arguments_.json ? PartForm::kJsonLines : PartForm::kCsv;
    PartRecord record = {.share = arguments_.share, .form = form, .settings = {}, .checksum = {}};
    if (shared) {
      record.settings = settings_text(source, asked, reading);
      if (is_done(record)) return std::move(totals_);
    }
    Destination out = shared ? Destination(part_file(arguments_.output, arguments_.share, form), console_)
                             : Destination(arguments_, console_);
    record.rows = read_in_parts_for_model(source, asked, reading, {arguments_.batch, arguments_.share},
                                          [&](Dataset&& part) { take_share(std::move(part), kept, out); });
    stop_if_interrupted();
    out.commit();
    if (shared) {
      record.own_rows = totals_.rows;
      record.bytes = out.bytes();
      record.checksum = out.checksum();
      write_part_record(part_record_file(arguments_.output, arguments_.share), record);
    }
    totals_.statistics.end_phase("writing");
    return std::move(totals_);
  }

  [[nodiscard]] KeptColumns kept_columns(std::vector<std::string> names) const {
    return {std::move(names), header_, arguments_.json,
            arguments_.safe_csv ? CsvFor::kSpreadsheets : CsvFor::kPrograms};
  }

  // Those that were named, or all; the SMILES strings of a table of molecules if nothing was said. `reading` is how the
  // source is read.
  [[nodiscard]] static std::vector<std::string> columns_to_keep(const std::string& source, const DataOptions& asked,
                                                                const DataOptions& reading) {
    if (asked.keep == std::vector<std::string>{"none"}) return {};
    const bool all = asked.keep == std::vector<std::string>{"all"};
    if (!all && !asked.keep.empty()) return asked.keep;
    if (all) return all_columns(source, reading);
    return format_of(source, reading) == "smiles" ? std::vector<std::string>{kSmilesColumn}
                                                  : std::vector<std::string>{};
  }

  // Everything that the lines of a part depend on besides its share.
  [[nodiscard]] std::string settings_text(const std::string& source, const DataOptions& asked,
                                          const DataOptions& reading) const {
    const MappedFile file = MappedFile::open(model_file_of(arguments_.model));
    std::error_code no_file;
    const auto bytes = std::filesystem::file_size(source, no_file);
    const PredictOptions& o = options_;
    const Json settings = {{"program", kVersion},
                           {"model", xxh3_64_hex(file.bytes())},
                           {"source", std::filesystem::path(source).filename().string()},
                           {"source_bytes", no_file ? Json() : Json(bytes)},
                           {"rollouts", o.rollouts},
                           {"seed", o.seed},
                           {"confidence", o.confidence},
                           {"greedy", o.greedy},
                           {"draws", o.draws == DrawKey::kRow ? "row" : "content"},
                           {"max_neighbours", o.max_neighbours},
                           {"keep", asked.keep},
                           {"safe_csv", arguments_.safe_csv},
                           {"reading", parse_json(to_json(reading), "reading")}};
    return settings.dump();
  }

  // Whether this very part is complete already. Makes the folder if there is none.
  [[nodiscard]] bool is_done(const PartRecord& wanted) {
    const std::filesystem::path folder = arguments_.output;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
      throw Error(ErrorKind::kFailure, fmt::format("cannot make the folder {}: {}", folder.string(), error.message()),
                  "choose another folder");
    }
    const std::filesystem::path path = part_record_file(folder, wanted.share);
    if (arguments_.force) {
      std::filesystem::remove(path, error);  // until it is written again, the part is not complete
      return false;
    }
    const std::optional<PartRecord> there = read_part_record(path);
    if (!there) return false;
    const std::filesystem::path file = part_file(folder, wanted.share, wanted.form);
    if (there->settings != wanted.settings || there->form != wanted.form || there->share != wanted.share) {
      throw Error(ErrorKind::kUsage, fmt::format("{} is of another prediction", path.string()),
                  "choose another folder, or replace the part with --force");
    }
    if (std::filesystem::file_size(file, error) != there->bytes || error) return false;
    totals_.done_before = true;
    return true;
  }

  // Graphs of our share; formats that are read as a whole have the others, too.
  void take_share(Dataset part, const KeptColumns& kept, Destination& out) {
    if (arguments_.data.verify && part.format == "agentset") {
      print_to(console_.err, "{}: every checksum matches\n", part.source);
    }
    tell_notes(part, console_);
    if (part.graphs.size() > 0) totals_.unseen.add(fit_to_model(part, model_));
    std::vector<std::size_t> own;
    for (std::size_t g = 0; g < part.graphs.size(); ++g) {
      if (arguments_.share.has(part.rows[g])) own.push_back(g);
    }
    take(std::move(part), own, kept, out);
  }

  // Predicts these graphs of the part, in this order.
  void take(const Dataset& part, const std::vector<std::size_t>& own, const KeptColumns& kept, Destination& out) {
    totals_.statistics.end_phase("reading");
    stop_if_interrupted();
    const RowShare& share = arguments_.share;
    std::uint64_t bad = 0;
    for (const BadRow& row : part.bad_rows) {
      if (!share.has(row.row)) continue;
      if (totals_.bad + bad++ == 0) totals_.first_bad = row.where + ": " + row.message;
    }
    const Predictions predictions = walk(part, own);
    note_not_finite(part, own, predictions);
    out.write(std::exchange(header_, {}) + in_order(part, own, share, predictions, table_, kept));
    totals_.statistics.end_phase("writing");
    totals_.graphs += own.size();
    totals_.bad += bad;
    totals_.rows += own.size() + bad;
  }

  Predictions walk(const Dataset& part, const std::vector<std::size_t>& own) {
    std::vector<GraphView> views;
    std::vector<std::uint64_t> rows;
    for (const std::size_t g : own) {
      views.push_back(part.graphs.view(g));
      rows.push_back(part.rows[g]);
    }
    // Draws that are keyed by the row are the same whoever makes the prediction.
    Predictions predictions = options_.draws == DrawKey::kRow ? predict_with_keys(model_, views, rows, options_)
                                                              : predict(model_, views, options_);
    for (const int count : predictions.rollouts) totals_.rollouts += static_cast<std::uint64_t>(count);
    for (const char settled : predictions.settled) totals_.settled += settled != 0 ? 1 : 0;
    totals_.statistics.add(views, predictions);
    totals_.statistics.end_phase("walking");
    return predictions;
  }

  void note_not_finite(const Dataset& part, const std::vector<std::size_t>& own, const Predictions& predictions) {
    const std::vector<std::size_t> graphs = not_finite(predictions);
    if (totals_.not_finite == 0 && !graphs.empty()) totals_.first_not_finite = id_or_row(part, own[graphs.front()]);
    totals_.not_finite += graphs.size();
  }

  void stop_if_interrupted() const {
    if (!InterruptGuard::interrupted()) return;
    throw Error(ErrorKind::kInterrupted,
                fmt::format("interrupted after {} {}: {}", totals_.rows, totals_.rows == 1 ? "row" : "rows",
                            Destination::to_file(arguments_) ? "nothing was written" : "the output is incomplete"),
                "run the same command again");
  }

  const PredictArguments& arguments_;
  const Console& console_;
  Model model_;
  PredictOptions options_;
  PredictionTable table_;
  std::string header_;  // comes with the first part, which shows whether the data fits the model
  Totals totals_;
};

void run_predict(const PredictArguments& arguments, const Console& console) {
  const auto start = std::chrono::steady_clock::now();
  const Totals totals = PredictRun(arguments, console).run();
  if (totals.done_before) {
    print_to(console.err, "part {} of {} is complete already in {}\n", arguments.share.part + 1, arguments.share.parts,
             arguments.output);
    return;
  }
  if (arguments.stats) totals.statistics.print(console, arguments.json);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  report(arguments, totals, took.count(), console);
}

}  // namespace

CommandRun define_predict(CLI::App& app) {
  auto arguments = std::make_shared<PredictArguments>();
  app.add_option(kRunOrModel, arguments->model, kRunOrModelHelp)->required();
  add_optional_data_options(app, arguments->data, SourceName::kForNow);
  add_split_options(app, arguments->split);
  add_part_options(app, arguments->part);
  for (const char* name : {"--task", "--target", "--bounds"}) app.remove_option(app.get_option(name));
  app.get_option("--keep")->description(
      "columns of the input to write beside the predictions: their names with commas, all, or none; default: the "
      "SMILES");
  app.add_option("-o,--output", arguments->output,
                 "write to this file; .gz, .xz and .zst pack it; - or nothing: standard output");
  app.add_flag("--force", arguments->force, "replace the file if it exists");
  app.add_option("--shard", arguments->shard,
                 "make one part of the prediction, such as 3/8, in the folder -o; agentnet gather joins them");
  app.add_flag("--json", arguments->json, "a JSON object per line instead of CSV");
  app.add_flag("--safe-csv", arguments->safe_csv, kSafeCsvHelp)->excludes("--json");
  add_rollout_options(app, arguments->rollouts);
  add_memory_option(app, arguments->memory);
  app.add_option("--batch", arguments->batch, "rows in memory at a time")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 32))
      ->capture_default_str();
  app.add_flag("--stats", arguments->stats, "say what it cost: nodes, edges, pages and bytes read, time by phase");
  app.add_flag(
      "--fail-on-bad-rows", arguments->fail_on_bad_rows,
      "exit with 3 if a row has no prediction: it is not a graph, or the model's output is not a finite number; "
      "what is written stays the same");
  return [arguments, &app](const Console& console) {
    arguments->app = &app;
    finish_rollout_options(app, arguments->rollouts);
    apply_memory_limit(arguments->memory);
    if (!arguments->shard.empty()) arguments->share = share_of(*arguments);
    run_predict(*arguments, console);
  };
}

}  // namespace agentnet
