#include "manual/completion.h"

#include <fmt/core.h>

#include <array>
#include <optional>
#include <vector>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet {
namespace {

// In single quotes, as all three shells read them; fish also has \\ there.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c != '\n') {
      out += c;
    }
  }
  return out + "'";
}

std::vector<std::string> names_of(std::span<const CommandText> commands) {
  std::vector<std::string> names;
  for (const CommandText& command : commands) names.push_back(command.name);
  return names;
}

std::vector<std::string> option_names(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// Words before the one that is typed decide: the command is the first of them, and the value of an option follows it.
std::string bash_script(std::span<const CommandText> commands) {
  std::string text =
      "# agentnet(1) completion for bash: source it, or install it as share/bash-completion/completions/agentnet\n"
      "_agentnet() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= values=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  text += fmt::format("    COMPREPLY=($(compgen -W {} -- \"$word\"))\n    return\n  fi\n  case ${{COMP_WORDS[1]}} in\n",
                      quoted(join_text(names_of(commands), " ") + " --help --version"));
  for (const CommandText& command : commands) {
    text += fmt::format("    {})\n      options={}\n      case $before in\n", command.name,
                        quoted(join_text(option_names(command), " ")));
    for (const OptionText& option : command.options) {
      if (option.choices.empty()) continue;
      text += fmt::format("        {}) values={} ;;\n", join_text(option.names, "|"),
                          quoted(join_text(option.choices, " ")));
    }
    text += "      esac\n      ;;\n";
  }
  text +=
      "  esac\n"
      "  if [ -n \"$values\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
      "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n"
      "  elif [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o default -F _agentnet agentnet\n";
  return text;
}

// A text within a specification of _arguments, where brackets and colons mean something.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_action(const OptionText& option) {
  return option.choices.empty() ? "_files" : fmt::format("({})", join_text(option.choices, " "));
}

std::string zsh_script(std::span<const CommandText> commands) {
  std::string text = "#compdef agentnet\n_agentnet() {\n  local -a commands=(\n";
  for (const CommandText& command : commands) {
    text += fmt::format("    {}\n", quoted(command.name + ":" + zsh_text(command.summary)));
  }
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local name=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $name in\n";
  for (const CommandText& command : commands) {
    text += fmt::format("    {})\n      _arguments -s", command.name);
    for (const OptionText& option : command.options) {
      for (const std::string& name : option.names) {
        const std::string value =
            option.value.empty() ? "" : fmt::format(":{}:{}", zsh_text(option.value), zsh_action(option));
        text += fmt::format(" \\\n        {}", quoted(fmt::format("*{}[{}]{}", name, zsh_text(option.help), value)));
      }
    }
    text += " \\\n        '*:file:_files'\n      ;;\n";
  }
  return text + "  esac\n}\n_agentnet \"$@\"\n";
}

// fish reads \ in single quotes as well.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    if (c != '\n') out += c;
  }
  return out + "'";
}

std::string fish_script(std::span<const CommandText> commands) {
  std::string text = "# agentnet(1) completion for fish\n";
  for (const CommandText& command : commands) {
    text += fmt::format("complete -c agentnet -n __fish_use_subcommand -f -a {} -d {}\n", command.name,
                        fish_quoted(command.summary));
  }
  for (const CommandText& command : commands) {
    for (const OptionText& option : command.options) {
      text += fmt::format("complete -c agentnet -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.value.empty()) text += " -r";
      if (!option.choices.empty()) text += " -f -a " + fish_quoted(join_text(option.choices, " "));
      text += fmt::format(" -d {}\n", fish_quoted(option.help));
    }
  }
  return text;
}

struct Shell {
  std::string_view name;
  std::string (*script)(std::span<const CommandText> commands);
};
constexpr std::array kShells = {Shell{"bash", bash_script}, Shell{"zsh", zsh_script}, Shell{"fish", fish_script}};

}  // namespace

std::string completion_script(std::string_view shell, std::span<const CommandText> commands) {
  std::vector<std::string> names;
  for (const Shell& one : kShells) {
    if (one.name == shell) return one.script(commands);
    names.emplace_back(one.name);
  }
  const auto close = closest_match(std::string(shell), names);
  throw Error(ErrorKind::kUsage, fmt::format("no completions for the shell {}", in_quotes(shell)),
              close ? fmt::format("did you mean {}?", *close) : "there are bash, zsh and fish");
}

}  // namespace agentnet
