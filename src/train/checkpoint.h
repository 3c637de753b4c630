// Where training can go on from, on disk: a folder with two files that are written in turn.
//
// A new checkpoint replaces the older of the two, atomically and durably, and is read back before anybody relies on it;
// whatever happens meanwhile, the newer of the old ones is still there. Each file is a safetensors file:
//
//   tensors    now.parameters, now.first_moment, now.second_moment, the same of epoch_start, and best
//   metadata   agentnet.checkpoint   "3"
//              agentnet.state        JSON: the other members of Snapshot, and of Checkpoint
//              agentnet.checksum     XXH3-128 of both texts, each followed by a zero byte, and of all tensors in file
//                                    order
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/files/atomic_file.h"
#include "train/trainer.h"

namespace agentnet {

struct Checkpoint {
  Snapshot snapshot;
  double seconds = 0;        // of training so far
  std::string run;           // what it belongs to: a checksum of settings, split and data
  std::uint64_t number = 0;  // counts the checkpoints of a run; save() sets it
};

class CheckpointFolder {
 public:
  // The folder is made by the first save.
  explicit CheckpointFolder(std::filesystem::path folder, FileSystem& fs = FileSystem::real());

  // Throws Error (kFailure) if it cannot be written or does not read back; the checkpoints before it are then intact.
  void save(Checkpoint checkpoint);

  // The newest that is complete; nothing if there is none. `damaged` collects a message for each file that is not as it
  // should be; may be null.
  [[nodiscard]] std::optional<Checkpoint> load(std::vector<std::string>* damaged = nullptr);

 private:
  [[nodiscard]] std::filesystem::path file(std::uint64_t number) const;

  std::filesystem::path folder_;
  FileSystem& fs_;
  std::optional<std::uint64_t> newest_;  // known after load() or save()
};

// One file. Reading throws Error (kData) that names the file and what is wrong with it.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint, FileSystem& fs);
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace agentnet
