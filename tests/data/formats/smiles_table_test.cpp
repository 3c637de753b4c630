// Tables of molecules as people have them.
#include "data/formats/smiles_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "data/formats/formats.h"
#include "data/formats/readers.h"
#include "data/molecules/molecule.h"
#include "data/splits/groups.h"
#include "support/read_members.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SmilesTables : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_read_smiles()) GTEST_SKIP() << "built without RDKit";
  }
};

Dataset read(const std::string& text, const std::string& name = "file", const DataOptions& options = {}) {
  return read_smiles_csv(Input::from_text(name, text), options);
}
std::string format_found(const std::string& text, const std::string& name = "file") {
  const Format* const format = find_format(Input::from_text(name, text), {});
  return format != nullptr ? format->name : "nothing";
}

TEST_F(SmilesTables, TheColumnIsFoundByItsCellsWhateverItIsCalled) {
  for (const char* name : {"mol", "smi", "molecule", "Structure", "Drug", "Canonical SMILES", "Ligand SMILES"}) {
    const std::string text = std::string("Compound ID,") + name + ",y\nx1,CC(=O)O,0.5\nx2,c1ccccc1,1.5\nx3,CCN,2.5\n";
    EXPECT_EQ(format_found(text), "smiles") << name;
    const Dataset data = read(text);
    EXPECT_EQ(data.graphs.view(1).num_nodes, 6U) << name;
    EXPECT_EQ(data.graphs.id(0), "x1") << name;
    EXPECT_THAT(data.schema.targets, ElementsAre("y")) << name;
  }
  EXPECT_EQ(read("CMPD_CHEMBLID,exp,smiles\nCHEMBL1,3.5,CCO\n").graphs.id(0), "CHEMBL1");
}

TEST_F(SmilesTables, ATableOfWordsIsNoTableOfMolecules) {
  EXPECT_EQ(format_found("name,kind,y\nalpha,big,1\nbeta,small,2\n"), "nothing");
  EXPECT_EQ(format_found("answer,y\nNO,1\nYES,2\nNO,3\n"), "nothing");
}

TEST_F(SmilesTables, TabsAndSemicolonsSeparateAsWell) {
  EXPECT_EQ(read("id\tsmiles\ty\na\tCCO\t0.5\nb\tCC, said he\t1.5\nc\tCN\t2.5\n").num_rows(), 3U);
  const Dataset data = read("id;smiles;y\na;CCO;0.5\nb;CC;1.5\n");
  EXPECT_EQ(data.graphs.size(), 2U);
  EXPECT_EQ(data.graphs.targets(1)[0], 1.5);
  EXPECT_EQ(
      error_from([] { static_cast<void>(read("smiles\ty\nCCO\t1\nCC\n")); }),
      "file:3:1: the row has 1 field, but the header names 2 columns | give every row the same fields; put quotes "
      "around a field that holds a tab");
}

TEST_F(SmilesTables, ATableMayComeWithoutAHeader) {
  const std::string text = "CCO,0.5\nc1ccccc1,1.5\nCCN,2.5\n";
  EXPECT_EQ(format_found(text), "smiles");
  const Dataset data = read(text);
  EXPECT_EQ(data.graphs.size(), 3U);
  EXPECT_THAT(data.schema.targets, ElementsAre("column2"));
  EXPECT_EQ(read("CCO\nCC\n").graphs.size(), 2U);
}

TEST_F(SmilesTables, SmiFilesAreStringsAndNames) {
  const std::string text = "CCO ethyl alcohol\nC1CC\nc1ccccc1\tbenzene\nCC\n";
  EXPECT_EQ(format_found(text, "drugs.smi"), "smiles");
  const Dataset data = read(text, "drugs.smi");
  EXPECT_EQ(data.graphs.size(), 3U);
  EXPECT_EQ(data.graphs.id(0), "ethyl alcohol");
  EXPECT_EQ(data.graphs.id(1), "benzene");
  EXPECT_EQ(data.bad_rows.size(), 1U);
  EXPECT_EQ(data.schema.task, Task::kNone);
}

std::string utf16(const std::string& text, bool big) {
  std::string bytes = big ? "\xFE\xFF" : "\xFF\xFE";
  for (const char c : text) bytes += big ? std::string{'\0', c} : std::string{c, '\0'};
  return bytes;
}

TEST_F(SmilesTables, Utf16IsRead) {
  for (const bool big : {false, true}) {
    const std::string text = utf16("smiles\ty\r\nCCO\t0.5\r\nCC\t1.5\r\n", big);
    EXPECT_EQ(format_found(text), "smiles");
    EXPECT_EQ(read(text).graphs.targets(1)[0], 1.5);
  }
  EXPECT_THAT(error_from([] { static_cast<void>(read(utf16("smiles\nCC\n", false) + "x")); }),
              StartsWith("file: byte 23 is not UTF-16"));
}

TEST_F(SmilesTables, AColumnThatMayBeASplitIsNamed) {
  const std::string text = "smiles,y,split\nCCO,0.5,train\nCC,1.5,test\n";
  EXPECT_THAT(read(text).notes,
              ElementsAre("column 'split' may say which graphs to train on: --split column:split uses it"));
  DataOptions options;
  options.keep = {"split"};
  EXPECT_TRUE(read(text, "file", options).notes.empty());
}

TEST(Groups, ScaffoldFoldsKeepScaffoldsTogetherAndAreOfSimilarSize) {
  std::vector<std::string> scaffolds;
  for (int i = 0; i < 40; ++i) scaffolds.push_back(std::to_string(i % 9));
  const auto folds = scaffold_k_folds(scaffolds, 3, 1);
  ASSERT_EQ(folds.size(), 3U);
  std::vector<int> fold_of(9, -1);
  std::size_t tested = 0;
  for (int f = 0; f < 3; ++f) {
    tested += folds[static_cast<std::size_t>(f)].test.size();
    EXPECT_NEAR(static_cast<double>(folds[static_cast<std::size_t>(f)].test.size()), 40.0 / 3, 2.0);
    for (const std::size_t g : folds[static_cast<std::size_t>(f)].test) {
      int& fold = fold_of[g % 9];
      EXPECT_TRUE(fold == -1 || fold == f) << "scaffold " << g % 9 << " is in two folds";
      fold = f;
    }
  }
  EXPECT_EQ(tested, 40U);
  EXPECT_EQ(scaffold_k_folds(scaffolds, 3, 1), folds);
  EXPECT_NE(scaffold_k_folds(scaffolds, 3, 2), folds);
  EXPECT_THAT(error_from([&] { static_cast<void>(scaffold_k_folds(scaffolds, 10, 1)); }),
              HasSubstr("9 scaffolds cannot be split into 10 folds"));
}

TEST(Groups, BalancedScaffoldSplitsTestOnLargeScaffoldsToo) {
  std::vector<std::string> scaffolds;
  for (int i = 0; i < 100; ++i) scaffolds.push_back(i < 30 ? "large" : std::to_string(i / 2));
  const Split split = balanced_scaffold_split(scaffolds, {0.8, 0.1, 0.1}, 3);
  EXPECT_EQ(split.train.size() + split.valid.size() + split.test.size(), 100U);
  EXPECT_NEAR(static_cast<double>(split.train.size()), 80, 2);
  std::array<int, 100> part{};
  for (const std::size_t g : split.valid) part[g] = 1;
  for (const std::size_t g : split.test) part[g] = 2;
  for (std::size_t i = 1; i < 100; ++i) {
    if (scaffolds[i] == scaffolds[i - 1]) {
      EXPECT_EQ(part[i], part[i - 1]) << i;
    }
  }
  EXPECT_NE(balanced_scaffold_split(scaffolds, {0.8, 0.1, 0.1}, 4), split);
}

TEST_F(SmilesTables, TheSameMoleculeIsNeverInTrainAndTest) {
  // Ten molecules, each in five rows and two spellings.
  const std::vector<std::pair<std::string, std::string>> spellings = {
      {"CCO", "OCC"},     {"CCN", "NCC"}, {"CCCO", "OCCC"}, {"CCCN", "NCCC"}, {"CC(=O)O", "OC(C)=O"},
      {"CCCC", "C(CC)C"}, {"CCS", "SCC"}, {"CCCS", "SCCC"}, {"CCF", "FCC"},   {"CCCl", "ClCC"}};
  std::string text = "smiles,y\n";
  for (int i = 0; i < 50; ++i) {
    const auto& [a, b] = spellings[static_cast<std::size_t>(i % 10)];
    text += (i < 25 ? a : b) + "," + std::to_string(i) + ".5\n";
  }
  const Dataset data = read(text);
  EXPECT_EQ(duplicate_groups(data).size(), 10U);
  const auto straddles = [](const std::vector<Split>& splits) {
    for (const Split& split : splits) {
      std::vector<bool> trained(10);
      for (const std::size_t g : split.train) trained[g % 10] = true;
      for (const std::size_t g : split.test) {
        if (trained[g % 10]) return true;
      }
    }
    return false;
  };
  for (const char* spec : {"random", "random:0.7,0.3", "kfold:5"}) {
    EXPECT_FALSE(straddles(make_splits(data, spec, 0))) << spec;
    EXPECT_TRUE(straddles(make_splits(data, std::string(spec) + "+duplicates", 0))) << spec;
  }
  const Split two = make_splits(data, "random:0.7,0.3+duplicates", 0).front();
  EXPECT_EQ(two.train.size(), 35U);
  EXPECT_TRUE(two.valid.empty());
  EXPECT_THAT(error_from([&] { static_cast<void>(make_splits(data, "random:0.7", 0)); }), HasSubstr("or :train,test"));
}

}  // namespace
}  // namespace agentnet
