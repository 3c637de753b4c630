#include "nets/gsn/gsn.h"

#include <fmt/core.h>

#include <algorithm>

#include "agentnet/error.h"
#include "nets/gsn/identifiers.h"
#include "nets/taped/cycles.h"
#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {
namespace {

enum class GsnPooling { kSum, kMean };

// The sizes that the values of a set are counted for when nobody says which.
constexpr Structures kAdvised{.longest_cycle = 8, .largest_clique = 5};

struct GsnOptions {
  int layers = 4;
  int hidden = 128;
  int max_cycle = kAdvised.longest_cycle;
  int max_clique = 0;
  std::vector<std::string> cycle_values = {};
  std::vector<std::string> clique_values = {};
  bool inject_ids = false;
  bool mlp_norm = true;
  GsnPooling pooling = GsnPooling::kSum;
  std::vector<int> also_read = {};
  bool read_mlp = true;
  double dropout = 0;
};

}  // namespace

template <>
inline constexpr std::array option_names<GsnPooling> = std::to_array<std::string_view>({"sum", "mean"});

namespace {

using tape::Activation;

template <class S>
class Gsn : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  Gsn(const GsnOptions& options, NetworkConfig config)
      : TapedNetwork<S>(std::move(config)),
        o_(options),
        cycles_("cycle_values", o_.cycle_values, structures().cycle_columns()),
        cliques_("clique_values", o_.clique_values, structures().clique_columns()) {
    const auto H = static_cast<std::uint64_t>(o_.hidden);
    for (const int layer : o_.also_read) {
      if (layer >= 0 && layer <= o_.layers) continue;
      throw Error(ErrorKind::kUsage, fmt::format("model option 'also_read' has layer {}", layer),
                  fmt::format("layers are numbered from 0, the input, to {}", o_.layers));
    }
    for (int l = 0; l <= o_.layers; ++l) {
      if (reads(l)) add_projection(l);
      if (l == o_.layers) break;
      add_mlp(conv(l) + "msg_fn", 2 * columns(l) + 2 * id_columns(l) + edge_width(), H);
      add_mlp(conv(l) + "update_fn", columns(l) + H, H);
      this->add_batch_norm(fmt::format("batch_norms.{}", l), H);
    }
  }

  [[nodiscard]] FeatureWish wish() const override { return {.edges = true}; }
  [[nodiscard]] std::string description() const override {
    std::string counted = o_.max_cycle > 2 ? fmt::format(", cycles up to {}", o_.max_cycle) : "";
    if (o_.max_clique > 2) counted += fmt::format(", cliques up to {}", o_.max_clique);
    return fmt::format("GSN with {} layers, hidden size {}{}", o_.layers, o_.hidden, counted);
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override {
    OutputLayers layers;
    for (int l = 0; l <= o_.layers; ++l) {
      if (reads(l)) layers.names.push_back(projection(l) + (o_.read_mlp ? ".fc.1" : ""));
    }
    return {layers};
  }
  [[nodiscard]] double numbers_per_node() const override {
    return 6.0 * o_.hidden + static_cast<double>(cycles_.width() + cliques_.width());
  }
  [[nodiscard]] double numbers_per_edge() const override { return 4.0 * o_.hidden; }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const Value ids = identifiers(f);
    const Value e = edge_width() > 0 ? f.edges() : Value();
    Value x = f.nodes(), scores;
    read(f, x, 0, scores);
    for (int l = 0; l < o_.layers; ++l) {
      const std::string name = conv(l);
      const Value sum = messages(f, x, id_columns(l) > 0 ? ids : Value(), e, name + "msg_fn");
      x = mlp(f, f.linear(tape::concat<S>({x, sum}), name + "update_fn.fc.0"), name + "update_fn");
      x = f.batch_norm(x, fmt::format("batch_norms.{}", l), {Activation::kRelu});
      read(f, x, l + 1, scores);
    }
    return {.outputs = scores, .auxiliary = {}, .runs = 1};
  }

 private:
  [[nodiscard]] Structures structures() const { return {o_.max_cycle, o_.max_clique}; }
  [[nodiscard]] bool reads(int l) const {
    return l == o_.layers || std::find(o_.also_read.begin(), o_.also_read.end(), l) != o_.also_read.end();
  }
  [[nodiscard]] static std::string conv(int l) { return fmt::format("conv.{}.", l); }
  [[nodiscard]] static std::string projection(int l) { return fmt::format("lin_proj.{}", l); }
  // Of the states that go into layer l.
  [[nodiscard]] std::uint64_t columns(int l) const {
    return static_cast<std::uint64_t>(l == 0 ? node_columns(this->shape(), wish()) : o_.hidden);
  }
  [[nodiscard]] std::uint64_t id_columns(int l) const {
    return l == 0 || o_.inject_ids ? cycles_.width() + cliques_.width() : 0;
  }
  [[nodiscard]] std::uint64_t edge_width() const {
    const DataShape& shape = this->shape();
    if (shape.edge_features == 0 && shape.edge_categories.empty()) return 0;
    return static_cast<std::uint64_t>(edge_columns(shape, wish()));
  }

  // NAME.fc.0, NAME.bn.0, relu, NAME.fc.1
  void add_mlp(const std::string& name, std::uint64_t in, std::uint64_t out) {
    const auto H = static_cast<std::uint64_t>(o_.hidden);
    this->add_linear(name + ".fc.0", H, in);
    if (o_.mlp_norm) this->add_batch_norm(name + ".bn.0", H);
    this->add_linear(name + ".fc.1", out, H);
  }
  void add_projection(int l) {
    if (o_.read_mlp) {
      add_mlp(projection(l), columns(l), this->outputs());
    } else {
      this->add_linear(projection(l), this->outputs(), columns(l));
    }
  }
  // What follows fc.0.
  [[nodiscard]] Value mlp(Formula<S>& f, Value z, const std::string& name) const {
    z = o_.mlp_norm ? f.batch_norm(z, name + ".bn.0", {Activation::kRelu}) : tape::relu(z);
    return f.linear(z, name + ".fc.1");
  }

  // The sum over edges u -> v of msg_fn([x_v ; x_u ; id_v ; id_u ; e]). Its first layer is linear in each part, so that
  // nodes go through it before they are looked up.
  [[nodiscard]] Value messages(Formula<S>& f, Value x, Value ids, Value e, const std::string& name) const {
    const GraphArrays<S>& graphs = f.graphs();
    if (graphs.edges() == 0) return f.tape().filled(graphs.nodes(), o_.hidden, S(0));
    const Value weight = f.parameter(name + ".fc.0.weight");
    Index column = 0;
    const auto part = [&](Value z) {
      const Value y = tape::linear<S>(z, tape::slice(weight, column, z.columns()));
      column += z.columns();
      return y;
    };
    Value receiver = part(x), sender = part(x);
    if (ids) {
      receiver = receiver + part(ids);
      sender = sender + part(ids);
    }
    Value z = tape::spread(receiver + f.parameter(name + ".fc.0.bias"), graphs.received()) +
              tape::gather(sender, graphs.senders(), &graphs.sent());
    if (e) z = z + part(e);
    return tape::segment_sum(mlp(f, z, name), graphs.received());
  }

  void read(Formula<S>& f, Value x, int l, Value& scores) const {
    if (!reads(l)) return;
    const tape::Segments& members = f.graphs().members();
    Value y = o_.pooling == GsnPooling::kSum ? tape::segment_sum(x, members) : tape::segment_mean(x, members);
    const std::string name = projection(l);
    y = o_.read_mlp ? mlp(f, f.linear(y, name + ".fc.0"), name) : f.linear(y, name);
    y = f.dropout(y, o_.dropout, Rows::kGraphs);
    scores = scores ? scores + y : y;
  }

  // [N, identifiers]: a 1 in every column of counts, at the place of the count.
  [[nodiscard]] Value identifiers(Formula<S>& f) const {
    const GraphArrays<S>& graphs = f.graphs();
    const tape::Segments &members = graphs.members(), &neighbours = graphs.neighbours();
    const std::size_t width = cycles_.width() + cliques_.width();
    if (width == 0) return {};
    S* ones = f.tape().template keep<S>(static_cast<std::size_t>(graphs.nodes()) * width);
    std::fill_n(ones, static_cast<std::size_t>(graphs.nodes()) * width, S(0));
    for (Index g = 0; g < members.count; ++g) {
      const auto first = static_cast<Index>(members.offsets[g]);
      const auto nodes = static_cast<Index>(members.size(g));
      const SimpleGraph graph(nodes, neighbours.offsets + first, neighbours.members, first);
      const std::vector<std::int64_t> counts = count_structures(graph, structures(), kMostStructures);
      if (counts.empty() && nodes > 0) refuse(nodes);
      for (Index v = 0; v < nodes; ++v)
        mark(&counts[static_cast<std::size_t>(v) * structures().columns()],
             ones + static_cast<std::size_t>(first + v) * width);
    }
    return f.tape().input(ones, graphs.nodes(), static_cast<Index>(width));
  }
  void mark(const std::int64_t* counts, S* row) const {
    for (const CountValues* values : {&cycles_, &cliques_}) {
      for (std::size_t c = 0; c < values->columns().size(); ++c) {
        const std::size_t place = values->place(c, *counts++), size = values->columns()[c].size();
        if (place < size) row[place] = S(1);
        row += size;
      }
    }
  }
  [[noreturn]] void refuse(Index nodes) const {
    throw Error(ErrorKind::kData,
                fmt::format("a graph of {} nodes has more than {} cycles or cliques to count", nodes, kMostStructures),
                "make model options 'max_cycle' and 'max_clique' smaller; dense graphs have too many long cycles");
  }

  GsnOptions o_;
  CountValues cycles_, cliques_;
};

struct GsnKind {
  using Options = GsnOptions;
  static constexpr std::string_view kName = "gsn";
  static constexpr std::string_view kSummary = "messages that see in how many cycles and cliques their nodes are (GSN)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    f("layers", o.layers, OptionRange{1, 256}, "convolutions");
    f("hidden", o.hidden, OptionRange{1, 4096}, "width of the node states");
    f("max_cycle", o.max_cycle, OptionRange{0, 32}, "the longest cycles that are counted; below 3: none");
    f("max_clique", o.max_clique, OptionRange{0, 32}, "the largest cliques that are counted; below 3: none");
    f("cycle_values", o.cycle_values, kAnyValue,
      "the counts that are told apart, for 3, 4, ... nodes: texts like \"0 1 2 6\"; the data decides them");
    f("clique_values", o.clique_values, kAnyValue, "the same of cliques");
    f("inject_ids", o.inject_ids, kAnyValue, "messages see the counts in every layer instead of the first");
    f("mlp_norm", o.mlp_norm, kAnyValue, "a batch norm inside every small network");
    f("pooling", o.pooling, kAnyValue, "how the states of the nodes become that of the graph");
    f("also_read", o.also_read, OptionRange{0, 256}, "layers that are read besides the last; 0 is the input");
    f("read_mlp", o.read_mlp, kAnyValue, "a small network reads a layer, instead of a linear map");
    f("dropout", o.dropout, OptionRange{0, 0.99}, "of the scores of each layer that is read");
  };
  static std::vector<OptionChoice> advise(const SetSize& set) { return advise_counts(set, kAdvised); }
  template <class S>
  using Made = Gsn<S>;
};

}  // namespace

const NetworkKind kGsn = taped_kind<GsnKind>();

}  // namespace agentnet
