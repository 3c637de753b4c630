#include "nets/gnn1/gnn1.h"

#include <fmt/core.h>

#include <optional>

#include "nets/mpnn/nnconv.h"
#include "nets/taped/drop_options.h"
#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {
namespace {

struct Gnn1Options {
  int first_hidden = 32;
  int hidden = 64;
  int last_hidden = 16;
  int edge_hidden = 128;
};

struct DropGnn1Options : Gnn1Options {
  DropOptions drops{.runs = 18, .drop = 0.105, .auxiliary = true};
};

constexpr auto kVisitGnn1 = [](auto& o, const auto& f) {
  f("first_hidden", o.first_hidden, OptionRange{1, 1024}, "width of the first layer, and of the first after pooling");
  f("hidden", o.hidden, OptionRange{1, 1024}, "width of the second and third layer");
  f("last_hidden", o.last_hidden, OptionRange{1, 1024}, "width before the output");
  f("edge_hidden", o.edge_hidden, OptionRange{1, 4096}, "width of the networks that make matrices of edge features");
};

template <class S>
class Gnn1 : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  Gnn1(const Gnn1Options& options, NetworkConfig config) : Gnn1(options, std::nullopt, std::move(config)) {}
  Gnn1(const Gnn1Options& options, std::optional<DropOptions> drops, NetworkConfig config)
      : TapedNetwork<S>(std::move(config)), o_(options), drops_(drops) {
    const CheckedSize a = static_cast<std::uint64_t>(o_.first_hidden), b = static_cast<std::uint64_t>(o_.hidden);
    const CheckedSize last = static_cast<std::uint64_t>(o_.last_hidden);
    const auto edges = static_cast<std::uint64_t>(edge_columns(this->shape(), wish()));
    const auto edge_hidden = static_cast<std::uint64_t>(o_.edge_hidden);
    add_nnconv(this->parameters_, "conv1", static_cast<std::uint64_t>(node_columns(this->shape(), wish())), a, edges,
               edge_hidden);
    add_nnconv(this->parameters_, "conv2", a, b, edges, edge_hidden);
    add_nnconv(this->parameters_, "conv3", b, b, edges, edge_hidden);
    for (const char* which : {"", "_aux"}) {
      if (*which != '\0' && !auxiliary()) break;
      this->add_linear(fmt::format("fc1{}", which), a, b);
      this->add_linear(fmt::format("fc2{}", which), last, a);
      this->add_linear(fmt::format("fc3{}", which), static_cast<std::uint64_t>(this->outputs()), last);
    }
  }

  [[nodiscard]] FeatureWish wish() const override { return {.edges = true}; }
  [[nodiscard]] bool draws() const override { return drops_.has_value(); }
  [[nodiscard]] std::string description() const override {
    const std::string runs = drops_ ? fmt::format("Drop-1-GNN with {} runs, ", drops_->runs) : "1-GNN with ";
    return runs + fmt::format("hidden size {}", o_.hidden);
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override {
    std::vector<OutputLayers> all = {{{"fc3"}, 1}};
    if (auxiliary()) all.push_back({{"fc3_aux"}, 1});
    return all;
  }
  [[nodiscard]] double numbers_per_node() const override { return 6.0 * o_.hidden * runs(); }
  [[nodiscard]] double numbers_per_edge() const override {
    return static_cast<double>(o_.hidden) * (o_.hidden + 3.0 * runs()) + o_.edge_hidden;
  }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    Value h = f.nodes();
    if (drops_) h = f.dropped_copies(h, drops_->drop, runs());
    const Value edges = f.edges();
    for (const char* name : {"conv1", "conv2", "conv3"}) {
      h = tape::elu(nnconv(f, h, edge_matrices(f, edges, name), name, EdgeSum::kSum, runs()));
    }
    const Value wide = tape::segment_mean(f.side_by_side(h, runs()), f.graphs().members());  // [B, R b]
    const Value pooled = f.below_each_other(wide, runs());                                   // [B R, b]
    TapedAnswer<S> answer{.outputs = {}, .auxiliary = {}, .runs = runs()};
    answer.outputs = read(f, f.mean_of_runs(pooled, runs()), "");
    if (auxiliary() && f.wants_auxiliary()) answer.auxiliary = read(f, pooled, "_aux");
    return answer;
  }

 private:
  [[nodiscard]] Index runs() const { return drops_ ? drops_->runs : 1; }
  [[nodiscard]] bool auxiliary() const { return drops_ && drops_->auxiliary; }
  [[nodiscard]] Value read(Formula<S>& f, Value pooled, const std::string& which) const {
    const Value first = tape::elu(f.linear(pooled, "fc1" + which));
    return f.linear(tape::elu(f.linear(first, "fc2" + which)), "fc3" + which);
  }

  Gnn1Options o_;
  std::optional<DropOptions> drops_;
};

template <class S>
struct DropGnn1 : Gnn1<S> {
  DropGnn1(const DropGnn1Options& options, NetworkConfig config) : Gnn1<S>(options, options.drops, std::move(config)) {}
};

enum class KgnnPooling { kSum, kMean };

struct Kgnn1Options {
  int first_hidden = 32;
  int hidden = 64;
  KgnnPooling pooling = KgnnPooling::kMean;
  double dropout = 0.5;
};

}  // namespace

template <>
inline constexpr std::array option_names<KgnnPooling> = std::to_array<std::string_view>({"sum", "mean"});

namespace {

// h_v <- elu(mean over neighbours of W^T h_u + R^T h_v + b), three times; k-gnn stores W and R as [in, out].
template <class S>
class Kgnn1 : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  Kgnn1(const Kgnn1Options& options, NetworkConfig config) : TapedNetwork<S>(std::move(config)), o_(options) {
    const auto a = static_cast<std::uint64_t>(o_.first_hidden), b = static_cast<std::uint64_t>(o_.hidden);
    add_conv("conv1", static_cast<std::uint64_t>(node_columns(this->shape(), this->wish())), a);
    add_conv("conv2", a, b);
    add_conv("conv3", b, b);
    this->add_linear("fc1", b, b);
    this->add_linear("fc2", a, b);
    this->add_linear("fc3", static_cast<std::uint64_t>(this->outputs()), a);
  }

  [[nodiscard]] std::string description() const override {
    return fmt::format("1-GNN of k-gnn with hidden size {}", o_.hidden);
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override { return {{{"fc3"}, 1}}; }
  [[nodiscard]] double numbers_per_node() const override { return 4.0 * o_.hidden; }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    Value h = f.nodes();
    for (const std::string name : {"conv1", "conv2", "conv3"}) {
      const Value around = tape::segment_mean(h, f.graphs().neighbours());
      h = tape::elu(tape::matmul(around, f.parameter(name + ".weight")) +
                    tape::matmul(h, f.parameter(name + ".root_weight")) + f.parameter(name + ".bias"));
    }
    const tape::Segments& members = f.graphs().members();
    h = o_.pooling == KgnnPooling::kSum ? tape::segment_sum(h, members) : tape::segment_mean(h, members);
    h = f.dropout(tape::elu(f.linear(h, "fc1")), o_.dropout, "fc1", Rows::kGraphs);
    return {.outputs = f.linear(tape::elu(f.linear(h, "fc2")), "fc3"), .auxiliary = {}, .runs = 1};
  }

 private:
  void add_conv(const std::string& name, std::uint64_t in, std::uint64_t out) {
    const auto fan_in = static_cast<std::int64_t>(in);
    this->parameters_.add(name + ".weight", {in, out}, Init::kUniform).fan_in = fan_in;
    this->parameters_.add(name + ".root_weight", {in, out}, Init::kUniform).fan_in = fan_in;
    this->parameters_.add(name + ".bias", {out}, Init::kUniform).fan_in = fan_in;
  }

  Kgnn1Options o_;
};

struct Gnn1Kind {
  using Options = Gnn1Options;
  static constexpr std::string_view kName = "gnn1";
  static constexpr std::string_view kSummary =
      "1-GNN for QM9: three layers of messages through edge matrices (AAAI 2019)";
  static constexpr auto kVisit = kVisitGnn1;
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = Gnn1<S>;
};

struct DropGnn1Kind {
  using Options = DropGnn1Options;
  static constexpr std::string_view kName = "dropgnn1";
  static constexpr std::string_view kSummary =
      "1-GNN over many runs, in each of which random nodes are dropped (NeurIPS 2021)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    kVisitGnn1(o, f);
    kVisitDrop(o, f);
  };
  static std::vector<OptionChoice> advise(const SetSize& set) { return advise_drops(set); }
  template <class S>
  using Made = DropGnn1<S>;
};

struct Kgnn1Kind {
  using Options = Kgnn1Options;
  static constexpr std::string_view kName = "kgnn1";
  static constexpr std::string_view kSummary =
      "1-GNN of k-gnn: means over neighbours, without edge features (AAAI 2019)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    f("first_hidden", o.first_hidden, OptionRange{1, 4096}, "width of the first layer, and before the output");
    f("hidden", o.hidden, OptionRange{1, 4096}, "width of the second and third layer");
    f("pooling", o.pooling, kAnyValue, "how the states of the nodes become that of the graph");
    f("dropout", o.dropout, OptionRange{0, 0.99}, "after the first layer that reads the graph");
  };
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = Kgnn1<S>;
};

}  // namespace

const NetworkKind kGnn1 = taped_kind<Gnn1Kind>();
const NetworkKind kDropGnn1 = taped_kind<DropGnn1Kind>();
const NetworkKind kKgnn1 = taped_kind<Kgnn1Kind>();

}  // namespace agentnet
