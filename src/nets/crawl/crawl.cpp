#include "nets/crawl/crawl.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "agentnet/error.h"
#include "nets/crawl/walks.h"
#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {
namespace {

enum class CrawlPooling { kSum, kMean };
enum class CrawlReadout { kMlp, kLinear };

struct CrawlOptions {
  int layers = 3;
  int hidden = 100;
  int conv_hidden = 0;
  int steps = 50;
  int eval_steps = 0;
  int window = 8;
  int kernel = 9;
  WalkMode walks = WalkMode::kNonBacktracking;
  double start_ratio = 1;
  bool identity_features = true;
  bool adjacency_features = true;
  bool virtual_node = false;
  CrawlPooling pooling = CrawlPooling::kSum;
  CrawlReadout readout = CrawlReadout::kMlp;
  double dropout = 0;
};

}  // namespace

template <>
inline constexpr std::array option_names<WalkMode> = std::to_array<std::string_view>({"non-backtracking", "uniform"});
template <>
inline constexpr std::array option_names<CrawlPooling> = std::to_array<std::string_view>({"sum", "mean"});
template <>
inline constexpr std::array option_names<CrawlReadout> = std::to_array<std::string_view>({"mlp", "linear"});

namespace {

using tape::Activation;

// The walks of a pass, in memory of the tape, as the layers read them. Rows are positions: w walks of l positions.
template <class S>
struct WalkRows {
  Index walks = 0, length = 0;
  std::span<const Index> nodes;  // [w l]
  tape::Segments by_node;        // the rows of each node
  std::span<const Index> edges;  // [w l] the edge of the step into a position; E at the start
  tape::Segments by_edge;
  tape::Value<S> window;  // [w l, columns]; none if there are no columns
  tape::Segments visits;  // of each node: the rows of a convolution's result whose centre it is
};

template <class S>
class Crawl : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  Crawl(const CrawlOptions& options, NetworkConfig config) : TapedNetwork<S>(std::move(config)), o_(options) {
    check();
    const auto H = static_cast<std::uint64_t>(o_.hidden), C = static_cast<std::uint64_t>(conv_hidden());
    for (int l = 0; l < o_.layers; ++l) {
      const std::string name = module(l);
      const std::uint64_t in = columns(l);
      if (in != H) this->add_linear(name + "node_rescale", H, in, false);
      this->add_linear(name + "convs.0", C, in + edge_width() + static_cast<std::uint64_t>(window().count()), false);
      this->add_linear(name + "convs.1", C, static_cast<std::uint64_t>(o_.kernel), false);
      this->add_batch_norm(name + "convs.2", C);
      this->add_linear(name + "convs.4", C, C, false);
      this->add_linear(name + "node_out.0", H * 2, C, false);
      this->add_batch_norm(name + "node_out.1", H * 2);
      this->add_linear(name + "node_out.3", H, H * 2, false);
      if (!o_.virtual_node || l + 1 == o_.layers) continue;
      this->add_linear(virtual_mlp(l) + "0", H, H, false);
      this->add_batch_norm(virtual_mlp(l) + "1", H);
      this->add_linear(virtual_mlp(l) + "4", H, H, false);
    }
    this->add_batch_norm("node_out.0", H);
    if (o_.readout == CrawlReadout::kMlp) this->add_linear("graph_out.1", H, H);
    this->add_linear(output_layer(), this->outputs(), H);
  }

  [[nodiscard]] FeatureWish wish() const override { return {.edges = true}; }
  [[nodiscard]] bool draws() const override { return true; }
  [[nodiscard]] std::string description() const override {
    return fmt::format("CRaWl with {} layers, hidden size {}, walks of {} steps", o_.layers, o_.hidden, o_.steps);
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override { return {{{output_layer()}, 1}}; }
  [[nodiscard]] double numbers_per_node() const override {
    const double positions = 1.0 + std::max(o_.steps, o_.eval_steps);
    return positions * (5.0 * conv_hidden() + window().count()) + 6.0 * o_.hidden;
  }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const tape::Segments& members = f.graphs().members();
    const WalkRows<S> rows = draw_walks(f);
    const Value e = edge_width() > 0 ? f.edges() : Value();
    Value h = f.nodes(), v;
    for (int l = 0; l < o_.layers; ++l) {
      const std::string name = module(l);
      const Value visited = convolve(f, h, e, rows, name);
      const Value old = columns(l) == static_cast<std::uint64_t>(o_.hidden) ? h : f.linear(h, name + "node_rescale");
      const Value z = f.batch_norm(f.linear(visited, name + "node_out.0"), name + "node_out.1", {Activation::kRelu});
      h = old + f.linear(z, name + "node_out.3");
      if (!o_.virtual_node || l + 1 == o_.layers) continue;
      const Value sum = tape::segment_sum(h, members);
      v = next_virtual_node(f, v ? sum + v : sum, l);
      h = h + tape::spread(v, members);
    }
    h = f.batch_norm(h, "node_out.0", {Activation::kRelu});
    h = o_.pooling == CrawlPooling::kSum ? tape::segment_sum(h, members) : tape::segment_mean(h, members);
    h = f.dropout(h, o_.dropout, Rows::kGraphs);
    if (o_.readout == CrawlReadout::kMlp) h = f.linear(h, "graph_out.1", {Activation::kRelu});
    return {.outputs = f.linear(h, output_layer()), .auxiliary = {}, .runs = 1};
  }

 private:
  void check() const {
    const int shortest = o_.eval_steps > 0 ? std::min(o_.steps, o_.eval_steps) : o_.steps;
    if (shortest + 1 >= o_.kernel) return;
    throw Error(ErrorKind::kUsage,
                fmt::format("walks of {} steps have {} positions, and the kernel of the convolution is {} long",
                            shortest, shortest + 1, o_.kernel),
                "make model options 'steps' and 'eval_steps' longer or 'kernel' shorter");
  }
  [[nodiscard]] int conv_hidden() const { return o_.conv_hidden > 0 ? o_.conv_hidden : o_.hidden; }
  [[nodiscard]] WindowColumns window() const {
    return {.size = o_.window, .identity = o_.identity_features, .adjacency = o_.adjacency_features};
  }
  // Of the states that go into layer l.
  [[nodiscard]] std::uint64_t columns(int l) const {
    return static_cast<std::uint64_t>(l == 0 ? node_columns(this->shape(), wish()) : o_.hidden);
  }
  [[nodiscard]] std::uint64_t edge_width() const {
    const DataShape& shape = this->shape();
    if (shape.edge_features == 0 && shape.edge_categories.empty()) return 0;
    return static_cast<std::uint64_t>(edge_columns(shape, wish()));
  }
  // Convolutions and virtual nodes are counted together.
  [[nodiscard]] std::string module(int l) const { return fmt::format("convs.{}.", o_.virtual_node ? 2 * l : l); }
  [[nodiscard]] static std::string virtual_mlp(int l) { return fmt::format("convs.{}.mlp.", 2 * l + 1); }
  [[nodiscard]] std::string output_layer() const {
    return o_.readout == CrawlReadout::kMlp ? "graph_out.3" : "graph_out.1";
  }

  // p_v [N, C]: the mean over the positions at which v is the centre of a convolution; 0 where it never is.
  [[nodiscard]] Value convolve(Formula<S>& f, Value h, Value e, const WalkRows<S>& rows,
                               const std::string& name) const {
    if (rows.walks == 0) return f.tape().filled(f.graphs().nodes(), conv_hidden(), S(0));
    // The first map is linear in each part of a position: nodes and edges go through it before they are looked up.
    const Value weight = f.parameter(name + "convs.0.weight");
    Index column = 0;
    const auto part = [&](Value x) {
      const Value y = tape::linear<S>(x, tape::slice(weight, column, x.columns()));
      column += x.columns();
      return y;
    };
    Value z = tape::gather(part(h), rows.nodes, &rows.by_node);
    if (e) {
      const Value steps = tape::stack<S>({part(e), f.tape().filled(1, conv_hidden(), S(0))});
      z = z + tape::gather(steps, rows.edges, &rows.by_edge);
    }
    if (rows.window) z = z + part(rows.window);
    z = tape::depthwise_convolution(z, f.parameter(name + "convs.1.weight"), rows.length);
    z = f.batch_norm(z, name + "convs.2", {Activation::kRelu});
    z = f.linear(z, name + "convs.4", {Activation::kRelu});
    return tape::segment_mean(z, rows.visits);
  }

  [[nodiscard]] Value next_virtual_node(Formula<S>& f, Value g, int l) const {
    const std::string name = virtual_mlp(l);
    g = f.batch_norm(f.linear(g, name + "0"), name + "1", {Activation::kRelu});
    return f.linear(f.dropout(g, o_.dropout, Rows::kGraphs), name + "4");
  }

  // One set of walks for all layers.
  [[nodiscard]] WalkRows<S> draw_walks(Formula<S>& f) const {
    const GraphArrays<S>& graphs = f.graphs();
    const Index N = graphs.nodes(), E = graphs.edges();
    const tape::Segments& received = graphs.received();
    const WalkTerrain terrain{{received.offsets, static_cast<std::size_t>(N) + 1}, graphs.senders()};
    const bool training = f.tape().mode().training;
    const int steps = !training && o_.eval_steps > 0 ? o_.eval_steps : o_.steps;
    std::vector<Agent> agents;
    const std::vector<Index> starts = choose_starts(f, terrain, agents);

    WalkRows<S> rows;
    rows.walks = static_cast<Index>(starts.size());
    rows.length = steps + 1;
    const std::size_t positions = starts.size() * static_cast<std::size_t>(rows.length);
    if (positions > static_cast<std::size_t>(std::numeric_limits<Index>::max() / 2)) {
      throw Error(ErrorKind::kData, "the walks of a batch have more positions than fit", "use smaller batches");
    }
    auto* nodes = f.tape().template keep<Index>(positions);
    auto* edges = f.tape().template keep<Index>(positions);
    std::vector<Index> along(starts.size() * static_cast<std::size_t>(steps));
    take_walks(terrain, starts, rows.length, o_.walks, draw_of(f, agents), nodes, along.data());
    for (std::size_t j = 0, at = 0, step = 0; j < starts.size(); ++j) {
      edges[at++] = E;
      for (int i = 0; i < steps; ++i) edges[at++] = along[step++];
    }
    rows.nodes = {nodes, positions};
    rows.edges = {edges, positions};
    rows.by_node = f.grouped(rows.nodes, N);
    rows.by_edge = f.grouped(rows.edges, E + 1);
    if (window().count() > 0) {
      auto* features = f.tape().template keep<S>(positions * static_cast<std::size_t>(window().count()));
      window_features(terrain, rows.nodes, rows.length, window(), features);
      rows.window = f.tape().input(features, static_cast<Index>(positions), window().count());
    }
    std::vector<Index> centres;
    for (std::size_t j = 0; j < starts.size(); ++j) {
      const Index* walk = nodes + j * static_cast<std::size_t>(rows.length);
      centres.insert(centres.end(), walk + o_.kernel / 2, walk + o_.kernel / 2 + rows.length - o_.kernel + 1);
    }
    rows.visits = f.grouped(centres, N);
    return rows;
  }

  // Whose draws a walk makes: the graph's id, and the number of the walk in it.
  struct Agent {
    std::uint64_t graph;
    std::uint32_t number;
  };

  [[nodiscard]] std::vector<Index> choose_starts(Formula<S>& f, const WalkTerrain& terrain,
                                                 std::vector<Agent>& agents) const {
    const GraphArrays<S>& graphs = f.graphs();
    const tape::Segments& members = graphs.members();
    const bool some = f.tape().mode().training && o_.start_ratio < 1;
    if (some && f.recorded() != nullptr) {
      const auto walks = std::ceil(o_.start_ratio * static_cast<double>(graphs.nodes()));
      return published_starts(terrain, {members.offsets, static_cast<std::size_t>(members.count) + 1},
                              static_cast<std::size_t>(walks), f.recorded()->marks.at("start_perm"),
                              f.recorded()->marks.at("start_node_draw"));
    }
    std::vector<Index> starts;
    const auto add = [&](Index start, std::uint64_t graph, std::uint32_t number) {
      if (terrain.degree(start) == 0) return;
      starts.push_back(start);
      agents.push_back({graph, number});
    };
    for (Index g = 0; g < members.count; ++g) {
      const auto first = static_cast<Index>(members.offsets[g]);
      const auto nodes = static_cast<std::uint32_t>(members.size(g));
      const std::uint64_t id = graphs.ids()[static_cast<std::size_t>(g)];
      if (!some) {
        for (std::uint32_t v = 0; v < nodes; ++v) add(first + static_cast<Index>(v), id, v);
        continue;
      }
      const RandomKey key = f.key(Purpose::kStart);
      const auto walks = static_cast<std::uint32_t>(std::ceil(o_.start_ratio * nodes));
      for (std::uint32_t j = 0; j < walks; ++j) {
        const auto bits = static_cast<std::uint64_t>(philox(random_counter(id, j, 0, 0), key)[0]);
        add(first + static_cast<Index>(bits * nodes >> 32), id, j);
      }
    }
    return starts;
  }

  [[nodiscard]] WalkDraw draw_of(Formula<S>& f, const std::vector<Agent>& agents) const {
    if (f.recorded() != nullptr) {
      const std::vector<std::int64_t>& choices = f.recorded()->marks.at("choices");
      const int steps = !f.tape().mode().training && o_.eval_steps > 0 ? o_.eval_steps : o_.steps;
      const std::size_t walks = choices.size() / static_cast<std::size_t>(steps);
      return [&choices, walks](Index walk, Index step) {
        return static_cast<std::uint64_t>(
            choices.at(static_cast<std::size_t>(step) * walks + static_cast<std::size_t>(walk)));
      };
    }
    return [key = f.key(Purpose::kMove), &agents](Index walk, Index step) {
      const Agent& agent = agents[static_cast<std::size_t>(walk)];
      const auto words = philox(random_counter(agent.graph, agent.number, static_cast<std::uint32_t>(step), 0), key);
      return (static_cast<std::uint64_t>(words[0]) << 31) ^ words[1];
    };
  }

  CrawlOptions o_;
};

struct CrawlKind {
  using Options = CrawlOptions;
  static constexpr std::string_view kName = "crawl";
  static constexpr std::string_view kSummary = "convolutions over random walks (CRaWl)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    f("layers", o.layers, OptionRange{1, 256}, "layers; all see the same walks");
    f("hidden", o.hidden, OptionRange{1, 4096}, "width of the node states");
    f("conv_hidden", o.conv_hidden, OptionRange{0, 4096}, "width of the convolutions; 0: as 'hidden'");
    f("steps", o.steps, OptionRange{1, 10000}, "steps of a walk in training");
    f("eval_steps", o.eval_steps, OptionRange{0, 10000}, "steps in evaluation; 0: as 'steps'");
    f("window", o.window, OptionRange{1, 1024}, "how many positions back a walk recognises nodes and their neighbours");
    f("kernel", o.kernel, OptionRange{3, 1024}, "positions that a convolution sees; usually 'window' + 1");
    f("walks", o.walks, kAnyValue, "whether walks may go back the way they came");
    f("start_ratio", o.start_ratio, OptionRange{1e-6, 1},
      "walks per node in training, from nodes drawn at random; 1: one from every node. Evaluation always has that");
    f("identity_features", o.identity_features, kAnyValue, "whether a walk sees that it has been at a node");
    f("adjacency_features", o.adjacency_features, kAnyValue, "whether it sees that it has been next to a node");
    f("virtual_node", o.virtual_node, kAnyValue, "a node that is next to every other node of its graph");
    f("pooling", o.pooling, kAnyValue, "how the states of the nodes become that of the graph");
    f("readout", o.readout, kAnyValue, "one hidden layer after that, or none");
    f("dropout", o.dropout, OptionRange{0, 0.99}, "of the graph's state, and of the virtual node");
  };
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = Crawl<S>;
};

}  // namespace

const NetworkKind kCrawl = taped_kind<CrawlKind>();

}  // namespace agentnet
