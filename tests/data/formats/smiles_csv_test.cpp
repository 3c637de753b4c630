#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

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
  const std::string two = "smiles,pic50,logp\nCC,6.5,1\nCCO,bad,2\nCCN,7.25,3\n";
  EXPECT_THAT(error(two), StartsWith("usage: file: 2 columns hold numbers that could be learned: pic50, logp"));
  DataOptions options;
  options.targets = {"logp"};
  EXPECT_THAT(read(two, options).schema.targets, ElementsAre("logp"));
  const std::string only =
      "file:3:5: target column 'pic50' holds numbers, but also 'bad' | correct the value or leave it blank";
  options.targets = {"pic50"};
  EXPECT_EQ(error(two, options), only);
  EXPECT_EQ(error("smiles,pic50\nCC,6.5\nCCO,bad\nCCN,7.25\n"), only);
  options.task = Task::kNone;
  EXPECT_EQ(read(two, options).graphs.size(), 3U);
}

TEST_F(SmilesCsv, TheFirstTextOfATargetIsThatOfAMolecule) {
  EXPECT_EQ(error("smiles,y\nC1CC,bad\nCC,0.5\nCCO,no\nCCN,none\nCCC,0.5\n"),
            "file:4:5: target column 'y' holds numbers, but also 'no' | correct the value or leave it blank");
}

TEST_F(SmilesCsv, TextAmongMoreWholeNumbersThanClassesIsAMistake) {
  std::string text = "smiles,count\n";
  for (int i = 0; i < 50; ++i) text += "CC," + std::to_string(i * 7 % 50) + "\n";
  EXPECT_EQ(read(text).schema.task, Task::kRegression);
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

// The header of MoleculeNet's table of solubilities, with a few of its columns.
const std::string kDelaney =
    "Compound ID,Molecular Weight,Number of Rings,measured log solubility in mols per litre,smiles\n"
    "Amigdalin,457.4,3,-0.77,CCO\nFenfuram,201.2,2,-3.3,CC\ncitral,152.2,0,-2.06,CCN\n";

TEST_F(SmilesCsv, SeveralColumnsOfNumbersAreListedInsteadOfLearned) {
  EXPECT_EQ(
      error(kDelaney),
      "usage: file: 3 columns hold numbers that could be learned: Molecular Weight, Number of Rings, measured log "
      "solubility in mols per litre | name the one you mean, or several with commas between them: --target "
      "'measured log solubility in mols per litre'; --target '*' takes all");
  DataOptions options;
  options.targets = {"*"};
  EXPECT_EQ(read(kDelaney, options).schema.targets.size(), 3U);
  options.targets = {"Number of Rings"};
  EXPECT_THAT(read(kDelaney, options).schema.targets, ElementsAre("Number of Rings"));
  options.targets = {};
  options.ask_for_targets = false;
  const Dataset data = read(kDelaney, options);
  EXPECT_EQ(data.schema.task, Task::kNone);
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_THAT(data.notes[0], StartsWith("3 columns hold numbers that could be learned: Molecular Weight"));
}

TEST_F(SmilesCsv, ATargetOfAUsualNameIsTakenAndTheOthersAreNamed) {
  const Dataset data = read("smiles,expt,calc\nCC,0.5,0.25\nCCO,1.5,1.75\n");
  EXPECT_THAT(data.schema.targets, ElementsAre("expt"));
  EXPECT_THAT(data.notes, ElementsAre("column calc is not learned (another one is named as targets usually are; "
                                      "--target chooses)"));
}

TEST_F(SmilesCsv, SeveralYesNoQuestionsAreLearnedTogether) {
  const Dataset data = read("smiles,NR-AR,SR-p53\nCC,0,1\nCCO,1,\n");
  EXPECT_EQ(data.schema.task, Task::kMultilabel);
  EXPECT_TRUE(data.notes.empty());
}

TEST_F(SmilesCsv, WhatStandsBesideAMeasurementIsNoTarget) {
  const Dataset data =
      read("smiles,year,pIC50,pIC50_error,Temperature (K)\nCC,1999,6.5,0.1,298\nCCO,2004,7.5,0.2,300\n");
  EXPECT_THAT(data.schema.targets, ElementsAre("pIC50"));
  EXPECT_THAT(data.notes,
              ElementsAre("columns year, pIC50_error, Temperature (K) are not learned (named like what stands "
                          "beside a measurement; --target takes it anyway)"));
  // Where nothing else is there, that is what is meant.
  EXPECT_THAT(read("smiles,melting temperature\nCC,90.5\nCCO,159\n").schema.targets,
              ElementsAre("melting temperature"));
}

TEST_F(SmilesCsv, AColumnThatCountsTheRowsIsNoTarget) {
  std::string text = "num,smiles,p_np\n";
  for (int i = 0; i < 12; ++i) text += std::to_string(3 * i + 1) + ",CC," + std::to_string(i % 2) + "\n";
  const Dataset data = read(text);
  EXPECT_THAT(data.schema.targets, ElementsAre("p_np"));
  EXPECT_THAT(data.notes,
              ElementsAre("column num is not learned (its numbers ascend from row to row; --target takes it anyway)"));
}

std::string table_of(const std::vector<int>& values) {
  std::string text = "smiles,y\n";
  for (const int value : values) text += "CC," + std::to_string(value) + "\n";
  return text;
}

TEST_F(SmilesCsv, WholeNumbersAreClassesOnlyWhereTheyLookLikeNumbersOfClasses) {
  std::vector<int> ic50;  // 29 different concentrations
  for (int i = 0; i < 87; ++i) ic50.push_back(10 * (i % 29) * (i % 29) + 5);
  EXPECT_EQ(read(table_of(ic50)).schema.task, Task::kRegression);
  std::vector<int> classes;
  for (int i = 0; i < 80; ++i) classes.push_back(i % 15);
  EXPECT_EQ(read(table_of(classes)).schema.task, Task::kClassification);
  classes.resize(30);  // two rows of each: hardly classes
  EXPECT_EQ(read(table_of(classes)).schema.task, Task::kRegression);
  EXPECT_EQ(read(table_of({1, 2, 3, 1})).schema.task, Task::kClassification);
  EXPECT_EQ(read(table_of({-1, 1, 1})).schema.task, Task::kClassification);
  EXPECT_EQ(read(table_of({3, 7})).schema.task, Task::kClassification) << "two values are two classes";
  EXPECT_EQ(read(table_of({100, 250, 1000})).schema.task, Task::kRegression);
  EXPECT_EQ(read(table_of({0, 10, 100})).schema.task, Task::kRegression);
}

TEST_F(SmilesCsv, BoundedTargetsAreNamedAndMayBeReadAsBlanksOrNumbers) {
  const std::string text = "smiles,pIC50\nCC,6.5\nCCO,>10\nCCN,<= 4.5\nCCC,7\n";
  EXPECT_EQ(error(text),
            "file:3:5: target column 'pIC50' holds bounded values, 2 of 4, such as '>10' | --bounds blank leaves them "
            "out, --bounds value takes their numbers");
  DataOptions options;
  options.bounds = Bounds::kBlank;
  Dataset data = read(text, options);
  EXPECT_EQ(data.schema.task, Task::kRegression);
  EXPECT_TRUE(std::isnan(data.graphs.targets(1)[0]));
  EXPECT_THAT(data.notes, ElementsAre("2 of 4 values of target 'pIC50' are bounds, such as '>10', and read as blanks"));
  options.bounds = Bounds::kValue;
  data = read(text, options);
  EXPECT_EQ(data.graphs.targets(1)[0], 10);
  EXPECT_EQ(data.graphs.targets(2)[0], 4.5);
  EXPECT_EQ(error("smiles,y\nCC,6.5\nCCO,>10\nCCN,odd\nCCC,7\n"),
            "file:3:5: target column 'y' holds numbers, but also '>10' | correct the value or leave it blank");
}

TEST_F(SmilesCsv, OfSaltsTheLargestPieceMayBeRead) {
  const std::string text = "smiles,y\nCC(=O)[O-].[Na+],0.5\nCCO,1.5\nCl.CCN.Cl,2.5\n";
  EXPECT_EQ(read(text).graphs.view(0).num_nodes, 5U);
  DataOptions options;
  options.largest_fragment = true;
  const Dataset data = read(text, options);
  EXPECT_EQ(data.graphs.view(0).num_nodes, 4U);
  EXPECT_EQ(data.graphs.view(1).num_nodes, 3U);
  EXPECT_EQ(data.graphs.view(2).num_nodes, 3U);
  EXPECT_THAT(data.notes,
              ElementsAre("of 2 molecules in several pieces, only the largest was read (--largest-fragment)"));
}

TEST_F(SmilesCsv, FeatureColumnsAreChosenByName) {
  DataOptions options;
  options.node_columns = {"is_aromatic", "atomic_num"};
  options.edge_columns = {"none"};
  const Dataset data = read("smiles,y\nCCO,0.5\n", options);
  ASSERT_EQ(data.schema.nodes.categories.size(), 2U);
  EXPECT_EQ(data.schema.nodes.categories[0].name, "atomic_num");
  EXPECT_EQ(data.graphs.view(0).node_categories.row(2)[0], 7) << "oxygen";
  EXPECT_TRUE(data.schema.edges.categories.empty());
  options.node_columns = {"aromatic"};
  EXPECT_THAT(error("smiles,y\nCCO,0.5\n", options), StartsWith("usage: file has no node column 'aromatic' | "));
}

TEST_F(SmilesCsv, MissingColumnsAndRaggedRowsAreNamed) {
  EXPECT_EQ(error("a,b\nethane,1\n"),
            "usage: file has no column smiles | name the column with --smiles-column; columns are a, b");
  DataOptions options;
  options.targets = {"actve"};
  EXPECT_EQ(error("smiles,active\nCC,1\n", options), "usage: file has no column 'actve' | did you mean active?");
  EXPECT_EQ(
      error("smiles,active\nCC\n"),
      "file:2:1: the row has 1 field, but the header names 2 columns | give every row the same fields; put quotes "
      "around a field that holds a comma");
}

}  // namespace
}  // namespace agentnet
