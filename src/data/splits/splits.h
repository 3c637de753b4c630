// What splits are made of, besides what agentnet/data.h says of them.
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

void check_fractions(const SplitFractions& fractions);  // throws Error (kUsage) unless they add up to 1

// As OGB does it: graphs of the same scaffold stay together; from the largest group to the smallest (among equals, the
// one whose first graph comes last), a group goes to train if it still fits there, else to valid if train and valid
// still have room for it, else to test.
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

// make_splits() with the scaffold of every graph from `scaffolds`, which is called for a scaffold split only.
[[nodiscard]] std::vector<Split> make_splits_with(const Dataset& data, std::string_view spec, std::uint64_t seed,
                                                  const std::function<std::vector<std::string>()>& scaffolds);

}  // namespace agentnet
