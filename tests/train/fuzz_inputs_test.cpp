// Replays the inputs kept in fuzz/ for models, checkpoints and options without a fuzzer.
#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/files/mapped_file.h"
#include "model_property.h"
#include "options_property.h"

namespace agentnet {
namespace {

struct Target {
  const char* name;
  bool (*check)(std::span<const std::byte>);
};

std::vector<std::filesystem::path> inputs(const std::string& folder, const std::string& target) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(AGENTNET_FUZZ_DIR) / folder / target)) {
    files.push_back(entry.path());
  }
  return files;
}

class FuzzInputs : public ::testing::TestWithParam<Target> {};

TEST_P(FuzzInputs, SeedsHold) {
  int good = 0, bad = 0;
  for (const auto& path : inputs("corpus", GetParam().name)) {
    SCOPED_TRACE(path.filename());
    const MappedFile file = MappedFile::open(path);
    bool accepted = false;
    EXPECT_NO_THROW(accepted = GetParam().check(file.bytes()));
    // Seeds are named after what they are.
    EXPECT_EQ(accepted, !path.filename().string().starts_with("bad_"));
    ++(accepted ? good : bad);
  }
  EXPECT_GE(good, 2);
  EXPECT_GE(bad, 2);
}

TEST_P(FuzzInputs, FormerFailuresStayFixed) {
  int files = 0;
  for (const auto& path : inputs("regressions", GetParam().name)) {
    SCOPED_TRACE(path.filename());
    const MappedFile file = MappedFile::open(path);
    bool accepted = true;
    EXPECT_NO_THROW(accepted = GetParam().check(file.bytes()));
    EXPECT_FALSE(accepted);  // so far, all of them are attacks
    ++files;
  }
  EXPECT_GE(files, 1);
}

INSTANTIATE_TEST_SUITE_P(Train, FuzzInputs,
                         ::testing::Values(Target{"fuzz_model", check_model},
                                           Target{"fuzz_checkpoint", check_checkpoint},
                                           Target{"fuzz_options", check_options}),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

}  // namespace
}  // namespace agentnet
