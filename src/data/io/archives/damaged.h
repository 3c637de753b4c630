// What a damaged archive is called in messages.
#pragma once

#include <fmt/core.h>

#include <string>

#include "agentnet/error.h"
#include "core/text.h"

namespace agentnet {

[[noreturn]] inline void fail_damaged(const std::string& place, const char* reason) {
  throw Error(ErrorKind::kData,
              fmt::format("{}: damaged archive: {}", place, reason != nullptr ? printable(reason) : "no reason"),
              "copy or download it again");
}

}  // namespace agentnet
