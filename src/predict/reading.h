// Reading new data as a model's training data was read (agentnet/predict.h has what users need of it).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agentnet/predict.h"
#include "data/io/row_share.h"

namespace agentnet {

class Input;

// What the model's card says, or its schema; kNone, raw outputs, if neither does.
[[nodiscard]] Task task_of(const Model& model);

enum class WithTargets { kNo, kYes };

// reading_options() for this very source. A built-in or mapped set is made already: what the card says of its
// making is left out. The id and SMILES columns that the card names are used where a table has them, else the usual
// ones. Targets, if wanted, are the model's. Throws Error: kMismatch if a table has no such column, or no SMILES.
[[nodiscard]] DataOptions reading_options_for(const Model& model, const std::string& source, const DataOptions& options,
                                              WithTargets targets);

// The part of reading_options_for() that looks at the source: the columns that the card names are used where this table
// has them. `reading` is what reading_options() made of what was `asked`.
void settle_columns(const Input& input, const DataOptions& asked, DataOptions& reading);

// fit_to_model() for a schema that is at hand already, without targets.
UnseenValues fit_to_schema(Dataset& data, const Schema& schema);

// read_in_parts() with `reading`, which reading_options_for() made of what was `asked`. Throws Error as that does, and
// kMismatch for words where only the model says that there are numbers.
std::uint64_t read_in_parts_for_model(const std::string& source, const DataOptions& asked, const DataOptions& reading,
                                      RowParts parts, const std::function<void(Dataset&&)>& take);

// Data with targets, renumbered to the model's, to compare predictions with. Throws Error:
// kMismatch if the data lacks the model's targets, kUsage if it lacks those that `options` names.
[[nodiscard]] Dataset read_labelled(const Model& model, const std::string& source, const DataOptions& options,
                                    UnseenValues* unseen = nullptr);

}  // namespace agentnet
