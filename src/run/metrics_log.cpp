#include "run/metrics_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <utility>

#include "agentnet/error.h"
#include "core/files/whole_file.h"
#include "core/json.h"
#include "run/tensorboard.h"

namespace agentnet {
namespace {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Replaces the file and opens it for more.
AppendFile fresh(const std::filesystem::path& path, const std::string& content, FileSystem& fs) {
  write_whole_file(path, content, fs);
  return AppendFile(path, fs);
}

std::string event(const EpochRecord& record, double wall_time) {
  std::vector<TensorboardScalar> scalars = {{"train/loss", static_cast<float>(record.loss)},
                                            {"train/learning_rate", static_cast<float>(record.learning_rate)},
                                            {"train/gradient_norm", static_cast<float>(record.gradient_norm)}};
  for (const Score& score : record.valid) scalars.push_back({"valid/" + score.name, static_cast<float>(score.value)});
  return tensorboard_record(static_cast<std::int64_t>(record.epoch), wall_time, scalars);
}

std::string number(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace

nlohmann::ordered_json scores_json(const Scores& scores) {
  Json json = Json::object();
  for (const Score& score : scores) json[score.name] = score.value;
  return json;
}

nlohmann::ordered_json bootstrap_json(const Bootstrap& bootstrap) {
  nlohmann::ordered_json json = {{"coverage", bootstrap.coverage}, {"samples", bootstrap.samples}};
  json["metrics"] = nlohmann::ordered_json::object();
  for (const Interval& interval : bootstrap.intervals) json["metrics"][interval.name] = {interval.low, interval.high};
  return json;
}

nlohmann::ordered_json scores_json(std::span<const TargetScores> by_target) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const TargetScores& target : by_target) json[target.target] = scores_json(target.scores);
  return json;
}

std::string record_to_json(const EpochRecord& record) {
  Json j;
  j["epoch"] = record.epoch;
  j["steps"] = record.steps;
  j["learning_rate"] = record.learning_rate;
  j["loss"] = record.loss;
  j["gradient_norm"] = record.gradient_norm;
  if (record.metric) j["metric"] = *record.metric;  // NaN is written as null
  if (!record.valid.empty()) j["valid"] = scores_json(record.valid);
  j["best"] = record.best;
  j["seconds"] = record.seconds;
  return j.dump() + "\n";
}

EpochRecord record_from_json(std::string_view line) {
  try {
    const Json j = parse_json(line, "record");
    EpochRecord record;
    read_member(j, "epoch", record.epoch);
    read_member(j, "steps", record.steps);
    read_member(j, "learning_rate", record.learning_rate);
    read_member(j, "loss", record.loss);
    read_member(j, "gradient_norm", record.gradient_norm);
    if (const auto at = j.find("metric"); at != j.end())
      record.metric = at->is_null() ? std::nan("") : at->get<double>();
    if (const auto at = j.find("valid"); at != j.end()) {
      for (const auto& [name, value] : at->items()) record.valid.push_back({name, value.get<double>()});
    }
    read_member(j, "best", record.best);
    read_member(j, "seconds", record.seconds);
    return record;
  } catch (const std::exception& e) {  // of parse_json, read_member or nlohmann
    throw Error(ErrorKind::kData, fmt::format("not a record of an epoch: {}", e.what()), "");
  }
}

std::vector<EpochRecord> read_metrics(const std::filesystem::path& jsonl, std::uint64_t last_epoch) {
  std::vector<EpochRecord> records;
  std::ifstream file(jsonl, std::ios::binary);
  std::string line;
  while (std::getline(file, line)) {
    try {
      EpochRecord record = record_from_json(line);
      if (record.epoch > last_epoch) break;
      records.push_back(std::move(record));
    } catch (const Error&) {
      break;
    }
  }
  return records;
}

MetricsLog::MetricsLog(const std::filesystem::path& folder, std::vector<std::string> metrics,
                       std::span<const EpochRecord> before, FileSystem& fs)
    : metrics_(std::move(metrics)),
      jsonl_([&] {
        std::string text;
        for (const EpochRecord& record : before) text += record_to_json(record);
        return fresh(folder / "metrics.jsonl", text, fs);
      }()),
      csv_([&] {
        std::string text = "epoch,steps,learning_rate,loss,gradient_norm,best,seconds";
        for (const std::string& name : metrics_) text += ",valid_" + name;
        text += "\n";
        for (const EpochRecord& record : before) text += csv_line(record);
        return fresh(folder / "metrics.csv", text, fs);
      }()),
      events_([&] {
        // When the earlier records were made is not known any more: they get times that end now.
        const double now = seconds_since_1970();
        const double last = before.empty() ? 0 : before.back().seconds;
        std::string bytes = tensorboard_header(now - last);
        for (const EpochRecord& record : before) bytes += event(record, now - last + record.seconds);
        return fresh(folder / kEventsFile, bytes, fs);
      }()) {}

void MetricsLog::add(const EpochRecord& record) {
  jsonl_.write(record_to_json(record));
  csv_.write(csv_line(record));
  events_.write(event(record, seconds_since_1970()));
}

void MetricsLog::sync() {
  for (AppendFile* file : {&jsonl_, &csv_, &events_}) file->sync();
}

std::string MetricsLog::csv_line(const EpochRecord& record) const {
  std::string line = fmt::format("{},{},{},{},{},{},{:.3f}", record.epoch, record.steps, record.learning_rate,
                                 record.loss, record.gradient_norm, record.best ? 1 : 0, record.seconds);
  for (const std::string& name : metrics_) {
    const auto at =
        std::find_if(record.valid.begin(), record.valid.end(), [&](const Score& s) { return s.name == name; });
    line += "," + (at == record.valid.end() ? "" : number(at->value));
  }
  return line + "\n";
}

}  // namespace agentnet
