// agentnet man [COMMAND]: manual pages, made of what the commands declare.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "command_list.h"
#include "core/files/atomic_file.h"
#include "core/print.h"
#include "core/suggest.h"
#include "core/text.h"
#include "manual/command_text.h"
#include "manual/man_page.h"

namespace agentnet {
namespace {

struct ManArguments {
  std::string command, folder;
};

const CommandText& named(const std::vector<CommandText>& texts, const std::string& name) {
  const auto found = std::ranges::find(texts, name, &CommandText::name);
  if (found != texts.end()) return *found;
  std::vector<std::string> names;
  for (const CommandText& text : texts) names.push_back(text.name);
  const auto close = closest_match(name, names);
  throw Error(ErrorKind::kUsage, fmt::format("unknown command {}", in_quotes(name)),
              close ? fmt::format("did you mean {}?", *close) : "agentnet --help lists what there is");
}

void write_pages(const std::vector<CommandText>& texts, const std::filesystem::path& folder, const Console& console) {
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& page) {
    AtomicFile file(folder / (name + ".1"));
    file.write(page.data(), page.size());
    file.commit();
  };
  write("agentnet", program_page(texts));
  for (const CommandText& text : texts) write("agentnet-" + text.name, command_page(text));
  print_to(console.err, "{} manual pages are in {}\n", texts.size() + 1, folder.string());
}

}  // namespace

CommandRun define_man(CLI::App& app) {
  const auto arguments = std::make_shared<ManArguments>();
  app.add_option("COMMAND", arguments->command, "whose page is printed; without one, that of the program");
  app.add_option("-o,--output", arguments->folder, "write all pages into this folder instead");
  return [arguments](const Console& console) {
    const std::vector<CommandText> texts = command_texts(commands());
    if (!arguments->folder.empty()) return write_pages(texts, arguments->folder, console);
    console.out << (arguments->command.empty() ? program_page(texts) : command_page(named(texts, arguments->command)));
  };
}

}  // namespace agentnet
