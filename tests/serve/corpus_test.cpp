// The inputs of the fuzzer, once.
#include <gtest/gtest.h>

#include <filesystem>
#include <span>

#include "serve_property.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

TEST(Serving, HoldsUnderTheInputsOfTheFuzzer) {
  int inputs = 0;
  for (const char* folder : {"corpus", "regressions"}) {
    const auto path = std::filesystem::path(AGENTNET_FUZZ_DIR) / folder / "fuzz_serve";
    if (!std::filesystem::is_directory(path)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      const std::string bytes = read_text(entry.path());
      EXPECT_NO_THROW(check_serving(std::as_bytes(std::span(bytes)))) << entry.path();
      ++inputs;
    }
  }
  EXPECT_GE(inputs, 20);
}

}  // namespace
}  // namespace agentnet
