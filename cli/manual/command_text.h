// What the commands' own declarations say of them, as plain text: manual pages and completions are made of it, so that
// neither can differ from --help.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "commands.h"

namespace agentnet {

struct OptionText {
  std::vector<std::string> names;  // "-o", "--output"; of a positional argument its name alone
  std::string value;               // "TEXT"; empty if it takes none
  std::string default_value;       // empty if there is none to tell
  std::string help;
  std::string group;                 // the heading that it stands under in --help
  std::vector<std::string> choices;  // all values that it can have, where they are names; else empty
};

struct CommandText {
  std::string name, summary, example;
  std::vector<OptionText> arguments;  // without a dash
  std::vector<OptionText> options;
};

// Of each command in `table`.
[[nodiscard]] std::vector<CommandText> command_texts(std::span<const Command> table);

}  // namespace agentnet
