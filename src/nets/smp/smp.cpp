#include "nets/smp/smp.h"

#include <fmt/core.h>

#include "agentnet/error.h"
#include "nets/smp/contexts.h"
#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {
namespace {

enum class SmpLayer { kSmp, kFast, kZinc };

struct SmpOptions {
  SmpLayer layer = SmpLayer::kSmp;
  int layers = 6;
  int hidden = 32;
  int final_hidden = 128;
  int towers = 1;
  bool batch_norm = true;
  double dropout = 0;
  bool features = true;
  bool residual = false;
  bool shared_extractor = false;
  bool simplified = false;
  bool published_padding = false;
};

}  // namespace

template <>
inline constexpr std::array option_names<SmpLayer> = std::to_array<std::string_view>({"smp", "fast", "zinc"});

namespace {

using tape::Activation;

constexpr double kMessageShare = 0.1;  // of what a node's own row and the mean of its rows add to a message

std::string conv(int l, const char* part) { return fmt::format("convs.{}.{}", l, part); }
std::string norm(int l) { return fmt::format("batch_norm_list.{}.bn", l); }
constexpr const char* kNoProp = "no_prop";

template <class S>
class Smp : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  Smp(const SmpOptions& options, NetworkConfig config) : TapedNetwork<S>(std::move(config)), o_(options) {
    check_options();
    const auto H = static_cast<std::uint64_t>(o_.hidden), F = static_cast<std::uint64_t>(o_.final_hidden);
    const auto C = static_cast<std::uint64_t>(this->outputs()), in = static_cast<std::uint64_t>(channels());
    add_extractor(kNoProp, in, /*simplified=*/false);
    this->add_linear("initial_lin", H, in);
    for (int l = 0; l < o_.layers; ++l) {
      if (normalised(l)) this->add_batch_norm(norm(l), H);
      add_layer(l, H);
      if (!o_.shared_extractor) add_extractor(extractor(l), H, o_.simplified);
    }
    if (o_.shared_extractor) add_extractor(extractor(0), H, o_.simplified);
    if (has_after_conv()) this->add_linear("after_conv", F, F);
    this->add_linear("final_lin", C, F);
  }

  [[nodiscard]] FeatureWish wish() const override { return {.edges = o_.layer == SmpLayer::kZinc}; }
  [[nodiscard]] std::string description() const override {
    const char* name = o_.layer == SmpLayer::kFast ? "FastSMP" : o_.layer == SmpLayer::kZinc ? "SMP for ZINC" : "SMP";
    return fmt::format("{} with {} {}, hidden size {}", name, o_.layers, o_.layers == 1 ? "layer" : "layers",
                       o_.hidden);
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override { return {{{"final_lin"}, 1}}; }
  [[nodiscard]] double numbers_of(const GraphView& graph) const override {
    const auto n = static_cast<double>(graph.num_nodes), edges = static_cast<double>(graph.edge_feature_rows());
    return n * o_.hidden * (6 * n + (o_.layer == SmpLayer::kFast ? 0 : 2 * edges));
  }
  [[nodiscard]] double recorded_bytes(const GraphView& graph) const override {
    const auto n = static_cast<double>(graph.num_nodes), edges = static_cast<double>(graph.edge_feature_rows());
    const double per_pair = 2 * sizeof(std::int64_t) + sizeof(Index) + sizeof(S);
    return n * (per_pair * n + (o_.layer == SmpLayer::kFast ? 2 : 3) * sizeof(Index) * edges);
  }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const Contexts<S> contexts = make_contexts(f, o_.published_padding);
    const EdgeContexts edges = o_.layer == SmpLayer::kFast ? EdgeContexts{} : make_edge_contexts(f, contexts);
    const Value edge_input = o_.layer == SmpLayer::kZinc ? f.edges() : Value();
    Value u = identifiers(f, contexts);  // [R, channels]
    Value out = extract(f, u, contexts, kNoProp, /*simplified=*/false);
    u = f.linear(u, "initial_lin");
    for (int l = 0; l < o_.layers; ++l) {
      if (normalised(l)) u = f.batch_norm(u, norm(l));
      const Value before = u;
      u = layer(f, message(f, u, contexts, l), contexts, edges, edge_input, l);
      if (o_.residual) u = u + before;
      out = out + S(1) / static_cast<S>(o_.layers) * extract(f, u, contexts, extractor(l), o_.simplified);
    }
    if (has_after_conv()) out = out + f.linear(out, "after_conv", {Activation::kRelu});
    return {
        .outputs = f.linear(f.dropout(out, o_.dropout, "0", Rows::kGraphs), "final_lin"), .auxiliary = {}, .runs = 1};
  }

 private:
  void check_options() const {
    if (o_.hidden % o_.towers == 0) return;
    throw Error(
        ErrorKind::kUsage,
        fmt::format("model option 'hidden' is {}, which is not a multiple of 'towers', {}", o_.hidden, o_.towers),
        "every tower has as many channels as the others");
  }

  // The published network for ZINC has this layer with simplified extractors too.
  [[nodiscard]] bool has_after_conv() const { return !o_.simplified || o_.layer == SmpLayer::kZinc; }
  [[nodiscard]] bool normalised(int l) const { return o_.batch_norm && l > 0; }
  [[nodiscard]] int channels() const { return 1 + (o_.features ? node_columns(this->shape(), this->wish()) : 0); }
  [[nodiscard]] std::string extractor(int l) const {
    return o_.shared_extractor ? "feature_extractor" : fmt::format("feature_extractors.{}", l);
  }

  void add_layer(int l, std::uint64_t H) {
    const std::uint64_t in = H / static_cast<std::uint64_t>(o_.towers);
    this->add_linear(conv(l, "message_nn.lin1"), H, in);
    this->add_linear(conv(l, "message_nn.lin2"), H, in, /*bias=*/false);
    this->add_linear(conv(l, "message_nn.lin3"), H, in, /*bias=*/false);
    if (o_.layer == SmpLayer::kFast) {
      for (const char* scale : {"linu_i.lin1.weight", "linu_j.lin1.weight"}) {
        this->parameters_.add(conv(l, scale), {H}, Init::kUniform).fan_in = 1;
      }
      return;
    }
    for (const char* part : {"order2.lin1", "order2_i.lin1", "order2_j.lin1"}) {
      this->add_linear(conv(l, part), H, in, /*bias=*/false);
    }
    if (o_.layer == SmpLayer::kZinc) {
      this->add_linear(conv(l, "edge_nn"), H, static_cast<std::uint64_t>(edge_columns(this->shape(), wish())));
    }
    this->add_linear(conv(l, "update1"), H, 2 * H);
    this->add_linear(conv(l, "update2"), H, H);
  }

  void add_extractor(const std::string& name, std::uint64_t in, bool simplified) {
    const auto F = static_cast<std::uint64_t>(o_.final_hidden);
    this->add_linear(name + ".extractor.lin1.lin", F, in);
    this->add_linear(name + ".extractor.lin2.lin", F, in);
    if (!simplified) this->add_linear(name + ".lin", F, F);
  }

  // u_ij = [1 ; x_i] for j = i, 0 for all others.
  [[nodiscard]] Value identifiers(Formula<S>& f, const Contexts<S>& contexts) const {
    const Value one = f.tape().filled(contexts.own.count, 1, S(1));
    return tape::spread(o_.features ? tape::concat({one, f.nodes()}) : one, contexts.own);
  }

  [[nodiscard]] Value grouped(Formula<S>& f, Value x, const std::string& name) const {
    const std::string bias = name + ".bias";
    const bool biased = this->parameters_.find(bias) != nullptr;
    return tape::grouped_linear<S>(x, f.parameter(name + ".weight"), o_.towers, biased ? f.parameter(bias) : Value());
  }

  // s_i = sum over j of u_ij / n_i: [N, c]
  [[nodiscard]] static Value mean_rows(Value u, const Contexts<S>& contexts) {
    return tape::segment_sum(u, contexts.blocks) * contexts.shares;
  }

  // m_ij = lin1 u_ij + 0.1 lin2 s_i at j = i + 0.1 lin3 s_i at every node j
  [[nodiscard]] Value message(Formula<S>& f, Value u, const Contexts<S>& contexts, int l) const {
    const Value mean = static_cast<S>(kMessageShare) * mean_rows(u, contexts);
    return grouped(f, u, conv(l, "message_nn.lin1")) +
           tape::spread(grouped(f, mean, conv(l, "message_nn.lin2")), contexts.own) +
           tape::spread(grouped(f, mean, conv(l, "message_nn.lin3")), contexts.real);
  }

  [[nodiscard]] Value layer(Formula<S>& f, Value m, const Contexts<S>& contexts, const EdgeContexts& edges,
                            Value edge_input, int l) const {
    if (o_.layer == SmpLayer::kFast) {  // (agg + m + alpha m * beta agg) / edges per node
      const Value around = tape::segment_sum(m, contexts.around);
      const Value alpha = f.parameter(conv(l, "linu_i.lin1.weight")), beta = f.parameter(conv(l, "linu_j.lin1.weight"));
      return (around + m + (m * alpha) * (around * beta)) * contexts.per_edge;
    }
    // order2 has no bias, so that it may follow the sum: sum over edges of order2(z) = order2(sum of z).
    Value z = tape::spread(grouped(f, m, conv(l, "order2_i.lin1")), edges.received) +
              tape::gather(grouped(f, m, conv(l, "order2_j.lin1")), edges.senders, &edges.sent);
    if (edge_input) z = z + tape::gather(f.linear(edge_input, conv(l, "edge_nn")), edges.edges, &edges.of_edge);
    Value around = grouped(f, tape::segment_sum(tape::relu(z), edges.received), conv(l, "order2.lin1"));
    if (o_.layer == SmpLayer::kZinc) around = around + tape::segment_sum(m, contexts.around);
    const Value w = f.linear(tape::concat({m, around}), conv(l, "update1"));
    const Value updated = w + f.linear(w, conv(l, "update2"));
    return (o_.layer == SmpLayer::kZinc ? updated + m : updated) * contexts.per_edge;
  }

  // t the mean over nodes of u_ii, r that of s_i: o = lin1 t + lin2 (r - t), and o + lin relu(o) unless simplified.
  [[nodiscard]] Value extract(Formula<S>& f, Value u, const Contexts<S>& contexts, const std::string& name,
                              bool simplified) const {
    const tape::Segments& members = f.graphs().members();
    const Value t = tape::segment_mean(tape::segment_sum(u, contexts.own), members);
    const Value r = tape::segment_mean(mean_rows(u, contexts), members);
    const Value o = f.linear(t, name + ".extractor.lin1.lin") + f.linear(r - t, name + ".extractor.lin2.lin");
    return simplified ? o : o + f.linear(tape::relu(o), name + ".lin");
  }

  SmpOptions o_;
};

struct SmpKind {
  using Options = SmpOptions;
  static constexpr std::string_view kName = "smp";
  static constexpr std::string_view kSummary =
      "messages between matrices that know every node by an identifier (NeurIPS 2020)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    f("layer", o.layer, kAnyValue, "smp, the fast one, or that for ZINC, which reads edge features");
    f("layers", o.layers, OptionRange{1, 256}, "rounds of messages");
    f("hidden", o.hidden, OptionRange{1, 4096}, "channels of a context");
    f("final_hidden", o.final_hidden, OptionRange{1, 65536}, "width of what is read");
    f("towers", o.towers, OptionRange{1, 256}, "groups of channels that messages keep apart");
    f("batch_norm", o.batch_norm, kAnyValue, "before every layer but the first");
    f("dropout", o.dropout, OptionRange{0, 0.99}, "before the output");
    f("features", o.features, kAnyValue, "contexts begin with the features of nodes; else only with identifiers");
    f("residual", o.residual, kAnyValue, "the input of a layer is added to its result");
    f("shared_extractor", o.shared_extractor, kAnyValue, "all layers are read by the same weights");
    f("simplified", o.simplified, kAnyValue, "reads linearly");
    f("published_padding", o.published_padding, kAnyValue,
      "contexts are padded to the largest graph of the batch, and the padding counts, as in the published code");
  };
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = Smp<S>;
};

}  // namespace

const NetworkKind kSmp = taped_kind<SmpKind>();

}  // namespace agentnet
