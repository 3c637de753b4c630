// agentnet gather PARTS: joins what agentnet predict --shard made.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <ostream>

#include "agentnet/error.h"
#include "command_list.h"
#include "core/counted.h"
#include "core/print.h"
#include "data/io/output.h"
#include "interrupt.h"
#include "predict/prediction_parts.h"

namespace agentnet {
namespace {

struct GatherArguments {
  std::string folder, output;
  bool force = false;
};

void run_gather(const GatherArguments& arguments, const Console& console) {
  const PartsFolder parts(arguments.folder);
  const bool to_file = !arguments.output.empty() && arguments.output != "-";
  std::error_code ignored;
  if (to_file && !arguments.force && std::filesystem::exists(arguments.output, ignored)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} exists already", arguments.output),
                "choose another name, or replace it with --force");
  }
  const InterruptGuard guard;
  std::unique_ptr<TextOutput> file = to_file ? std::make_unique<TextOutput>(arguments.output) : nullptr;
  parts.join([&](std::string_view line) {
    if (InterruptGuard::interrupted()) {
      throw Error(ErrorKind::kInterrupted, to_file ? "interrupted: nothing was written" : "interrupted",
                  "run the same command again");
    }
    if (file != nullptr) return file->write(line);
    console.out << line;
    check_output(console);
  });
  if (file != nullptr) file->commit();
  print_to(console.err, "{} of {}{}\n", counted(parts.rows(), "row"), counted(parts.parts(), "part"),
           to_file ? "; wrote " + arguments.output : "");
}

}  // namespace

CommandRun define_gather(CLI::App& app) {
  auto arguments = std::make_shared<GatherArguments>();
  app.add_option("PARTS", arguments->folder, "the folder that agentnet predict --shard wrote its parts into")
      ->required();
  app.add_option("-o,--output", arguments->output,
                 "write to this file; .gz, .xz and .zst pack it; - or nothing: standard output");
  app.add_flag("--force", arguments->force, "replace the file if it exists");
  return [arguments](const Console& console) { run_gather(*arguments, console); };
}

}  // namespace agentnet
