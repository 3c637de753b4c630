// The curves of a run, as they grow: metrics.jsonl (everything, one object per epoch), metrics.csv (the same as a
// table) and TensorBoard events.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/train.h"
#include "core/files/append_file.h"

namespace agentnet {

inline constexpr const char* kEventsFile = "events.out.tfevents.0.agentnet";  // TensorBoard looks for "tfevents"

// {"accuracy": 0.9, ...}
[[nodiscard]] nlohmann::ordered_json scores_json(const Scores& scores);

// {"homo": {"mae": 0.1, ...}, ...}
[[nodiscard]] nlohmann::ordered_json scores_json(std::span<const TargetScores> by_target);

// {"coverage": 0.95, "samples": 1000, "metrics": {"mae": [0.1, 0.2], ...}}
[[nodiscard]] nlohmann::ordered_json bootstrap_json(const Bootstrap& bootstrap);

// One line, with the line end; and back. Anything but an object with the members of a record throws Error (kData).
[[nodiscard]] std::string record_to_json(const EpochRecord& record);
[[nodiscard]] EpochRecord record_from_json(std::string_view line);

// Records of the file up to this epoch; what follows a line that is not complete does not count. Empty if there is no
// file.
[[nodiscard]] std::vector<EpochRecord> read_metrics(const std::filesystem::path& jsonl, std::uint64_t last_epoch);

class MetricsLog {
 public:
  // Replaces the three files by ones with the records `before`, and goes on from there. `metrics` are the names of
  // the columns.
  MetricsLog(const std::filesystem::path& folder, std::vector<std::string> metrics, std::span<const EpochRecord> before,
             FileSystem& fs);

  void add(const EpochRecord& record);
  void sync();

 private:
  [[nodiscard]] std::string csv_line(const EpochRecord& record) const;

  std::vector<std::string> metrics_;
  AppendFile jsonl_, csv_, events_;
};

}  // namespace agentnet
