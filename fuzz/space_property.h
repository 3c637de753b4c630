// What must hold of any text given as a space to search.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "agentnet/error.h"
#include "core/text.h"
#include "settings_property.h"
#include "tune/space.h"

namespace agentnet {

// Returns whether the text is one. What is accepted must give points, each of which can be set.
inline bool check_space(std::span<const std::byte> bytes) {
  try {
    const SearchSpace space(text_of(bytes), "input", "agentnet");
    for (std::uint64_t number = 0; number < 4; ++number) {
      RandomSequence random(number, Purpose::kTest);
      const Point point = space.draw(random);
      static_cast<void>(with_point(SettingsLayers(), point));
    }
    static_cast<void>(space.grid());
  } catch (const Error& error) {
    const std::string message = error.what();
    require_of_reader(error.kind() == ErrorKind::kUsage, "refused with the wrong kind of error");
    require_of_reader(starts_with_place(message), "the message does not say where");
    require_of_reader(printable(message) == message && !error.hint().empty(), "message or hint cannot be shown");
    return false;
  }
  return true;
}

}  // namespace agentnet
