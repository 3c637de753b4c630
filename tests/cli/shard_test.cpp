// agentnet predict --shard and agentnet gather: many programs, one prediction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "run_agentnet.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Shards : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TempFolder;
    const ProgramResult trained =
        run_agentnet({"train", "synthetic:4cycles?graphs=40", "--hidden", "4", "--agents", "2", "--steps", "3",
                      "--epochs", "1", "--split", "random:0.6,0.2,0.2", "-o", place("run")});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    ASSERT_EQ(run_agentnet({"generate", "synthetic:4cycles?graphs=1100&seed=5", place("data.jsonl")}).exit_code, 0);
    ASSERT_EQ(run_agentnet({"convert", place("data.jsonl"), place("data.agentset")}).exit_code, 0);
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string place(const std::string& name) { return (*folder_ / name).string(); }

  static ProgramResult predict(const std::string& data, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"predict", place("run/model.safetensors"), place(data), "--rollouts", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_agentnet(arguments);
  }
  static ProgramResult part(const std::string& folder, const std::string& shard, std::vector<std::string> more = {},
                            const std::string& data = "data.jsonl") {
    more.insert(more.end(), {"--shard", shard, "-o", place(folder)});
    return predict(data, more);
  }

  static TempFolder* folder_;
};
TempFolder* Shards::folder_ = nullptr;

TEST_F(Shards, PartsMakeTheBytesOfTheWhole) {
  int number = 0;
  for (const char* data : {"data.jsonl", "data.agentset"}) {
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{}, {"--json"}, {"--draws", "row", "--batch", "100"}}) {
      const ProgramResult whole = predict(data, more);
      ASSERT_EQ(whole.exit_code, 0) << whole.err;
      const std::string parts = "parts" + std::to_string(number++);
      for (const char* shard : {"3/3", "1/3", "2/3"}) ASSERT_EQ(part(parts, shard, more, data).exit_code, 0);
      const ProgramResult joined = run_agentnet({"gather", place(parts)});
      EXPECT_EQ(joined.exit_code, 0) << joined.err;
      EXPECT_TRUE(joined.out == whole.out) << data;
      EXPECT_THAT(joined.err, HasSubstr("1100 rows of 3 parts"));
      EXPECT_EQ(run_agentnet({"gather", place(parts), "-o", place(parts + ".out")}).exit_code, 0);
      EXPECT_TRUE(read_text(place(parts + ".out")) == whole.out);
      EXPECT_EQ(run_agentnet({"gather", place(parts), "-o", place(parts + ".out")}).exit_code, 2) << "it is there";
    }
  }
}

TEST_F(Shards, MorePartsThanRowsAreSomeEmptyParts) {
  write_text(place("few.jsonl"),
             read_text(place("data.jsonl")).substr(0, read_text(place("data.jsonl")).find('\n') + 1));
  for (const char* shard : {"1/2", "2/2"}) EXPECT_EQ(part("few", shard, {}, "few.jsonl").exit_code, 0);
  EXPECT_EQ(run_agentnet({"gather", place("few")}).out, predict("few.jsonl", {}).out);
}

TEST_F(Shards, BadRowsKeepTheirPlaces) {
  std::string table = "smiles\n";
  for (int i = 0; i < 600; ++i) table += i % 7 == 0 ? "C1CC(\n" : "\"CCO\"\n";
  write_text(place("molecules.csv"), table);
  write_text(place("train.csv"), "smiles,y\nCCO,0\nCC,1\nCCC,0\nCCN,1\nCO,0\nCN,1\nCCCC,0\nc1ccccc1,1\nCF,0\nCCl,1\n");
  const ProgramResult trained =
      run_agentnet({"train", place("train.csv"), "--target", "y", "--hidden", "4", "--agents", "2", "--steps", "3",
                    "--epochs", "1", "--split", "random:0.6,0.2,0.2", "-o", place("molecules")});
  if (trained.exit_code != 0) GTEST_SKIP() << "this build reads no SMILES strings";
  const std::string model = place("molecules/model.safetensors"), data = place("molecules.csv");
  const ProgramResult whole = run_agentnet({"predict", model, data, "--draws", "row"});
  for (const char* shard : {"1/2", "2/2"}) {
    const ProgramResult made =
        run_agentnet({"predict", model, data, "--draws", "row", "--shard", shard, "-o", place("bad")});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_THAT(made.err, HasSubstr(std::string(shard) == "1/2" ? " of 344 rows" : " of 256 rows"));
  }
  EXPECT_TRUE(run_agentnet({"gather", place("bad")}).out == whole.out);
}

TEST_F(Shards, APartIsMadeOnce) {
  ASSERT_EQ(part("once", "1/2").exit_code, 0);
  const std::string before = read_text(place("once/part-1-of-2.csv"));
  const ProgramResult again = part("once", "1/2");
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.err, HasSubstr("part 1 of 2 is complete already"));
  const ProgramResult other = part("once", "1/2", {"--seed", "3"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("is of another prediction"));
  EXPECT_EQ(part("once", "1/2", {"--seed", "3", "--force"}).exit_code, 0);
  EXPECT_NE(read_text(place("once/part-1-of-2.csv")), before);
  // A part whose program died has no record, or half a file.
  std::filesystem::resize_file(place("once/part-1-of-2.csv"), 10);
  EXPECT_EQ(part("once", "1/2", {"--seed", "3"}).exit_code, 0);
  EXPECT_GT(std::filesystem::file_size(place("once/part-1-of-2.csv")), 10U);
}

TEST_F(Shards, GatherSeesWhatIsMissingOrDoesNotBelong) {
  EXPECT_EQ(run_agentnet({"gather", place("nothing")}).exit_code, 3);
  for (const char* shard : {"1/4", "3/4"}) ASSERT_EQ(part("some", shard).exit_code, 0);
  const ProgramResult missing = run_agentnet({"gather", place("some")});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("2 of 4 parts are missing: 2/4, 4/4"), HasSubstr("--shard 2/4")));
  ASSERT_EQ(part("some", "2/4").exit_code, 0);
  ASSERT_EQ(part("some", "4/4", {"--seed", "1"}).exit_code, 0);
  const ProgramResult mixed = run_agentnet({"gather", place("some")});
  EXPECT_EQ(mixed.exit_code, 3);
  EXPECT_THAT(mixed.err, HasSubstr("parts 1 and 4 are of different predictions: they differ in seed (0 and 1)"));
  ASSERT_EQ(part("some", "4/4", {"--force"}).exit_code, 0);
  EXPECT_EQ(run_agentnet({"gather", place("some")}).exit_code, 0);

  std::string text = read_text(place("some/part-2-of-4.csv"));
  text[text.size() - 5] = text[text.size() - 5] == '1' ? '2' : '1';
  write_text(place("some/part-2-of-4.csv"), text);
  const ProgramResult damaged = run_agentnet({"gather", place("some"), "-o", place("damaged.csv")});
  EXPECT_EQ(damaged.exit_code, 3);
  EXPECT_THAT(damaged.err, HasSubstr("its checksum does not match"));
  EXPECT_FALSE(std::filesystem::exists(place("damaged.csv")));
  std::filesystem::resize_file(place("some/part-2-of-4.csv"), 100);
  EXPECT_THAT(run_agentnet({"gather", place("some")}).err, HasSubstr("bytes that its record says"));
  ASSERT_EQ(part("some", "1/3").exit_code, 0);
  EXPECT_THAT(run_agentnet({"gather", place("some")}).err, HasSubstr("parts of"));
}

TEST_F(Shards, WhatMakesNoSenseIsRefused) {
  for (const char* shard : {"0/3", "4/3", "3", "/3", "1/", "1/0", "a/b", "1/2/3", "-1/3", "1/10000000"}) {
    EXPECT_EQ(part("wrong", shard).exit_code, 2) << shard;
  }
  EXPECT_EQ(predict("data.jsonl", {"--shard", "1/2"}).exit_code, 2) << "no folder";
  EXPECT_EQ(
      run_agentnet({"predict", place("run/model.safetensors"), "-", "--shard", "1/2", "-o", place("w")}).exit_code, 2);
}

}  // namespace
}  // namespace agentnet
