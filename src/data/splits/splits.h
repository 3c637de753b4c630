// Which graphs to train on and which to test on.
//
//   for (const Split& split : make_splits(data, "stratified-kfold:10", seed, {})) ...
//
// Everything is the same for the same seed. Parts list graphs in ascending order, but for those of a scaffold split
// and of a file, which keep theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agentnet/data.h"

namespace agentnet {

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

// As OGB does it: graphs of the same scaffold stay together; from the largest group to the smallest (among equals, the
// one whose first graph comes last), a group goes to train if it still fits there, else to valid if train and valid
// still have room for it, else to test.
void check_fractions(const SplitFractions& fractions);  // throws Error (kUsage) unless they add up to 1
[[nodiscard]] Split scaffold_split(std::span<const std::string> scaffolds, const SplitFractions& fractions);

// One value per graph: train, valid (val, validation) or test, in any case, which gives one split; or whole numbers,
// which give a split per number, in ascending order, to test on. A graph with a blank is in no part. Throws Error
// (kData); `column` names the column there.
[[nodiscard]] std::vector<Split> column_split(std::span<const std::string> values, const std::string& column);

// Reads
//   a text file with one value per line and graph, as of a column;
//   a folder or archive with train_idx-N.txt and test_idx-N.txt, one number of a graph per line (10fold_idx.tar.xz);
//   a folder or archive with train.csv, valid.csv and test.csv, the same (OGB's split folders);
//   JSON: {"train": [0, 1], "valid": [2], "test": [3]}, or a list of these;
// each of them plain or compressed. Throws Error (kData) with file:line:column for a number that is no graph, a graph
// that stands twice in a split, or a wrong number of lines.
[[nodiscard]] std::vector<Split> read_split_file(const std::filesystem::path& path, std::uint64_t graphs);

// The splits that `spec` names, at least one:
//   random[:0.8,0.1,0.1]   stratified[:...]   scaffold[:...]   scaffold-balanced[:...]
//   kfold[:10]   stratified-kfold[:10]   scaffold-kfold[:10]   column:NAME   file:PATH   official
// Two shares are those of train and test. An ending +apart or +duplicates says whether graphs that look the same must
// stay in one part (splits/groups.h).
// `scaffolds` gives the scaffold of every graph; it is called for a scaffold split only, and if it is empty, scaffolds
// are made of the kept column of SMILES strings. Numbers in a file are rows of
// the data's source. Throws Error: kUsage for a spec that makes no sense or that this data has nothing for, kData for a
// file or column.
[[nodiscard]] std::vector<Split> make_splits(const Dataset& data, std::string_view spec, std::uint64_t seed,
                                             const std::function<std::vector<std::string>()>& scaffolds);

// The columns that a reader has to keep for such a split (DataOptions::keep).
[[nodiscard]] std::vector<std::string> columns_of_split(std::string_view spec);

}  // namespace agentnet
