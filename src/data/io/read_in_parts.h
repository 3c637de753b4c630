// Data in parts, so that a file of any length needs the memory of one part.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "agentnet/data.h"
#include "data/io/row_share.h"

namespace agentnet {

// read_data() that hands out SMILES tables and JSON lines some rows at a time, in their order; any other source is one
// part, whatever share of its rows is asked for, and a mapped set stays in its file. Rows, of graphs and bad ones, are
// numbered over the whole source, and Dataset::rows is filled. A part may hold bad rows only. Columns, targets and
// categories are typed by each part alone: what they mean together, fit_to_model() (agentnet/predict.h) knows. Ids may
// repeat. Throws Error as read_data() does; earlier parts were handed out by then. Returns how many rows the source
// has, of all shares.
std::uint64_t read_in_parts(const std::string& source, const DataOptions& options, RowParts parts,
                            const std::function<void(Dataset&&)>& take);

// Whether the graphs of this source are made already, typed columns and both ways of edges included: a built-in or a
// mapped set. Options that come too late for these throw when given.
[[nodiscard]] bool is_made_already(const std::string& source);

// The name of the format that read_data() would read the source in; empty for a built-in set.
[[nodiscard]] std::string format_of(const std::string& source, const DataOptions& options);

}  // namespace agentnet
