// Prediction from mapped files: the same bytes as from memory, and damage is an error.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "data/huge/convert_edges.h"
#include "data/huge/mapped_set.h"
#include "graph/hub_order.h"
#include "graph/set_arrays.h"
#include "graph/set_file.h"
#include "support/model_variants.h"
#include "support/shared_dir.h"
#include "support/small_model.h"
#include "support/temp_folder.h"

namespace agentnet {
namespace {

Dataset mapped_copy(const Dataset& data, const std::filesystem::path& path) {
  static_cast<void>(write_mapped_set(data, path));
  return read_data(path.string(), {});
}

void expect_same_predictions(const Model& model, const Dataset& memory, const Dataset& mapped, int max_neighbours) {
  std::vector<GraphView> a, b;
  for (std::size_t g = 0; g < std::min<std::size_t>(memory.graphs.size(), 200); ++g) {
    a.push_back(memory.graphs.view(g));
    b.push_back(mapped.graphs.view(g));
    ASSERT_NE(b.back().file, nullptr);
  }
  const PredictOptions options = {.rollouts = 2, .seed = 3, .threads = 2, .max_neighbours = max_neighbours};
  const Predictions from_memory = predict(model, a, options), from_file = predict(model, b, options);
  EXPECT_EQ(from_memory.mean, from_file.mean);
  EXPECT_EQ(from_memory.work.nodes_touched, from_file.work.nodes_touched);
  EXPECT_EQ(from_memory.work.bytes_read, 0U);
  EXPECT_GT(from_file.work.pages_read, 0U);
}

TEST(HugeGraph, EverySyntheticSetPredictsTheSameFromItsFile) {
  const TempFolder folder;
  for (const char* name : {"4cycles?graphs=12", "csl?graphs=12", "2wl?graphs=12", "ladder?nodes=64&graphs=12",
                           "motif?graphs=12", "trees?graphs=4"}) {
    SCOPED_TRACE(name);
    const Dataset memory = read_data(std::string("synthetic:") + name, {});
    const Dataset mapped = mapped_copy(memory, folder / (std::to_string(std::hash<std::string>{}(name)) + ".agentset"));
    const Model model = small_model(memory.schema);
    for (const int most : {0, 2}) expect_same_predictions(model, memory, mapped, most);
  }
}

TEST(HugeGraph, EverySharedSetPredictsTheSameFromItsFile) {
  const auto shared = shared_dir();
  if (!shared) GTEST_SKIP() << kNoSharedDir;
  DataOptions reading;
  reading.threads = 2;
  const TempFolder folder;
  for (const char* name :
       {"MUTAG/TU", "PROTEINS/TU", "PTC/PTC.txt.xz", "IMDB-BINARY/IMDB-BINARY.txt.xz", "IMDB-MULTI/IMDB-MULTI.txt.xz",
        "DD/DD.txt.xz", "REDDIT-BINARY/REDDIT-BINARY.txt.xz", "NCI1/NCI1.txt.xz", "COLLAB/COLLAB.txt.xz", "ogbg_molhiv",
        "ZINC/zinc_val.jsonl.gz", "QM9-subset/qm9_3000.jsonl.gz", "GRAPHS/email-Enron.txt.xz",
        "GRAPHS/web-NotreDame.txt.xz", "GRAPHS/ego-Twitter-undirected.txt.xz"}) {
    SCOPED_TRACE(name);
#ifdef AGENTNET_SANITIZED
    if (std::string_view(name) != "MUTAG/TU" && std::string_view(name) != "PTC/PTC.txt.xz") continue;  // takes long
#endif
    const auto path = *shared / "data" / name;
    if (!std::filesystem::exists(path)) continue;
    const Dataset memory = read_data(path.string(), reading);
    const Dataset mapped = mapped_copy(memory, folder / "set.agentset");
    Schema schema = memory.schema;
    if (schema.task == Task::kNone) {  // a single graph without a label: any classes will do
      schema.task = Task::kClassification;
      schema.targets = {"class"};
      schema.classes = {"a", "b"};
    }
    const Model model = small_model(schema);
    for (const int most : {0, 5}) expect_same_predictions(model, memory, mapped, most);
  }
}

TEST(HugeGraph, EveryVariantOfTheModelRunsTheSameFromItsFile) {
  const TempFolder folder;
  for (const ModelVariant& variant : model_variants()) {
    SCOPED_TRACE(variant.name);
    GraphSet memory;
    for (const std::uint32_t n : {3U, 9U, 14U}) memory.add(Graph(messy_graph(variant.config, n, n)), {});
    write_set_file(folder / "set", memory, "{}");
    const SetFile mapped = open_set_file(folder / "set");
    const Model model(variant.config, 5);
    for (const int most : {0, 2}) {
      RunOptions options;
      options.greedy = variant.greedy;
      options.max_neighbours = most;
      EXPECT_EQ(model.run(memory.views(), options), model.run(mapped.graphs.views(), options));
    }
  }
}

// Files above 16 MB are copied from instead of mapped in.
constexpr std::uintmax_t kCopied = std::uintmax_t{1} << 24;

TEST(HugeGraph, ThatIsCopiedFromPredictsTheSameAsFromMemory) {
  const TempFolder folder;
  const Dataset memory = read_data("synthetic:ladder?nodes=200000&graphs=6", {});
  const Dataset mapped = mapped_copy(memory, folder / "set.agentset");
  ASSERT_GT(std::filesystem::file_size(folder / "set.agentset"), kCopied);
  const Model model = small_model(memory.schema);
  for (const int most : {0, 2}) expect_same_predictions(model, memory, mapped, most);
}

// A hub with all others around it, in a ring, and labels: shuffled list, labels beside the neighbours, sampled or not.
TEST(HugeGraph, OfAHubWithLabelsPredictsTheSameAsFromMemory) {
  constexpr int kOthers = 700000;
  const TempFolder folder;
  std::string edges, labels = "0 hub\n";
  for (int i = 1; i <= kOthers; ++i) {
    edges += "0 " + std::to_string(i) + "\n" + std::to_string(i) + " " + std::to_string(i % kOthers + 1) + "\n";
    labels += std::to_string(i) + (i % 3 == 0 ? " a\n" : " b\n");
  }
  write_text(folder / "edges.txt", edges);
  write_text(folder / "labels.txt", labels);
  ConvertEdges convert;
  convert.node_labels = folder / "labels.txt";
  convert.label = "x";
  static_cast<void>(convert_edge_list(Input::open(folder / "edges.txt"), folder / "hub.graph", convert));
  ASSERT_GT(std::filesystem::file_size(folder / "hub.graph"), kCopied);
  const Dataset mapped = read_data(folder / "hub.graph", {});
  ASSERT_NE(mapped.graphs.view(0).labels, nullptr);
  ASSERT_EQ(mapped.graphs.view(0).hubs.nodes.size(), 1U);
  Dataset memory;
  memory.schema = mapped.schema;
  const std::size_t first = 0;
  memory.graphs = mapped.graphs.subset({&first, 1});  // a copy, without what only files have
  ASSERT_EQ(memory.graphs.view(0).labels, nullptr);
  Schema schema = mapped.schema;
  schema.classes = {"x", "y"};
  const Model model = small_model(schema);
  for (const int most : {0, 7, 64}) expect_same_predictions(model, memory, mapped, most);
  const Predictions sampled = predict(model, mapped.graphs.views(), {.max_neighbours = 64});
  EXPECT_LT(sampled.work.pages_read, 60U) << "a page or two for each node that an agent stood on";
}

class DamagedSet : public testing::Test {
 protected:
  DamagedSet()
      : memory_(read_data("synthetic:ladder?nodes=2000&graphs=4", {})),
        mapped_(mapped_copy(memory_, path_)),
        model_(small_model(memory_.schema)) {}

  // Overwrites part of the file in place, below the mapping.
  void overwrite(std::uint64_t at, std::uint64_t bytes) const {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    for (std::uint64_t i = 0; i < bytes; ++i) file.put('\xee');
  }
  void expect_error() const {
    try {
      static_cast<void>(predict(model_, mapped_.graphs.views(), {.rollouts = 2}));
      ADD_FAILURE() << "no exception";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kData) << error.what();
    }
  }

  TempFolder folder_;
  std::filesystem::path path_ = folder_ / "set.agentset";
  Dataset memory_, mapped_;
  Model model_;
};

TEST_F(DamagedSet, CutUnderneathItIsAnError) {
  std::filesystem::resize_file(path_, 8192);
  expect_error();
}

TEST_F(DamagedSet, OverwrittenUnderneathItIsAnErrorWhereverThatIs) {
  const std::uint64_t size = std::filesystem::file_size(path_);
  for (std::uint64_t at = 4096; at + 4096 <= size; at += 4096) overwrite(at, 4096);
  expect_error();
}

TEST(HugeGraph, ThatIsDamagedIsAnErrorInEveryPage) {
  const TempFolder folder;
  const Dataset memory = read_data("synthetic:motif?graphs=40", {});
  const Model model = small_model(memory.schema);
  static_cast<void>(write_mapped_set(memory, folder / "good.agentset"));
  const std::uint64_t size = std::filesystem::file_size(folder / "good.agentset");
  int errors = 0;
  for (std::uint64_t at = 4096; at < size; at += 4096) {
    std::filesystem::copy_file(folder / "good.agentset", folder / "bad.agentset",
                               std::filesystem::copy_options::overwrite_existing);
    {
      std::fstream file(folder / "bad.agentset", std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(at));
      for (int i = 0; i < 4096; ++i) file.put('\xee');
    }
    // Opened without a check of the whole, as a huge file is: whatever the page held, there is no crash.
    try {
      const Dataset mapped = read_data((folder / "bad.agentset").string(), {});
      static_cast<void>(predict(model, mapped.graphs.views(), {.rollouts = 1}));
    } catch (const Error& error) {
      EXPECT_EQ(exit_code(error.kind()), error.kind() == ErrorKind::kMismatch ? 4 : 3) << error.what();
      ++errors;
    }
  }
  EXPECT_GT(errors, 2);
}

}  // namespace
}  // namespace agentnet
