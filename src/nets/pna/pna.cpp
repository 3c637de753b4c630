#include "nets/pna/pna.h"

#include "nets/pna/tower.h"
#include "nets/taped/encoders.h"
#include "nets/taped/taped_kind.h"

namespace agentnet {
namespace {

using tape::Activation;

struct PnaOptions {
  int layers = 4;
  int hidden = 70;
  int last_hidden = 0;
  int towers = 5;
  bool divide_first = true;
  bool divide_last = true;
  std::vector<std::string> aggregators = {"mean", "max", "min", "std"};
  std::vector<std::string> scalers = kAllScalers;
  double mean_log_degree = 1;
  bool use_edges = true;
  int edge_hidden = 40;
  int pretrans_layers = 1;
  int posttrans_layers = 1;
  bool graph_norm = true;
  bool batch_norm = true;
  bool residual = true;
  bool gru = false;
  GraphPooling pooling = GraphPooling::kSum;
  double input_dropout = 0;
  double dropout = 0;
};

const std::vector<std::string> kAggregators = {"mean", "sum", "max", "min", "std", "var"};

template <class S>
class Pna : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  Pna(const PnaOptions& options, NetworkConfig config) : TapedNetwork<S>(std::move(config)), o_(options) {
    check();
    const DataShape& shape = this->shape();
    add_encoder(this->parameters_, "embedding_h", shape.node_categories, node_columns(shape, kTables), width(0));
    if (reads_edges()) {
      add_encoder(this->parameters_, "embedding_e", shape.edge_categories, edge_columns(shape, kTables),
                  static_cast<std::uint64_t>(o_.edge_hidden));
    }
    for (int l = 0; l < o_.layers; ++l) {
      for (int t = 0; t < o_.towers; ++t) add_tower(l, t);
      add_small_linear(this->parameters_, mixing(l), width(l + 1), width(l + 1));
    }
    if (o_.gru) add_gru(this->parameters_, "gru", width(0), width(0));
    add_readout(this->parameters_, "MLP_layer", width(o_.layers), this->outputs());
  }

  [[nodiscard]] FeatureWish wish() const override { return kTables; }
  [[nodiscard]] std::string description() const override {
    return fmt::format("PNA with {} layers, hidden size {}, {} towers", o_.layers, o_.hidden, o_.towers);
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override { return {{{"MLP_layer.FC_layers.2"}, 1}}; }
  [[nodiscard]] double numbers_per_node() const override {
    return (6.0 + static_cast<double>(o_.aggregators.size())) * o_.hidden;
  }
  [[nodiscard]] double numbers_per_edge() const override { return 3.0 * o_.hidden; }

  void initialise(std::uint64_t seed, std::span<S> parameters) const override {
    TapedNetwork<S>::initialise(seed, parameters);
    scale_own_weights(this->parameters_, parameters);
  }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const NodeScales<S> scales(f, o_.mean_log_degree);
    Value h = f.dropout(encode_nodes(f, "embedding_h", o_.hidden), o_.input_dropout, Rows::kNodes);
    const Value e = reads_edges() ? encode_edges(f, "embedding_e", o_.edge_hidden, this->shape()) : Value();
    for (int l = 0; l < o_.layers; ++l) {
      std::vector<Value> towers;
      for (int t = 0; t < o_.towers; ++t) towers.push_back(tower(f, h, e, scales, l, t));
      Value z = f.linear(tape::concat<S>(towers), mixing(l), {Activation::kLeakyRelu});
      if (o_.residual && z.columns() == h.columns()) z = h + z;
      // The old state is the input of the cell and the layer's result its memory, as published.
      if (o_.gru && l + 1 < o_.layers) z = tape::gru_cell(h, z, f.gru("gru"));
      h = z;
    }
    return {.outputs = read_out(f, pool_graphs(h, f.graphs().members(), o_.pooling), "MLP_layer"),
            .auxiliary = {},
            .runs = 1};
  }

 private:
  void check() const {
    check_words("aggregators", o_.aggregators, kAggregators);
    check_words("scalers", o_.scalers, kAllScalers);
    for (const int wide : {o_.hidden, last_hidden()}) {
      if (wide % o_.towers == 0) continue;
      throw Error(ErrorKind::kUsage,
                  fmt::format("model option 'towers' is {}, which does not divide {}", o_.towers, wide),
                  "'hidden' and 'last_hidden' are cut into towers: make them multiples of it");
    }
  }
  [[nodiscard]] int last_hidden() const { return o_.last_hidden > 0 ? o_.last_hidden : o_.hidden; }
  // Of the states that go into layer l, or for the last come out of it.
  [[nodiscard]] std::uint64_t width(int l) const {
    return static_cast<std::uint64_t>(l == o_.layers ? last_hidden() : o_.hidden);
  }
  [[nodiscard]] bool divides(int l) const { return l + 1 == o_.layers ? o_.divide_last : o_.divide_first; }
  [[nodiscard]] bool reads_edges() const {
    return o_.use_edges && (!this->shape().edge_categories.empty() || edge_columns(this->shape(), kTables) > 0);
  }
  [[nodiscard]] static std::string mixing(int l) { return fmt::format("layers.{}.mixing_network.linear", l); }
  [[nodiscard]] static std::string tower_name(int l, int t) { return fmt::format("layers.{}.towers.{}.", l, t); }

  void add_tower(int l, int t) {
    const std::string name = tower_name(l, t);
    const auto towers = static_cast<std::uint64_t>(o_.towers);
    const std::uint64_t in = divides(l) ? width(l) / towers : width(l), out = width(l + 1) / towers;
    const std::uint64_t edge = reads_edges() ? static_cast<std::uint64_t>(o_.edge_hidden) : 0;
    if (o_.batch_norm) this->add_batch_norm(name + "batchnorm_h", out);
    add_mlp(this->parameters_, name + "pretrans", o_.pretrans_layers, 2 * in + edge, in, in);
    add_mlp(this->parameters_, name + "posttrans", o_.posttrans_layers,
            in * (1 + o_.aggregators.size() * o_.scalers.size()), out, out);
  }

  [[nodiscard]] Value tower(Formula<S>& f, Value h, Value e, const NodeScales<S>& scales, int l, int t) const {
    const std::string name = tower_name(l, t);
    if (divides(l)) {
      const Index part = h.columns() / o_.towers;
      h = tape::slice(h, t * part, part);
    }
    const Value m = messages(f, h, e, name + "pretrans", o_.pretrans_layers);
    std::vector<Value> statistics;
    for (const std::string& aggregator : o_.aggregators) statistics.push_back(statistic(f, m, aggregator));
    Value z =
        after_messages(f, h, tape::concat<S>(statistics), scales, o_.scalers, name + "posttrans", o_.posttrans_layers);
    if (o_.graph_norm) z = z * scales.size_norm();
    if (o_.batch_norm) z = f.batch_norm(z, name + "batchnorm_h");
    return f.dropout(z, o_.dropout, Rows::kNodes);
  }

  PnaOptions o_;
};

struct PnaKind {
  using Options = PnaOptions;
  static constexpr std::string_view kName = "pna";
  static constexpr std::string_view kSummary = "mean, max, min and spread of the neighbours, scaled by degree (PNA)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    f("layers", o.layers, OptionRange{1, 256}, "convolutions");
    f("hidden", o.hidden, OptionRange{4, 4096}, "width of the node states");
    f("last_hidden", o.last_hidden, OptionRange{0, 4096},
      "width after the last layer; 0: as 'hidden', else at least 4");
    f("towers", o.towers, OptionRange{1, 256}, "parts that a layer computes apart and then mixes");
    f("divide_first", o.divide_first, kAnyValue, "a tower sees its share of the state instead of all of it");
    f("divide_last", o.divide_last, kAnyValue, "the same in the last layer");
    f("aggregators", o.aggregators, kAnyValue, "statistics of the messages: mean, sum, max, min, std, var");
    f("scalers", o.scalers, kAnyValue, "how degrees scale them: identity, amplification, attenuation");
    f("mean_log_degree", o.mean_log_degree, OptionRange{1e-6, 100},
      "delta of the scalers, the mean of log(degree + 1); the data decides it");
    f("use_edges", o.use_edges, kAnyValue, "whether messages see the features of edges");
    f("edge_hidden", o.edge_hidden, OptionRange{1, 4096}, "width of the states of edges");
    f("pretrans_layers", o.pretrans_layers, OptionRange{1, 16}, "linear layers that make a message");
    f("posttrans_layers", o.posttrans_layers, OptionRange{1, 16}, "linear layers after the statistics");
    f("graph_norm", o.graph_norm, kAnyValue, "divide by the root of the number of nodes before the batch norm");
    f("batch_norm", o.batch_norm, kAnyValue, "a batch norm in each tower");
    f("residual", o.residual, kAnyValue, "add a layer's input where the widths agree");
    f("gru", o.gru, kAnyValue, "a recurrent cell puts the old and the new state together, but after the last layer");
    f("pooling", o.pooling, kAnyValue, "how the states of the nodes become that of the graph");
    f("input_dropout", o.input_dropout, OptionRange{0, 0.99}, "of the embedded nodes");
    f("dropout", o.dropout, OptionRange{0, 0.99}, "of each tower");
  };
  static std::vector<OptionChoice> advise(const SetSize& set) { return advise_log_degree(set); }
  template <class S>
  using Made = Pna<S>;
};

}  // namespace

const NetworkKind kPna = taped_kind<PnaKind>();

}  // namespace agentnet
