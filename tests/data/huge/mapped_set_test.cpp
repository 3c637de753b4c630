// A Dataset as a mapped file; graph/set_file_test.cpp tests the file itself.
#include "data/huge/mapped_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agentnet/data.h"
#include "data/formats/readers.h"
#include "graph/set_file.h"
#include "support/archives.h"
#include "support/read_members.h"
#include "support/same_sets.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using ::testing::ElementsAre;

Dataset sample() {
  DataOptions options;
  options.keep = {"split"};
  Dataset data = read_text_as(read_jsonl,
                              "{\"id\":\"a\",\"node_feat\":[[6,0.5],[8,1.5]],\"edge_index\":[[0],[1]],\"y\":\"yes\","
                              "\"split\":\"train\"}\n"
                              "{\"id\":\"\",\"node_feat\":[[6,2.5]],\"y\":\"no\",\"split\":\"\"}\n",
                              options);
  data.official = Split{{1}, {}, {0}};
  return data;
}

class MappedSet : public ::testing::Test {
 protected:
  TempFolder folder_;
  std::string path_ = (folder_ / "set.agentset").string();
};

TEST_F(MappedSet, HoldsAllOfADataset) {
  const Dataset data = sample();
  EXPECT_THAT(write_data(data, path_), ElementsAre());
  DataOptions options;
  options.official = true;
  options.keep = {"split"};
  const Dataset back = read_data(path_, options);
  EXPECT_EQ(back.format, "agentset");
  EXPECT_EQ(back.schema, data.schema);
  EXPECT_EQ(difference(data, back), "");
  EXPECT_EQ(back.official, data.official);
  EXPECT_EQ(back.columns, data.columns);
}

TEST_F(MappedSet, TakesFeaturesAndTargetsAsOptionsAsk) {
  write_data(sample(), path_);
  DataOptions options;
  options.degree = true;
  options.task = Task::kNone;
  EXPECT_EQ(described(read_data(path_, options)),
            "none \nnodes node_feat0{6,8} degree{0,1} node_feat1\nedges\n"
            "a: 0[6 1 0.5] 1[8 0 1.5]; 0>1;\n: 0[6 0 2.5];;\n");
}

TEST_F(MappedSet, IsReadFromAPackedFileOrArchiveAsWell) {
  write_data(sample(), path_);
  const std::string bytes = read_text(path_);
  write_text(path_ + ".xz", packed(bytes, ".xz"));
  write_text(path_ + ".zip", archive_of({{"x.agentset", bytes}}, ".zip"));
  for (const char* ending : {".xz", ".zip"}) {
    const Dataset data = read_data(path_ + ending, {});
    EXPECT_EQ(data.format, "agentset");
    EXPECT_EQ(difference(sample(), data), "") << ending;
  }
  std::string damaged = bytes;
  damaged[4096] = 1;
  write_text(path_ + ".gz", packed(damaged, ".gz"));
  EXPECT_EQ(error_from([&] { static_cast<void>(read_data(path_ + ".gz", {})); }),
            path_ +
                ".gz: section 'first_node' is damaged: its checksum does not match | copy the file again, or convert "
                "the data again");
}

TEST_F(MappedSet, IsNotWrittenPacked) {
  EXPECT_EQ(error_from([&] { write_data(sample(), path_ + ".gz"); }),
            "usage: " + path_ +
                ".gz: a mapped set is not packed | leave the ending out, or pack the file afterwards: it "
                "is read all the same");
}

TEST_F(MappedSet, AColumnThatItDoesNotHoldIsRefused) {
  write_data(sample(), path_);
  DataOptions options;
  options.keep = {"fold"};
  EXPECT_EQ(error_from([&] { static_cast<void>(read_data(path_, options)); }),
            "usage: " + path_ + " has no column 'fold' | it has split");
}

// Metadata that does not fit, behind checksums that do.
TEST_F(MappedSet, MetadataThatDoNotFitTheGraphsAreRefused) {
  const Dataset data = sample();
  const auto error = [&](const std::string& metadata) {
    write_set_file(path_, data.graphs, metadata);
    std::string text = error_from([&] { static_cast<void>(read_data(path_, {})); });
    return text.starts_with(path_) ? text.substr(path_.size()) : text;
  };
  const std::string again = " | convert the data again";
  const std::string features = R"({"dense":["x"],"categories":[{"name":"c","values":["6","8"]}]})";
  const std::string none = R"({"dense":[],"categories":[]})";
  const auto metadata = [&](const std::string& task, const std::string& nodes) {
    return R"({"task":")" + task + R"(","targets":["y"],"classes":["no","yes"],"nodes":)" + nodes + R"(,"edges":)" +
           none + R"(,"columns":[]})";
  };
  EXPECT_EQ(error(metadata("classification", features)), "accepted");
  EXPECT_EQ(error("{}"), ": the metadata is damaged: [json.exception.out_of_range.403] key 'task' not found" + again);
  EXPECT_EQ(error(metadata("classification", none)), ": the metadata names other columns than the file has" + again);
  EXPECT_EQ(error(metadata("clustering", features)),
            ": the metadata is damaged: there is no task 'clustering'" + again);
  const std::string short_vocabulary = R"({"dense":["x"],"categories":[{"name":"c","values":["6"]}]})";
  EXPECT_EQ(
      error(metadata("classification", short_vocabulary)),
      ": graph 0, node 1: column 'c' holds a value that is none of those it lists | copy the file again, or convert "
      "the data again");
  const std::string no_target = R"({"task":"classification","targets":[],"classes":["no","yes"],"nodes":)" + features +
                                R"(,"edges":)" + none + R"(,"columns":[]})";
  EXPECT_EQ(error(no_target), ": the metadata names other columns than the file has" + again);
}

// The same file, read as a small one and as one that is too large to be read as a whole.
TEST_F(MappedSet, IsCheckedAsAWholeUpToTheSizeThatIsAskedFor) {
  write_data(sample(), path_);
  const std::uint64_t size = std::filesystem::file_size(path_);
  std::string bytes = read_text(path_);
  const std::size_t id = bytes.find("a", 4096);  // the id of the first graph
  bytes[id] = 'b';
  write_text(path_, bytes);
  DataOptions options;
  EXPECT_NE(error_from([&] { static_cast<void>(read_data(path_, options)); }), "accepted") << "64 MB by default";
  options.check_up_to = size;
  EXPECT_NE(error_from([&] { static_cast<void>(read_data(path_, options)); }), "accepted");
  options.check_up_to = size - 1;
  EXPECT_EQ(error_from([&] { static_cast<void>(read_data(path_, options)); }), "accepted");
  options.degree = true;  // for which all of it is read
  EXPECT_NE(error_from([&] { static_cast<void>(read_data(path_, options)); }), "accepted");
}

TEST_F(MappedSet, ASchemaSurvivesJson) {
  const Schema schema = sample().schema;
  EXPECT_EQ(schema_from_json(schema_to_json(schema), "model"), schema);
  EXPECT_EQ(error_from([] { static_cast<void>(schema_from_json("[", "model")); }).substr(0, 30),
            "model: the metadata is damaged");
}

}  // namespace
}  // namespace agentnet
