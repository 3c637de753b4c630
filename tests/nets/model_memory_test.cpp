// What a model file costs before and after it is found to be good: counted in bytes, not in seconds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "agentnet/config.h"
#include "agentnet/error.h"
#include "agentnet/model.h"
#include "core/files/checksum.h"
#include "core/files/safetensors.h"
#include "support/temp_folder.h"

namespace {
std::atomic<std::size_t> allocated{0};  // since the last look, whether freed or not
}  // namespace

// This program's own: counts and passes on. Not inlined: gcc would take malloc and delete for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocated += size;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace agentnet {
namespace {

using testing::HasSubstr;

// The file of a small model whose config says something else, with a checksum that fits.
void write_claim(const std::filesystem::path& path, const std::string& from, const std::string& to) {
  AgentNetConfig config;
  config.hidden = 8;
  Model(config, 1).save(path);
  const SafetensorsFile good = SafetensorsFile::open(path);
  std::map<std::string, std::string> metadata = good.metadata();
  std::string& text = metadata["agentnet.config"];
  text.replace(text.find(from), from.size(), to);
  std::vector<TensorData> tensors;
  for (const TensorInfo& t : good.tensors()) tensors.push_back({t.name, t.dtype, t.shape, t.data});
  Checksum sum;
  for (const char* key : {"agentnet.format", "agentnet.kind", "agentnet.config", "agentnet.card"}) {
    sum.update(std::as_bytes(std::span(metadata[key].c_str(), metadata[key].size() + 1)));
  }
  sum.update(good.payload());
  metadata["agentnet.checksum"] = sum.hex();
  const auto bytes = serialize_safetensors(tensors, metadata);
  write_text(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// 11 kB that claimed a hidden size of 512 and a width of 64 took 6.1 GB and 39 s to be refused.
TEST(ModelMemory, AFileThatClaimsMuchIsRefusedBeforeMemoryIsTaken) {
  const TempFolder folder;
  const std::string sizes = "\"hidden\":8,\"agents\":16,\"steps\":8,\"width\":2";
  const std::string outputs = "\"outputs\":2";
  for (const auto& [from, claim] : std::vector<std::pair<std::string, std::string>>{
           {sizes, "\"hidden\":512,\"agents\":16,\"steps\":8,\"width\":64"},
           {sizes, "\"hidden\":8,\"agents\":1000000,\"steps\":8,\"width\":2"},
           {sizes, "\"hidden\":8,\"agents\":16,\"steps\":65535,\"width\":2"},
           {outputs, "\"outputs\":1000000"},
           {sizes, "\"hidden\":4096,\"agents\":16,\"steps\":8,\"width\":64"}}) {
    write_claim(folder / "m", from, claim);
    allocated = 0;
    EXPECT_THROW(static_cast<void>(Model::load(folder / "m")), Error) << claim;
    EXPECT_LT(allocated, std::size_t{1} << 20) << claim;
  }
}

// No weights are drawn and replaced, and none are copied twice.
TEST(ModelMemory, LoadingTakesLittleMoreThanTheWeights) {
  const TempFolder folder;
  AgentNetConfig config;
  config.hidden = 128;
  const Model model(config, 1);
  model.save(folder / "m");
  const std::size_t weights = model.parameters().size_bytes();
  ASSERT_GT(weights, std::size_t{4} << 20);
  allocated = 0;
  const Model back = Model::load(folder / "m");
  EXPECT_LT(allocated, weights + (std::size_t{1} << 20));
}

}  // namespace
}  // namespace agentnet
