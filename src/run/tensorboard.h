// Numbers for TensorBoard: the bytes of an event file, without the file.
//
//   file = tensorboard_header(now) + tensorboard_record(1, now, {{"train/loss", 0.7F}}) + ...
//
// TensorBoard reads every file whose name contains "tfevents". Such a file is a row of records, each
//
//   1. u64  length of the data, little-endian
//   2. u32  masked CRC-32C of these 8 bytes
//   3.      the data: a protobuf message Event
//   4. u32  masked CRC-32C of the data
//
// where Event has wall_time (field 1, double), step (2, int64), and either file_version (3, string; the first record
// only) or summary (5) with one value (1) per number: its tag (1, string) and simple_value (2, float). A record that
// is cut short at the end of the file is taken as not there yet, so that appending needs no more than one write.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace agentnet {

struct TensorboardScalar {
  std::string tag;  // a slash groups: "valid/accuracy"
  float value = 0;
};

// What a file starts with, and one record of numbers of the same step. `wall_time` is in seconds since 1970.
[[nodiscard]] std::string tensorboard_header(double wall_time);
[[nodiscard]] std::string tensorboard_record(std::int64_t step, double wall_time,
                                             std::span<const TensorboardScalar> scalars);

// CRC-32C (Castagnoli), as iSCSI and ext4 use it.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes);

}  // namespace agentnet
