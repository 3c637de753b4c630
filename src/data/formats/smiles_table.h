// Tables with molecules as people have them: which character separates the fields, whether the first line names the
// columns, and which column holds SMILES strings.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/syntax/csv.h"

namespace agentnet {

struct SmilesTableForm {
  TableForm form;
  std::optional<std::size_t> smiles;  // the column
};

// What the first bytes of a file look like. A column of SMILES strings is the one that the user names, one of a usual
// name, or one in which nearly all of the first cells are molecules, which takes RDKit. `name` is that of the file:
// one that ends in .smi has no commas and no header.
[[nodiscard]] SmilesTableForm smiles_table_form(std::string_view name, std::string_view head,
                                                std::string_view smiles_column);

// The table of an input that is one file.
struct SmilesTable {
  CsvReader table;
  std::optional<std::size_t> smiles;
};
[[nodiscard]] SmilesTable open_smiles_table(const Input& input, std::string_view smiles_column);

}  // namespace agentnet
