#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "data/formats/readers.h"
#include "support/read_text.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;

Dataset read(const std::string& text, const DataOptions& options = {}) {
  return read_text_as(read_matrix_market, text, options);
}
std::string error(const std::string& text) { return error_of(read_matrix_market, text); }

const std::string kGeneral = "%%MatrixMarket matrix coordinate pattern general\n";
const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";

TEST(MatrixMarket, AnEntryOfAGeneralMatrixIsADirectedEdge) {
  const std::string text = kGeneral + "% comment\n%\n3 3 2\n1 2\n3 1\n";
  const Dataset data = read(text);
  EXPECT_EQ(data.format, "matrixmarket");
  EXPECT_EQ(edges_of(data.graphs.view(0)), (Ends{{0, 1}, {2, 0}}));
  DataOptions options;
  options.direction = Direction::kUndirected;
  EXPECT_EQ(edges_of(read(text, options).graphs.view(0)), (Ends{{0, 1}, {0, 2}, {1, 0}, {2, 0}}));
}

TEST(MatrixMarket, AnEntryOfASymmetricMatrixStandsForBothDirections) {
  const Dataset data = read("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 0.5\n3 2 4\n3 3 9\n");
  EXPECT_EQ(edges_of(data.graphs.view(0)), (Ends{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 2}}));
  EXPECT_THAT(edge_values(data.graphs.view(0)), ElementsAre(0.5F, 0.5F, 4, 4, 9));
  EXPECT_THAT(data.schema.edges.dense, ElementsAre("weight"));
}

TEST(MatrixMarket, ValuesMayBeIntegersAndTheBannerInAnyCase) {
  const Dataset data = read("%%matrixmarket MATRIX Coordinate Integer General\n2 2 1\n1 2 7\n");
  EXPECT_THAT(edge_values(data.graphs.view(0)), ElementsAre(7));
}

TEST(MatrixMarket, RowsWithoutEntriesAreNodesWithoutEdges) {
  EXPECT_EQ(read(kGeneral + "5 5 0\n").graphs.view(0).num_nodes, 5U);
}

TEST(MatrixMarket, WindowsLineEndsAndAByteOrderMarkAreAccepted) {
  const Dataset data = read("\xEF\xBB\xBF%%MatrixMarket matrix coordinate pattern general\r\n2 2 1\r\n\r\n1 2\r\n");
  EXPECT_EQ(edges_of(data.graphs.view(0)), (Ends{{0, 1}}));
}

TEST(MatrixMarket, OtherKindsOfMatricesAreRefused) {
  EXPECT_EQ(error("1 2\n"),
            "file:1:1: the file does not begin with %%MatrixMarket | check the format, or name another with --format");
  EXPECT_EQ(error("%%MatrixMarket vector coordinate real general\n"),
            "file:1:16: the object 'vector' cannot be read as a graph | write it as matrix");
  EXPECT_EQ(error("%%MatrixMarket matrix array real general\n"),
            "file:1:23: the layout 'array' cannot be read as a graph | write it as coordinate");
  EXPECT_EQ(error("%%MatrixMarket matrix coordinate complex general\n"),
            "file:1:34: the field 'complex' cannot be read as a graph | write it as pattern or real or integer");
  EXPECT_EQ(error("%%MatrixMarket matrix coordinate real skew-symmetric\n"),
            "file:1:39: the symmetry 'skew-symmetric' cannot be read as a graph | write it as general or symmetric");
  EXPECT_EQ(error("%%MatrixMarket matrix\n"), "file:1:22: the line ends where its layout should be");
  EXPECT_EQ(error(kGeneral + "2 3 1\n1 2\n"),
            "file:2:3: the matrix has 2 rows but 3 columns: it is no graph | give a square matrix");
}

TEST(MatrixMarket, WrongCountsAreNamedWithTheirPlace) {
  EXPECT_EQ(error(""), "file:1:1: the file is empty | check the file");
  EXPECT_EQ(error(kGeneral), "file:2:1: the file ends where the size of the matrix should be");
  EXPECT_EQ(error(kGeneral + "3 3 2\n1 2\n"), "file:4:1: the file ends after 1 of 2 entries");
  EXPECT_EQ(error(kGeneral + "3 3 1\n1 2\n2 3\n"),
            "file:4:1: the file goes on after the last of its 1 entries | correct the number of entries");
  EXPECT_EQ(error(kGeneral + "0 0 0\n"), "file:2:1: the matrix has no rows | leave empty graphs out");
  EXPECT_EQ(error(kGeneral + "4000000000 4000000000 1\n1 1\n"),
            "file:2:1: the matrix has 4000000000 rows for 1 entries | check the sizes");
}

TEST(MatrixMarket, WrongEntriesAreNamedWithTheirPlace) {
  EXPECT_EQ(error(kGeneral + "3 3 1\n1 4\n"),
            "file:3:3: the column 4 is not between 1 and 3 | rows and columns count from 1");
  EXPECT_EQ(error(kGeneral + "3 3 1\n0 1\n"),
            "file:3:1: the row 0 is not between 1 and 3 | rows and columns count from 1");
  EXPECT_EQ(error(kGeneral + "3 3 1\n1 x\n"), "file:3:3: the column should be a whole number from 0, but is 'x'");
  EXPECT_EQ(error(kGeneral + "3 3 1\n1 2 5\n"), "file:3:5: there is more on the line than row and column: '5'");
  EXPECT_EQ(error(kReal + "3 3 1\n1 2\n"), "file:3:4: the line ends where its value should be");
  EXPECT_EQ(error(kReal + "3 3 1\n1 2 1e999\n"),
            "file:3:5: the feature should be a finite number, but is '1e999' | replace missing and infinite values");
}

}  // namespace
}  // namespace agentnet
