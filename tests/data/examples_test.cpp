// The files of examples/data, which docs/data.md shows.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "agentnet/data.h"
#include "data/molecules/molecule.h"

namespace agentnet {
namespace {

struct Example {
  const char* file;
  const char* format;
  std::size_t graphs;
  Task task;
  std::size_t node_columns, edge_columns;
};

class Examples : public testing::TestWithParam<Example> {};

TEST_P(Examples, AreReadAsTheDocumentationSays) {
  const Example& example = GetParam();
  if (std::string(example.format) == "smiles" && !can_read_smiles()) GTEST_SKIP() << "built without RDKit";
  const Dataset data = read_data((std::filesystem::path(AGENTNET_EXAMPLES_DIR) / "data" / example.file).string(), {});
  EXPECT_EQ(data.format, example.format);
  EXPECT_EQ(data.graphs.size(), example.graphs);
  EXPECT_EQ(data.schema.task, example.task);
  EXPECT_EQ(data.schema.nodes.categories.size() + data.schema.nodes.dense.size(), example.node_columns);
  EXPECT_EQ(data.schema.edges.categories.size() + data.schema.edges.dense.size(), example.edge_columns);
}

INSTANTIATE_TEST_SUITE_P(Files, Examples,
                         testing::Values(Example{"tu", "tu", 2, Task::kClassification, 2, 0},
                                         Example{"gin.txt", "gin", 2, Task::kClassification, 1, 0},
                                         Example{"csv", "csv", 2, Task::kClassification, 2, 1},
                                         Example{"triangles.jsonl", "jsonl", 2, Task::kClassification, 2, 1},
                                         Example{"molecules.csv", "smiles", 3, Task::kRegression, 9, 3},
                                         Example{"letters.graphml", "graphml", 2, Task::kClassification, 1, 1},
                                         Example{"edges.txt", "edgelist", 1, Task::kNone, 1, 0},
                                         Example{"path.mtx", "matrixmarket", 1, Task::kNone, 1, 1},
                                         Example{"path.metis", "metis", 1, Task::kNone, 1, 0}),
                         [](const auto& tested) { return std::string(tested.param.format); });

}  // namespace
}  // namespace agentnet
