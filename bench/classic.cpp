// Weisfeiler-Lehman features of whole sets: labels, vocabulary and rows, on one thread and on two.
//
//   bench_classic
//
// NCI1 and REDDIT-BINARY to depth 5, and the environments of ECFP4 of the molecules of ogbg_molhiv, from the shared
// folder (AGENTNET_SHARED_DIR, or `shared` beside the source tree); skips what is not there. Reading the data is not
// timed.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "agentnet/data.h"
#include "classic/features/wl_table.h"

namespace agentnet {
namespace {

std::filesystem::path shared_data() {
  const char* named = std::getenv("AGENTNET_SHARED_DIR");
  const auto shared = named != nullptr && *named != '\0'
                          ? std::filesystem::path(named)
                          : std::filesystem::path(AGENTNET_SOURCE_DIR).parent_path() / "shared";
  return shared / "data";
}

struct Cost {
  double seconds = 0, processor = 0;  // by the clock, and of all threads together
};

template <class F>
Cost cost_of(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t before = std::clock();
  f();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC};
}

void run(const char* name, const std::filesystem::path& path, int depth) {
  if (!std::filesystem::exists(path)) {
    fmt::print("{}: skipped, there is no {}\n", name, path.string());
    return;
  }
  DataOptions options;
  options.threads = 2;
  const Dataset data = read_data(path.string(), options);
  std::vector<std::size_t> all(data.graphs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const LabelColumns columns = ecfp_columns(data.schema)
                                   .value_or(LabelColumns::all(static_cast<int>(data.schema.nodes.categories.size()),
                                                               static_cast<int>(data.schema.edges.categories.size())));
  for (const int threads : {1, 2}) {
    ThreadPool pool(threads);
    std::size_t distinct = 0;
    const Cost cost = cost_of([&] {
      const auto labels = labels_of(data.graphs, all, depth, columns, LabelCounts::kSubtree, pool);
      const WlVocabulary vocabulary = WlVocabulary::of(labels, 1, kMostLabels);
      SparseRows rows;
      std::vector<SparseEntry> row;
      for (const GraphLabels& graph : labels) {
        row.clear();
        vocabulary.encode(graph, row);
        rows.add(row);
      }
      distinct = vocabulary.columns();
    });
    fmt::print("{:<14} {:>7} graphs  depth {}  {:>8} labels  {} threads {:>7.2f} s, processor {:>6.2f} s\n", name,
               data.graphs.size(), depth, distinct, threads, cost.seconds, cost.processor);
  }
}

}  // namespace
}  // namespace agentnet

int main() {
  const auto data = agentnet::shared_data();
  agentnet::run("NCI1", data / "NCI1" / "NCI1.txt.xz", 5);
  agentnet::run("REDDIT-BINARY", data / "REDDIT-BINARY" / "REDDIT-BINARY.txt.xz", 5);
  agentnet::run("ogbg_molhiv", data / "ogbg_molhiv" / "mapping" / "mol.csv.gz", 2);
}
