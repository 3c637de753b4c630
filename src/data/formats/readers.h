// One function per format (formats.h). Each throws Error (kData) with file:line:column for whatever is malformed.
#pragma once

#include <cstdint>
#include <functional>

#include "agentnet/data.h"
#include "data/io/input.h"
#include "data/io/row_share.h"

namespace agentnet {

[[nodiscard]] Dataset read_tu(const Input& input, const DataOptions& options);
[[nodiscard]] Dataset read_gin(const Input& input, const DataOptions& options);
[[nodiscard]] Dataset read_ogb(const Input& input, const DataOptions& options);
[[nodiscard]] Dataset read_jsonl(const Input& input, const DataOptions& options);
[[nodiscard]] Dataset read_csv_triple(const Input& input, const DataOptions& options);
[[nodiscard]] Dataset read_smiles_csv(const Input& input, const DataOptions& options);
[[nodiscard]] Dataset read_edge_list(const Input& input, const DataOptions& options);
[[nodiscard]] Dataset read_matrix_market(const Input& input, const DataOptions& options);
[[nodiscard]] Dataset read_metis(const Input& input, const DataOptions& options);
[[nodiscard]] Dataset read_graphml(const Input& input, const DataOptions& options);

// The formats whose rows stand by themselves, so many of them at a time (read_in_parts.h); they return how many there
// are. Ids may repeat: a set of all
// of them would grow with the file.
using TakePart = std::function<void(Dataset&&)>;
std::uint64_t read_jsonl_in_parts(const Input& input, const DataOptions& options, RowParts parts, const TakePart& take);
std::uint64_t read_smiles_csv_in_parts(const Input& input, const DataOptions& options, RowParts parts,
                                       const TakePart& take);

}  // namespace agentnet
