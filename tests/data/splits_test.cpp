#include "data/splits/splits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "agentnet/error.h"
#include "data/synthetic/synthetic.h"
#include "support/shared_dir.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Every graph in exactly one part.
bool covers(const Split& split, std::size_t graphs) {
  std::vector<std::size_t> all;
  for (const auto* part : {&split.train, &split.valid, &split.test}) all.insert(all.end(), part->begin(), part->end());
  std::ranges::sort(all);
  std::vector<std::size_t> expected(graphs);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  return all == expected;
}

std::map<double, double> class_counts(const std::vector<std::size_t>& part, const std::vector<double>& labels) {
  std::map<double, double> counts;
  for (const double label : labels) counts[label] += 0;
  for (const std::size_t i : part) ++counts[labels[i]];
  return counts;
}

template <class Run>
void expect_error(ErrorKind kind, const std::string& message, const std::string& hint, Run run) {
  try {
    static_cast<void>(run());
    ADD_FAILURE() << "accepted; expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_EQ(error.what(), message);
    EXPECT_THAT(error.hint(), HasSubstr(hint));
  }
}

TEST(RandomSplit, HasTheAskedSizesAndIsSetByItsSeed) {
  const Split split = random_split(41, {0.8, 0.1, 0.1}, 3);
  EXPECT_THAT(split.train, SizeIs(33));
  EXPECT_THAT(split.valid, SizeIs(4));
  EXPECT_THAT(split.test, SizeIs(4));
  EXPECT_TRUE(covers(split, 41));
  EXPECT_EQ(split, random_split(41, {0.8, 0.1, 0.1}, 3));
  EXPECT_NE(split, random_split(41, {0.8, 0.1, 0.1}, 4));
  EXPECT_THAT(random_split(10, {0, 0, 1}, 3).test, SizeIs(10));
}

RC_GTEST_PROP(RandomSplit, CoversEveryGraphOnce, (std::uint64_t seed)) {
  const auto n = *rc::gen::inRange<std::size_t>(0, 200);
  const double train = *rc::gen::inRange(0, 11) / 10.0;
  const double valid = (1 - train) * *rc::gen::inRange(0, 11) / 10.0;
  const Split split = random_split(n, {train, valid, 1 - train - valid}, seed);
  RC_ASSERT(covers(split, n));
  RC_ASSERT(std::abs(static_cast<double>(split.train.size()) - train * static_cast<double>(n)) <= 0.5 + 1e-9);
}

RC_GTEST_PROP(StratifiedSplit, IsWithinOneGraphOfEachClassesShare, (std::uint64_t seed)) {
  const auto labels = *rc::gen::container<std::vector<double>>(rc::gen::element(0.0, 1.0, 2.0, 7.0));
  const double train = *rc::gen::inRange(0, 11) / 10.0;
  const double valid = (1 - train) * *rc::gen::inRange(0, 11) / 10.0;
  const Split split = stratified_split(labels, {train, valid, 1 - train - valid}, seed);
  RC_ASSERT(covers(split, labels.size()));
  std::vector<std::size_t> all(labels.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto total = class_counts(all, labels);
  const std::pair<const std::vector<std::size_t>*, double> parts[] = {
      {&split.train, train}, {&split.valid, valid}, {&split.test, 1 - train - valid}};
  for (const auto& [part, share] : parts) {
    for (const auto& [label, count] : class_counts(*part, labels)) {
      RC_ASSERT(std::abs(count - share * total.at(label)) < 1 + 1e-6);
    }
  }
}

TEST(StratifiedSplit, RoundingDoesNotAddUpOverManySmallClasses) {
  std::vector<double> labels(300);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<double>(i % 100);  // 100 classes of three
  const Split split = stratified_split(labels, {0.8, 0.1, 0.1}, 1);
  EXPECT_NEAR(static_cast<double>(split.train.size()), 240, 2);
  EXPECT_NEAR(static_cast<double>(split.valid.size()), 30, 2);
}

TEST(StratifiedSplit, BlankLabelsAreAClass) {
  std::vector<double> labels(20, std::numeric_limits<double>::quiet_NaN());
  labels.resize(40, 1);
  const Split split = stratified_split(labels, {0.5, 0, 0.5}, 1);
  EXPECT_EQ(std::ranges::count_if(split.train, [](std::size_t i) { return i < 20; }), 10);
}

TEST(SplitFractions, MustAddUpToOne) {
  const std::string hint = "none is negative and they add up to 1";
  expect_error(ErrorKind::kUsage, "fractions 0.8, 0.1 and 0.2 do not split a set", hint, [] {
    return random_split(10, {0.8, 0.1, 0.2}, 0);
  });
  expect_error(ErrorKind::kUsage, "fractions 1.1, -0.1 and 0 do not split a set", hint, [] {
    return scaffold_split({}, {1.1, -0.1, 0});
  });
}

RC_GTEST_PROP(KFolds, TestEveryGraphOnceInPartsOfEqualSize, (std::uint64_t seed, bool stratified)) {
  const auto labels = *rc::gen::suchThat(rc::gen::container<std::vector<double>>(rc::gen::element(0.0, 1.0, 2.0)),
                                         [](const std::vector<double>& l) { return l.size() >= 2; });
  const auto k = *rc::gen::inRange<std::size_t>(2, std::min<std::size_t>(labels.size(), 12) + 1);
  const auto folds = stratified ? stratified_k_folds(labels, k, seed) : k_folds(labels.size(), k, seed);
  RC_ASSERT(folds.size() == k);
  std::vector<std::size_t> tested;
  for (const Split& fold : folds) {
    RC_ASSERT(fold.valid.empty());
    RC_ASSERT(covers(fold, labels.size()));
    RC_ASSERT(fold.test.size() == labels.size() / k || fold.test.size() == labels.size() / k + 1);
    tested.insert(tested.end(), fold.test.begin(), fold.test.end());
  }
  RC_ASSERT(covers({.train = tested, .valid = {}, .test = {}}, labels.size()));
  if (!stratified) return;
  for (const double label : {0.0, 1.0, 2.0}) {
    double least = 1e9, most = 0;
    for (const Split& fold : folds) {
      const double count = class_counts(fold.test, labels)[label];
      least = std::min(least, count);
      most = std::max(most, count);
    }
    RC_ASSERT(most - least <= 1);
  }
}

// numpy.random.RandomState(0).permutation(10) is 2, 8, 4, 9, 1, 6, 7, 3, 0, 5.
TEST(KFolds, AreDrawnAsTheAuthorsDrawThem) {
  const auto folds = k_folds(10, 10, 0);
  const std::vector<std::size_t> fold_of_graph = {2, 8, 4, 9, 1, 6, 7, 3, 0, 5};
  for (std::size_t g = 0; g < 10; ++g) EXPECT_THAT(folds[fold_of_graph[g]].test, ElementsAre(g));
  const auto three = k_folds(10, 3, 0);
  EXPECT_EQ(three[0].test.size(), 4U) << "the first folds take what is left over";
}

TEST(KFolds, NeedTwoFoldsAndAsManyGraphs) {
  expect_error(ErrorKind::kUsage, "5 graphs cannot be split into 6 folds", "at least 2",
               [] { return k_folds(5, 6, 0); });
  expect_error(ErrorKind::kUsage, "5 graphs cannot be split into 1 folds", "at least 2",
               [] { return k_folds(5, 1, 0); });
}

TEST(ScaffoldSplit, FillsTrainThenValidThenTestByGroups) {
  // Groups: a = {0, 3, 5, 6}, b = {1, 2}, c = {4, 8}, d = {7}, e = {9}; among groups of a size, later ones go first.
  const std::vector<std::string> scaffolds = {"a", "b", "b", "a", "c", "a", "a", "d", "c", "e"};
  EXPECT_EQ(scaffold_split(scaffolds, {0.6, 0.2, 0.2}), (Split{{0, 3, 5, 6, 4, 8}, {1, 2}, {9, 7}}));
  // A group that does not fit into train goes on, and a smaller one after it still fits.
  EXPECT_EQ(scaffold_split(scaffolds, {0.5, 0.2, 0.3}), (Split{{0, 3, 5, 6, 9}, {4, 8}, {1, 2, 7}}));
}

TEST(ColumnSplit, NamesOfPartsInAnyCase) {
  const std::vector<std::string> values = {"train", "TEST", " Val ", "Validation", "valid", "training", ""};
  EXPECT_THAT(column_split(values, "split"), ElementsAre(Split{{0, 5}, {2, 3, 4}, {1}}));
}

TEST(ColumnSplit, NumbersAreFolds) {
  const std::vector<std::string> values = {"3", "1", "3", "", "2"};
  EXPECT_THAT(column_split(values, "fold"),
              ElementsAre(Split{{0, 2, 4}, {}, {1}}, Split{{0, 1, 2}, {}, {4}}, Split{{1, 4}, {}, {0, 2}}));
}

TEST(ColumnSplit, WhatIsNeitherNamesTheGraph) {
  const auto split = [](const std::vector<std::string>& values) { return [=] { return column_split(values, "s"); }; };
  expect_error(ErrorKind::kData, "column 's', graph 1: 'tset' is neither a part nor a fold", "train, valid or test",
               split({"train", "tset"}));
  expect_error(ErrorKind::kData, "column 's', graph 1: '3' stands among values of the other kind", "number of a fold",
               split({"train", "3"}));
  expect_error(ErrorKind::kData, "column 's', graph 1: 'test' stands among values of the other kind",
               "number of a fold", split({"3", "test"}));
  expect_error(ErrorKind::kData, "column 's': there is only one fold, but a split needs two", "number the folds",
               split({"0", "0"}));
  expect_error(ErrorKind::kData, "column 's': there is no fold, but a split needs two", "number the folds",
               split({""}));
  expect_error(ErrorKind::kData, "column 's': no graph is in train", "train", split({"test", "test"}));
}

class SplitFile : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const auto path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    write_text(path, text);
    return path.string();
  }
  TempFolder folder_;
};

TEST_F(SplitFile, FoldPerLineWithWindowsLineEndsAndByteOrderMark) {
  EXPECT_THAT(read_split_file(file("folds.txt",
                                   "\xEF\xBB\xBF"
                                   "0\r\n1\r\n0\r\n\r\n"),
                              3),
              ElementsAre(Split{{1}, {}, {0, 2}}, Split{{0, 2}, {}, {1}}));
  EXPECT_THAT(read_split_file(file("parts.txt", "train\ntest\nval"), 3), ElementsAre(Split{{0}, {2}, {1}}));
}

TEST_F(SplitFile, FoldLinesMustMatchTheGraphs) {
  const std::string path = file("folds.txt", "0\n1\n0\n");
  expect_error(ErrorKind::kData, path + ":3:1: there are more lines than the 2 graphs of the set", "one line per graph",
               [&] { return read_split_file(path, 2); });
  expect_error(ErrorKind::kData, path + ":4:1: 3 lines, but the set has 4 graphs", "one line per graph",
               [&] { return read_split_file(path, 4); });
  const std::string word = file("word.txt", "0\nx\n");
  expect_error(ErrorKind::kData, word + ":2:1: 'x' is neither a part nor a fold", "number of a fold",
               [&] { return read_split_file(word, 2); });
  const std::string empty = file("empty.txt", "");
  expect_error(ErrorKind::kData, empty + ":1:1: 0 lines, but the set has 4 graphs", "one line per graph",
               [&] { return read_split_file(empty, 4); });
}

TEST_F(SplitFile, ListsOfFoldsInTheOrderOfTheirNumbers) {
  file("idx/train_idx-10.txt", "0\n1\n");
  file("idx/test_idx-10.txt", "2\n");
  file("idx/train_idx-9.txt", "2\n1\n");
  file("idx/test_idx-9.txt", "0\n");
  EXPECT_THAT(read_split_file(folder_.path(), 4), ElementsAre(Split{{2, 1}, {}, {0}}, Split{{0, 1}, {}, {2}}));
  file("idx/train_idx-11.txt", "0\n");
  expect_error(ErrorKind::kData, folder_.path().string() + ": there is no test_idx-11.txt", "every fold",
               [&] { return read_split_file(folder_.path(), 4); });
}

TEST_F(SplitFile, ListsOfPartsKeepTheirOrder) {
  file("train.csv", "3\n0\n");
  file("valid.csv", "1\n");
  file("test.csv", "2\n");
  EXPECT_THAT(read_split_file(folder_.path(), 4), ElementsAre(Split{{3, 0}, {1}, {2}}));
}

TEST_F(SplitFile, GraphThatDoesNotExistOrStandsTwice) {
  file("train.csv", "3\n0\n");
  const std::string valid = file("valid.csv", "1\n4\n");
  const std::string test = file("test.csv", "2\n\n 0\n");
  const auto read = [&] { return read_split_file(folder_.path(), 4); };
  expect_error(ErrorKind::kData, valid + ":2:1: there is no graph 4, the set has 4", "counted from 0", read);
  file("valid.csv", "1\n1\n");
  expect_error(ErrorKind::kData, valid + ":2:1: graph 1 is in valid already", "one part of a split at most", read);
  file("valid.csv", "1\n");
  expect_error(ErrorKind::kData, test + ":3:1: graph 0 is in train already", "one part of a split at most", read);
  file("test.csv", "2\n-1\n");
  try {
    static_cast<void>(read());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(test + ":2:1: "));
  }
}

TEST_F(SplitFile, FolderWithoutASplitSaysWhatWasExpected) {
  file("train.csv", "0\n");
  expect_error(ErrorKind::kData, folder_.path().string() + ": no split is in here", "train_idx-N.txt",
               [&] { return read_split_file(folder_.path(), 4); });
}

TEST_F(SplitFile, JsonOfOneSplitOrSeveral) {
  EXPECT_THAT(read_split_file(file("one.json", R"( {"train": [2, 0], "val": [], "test": [1]} )"), 3),
              ElementsAre(Split{{2, 0}, {}, {1}}));
  EXPECT_THAT(read_split_file(file("two.json", R"([{"train": [0], "test": [1]}, {"train": [1], "test": [0]}])"), 2),
              ElementsAre(Split{{0}, {}, {1}}, Split{{1}, {}, {0}}));
}

TEST_F(SplitFile, BadJsonNamesLineAndColumn) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{\"train\": [0, 1],\n \"test\": [2, 900]}", ":2:14: there is no graph 900, the set has 3"},
      {"{\"train\": [0, 1],\n \"test\": [2, 1]}", ":2:14: graph 1 is in train already"},
      {"{\"train\": [0, 1],\n \"tests\": [2]}", ":2:2: there is no part 'tests'"},
      {"{\"train\": [0, -1]}", ":1:15: a negative number does not belong here"},
      {"{\"train\": [0, 1.5]}", ":1:15: a fraction does not belong here"},
      {"{\"train\": [0, \"1\"]}", ":1:15: a text does not belong here"},
      {"{\"train\": [[0]]}", ":1:12: a list does not belong here"},
      {"{\"train\": {\"a\": 1}}", ":1:11: an object does not belong here"},
      {"{\"train\": 7}", ":1:11: a number does not belong here"},
      {"[[{}]]", ":1:2: a list does not belong here"},
      {"[]", ":1:1: there is no split in here"},
      {"{\"train\": [0,, 1]}", ":1:14: this is no JSON"},
      {"{\"train\": [0", ":1:12: this is no JSON"},
  };
  for (const auto& [text, message] : cases) {
    const std::string path = file("bad.json", text);
    expect_error(ErrorKind::kData, path + message, "", [&] { return read_split_file(path, 3); });
  }
}

TEST(SplitFileOfReferenceData, FoldsOfTheAuthorsAndOfGin) {
  const auto shared = shared_dir();
  if (!shared || !std::filesystem::exists(*shared / "data" / "MUTAG")) GTEST_SKIP() << kNoSharedDir;
  const auto authors = read_split_file(*shared / "data" / "MUTAG" / "fold_of_graph_agentnet.txt", 188);
  ASSERT_THAT(authors, SizeIs(10));
  for (const Split& split : authors) EXPECT_TRUE(covers(split, 188));
  EXPECT_THAT(authors[5].test, testing::Contains(0));  // the first line says 5

  const auto gin = read_split_file(*shared / "data" / "MUTAG" / "10fold_idx.tar.xz", 188);
  ASSERT_THAT(gin, SizeIs(10));
  for (const Split& split : gin) {
    EXPECT_GE(split.train.size() + split.test.size(), 186u);
    EXPECT_THAT(split.valid, IsEmpty());
  }
  EXPECT_THROW(static_cast<void>(read_split_file(*shared / "data" / "MUTAG" / "10fold_idx.tar.xz", 150)), Error);
  for (const auto& [name, graphs] : std::map<std::string, std::size_t>{
           {"PROTEINS", 1113}, {"PTC", 344}, {"IMDB-BINARY", 1000}, {"REDDIT-BINARY", 2000}, {"COLLAB", 5000}}) {
    EXPECT_THAT(read_split_file(*shared / "data" / name / "10fold_idx.tar.xz", graphs), SizeIs(10)) << name;
    EXPECT_THAT(read_split_file(*shared / "data" / name / "fold_of_graph_agentnet.txt", graphs), SizeIs(10)) << name;
  }
}

TEST(SplitFileOfReferenceData, OfficialSplitOfMolhiv) {
  const auto shared = shared_dir();
  if (!shared || !std::filesystem::exists(*shared / "data" / "ogbg_molhiv")) GTEST_SKIP() << kNoSharedDir;
  const auto splits = read_split_file(*shared / "data" / "ogbg_molhiv" / "split" / "scaffold", 41127);
  ASSERT_THAT(splits, SizeIs(1));
  EXPECT_THAT(splits[0].train, SizeIs(32901));
  EXPECT_THAT(splits[0].valid, SizeIs(4113));
  EXPECT_THAT(splits[0].test, SizeIs(4113));
}

class MakeSplits : public testing::Test {
 protected:
  std::vector<Split> make(const std::string& spec, std::uint64_t seed = 0) {
    return scaffolds_ ? make_splits_with(data_, spec, seed, scaffolds_) : make_splits(data_, spec, seed);
  }
  Dataset data_ = make_synthetic("synthetic:2wl?graphs=40");
  std::function<std::vector<std::string>()> scaffolds_;
};

TEST_F(MakeSplits, SpecsNameTheFunctions) {
  std::vector<double> labels;
  for (std::size_t i = 0; i < 40; ++i) labels.push_back(data_.graphs.targets(i)[0]);
  EXPECT_THAT(make("random", 5), ElementsAre(random_split(40, {0.8, 0.1, 0.1}, 5)));
  EXPECT_THAT(make("random:0.5,0.25,0.25", 5), ElementsAre(random_split(40, {0.5, 0.25, 0.25}, 5)));
  EXPECT_THAT(make("stratified:0.5,0,0.5", 5), ElementsAre(stratified_split(labels, {0.5, 0, 0.5}, 5)));
  EXPECT_EQ(make("kfold", 5), k_folds(40, 10, 5));
  EXPECT_EQ(make("kfold:4", 5), k_folds(40, 4, 5));
  EXPECT_EQ(make("stratified-kfold:4", 5), stratified_k_folds(labels, 4, 5));
  scaffolds_ = [] {
    std::vector<std::string> names(40);
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::to_string(i % 7);
    return names;
  };
  EXPECT_THAT(make("scaffold:0.6,0.2,0.2"), ElementsAre(scaffold_split(scaffolds_(), {0.6, 0.2, 0.2})));
  data_.columns["part"] = std::vector<std::string>(40, "train");
  EXPECT_THAT(make("column:part")[0].train, SizeIs(40));
  data_.official = random_split(40, {}, 9);
  EXPECT_THAT(make("official"), ElementsAre(*data_.official));
}

TEST_F(MakeSplits, NumbersInAFileAreRowsOfTheSource) {
  const TempFolder folder;
  write_text(folder / "split.json", R"({"train": [0, 1, 41], "test": [2, 3]})");
  const std::string spec = "file:" + (folder / "split.json").string();
  data_.bad_rows.resize(2);  // rows 1 and 3
  for (std::uint64_t row = 0; row < 42; ++row) {
    if (row != 1 && row != 3) data_.rows.push_back(row);
  }
  EXPECT_THAT(make(spec), ElementsAre(Split{{0, 39}, {}, {1}}));
}

TEST_F(MakeSplits, SpecsThatMakeNoSense) {
  const auto expect = [&](const std::string& spec, const std::string& message, const std::string& hint) {
    expect_error(ErrorKind::kUsage, message, hint, [&] { return make(spec); });
  };
  expect("ramdom", "there is no split 'ramdom'", "did you mean random? a split is random, stratified, ");
  expect("", "there is no split ''", "a split is random");
  expect("official:1", "there is no split 'official:1'", "a split is random");
  expect("random:0.8", "split 'random:0.8': expected three numbers with commas between them", "0.8,0.1,0.1");
  expect("random:0.8,0.1,x", "split 'random:0.8,0.1,x': expected three numbers with commas between them", "");
  expect("random:0.8,0.1,0.1,0", "split 'random:0.8,0.1,0.1,0': expected three numbers with commas between them", "");
  expect("random:0.8,0.1,0.3", "fractions 0.8, 0.1 and 0.3 do not split a set", "add up to 1");
  expect("kfold:ten", "split 'kfold:ten': expected a number of folds", "kfold:10");
  expect("kfold:41", "40 graphs cannot be split into 41 folds", "at most the number of graphs");
  expect("column:", "split 'column:': no column is named", "column:NAME");
  expect("file:", "split 'file:': no file is named", "file:PATH");
  expect("column:part", "'synthetic:2wl?graphs=40' has no column 'part'", "name a column");
  expect("official", "'synthetic:2wl?graphs=40' comes without an official split", "use random");
  expect("scaffold", "split 'scaffold': 'synthetic:2wl?graphs=40' holds no molecules", "SMILES");
  data_.schema.task = Task::kRegression;
  expect("stratified", "split 'stratified': 'synthetic:2wl?graphs=40' has no classes, its task is regression",
         "use random or kfold");
}

TEST(ColumnsOfSplit, AreThoseThatTheReaderHasToKeep) {
  EXPECT_THAT(columns_of_split("column:part"), ElementsAre("part"));
  EXPECT_THAT(columns_of_split("scaffold:0.8,0.1,0.1"), ElementsAre("smiles"));
  EXPECT_THAT(columns_of_split("random"), IsEmpty());
  EXPECT_THAT(columns_of_split("file:column:x"), IsEmpty());
}

}  // namespace
}  // namespace agentnet
