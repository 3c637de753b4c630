#include "core/folder.h"

#include <fmt/format.h>

#include <system_error>

#include "agentnet/error.h"

namespace agentnet {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return;
  throw Error(ErrorKind::kFailure, fmt::format("cannot make the folder {}: {}", folder.string(), error.message()),
              "choose a place that you may write to");
}

}  // namespace agentnet
