// Stands for unpack.cpp in a build without libarchive.
#include <fmt/core.h>

#include "agentnet/error.h"
#include "data/io/archives/unpack.h"

namespace agentnet {

bool can_unpack() { return false; }

std::unique_ptr<Unpacker> unpack(std::unique_ptr<ByteStream> /*packed*/, const std::string& place, Packing /*packing*/,
                                 std::shared_ptr<Unpacking> /*unpacking*/) {
  throw Error(ErrorKind::kUsage, fmt::format("{} is packed, and this agentnet was built without libarchive", place),
              "unpack it first, or use a build with libarchive (agentnet::agentnet instead of agentnet::core)");
}

}  // namespace agentnet
