#include <fmt/core.h>

#include <cmath>

#include "nets/ppgn/ppgn.h"
#include "nets/taped/square_rows.h"
#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {
namespace {

enum class PpgnActivation { kLeakyRelu, kRelu, kGelu };

struct PpgnSmpOptions {
  int layers = 3;
  int hidden = 64;
  int layers_per_conv = 1;
  PpgnActivation activation = PpgnActivation::kLeakyRelu;
  double negative_slope = 0.01;
  double dropout = 0;
  bool published_padding = false;
};

}  // namespace

template <>
inline constexpr std::array option_names<PpgnActivation> = std::to_array<std::string_view>({"leaky_relu", "relu",
                                                                                            "gelu"});

namespace {

using tape::Activation;

std::string branch_name(int l, int which, int layer) { return fmt::format("convs.{}.m{}.{}", l, which, 2 * layer); }
std::string extractor(int l) { return fmt::format("feature_extractors.{}", l); }
constexpr const char* kNoProp = "no_prop";

template <class S>
class PpgnSmp : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  PpgnSmp(const PpgnSmpOptions& options, NetworkConfig config) : TapedNetwork<S>(std::move(config)), o_(options) {
    const auto D = static_cast<std::uint64_t>(o_.hidden), C = static_cast<std::uint64_t>(this->outputs());
    auto in = static_cast<std::uint64_t>(channels());
    add_extractor(kNoProp, in);
    for (int l = 0; l < o_.layers; ++l) {
      for (const int which : {1, 2}) {
        for (int layer = 0; layer < o_.layers_per_conv; ++layer) {
          add_scaled(branch_name(l, which, layer), D, layer == 0 ? in : D);
        }
      }
      add_scaled(branch_name(l, 4, 0), D, in + D);
      this->add_batch_norm(fmt::format("bns.{}", l), D);
      add_extractor(extractor(l), D);
      in = D;
    }
    add_scaled("after_conv", D, D);
    add_scaled("final_lin", C, D);
  }

  [[nodiscard]] std::string description() const override {
    return fmt::format("PPGN of the AgentNet repository with {} {}, hidden size {}", o_.layers,
                       o_.layers == 1 ? "layer" : "layers", o_.hidden);
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override { return {{{"final_lin"}, 1}}; }
  [[nodiscard]] double numbers_of(const GraphView& graph) const override {
    const auto n = static_cast<double>(graph.num_nodes);
    return n * n * (channels() + 4.0 * o_.hidden);
  }
  [[nodiscard]] double recorded_bytes(const GraphView& graph) const override {
    const auto n = static_cast<double>(graph.num_nodes);
    return n * n * (sizeof(Index) + 2 * sizeof(S));
  }

  // Weights start uniform within sqrt(6 / ((1 + slope^2) in)), with GELU within sqrt(6 / (in + out)).
  void initialise(std::uint64_t seed, std::span<S> parameters) const override {
    if (o_.activation == PpgnActivation::kGelu) return TapedNetwork<S>::initialise(seed, parameters);
    const double slope = o_.activation == PpgnActivation::kRelu ? 0 : o_.negative_slope;
    agentnet::initialise<S>(this->parameters_, seed, slope, parameters);
  }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const bool padded = o_.published_padding;
    const SquareRows rows = square_rows(f, padded);
    const Value mask = padded ? mask_of_padding(f, rows) : Value();
    const Value root = per_graph(f, [](S n) { return 1 / std::sqrt(n); });  // [B, 1]
    Value u = tape::concat({f.tape().input(adjacency(f, rows, Multiples::kCount), rows.rows(), 1),
                            tape::scatter_add(f.nodes(), rows.diagonal, rows.rows())});
    Value out = extract(f, u, rows, kNoProp, true);
    for (int l = 0; l < o_.layers; ++l) {
      const Value left = masked(branch(f, u, l, 1), mask), right = masked(branch(f, u, l, 2), mask);
      const Value product = tape::square_product(left, right, rows.squares) * tape::spread(root, rows.graphs);
      u = f.linear(tape::concat({product, u}), branch_name(l, 4, 0));
      u = masked(f.batch_norm(u, fmt::format("bns.{}", l)), mask);
      out = out + extract(f, u, rows, extractor(l), false);
    }
    out = S(1) / static_cast<S>(o_.layers) * tape::relu(out);
    out = out + f.linear(out, "after_conv", {Activation::kRelu});
    return {
        .outputs = f.linear(f.dropout(out, o_.dropout, "0", Rows::kGraphs), "final_lin"), .auxiliary = {}, .runs = 1};
  }

 private:
  [[nodiscard]] int channels() const { return 1 + node_columns(this->shape(), this->wish()); }

  void add_scaled(const std::string& name, CheckedSize out, CheckedSize in, bool bias = true) {
    const Init init = o_.activation == PpgnActivation::kGelu ? Init::kOwn : Init::kKaiming;
    this->parameters_.add(name + ".weight", {out, in}, init).fan_in = static_cast<std::int64_t>(in.value());
    if (bias) this->parameters_.add(name + ".bias", {out}, Init::kZero);
  }
  void add_extractor(const std::string& name, CheckedSize in) {
    const auto D = static_cast<std::uint64_t>(o_.hidden);
    add_scaled(name + ".lin1.0", D, in);
    add_scaled(name + ".lin2.0", D, in, /*bias=*/false);
    add_scaled(name + ".lin3.0", D, D, /*bias=*/false);
  }

  // The option is followed in the first layer and in no_prop, and everywhere else it is a leaky ReLU, as published.
  [[nodiscard]] Value activate(Value x, bool as_set) const {
    if (!as_set) return tape::leaky_relu(x, S(0.01));
    switch (o_.activation) {
      case PpgnActivation::kRelu:
        return tape::relu(x);
      case PpgnActivation::kGelu:
        return tape::gelu(x);
      default:
        return tape::leaky_relu(x, static_cast<S>(o_.negative_slope));
    }
  }

  [[nodiscard]] static Value masked(Value u, Value mask) { return mask ? u * mask : u; }

  template <class F>
  [[nodiscard]] static Value per_graph(Formula<S>& f, const F& of_size) {
    const tape::Segments& members = f.graphs().members();
    S* all = f.tape().template keep<S>(static_cast<std::size_t>(members.count));
    for (Index b = 0; b < members.count; ++b) all[b] = of_size(static_cast<S>(members.size(b)));
    return f.tape().input(all, members.count, 1);
  }

  // Linear layers with the activation between them only.
  [[nodiscard]] Value branch(Formula<S>& f, Value u, int l, int which) const {
    for (int layer = 0; layer < o_.layers_per_conv; ++layer) {
      if (layer > 0) u = activate(u, l == 0);
      u = f.linear(u, branch_name(l, which, layer));
    }
    return u;
  }

  // o = lin1(trace / n) + lin2((total - trace) / (n (n - 1))), and o + lin3(activation(o)): [B, D]. A graph of one node
  // has nothing beside its diagonal, which the published code divides by 0.
  [[nodiscard]] Value extract(Formula<S>& f, Value u, const SquareRows& rows, const std::string& name,
                              bool as_set) const {
    const Value trace = tape::segment_sum(tape::gather(u, rows.diagonal), f.graphs().members());
    const Value total = tape::segment_sum(u, rows.graphs);
    const Value diagonal = trace * per_graph(f, [](S n) { return 1 / n; });
    const Value beside = (total - trace) * per_graph(f, [](S n) { return n > 1 ? 1 / (n * (n - 1)) : S(0); });
    const Value o = f.linear(diagonal, name + ".lin1.0") + f.linear(beside, name + ".lin2.0");
    return o + f.linear(activate(o, as_set), name + ".lin3.0");
  }

  PpgnSmpOptions o_;
};

struct PpgnSmpKind {
  using Options = PpgnSmpOptions;
  static constexpr std::string_view kName = "ppgn-smp";
  static constexpr std::string_view kSummary =
      "PPGN as the AgentNet repository runs it, with batch norm (NeurIPS 2020)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    f("layers", o.layers, OptionRange{1, 256}, "matrix products");
    f("hidden", o.hidden, OptionRange{1, 4096}, "width of the states of pairs");
    f("layers_per_conv", o.layers_per_conv, OptionRange{1, 16}, "linear layers before each factor of the product");
    f("activation", o.activation, kAnyValue, "of the first layer and of the reading of the input");
    f("negative_slope", o.negative_slope, OptionRange{0, 1}, "of leaky_relu");
    f("dropout", o.dropout, OptionRange{0, 0.99}, "before the output");
    f("published_padding", o.published_padding, kAnyValue,
      "batch norm counts the padding to the largest graph of the batch too, as in the published code");
  };
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = PpgnSmp<S>;
};

}  // namespace

const NetworkKind kPpgnSmp = taped_kind<PpgnSmpKind>();

}  // namespace agentnet
