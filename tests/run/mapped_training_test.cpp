// Training from a mapped file: the same weights as from memory, and memory for the shards, not for the set.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <numeric>
#include <string>

#include "agentnet/train.h"
#include "data/huge/huge_sets.h"
#include "data/huge/mapped_set.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

Split all_for_training(const Dataset& data) {
  Split split;
  split.train.resize(data.graphs.size());
  std::iota(split.train.begin(), split.train.end(), std::size_t{0});
  return split;
}

AgentNetConfig small_config(int max_neighbours) {
  AgentNetConfig config;
  config.hidden = 8;
  config.agents = 3;
  config.steps = 3;
  config.max_neighbours = max_neighbours;
  return config;
}

TrainConfig short_training() {
  TrainConfig config;
  config.epochs = 2;
  config.batch = 4;
  return config;
}

std::vector<float> trained_weights(const Dataset& data, int max_neighbours) {
  const TrainResult result = train(data, all_for_training(data), small_config(max_neighbours), short_training(), 2);
  return {result.model.parameters().begin(), result.model.parameters().end()};
}

TEST(MappedTraining, EndsWithTheSameWeightsAsFromMemory) {
  const TempFolder folder;
  for (const char* name : {"motif?graphs=10", "ladder?nodes=64&graphs=10"}) {
    SCOPED_TRACE(name);
    const Dataset memory = read_data(std::string("synthetic:") + name, {});
    static_cast<void>(write_mapped_set(memory, folder / "set.agentset"));
    const Dataset mapped = read_data(folder / "set.agentset", {});
    EXPECT_EQ(trained_weights(mapped, 0), trained_weights(memory, 0));
    EXPECT_EQ(trained_weights(mapped, 2), trained_weights(memory, 2));
    EXPECT_NE(trained_weights(memory, 2), trained_weights(memory, 0));
  }
}

#ifndef AGENTNET_SANITIZED  // shadow memory would be counted
double resident_megabytes() {
  std::ifstream status("/proc/self/statm");
  double total = 0, resident = 0;
  status >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

TEST(MappedTraining, TakesMemoryForTheShardsNotForTheSet) {
  const TempFolder folder;
  static_cast<void>(write_huge_set("big-ladder?nodes=1e6&graphs=8&seed=1", folder / "set.graph", {}));
  const double file = static_cast<double>(std::filesystem::file_size(folder / "set.graph")) / (1 << 20);
  const Dataset data = read_data(folder / "set.graph", {});
  ASSERT_GT(file, 150);
  static_cast<void>(trained_weights(data, 0));  // what the program needs in any case
  const double before = resident_megabytes();
  TrainConfig config = short_training();
  config.epochs = 10;
  static_cast<void>(train(data, all_for_training(data), small_config(0), config, 2));
  EXPECT_LT(resident_megabytes() - before, 20) << "of a file of " << file << " MB";
}
#endif

}  // namespace
}  // namespace agentnet
