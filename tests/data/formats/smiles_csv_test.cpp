#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "data/formats/readers.h"
#include "data/molecules/molecule.h"
#include "support/read_members.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

Dataset read(const std::string& text, const DataOptions& options = {}) {
  return read_text_as(read_smiles_csv, text, options);
}
std::string error(const std::string& text, const DataOptions& options = {}) {
  return error_from([&] { static_cast<void>(read(text, options)); });
}

class SmilesCsv : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_smiles()) GTEST_SKIP() << "built without RDKit";
  }
};

TEST_F(SmilesCsv, EveryRowIsAMoleculeWithItsTargets) {
  const Dataset data = read("id,SMILES,active,split\nm1,CC,1,train\nm2,CCO,0,test\n");
  ASSERT_EQ(data.graphs.size(), 2U);
  EXPECT_EQ(data.schema.task, Task::kClassification);
  EXPECT_EQ(data.schema.targets, std::vector<std::string>{"active"});
  EXPECT_EQ(data.schema.nodes, atom_schema());
  EXPECT_EQ(data.schema.edges, bond_schema());
  EXPECT_EQ(data.graphs.id(1), "m2");
  EXPECT_EQ(edges_of(data.graphs.view(1)), (Ends{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
  EXPECT_TRUE(data.bad_rows.empty());
  EXPECT_TRUE(data.rows.empty());
}

TEST_F(SmilesCsv, ARowThatIsNoMoleculeIsListedAndTheOthersAreRead) {
  DataOptions options;
  options.keep = {"smiles"};
  const Dataset data = read("smiles,y,name\nCC,0.5,a\nC1CC,1.5,b\nCCO,2.5,c\n,3.5,d\n", options);
  ASSERT_EQ(data.graphs.size(), 2U);
  EXPECT_EQ(data.num_rows(), 4U);
  EXPECT_THAT(data.rows, ElementsAre(0, 2));
  EXPECT_EQ(data.graphs.targets(1)[0], 2.5);
  EXPECT_THAT(data.columns.at("smiles"), ElementsAre("CC", "CCO"));
  ASSERT_EQ(data.bad_rows.size(), 2U);
  EXPECT_EQ(data.bad_rows[0].row, 1U);
  EXPECT_EQ(data.bad_rows[0].id, "b");
  EXPECT_EQ(data.bad_rows[0].where, "file:3:1");
  EXPECT_THAT(data.bad_rows[0].message, StartsWith("'C1CC' is no molecule: "));
  EXPECT_EQ(data.bad_rows[1].where, "file:5:1");
  EXPECT_THAT(data.bad_rows[1].message, StartsWith("'' is no molecule: "));
}

TEST_F(SmilesCsv, ATableWithoutAnyMoleculeIsRefused) {
  EXPECT_THAT(error("smiles\nC1CC\n"), StartsWith("file: none of its 1 rows is a graph; the first: file:2:1: 'C1CC'"));
  EXPECT_EQ(error("smiles\n"), "file holds no graphs | check the file");
}

TEST_F(SmilesCsv, ColumnsAreChosenByName) {
  DataOptions options;
  options.smiles_column = "structure";
  options.targets = {"b"};
  options.id_column = "code";
  const Dataset data = read("code,structure,a,b\nx,CC,1.5,2.5\n", options);
  EXPECT_EQ(data.graphs.targets(0)[0], 2.5);
  EXPECT_EQ(data.graphs.id(0), "x");
}

TEST_F(SmilesCsv, WindowsLineEndsAndAByteOrderMarkAreAccepted) {
  EXPECT_EQ(read("\xEF\xBB\xBFsmiles,y\r\nCC,1\r\n\r\nCCO,0\r\n").graphs.size(), 2U);
}

TEST_F(SmilesCsv, IdsMayRepeatUnlessTheirColumnIsNamed) {
  const std::string text = "id,smiles\nx,CC\nx,CCO\n";
  EXPECT_EQ(read(text).graphs.size(), 2U);
  DataOptions options;
  options.id_column = "id";
  EXPECT_EQ(error(text, options), "file:3:3: the id 'x' is there twice | give every graph its own id");
}

TEST_F(SmilesCsv, ATargetWithTextAmongItsNumbersIsNoReasonToLearnAnother) {
  const std::string two = "smiles,pic50,logp\nCC,6.5,1\nCCO,>10,2\nCCN,7.25,3\n";
  EXPECT_EQ(error(two),
            "file:3:5: target column 'pic50' holds numbers, but also '>10' | correct the value or leave it blank, or "
            "name the columns to learn with --target");
  DataOptions options;
  options.targets = {"logp"};
  EXPECT_THAT(read(two, options).schema.targets, ElementsAre("logp"));
  const std::string only =
      "file:3:5: target column 'pic50' holds numbers, but also '>10' | correct the value or leave it blank";
  options.targets = {"pic50"};
  EXPECT_EQ(error(two, options), only);
  EXPECT_EQ(error("smiles,pic50\nCC,6.5\nCCO,>10\nCCN,7.25\n"), only);
  options.task = Task::kNone;
  EXPECT_EQ(read(two, options).graphs.size(), 3U);
}

TEST_F(SmilesCsv, TheFirstTextOfATargetIsThatOfAMolecule) {
  EXPECT_EQ(error("smiles,y\nC1CC,bad\nCC,0.5\nCCO,<1\nCCN,<2\nCCC,0.5\n"),
            "file:4:5: target column 'y' holds numbers, but also '<1' | correct the value or leave it blank");
}

TEST_F(SmilesCsv, TextAmongMoreWholeNumbersThanClassesIsAMistake) {
  std::string text = "smiles,count\n";
  for (int i = 0; i < 50; ++i) text += "CC," + std::to_string(i) + "\n";
  EXPECT_EQ(read(text).schema.task, Task::kClassification);
  EXPECT_EQ(error(text + "CC,many\n"),
            "file:52:4: target column 'count' holds numbers, but also 'many' | correct the value or leave it blank, or "
            "use --task classification");
  EXPECT_EQ(read("smiles,grade\nCC,1\nCC,2\nCC,other\n").schema.classes.size(), 3U);
}

TEST_F(SmilesCsv, ColumnsOfTextBesideNumbersAreLeftOutAndNamed) {
  const Dataset data = read("name,smiles,active,note,y\na,CC,yes,good,0.5\nb,CCO,no,12,1.5\nc,CCN,no,bad,\n");
  EXPECT_THAT(data.schema.targets, ElementsAre("y"));
  EXPECT_THAT(data.unused_columns, ElementsAre("active", "note"));
}

TEST_F(SmilesCsv, MissingColumnsAndRaggedRowsAreNamed) {
  EXPECT_EQ(error("a,b\nCC,1\n"),
            "usage: file has no column smiles | name the column with --smiles-column; columns are a, b");
  DataOptions options;
  options.targets = {"actve"};
  EXPECT_EQ(error("smiles,active\nCC,1\n", options), "usage: file has no column 'actve' | did you mean active?");
  EXPECT_EQ(
      error("smiles,active\nCC\n"),
      "file:2:1: the row has 1 fields, but the header names 2 columns | give every row the same fields; put quotes "
      "around a field that holds a comma");
}

}  // namespace
}  // namespace agentnet
