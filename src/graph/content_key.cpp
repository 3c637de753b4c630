#include "graph/content_key.h"

#include <cstring>

#include "core/files/mapped_file.h"
#include "graph/wl_hash.h"

namespace agentnet {
namespace {

constexpr std::uint64_t kKeyBits = 48;
constexpr std::uint64_t kSampledNodes = 8;

// One element of an array that may lie in a mapped file, which is copied from instead of touched (MappedFile::read).
template <class T>
T element(const GraphView& graph, const T* array, std::uint64_t i) {
  const T* const at = array + i;
  if (graph.file != nullptr) {
    const std::span<const std::byte> file = graph.file->bytes();
    const auto address = reinterpret_cast<std::uintptr_t>(at), begin = reinterpret_cast<std::uintptr_t>(file.data());
    if (address >= begin && address < begin + file.size()) {
      T value;
      graph.file->read(at, sizeof value, &value);
      return value;
    }
  }
  return *at;
}

std::uint64_t first_neighbour(const GraphView& graph, std::uint64_t entry) {
  return graph.wide_neighbours != nullptr ? element(graph, graph.wide_neighbours, entry)
                                          : element(graph, graph.neighbours, entry);
}

std::uint64_t sampled_hash(const GraphView& graph) {
  const std::uint64_t edges = graph.num_edges();
  std::uint64_t hash = combine_hashes(graph.num_nodes, edges);
  for (std::uint64_t i = 0; i < kSampledNodes; ++i) {
    const std::uint64_t node = graph.num_nodes / kSampledNodes * i;
    const std::uint64_t first = element(graph, graph.offsets, node), last = element(graph, graph.offsets, node + 1);
    hash = combine_hashes(hash, last - first);
    if (first < last && first < edges) hash = combine_hashes(hash, first_neighbour(graph, first));
  }
  return hash;
}

class ContentKeys {
 public:
  std::uint64_t operator()(const GraphView& graph) {
    // The number of entries is looked at last: it lies at the far end of what may be a file.
    const bool whole = graph.wide_neighbours == nullptr && graph.num_nodes <= kWholeGraph &&
                       graph.num_nodes + graph.num_edges() <= kWholeGraph;
    const std::uint64_t hash = whole ? hasher_(graph) : sampled_hash(graph);
    return hash >> (64 - kKeyBits);
  }

 private:
  WlHasher hasher_{2};  // rounds
};

}  // namespace

std::uint64_t content_key(const GraphView& graph) { return ContentKeys()(graph); }

std::vector<std::uint64_t> content_keys(std::span<const GraphView> graphs) {
  ContentKeys key;
  std::vector<std::uint64_t> keys;
  keys.reserve(graphs.size());
  for (const GraphView& graph : graphs) keys.push_back(key(graph));
  return keys;
}

}  // namespace agentnet
