// Labelled sets of graphs out of files.
//
//   agentnet::Dataset data = agentnet::read_data("MUTAG.zip", {});
//   data.graphs.size(), data.schema.classes, data.graphs.view(0), ...
//   agentnet::Split split = agentnet::make_split(data, "stratified:0.8,0.1,0.1", /*seed=*/0);
//
// docs/data.md describes every format. A reader never drops a row silently: what is malformed throws Error (kData) with
// file:line:column, and a row that is well-formed but means no graph (a SMILES string that no molecule has) is
// listed in bad_rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/graph.h"

namespace agentnet {

enum class Task {
  kNone,            // no targets
  kClassification,  // one target: the number of a class
  kMultilabel,      // several yes/no questions: 0, 1 or blank (NaN) each
  kRegression,      // one or several numbers, each of which may be blank
};

// "none", "classification", "multilabel", "regression"; and back, an unknown name throws Error (kUsage).
[[nodiscard]] std::string_view task_name(Task task);
[[nodiscard]] Task task_from_name(std::string_view name);

// A categorical column: number i of the graphs' categories is spelled values[i]. The number values.size() stands for
// every value that is not listed (see apply_vocabulary).
struct CategoryColumn {
  std::string name;
  std::vector<std::string> values;
  bool operator==(const CategoryColumn&) const = default;
};

// The feature columns of nodes, or of edges.
struct FeatureSchema {
  std::vector<std::string> dense;  // names
  std::vector<CategoryColumn> categories;
  bool operator==(const FeatureSchema&) const = default;
};

struct Schema {
  Task task = Task::kNone;
  std::vector<std::string> targets;  // names of the target columns
  std::vector<std::string> classes;  // kClassification: spellings; a target is an index into it
  FeatureSchema nodes, edges;
  bool operator==(const Schema&) const = default;
};

// Numbers of graphs, each in at most one part.
struct Split {
  std::vector<std::size_t> train, valid, test;
  bool operator==(const Split&) const = default;
};

// A row of the source that is not a graph.
struct BadRow {
  std::uint64_t row = 0;  // counted from 0, header lines not counted
  std::string id;
  std::string where;    // file:line:column
  std::string message;  // what is wrong with it
};

struct Dataset {
  std::string source;  // as the user named it
  std::string format;  // the name of its format
  Schema schema;
  GraphSet graphs;
  std::vector<std::uint64_t> rows;  // the row of the source that graph i comes from; empty: row i
  std::vector<BadRow> bad_rows;     // ascending
  std::optional<Split> official;    // the split that comes with the data, if DataOptions::official asks for it
  // Text columns that the caller asked for (DataOptions::keep), one value per graph.
  std::map<std::string, std::vector<std::string>> columns;
  // Columns that might have been targets but hold text where others hold numbers; DataOptions::targets can name them.
  std::vector<std::string> unused_columns;
  // What the reader did that the user may not expect, a sentence each: keys and columns that were not used, say.
  std::vector<std::string> notes;

  [[nodiscard]] std::uint64_t num_rows() const { return graphs.size() + bad_rows.size(); }
};

// Whether an edge can be walked both ways.
enum class Direction {
  kAsFormat,    // what the format says (docs/data.md)
  kDirected,    // as listed
  kUndirected,  // an edge whose reverse is not listed gets one, with the same features
};

// How numbers without a stated type are read: whole numbers with few values as categories and all others as floats, or
// all the same way.
enum class FeatureKind { kAuto, kCategories, kDense };

// What becomes of a bounded target (">10", "<= 0.5") among numbers.
enum class Bounds {
  kRefuse,  // an error that names it
  kBlank,   // as if nothing stood there
  kValue,   // the number behind the sign
};

inline constexpr std::uint64_t kCheckedSetBytes = std::uint64_t{64} << 20;

struct DataOptions {
  std::string format;        // empty: detected
  std::optional<Task> task;  // empty: what the targets look like
  // Names of the target columns; empty: those that the format suggests; "*" alone: all columns of numbers.
  std::vector<std::string> targets;
  // Several columns of a table could be the target, and no name says which: true: an error lists them; false: the set
  // has no targets, and notes lists them.
  bool ask_for_targets = true;
  Bounds bounds = Bounds::kRefuse;
  std::string smiles_column;      // of a CSV with molecules; empty: the usual names
  std::string id_column;          // the same
  std::vector<std::string> keep;  // further columns to keep as text
  bool official = false;          // also read the split that comes with the data
  Direction direction = Direction::kAsFormat;
  FeatureKind node_features = FeatureKind::kAuto;
  FeatureKind edge_features = FeatureKind::kAuto;
  // Names of the feature columns to read; empty: all; "none" alone: none. "label" also stands for label0, label1, ...
  std::vector<std::string> node_columns, edge_columns;
  bool degree = false;     // adds the node's degree as a category
  bool constant = false;   // adds a column of ones
  bool distances = false;  // all pairs of nodes are joined, with their distance as an edge feature (the QM9 setting)
  bool largest_fragment = false;  // of a molecule in several pieces (a salt), only the piece with most atoms is read
  // A SMILES string of more atoms is a bad row: the time that RDKit takes grows with their cube.
  int max_atoms = 600;
  // A compressed file or archive that unpacks to more than 256 MiB may unpack to this many times its size.
  int max_unpack_ratio = 200;
  int threads = 1;  // for molecules
  // Mapped sets (.agentset, .graph) of at most so many bytes are read and checked as a whole before anything is made of
  // them, by their checksums too. A larger one is checked piece by piece, where it is used.
  std::uint64_t check_up_to = kCheckedSetBytes;
};

// As a JSON object: all options but `threads`, `official` and `keep`, which change nothing that a model sees.
[[nodiscard]] std::string to_json(const DataOptions& options);
// Sets what the JSON object has, on top of `options`. Unknown keys and wrong values throw Error (kUsage).
void apply_json(DataOptions& options, const std::string& json);

// Reads a file, a folder, an archive or a built-in set ("synthetic:NAME?key=value&..."). Throws Error: kData for
// malformed or missing input, kUsage for options that make no sense.
[[nodiscard]] Dataset read_data(const std::string& source, const DataOptions& options);

// Writes a set in the format that `format` names, or that the path's ending suggests if it is empty; an ending .gz, .xz
// or .zst packs the file. Returns what that format cannot hold and was left out ("ids", "positions", ...). Throws
// Error: kUsage if it cannot hold the graphs, features or targets, or if the path exists and `replace` is not set;
// kFailure if it cannot be written, in which case whatever was there before still is.
std::vector<std::string> write_data(const Dataset& data, const std::filesystem::path& path,
                                    std::string_view format = {}, bool replace = false);

// How often a value was met that the vocabulary does not list.
struct UnseenValues {
  std::uint64_t nodes = 0, edges = 0;                  // values, over all columns
  std::map<std::string, std::uint64_t> by_value = {};  // "column=value" -> times
  // What fit_to_model() (agentnet/predict.h) found by its place because the names differ, a sentence for each.
  std::vector<std::string> by_place = {};
};

// Renumbers the categories of `data` to those of `schema` (a model's), column by column. A value that `schema` does
// not list gets the number after its last: a model keeps a row of zeros there, so that the value counts as "none
// of those I know" (docs/data.md). Columns belong together by their names or, if not one name agrees and there are as
// many of each kind, by their places. Throws Error (kMismatch) if the columns themselves differ.
UnseenValues apply_vocabulary(Dataset& data, const Schema& schema);

// --- Splits ----------------------------------------------------------------------------------------------------------
//
// Which graphs to train on, to choose by, and to test on. Everything is the same for the same seed. Parts list graphs
// in ascending order, but for those of a scaffold split and of a file, which keep theirs.

// Shares of all graphs; none is negative and they add up to 1 (else the functions below throw Error, kUsage).
struct SplitFractions {
  double train = 0.8, valid = 0.1, test = 0.1;
};

[[nodiscard]] Split random_split(std::size_t graphs, const SplitFractions& fractions, std::uint64_t seed);
// Of each class, a part gets its share to within one graph. Blank labels (NaN) count as a class.
[[nodiscard]] Split stratified_split(std::span<const double> labels, const SplitFractions& fractions,
                                     std::uint64_t seed);

// k splits without a valid part; every graph is in one test part. Test parts are equally large to within one graph.
// A k that is not from 2 to the number of graphs throws Error (kUsage). k_folds() with ten folds and seed 0 gives those
// that the authors of AgentNet have drawn, which depend on nothing but the number of graphs.
[[nodiscard]] std::vector<Split> k_folds(std::size_t graphs, std::size_t k, std::uint64_t seed);
[[nodiscard]] std::vector<Split> stratified_k_folds(std::span<const double> labels, std::size_t k, std::uint64_t seed);

// The splits that `spec` names, at least one:
//   random[:0.8,0.1,0.1]   stratified[:...]   scaffold[:...]   scaffold-balanced[:...]
//   kfold[:10]   stratified-kfold[:10]   scaffold-kfold[:10]   column:NAME   file:PATH   official
// Two shares are those of train and test. An ending +apart or +duplicates says whether graphs that look the same must
// stay in one part; docs/data.md has all of it. Scaffolds are computed by `threads` threads. Throws Error: kUsage for a
// spec that makes no sense or that this data has nothing for, kData for a file or column that does not fit the data.
[[nodiscard]] std::vector<Split> make_splits(const Dataset& data, std::string_view spec, std::uint64_t seed = 0,
                                             int threads = 1);
// The same for a spec that has a single split; for folds it throws Error (kUsage).
[[nodiscard]] Split make_split(const Dataset& data, std::string_view spec, std::uint64_t seed = 0, int threads = 1);

// The columns that a reader has to keep for such a split (DataOptions::keep). "official" takes DataOptions::official.
[[nodiscard]] std::vector<std::string> columns_of_split(std::string_view spec);

}  // namespace agentnet
