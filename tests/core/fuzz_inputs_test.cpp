// Replays the inputs kept in fuzz/ without a fuzzer.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/files/mapped_file.h"
#include "safetensors_property.h"

namespace agentnet {
namespace {

std::vector<std::filesystem::path> inputs(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  const auto path = std::filesystem::path(AGENTNET_FUZZ_DIR) / folder / "fuzz_safetensors";
  if (!std::filesystem::is_directory(path)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  return files;
}

TEST(FuzzInputs, SeedsOfTheSafetensorsReaderHold) {
  int good = 0, bad = 0;
  for (const auto& path : inputs("corpus")) {
    SCOPED_TRACE(path.filename());
    const MappedFile file = MappedFile::open(path);
    EXPECT_NO_THROW(++(check_safetensors(file.bytes()) ? good : bad));
  }
  // Both sides of the reader get a start.
  EXPECT_GE(good, 5);
  EXPECT_GE(bad, 5);
}

TEST(FuzzInputs, FormerFailuresOfTheSafetensorsReaderStayFixed) {
  for (const auto& path : inputs("regressions")) {
    SCOPED_TRACE(path.filename());
    const MappedFile file = MappedFile::open(path);
    EXPECT_NO_THROW(check_safetensors(file.bytes()));
  }
}

}  // namespace
}  // namespace agentnet
