#include "nets/gin/gin_mol.h"

#include <fmt/core.h>

#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {
namespace {

enum class MolPooling { kMean, kSum, kMax };

struct GinMolOptions {
  int layers = 5;
  int hidden = 300;
  bool virtual_node = false;
  MolPooling pooling = MolPooling::kMean;
  double dropout = 0.5;
};

}  // namespace

template <>
inline constexpr std::array option_names<MolPooling> = std::to_array<std::string_view>({"mean", "sum", "max"});

namespace {

using tape::Activation;

// Names of OGB's state dict, but for what it does not have: node_encoder and edge_encoder read numbers.
constexpr const char* kAtoms = "gnn_node.atom_encoder.atom_embedding_list.";
constexpr const char* kNumbers = "gnn_node.node_encoder";
std::string conv(int l) { return fmt::format("gnn_node.convs.{}.", l); }
std::string bonds(int l) { return conv(l) + "bond_encoder.bond_embedding_list."; }
std::string norm(int l) { return fmt::format("gnn_node.batch_norms.{}", l); }
std::string virtual_mlp(int l) { return fmt::format("gnn_node.mlp_virtualnode_list.{}.", l); }

template <class S>
class GinMol : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  GinMol(const GinMolOptions& options, NetworkConfig config) : TapedNetwork<S>(std::move(config)), o_(options) {
    const CheckedSize D = static_cast<std::uint64_t>(o_.hidden);
    add_tables(kAtoms, this->shape().node_categories);
    if (dense_nodes() > 0) this->add_linear(kNumbers, D, dense_nodes());
    if (o_.virtual_node) this->parameters_.add("gnn_node.virtualnode_embedding.weight", {1, D}, Init::kZero);
    for (int l = 0; l < o_.layers; ++l) {
      add_tables(bonds(l), this->shape().edge_categories);
      if (dense_edges() > 0) this->add_linear(conv(l) + "edge_encoder", D, dense_edges());
      this->parameters_.add(conv(l) + "eps", {1}, Init::kZero);
      this->add_linear(conv(l) + "mlp.0", D * 2, D);
      this->add_batch_norm(conv(l) + "mlp.1", D * 2);
      this->add_linear(conv(l) + "mlp.3", D, D * 2);
      this->add_batch_norm(norm(l), D);
      if (!o_.virtual_node || l + 1 == o_.layers) continue;
      this->add_linear(virtual_mlp(l) + "0", D * 2, D);
      this->add_batch_norm(virtual_mlp(l) + "1", D * 2);
      this->add_linear(virtual_mlp(l) + "3", D, D * 2);
      this->add_batch_norm(virtual_mlp(l) + "4", D);
    }
    this->add_linear("graph_pred_linear", static_cast<std::uint64_t>(this->outputs()), D);
  }

  [[nodiscard]] FeatureWish wish() const override {
    return {.one_hot_nodes = false, .one_hot_edges = false, .edges = true};
  }
  [[nodiscard]] std::string description() const override {
    return fmt::format("GIN for molecules with {} layers, hidden size {}{}", o_.layers, o_.hidden,
                       o_.virtual_node ? ", virtual node" : "");
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override { return {{{"graph_pred_linear"}, 1}}; }
  [[nodiscard]] double numbers_per_node() const override { return 6.0 * o_.hidden; }
  [[nodiscard]] double numbers_per_edge() const override { return 3.0 * o_.hidden; }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const tape::Segments& members = f.graphs().members();
    Value h = encode_nodes(f);
    Value v = o_.virtual_node ? f.parameter("gnn_node.virtualnode_embedding.weight") : Value();  // [1, D], then [B, D]
    for (int l = 0; l < o_.layers; ++l) {
      const bool last = l + 1 == o_.layers;
      if (o_.virtual_node) h = h + (l == 0 ? v : tape::spread(v, members));
      Value z = f.linear(messages(f, h, l), conv(l) + "mlp.0");
      z = f.linear(f.batch_norm(z, conv(l) + "mlp.1", {Activation::kRelu}), conv(l) + "mlp.3");
      z = f.batch_norm(z, norm(l), {last ? Activation::kNone : Activation::kRelu});
      z = f.dropout(z, o_.dropout, fmt::format("node.{}", l), Rows::kNodes);
      if (o_.virtual_node && !last) v = next_virtual_node(f, tape::segment_sum(h, members) + v, l);
      h = z;
    }
    return {.outputs = f.linear(pooled(h, members), "graph_pred_linear"), .auxiliary = {}, .runs = 1};
  }

 private:
  [[nodiscard]] std::uint64_t dense_nodes() const {
    return static_cast<std::uint64_t>(node_columns(this->shape(), wish()));
  }
  [[nodiscard]] std::uint64_t dense_edges() const {
    return static_cast<std::uint64_t>(edge_columns(this->shape(), wish()));
  }
  void add_tables(const std::string& prefix, const std::vector<int>& vocabularies) {
    for (std::size_t j = 0; j < vocabularies.size(); ++j) {
      this->add_table(prefix + std::to_string(j), static_cast<std::uint64_t>(vocabularies[j]),
                      static_cast<std::uint64_t>(o_.hidden));
    }
  }

  [[nodiscard]] Value encode_nodes(Formula<S>& f) const {
    Value h;
    if (!this->shape().node_categories.empty()) h = f.node_tables(kAtoms, o_.hidden);
    if (dense_nodes() == 0) return h;
    const Value numbers = f.linear(f.nodes(), kNumbers);
    return h ? h + numbers : numbers;
  }

  // (1 + eps) h_v + sum over edges u -> v of relu(h_u + e_uv)
  [[nodiscard]] Value messages(Formula<S>& f, Value h, int l) const {
    const GraphArrays<S>& graphs = f.graphs();
    Value e;
    if (!this->shape().edge_categories.empty()) e = f.edge_tables(bonds(l), o_.hidden);
    if (dense_edges() > 0) {
      const Value numbers = f.linear(f.edges(), conv(l) + "edge_encoder");
      e = e ? e + numbers : numbers;
    }
    const Value sum =
        e ? tape::segment_sum(tape::relu(tape::gather(h, graphs.senders(), &graphs.sent()) + e), graphs.received())
          : tape::segment_sum(tape::relu(h), graphs.neighbours());
    return h + f.parameter(conv(l) + "eps") * h + sum;
  }

  [[nodiscard]] Value next_virtual_node(Formula<S>& f, Value t, int l) const {
    const std::string name = virtual_mlp(l);
    t = f.batch_norm(f.linear(t, name + "0"), name + "1", {Activation::kRelu});
    t = f.batch_norm(f.linear(t, name + "3"), name + "4", {Activation::kRelu});
    return f.dropout(t, o_.dropout, fmt::format("vn.{}", l), Rows::kGraphs);
  }

  [[nodiscard]] Value pooled(Value h, const tape::Segments& members) const {
    switch (o_.pooling) {
      case MolPooling::kSum:
        return tape::segment_sum(h, members);
      case MolPooling::kMax:
        return tape::segment_max(h, members);
      case MolPooling::kMean:
        break;
    }
    return tape::segment_mean(h, members);
  }

  GinMolOptions o_;
};

struct GinMolKind {
  using Options = GinMolOptions;
  static constexpr std::string_view kName = "gin-mol";
  static constexpr std::string_view kSummary = "GIN with edge features, and a virtual node if asked for (OGB)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    f("layers", o.layers, OptionRange{1, 256}, "convolutions");
    f("hidden", o.hidden, OptionRange{1, 4096}, "width of the node states");
    f("virtual_node", o.virtual_node, kAnyValue, "a node that is next to every other node of its graph");
    f("pooling", o.pooling, kAnyValue, "how the states of the nodes become that of the graph");
    f("dropout", o.dropout, OptionRange{0, 0.99}, "of node states after each layer");
  };
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = GinMol<S>;
};

}  // namespace

const NetworkKind kGinMol = taped_kind<GinMolKind>();

}  // namespace agentnet
