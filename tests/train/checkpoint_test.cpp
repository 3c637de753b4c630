#include "train/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/files/checksum.h"
#include "core/files/safetensors.h"
#include "support/faulty_files.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Checkpoint example(float x) {
  Checkpoint c;
  c.snapshot.now = {{x, 1.5F}, {0.25F, -0.0F}, {1e-30F, 3}, {0.5F, x, 7}, 17};
  c.snapshot.epoch_start = {{x - 1, 2}, {1, 2}, {3, 4}, {1, 2, 3}, 12};
  c.snapshot.best = {9, x};
  c.snapshot.best_buffers = {x, 5, 6};
  c.snapshot.epoch = 3;
  c.snapshot.step = 5;
  c.snapshot.loss_sum = 0.1 + 0.2;  // no short decimal
  c.snapshot.norm_sum = 1e300;
  c.snapshot.rate_factor = 0.1;
  c.snapshot.retried = true;
  c.snapshot.evaluations = 2;
  c.snapshot.since_best = 1;
  c.snapshot.since_plateau = 4;
  c.snapshot.best_metric = 1.0 / 3;
  c.snapshot.best_tie_break = 2.0 / 3;
  c.snapshot.best_epoch = 2;
  c.snapshot.out_of_patience = true;
  c.seconds = 12.25;
  c.run = "settings x, data y";
  return c;
}

TEST(Checkpoint, ReadsBackBitForBit) {
  const TempFolder folder;
  for (const bool evaluated : {false, true}) {
    Checkpoint c = example(1.1F);
    if (!evaluated) {
      c.snapshot.best.clear();
      c.snapshot.best_metric = c.snapshot.best_tie_break = std::nan("");
    }
    write_checkpoint(folder / "c", c, FileSystem::real());
    const Checkpoint back = read_checkpoint(folder / "c");
    EXPECT_EQ(back.snapshot, c.snapshot);
    EXPECT_EQ(back.seconds, c.seconds);
    EXPECT_EQ(back.run, c.run);
  }
}

TEST(Checkpoint, TheNewestOfTwoCounts) {
  const TempFolder folder;
  CheckpointFolder checkpoints(folder / "checkpoint");
  EXPECT_FALSE(checkpoints.load().has_value());
  for (int i = 1; i <= 5; ++i) {
    checkpoints.save(example(static_cast<float>(i)));
    const auto newest = CheckpointFolder(folder / "checkpoint").load();
    ASSERT_TRUE(newest.has_value());
    EXPECT_EQ(newest->snapshot.now.parameters[0], static_cast<float>(i));
    EXPECT_EQ(newest->number, static_cast<std::uint64_t>(i));
  }
}

TEST(Checkpoint, ADamagedOneIsNamedAndTheOneBeforeItUsed) {
  const TempFolder folder;
  CheckpointFolder checkpoints(folder / "checkpoint");
  checkpoints.save(example(1));
  checkpoints.save(example(2));
  const std::filesystem::path newest = folder / "checkpoint" / "0.safetensors";
  std::string bytes = read_text(newest);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    write_text(newest, damaged);
    std::vector<std::string> messages;
    const auto found = CheckpointFolder(folder / "checkpoint").load(&messages);
    ASSERT_TRUE(found.has_value());
    if (messages.empty()) {  // spaces between the header and the tensors mean nothing
      ASSERT_EQ(found->snapshot, example(2).snapshot) << "byte " << at;
      continue;
    }
    ASSERT_THAT(messages, ElementsAre(HasSubstr("0.safetensors"))) << "byte " << at;
    ASSERT_EQ(found->snapshot, example(1).snapshot) << "byte " << at;
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, bytes.size() / 2, bytes.size() - 1}) {
    write_text(newest, bytes.substr(0, length));
    EXPECT_EQ(CheckpointFolder(folder / "checkpoint").load()->snapshot, example(1).snapshot);
  }
}

// To begin anew would destroy what the other version can go on with.
TEST(Checkpoint, OfAnotherVersionIsNoDamage) {
  const TempFolder folder;
  CheckpointFolder(folder / "checkpoint").save(example(1));
  const std::filesystem::path file = folder / "checkpoint" / "1.safetensors";
  std::string bytes = read_text(file);
  const std::string key = "\"agentnet.checkpoint\":\"";
  const std::size_t at = bytes.find(key);
  ASSERT_NE(at, std::string::npos);
  bytes[at + key.size()] = '1';
  write_text(file, bytes);
  try {
    static_cast<void>(CheckpointFolder(folder / "checkpoint").load());
    FAIL() << "was taken for damaged";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kMismatch);
    EXPECT_THAT(e.what(), HasSubstr("checkpoint format 1, of another version"));
  }
}

TEST(Checkpoint, WhateverCallFailsTheLastGoodOneStays) {
  const TempFolder folder;
  FaultyFiles counting;
  {
    CheckpointFolder checkpoints(folder / "count", counting);
    checkpoints.save(example(1));
  }
  const auto calls = static_cast<int>(counting.calls.size());
  ASSERT_GT(calls, 4);
  for (int n = 0; n < calls; ++n) {
    const std::filesystem::path place = folder / ("run" + std::to_string(n));
    CheckpointFolder(place).save(example(1));
    CheckpointFolder(place).save(example(2));
    FaultyFiles faulty(n, ENOSPC);
    try {
      CheckpointFolder(place, faulty).save(example(3));
      // Closing a folder that was only read from loses nothing.
      EXPECT_EQ(counting.calls[static_cast<std::size_t>(n)], "close") << "call " << n << " failed and nobody noticed";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::kFailure);
    }
    EXPECT_EQ(faulty.descriptors, 0);
    std::vector<std::string> damaged;
    const auto found = CheckpointFolder(place).load(&damaged);
    ASSERT_TRUE(found.has_value());
    EXPECT_THAT(damaged, IsEmpty());
    EXPECT_THAT(found->snapshot.now.parameters[0], testing::AnyOf(2.0F, 3.0F));
  }
}

// A way in which a checkpoint can be bad although its checksum fits: a word of its state and what stands there instead.
struct BadState {
  const char* name;
  const char* from;
  std::string to;
  const char* message;
};

void PrintTo(const BadState& bad, std::ostream* out) { *out << bad.name; }

// The file with that in its state, the checksum of checkpoint.h made anew.
void write_bad_state(const std::filesystem::path& path, const BadState& bad) {
  write_checkpoint(path, example(1), FileSystem::real());
  const std::string bytes = read_text(path);
  const SafetensorsFile file = SafetensorsFile::parse(std::as_bytes(std::span(bytes)), "good");
  std::map<std::string, std::string> metadata = file.metadata();
  std::string& state = metadata["agentnet.state"];
  ASSERT_NE(state.find(bad.from), std::string::npos) << state;
  state.replace(state.find(bad.from), std::string(bad.from).size(), bad.to);
  Checksum sum;
  for (const char* key : {"agentnet.checkpoint", "agentnet.state"}) {
    sum.update(std::as_bytes(std::span(metadata[key].c_str(), metadata[key].size() + 1)));
  }
  sum.update(file.payload());
  metadata["agentnet.checksum"] = sum.hex();
  std::vector<TensorData> tensors;
  for (const TensorInfo& t : file.tensors()) tensors.push_back({t.name, t.dtype, t.shape, t.data});
  write_safetensors(path, tensors, metadata);
}

class BadCheckpoint : public testing::TestWithParam<BadState> {};

TEST_P(BadCheckpoint, IsRefusedWithItsReason) {
  const TempFolder folder;
  write_bad_state(folder / "bad", GetParam());
  try {
    static_cast<void>(read_checkpoint(folder / "bad"));
    FAIL() << "was read";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kData);
    EXPECT_THAT(e.what(), HasSubstr("bad: metadata 'agentnet.state' is not as expected"));
    EXPECT_THAT(e.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, BadCheckpoint,
    testing::Values(BadState{"EpochOf1e300", "\"epoch\":3", "\"epoch\":1e300", "'epoch' is 1e+300, not a whole number"},
                    BadState{"EpochOfAHalf", "\"epoch\":3", "\"epoch\":3.5", "'epoch' is 3.5"},
                    BadState{"NegativeStep", "\"step\":5", "\"step\":-5", "'step' is -5"},
                    BadState{"NoWholeNumber", "\"now_steps\":17", "\"now_steps\":null", "'now_steps' is null"},
                    BadState{"StepAsText", "\"step\":5", "\"step\":\"5\"", "'step' is \"5\""},
                    BadState{"NumberAsFlag", "\"retried\":true", "\"retried\":1", "'retried' is 1"},
                    BadState{"Missing", "\"epoch\":3,", "", "'epoch' is missing"},
                    BadState{"Twice", "\"epoch\":3,", "\"epoch\":3,\"epoch\":4,", "'epoch' is given twice"},
                    BadState{"Nested80000Deep", "\"epoch\":3",
                             "\"epoch\":" + std::string(80'000, '[') + std::string(80'000, ']'), "nested more than"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(Checkpoint, TensorsOfAnotherShapeAreRefused) {
  const TempFolder folder;
  Checkpoint uneven = example(1);
  uneven.snapshot.epoch_start.first_moment.push_back(1);
  write_checkpoint(folder / "c", uneven, FileSystem::real());
  try {
    static_cast<void>(read_checkpoint(folder / "c"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("tensor 'epoch_start.first_moment' has 3 values instead of 2"));
  }
}

TEST(Checkpoint, OtherFilesAreRefused) {
  const TempFolder folder;
  write_text(folder / "text", "not a checkpoint");
  EXPECT_THROW(static_cast<void>(read_checkpoint(folder / "text")), Error);
  Model(AgentNetConfig{}, 0).save(folder / "model");
  try {
    static_cast<void>(read_checkpoint(folder / "model"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kData);
    EXPECT_THAT(e.what(), HasSubstr("this is not a checkpoint"));
  }
}

}  // namespace
}  // namespace agentnet
