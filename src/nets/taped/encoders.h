// Nodes and edges as rows of one width: the embeddings of their categories plus a linear map of their numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nets/taped/formula.h"
#include "nn/parameters.h"

namespace agentnet {

// How networks with tables want the features, with and without those of edges.
inline constexpr FeatureWish kTables{.one_hot_nodes = false, .one_hot_edges = false, .edges = true};

// NAME.0.weight, NAME.1.weight, ... [vocabulary, width], started as PyTorch's embeddings are; NAME.numbers.weight and
// .bias where there are columns of numbers.
inline void add_encoder(ParameterLayout& layout, const std::string& name, const std::vector<int>& vocabularies,
                        int numbers, CheckedSize width) {
  for (std::size_t j = 0; j < vocabularies.size(); ++j) {
    layout.add_table(name + "." + std::to_string(j), static_cast<std::uint64_t>(vocabularies[j]), width);
  }
  if (numbers > 0) layout.add_torch_linear(name + ".numbers", width, static_cast<std::uint64_t>(numbers));
}

// [N, width] of what add_encoder() made.
template <class S>
tape::Value<S> encode_nodes(Formula<S>& f, const std::string& name, Index width) {
  tape::Value<S> h;
  if (!f.graphs().node_categories().empty()) h = f.node_tables(name + ".", width);
  if (f.graphs().node_columns() == 0) return h;
  const tape::Value<S> numbers = f.linear(f.nodes(), name + ".numbers");
  return h ? h + numbers : numbers;
}

// [E, width]; nothing where edges have no features.
template <class S>
tape::Value<S> encode_edges(Formula<S>& f, const std::string& name, Index width, const DataShape& shape) {
  tape::Value<S> e;
  if (!shape.edge_categories.empty()) e = f.edge_tables(name + ".", width);
  if (f.graphs().edge_columns() == 0) return e;
  const tape::Value<S> numbers = f.linear(f.edges(), name + ".numbers");
  return e ? e + numbers : numbers;
}

}  // namespace agentnet
