// Comma-separated values with a header line (RFC 4180): quoted fields may hold commas, quotes ("") and line ends. Tabs
// and semicolons separate as well, and a table may come without a header, where whoever opens it says so.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/io/lines.h"
#include "data/io/name_index.h"

namespace agentnet {

struct TableForm {
  // A space stands for any white space, of which only the first of a line separates (.smi files: a string and a name,
  // which may be missing).
  char separator = ',';
  std::vector<std::string> names;  // of the columns, if no line of the file has them
};

class CsvReader {
 public:
  // Reads the header. Throws Error (kData) if there is none, or if two columns have the same name.
  CsvReader(const Input& input, std::string_view member, const TableForm& form = {});

  [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
  // The number of the first of these names that is a column, in any case; nothing if none is.
  [[nodiscard]] std::optional<std::size_t> column(const std::vector<std::string>& names) const;
  // The same for a name that must be there: throws Error (kUsage) with a suggestion.
  [[nodiscard]] std::size_t required_column(const std::string& name) const;

  // The next row; false at the end. A row with another number of fields than the header throws Error (kData).
  [[nodiscard]] bool next();
  [[nodiscard]] std::string_view field(std::size_t column) const { return fields_[column].text; }
  // "file:line:column" of a field of the current row.
  [[nodiscard]] std::string where(std::size_t column) const;
  [[noreturn]] void fail(std::size_t column, std::string_view message, std::string_view hint = {}) const;

  // fail() for one column, as FeatureColumns::value wants it.
  [[nodiscard]] auto failing_at(std::size_t column) const {
    return [this, column](std::string_view message, std::string_view hint) { fail(column, message, hint); };
  }

 private:
  struct Field {
    std::string_view text;
    std::uint64_t line = 0, column = 0;
  };
  [[nodiscard]] bool read_record();
  void read_two_fields();
  void skip_space(std::string_view& text) const;
  [[nodiscard]] std::string_view trimmed(std::string_view text) const;
  [[nodiscard]] std::string_view quoted(std::string_view& rest);
  void own_fields();

  Lines lines_;
  char separator_;
  bool headless_ = false;
  bool first_is_row_ = false;  // the header comes from elsewhere, and the first record is yet to be handed out
  std::vector<std::string> header_;
  NameIndex exact_, any_case_;  // the places of names in the header
  std::vector<Field> fields_;
  std::size_t owned_ = 0;          // fields from the first on that do not lie in the line
  std::deque<std::string> texts_;  // of fields that cannot be a piece of the line
};

// A field for writing: in quotes if it holds what would end it or be taken off.
[[nodiscard]] std::string csv_field(std::string_view text);

// Who reads a file: a program wants every byte as it was; a spreadsheet takes a text that begins with =, +, -, @, a tab
// or a line end for a formula, which may run commands, so that such a text gets an apostrophe before it. Numbers stay.
enum class CsvFor { kPrograms, kSpreadsheets };
[[nodiscard]] std::string csv_field(std::string_view text, CsvFor reader);

// What columns of SMILES strings are usually called; and how one of molecules can be asked for, whatever it is called.
inline constexpr const char* kSmilesColumn = "smiles";
[[nodiscard]] const std::vector<std::string>& smiles_column_names();

}  // namespace agentnet
