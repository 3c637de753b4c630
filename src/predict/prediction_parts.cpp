#include "predict/prediction_parts.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <utility>
#include <vector>

#include "agentnet/error.h"
#include "core/files/checksum.h"
#include "core/files/mapped_file.h"
#include "core/files/whole_file.h"
#include "core/json.h"
#include "core/text.h"

namespace agentnet {
namespace {

constexpr const char* kFormat = "agentnet prediction part";
constexpr int kVersion = 1;
constexpr std::uint64_t kMostParts = 1000000;
constexpr std::size_t kMostRecordBytes = std::size_t{1} << 20;
constexpr std::size_t kMostBuffered = std::size_t{1} << 26;  // bytes of all parts together

const char* ending_of(PartForm form) { return form == PartForm::kCsv ? "csv" : "jsonl"; }

std::string stem_of(const RowShare& share) { return fmt::format("part-{}-of-{}", share.part + 1, share.parts); }

[[noreturn]] void damaged(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", path.string(), what), "make this part again with --force");
}

// "part-3-of-8.json" -> 8; nothing for other names.
std::optional<std::uint64_t> parts_in_name(const std::string& name) {
  constexpr std::string_view kBefore = "part-", kBetween = "-of-", kAfter = ".json";
  const std::size_t between = name.find(kBetween);
  if (!name.starts_with(kBefore) || !name.ends_with(kAfter) || between == std::string::npos) return std::nullopt;
  const auto count = [&](std::size_t from, std::size_t to) -> std::optional<std::uint64_t> {
    if (from >= to || to - from > 7) return std::nullopt;
    std::uint64_t number = 0;
    for (std::size_t i = from; i < to; ++i) {
      if (name[i] < '0' || name[i] > '9') return std::nullopt;
      number = 10 * number + static_cast<std::uint64_t>(name[i] - '0');
    }
    return number;
  };
  const auto part = count(kBefore.size(), between);
  const auto parts = count(between + kBetween.size(), name.size() - kAfter.size());
  return part && parts && *part >= 1 && *part <= *parts && *parts <= kMostParts ? parts : std::nullopt;
}

// The first member of two JSON objects that differs: "seed (1 and 2)".
std::string difference(const std::string& one, const std::string& other) {
  const std::optional<Json> a = parse_json_if_valid(one), b = parse_json_if_valid(other);
  if (!a || !b || !a->is_object() || !b->is_object()) return "settings";
  for (const auto& [name, value] : a->items()) {
    const auto at = b->find(name);
    if (at == b->end() || *at != value) {
      return fmt::format("{} ({} and {})", name, shown(value), at == b->end() ? "nothing" : shown(*at));
    }
  }
  return "settings";
}

// The lines of a part, record by record: in a table, a line end within quotes is part of a field. The file is open only
// while a piece of it is read: there may be more parts than files may be open at once.
class PartLines {
 public:
  PartLines(std::filesystem::path path, PartForm form, std::size_t piece)
      : path_(std::move(path)), form_(form), piece_(piece) {}

  // With its line end; false at the end of the file.
  bool next(std::string& record) {
    record.clear();
    bool quoted = false;
    while (true) {
      if (at_ == buffer_.size() && !fill()) {
        if (!record.empty()) damaged(path_, "the last line is cut");
        return false;
      }
      const std::size_t end = buffer_.find('\n', at_);
      const std::size_t stop = end == std::string::npos ? buffer_.size() : end + 1;
      const std::string_view piece = std::string_view(buffer_).substr(at_, stop - at_);
      if (form_ == PartForm::kCsv && std::count(piece.begin(), piece.end(), '"') % 2 != 0) quoted = !quoted;
      record += piece;
      at_ = stop;
      if (end != std::string::npos && !quoted) return true;
    }
  }
  [[nodiscard]] std::string checksum() const { return checksum_.hex(); }

 private:
  bool fill() {
    std::ifstream file(path_, std::ios::binary);
    buffer_.resize(piece_);
    if (!file.seekg(static_cast<std::streamoff>(read_))) damaged(path_, "cannot be read");
    file.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.resize(static_cast<std::size_t>(file.gcount()));
    read_ += buffer_.size();
    at_ = 0;
    checksum_.update(std::as_bytes(std::span(buffer_)));
    return !buffer_.empty();
  }

  std::filesystem::path path_;
  PartForm form_;
  std::size_t piece_;
  std::uint64_t read_ = 0;  // bytes of the file
  std::string buffer_;
  std::size_t at_ = 0;
  Checksum checksum_;
};

}  // namespace

std::filesystem::path part_file(const std::filesystem::path& folder, const RowShare& share, PartForm form) {
  return folder / fmt::format("{}.{}", stem_of(share), ending_of(form));
}

std::filesystem::path part_record_file(const std::filesystem::path& folder, const RowShare& share) {
  return folder / (stem_of(share) + ".json");
}

std::optional<PartRecord> read_part_record(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const MappedFile file = MappedFile::open(path);
  if (file.size() > kMostRecordBytes) damaged(path, "is too large for a record of a part");
  const std::string text(reinterpret_cast<const char*>(file.bytes().data()), file.size());
  file.check();
  const Json json = parse_json(text, path.string());
  const auto format = json.is_object() ? json.find("format") : json.end();
  if (!json.is_object() || format == json.end() || *format != kFormat) damaged(path, "is no record of a part");
  try {
    int version = 0;
    read_member(json, "version", version);
    if (version != kVersion) {
      throw Error(ErrorKind::kData, fmt::format("is of version {}, which this program does not know", version));
    }
    PartRecord record;
    std::string form;
    read_member(json, "part", record.share.part);
    read_member(json, "parts", record.share.parts);
    read_member(json, "block", record.share.block);
    read_member(json, "form", form);
    read_member(json, "rows", record.rows);
    read_member(json, "own_rows", record.own_rows);
    read_member(json, "bytes", record.bytes);
    read_member(json, "checksum", record.checksum);
    const auto settings = json.find("settings");
    const bool sound = record.share.part >= 1 && record.share.part <= record.share.parts && record.share.block >= 1 &&
                       record.share.parts <= kMostParts && (form == "csv" || form == "jsonl") &&
                       settings != json.end() && settings->is_object();
    if (!sound) throw Error(ErrorKind::kData, "holds numbers that make no sense");
    --record.share.part;
    record.form = form == "csv" ? PartForm::kCsv : PartForm::kJsonLines;
    record.settings = settings->dump();
    if (record.share.count(record.rows) != record.own_rows) {
      throw Error(ErrorKind::kData,
                  fmt::format("has {} rows of {}, which is not its share", record.own_rows, record.rows));
    }
    return record;
  } catch (const Error& error) {
    damaged(path, error.what());
  }
}

void write_part_record(const std::filesystem::path& path, const PartRecord& record) {
  const Json json = {{"format", kFormat},
                     {"version", kVersion},
                     {"part", record.share.part + 1},
                     {"parts", record.share.parts},
                     {"block", record.share.block},
                     {"form", ending_of(record.form)},
                     {"rows", record.rows},
                     {"own_rows", record.own_rows},
                     {"bytes", record.bytes},
                     {"checksum", record.checksum},
                     {"settings", parse_json(record.settings, "settings")}};
  write_whole_file(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

PartsFolder::PartsFolder(const std::filesystem::path& folder) : folder_(folder) {
  std::optional<std::uint64_t> parts;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto found = parts_in_name(entry.path().filename().string());
    if (!found) continue;
    if (parts && *parts != *found) {
      throw Error(ErrorKind::kData,
                  fmt::format("{} holds parts of {} and parts of {}", folder.string(), *parts, *found),
                  "remove those that do not belong there");
    }
    parts = found;
  }
  if (error || !parts) {
    throw Error(ErrorKind::kData, fmt::format("there is no complete part of a prediction in {}", folder.string()),
                "agentnet predict MODEL DATA --shard 1/8 -o PARTS makes one");
  }
  std::vector<std::string> missing;
  for (std::uint64_t part = 0; part < *parts; ++part) {
    const RowShare share = {.part = part, .parts = *parts};
    const std::filesystem::path path = part_record_file(folder, share);
    std::optional<PartRecord> record = read_part_record(path);
    if (!record) {
      missing.push_back(fmt::format("{}/{}", part + 1, *parts));
      continue;
    }
    if (record->share.part != part || record->share.parts != *parts) damaged(path, "is the record of another part");
    records_.push_back(std::move(*record));
    const PartRecord &first = records_.front(), &last = records_.back();
    if (first.settings != last.settings || first.form != last.form || first.share.block != last.share.block ||
        first.rows != last.rows) {
      const std::string what = first.settings != last.settings ? difference(first.settings, last.settings)
                               : first.rows != last.rows       ? fmt::format("rows ({} and {})", first.rows, last.rows)
                                                               : "the form of their lines";
      throw Error(ErrorKind::kData,
                  fmt::format("parts {} and {} are of different predictions: they differ in {}", first.share.part + 1,
                              part + 1, what),
                  "make all parts with the same model, data and options");
    }
    std::error_code unreadable;
    const std::filesystem::path file = part_file(folder, share, last.form);
    if (std::filesystem::file_size(file, unreadable) != last.bytes || unreadable) {
      damaged(file, fmt::format("has not the {} bytes that its record says", last.bytes));
    }
  }
  if (missing.empty()) return;
  constexpr std::size_t kMostNamed = 20;
  const std::size_t count = missing.size();
  if (count > kMostNamed) {
    missing.resize(kMostNamed);
    missing.push_back(fmt::format("and {} more", count - kMostNamed));
  }
  throw Error(ErrorKind::kData, fmt::format("{} of {} parts are missing: {}", count, *parts, join_text(missing, ", ")),
              fmt::format("agentnet predict ... --shard {} -o {} makes one", missing[0], folder.string()));
}

void PartsFolder::join(const std::function<void(std::string_view)>& take) const {
  const std::size_t piece = std::clamp<std::size_t>(kMostBuffered / records_.size(), 1 << 9, 1 << 16);
  std::vector<PartLines> lines;
  lines.reserve(records_.size());
  std::string header, line;
  for (const PartRecord& record : records_) {
    const std::filesystem::path path = part_file(folder_, record.share, record.form);
    lines.emplace_back(path, record.form, piece);
    if (record.form != PartForm::kCsv) continue;
    if (!lines.back().next(line)) damaged(path, "has no header");
    if (lines.size() == 1) {
      header = line;
      take(header);
    } else if (line != header) {
      damaged(path, "has another header than the first part");
    }
  }
  const std::uint64_t block = records_[0].share.block;
  for (std::uint64_t row = 0; row < rows(); ++row) {
    const auto part = static_cast<std::size_t>(row / block % records_.size());
    if (!lines[part].next(line)) damaged(part_file(folder_, records_[part].share, form()), "has too few rows");
    take(line);
  }
  for (std::size_t part = 0; part < lines.size(); ++part) {
    const std::filesystem::path path = part_file(folder_, records_[part].share, form());
    if (lines[part].next(line)) damaged(path, "has too many rows");
    if (lines[part].checksum() != records_[part].checksum) damaged(path, "is damaged: its checksum does not match");
  }
}

}  // namespace agentnet
