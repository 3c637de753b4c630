#include "data/formats/foreign.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>

#include "agentnet/error.h"

namespace agentnet {
namespace {

constexpr const char* kFromTorch =
    "write JSON lines in Python: for d in dataset: print(json.dumps({k: v.tolist() for k, v in d.to_dict().items() if "
    "hasattr(v, 'tolist')}), file=out); keys x, edge_index, edge_attr and y are understood";
constexpr const char* kFromPickle =
    "write it as text in Python: for networkx graphs nx.write_graphml(graph, 'graph.graphml'), one file per graph in a "
    "folder; for PyTorch Geometric, JSON lines with the keys x, edge_index, edge_attr and y";
constexpr const char* kFromMolFile =
    "write a table of SMILES in Python: from rdkit.Chem import PandasTools; PandasTools.LoadSDF('FILE', "
    "smilesName='smiles', molColName=None).to_csv('table.csv', index=False)";
constexpr const char* kFromTable =
    "write a CSV table in Python: pandas.read_{}('FILE').to_csv('table.csv', index=False)";

bool has_member(const Input& input, std::string_view ending) {
  const auto& names = input.members();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name.ends_with(ending); });
}

[[noreturn]] void refuse(const Input& input, const char* what, const std::string& hint) {
  throw Error(ErrorKind::kData, fmt::format("{} is {}, which is not read", input.name(), what), hint);
}

std::string from_table(const char* format) { return fmt::format(fmt::runtime(kFromTable), format); }

// A pickle begins with the opcode PROTO and its version, or, of the oldest, with a letter: only the former is sure.
bool is_pickle(std::string_view head) { return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5; }

// The fourth line of a MOL file, which SDF files begin with, counts atoms and bonds and ends with its version.
bool is_mol_file(std::string_view head) {
  for (int line = 0; line < 3; ++line) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos) return false;
    head.remove_prefix(end + 1);
  }
  const std::string_view counts = head.substr(0, head.find('\n'));
  return counts.find("V2000") != std::string_view::npos || counts.find("V3000") != std::string_view::npos;
}

}  // namespace

void refuse_foreign(const Input& input, std::string_view head) {
  if (input.is_folder()) {
    if (has_member(input, "/data.pkl")) refuse(input, "a PyTorch file", kFromTorch);
    if (has_member(input, "xl/workbook.xml")) refuse(input, "an Excel workbook", "save the sheet as CSV");
    const auto& names = input.members();
    const bool arrays = !names.empty() && std::all_of(names.begin(), names.end(),
                                                      [](const std::string& name) { return name.ends_with(".npy"); });
    if (arrays) refuse(input, "an archive of NumPy arrays", kFromTorch);
    return;
  }
  if (head.starts_with("version https://git-lfs.github.com/spec/")) {
    throw Error(ErrorKind::kData,
                fmt::format("{} is a pointer of git-LFS: the file itself was not downloaded", input.name()),
                "run git lfs pull in its repository, or download the file from its page");
  }
  if (head.starts_with("PAR1")) refuse(input, "a Parquet file", from_table("parquet"));
  if (head.starts_with("ARROW1")) refuse(input, "an Arrow file", from_table("feather"));
  if (head.starts_with("\x89HDF\r\n")) refuse(input, "an HDF5 file", from_table("hdf"));
  if (head.starts_with("\x93NUMPY")) refuse(input, "a NumPy array", kFromTorch);
  if (head.starts_with("\xD0\xCF\x11\xE0")) refuse(input, "an old Excel workbook", "save the sheet as CSV");
  if (is_mol_file(head)) refuse(input, "an SDF or MOL file", kFromMolFile);
  if (head.starts_with("@<TRIPOS>")) refuse(input, "a MOL2 file", kFromMolFile);
  if (is_pickle(head)) refuse(input, "a Python pickle", kFromPickle);
}

}  // namespace agentnet
