// Stands for pack.cpp in a build without libarchive.
#include <fmt/core.h>

#include "agentnet/error.h"
#include "data/io/archives/pack.h"

namespace agentnet {

std::unique_ptr<Packer> pack(AtomicFile& /*file*/, const std::filesystem::path& path) {
  throw Error(ErrorKind::kUsage,
              fmt::format("{} is to be packed, and this agentnet was built without libarchive", path.string()),
              "leave out the ending, or use a build with libarchive (agentnet::agentnet instead of agentnet::core)");
}

}  // namespace agentnet
