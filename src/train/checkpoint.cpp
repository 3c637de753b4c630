#include "train/checkpoint.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <system_error>
#include <utility>

#include "agentnet/error.h"
#include "core/files/checksum.h"
#include "core/files/folder.h"
#include "core/files/safetensors.h"
#include "core/json.h"

namespace agentnet {
namespace {

constexpr const char* kVersion = "3";
constexpr const char* kVersionKey = "agentnet.checkpoint";
constexpr const char* kStateKey = "agentnet.state";
constexpr const char* kChecksumKey = "agentnet.checksum";

// Every member of a Snapshot that is a number, under its name: f(name, member).
template <class S, class F>
void visit_numbers(S& s, const F& f) {
  f("now_steps", s.now.steps);
  f("epoch_start_steps", s.epoch_start.steps);
  f("epoch", s.epoch);
  f("step", s.step);
  f("loss_sum", s.loss_sum);
  f("norm_sum", s.norm_sum);
  f("rate_factor", s.rate_factor);
  f("retried", s.retried);
  f("evaluations", s.evaluations);
  f("since_best", s.since_best);
  f("since_plateau", s.since_plateau);
  f("best_metric", s.best_metric);
  f("best_tie_break", s.best_tie_break);
  f("best_epoch", s.best_epoch);
  f("out_of_patience", s.out_of_patience);
  f("left_chance", s.left_chance);
}

// And every array: f(name, member).
template <class S, class F>
void visit_arrays(S& s, const F& f) {
  f("now.parameters", s.now.parameters);
  f("now.first_moment", s.now.first_moment);
  f("now.second_moment", s.now.second_moment);
  f("epoch_start.parameters", s.epoch_start.parameters);
  f("epoch_start.first_moment", s.epoch_start.first_moment);
  f("epoch_start.second_moment", s.epoch_start.second_moment);
  f("best", s.best);
}

// Statistics of networks that keep some; a file has these only where there are any.
template <class S, class F>
void visit_buffers(S& s, const F& f) {
  f("now.buffers", s.now.buffers);
  f("epoch_start.buffers", s.epoch_start.buffers);
  f("best_buffers", s.best_buffers);
}

std::string state_json(const Checkpoint& checkpoint) {
  Json j;
  j["number"] = checkpoint.number;
  j["run"] = checkpoint.run;
  j["seconds"] = checkpoint.seconds;
  visit_numbers(checkpoint.snapshot, [&](const char* name, const auto& value) { j[name] = value; });  // NaN: null
  return j.dump();
}

void read_state(const std::string& text, Checkpoint& checkpoint) {
  const Json j = parse_json(text, kStateKey);
  read_member(j, "number", checkpoint.number);
  read_member(j, "run", checkpoint.run);
  read_member(j, "seconds", checkpoint.seconds);
  visit_numbers(checkpoint.snapshot, [&](const char* name, auto& value) {
    using T = std::remove_reference_t<decltype(value)>;
    const auto at = j.find(name);
    if (at == j.end() && std::string_view(name) == "left_chance") {
      value = T(1);  // versions that did not know it did not ask
    } else if (std::is_floating_point_v<T> && at != j.end() && at->is_null()) {
      value = std::numeric_limits<T>::quiet_NaN();
    } else {
      read_member(j, name, value);
    }
  });
}

std::string checksum(const std::string& state, std::span<const TensorData> tensors) {
  Checksum sum;
  for (const std::string& text : {std::string(kVersion), state}) {
    sum.update(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
  }
  for (const TensorData& tensor : tensors) sum.update(tensor.bytes);
  return sum.hex();
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint, FileSystem& fs) {
  std::vector<TensorData> tensors;
  const auto append = [&](const char* name, const std::vector<float>& values) {
    tensors.push_back({name, Dtype::kF32, {values.size()}, std::as_bytes(std::span(values))});
  };
  visit_arrays(checkpoint.snapshot, append);
  if (!checkpoint.snapshot.now.buffers.empty()) visit_buffers(checkpoint.snapshot, append);
  sort_as_written(tensors);
  const std::string state = state_json(checkpoint);
  write_safetensors(path, tensors,
                    {{kVersionKey, kVersion}, {kStateKey, state}, {kChecksumKey, checksum(state, tensors)}}, fs);
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::kData, fmt::format("{}: {}", file.source_name(), what), "start the training again");
  };
  const auto metadata = [&](const char* key) {
    const auto at = file.metadata().find(key);
    if (at == file.metadata().end()) refuse(fmt::format("no metadata '{}': this is not a checkpoint", key));
    return at->second;
  };
  if (const std::string version = metadata(kVersionKey); version != kVersion) {
    if (version.find_first_not_of("0123456789") != std::string::npos) refuse("its version is damaged");
    throw Error(
        ErrorKind::kMismatch,
        fmt::format("{}: this is checkpoint format {}, of another version of this program, which reads format {}",
                    file.source_name(), version, kVersion),
        "go on with that version, or start a new run in another folder");
  }
  const std::string state = metadata(kStateKey);
  std::vector<TensorData> tensors;
  for (const TensorInfo& tensor : file.tensors()) tensors.push_back({tensor.name, tensor.dtype, {}, tensor.data});
  if (checksum(state, tensors) != metadata(kChecksumKey)) refuse("the checksum does not fit: the file is damaged");
  Checkpoint checkpoint;
  try {
    read_state(state, checkpoint);
  } catch (const Error& e) {
    refuse(fmt::format("metadata '{}' is not as expected ({})", kStateKey, e.what()));
  }
  // All shapes are compared before any memory is taken. All arrays of a kind are of one size; those of the best epoch
  // are empty before the first.
  Snapshot& snapshot = checkpoint.snapshot;
  const auto check = [&](const char* first) {
    const std::uint64_t size = file.at(first).count();
    return [&, size](const char* name, const std::vector<float>& values) {
      const TensorInfo& tensor = file.at(name);
      const bool may_be_empty = &values == &snapshot.best || &values == &snapshot.best_buffers;
      const bool fits = tensor.count() == size || (tensor.count() == 0 && may_be_empty);
      if (!fits) refuse(fmt::format("tensor '{}' has {} values instead of {}", name, tensor.count(), size));
      if (tensor.shape.size() != 1) refuse(fmt::format("tensor '{}' is no list of numbers", name));
      if (tensor.dtype != Dtype::kF32) {
        refuse(fmt::format("tensor '{}' holds {}, checkpoints hold F32", name, dtype_name(tensor.dtype)));
      }
    };
  };
  const auto copy = [&](const char* name, std::vector<float>& values) { values = file.at(name).copy<float>(); };
  const bool has_buffers = file.find("now.buffers") != nullptr;
  std::size_t expected = 0;
  const auto count = [&](const char*, const std::vector<float>&) { ++expected; };
  visit_arrays(snapshot, count);
  if (has_buffers) visit_buffers(snapshot, count);
  if (file.tensors().size() != expected) {
    refuse(fmt::format("there are {} tensors, a checkpoint has {}", file.tensors().size(), expected));
  }
  visit_arrays(snapshot, check("now.parameters"));
  if (has_buffers) visit_buffers(snapshot, check("now.buffers"));
  visit_arrays(snapshot, copy);
  if (has_buffers) visit_buffers(snapshot, copy);
  return checkpoint;
}

CheckpointFolder::CheckpointFolder(std::filesystem::path folder, FileSystem& fs)
    : folder_(std::move(folder)), fs_(fs) {}

std::filesystem::path CheckpointFolder::file(std::uint64_t number) const {
  return folder_ / fmt::format("{}.safetensors", number % 2);
}

void CheckpointFolder::save(Checkpoint checkpoint) {
  if (!newest_) {
    make_folder(folder_);
    const auto before = load();
    newest_ = before ? before->number : 0;
  }
  checkpoint.number = *newest_ + 1;
  write_checkpoint(file(checkpoint.number), checkpoint, fs_);
  try {
    if (read_checkpoint(file(checkpoint.number)).number != checkpoint.number) {
      throw Error(ErrorKind::kFailure, "it is another one");
    }
  } catch (const Error& e) {
    throw Error(ErrorKind::kFailure, fmt::format("a checkpoint that was just written does not read back: {}", e.what()),
                "check the disk; the checkpoint before it is intact");
  }
  newest_ = checkpoint.number;
}

std::optional<Checkpoint> CheckpointFolder::load(std::vector<std::string>* damaged) {
  std::optional<Checkpoint> newest;
  for (const std::uint64_t slot : {0, 1}) {
    std::error_code error;
    if (!std::filesystem::exists(file(slot), error)) continue;
    try {
      Checkpoint checkpoint = read_checkpoint(file(slot));
      if (!newest || checkpoint.number > newest->number) newest = std::move(checkpoint);
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kMismatch) throw;  // it is intact: to begin anew would destroy it
      if (damaged != nullptr) damaged->emplace_back(e.what());
    }
  }
  if (newest) newest_ = newest->number;
  return newest;
}

}  // namespace agentnet
