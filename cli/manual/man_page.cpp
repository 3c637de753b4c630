#include "manual/man_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "agentnet/version.h"
#include "core/text.h"

namespace agentnet {
namespace {

// A dot or an apostrophe at the beginning of a line and a backslash anywhere would be commands, and a dash would be set
// as a hyphen, which nobody can copy into a shell.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool begins = out.empty() || out.back() == '\n';
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string title(const std::string& name, std::string_view summary) {
  return fmt::format(".TH {} 1 \"\" \"agentnet {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n", upper(name), kVersion,
                     roff(name), roff(summary));
}

// \fB-o\fR, \fB--output\fR \fITEXT\fR
std::string heading(const OptionText& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + roff(name) + "\\fR");
  std::string text = join_text(names, ", ");
  if (!option.value.empty()) text += " \\fI" + roff(option.value) + "\\fR";
  return text;
}

std::string entry(const OptionText& option) {
  std::string text = fmt::format(".TP\n{}\n{}\n", heading(option), roff(option.help.empty() ? "-" : option.help));
  if (!option.default_value.empty()) text += fmt::format("Default: {}.\n", roff(option.default_value));
  return text;
}

std::string example(std::string_view lines) {
  std::string text = ".SH EXAMPLE\n.nf\n";
  while (!lines.empty()) {
    lines.remove_prefix(std::min(lines.find_first_not_of(' '), lines.size()));
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += roff(lines.substr(0, end)) + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text + ".fi\n";
}

constexpr const char* kEnd =
    ".SH EXIT STATUS\n"
    "0 success, 1 failure, 2 wrong usage, 3 bad data, 4 model and data do not match, 130 interrupted.\n";

}  // namespace

std::string program_page(std::span<const CommandText> commands) {
  std::string text = title("agentnet", "classify and score whole graphs with neural agents that walk them");
  text += ".SH SYNOPSIS\n\\fBagentnet\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const CommandText& command : commands) {
    text += fmt::format(".TP\n\\fBagentnet\\-{}\\fR(1)\n{}\n", roff(command.name), roff(command.summary));
  }
  return text + kEnd;
}

std::string command_page(const CommandText& command) {
  std::string text = title("agentnet-" + command.name, command.summary);
  text += fmt::format(".SH SYNOPSIS\n\\fBagentnet {}\\fR [\\fIOPTIONS\\fR]", roff(command.name));
  for (const OptionText& argument : command.arguments) text += fmt::format(" [\\fI{}\\fR]", roff(argument.names[0]));
  text += "\n";
  if (!command.arguments.empty()) text += ".SH ARGUMENTS\n";
  for (const OptionText& argument : command.arguments) text += entry(argument);
  std::string group;
  for (const OptionText& option : command.options) {
    if (option.group != group) text += fmt::format(".SH \"{}\"\n", roff(upper(option.group)));
    group = option.group;
    text += entry(option);
  }
  return text + example(command.example) + kEnd + ".SH SEE ALSO\n\\fBagentnet\\fR(1)\n";
}

}  // namespace agentnet
