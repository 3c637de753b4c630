// A TOML text as a list of settings, each with its place. This is all that the rest of the program sees of toml++.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/option_table.h"

namespace agentnet {

struct TomlEntry {
  std::string section;  // empty: the key stands before the first section
  std::string key;      // empty: this is the section itself
  Json value;           // a text, a number, true, false, or a list of these
  std::string place;    // file:line:column of the key
};

// In the order of the text. `name` stands for the text in messages. Throws Error (kUsage) with file:line:column for
// what is no TOML, and for dates and tables within sections, which no setting is.
[[nodiscard]] std::vector<TomlEntry> read_toml(std::string_view text, const std::string& name);

// The value that stands behind an equals sign in TOML; null if it is none of those above.
[[nodiscard]] Json read_toml_value(std::string_view text);

// Such a value as TOML, in one line.
[[nodiscard]] std::string toml_value(const Json& value);

}  // namespace agentnet
