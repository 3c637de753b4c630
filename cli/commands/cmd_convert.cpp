// agentnet convert IN OUT: a set of graphs in another format, or a part of it; long edge lists without loading them.
// agentnet generate: the same for built-in sets.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include "agentnet/error.h"
#include "command_list.h"
#include "core/checked.h"
#include "core/counted.h"
#include "core/number.h"
#include "core/print.h"
#include "core/text.h"
#include "data/formats/formats.h"
#include "data/huge/convert_edges.h"
#include "data/huge/edge_scan.h"
#include "data/huge/huge_sets.h"
#include "data/synthetic/synthetic.h"
#include "graph/set_file.h"
#include "interrupt.h"
#include "options/data_options.h"
#include "options/piped_data.h"
#include "options/split_options.h"
#include "output/progress.h"

namespace agentnet {
namespace {

struct OutputArguments {
  std::string path, format;
  bool force = false;
};

// For graphs that are not to be in memory.
struct HugeArguments {
  std::string memory, node_labels, node_numbers, label;
};

struct ConvertOptions {
  DataArguments data;
  HugeArguments huge;
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

// "-" would be a file of that name.
void check_output(const OutputArguments& output) {
  if (output.path != "-") return;
  throw Error(ErrorKind::kUsage, "sets of graphs are written to a file or folder, not to standard output",
              "name one; ./- is a file called -");
}

void write_and_tell(const Dataset& data, const OutputArguments& output, const Console& console) {
  const InterruptGuard guard;  // writing takes little time; cut short, it would leave its temporary file behind
  const auto left_out = write_data(data, output.path, output.format, output.force);
  for (const std::string& what : left_out)
    print_to(console.err, "note: left out, as the format cannot hold it: {}\n", what);
  print_to(console.err, "wrote {} to {}\n", counted(data.graphs.size(), "graph"), output.path);
  if (InterruptGuard::interrupted()) {
    throw Error(ErrorKind::kInterrupted,
                fmt::format("interrupted when {} was being written; it is complete", output.path),
                "remove it if you do not want it");
  }
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

bool is_mapped(const OutputArguments& output) {
  const std::string ending = std::filesystem::path(output.path).extension().string();
  return output.format.empty() ? ending == ".graph" || ending == ".agentset" : output.format == "agentset";
}

// "512M", "2G" in bytes.
std::uint64_t parse_memory(const std::string& text) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string unit = text.substr(digits);
  const std::string units = "KMGT";
  std::optional<std::uint64_t> bytes;
  const auto number = parse_count(text.substr(0, digits));
  if (number && unit.size() <= 1) {
    const std::size_t power = unit.empty() ? 0 : units.find(static_cast<char>(std::toupper(unit[0]))) + 1;
    if (power <= units.size()) bytes = checked_mul(*number, std::uint64_t{1} << 10 * power);
  }
  if (!bytes || *bytes < kLeast) {
    throw Error(ErrorKind::kUsage, fmt::format("--memory is {}, which is no amount of memory", in_quotes(text)),
                "give it as 512M or 2G; 1M is the least");
  }
  return *bytes;
}

constexpr std::uint64_t kDefaultMemory = std::uint64_t{1} << 30;

std::uint64_t memory_or_default(const std::string& text) { return text.empty() ? kDefaultMemory : parse_memory(text); }

// Shows how far a phase is, and stops on Ctrl-C.
TellProgress progress_on(ProgressLine& line) {
  return [&line, last = std::chrono::steady_clock::time_point()](const char* phase, std::uint64_t done,
                                                                 std::uint64_t total) mutable {
    if (InterruptGuard::interrupted()) {
      throw Error(ErrorKind::kInterrupted, "interrupted: nothing was written", "run the same command again");
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - last < std::chrono::milliseconds(100)) return;
    last = now;
    const double fraction = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
    const std::string text = total > 0 ? fmt::format("{}: {:.0f} %", phase, 100 * fraction)
                                       : fmt::format("{}{}", phase, done > 0 ? fmt::format(": {} MB", done >> 20) : "");
    line.show(fraction, phase);
    line.print_plain(text);
  };
}

// Options that need the whole graph in memory; null if there is none.
const char* needs_memory(const ConvertOptions& options) {
  const DataOptions& reading = options.data.options;
  if (reading.degree) return "--degree";
  if (reading.distances) return "--distances";
  if (!options.data.task.empty() || !reading.targets.empty()) return "--task or --target";
  if (!reading.keep.empty()) return "--keep";
  if (!reading.node_columns.empty() || !reading.edge_columns.empty()) return "--node-columns or --edge-columns";
  if (!options.split.spec.empty() || !options.part.name.empty()) return "--split or --part";
  return nullptr;
}

void convert_on_disk(const ConvertOptions& options, const Input& input, const Console& console) {
  const DataOptions reading = options.data.parsed();
  const InterruptGuard guard;
  ProgressLine line(console);
  ConvertEdges convert;
  convert.memory = memory_or_default(options.huge.memory);
  convert.direction = reading.direction;
  convert.constant = reading.constant;
  convert.node_labels = options.huge.node_labels;
  convert.node_numbers = options.huge.node_numbers;
  convert.label = options.huge.label;
  convert.replace = options.output.force;
  convert.tell = progress_on(line);
  const ConvertedEdges result = convert_edge_list(input, options.output.path, convert);
  line.clear();
  if (result.unused_lines > 0) {
    print_to(console.err, "note: {} lines about nodes are of ids that no edge has, and were left out\n",
             result.unused_lines);
  }
  print_to(console.err, "wrote a graph of {} and {} to {}\n", counted(result.nodes, "node"),
           counted(result.entries, "neighbour entry", "neighbour entries"), options.output.path);
}

// An edge list is sorted on disk if the user asks for it, or if it is long and nothing else speaks against it. True if
// that was done.
bool converted_on_disk(const ConvertOptions& options, const Console& console) {
  constexpr std::uintmax_t kLong = std::uintmax_t{1} << 30;
  const HugeArguments& huge = options.huge;
  const bool asked =
      !huge.memory.empty() || !huge.node_labels.empty() || !huge.node_numbers.empty() || !huge.label.empty();
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(options.data.source, error);
  const char* const other = needs_memory(options);
  if (!asked && (error || size <= kLong || !is_mapped(options.output) || other != nullptr)) return false;

  const Input input = Input::open(options.data.source, unpack_limit(options.data.options));
  const std::string format = format_for(input, options.data.options).name;
  if (format != "edgelist" || !is_mapped(options.output)) {
    if (!asked) return false;
    throw Error(ErrorKind::kUsage,
                "--memory, --node-labels, --node-numbers and --label are for an edge list that becomes a mapped set",
                "leave them out, or give OUT a name that ends in .graph");
  }
  if (other != nullptr) {
    throw Error(ErrorKind::kUsage, fmt::format("{} is for conversion in memory", other), "leave it or --memory out");
  }
  try {
    convert_on_disk(options, input, console);
  } catch (const NeedsMemory& reason) {
    if (asked) throw;
    print_to(console.err, "note: {}\n", reason.what());
    return false;
  }
  return true;
}

void run_convert(const ConvertOptions& options, const Console& console) {
  if (converted_on_disk(options, console)) return;
  DataOptions reading = options.data.parsed();
  reading.official = true;
  reading.check_up_to = kAnySize;  // all of it is read anyway
  prepare_for_split(options.split, reading);
  Dataset data = read_data(options.data.source, reading);
  tell_notes(data, console);
  tell_bad_rows(data, options.skip_bad_rows, console);
  if (!data.bad_rows.empty()) {
    data.bad_rows.clear();
    data.rows.clear();
  }
  const auto graphs = chosen_graphs(data, options.split, options.part, reading.threads);
  if (!options.part.name.empty()) data = selected(std::move(data), graphs);
  write_and_tell(data, options.output, console);
}

struct GenerateOptions {
  std::string spec, memory;
  OutputArguments output;
};

void run_huge(const GenerateOptions& options, const Console& console) {
  if (!is_mapped(options.output)) {
    throw Error(ErrorKind::kUsage, "graphs of any size are written as a mapped set",
                "give OUT a name that ends in .graph");
  }
  const InterruptGuard guard;
  ProgressLine line(console);
  WriteHugeSet write;
  write.memory = memory_or_default(options.memory);
  write.replace = options.output.force;
  write.tell = progress_on(line);
  const WrittenHugeSet result = write_huge_set(options.spec, options.output.path, write);
  line.clear();
  print_to(console.err, "wrote {} of {} and {} in all to {}\n", counted(result.graphs, "graph"),
           counted(result.nodes, "node"), counted(result.entries, "neighbour entry", "neighbour entries"),
           options.output.path);
}

std::string list_of(const std::vector<SyntheticHelp>& sets) {
  std::string text;
  for (const SyntheticHelp& set : sets) {
    text += fmt::format("  {:<13} {}\n", set.name, set.summary);
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
  const char* const group = "Huge graphs";
  app.add_option("--memory", options->huge.memory,
                 "sort an edge list on disk, in so much memory: 512M, 2G; lists above 1 GiB are, in 1G")
      ->group(group);
  app.add_option("--node-labels", options->huge.node_labels, "a file of lines \"id label\": a category of the nodes")
      ->group(group);
  app.add_option("--node-numbers", options->huge.node_numbers,
                 "a file of lines \"id x1 x2 ...\": features of the nodes")
      ->group(group);
  app.add_option("--label", options->huge.label, "the class of the graph")->group(group);
  app.add_flag("--skip-bad-rows", options->skip_bad_rows, "leave out rows that are not graphs, and say so");
  return [options](const Console& console) {
    check_output(options->output);
    options->data.source = reopenable(options->data.source, console);
    run_convert(*options, console);
  };
}

CommandRun define_generate(CLI::App& app) {
  auto options = std::make_shared<GenerateOptions>();
  app.add_option("SET", options->spec, "synthetic:NAME?key=value&...")->required();
  add_output_options(app, options->output);
  app.add_option("--memory", options->memory, "for sets of any size: sort in so much memory (512M, 2G; default 1G)");
  app.footer(app.get_footer() + "\n\nBuilt-in sets:\n" + list_of(synthetic_sets()) +
             "\nOf any size, written to a file NAME.graph as they are made; numbers may be written as 1e8:\n" +
             list_of(huge_sets()));
  return [options](const Console& console) {
    check_output(options->output);
    if (is_huge_set(options->spec)) return run_huge(*options, console);
    if (!options->spec.starts_with("synthetic:")) {
      throw Error(ErrorKind::kUsage, fmt::format("{} is not a built-in set", options->spec),
                  "built-in sets are called synthetic:NAME; agentnet generate --help lists them");
    }
    write_and_tell(make_synthetic(options->spec), options->output, console);
  };
}

}  // namespace agentnet
