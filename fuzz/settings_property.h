// What must hold of any text given as a config file.
#pragma once

#include <cctype>
#include <cstddef>
#include <span>
#include <string>

#include "agentnet/error.h"
#include "core/text.h"
#include "reader_property.h"
#include "run/settings.h"

namespace agentnet {

// "input:3:1: ..."
inline bool starts_with_place(const std::string& message) {
  std::size_t at = std::string("input").size();
  for (int number = 0; number < 2; ++number) {
    if (!message.starts_with("input") || at >= message.size() || message[at] != ':') return false;
    const std::size_t first = ++at;
    while (at < message.size() && std::isdigit(static_cast<unsigned char>(message[at])) != 0) ++at;
    if (at == first || message[first] == '0') return false;
  }
  return message.substr(at).starts_with(": ");
}

// Returns whether the text is one. What is accepted must write itself out as a text that means the same.
inline bool check_settings(std::span<const std::byte> bytes) {
  SettingsLayers layers;
  try {
    layers.text(text_of(bytes), "input");
  } catch (const Error& error) {
    const std::string message = error.what();
    require_of_reader(error.kind() == ErrorKind::kUsage, "refused with the wrong kind of error");
    require_of_reader(starts_with_place(message), "the message does not say where");
    require_of_reader(printable(message) == message && !error.hint().empty(), "message or hint cannot be shown");
    return false;
  }
  const std::string written = to_toml(layers.data_settings());
  SettingsLayers again;
  again.text(written, "written");
  require_of_reader(to_toml(again.data_settings()) == written, "what was written does not read back");
  return true;
}

}  // namespace agentnet
