#include "options/data_options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <thread>

#include "agentnet/error.h"
#include "core/checked.h"
#include "core/memory.h"
#include "core/print.h"
#include "data/formats/all_columns.h"
#include "data/formats/formats.h"
#include "data/io/read_in_parts.h"
#include "data/syntax/csv.h"
#include "graph/set_file.h"
#include "options/piped_data.h"

namespace agentnet {
namespace {

constexpr const char* kSourceHelp = "a file, folder or archive; - is standard input; or synthetic:NAME?key=value&...";
constexpr const char* kKeptSourceHelp = "a file, folder or archive; or synthetic:NAME?key=value&...";

std::string format_names() {
  std::string names;
  for (const Format& format : formats()) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

// The columns of a table that can be read more than once; nothing where there are none to know.
std::vector<std::string> known_columns(const std::string& source, const DataOptions& options) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(source, error) && !std::filesystem::is_directory(source, error)) return {};
  try {
    return all_columns(source, options);
  } catch (const Error&) {
    return {};  // who reads the data says what is wrong with it
  }
}

// Names with commas between them, unless a column has all of it as its name.
std::vector<std::string> names_in(const std::vector<std::string>& typed, const std::string& source,
                                  const DataOptions& options) {
  std::vector<std::string> names;
  for (const std::string& text : typed) {
    bool whole = text.find(',') == std::string::npos;
    if (!whole) {
      const std::vector<std::string> columns = known_columns(source, options);
      whole = std::ranges::find(columns, text) != columns.end();
    }
    for (std::size_t at = 0; !whole && at <= text.size();) {
      const std::size_t comma = std::min(text.find(',', at), text.size());
      if (comma > at) names.push_back(text.substr(at, comma - at));
      at = comma + 1;
    }
    if (whole) names.push_back(text);
  }
  return names;
}

void add_reading_options(CLI::App& app, DataArguments& arguments) {
  DataOptions& options = arguments.options;
  options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const std::map<std::string, FeatureKind> kinds = {
      {"auto", FeatureKind::kAuto}, {"categories", FeatureKind::kCategories}, {"dense", FeatureKind::kDense}};
  const char* const group = "Reading the data";
  app.add_option("--format", options.format, "instead of detecting it: " + format_names())->group(group);
  app.add_option("--task", arguments.task,
                 "classification, multilabel, regression or none; else what the targets suggest")
      ->group(group);
  app.add_option("--target", arguments.targets,
                 "a target column (may be repeated), or several with commas between their names")
      ->allow_extra_args(false)
      ->group(group);
  const std::map<std::string, Bounds> bounds = {
      {"refuse", Bounds::kRefuse}, {"blank", Bounds::kBlank}, {"value", Bounds::kValue}};
  app.add_option("--bounds", options.bounds, "a target such as >10 is: refuse (an error), blank, or value (its number)")
      ->transform(CLI::CheckedTransformer(bounds, CLI::ignore_case).description(""))
      ->group(group);
  app.add_option("--id-column", options.id_column, "the column with the names of graphs")->group(group);
  app.add_option("--smiles-column", options.smiles_column, "the column with SMILES strings")->group(group);
  app.add_option("--keep", arguments.keep,
                 "a further column to keep as text (may be repeated), or several with commas between their names")
      ->allow_extra_args(false)
      ->group(group);
  app.add_flag("--directed", arguments.directed, "edges go one way, as listed")->group(group);
  app.add_flag("--undirected", arguments.undirected, "edges whose reverse is not listed get one")->group(group);
  app.add_option("--node-features", options.node_features, "numbers of nodes are: auto, categories or dense")
      ->transform(CLI::CheckedTransformer(kinds, CLI::ignore_case).description(""))
      ->group(group);
  app.add_option("--edge-features", options.edge_features, "the same for numbers of edges")
      ->transform(CLI::CheckedTransformer(kinds, CLI::ignore_case).description(""))
      ->group(group);
  const auto columns = [&](const char* name, std::vector<std::string>& chosen, const char* help) {
    app.add_option(name, chosen, help)->delimiter(',')->allow_extra_args(false)->group(group);
  };
  columns("--node-columns", options.node_columns,
          "only these feature columns of nodes, with commas; label stands for label0, label1, ...; none for no column");
  columns("--edge-columns", options.edge_columns, "the same for edges");
  app.add_flag("--degree", options.degree, "add the degree of nodes as a category")->group(group);
  app.add_flag("--constant", options.constant, "add a constant node feature")->group(group);
  app.add_flag("--distances", options.distances, "join all nodes, with their distance as a feature (QM9; needs pos)")
      ->group(group);
  app.add_flag("--largest-fragment", options.largest_fragment,
               "of a molecule in several pieces (a salt), read the largest only")
      ->group(group);
  app.add_option("--max-atoms", options.max_atoms,
                 "a SMILES string of more atoms is a row that is no graph (reading 1000 takes seconds)")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->group(group);
  app.add_option("--max-unpack-ratio", options.max_unpack_ratio,
                 "how many times its size a compressed file may unpack to, if that is more than 256 MiB")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--verify", arguments.verify,
               "first check all of a mapped file, whatever its size; up to 64 MB that is done anyway")
      ->group(group);
  app.add_option("--threads", options.threads, "workers")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->group(group);
}

}  // namespace

void add_memory_option(CLI::App& app, MemoryArguments& arguments) {
  app.add_option("--max-memory", arguments.bytes,
                 "what a batch may take: 500MB, 8GB; a network that reads whole graphs refuses one that needs "
                 "more; else what the machine has")
      ->transform(CLI::AsSizeValue(true).description(""))
      ->check(CLI::PositiveNumber.description(""));
}

void apply_memory_limit(const MemoryArguments& arguments) {
  if (arguments.bytes > 0) limit_memory(arguments.bytes);
}

DataOptions DataArguments::parsed() const {
  if (source_is_kept) require_lasting(source);
  DataOptions result = options;
  if (!task.empty()) result.task = task_from_name(task);
  result.targets = names_in(targets, source, result);
  result.keep = names_in(keep, source, result);
  if (directed && undirected) {
    throw Error(ErrorKind::kUsage, "--directed and --undirected exclude each other", "choose one of them");
  }
  if (verify) result.check_up_to = kAnySize;
  if (directed) result.direction = Direction::kDirected;
  if (undirected) result.direction = Direction::kUndirected;
  return result;
}

void add_data_options(CLI::App& app, DataArguments& arguments, const char* argument_name) {
  app.add_option(argument_name, arguments.source, kSourceHelp)->required();
  add_reading_options(app, arguments);
}

void add_optional_data_options(CLI::App& app, DataArguments& arguments, SourceName name) {
  arguments.source_is_kept = name == SourceName::kKept;
  app.add_option("DATA", arguments.source, arguments.source_is_kept ? kKeptSourceHelp : kSourceHelp);
  add_reading_options(app, arguments);
}

void keep_smiles(const std::string& source, const DataOptions& reading, DataOptions& options) {
  if (std::ranges::find(options.keep, kSmilesColumn) != options.keep.end()) return;
  if (format_of(source, reading) == "smiles") options.keep.emplace_back(kSmilesColumn);
}

void tell_notes(const Dataset& data, const Console& console) {
  for (const std::string& note : data.notes) print_to(console.err, "note: {}\n", note);
}

void tell_bad_rows(const Dataset& data, bool leave_out, const Console& console) {
  if (data.bad_rows.empty()) return;
  for (const BadRow& row : data.bad_rows) print_to(console.err, "not a graph: {}: {}\n", row.where, row.message);
  const std::string count = fmt::format("{} of {} rows are not graphs", data.bad_rows.size(), data.num_rows());
  if (!leave_out) throw Error(ErrorKind::kData, count, "correct them, or leave them out with --skip-bad-rows");
  print_to(console.err, "note: {}, and are left out\n", count);
}

}  // namespace agentnet
