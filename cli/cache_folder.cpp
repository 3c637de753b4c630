#include "cache_folder.h"

#include <cstdlib>

#include "agentnet/error.h"

namespace agentnet {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::filesystem::path cache_folder(const std::string& named, const std::string& option) {
  if (!named.empty()) return named;
  if (const std::string own = environment("AGENTNET_CACHE"); !own.empty()) return own;
  if (const std::string base = environment("XDG_CACHE_HOME"); !base.empty())
    return std::filesystem::path(base) / "agentnet";
  if (const std::string home = environment("HOME"); !home.empty())
    return std::filesystem::path(home) / ".cache" / "agentnet";
  throw Error(ErrorKind::kUsage, "no cache folder: neither AGENTNET_CACHE, XDG_CACHE_HOME nor HOME is set",
              "name a folder with " + option);
}

}  // namespace agentnet
