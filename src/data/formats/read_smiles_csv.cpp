// A CSV table with a column of SMILES strings and any number of target columns. Every row is kept: one whose string
// means no molecule is listed among the bad rows.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "agentnet/error.h"
#include "core/text.h"
#include "core/thread_pool.h"
#include "data/formats/readers.h"
#include "data/formats/smiles_table.h"
#include "data/io/name_index.h"
#include "data/molecules/molecule.h"
#include "data/syntax/csv.h"
#include "data/tables/builder.h"
#include "data/tables/split_builder.h"

namespace agentnet {
namespace {

constexpr std::size_t kBatch = 8192;                         // rows in memory at a time
constexpr std::size_t kCellsInBatch = std::size_t{1} << 20;  // of rows with very many targets, fewer

// In the order of preference; any other that ends in _id comes before the last.
const std::vector<std::string> kIdNames = {"id", "mol_id", "molecule_id", "compound_id", "chembl_id", "cid", "name"};
// Columns that count or group rows rather than describe them.
const std::vector<std::string> kNoTargets = {"",     "index",    "row",  "split", "set",
                                             "fold", "scaffold", "name", "id",    "mol_id"};

// "Compound ID" -> "compound_id".
std::string plain_name(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c == ' ' || c == '-' || c == '.' ? '_' : c;
  }
  return result;
}

struct TargetCell {
  std::string text;
  std::string where;  // of text, as long as its column had none
};

struct Row {
  std::uint64_t number = 0;  // in the table
  std::string id, where;
  std::vector<TargetCell> targets;
  std::vector<std::string> kept;
};

class SmilesReader {
 public:
  SmilesReader(const Input& input, const DataOptions& options)
      : options_(options),
        source_(input.name()),
        opened_(open_smiles_table(input, options.smiles_column)),
        table_(opened_.table),
        set_(options),
        pool_(options.threads) {
    smiles_ = options.smiles_column.empty() ? find_smiles() : table_.required_column(options.smiles_column);
    if (!options.id_column.empty()) {
      id_ = table_.required_column(options.id_column);
    } else {
      id_ = find_id();
      set_.allow_repeated_ids();
    }
    for (const std::string& name : options.keep) {
      // Scaffolds are made of the molecules, whatever their column is called.
      const bool molecules = name == kSmilesColumn && !table_.column({name});
      kept_.push_back(molecules ? smiles_ : table_.required_column(name));
    }
    choose_target_columns();
    set_.schema.nodes = atom_schema();
    set_.schema.edges = bond_schema();
  }

  Dataset read() {
    while (read_rows(kBatch)) {
    }
    Targets::Left left = keep_likely_targets();
    Dataset data = std::move(set_).finish(source_, "smiles");
    tell(data, std::move(left));
    return data;
  }

  std::uint64_t read_in_parts(const RowParts& parts, const TakePart& take) {
    const std::size_t rows = parts.rows;
    share_ = parts.share;
    set_.allow_repeated_ids();
    bool more = true;
    while (more) {
      const std::uint64_t first = set_.num_rows();
      name_targets();  // those of the last part may have lost columns of text
      for (std::size_t read = 0; more && read < rows; read += kBatch) more = read_rows(std::min(kBatch, rows - read));
      if (set_.num_rows() == first) break;
      Targets::Left left = keep_likely_targets();
      Dataset part = set_.take_part(source_, "smiles");
      tell(part, std::move(left));
      take(std::move(part));
    }
    if (set_.num_rows() == 0) static_cast<void>(std::move(set_).finish(source_, "smiles"));  // throws
    return set_.num_rows();
  }

 private:
  std::size_t find_smiles() const {
    if (opened_.smiles) return *opened_.smiles;
    throw Error(ErrorKind::kUsage, fmt::format("{} has no column smiles", source_),
                fmt::format("name the column with --smiles-column; columns are {}", list_some(table_.header())));
  }

  // A column of a usual name, or the first that is called an id: Compound ID, CMPD_CHEMBLID.
  std::optional<std::size_t> find_id() const {
    std::optional<std::size_t> usual;
    std::size_t rank = kIdNames.size();
    for (std::size_t c = 0; c < table_.header().size(); ++c) {
      if (c == smiles_) continue;
      const std::string name = plain_name(table_.header()[c]);
      const auto found = static_cast<std::size_t>(std::find(kIdNames.begin(), kIdNames.end(), name) - kIdNames.begin());
      const bool called_id = name.ends_with("_id") || name.ends_with("chemblid");
      const std::size_t own = found < kIdNames.size() ? found : kIdNames.size() - (called_id ? 1 : 0);
      if (own < rank) {
        rank = own;
        usual = c;
      }
    }
    return usual;
  }

  // Up to `count` rows into the set; false if there are no more.
  bool read_rows(std::size_t count) {
    for (const std::size_t batch = std::max<std::size_t>(1, kCellsInBatch / (targets_.size() + 1)); count > 0;) {
      const std::size_t wanted = std::min(batch, count);
      if (!read_batch(wanted)) return false;
      count -= wanted;
    }
    return true;
  }

  bool read_batch(std::size_t count) {
    std::vector<std::string> smiles;
    std::vector<Row> rows;
    while (rows.size() < count && table_.next()) {
      const std::uint64_t number = next_row_++;
      if (!share_.has(number)) continue;
      smiles.emplace_back(table_.field(smiles_));
      Row& row = rows.emplace_back();
      row.number = number;
      if (id_) row.id = std::string(table_.field(*id_));
      row.where = table_.where(smiles_);
      for (std::size_t t = 0; t < targets_.size(); ++t) {
        TargetCell& cell = row.targets.emplace_back();
        cell.text = std::string(table_.field(targets_[t]));
        if (!set_.targets.has_text(t) && Targets::is_text(cell.text)) cell.where = table_.where(targets_[t]);
      }
      for (const std::size_t c : kept_) row.kept.emplace_back(table_.field(c));
    }
    add_rows(smiles, rows);
    set_.skip_to_row(next_row_);
    return rows.size() == count;
  }

  void choose_target_columns() {
    if (options_.task == Task::kNone) return;
    if (options_.targets.empty() || all_wanted()) {
      for (std::size_t c = 0; c < table_.header().size(); ++c) {
        const std::string name = plain_name(table_.header()[c]);
        const bool taken = c == smiles_ || c == id_ || std::find(kept_.begin(), kept_.end(), c) != kept_.end() ||
                           std::find(kNoTargets.begin(), kNoTargets.end(), name) != kNoTargets.end();
        if (!taken) targets_.push_back(c);
      }
    } else {
      for (const std::string& name : options_.targets) targets_.push_back(table_.required_column(name));
    }
    name_targets();
  }

  void name_targets() {
    std::vector<std::string> names;
    for (const std::size_t c : targets_) names.push_back(table_.header()[c]);
    set_.targets.set_names(names);
  }

  Targets::Left keep_likely_targets() {
    if (all_wanted()) return {set_.targets.drop_text_columns(source_), {}};
    return options_.targets.empty() ? set_.targets.keep_likely(source_, options_.ask_for_targets) : Targets::Left{};
  }

  [[nodiscard]] bool all_wanted() const { return options_.targets == std::vector<std::string>{"*"}; }

  void tell(Dataset& data, Targets::Left left) {
    data.columns = std::exchange(columns_, {});
    data.unused_columns = std::move(left.text);
    data.notes.insert(data.notes.begin(), left.notes.begin(), left.notes.end());
    if (options_.task != Task::kNone) note_split_columns(table_.header(), options_, data.notes);
    if (const std::size_t cut = std::exchange(cut_, 0); cut > 0) {
      data.notes.push_back(fmt::format("of {} in several pieces, only the largest was read (--largest-fragment)",
                                       cut == 1 ? "one molecule" : fmt::format("{} molecules", cut)));
    }
  }

  void add_rows(const std::vector<std::string>& smiles, std::vector<Row>& rows) {
    std::vector<MoleculeOrReason> molecules = molecules_from_smiles(
        smiles, pool_, options_.max_atoms, options_.largest_fragment ? Pieces::kLargest : Pieces::kAll);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Row& row = rows[i];
      set_.skip_to_row(row.number);
      if (const auto* reason = std::get_if<std::string>(&molecules[i])) {
        set_.add_bad_row(row.id, row.where, fmt::format("{} is no molecule: {}", in_quotes(smiles[i]), *reason));
        continue;
      }
      cut_ += std::get<Molecule>(molecules[i]).cut ? 1 : 0;
      set_.add(std::move(std::get<Molecule>(molecules[i]).parts), row.id, [&] { return row.where; });
      for (std::size_t t = 0; t < row.targets.size(); ++t) {
        const TargetCell& cell = row.targets[t];
        set_.targets.add(t, cell.text, [&cell] { return cell.where; });
      }
      for (std::size_t k = 0; k < row.kept.size(); ++k) columns_[options_.keep[k]].push_back(std::move(row.kept[k]));
    }
  }

  const DataOptions& options_;
  std::string source_;
  SmilesTable opened_;
  CsvReader& table_;
  SetBuilder set_;
  ThreadPool pool_;
  RowShare share_;
  std::uint64_t next_row_ = 0;
  std::size_t smiles_ = 0;
  std::optional<std::size_t> id_;
  std::vector<std::size_t> targets_, kept_;
  std::size_t cut_ = 0;  // molecules of which pieces were left out, since the last part
  std::map<std::string, std::vector<std::string>> columns_;
};

}  // namespace

Dataset read_smiles_csv(const Input& input, const DataOptions& options) { return SmilesReader(input, options).read(); }

std::uint64_t read_smiles_csv_in_parts(const Input& input, const DataOptions& options, RowParts parts,
                                       const TakePart& take) {
  return SmilesReader(input, options).read_in_parts(parts, take);
}

}  // namespace agentnet
