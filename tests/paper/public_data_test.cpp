#include "paper/public_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agentnet/data.h"
#include "agentnet/error.h"
#include "data/splits/splits.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::HasSubstr;

class PublicData : public testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text = "x") {
    std::filesystem::create_directories((folder_ / name).parent_path());
    write_text(folder_ / name, text);
    return folder_ / name;
  }
  [[nodiscard]] std::string find(const std::string& name) const {
    return find_public_set(name, folder_.path(), folder_ / "made");
  }
  [[nodiscard]] Error error_of(const std::string& name) const {
    try {
      static_cast<void>(find(name));
    } catch (const Error& e) {
      return e;
    }
    return {ErrorKind::kFailure, "found"};
  }
  TempFolder folder_;
};

TEST_F(PublicData, IsFoundUnderItsUsualNames) {
  const std::string inner = put("DD/DD.txt.xz");
  EXPECT_EQ(find("DD"), inner);
  const std::string text = put("DD.txt");
  EXPECT_EQ(find("DD"), text);
  const std::string fetched = put("DD.zip");
  EXPECT_EQ(find("DD"), fetched);
  const std::string other_name = put("PTC_MR.zip");
  EXPECT_EQ(find("PTC"), other_name);
  put("ogbg_molhiv/raw/x");
  EXPECT_EQ(find("ogbg-molhiv"), folder_ / "ogbg_molhiv");
  put("MUTAG/TU/MUTAG_A.txt");
  EXPECT_EQ(find("MUTAG"), folder_ / "MUTAG/TU");
}

TEST_F(PublicData, ThatIsMissingIsSaidWithAWayToGetIt) {
  const Error e = error_of("MUTAG");
  EXPECT_EQ(e.kind(), ErrorKind::kUsage);
  EXPECT_EQ(std::string(e.what()), "the set MUTAG is not in " + folder_.path().string());
  EXPECT_THAT(e.hint(), HasSubstr("agentnet fetch MUTAG"));
  EXPECT_THAT(e.hint(), HasSubstr("--data"));
  EXPECT_THAT(error_of("ZINC").hint(), HasSubstr("zinc_train.jsonl"));
  EXPECT_THAT(error_of("QM9").hint(), HasSubstr("qm9.jsonl"));
  EXPECT_FALSE(public_set_as_it_is("MUTAG", folder_.path()));
}

TEST_F(PublicData, PartsOfZincBecomeOneSetWithASplit) {
  const std::string graph = R"({"num_nodes":2,"edge_index":[[0,1],[1,0]],"y":[0.5]})";
  put("ZINC/zinc_train.jsonl", graph + "\n" + graph + "\n");
  put("ZINC/zinc_val.jsonl", graph);
  EXPECT_EQ(error_of("ZINC").kind(), ErrorKind::kUsage);
  put("ZINC/zinc_test.jsonl", graph);
  DataOptions options;
  options.keep = {"split"};
  const Dataset data = read_data(find("ZINC"), options);
  const Split split = make_splits(data, "column:split", 0).front();
  EXPECT_EQ(split, (Split{{0, 1}, {2}, {3}}));
}

TEST_F(PublicData, PropertiesOfQm9GetNames) {
  put("QM9/qm9.jsonl", R"({"num_nodes":1,"edge_index":[[],[]],"y":[1.5,2,3,4,5.5,6,7,8,9,10,11,12.5]})");
  DataOptions options;
  options.task = Task::kRegression;
  options.targets = {"cv", "gap"};
  const Dataset data = read_data(find("QM9"), options);
  EXPECT_EQ(data.graphs.targets(0)[0], 12.5);
  EXPECT_EQ(data.graphs.targets(0)[1], 5.5);
}

TEST_F(PublicData, AFileThatIsNotWhatItsNameSaysLeavesNothing) {
  put("qm9.jsonl", "{\"y\":[1,2]}\n");
  const Error e = error_of("QM9");
  EXPECT_EQ(e.kind(), ErrorKind::kData);
  EXPECT_THAT(e.what(), HasSubstr("qm9.jsonl:1"));
  put("qm9.jsonl", "nonsense\n");
  EXPECT_EQ(error_of("QM9").kind(), ErrorKind::kData);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "made/qm9.jsonl"));
}

}  // namespace
}  // namespace agentnet
