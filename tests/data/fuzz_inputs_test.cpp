// Replays the inputs kept in fuzz/ for the readers of graphs without a fuzzer.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/files/mapped_file.h"
#include "data/formats/network_readers.h"
#include "data/formats/readers.h"
#include "data/molecules/molecule.h"
#include "edge_scan_property.h"
#include "file_property.h"
#include "node_files_property.h"
#include "reader_property.h"
#include "set_file_property.h"
#include "smiles_property.h"
#include "synthetic_property.h"

namespace agentnet {
namespace {

using Property = bool (*)(std::span<const std::byte>);

struct Target {
  const char* name;
  Property check;
};

template <Dataset (*kReader)(const Input&, const DataOptions&)>
bool check(std::span<const std::byte> bytes) {
  return check_reader(kReader, bytes);
}

template <Dataset (*kReader)(const Input&, const DataOptions&)>
bool check_folder(std::span<const std::byte> bytes) {
  return check_folder_reader(kReader, bytes);
}

std::vector<std::filesystem::path> inputs(const std::string& folder, const std::string& target) {
  std::vector<std::filesystem::path> files;
  const auto path = std::filesystem::path(AGENTNET_FUZZ_DIR) / folder / target;
  if (!std::filesystem::is_directory(path)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  return files;
}

class FuzzInputs : public ::testing::TestWithParam<Target> {
 protected:
  void SetUp() override {
    const std::string name = GetParam().name;
    if (name.starts_with("fuzz_smiles") && !can_read_smiles()) GTEST_SKIP() << "built without RDKit";
  }
};

TEST_P(FuzzInputs, SeedsHold) {
  int good = 0, bad = 0;
  for (const auto& path : inputs("corpus", GetParam().name)) {
    SCOPED_TRACE(path.filename());
    const MappedFile file = MappedFile::open(path);
    EXPECT_NO_THROW(++(GetParam().check(file.bytes()) ? good : bad));
  }
  // Both sides of the reader get a start.
  EXPECT_GE(good, 3);
  EXPECT_GE(bad, 3);
}

TEST_P(FuzzInputs, FormerFailuresStayFixed) {
  for (const auto& path : inputs("regressions", GetParam().name)) {
    SCOPED_TRACE(path.filename());
    const MappedFile file = MappedFile::open(path);
    EXPECT_NO_THROW(GetParam().check(file.bytes()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Readers, FuzzInputs,
    ::testing::Values(Target{"fuzz_csv_triple", check_folder<read_csv_triple>},
                      Target{"fuzz_edge_list", check<read_edge_list>}, Target{"fuzz_gin", check<read_gin>},
                      Target{"fuzz_gml", check<read_gml>}, Target{"fuzz_gexf", check<read_gexf>},
                      Target{"fuzz_graph6", check<read_graph6>}, Target{"fuzz_node_link", check<read_node_link>},
                      Target{"fuzz_graphml", check<read_graphml>}, Target{"fuzz_input", check_archive},
                      Target{"fuzz_jsonl", check<read_jsonl>}, Target{"fuzz_matrix_market", check<read_matrix_market>},
                      Target{"fuzz_metis", check<read_metis>}, Target{"fuzz_node_files", check_node_files},
                      Target{"fuzz_ogb", check_folder<read_ogb>}, Target{"fuzz_edge_scan", check_edge_scan},
                      Target{"fuzz_set_file", check_set_file_bytes}, Target{"fuzz_split_file", check_split_file},
                      Target{"fuzz_synthetic", check_synthetic}, Target{"fuzz_tu", check_folder<read_tu>},
                      Target{"fuzz_smiles", check_smiles}, Target{"fuzz_smiles_csv", check<read_smiles_csv>}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

}  // namespace
}  // namespace agentnet
