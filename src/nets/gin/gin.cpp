#include "nets/gin/gin.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "nets/taped/drop_options.h"
#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {
namespace {

enum class Neighbours { kSum, kMean, kMax };
enum class Pooling { kSum, kMean };
enum class Readout { kEvery, kLast };

struct GinOptions {
  int layers = 4;
  int hidden = 64;
  int mlp_layers = 2;
  Neighbours neighbours = Neighbours::kSum;
  bool learn_eps = false;
  Pooling pooling = Pooling::kSum;
  Readout readout = Readout::kEvery;
  bool mean_readout = false;
  double dropout = 0.5;
  int random_features = 0;
};

struct DropGinOptions : GinOptions {
  DropOptions drops{.runs = 16, .drop = 0.1, .auxiliary = true};
};

}  // namespace

template <>
inline constexpr std::array option_names<Neighbours> = std::to_array<std::string_view>({"sum", "mean", "max"});
template <>
inline constexpr std::array option_names<Pooling> = std::to_array<std::string_view>({"sum", "mean"});
template <>
inline constexpr std::array option_names<Readout> = std::to_array<std::string_view>({"every", "last"});

namespace {

constexpr auto kVisitGin = [](auto& o, const auto& f) {
  f("layers", o.layers, OptionRange{1, 256}, "convolutions");
  f("hidden", o.hidden, OptionRange{1, 4096}, "width of the node states");
  f("mlp_layers", o.mlp_layers, OptionRange{1, 16}, "linear layers of each convolution");
  f("neighbours", o.neighbours, kAnyValue, "how the states of neighbours are put together");
  f("learn_eps", o.learn_eps, kAnyValue,
    "a node's own state counts 1 + eps, eps learned; else it is one more neighbour");
  f("pooling", o.pooling, kAnyValue, "how the states of the nodes become that of the graph");
  f("readout", o.readout, kAnyValue, "which layers are read: every one and the input (jumping knowledge), or the last");
  f("mean_readout", o.mean_readout, kAnyValue, "the mean over the layers that are read instead of the sum");
  f("dropout", o.dropout, OptionRange{0, 0.99}, "of the scores of each layer");
};

using tape::Activation;

template <class S>
class Gin : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  Gin(const GinOptions& options, NetworkConfig config) : Gin(options, std::nullopt, std::move(config)) {}
  Gin(const GinOptions& options, std::optional<DropOptions> drops, NetworkConfig config)
      : TapedNetwork<S>(std::move(config)), o_(options), drops_(drops) {
    const auto hidden = static_cast<std::uint64_t>(o_.hidden), C = static_cast<std::uint64_t>(this->outputs());
    std::uint64_t in = columns();
    if (o_.learn_eps) this->parameters_.add("eps", {static_cast<std::uint64_t>(o_.layers)}, Init::kZero);
    for (int l = 0; l <= o_.layers; ++l) {
      if (is_read(l)) this->add_linear(fmt::format("linears_prediction.{}", l), C, in);
      if (is_read(l) && auxiliary()) this->add_linear(fmt::format("aux_prediction.{}", l), C, in);
      if (l == o_.layers) break;
      for (int j = 0; j < o_.mlp_layers; ++j) {
        this->add_linear(linear_name(l, j), hidden, in);
        if (j + 1 < o_.mlp_layers) this->add_batch_norm(fmt::format("mlps.{}.batch_norms.{}", l, j), hidden);
        in = hidden;
      }
      this->add_batch_norm(fmt::format("batch_norms.{}", l), hidden);
    }
  }

  [[nodiscard]] FeatureWish wish() const override { return {.random_columns = o_.random_features}; }
  [[nodiscard]] bool draws() const override { return drops_ || o_.random_features > 0; }

  [[nodiscard]] std::string description() const override {
    std::string text = drops_ ? fmt::format("DropGIN with {} runs, ", drops_->runs) : "GIN with ";
    text += fmt::format("{} {}, hidden size {}", o_.layers, o_.layers == 1 ? "layer" : "layers", o_.hidden);
    if (o_.random_features > 0) text += ", random features";
    return text;
  }

  [[nodiscard]] std::vector<OutputLayers> output_layers() const override {
    std::vector<OutputLayers> all(auxiliary() ? 2 : 1);
    for (int l = 0; l <= o_.layers; ++l) {
      if (!is_read(l)) continue;
      all[0].names.push_back(fmt::format("linears_prediction.{}", l));
      if (auxiliary()) all[1].names.push_back(fmt::format("aux_prediction.{}", l));
    }
    for (OutputLayers& layers : all) layers.share = share();
    return all;
  }

  [[nodiscard]] double numbers_per_node() const override {
    return 4.0 * std::max<double>(o_.hidden, static_cast<double>(columns())) * runs();
  }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    TapedAnswer<S> answer{.outputs = {}, .auxiliary = {}, .runs = runs()};
    Value h = f.nodes(o_.random_features);                      // [N, F]
    if (drops_) h = f.dropped_copies(h, drops_->drop, runs());  // [N R, F]
    read(f, h, 0, answer);
    for (int l = 0; l < o_.layers; ++l) {
      h = f.batch_norm(convolve(f, h, l), fmt::format("batch_norms.{}", l), {Activation::kRelu});
      read(f, h, l + 1, answer);
    }
    if (share() != 1) {
      answer.outputs = static_cast<S>(share()) * answer.outputs;
      if (answer.auxiliary) answer.auxiliary = static_cast<S>(share()) * answer.auxiliary;
    }
    return answer;
  }

 private:
  [[nodiscard]] Index runs() const { return drops_ ? drops_->runs : 1; }
  [[nodiscard]] bool auxiliary() const { return drops_ && drops_->auxiliary; }
  [[nodiscard]] bool is_read(int layer) const { return o_.readout == Readout::kEvery || layer == o_.layers; }
  [[nodiscard]] double share() const {
    return o_.mean_readout && o_.readout == Readout::kEvery ? 1.0 / (o_.layers + 1) : 1;
  }
  [[nodiscard]] std::uint64_t columns() const {
    return static_cast<std::uint64_t>(node_columns(this->shape(), wish()));
  }
  [[nodiscard]] std::string linear_name(int l, int j) const {
    return o_.mlp_layers == 1 ? fmt::format("mlps.{}.linear", l) : fmt::format("mlps.{}.linears.{}", l, j);
  }

  // MLP(neighbourhood of h). Sums commute with the first linear map, and where they are not wider after it, summing
  // later keeps less for the way back.
  [[nodiscard]] Value convolve(Formula<S>& f, Value h, int l) const {
    const std::string first = linear_name(l, 0);
    if (o_.neighbours != Neighbours::kMax && h.columns() >= o_.hidden) {
      h = tape::linear<S>(h, f.parameter(first + ".weight"));
      h = neighbourhood(f, h, l) + f.parameter(first + ".bias");
    } else {
      h = f.linear(neighbourhood(f, h, l), first);
    }
    for (int j = 1; j < o_.mlp_layers; ++j) {
      h = f.batch_norm(h, fmt::format("mlps.{}.batch_norms.{}", l, j - 1), {Activation::kRelu});
      h = f.linear(h, linear_name(l, j));
    }
    return h;
  }

  // Without eps: sum, mean or maximum over a node and its neighbours. With eps: over the neighbours, plus (1 + eps) h.
  [[nodiscard]] Value neighbourhood(Formula<S>& f, Value h, int l) const {
    h = f.side_by_side(h, runs());
    const tape::Segments& others = f.graphs().neighbours();
    if (o_.learn_eps) {
      const Value eps = tape::slice(f.parameter("eps"), l, 1);
      if (o_.neighbours == Neighbours::kSum) {
        h = tape::aggregate(h, others, eps);
      } else {
        const Value around =
            o_.neighbours == Neighbours::kMean ? tape::segment_mean(h, others) : tape::segment_max(h, others);
        h = around + (h + eps * h);
      }
    } else if (o_.neighbours == Neighbours::kMax) {
      h = tape::segment_max(h, f.neighbours_and_self());
    } else {
      h = tape::aggregate(h, others);
      if (o_.neighbours == Neighbours::kMean) h = h * f.shares_with_self();
    }
    return f.below_each_other(h, runs());
  }

  // Adds the scores of a layer to the answer. States are averaged over runs before they are read.
  void read(Formula<S>& f, Value h, int l, TapedAnswer<S>& answer) const {
    if (!is_read(l)) return;
    const tape::Segments& members = f.graphs().members();
    const Value wide = f.side_by_side(h, runs());  // [N, R D]
    const Value pooled = f.below_each_other(
        o_.pooling == Pooling::kSum ? tape::segment_sum(wide, members) : tape::segment_mean(wide, members), runs());
    const Value mean = f.mean_of_runs(pooled, runs());
    const std::string mask = drops_ ? fmt::format("main.{}", l) : std::to_string(l);
    const Value scores =
        f.dropout(f.linear(mean, fmt::format("linears_prediction.{}", l)), o_.dropout, mask, Rows::kGraphs);
    answer.outputs = answer.outputs ? answer.outputs + scores : scores;
    if (!auxiliary() || !f.wants_auxiliary()) return;
    const Value each = f.dropout(f.linear(pooled, fmt::format("aux_prediction.{}", l)), o_.dropout,
                                 fmt::format("aux.{}", l), Rows::kRunsOfGraphs, runs());
    answer.auxiliary = answer.auxiliary ? answer.auxiliary + each : each;
  }

  GinOptions o_;
  std::optional<DropOptions> drops_;
};

template <class S>
struct DropGin : Gin<S> {
  DropGin(const DropGinOptions& options, NetworkConfig config) : Gin<S>(options, options.drops, std::move(config)) {}
};

struct GinKind {
  using Options = GinOptions;
  static constexpr std::string_view kName = "gin";
  static constexpr std::string_view kSummary =
      "sums over neighbours, as strong as the Weisfeiler-Lehman test (ICLR 2019)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    kVisitGin(o, f);
    f("random_features", o.random_features, OptionRange{0, 64},
      "columns of random numbers that nodes get in every run");
  };
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = Gin<S>;
};

struct DropGinKind {
  using Options = DropGinOptions;
  static constexpr std::string_view kName = "dropgin";
  static constexpr std::string_view kSummary =
      "GIN over many runs, in each of which random nodes are dropped (NeurIPS 2021)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    kVisitGin(o, f);
    kVisitDrop(o, f);
  };
  static std::vector<OptionChoice> advise(const SetSize& set) { return advise_drops(set); }
  template <class S>
  using Made = DropGin<S>;
};

}  // namespace

const NetworkKind kGin = taped_kind<GinKind>();
const NetworkKind kDropGin = taped_kind<DropGinKind>();

}  // namespace agentnet
