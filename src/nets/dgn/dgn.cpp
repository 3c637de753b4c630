#include "nets/dgn/dgn.h"

#include <cctype>

#include "nets/dgn/eigenvectors.h"
#include "nets/pna/tower.h"
#include "nets/taped/encoders.h"
#include "nets/taped/taped_kind.h"

namespace agentnet {
namespace {

using tape::Activation;

enum class DgnLayer { kSimple, kComplex, kTowers };

struct DgnOptions {
  DgnLayer layer = DgnLayer::kComplex;
  int layers = 4;
  int hidden = 65;
  int last_hidden = 0;
  int towers = 5;
  std::vector<std::string> aggregators = {"mean", "dir1-dx", "max", "min"};
  std::vector<std::string> scalers = kAllScalers;
  double mean_log_degree = 1;
  bool use_edges = true;
  int edge_hidden = 40;
  int pretrans_layers = 1;
  int posttrans_layers = 1;
  bool graph_norm = true;
  bool batch_norm = true;
  bool residual = true;
  bool flip_signs = false;
  GraphPooling pooling = GraphPooling::kSum;
  double input_dropout = 0;
  double dropout = 0;
};

}  // namespace

template <>
inline constexpr std::array option_names<DgnLayer> = std::to_array<std::string_view>({"simple", "complex", "towers"});

namespace {

const std::vector<std::string> kStatistics = {"mean", "sum", "max", "min", "std", "var"};

// "dirK-av", "dirK-dx", "dirK-dx-no-abs": along eigenvector K.
struct Direction {
  enum class What { kAverage, kDerivative, kSignedDerivative };
  int eigenvector = 0;
  What what = What::kAverage;
};
constexpr int kMostEigenvectors = 16;

std::optional<Direction> parse_direction(const std::string& word) {
  if (!word.starts_with("dir")) return std::nullopt;
  std::size_t at = 3;
  int number = 0;
  for (; at < word.size() && std::isdigit(static_cast<unsigned char>(word[at])) != 0 && number < 1000; ++at) {
    number = 10 * number + (word[at] - '0');
  }
  if (at == 3 || number < 1 || number > kMostEigenvectors) return std::nullopt;
  const std::string rest = word.substr(at);
  if (rest == "-av") return Direction{number, Direction::What::kAverage};
  if (rest == "-dx") return Direction{number, Direction::What::kDerivative};
  if (rest == "-dx-no-abs") return Direction{number, Direction::What::kSignedDerivative};
  return std::nullopt;
}

// Along an eigenvector, of the edges u -> v: w = d / (sum over the edges that v receives of |d| + 1e-8), d = the
// difference of its entries at u and v.
template <class S>
struct Field {
  tape::Value<S> weights;  // [E, 1] w
  tape::Value<S> amounts;  // [E, 1] |w|
  tape::Value<S> sums;     // [N, 1] the sum of w
};

template <class S>
class Dgn : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  Dgn(const DgnOptions& options, NetworkConfig config) : TapedNetwork<S>(std::move(config)), o_(options) {
    check();
    const DataShape& shape = this->shape();
    add_encoder(this->parameters_, "embedding_h", shape.node_categories, node_columns(shape, kTables), width(0));
    if (reads_edges()) {
      add_encoder(this->parameters_, "embedding_e", shape.edge_categories, edge_columns(shape, kTables),
                  static_cast<std::uint64_t>(o_.edge_hidden));
    }
    for (int l = 0; l < o_.layers; ++l) {
      for (int t = 0; t < towers(); ++t) add_part(l, t);
      if (in_towers()) add_small_linear(this->parameters_, mixing(l), width(l + 1), width(l + 1));
    }
    add_readout(this->parameters_, "MLP_layer", width(o_.layers), this->outputs());
  }

  [[nodiscard]] FeatureWish wish() const override { return kTables; }
  [[nodiscard]] std::string description() const override {
    return fmt::format("DGN with {} layers, hidden size {}", o_.layers, o_.hidden);
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override { return {{{"MLP_layer.FC_layers.2"}, 1}}; }
  [[nodiscard]] double numbers_per_node() const override {
    return (6.0 + static_cast<double>(o_.aggregators.size())) * o_.hidden;
  }
  [[nodiscard]] double numbers_per_edge() const override { return 4.0 * o_.hidden; }

  void initialise(std::uint64_t seed, std::span<S> parameters) const override {
    TapedNetwork<S>::initialise(seed, parameters);
    scale_own_weights(this->parameters_, parameters);
  }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const NodeScales<S> scales(f, o_.mean_log_degree);
    const std::vector<Field<S>> fields = make_fields(f);
    Value h = f.dropout(encode_nodes(f, "embedding_h", o_.hidden), o_.input_dropout, Rows::kNodes);
    const Value e = reads_edges() ? encode_edges(f, "embedding_e", o_.edge_hidden, this->shape()) : Value();
    for (int l = 0; l < o_.layers; ++l) {
      const bool residual = o_.residual && width(l) == width(l + 1);
      Value z;
      if (in_towers()) {
        std::vector<Value> parts;
        for (int t = 0; t < o_.towers; ++t) {
          const Index part = h.columns() / o_.towers;
          const Value y = normed(f, convolve(f, tape::slice(h, t * part, part), e, fields, scales, l, t), scales, l, t);
          parts.push_back(f.dropout(y, o_.dropout, Rows::kNodes));
        }
        z = f.linear(tape::concat<S>(parts), mixing(l), {Activation::kLeakyRelu});
        if (residual) z = h + z;
      } else {
        z = tape::relu(normed(f, convolve(f, h, e, fields, scales, l, 0), scales, l, 0));
        if (residual) z = h + z;
        z = f.dropout(z, o_.dropout, Rows::kNodes);
      }
      h = z;
    }
    return {.outputs = read_out(f, pool_graphs(h, f.graphs().members(), o_.pooling), "MLP_layer"),
            .auxiliary = {},
            .runs = 1};
  }

 private:
  void check() const {
    for (const std::string& word : o_.aggregators) {
      if (!parse_direction(word)) check_words("aggregators", {word}, known_aggregators());
    }
    if (o_.aggregators.empty()) check_words("aggregators", {}, known_aggregators());
    check_words("scalers", o_.scalers, kAllScalers);
    for (const int wide : {o_.hidden, last_hidden()}) {
      if (!in_towers() || wide % o_.towers == 0) continue;
      throw Error(ErrorKind::kUsage,
                  fmt::format("model option 'towers' is {}, which does not divide {}", o_.towers, wide),
                  "'hidden' and 'last_hidden' are cut into towers: make them multiples of it");
    }
  }
  [[nodiscard]] static std::vector<std::string> known_aggregators() {
    std::vector<std::string> known = kStatistics;
    for (const char* word : {"dirK-av", "dirK-dx", "dirK-dx-no-abs (K: 1 to 16)"}) known.emplace_back(word);
    return known;
  }
  [[nodiscard]] bool in_towers() const { return o_.layer == DgnLayer::kTowers; }
  [[nodiscard]] int towers() const { return in_towers() ? o_.towers : 1; }
  [[nodiscard]] int last_hidden() const { return o_.last_hidden > 0 ? o_.last_hidden : o_.hidden; }
  // Of the states that go into layer l, or for the last come out of it.
  [[nodiscard]] std::uint64_t width(int l) const {
    return static_cast<std::uint64_t>(l == o_.layers ? last_hidden() : o_.hidden);
  }
  [[nodiscard]] bool reads_edges() const {
    return o_.layer != DgnLayer::kSimple && o_.use_edges &&
           (!this->shape().edge_categories.empty() || edge_columns(this->shape(), kTables) > 0);
  }
  [[nodiscard]] static std::string mixing(int l) { return fmt::format("layers.{}.mixing_network.linear", l); }
  [[nodiscard]] std::string part_name(int l, int t) const {
    return in_towers() ? fmt::format("layers.{}.towers.{}.", l, t) : fmt::format("layers.{}.", l);
  }
  // A single scaler is left out, whatever it is, as published.
  [[nodiscard]] std::vector<std::string> scalers() const {
    return o_.scalers.size() > 1 ? o_.scalers : std::vector<std::string>();
  }

  void add_part(int l, int t) {
    const std::string name = part_name(l, t);
    const auto parts = static_cast<std::uint64_t>(towers());
    const std::uint64_t in = width(l) / parts, out = width(l + 1) / parts;
    const std::uint64_t edge = reads_edges() ? static_cast<std::uint64_t>(o_.edge_hidden) : 0;
    const std::uint64_t statistics = o_.aggregators.size() * std::max<std::uint64_t>(1, scalers().size());
    const bool simple = o_.layer == DgnLayer::kSimple;
    if (o_.batch_norm) this->add_batch_norm(name + "batchnorm_h", out);
    if (!simple) add_mlp(this->parameters_, name + "pretrans", o_.pretrans_layers, 2 * in + edge, in, in);
    add_mlp(this->parameters_, name + "posttrans", o_.posttrans_layers, in * (statistics + (simple ? 0 : 1)), out, out);
  }

  [[nodiscard]] Value convolve(Formula<S>& f, Value h, Value e, const std::vector<Field<S>>& fields,
                               const NodeScales<S>& scales, int l, int t) const {
    const GraphArrays<S>& graphs = f.graphs();
    const std::string name = part_name(l, t);
    const bool simple = o_.layer == DgnLayer::kSimple;
    const Value m = simple ? tape::gather(h, graphs.senders(), &graphs.sent())
                           : messages(f, h, e, name + "pretrans", o_.pretrans_layers);
    std::vector<Value> statistics;
    for (const std::string& aggregator : o_.aggregators) {
      const auto direction = parse_direction(aggregator);
      statistics.push_back(direction ? along(f, *direction, fields, m, h) : statistic(f, m, aggregator));
    }
    return after_messages(f, simple ? Value() : h, tape::concat<S>(statistics), scales, scalers(), name + "posttrans",
                          o_.posttrans_layers);
  }

  [[nodiscard]] Value along(Formula<S>& f, const Direction& direction, const std::vector<Field<S>>& fields, Value m,
                            Value h) const {
    const Field<S>& field = fields[static_cast<std::size_t>(direction.eigenvector)];
    const tape::Segments& received = f.graphs().received();
    if (direction.what == Direction::What::kAverage) return tape::segment_sum(m * field.amounts, received);
    const Value derivative = tape::segment_sum(m * field.weights, received) - h * field.sums;
    return direction.what == Direction::What::kDerivative ? tape::abs(derivative) : derivative;
  }

  [[nodiscard]] Value normed(Formula<S>& f, Value z, const NodeScales<S>& scales, int l, int t) const {
    if (o_.graph_norm) z = z * scales.size_norm();
    return o_.batch_norm ? f.batch_norm(z, part_name(l, t) + "batchnorm_h") : z;
  }

  // By the number of the eigenvector, as far as aggregators ask for them.
  [[nodiscard]] std::vector<Field<S>> make_fields(Formula<S>& f) const {
    int most = 0;
    for (const std::string& aggregator : o_.aggregators) {
      if (const auto direction = parse_direction(aggregator)) most = std::max(most, direction->eigenvector);
    }
    if (most == 0) return {};
    const auto N = static_cast<std::size_t>(f.graphs().nodes());
    std::size_t columns = static_cast<std::size_t>(most) + 1;
    std::vector<double> entries;
    if (f.recorded() != nullptr) {
      entries = f.recorded()->numbers.at("eig");
      columns = entries.size() / N;
    } else {
      entries = find_eigenvectors(f, most + 1);
    }
    std::vector<Field<S>> fields(1);
    for (int k = 1; k <= most; ++k) {
      fields.push_back(make_field(f, [&](Index v) {
        return static_cast<S>(entries.at(static_cast<std::size_t>(v) * columns + static_cast<std::size_t>(k)));
      }));
    }
    return fields;
  }

  template <class Entry>
  [[nodiscard]] static Field<S> make_field(Formula<S>& f, const Entry& entry) {
    const GraphArrays<S>& graphs = f.graphs();
    const Index N = graphs.nodes(), E = graphs.edges();
    S* w = f.tape().template keep<S>(static_cast<std::size_t>(E));
    S* amounts = f.tape().template keep<S>(static_cast<std::size_t>(E));
    S* sums = f.tape().template keep<S>(static_cast<std::size_t>(N));
    const tape::Segments& received = graphs.received();
    for (Index v = 0; v < N; ++v) {
      S total = 0, sum = 0;
      for (std::int64_t e = received.offsets[v]; e < received.offsets[v + 1]; ++e) {
        w[e] = entry(graphs.senders()[static_cast<std::size_t>(e)]) - entry(v);
        total += std::abs(w[e]);
      }
      for (std::int64_t e = received.offsets[v]; e < received.offsets[v + 1]; ++e) {
        w[e] /= total + S(1e-8);
        amounts[e] = std::abs(w[e]);
        sum += w[e];
      }
      sums[v] = sum;
    }
    return {f.tape().input(w, E, 1), f.tape().input(amounts, E, 1), f.tape().input(sums, N, 1)};
  }

  // [N, count]
  [[nodiscard]] std::vector<double> find_eigenvectors(Formula<S>& f, int count) const {
    const tape::Segments &members = f.graphs().members(), &neighbours = f.graphs().neighbours();
    const std::uint32_t site = f.next_site();
    std::vector<double> all;
    for (Index g = 0; g < members.count; ++g) {
      const auto first = static_cast<Index>(members.offsets[g]);
      const SimpleGraph graph(static_cast<Index>(members.size(g)), neighbours.offsets + first, neighbours.members,
                              first);
      std::vector<double> vectors = laplacian_eigenvectors(graph, count);
      if (o_.flip_signs && f.tape().mode().training) {
        const std::uint64_t id = f.graphs().ids()[static_cast<std::size_t>(g)];
        for (std::size_t i = 0; i < vectors.size(); ++i) {
          const auto k = static_cast<std::uint32_t>(i % static_cast<std::size_t>(count));
          if ((philox(random_counter(id, k, site, 0), f.key(Purpose::kDropout))[0] & 1U) != 0) vectors[i] = -vectors[i];
        }
      }
      all.insert(all.end(), vectors.begin(), vectors.end());
    }
    return all;
  }

  DgnOptions o_;
};

struct DgnKind {
  using Options = DgnOptions;
  static constexpr std::string_view kName = "dgn";
  static constexpr std::string_view kSummary = "statistics of neighbours along Laplacian eigenvectors (DGN)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    f("layer", o.layer, kAnyValue, "simple: messages are states; complex: a small network makes them; towers: as PNA");
    f("layers", o.layers, OptionRange{1, 256}, "convolutions");
    f("hidden", o.hidden, OptionRange{4, 4096}, "width of the node states");
    f("last_hidden", o.last_hidden, OptionRange{0, 4096},
      "width after the last layer; 0: as 'hidden', else at least 4");
    f("towers", o.towers, OptionRange{1, 256}, "parts that a layer of towers computes apart and then mixes");
    f("aggregators", o.aggregators, kAnyValue,
      "statistics of the messages: mean, sum, max, min, std, var; dirK-av, dirK-dx, dirK-dx-no-abs along eigenvector "
      "K");
    f("scalers", o.scalers, kAnyValue,
      "how degrees scale them: identity, amplification, attenuation; one alone is "
      "left out");
    f("mean_log_degree", o.mean_log_degree, OptionRange{1e-6, 100},
      "delta of the scalers, the mean of log(degree + 1); the data decides it");
    f("use_edges", o.use_edges, kAnyValue, "whether messages see the features of edges");
    f("edge_hidden", o.edge_hidden, OptionRange{1, 4096}, "width of the states of edges");
    f("pretrans_layers", o.pretrans_layers, OptionRange{1, 16}, "linear layers that make a message");
    f("posttrans_layers", o.posttrans_layers, OptionRange{1, 16}, "linear layers after the statistics");
    f("graph_norm", o.graph_norm, kAnyValue, "divide by the root of the number of nodes before the batch norm");
    f("batch_norm", o.batch_norm, kAnyValue, "a batch norm in each layer or tower");
    f("residual", o.residual, kAnyValue, "add a layer's input where the widths agree");
    f("flip_signs", o.flip_signs, kAnyValue, "draw a sign for each eigenvector of each graph in training");
    f("pooling", o.pooling, kAnyValue, "how the states of the nodes become that of the graph");
    f("input_dropout", o.input_dropout, OptionRange{0, 0.99}, "of the embedded nodes");
    f("dropout", o.dropout, OptionRange{0, 0.99}, "of the states after each layer, or of each tower");
  };
  static std::vector<OptionChoice> advise(const SetSize& set) { return advise_log_degree(set); }
  template <class S>
  using Made = Dgn<S>;
};

}  // namespace

const NetworkKind kDgn = taped_kind<DgnKind>();

}  // namespace agentnet
