// What DS and DSS share: options, the encoding of nodes, and the convolutions on a bag or on the graphs themselves.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "nets/esan/batch_bags.h"
#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {

enum class EsanConv { kGin, kZinc, kMol };

struct EsanOptions {
  EsanConv conv = EsanConv::kGin;
  int layers = 4;
  int hidden = 32;
  BagPolicy policy = BagPolicy::kEgoNetsPlus;
  int hops = 2;
  double fraction = 1;
  int degree = 0;
  bool published_self_loops = false;
};

template <>
inline constexpr std::array option_names<EsanConv> = std::to_array<std::string_view>({"gin", "zinc", "mol"});
template <>
inline constexpr std::array option_names<BagPolicy> = std::to_array<std::string_view>({"edge-deleted", "node-deleted",
                                                                                       "ego-nets", "ego-nets-plus"});

inline constexpr auto kVisitEsan = [](auto& o, const auto& f) {
  f("conv", o.conv, kAnyValue, "GIN without edge features, or that for ZINC or for OGB's molecules, which read them");
  f("layers", o.layers, OptionRange{1, 256}, "convolutions");
  f("hidden", o.hidden, OptionRange{1, 4096}, "width of the node states");
  f("policy", o.policy, kAnyValue, "which subgraphs a graph becomes");
  f("hops", o.hops, OptionRange{1, 1024}, "of ego nets");
  f("fraction", o.fraction, OptionRange{1e-9, 1}, "the share of the subgraphs that is drawn in every run");
  f("degree", o.degree, OptionRange{0, 4096},
    "nodes have their degree in the subgraph as a category, up to this one; 0: they do not");
  f("published_self_loops", o.published_self_loops, kAnyValue,
    "where edges are deleted, features of self loops count twice, as in the published code");
};

template <class S>
class Esan : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  [[nodiscard]] FeatureWish wish() const override {
    const bool tables = o_.conv != EsanConv::kGin;
    return {.one_hot_nodes = !tables, .one_hot_edges = !tables, .edges = tables};
  }
  [[nodiscard]] bool draws() const override { return o_.fraction < 1; }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override { return {{{"final_layers.2"}, 1}}; }
  [[nodiscard]] double numbers_of(const GraphView& graph) const override;
  [[nodiscard]] double recorded_bytes(const GraphView& graph) const override;

 protected:
  Esan(const EsanOptions& options, NetworkConfig config);

  // The tables and layers that encode nodes; to be called once.
  void add_encoder();
  void add_conv(const std::string& name, std::uint64_t in);
  // final_layers.0 [2 c, c], final_layers.2 [C, 2 c].
  void add_final_layers(std::uint64_t channels);

  [[nodiscard]] BagWish bag_wish() const;
  // Columns of what the first convolution reads.
  [[nodiscard]] std::uint64_t encoded_width() const;
  // [M, encoded_width()]
  [[nodiscard]] Value encode(Formula<S>& f, const BatchBags<S>& bags) const;
  // On the edges of the subgraphs, and on those of the graphs: [M, hidden], [N, hidden].
  [[nodiscard]] Value convolve_bags(Formula<S>& f, Value z, const BatchBags<S>& bags, const std::string& name) const;
  [[nodiscard]] Value convolve_graphs(Formula<S>& f, Value z, const std::string& name) const;
  [[nodiscard]] Value read(Formula<S>& f, Value graphs) const;
  [[nodiscard]] std::string bag_words() const;

  EsanOptions o_;

 private:
  [[nodiscard]] bool has_node_features() const;
  [[nodiscard]] std::uint64_t base_width() const;
  [[nodiscard]] double copies_of(const GraphView& graph) const;
  void add_tables(const std::string& prefix, const std::vector<int>& vocabularies, std::uint64_t width);
  [[nodiscard]] Value edge_features(Formula<S>& f, const std::string& name, Index width,
                                    std::span<const Index> self_loops) const;
  [[nodiscard]] Value mlp(Formula<S>& f, Value z, const std::string& name) const;
};

extern template class Esan<float>;
extern template class Esan<double>;

}  // namespace agentnet
