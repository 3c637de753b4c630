// What is written is read back as the same graphs, or refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "core/random.h"
#include "data/formats/formats.h"
#include "data/formats/writers.h"
#include "data/io/output.h"
#include "graph/set_arrays.h"
#include "support/graphs.h"
#include "support/read_members.h"
#include "support/same_sets.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

const std::vector<std::string> kNumbers = {"-3", "0", "1", "2", "10", "8388607"};
const std::vector<std::string> kWords = {"C",          "a,b", "say \"x\"", " before", "behind\t", "\u00e9\U0001F600",
                                         "two words",  "'x",  "<&>",       "true",    "4",        "-",
                                         "two\nlines", "0x1F"};
const std::vector<std::string> kOddWords = {"7.5", "1e3", "007", "nan", "", "?", "inf", "99999999", "C"};
const std::vector<std::string> kClasses = {"-1", "0", "2", "0.5", "yes", "no!", "\u00e9"};

// What a random set may have.
struct Scope {
  std::vector<std::vector<std::string>> vocabularies = {kNumbers, kWords};
  std::vector<std::string> classes = kClasses;
  std::vector<Task> tasks = {Task::kNone, Task::kClassification, Task::kMultilabel, Task::kRegression};
  std::size_t most_node_categories = 2;
  bool edge_features = true, blanks = true, notes = true;
};

struct Maker {
  RandomSequence random;
  const Scope& scope;

  bool coin() { return random.below(2) == 1; }
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[random.below(values.size())];
  }

  FeatureSchema columns(std::size_t most_categories) {
    FeatureSchema schema;
    for (std::size_t c = random.below(most_categories + 1); c > 0; --c) {
      schema.categories.push_back({"category" + std::to_string(c), one_of(scope.vocabularies)});
    }
    for (std::size_t c = random.below(3); c > 0; --c) schema.dense.push_back("dense" + std::to_string(c));
    return schema;
  }

  float number() {
    const std::vector<float> special = {0.0F, -0.0F, 1.0F, -7.0F, 16777216.0F, 1e-45F, 3.4e38F, 0.1F};
    return coin() ? one_of(special) : static_cast<float>(random.normal());
  }

  void fill(const FeatureSchema& schema, std::uint64_t rows, std::vector<float>& dense,
            std::vector<std::int32_t>& categories) {
    for (std::uint64_t r = 0; r < rows; ++r) {
      for (const CategoryColumn& column : schema.categories) {
        categories.push_back(static_cast<std::int32_t>(random.below(column.values.size())));
      }
      for (std::size_t c = 0; c < schema.dense.size(); ++c) dense.push_back(number());
    }
  }

  double target(const Schema& schema) {
    if (scope.blanks && random.below(4) == 0) return std::numeric_limits<double>::quiet_NaN();
    if (schema.task == Task::kClassification) return static_cast<double>(random.below(schema.classes.size()));
    if (schema.task == Task::kMultilabel) return static_cast<double>(random.below(2));
    return coin() ? random.normal() * 1e10 : static_cast<double>(random.below(3));
  }

  Dataset make() {
    Dataset data;
    Schema& schema = data.schema;
    schema.task = one_of(scope.tasks);
    const std::size_t targets = schema.task == Task::kNone             ? 0
                                : schema.task == Task::kClassification ? 1
                                                                       : 1 + random.below(3);
    for (std::size_t t = 0; t < targets; ++t) schema.targets.push_back("target" + std::to_string(t));
    if (schema.task == Task::kClassification) schema.classes = scope.classes;
    schema.nodes = columns(scope.most_node_categories);
    if (schema.nodes.dense.empty() && schema.nodes.categories.empty()) schema.nodes.dense = {"constant"};
    const bool constant = schema.nodes.dense == std::vector<std::string>{"constant"};
    if (scope.edge_features) schema.edges = columns(2);
    const bool ids = coin(), positions = scope.notes && coin(), marks = scope.notes && coin();
    const std::size_t graphs = 1 + random.below(5);
    for (std::size_t g = 0; g < graphs; ++g) {
      RandomGraphOptions options;
      options.isolated_nodes = static_cast<std::uint32_t>(random.below(3));
      options.multi_edges = coin() ? 0.3 : 0;
      options.self_loops = coin() ? 0.3 : 0;
      options.directed = coin();
      GraphParts parts =
          random_graph(random, static_cast<std::uint32_t>(1 + random.below(6)), random.uniform(), options);
      fill(schema.nodes, parts.num_nodes, parts.node_dense, parts.node_categories);
      if (constant) std::fill(parts.node_dense.begin(), parts.node_dense.end(), 1.0F);
      fill(schema.edges, parts.from.size(), parts.edge_dense, parts.edge_categories);
      std::vector<double> values;
      for (std::size_t t = 0; t < targets; ++t) values.push_back(target(schema));
      std::vector<float> places;
      std::vector<std::uint8_t> marked;
      for (std::uint64_t i = 0; positions && i < 3 * parts.num_nodes; ++i) places.push_back(number());
      for (std::uint64_t i = 0; marks && i < parts.num_nodes; ++i) marked.push_back(coin() ? 1 : 0);
      const std::string id = ids ? "graph " + std::to_string(g) + ", \"\u00e9\"" : "";
      data.graphs.add(Graph(std::move(parts)), values, id, {places, marked});
    }
    return data;
  }
};

Dataset random_set(std::uint64_t seed, const Scope& scope) {
  return Maker{RandomSequence(seed, Purpose::kData), scope}.make();
}

// Writes and reads; the first difference, or nothing.
std::string lost(const Dataset& data, const std::string& format, const std::string& ending = {}) {
  const TempFolder folder;
  const std::string path = folder / ("set" + ending);
  const auto left_out = write_data(data, path, format);
  const auto held = [&](const char* what) {
    return std::find(left_out.begin(), left_out.end(), what) == left_out.end();
  };
  DataOptions options;
  options.task = data.schema.task;
  const Dataset back = read_data(path, options);
  if (back.format != format) return "read as " + back.format;
  const bool has_ids = !data.graphs.arrays().first_id.empty();
  return difference(data, back,
                    {.ids = has_ids && held("ids"), .positions = held("positions"), .marks = held("node marks")});
}

RC_GTEST_PROP(RoundTrip, AgentsetHoldsEverything, (std::uint64_t seed)) {
  Scope scope;
  scope.vocabularies.push_back(kOddWords);
  RC_ASSERT(lost(random_set(seed, scope), "agentset") == "");
}

RC_GTEST_PROP(RoundTrip, JsonlHoldsEverything, (std::uint64_t seed)) {
  Scope scope;
  scope.vocabularies.push_back(kOddWords);
  RC_ASSERT(lost(random_set(seed, scope), "jsonl", seed % 2 == 0 ? ".jsonl" : ".jsonl.gz") == "");
}

RC_GTEST_PROP(RoundTrip, CsvHoldsAllButNotes, (std::uint64_t seed)) {
  RC_ASSERT(lost(random_set(seed, Scope{}), "csv") == "");
}

RC_GTEST_PROP(RoundTrip, TuHoldsWholeNumbersAsLabels, (std::uint64_t seed)) {
  Scope scope;
  scope.vocabularies = {kNumbers};
  Dataset data = random_set(seed, scope);
  // A graph without a label has no line in a TU file.
  if (data.schema.task == Task::kClassification) {
    for (double& target : data.graphs.arrays().targets.own()) target = std::isnan(target) ? 0 : target;
  }
  RC_ASSERT(lost(data, "tu") == "");
}

RC_GTEST_PROP(RoundTrip, GinHoldsOneLabelAndNumbers, (std::uint64_t seed)) {
  Scope scope;
  scope.vocabularies = {kNumbers};
  scope.tasks = {Task::kClassification};
  scope.most_node_categories = 1;
  scope.edge_features = scope.blanks = false;
  Dataset data = random_set(seed, scope);
  // Tags that are all the same would be taken for none.
  std::vector<std::int32_t>& tags = data.graphs.arrays().node_categories.own();
  RC_PRE(tags.size() != 1);
  if (!tags.empty()) tags.front() = tags.back() == 0 ? 1 : 0;
  RC_ASSERT(lost(data, "gin", ".txt") == "");
}

class Writing : public ::testing::Test {
 protected:
  static Dataset set(const std::string& jsonl, const DataOptions& options = {}) {
    return read_text_as([](const Input& input, const DataOptions& o) { return format_by_name("jsonl").read(input, o); },
                        jsonl, options);
  }
  std::string error(const std::string& jsonl, const std::string& format) {
    const Dataset data = set(jsonl);
    std::string text = error_from([&] { write_data(data, folder_ / "out", format); });
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << format;
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << format;
    return text;
  }
  TempFolder folder_;
};

TEST_F(Writing, WhatAFormatCannotHoldIsRefused) {
  const std::string word = R"({"node_feat":["C"],"y":"yes"})", odd = R"({"node_feat":["7.5"],"y":"yes"})",
                    zeros = R"({"node_feat":["007"],"y":"yes"})",
                    loop = R"(,"edge_index":[[0],[0]],"edge_attr":[0.5]})", hint = " | write jsonl or agentset";
  EXPECT_EQ(error(word, "tu"),
            "usage: tu cannot hold the node label 'C', which is no whole number | write csv, jsonl or agentset");
  EXPECT_EQ(error(zeros, "tu"),
            "usage: tu cannot hold the node label '007', which is no whole number | write csv, jsonl or agentset");
  EXPECT_EQ(error(R"({"num_nodes":1,"y":"a\nb"})", "tu"),
            "usage: tu cannot hold the class name 'a\\x0ab' | write csv, jsonl or agentset");
  EXPECT_EQ(error("{\"num_nodes\":1,\"y\":\"a\"}\n{\"num_nodes\":1}", "tu"),
            "usage: tu cannot hold a graph without a label | write csv, jsonl or agentset");
  EXPECT_EQ(
      error(odd, "csv"),
      "usage: csv cannot hold the category '7.5' of column 'node_feat0': it would read back as something else" + hint);
  EXPECT_EQ(error(R"({"num_nodes":1,"y":"a\nb"})", "csv"),
            "usage: csv cannot hold the class name 'a\\x0ab' | write jsonl");
  EXPECT_EQ(error(word, "gin"), "usage: gin cannot hold node labels that are no whole numbers" + hint);
  EXPECT_EQ(error(R"({"num_nodes":1,"y":0.5})", "gin"), "usage: gin cannot hold a set without class labels" + hint);
  EXPECT_EQ(error(R"({"num_nodes":1,"y":"a b"})", "gin"),
            "usage: gin cannot hold a class name with a space in it" + hint);
  EXPECT_EQ(error(R"({"num_nodes":1,"y":1)" + loop, "gin"), "usage: gin cannot hold edge features" + hint);
  EXPECT_EQ(error(R"({"node_feat":[[1,2]],"y":1})", "gin"),
            "usage: gin cannot hold more than one categorical node column" + hint);
  EXPECT_EQ(error("{\"num_nodes\":1,\"y\":1}\n{\"num_nodes\":1}", "gin"),
            "usage: gin cannot hold a graph without a label" + hint);
  std::string many = "0";
  for (int i = 1; i < 300; ++i) many += "," + std::to_string(i);
  DataOptions options;
  options.node_features = FeatureKind::kCategories;
  const Dataset data = set("{\"node_feat\":[" + many + "]}", options);
  EXPECT_EQ(error_from([&] { write_data(data, folder_ / "out", "csv"); }),
            "usage: csv cannot hold the 300 categories of column 'node_feat0': they would read back as numbers" + hint);
  EXPECT_EQ(lost(data, "jsonl"), "");
}

TEST_F(Writing, ValuesThatNoVocabularyListsAreRefused) {
  Dataset data = set(R"({"node_feat":["C","N"]})");
  apply_vocabulary(data, set(R"({"node_feat":["C"]})").schema);
  for (const char* format : {"agentset", "jsonl", "csv", "tu"}) {
    EXPECT_EQ(
        error_from([&] { write_data(data, folder_ / "out", format); }),
        "usage: graph 0, node 1: column 'node_feat0' holds a value that is none of those it lists | write the data "
        "before it is adapted to a model");
  }
}

TEST_F(Writing, FormatsFollowFromTheNameOrAreNamed) {
  const Dataset data = set(R"({"num_nodes":1,"y":1})");
  EXPECT_EQ(error(R"({"num_nodes":1})", "ogb").substr(0, 60),
            "usage: the format ogb is read, but not written | formats tha");
  EXPECT_EQ(error(R"({"num_nodes":1})", "jsnl"), "usage: there is no format 'jsnl' | did you mean jsonl?");
  const std::string path = folder_ / "set.xyz";
  EXPECT_EQ(error_from([&] { write_data(data, path); }).substr(0, path.size() + 58),
            "usage: the name '" + path + "' does not say which format to write | na");
  write_data(data, folder_ / "set.txt.xz");
  EXPECT_EQ(read_data(folder_ / "set.txt.xz", {}).format, "gin");
}

TEST_F(Writing, PackedFilesReadBack) {
  for (const char* name : {"a.jsonl.gz", "a.jsonl.xz", "a.jsonl.zst", "a.txt.gz"}) {
    write_data(set(R"({"num_nodes":1,"y":1})"), folder_ / name);
    const std::string bytes = read_text(folder_ / name);
    EXPECT_TRUE(bytes[0] == '\x1f' || bytes[0] == '\xfd' || bytes[0] == '\x28') << name;
    EXPECT_EQ(read_data(folder_ / name, {}).graphs.size(), 1U) << name;
    write_data(set(R"({"num_nodes":1,"y":1})"), folder_ / name, {}, true);
    EXPECT_EQ(read_text(folder_ / name), bytes) << "not the same bytes again";
  }
}

TEST_F(Writing, WhatIsThereIsReplacedOnlyWhereAsked) {
  const Dataset data = set(R"({"num_nodes":1,"y":1})");
  write_text(folder_ / "set.jsonl", "old");
  const std::string path = folder_ / "set.jsonl";
  EXPECT_EQ(error_from([&] { write_data(data, path); }),
            "usage: " + path + " exists already | choose another name, or replace it with --force");
  EXPECT_EQ(read_text(path), "old");
  write_data(data, path, {}, true);
  EXPECT_EQ(read_data(path, {}).graphs.size(), 1U);
}

TEST_F(Writing, AFolderThatIsNoSetIsNotReplaced) {
  const Dataset data = set(R"({"num_nodes":1,"y":1})");
  std::filesystem::create_directory(folder_ / "out");
  write_text(folder_ / "out/thesis.doc", "years of work");
  const std::string path = folder_ / "out";
  for (const char* format : {"tu", "csv"}) {
    EXPECT_EQ(error_from([&] { write_data(data, path, format, true); }),
              "usage: " + path + " holds thesis.doc, which is no part of a set of graphs | choose another folder");
  }
  EXPECT_EQ(read_text(folder_ / "out/thesis.doc"), "years of work");
  std::filesystem::remove(folder_ / "out/thesis.doc");
  write_data(data, path, "tu", true);
  write_data(data, path, "csv", true);
  EXPECT_EQ(read_data(path, {}).format, "csv");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/out_A.txt"));
}

TEST_F(Writing, AFailedWriteLeavesWhatWasThere) {
  write_text(folder_ / "set.jsonl", "old");
  {
    TextOutput output(folder_ / "set.jsonl");
    output.write("new");
  }
  EXPECT_EQ(read_text(folder_ / "set.jsonl"), "old");
  {
    OutputFolder output(folder_ / "set");
    write_text(output.file("a.txt"), "new");
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "set"));
  const Dataset data = set(R"({"num_nodes":1,"y":1})");
  for (const char* format : {"jsonl", "tu", "agentset"}) {
    EXPECT_THAT(error_from([&] { write_data(data, folder_ / "set.jsonl/x", format); }),
                ::testing::StartsWith("failure: cannot "));
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(Writing, WhatIsLeftOutIsTold) {
  DataOptions options;
  options.keep = {"note"};
  Dataset data = set(R"({"id":"a","num_nodes":1,"y":1,"pos":[[0,0,0]],"node_marks":[1],"note":"x"})", options);
  data.official = Split{{0}, {}, {}};
  const auto left_out = [&](const char* format) { return write_data(data, folder_ / format, format); };
  EXPECT_THAT(left_out("agentset"), ElementsAre());
  EXPECT_THAT(left_out("jsonl"), ElementsAre("the split"));
  EXPECT_THAT(left_out("csv"), ElementsAre("positions", "node marks", "the split"));
  EXPECT_THAT(left_out("tu"), ElementsAre("ids", "positions", "node marks", "columns", "the split"));
  EXPECT_THAT(left_out("gin"), ElementsAre("ids", "positions", "node marks", "columns", "the split"));
  options.targets = {"y"};
  options.format = "csv";
  EXPECT_THAT(read_data(folder_ / "csv", options).columns.at("note"), ElementsAre("x"));
  options = {};
  options.keep = {"note"};
  EXPECT_THAT(read_data(folder_ / "jsonl", options).columns.at("note"), ElementsAre("x"));
}

TEST_F(Writing, IdsThatRepeatAreLeftOut) {
  GraphSet graphs;
  graphs.add(Graph(path_graph(2)), {}, "same");
  graphs.add(Graph(path_graph(3)), {}, "same");
  Dataset data;
  data.graphs = std::move(graphs);
  for (const char* format : {"jsonl", "csv"}) {
    EXPECT_THAT(write_data(data, folder_ / format, format), Contains("ids"));
    EXPECT_EQ(read_data(folder_ / format, {}).graphs.size(), 2U);
  }
}

TEST_F(Writing, ColumnsOfTheSameNameAreToldApart) {
  DataOptions options;
  options.targets = {"directed", "graph"};
  Dataset data = set(R"({"num_nodes":1,"directed":0.5,"graph":1.5})", options);
  data.schema.nodes.dense = {"node"};
  data.graphs.arrays().node_dense.own() = {2.5F};
  write_data(data, folder_ / "out", "csv");
  EXPECT_EQ(described(read_data(folder_ / "out", {})),
            "regression directed_,graph_\nnodes node_\nedges\n0: 0[2.5];; 0.5 1.5\n");
}

}  // namespace
}  // namespace agentnet
