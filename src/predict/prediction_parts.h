// Predictions of one source that several programs make, each of its share of the rows, and their joining.
//
//   PARTS/part-3-of-8.csv    the lines of a part, as `agentnet predict` writes them, with the row numbers of the source
//   PARTS/part-3-of-8.json   its record, which is written last: without it, the part is not complete
//
// Any number of programs may write parts of one folder at once, and any of them may die: a part that is made once more
// has the same bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/io/row_share.h"

namespace agentnet {

enum class PartForm { kCsv, kJsonLines };

struct PartRecord {
  RowShare share;
  PartForm form = PartForm::kCsv;
  // What the lines depend on besides the share, as JSON: the model's checksum, the source, every option. Parts belong
  // together if these texts are equal.
  std::string settings;
  std::uint64_t rows = 0;      // of the whole source
  std::uint64_t own_rows = 0;  // of this part
  std::uint64_t bytes = 0;     // of its file
  std::string checksum;        // the same
};

[[nodiscard]] std::filesystem::path part_file(const std::filesystem::path& folder, const RowShare& share,
                                              PartForm form);
[[nodiscard]] std::filesystem::path part_record_file(const std::filesystem::path& folder, const RowShare& share);

// Nothing if there is no record; a damaged one throws Error (kData).
[[nodiscard]] std::optional<PartRecord> read_part_record(const std::filesystem::path& path);
void write_part_record(const std::filesystem::path& path, const PartRecord& record);

// What is in a folder of parts, one of which has been found: all others must be there.
class PartsFolder {
 public:
  // Throws Error (kData) if there is no part, if parts are missing (it names them), if they are of different jobs (it
  // says which setting differs), or if a file has not the size that its record says.
  explicit PartsFolder(const std::filesystem::path& folder);

  [[nodiscard]] std::uint64_t rows() const { return records_[0].rows; }
  [[nodiscard]] std::uint64_t parts() const { return records_.size(); }
  [[nodiscard]] PartForm form() const { return records_[0].form; }

  // Hands out the lines of all parts in the order of their rows, the header of a table first. Throws Error (kData) if a
  // part has not the rows or the checksum that its record says; what was handed out is worth nothing then.
  void join(const std::function<void(std::string_view)>& take) const;

 private:
  std::filesystem::path folder_;
  std::vector<PartRecord> records_;  // of part 0, 1, ...
};

}  // namespace agentnet
