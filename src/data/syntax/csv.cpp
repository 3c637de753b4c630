#include "data/syntax/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"

namespace agentnet {
namespace {

constexpr std::size_t kLongestField = std::size_t{1} << 30;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return result;
}

}  // namespace

const std::vector<std::string>& smiles_column_names() {
  static const std::vector<std::string> kNames = {"smiles", "canonical_smiles", "smiles_string", "isomeric_smiles",
                                                  "molecule_smiles"};
  return kNames;
}

std::string csv_field(std::string_view text) {
  const auto space = [](char c) { return c == ' ' || c == '\t'; };
  const bool bordered = !text.empty() && (space(text.front()) || space(text.back()));
  if (!bordered && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_field(std::string_view text, CsvFor reader) {
  // The wide forms are what some spreadsheets take for the same.
  constexpr std::string_view kWide[] = {"\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
  std::string_view seen = text;
  while (seen.starts_with(' ')) seen.remove_prefix(1);
  const bool formula = seen.find_first_of("=+-@\t\r\n") == 0 ||
                       std::ranges::any_of(kWide, [&](std::string_view sign) { return seen.starts_with(sign); });
  if (reader == CsvFor::kPrograms || !formula || to_number(text)) return csv_field(text);
  return csv_field("'" + std::string(text));
}

// White space that does not separate.
void CsvReader::skip_space(std::string_view& text) const {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t') && text.front() != separator_) {
    text.remove_prefix(1);
  }
}

std::string_view CsvReader::trimmed(std::string_view text) const {
  skip_space(text);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

CsvReader::CsvReader(const Input& input, std::string_view member, const TableForm& form)
    : lines_(input, member), separator_(form.separator) {
  if (!read_record()) lines_.fail_at_end("the file is empty", "its first line should name the columns");
  if (!form.names.empty()) {
    first_is_row_ = headless_ = true;
    header_ = form.names;
    for (const std::string& name : header_) {
      exact_.add(name);
      any_case_.add(lower(name));
    }
    return;
  }
  for (const Field& field : fields_) {
    const std::string name(trimmed(field.text));
    if (valid_utf8_prefix(name) != name.size()) {
      fail(static_cast<std::size_t>(&field - fields_.data()), fmt::format("the name {} is not UTF-8", in_quotes(name)),
           "save the file as UTF-8");
    }
    if (!exact_.add(name) && !name.empty()) {
      fail(static_cast<std::size_t>(&field - fields_.data()), fmt::format("there are two columns {}", in_quotes(name)),
           "rename one of them");
    }
    any_case_.add(lower(name));
    header_.push_back(name);
  }
}

std::optional<std::size_t> CsvReader::column(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    if (const auto found = any_case_.find(lower(name))) return found;
  }
  return std::nullopt;
}

std::size_t CsvReader::required_column(const std::string& name) const {
  if (const auto found = exact_.find(name)) return *found;
  if (const auto found = column({name})) return *found;
  const auto meant = closest_match(name, header_);
  throw Error(ErrorKind::kUsage, fmt::format("{} has no column {}", lines_.place(), in_quotes(name)),
              meant ? fmt::format("did you mean {}?", *meant) : fmt::format("its columns are {}", list_some(header_)));
}

std::string CsvReader::where(std::size_t column) const {
  const Field& field = fields_.at(column);
  return fmt::format("{}:{}:{}", lines_.place(), field.line, field.column);
}

void CsvReader::fail(std::size_t column, std::string_view message, std::string_view hint) const {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", where(column), message),
              std::string(hint.empty() ? "correct the field" : hint));
}

bool CsvReader::next() {
  if (!std::exchange(first_is_row_, false) && !read_record()) return false;
  if (fields_.size() != header_.size()) {
    const bool more = fields_.size() > header_.size();
    fail(more ? header_.size() : fields_.size() - 1,
         fmt::format("the row has {} {}, but the {} {} columns", fields_.size(),
                     fields_.size() == 1 ? "field" : "fields", headless_ ? "first row has" : "header names",
                     header_.size()),
         fmt::format("give every row the same fields; put quotes around a field that holds a {}",
                     separator_ == ','   ? "comma"
                     : separator_ == ';' ? "semicolon"
                                         : "tab"));
  }
  return true;
}

// The quoted field that `rest` begins with, which may go on in the next lines; leaves what follows it in `rest`.
std::string_view CsvReader::quoted(std::string_view& rest) {
  const std::string opened = lines_.where(rest.data());
  std::string& text = texts_.emplace_back();
  rest.remove_prefix(1);
  for (;;) {
    const std::size_t quote = rest.find('"');
    text.append(rest.substr(0, quote));
    if (quote == std::string_view::npos) {
      text.push_back('\n');
      if (text.size() > kLongestField) {
        throw Error(ErrorKind::kData, fmt::format("{}: this quoted field is longer than 1 GiB", opened),
                    "close the quotes");
      }
      own_fields();
      if (!lines_.next()) {
        throw Error(ErrorKind::kData, fmt::format("{}: this quoted field has no end", opened), "close the quotes");
      }
      rest = lines_.line();
      continue;
    }
    rest.remove_prefix(quote + 1);
    if (!rest.starts_with('"')) return text;
    text.push_back('"');
    rest.remove_prefix(1);
  }
}

// The record goes on in the next line, whose bytes may take the place of this one's. Each field is copied once, however
// many lines there are to come.
void CsvReader::own_fields() {
  for (; owned_ < fields_.size(); ++owned_) fields_[owned_].text = texts_.emplace_back(fields_[owned_].text);
}

// What stands before the first white space of the line, and what stands behind it.
void CsvReader::read_two_fields() {
  const std::string_view line = lines_.line();
  const auto add = [&](std::size_t first, std::size_t end) {
    fields_.push_back({line.substr(first, end - first), lines_.number(), first + 1});
  };
  const std::size_t first = line.find_first_not_of(" \t"),
                    end = std::min(line.find_first_of(" \t", first), line.size());
  add(first, end);
  const std::size_t rest = std::min(line.find_first_not_of(" \t", end), line.size());
  add(rest, std::max(rest, line.find_last_not_of(" \t") + 1));
}

bool CsvReader::read_record() {
  fields_.clear();
  texts_.clear();
  owned_ = 0;
  if (!lines_.next_nonempty()) return false;
  if (separator_ == ' ') {
    read_two_fields();
    return true;
  }
  std::string_view rest = lines_.line();
  for (;;) {
    // White space around a field is no part of it, unless it is in quotes.
    skip_space(rest);
    Field field;
    field.line = lines_.number();
    field.column = static_cast<std::uint64_t>(rest.data() - lines_.line().data()) + 1;
    if (rest.starts_with('"')) {
      field.text = quoted(rest);
      skip_space(rest);
      if (!rest.empty() && rest.front() != separator_) {
        lines_.fail(rest.data(), "there is text behind the closing quote of this field",
                    "double the quotes inside a quoted field");
      }
    } else {
      const std::string_view text = rest.substr(0, rest.find(separator_));
      rest.remove_prefix(text.size());
      field.text = trimmed(text);
    }
    fields_.push_back(field);
    if (rest.empty()) return true;
    rest.remove_prefix(1);
  }
}

}  // namespace agentnet
