#include "data/formats/all_columns.h"

#include "data/formats/formats.h"
#include "data/formats/smiles_table.h"
#include "data/synthetic/synthetic.h"

namespace agentnet {

std::vector<std::string> all_columns(const std::string& source, const DataOptions& options) {
  if (source.starts_with(kSyntheticPrefix)) return {};
  const Input input = open_source(source, unpack_limit(options));
  const std::string_view format = format_for(input, options).name;
  std::vector<std::string> names;
  if (format == "smiles") {
    names = open_smiles_table(input, options.smiles_column).table.header();
  } else if (format == "csv") {
    if (const auto graphs = input.member_ending_in("graphs.csv")) names = CsvReader(input, *graphs).header();
  }
  std::erase(names, "");
  return names;
}

}  // namespace agentnet
