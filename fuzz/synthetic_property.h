// What must hold of any text that names a built-in set.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "data/synthetic/synthetic.h"
#include "reader_property.h"

namespace agentnet {

// Returns whether there is such a set. Large numbers are left out: they ask for large sets, and get them.
inline bool check_synthetic(std::span<const std::byte> bytes) {
  const std::string text = text_of(bytes);
  int digits = 0;
  for (const char c : text) {
    if (digits > 0 && (c == 'e' || c == 'E')) return false;
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 2) return false;
  }
  try {
    const Dataset data = make_synthetic(std::string(kSyntheticPrefix) + text);
    for (std::size_t g = 0; g < data.graphs.size(); ++g) require_sound(data.graphs.view(g), data.schema);
    return true;
  } catch (const Error& error) {
    const std::string message = error.what();
    require_of_reader(error.kind() == ErrorKind::kUsage, "refused with the wrong kind of error");
    require_of_reader(printable(message) == message && !error.hint().empty(), "message or hint cannot be shown");
    return false;
  }
}

}  // namespace agentnet
