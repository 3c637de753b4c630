// Packed files, and archives of several: the only place that knows libarchive's reading side.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "data/io/byte_stream.h"

namespace agentnet {

// Members of an archive, one after the other, or the one content of a packed file.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  // The name of the next member that is a file; nothing at the end.
  [[nodiscard]] virtual std::optional<std::string> next() = 0;
  // The next bytes of this member; 0 at its end.
  [[nodiscard]] virtual std::size_t read(char* out, std::size_t size) = 0;
};

enum class Packing {
  kFile,    // .gz, .xz, .zst or .bz2 around one file
  kArchive  // .zip, or .tar in any of these
};

[[nodiscard]] bool can_unpack();  // whether this build has libarchive

// `place` is the file's name in messages; what unpacks is counted in `unpacking`. Throws Error: kData for a damaged
// archive, here and in the functions above; kUsage in a build that cannot unpack.
[[nodiscard]] std::unique_ptr<Unpacker> unpack(std::unique_ptr<ByteStream> packed, const std::string& place,
                                               Packing packing, std::shared_ptr<Unpacking> unpacking);

}  // namespace agentnet
