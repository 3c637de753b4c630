#include "nets/mpnn/mpnn.h"

#include <fmt/core.h>

#include <optional>

#include "nets/mpnn/nnconv.h"
#include "nets/taped/drop_options.h"
#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {
namespace {

using tape::Activation;

struct MpnnOptions {
  int hidden = 64;
  int edge_hidden = 128;
  int steps = 3;
  int set_steps = 3;
};

struct DropMpnnOptions : MpnnOptions {
  DropOptions drops{.runs = 18, .drop = 0.105, .auxiliary = true};
};

constexpr auto kVisitMpnn = [](auto& o, const auto& f) {
  f("hidden", o.hidden, OptionRange{1, 1024}, "width of the node states");
  f("edge_hidden", o.edge_hidden, OptionRange{1, 4096}, "width of the network that makes matrices of edge features");
  f("steps", o.steps, OptionRange{1, 64}, "rounds of messages, all with the same weights");
  f("set_steps", o.set_steps, OptionRange{1, 64}, "looks that the readout (set2set) takes at the nodes");
};

template <class S>
class Mpnn : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  Mpnn(const MpnnOptions& options, NetworkConfig config) : Mpnn(options, std::nullopt, std::move(config)) {}
  Mpnn(const MpnnOptions& options, std::optional<DropOptions> drops, NetworkConfig config)
      : TapedNetwork<S>(std::move(config)), o_(options), drops_(drops) {
    const CheckedSize D = static_cast<std::uint64_t>(o_.hidden);
    this->add_linear("lin0", D, static_cast<std::uint64_t>(node_columns(this->shape(), wish())));
    add_nnconv(this->parameters_, "conv", D, D, static_cast<std::uint64_t>(edge_columns(this->shape(), wish())),
               static_cast<std::uint64_t>(o_.edge_hidden));
    add_gru(this->parameters_, "gru", D, D);
    for (const char* which : {"", "_aux"}) {
      if (*which != '\0' && !auxiliary()) break;
      add_lstm(this->parameters_, fmt::format("set2set{}.lstm", which), D * 2, D);
      this->add_linear(fmt::format("lin1{}", which), D, D * 2);
      this->add_linear(fmt::format("lin2{}", which), static_cast<std::uint64_t>(this->outputs()), D);
    }
  }

  [[nodiscard]] FeatureWish wish() const override { return {.edges = true}; }
  [[nodiscard]] bool draws() const override { return drops_.has_value(); }
  [[nodiscard]] std::string description() const override {
    const std::string runs = drops_ ? fmt::format("DropMPNN with {} runs, ", drops_->runs) : "MPNN with ";
    return runs + fmt::format("{} steps, hidden size {}", o_.steps, o_.hidden);
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override {
    std::vector<OutputLayers> all = {{{"lin2"}, 1}};
    if (auxiliary()) all.push_back({{"lin2_aux"}, 1});
    return all;
  }
  [[nodiscard]] double numbers_per_node() const override { return 12.0 * o_.hidden * runs(); }
  [[nodiscard]] double numbers_per_edge() const override {
    return static_cast<double>(o_.hidden) * (o_.hidden + 3.0 * runs()) + o_.edge_hidden;
  }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    Value x = f.nodes();
    if (drops_) x = f.dropped_copies(x, drops_->drop, runs());
    Value h = f.linear(x, "lin0", {Activation::kRelu});  // [N R, D]
    const Value matrices = edge_matrices(f, f.edges(), "conv");
    const tape::GruWeights<S> gru = f.gru("gru");
    for (int step = 0; step < o_.steps; ++step) {
      h = tape::gru_cell(tape::relu(nnconv(f, h, matrices, "conv", EdgeSum::kMean, runs())), h, gru);
    }
    TapedAnswer<S> answer{.outputs = {}, .auxiliary = {}, .runs = runs()};
    answer.outputs = read(f, f.mean_of_runs(h, runs()), f.graphs().members(), "");
    if (auxiliary() && f.wants_auxiliary()) answer.auxiliary = read(f, h, f.members_of_runs(runs()), "_aux");
    return answer;
  }

 private:
  [[nodiscard]] Index runs() const { return drops_ ? drops_->runs : 1; }
  [[nodiscard]] bool auxiliary() const { return drops_ && drops_->auxiliary; }

  [[nodiscard]] Value read(Formula<S>& f, Value h, const tape::Segments& members, const std::string& which) const {
    const Value seen = set2set(f, h, members, "set2set" + which + ".lstm");
    return f.linear(f.linear(seen, "lin1" + which, {Activation::kRelu}), "lin2" + which);
  }

  // An LSTM looks at the nodes of a graph several times, each time asking for what it found before: [graphs, 2 D].
  [[nodiscard]] Value set2set(Formula<S>& f, Value h, const tape::Segments& members, const std::string& name) const {
    const Index count = members.count, D = h.columns();
    const tape::LstmWeights<S> weights = f.lstm(name);
    tape::LstmState<S> state{f.tape().filled(count, D, 0), f.tape().filled(count, D, 0)};
    Value found = f.tape().filled(count, 2 * D, 0);
    for (int step = 0; step < o_.set_steps; ++step) {
      state = tape::lstm_cell(found, state, weights);
      const Value match = tape::row_sum(h * tape::spread(state.h, members));  // [rows of h, 1]
      const Value attention = tape::segment_softmax(match, members, S(1e-16));
      found = tape::concat({state.h, tape::segment_sum(attention * h, members)});
    }
    return found;
  }

  MpnnOptions o_;
  std::optional<DropOptions> drops_;
};

template <class S>
struct DropMpnn : Mpnn<S> {
  DropMpnn(const DropMpnnOptions& options, NetworkConfig config) : Mpnn<S>(options, options.drops, std::move(config)) {}
};

struct MpnnKind {
  using Options = MpnnOptions;
  static constexpr std::string_view kName = "mpnn";
  static constexpr std::string_view kSummary =
      "messages through matrices made of edge features, GRU, set2set (ICML 2017)";
  static constexpr auto kVisit = kVisitMpnn;
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = Mpnn<S>;
};

struct DropMpnnKind {
  using Options = DropMpnnOptions;
  static constexpr std::string_view kName = "dropmpnn";
  static constexpr std::string_view kSummary =
      "MPNN over many runs, in each of which random nodes are dropped (NeurIPS 2021)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    kVisitMpnn(o, f);
    kVisitDrop(o, f);
  };
  static std::vector<OptionChoice> advise(const SetSize& set) { return advise_drops(set); }
  template <class S>
  using Made = DropMpnn<S>;
};

}  // namespace

const NetworkKind kMpnn = taped_kind<MpnnKind>();
const NetworkKind kDropMpnn = taped_kind<DropMpnnKind>();

}  // namespace agentnet
