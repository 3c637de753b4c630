// agentnet completion SHELL: a script that makes the tab key work.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "command_list.h"
#include "manual/command_text.h"
#include "manual/completion.h"

namespace agentnet {

CommandRun define_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  app.add_option("SHELL", *shell, "bash, zsh or fish")->required();
  return [shell](const Console& console) { console.out << completion_script(*shell, command_texts(commands())); };
}

}  // namespace agentnet
