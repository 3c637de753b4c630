#include "data/formats/smiles_table.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "data/io/head.h"
#include "data/molecules/molecule.h"

namespace agentnet {
namespace {

constexpr std::size_t kLines = 20;          // of the beginning of the file are looked at
constexpr std::size_t kMostTried = 64;      // columns whose cells are tried
constexpr std::size_t kLongHead = 1000;     // bytes: the last line of a head that long may be cut
constexpr std::size_t kLongestTried = 300;  // characters of a cell

using Cells = std::vector<std::string>;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return result;
}

// Lines that are not blank; the last one may be cut, and is left out if there are others.
std::vector<std::string_view> lines_of(std::string_view head) {
  const bool full = head.size() >= kLongHead;
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  std::vector<std::string_view> lines;
  while (!head.empty() && lines.size() < kLines) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos && full && !lines.empty()) break;
    std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") != std::string_view::npos) lines.push_back(line);
  }
  return lines;
}

// The fields of a line, without quotes and white space around them. Quoted fields that go on in the next line make
// nonsense of this, and are left to the reader.
Cells cells_of(std::string_view line, char separator) {
  Cells cells;
  if (separator == ' ') {
    const std::size_t first = line.find_first_not_of(" \t"),
                      end = std::min(line.find_first_of(" \t", first), line.size());
    cells.emplace_back(line.substr(first, end - first));
    const std::size_t rest = line.find_first_not_of(" \t", end);
    if (rest != std::string_view::npos) cells.emplace_back(line.substr(rest));
    return cells;
  }
  bool quoted = false;
  std::string cell;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == separator && !quoted) {
      cells.push_back(std::exchange(cell, {}));
    } else if (c != '"') {
      cell.push_back(c);
    }
  }
  cells.push_back(std::move(cell));
  for (std::string& text : cells) {
    const std::size_t first = text.find_first_not_of(" \t");
    text = first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
  }
  return cells;
}

// The separator that gives all lines the same number of fields, of several the one that gives most.
char separator_of(const std::vector<std::string_view>& lines) {
  constexpr std::array kSeparators = {',', '\t', ';'};
  char best = ',';
  std::pair<bool, std::size_t> score = {false, 1};
  for (const char separator : kSeparators) {
    const std::size_t fields = cells_of(lines[0], separator).size();
    const bool same = std::all_of(lines.begin(), lines.end(),
                                  [&](std::string_view line) { return cells_of(line, separator).size() == fields; });
    if (fields < 2 || std::pair(same, fields) <= score) continue;
    best = separator;
    score = {same, fields};
  }
  return best;
}

bool is_molecule(const std::string& cell) {
  if (cell.empty() || cell.size() > kLongestTried || to_number(cell)) return false;
  return std::holds_alternative<Molecule>(molecule_from_smiles(cell));
}

// The column of the first cells that are molecules, if it is one in which nearly all are; and whether the first line
// is one of them.
struct Tried {
  std::size_t column;
  bool first_line;
};

std::optional<Tried> column_of_molecules(const std::vector<Cells>& rows) {
  if (!can_read_smiles()) return std::nullopt;
  std::optional<Tried> best;
  double longest = 0;
  const std::size_t first = rows.size() > 1 ? 1 : 0;
  for (std::size_t c = 0; c < std::min(rows[0].size(), kMostTried); ++c) {
    std::size_t cells = 0, molecules = 0, characters = 0;
    bool some_longer = false;
    for (std::size_t r = first; r < rows.size(); ++r) {
      if (c >= rows[r].size() || rows[r][c].empty()) continue;
      ++cells;
      characters += rows[r][c].size();
      some_longer = some_longer || rows[r][c].size() > 1;
      molecules += is_molecule(rows[r][c]) ? 1 : 0;
      if (cells - molecules > rows.size() / 5) break;
    }
    if (cells == 0 || 5 * molecules < 4 * cells || !some_longer) continue;
    const double mean = static_cast<double>(characters) / static_cast<double>(cells);
    if (mean <= longest) continue;
    longest = mean;
    best = Tried{c, is_molecule(rows[0][c])};
  }
  return best;
}

std::optional<std::size_t> place_of(const Cells& names, std::string_view wanted) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const std::string& name) { return lower(name) == lower(wanted); });
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::optional<std::size_t> named_column(const Cells& names, std::string_view smiles_column) {
  if (!smiles_column.empty()) return place_of(names, smiles_column);
  for (const std::string& usual : smiles_column_names()) {
    if (const auto found = place_of(names, usual)) return found;
  }
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (lower(names[c]).find("smiles") != std::string::npos) return c;
  }
  return std::nullopt;
}

bool ends_as_smi(std::string_view name) {
  const std::string text = lower(name);
  return text.ends_with(".smi") || text.ends_with(".ism") || text.ends_with(".smiles");
}

// "smiles" for the column of molecules, "column2" for the second of the others.
std::vector<std::string> made_up_names(std::size_t columns, std::size_t smiles) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < columns; ++c) {
    names.push_back(c == smiles ? kSmilesColumn : "column" + std::to_string(c + 1));
  }
  return names;
}

}  // namespace

SmilesTableForm smiles_table_form(std::string_view name, std::string_view head, std::string_view smiles_column) {
  SmilesTableForm found;
  const std::vector<std::string_view> lines = lines_of(head);
  if (lines.empty()) return found;
  const bool smi = ends_as_smi(name);
  found.form.separator = smi ? ' ' : separator_of(lines);
  std::vector<Cells> rows;
  for (const std::string_view line : lines) rows.push_back(cells_of(line, found.form.separator));
  found.smiles = named_column(rows[0], smiles_column);
  if (smi) {
    if (!found.smiles) found.form.names = {kSmilesColumn, "name"};
    found.smiles = 0;
    return found;
  }
  if (found.smiles) return found;
  const auto tried = column_of_molecules(rows);
  if (!tried) return found;
  if (tried->first_line) found.form.names = made_up_names(rows[0].size(), tried->column);
  // A name that the user gives must be that of the column.
  const std::string& called = tried->first_line ? found.form.names[tried->column] : rows[0][tried->column];
  if (smiles_column.empty() || lower(called) == lower(smiles_column)) found.smiles = tried->column;
  if (!smiles_column.empty() && tried->first_line) found.smiles = place_of(found.form.names, smiles_column);
  return found;
}

SmilesTable open_smiles_table(const Input& input, std::string_view smiles_column) {
  const std::string& member = input.only_member();
  const SmilesTableForm found = smiles_table_form(member, head_of(input), smiles_column);
  return {CsvReader(input, member, found.form), found.smiles};
}

}  // namespace agentnet
