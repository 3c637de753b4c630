#include "program.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <ostream>

#include "agentnet/error.h"
#include "agentnet/version.h"
#include "core/print.h"
#include "core/suggest.h"
#include "core/text.h"
#include "output/build_parts.h"
#include "output/safe_stream.h"

namespace agentnet {
namespace {

constexpr const char* kName = "agentnet";
constexpr const char* kDescription =
    "Classify and score whole graphs with AgentNet: neural agents walk a graph, then decide together.";

std::string help_hint(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? fmt::format("{} --help lists what there is", kName)
                           : fmt::format("{} {} --help lists its options", kName, app.get_name());
}

// The command the user named, or the program itself.
const CLI::App& selected(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// Options of other programs for the same data (chemprop's, in both of its spellings), and what is typed here instead.
struct Elsewhere {
  std::string_view name;
  const char* ours;
};
constexpr std::array kElsewhere = std::to_array<Elsewhere>({
    {"--target-columns", "--target NAME,NAME"},
    {"--smiles-columns", "--smiles-column NAME"},
    {"--data-path", "DATA, without an option: agentnet train data.csv -o run"},
    {"--test-path", "DATA, without an option: agentnet predict run/model.safetensors test.csv"},
    {"--save-dir", "-o FOLDER"},
    {"--output-dir", "-o FOLDER"},
    {"--preds-path", "-o FILE"},
    {"--model-path", "MODEL, without an option: agentnet predict run/model.safetensors data.csv"},
    {"--model-paths", "MODEL, without an option: agentnet predict run/model.safetensors data.csv"},
    {"--checkpoint-path", "MODEL, without an option: agentnet predict run/model.safetensors data.csv"},
    {"--checkpoint-dir", "MODEL, without an option: agentnet predict run/model.safetensors data.csv"},
    {"--split-type", "--split random, stratified, scaffold, scaffold-balanced, ..."},
    {"--split-sizes", "--split random:0.8,0.1,0.1"},
    {"--num-folds", "agentnet cv --folds K"},
    {"--num-replicates", "agentnet cv --folds K"},
    {"--dataset-type", "--task regression, classification or multilabel"},
    {"--task-type", "--task regression, classification or multilabel"},
    {"--batch-size", "--batch N"},
    {"--data-seed", "--split-seed N"},
    {"--init-lr", "--learning-rate X"},
    {"--max-lr", "--learning-rate X"},
    {"--hidden-size", "--hidden N"},
    {"--num-workers", "--threads N"},
    {"--gpu", "nothing: agentnet runs on the processor, with --threads N"},
});

// Underscores count as dashes: chemprop's first version has them.
const char* meaning_elsewhere(std::string word) {
  std::replace(word.begin(), word.end(), '_', '-');
  const auto found =
      std::find_if(kElsewhere.begin(), kElsewhere.end(), [&](const Elsewhere& e) { return e.name == word; });
  return found != kElsewhere.end() ? found->ours : nullptr;
}

// An argument that nothing takes. `app` is the command it was given to.
Error unknown_argument(const CLI::App& app, const std::string& argument) {
  const bool is_option = argument.starts_with('-');
  if (!is_option && app.get_parent() != nullptr) {
    return {ErrorKind::kUsage, fmt::format("unexpected argument {}", in_quotes(argument)), help_hint(app)};
  }
  const std::string word = argument.substr(0, argument.find('='));
  if (const char* const ours = meaning_elsewhere(word)) {
    return {ErrorKind::kUsage, fmt::format("unknown option {}", in_quotes(word)),
            fmt::format("what it means elsewhere is {} here", ours)};
  }
  const auto meant = closest_match(word, is_option ? option_names(app) : command_names(app));
  return {ErrorKind::kUsage, fmt::format("unknown {} {}", is_option ? "option" : "command", in_quotes(word)),
          meant ? fmt::format("did you mean {}?", *meant) : help_hint(app)};
}

// CLI11's complaint in our words. Unknown arguments go first: a mistyped option is the likely cause of a
// required one that seems to be missing.
Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& at = selected(app);
  const auto unknown = at.remaining();
  if (!unknown.empty()) return unknown_argument(at, unknown.front());
  return {ErrorKind::kUsage, error.what(), help_hint(at)};
}

void parse_and_run(std::span<const Command> table, std::vector<std::string> arguments, const Console& console) {
  CLI::App app(kDescription, kName);
  app.set_version_flag("-V,--version", fmt::format("{} {}\n{}", kName, kVersion, build_parts()),
                       "Print the version and what this build has, and exit");
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.require_subcommand(0, 1);

  std::vector<std::pair<const CLI::App*, CommandRun>> runs;
  for (const Command& command : table) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    sub->group("Commands")->footer(fmt::format("Example:\n  {}", command.example));
    runs.emplace_back(sub, command.define(*sub));
  }

  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    print_to(console.text(), "{}", app.help());
    return;
  } catch (const CLI::CallForVersion& version) {
    print_to(console.out, "{}\n", version.what());
    return;
  } catch (const CLI::ParseError& error) {
    throw usage_error(app, error);
  }

  for (const auto& [sub, run] : runs) {
    if (sub->parsed()) return run(console);
  }
  throw Error(ErrorKind::kUsage, "no command given", help_hint(app));
}

// The same console with streams that are safe for terminals; lives as long as the program runs.
class SafeConsole {
 public:
  explicit SafeConsole(const Console& raw) : out_(raw.out), err_(raw.err), raw_(raw) {}

  [[nodiscard]] Console console() {
    return {.out = raw_.out_is_terminal ? out_ : raw_.out,
            .err = err_,
            .err_is_terminal = raw_.err_is_terminal,
            .err_width = raw_.err_width,
            .out_is_terminal = raw_.out_is_terminal,
            .out_is_closed = raw_.out_is_closed,
            .safe_text = &out_,
            .cursor = &raw_.err};
  }

 private:
  SafeStream out_, err_;
  const Console& raw_;
};

// What a program that a closed pipe ends leaves in the shell: 128 and the number of SIGPIPE.
constexpr int kExitOutputClosed = 141;

int report(const Console& console, ErrorKind kind, std::string_view message, std::string_view hint) {
  console.out.flush();
  print_to(console.err, "error: {}\n", message);
  if (!hint.empty()) print_to(console.err, "hint: {}\n", hint);
  console.err.flush();
  return exit_code(kind);
}

}  // namespace

void check_output(const Console& console) {
  if (console.out && console.text()) return;
  if (console.out_is_closed != nullptr && console.out_is_closed()) throw OutputClosed();
  throw Error(ErrorKind::kFailure, "cannot write to standard output", "is the disk full?");
}

int run_program(std::span<const Command> table, const std::vector<std::string>& arguments,
                const Console& raw) noexcept {
  SafeConsole safe(raw);
  const Console console = safe.console();
  try {
    parse_and_run(table, arguments, console);
    console.text().flush();
    console.out.flush();
    check_output(console);
    return 0;
  } catch (const OutputClosed&) {
    return kExitOutputClosed;
  } catch (const Error& error) {
    return report(console, error.kind(), error.what(), error.hint());
  } catch (const std::bad_alloc&) {
    return report(console, ErrorKind::kFailure, "out of memory", "");
  } catch (const std::exception& error) {
    return report(console, ErrorKind::kFailure, error.what(), "this is a bug in agentnet: please report it");
  }
}

}  // namespace agentnet
