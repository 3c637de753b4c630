// agentnet convert IN OUT: a set of graphs in another format, or a part of it. agentnet generate: the same for built-in
// sets.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "agentnet/error.h"
#include "command_list.h"
#include "data/mapped_set.h"
#include "data/synthetic.h"
#include "data_options.h"
#include "split_options.h"

namespace agentnet {
namespace {

struct OutputArguments {
  std::string path, format;
  bool force = false;
};

struct ConvertOptions {
  DataArguments data;
  SplitArguments split;
  OutputArguments output;
  PartArguments part;
  bool skip_bad_rows = false;
};

void add_output_options(CLI::App& app, OutputArguments& arguments) {
  app.add_option("OUT", arguments.path, "the file or folder to write; .gz, .xz and .zst pack a file")->required();
  app.add_option("--to", arguments.format,
                 "its format, where the name does not say it: agentset, jsonl, csv, tu, gin, edgelist or graphml");
  app.add_flag("--force", arguments.force, "replace OUT if it exists");
}

void write_and_tell(const Dataset& data, const OutputArguments& output, const Console& console) {
  const auto left_out = write_data(data, output.path, output.format, output.force);
  for (const std::string& what : left_out)
    fmt::print(console.err, "note: left out, as the format cannot hold it: {}\n", what);
  fmt::print(console.err, "wrote {} graphs to {}\n", data.graphs.size(), output.path);
}

// Only these graphs of the set.
Dataset selected(Dataset data, const std::vector<std::size_t>& graphs) {
  for (auto& [name, values] : data.columns) {
    std::vector<std::string> chosen;
    chosen.reserve(graphs.size());
    for (const std::size_t g : graphs) chosen.push_back(std::move(values.at(g)));
    values = std::move(chosen);
  }
  data.graphs = data.graphs.subset(graphs);
  data.official.reset();
  data.rows.clear();
  return data;
}

void run_convert(const ConvertOptions& options, const Console& console) {
  DataOptions reading = options.data.parsed();
  reading.official = true;
  prepare_for_split(options.split, reading);
  Dataset data = read_data(options.data.source, reading);
  if (data.format == "agentset") check_mapped_set(data);
  if (!data.bad_rows.empty()) {
    for (const BadRow& row : data.bad_rows) fmt::print(console.err, "not a graph: {}: {}\n", row.where, row.message);
    const std::string count = fmt::format("{} of {} rows are not graphs", data.bad_rows.size(), data.num_rows());
    if (!options.skip_bad_rows) {
      throw Error(ErrorKind::kData, count, "correct them, or leave them out with --skip-bad-rows");
    }
    fmt::print(console.err, "note: {}, and are left out\n", count);
    data.bad_rows.clear();
    data.rows.clear();
  }
  const auto graphs = chosen_graphs(data, options.split, options.part, reading.threads);
  if (!options.part.name.empty()) data = selected(std::move(data), graphs);
  write_and_tell(data, options.output, console);
}

struct GenerateOptions {
  std::string spec;
  OutputArguments output;
};

std::string list_of_sets() {
  std::string text = "Built-in sets:\n";
  for (const SyntheticHelp& set : synthetic_sets()) {
    text += fmt::format("  {:<12} {}\n", set.name, set.summary);
    for (const SyntheticParameter& p : set.parameters) {
      text += fmt::format("    {:<10} {} ({}{})\n", p.name, p.help, p.range(),
                          p.fallback.empty() ? "" : "; default " + p.fallback);
    }
  }
  return text;
}

}  // namespace

CommandRun define_convert(CLI::App& app) {
  auto options = std::make_shared<ConvertOptions>();
  add_data_options(app, options->data, "IN");
  add_output_options(app, options->output);
  add_split_options(app, options->split);
  add_part_options(app, options->part);
  app.add_flag("--skip-bad-rows", options->skip_bad_rows, "leave out rows that are not graphs, and say so");
  return [options](const Console& console) { run_convert(*options, console); };
}

CommandRun define_generate(CLI::App& app) {
  auto options = std::make_shared<GenerateOptions>();
  app.add_option("SET", options->spec, "synthetic:NAME?key=value&...")->required();
  add_output_options(app, options->output);
  app.footer(app.get_footer() + "\n\n" + list_of_sets());
  return [options](const Console& console) {
    if (!options->spec.starts_with("synthetic:")) {
      throw Error(ErrorKind::kUsage, fmt::format("{} is not a built-in set", options->spec),
                  "built-in sets are called synthetic:NAME; agentnet generate --help lists them");
    }
    write_and_tell(make_synthetic(options->spec), options->output, console);
  };
}

}  // namespace agentnet
