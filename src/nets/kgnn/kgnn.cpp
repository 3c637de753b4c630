#include "nets/kgnn/kgnn.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "agentnet/error.h"
#include "nets/kgnn/batch_sets.h"
#include "nets/mpnn/nnconv.h"
#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {
namespace {

enum class PairSets { kMalkin, kLocal, kConnectedMalkin, kConnectedLocal };
enum class TripleSets { kMalkin, kLocal };
enum class NodePooling { kSum, kMean };

struct Kgnn12Options {
  int first_hidden = 32;
  int hidden = 64;
  int last_hidden = 32;
  NodePooling pooling = NodePooling::kMean;
  double dropout = 0.5;
  bool edge_matrices = false;
  int edge_hidden = 128;
  std::optional<int> labels = {};
  PairSets pairs = PairSets::kMalkin;
  std::vector<int> pair_types = {};
};

struct Kgnn123Options : Kgnn12Options {
  TripleSets triples = TripleSets::kMalkin;
  std::vector<int> triple_types = {};
  bool published_types = false;
};

}  // namespace

template <>
inline constexpr std::array option_names<PairSets> =
    std::to_array<std::string_view>({"malkin", "local", "connected-malkin", "connected-local"});
template <>
inline constexpr std::array option_names<TripleSets> = std::to_array<std::string_view>({"malkin", "local"});
template <>
inline constexpr std::array option_names<NodePooling> = std::to_array<std::string_view>({"sum", "mean"});

namespace {

SetFamily family_of(PairSets pairs) {
  switch (pairs) {
    case PairSets::kMalkin:
      return SetFamily::kTwoMalkin;
    case PairSets::kLocal:
      return SetFamily::kTwoLocal;
    case PairSets::kConnectedMalkin:
      return SetFamily::kConnectedTwoMalkin;
    default:
      return SetFamily::kConnectedTwoLocal;
  }
}

// With more labels than this there would be 20,000 types of triples; then a network that is not told otherwise goes
// without labels.
constexpr int kMostLabels = 37;

template <class S>
class Kgnn : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  Kgnn(const Kgnn123Options& options, bool triples, NetworkConfig config)
      : TapedNetwork<S>(std::move(config)), o_(options), with_triples_(triples), labels_(label_columns()) {
    const auto a = static_cast<std::uint64_t>(o_.first_hidden), h = static_cast<std::uint64_t>(o_.hidden);
    const auto last = static_cast<std::uint64_t>(o_.last_hidden);
    add_node_conv("conv1", static_cast<std::uint64_t>(node_columns(this->shape(), wish())), a);
    add_node_conv("conv2", a, h);
    add_node_conv("conv3", h, h);
    add_conv("conv4", h + types(pair_wish()), h);
    add_conv("conv5", h, h);
    if (with_triples_) {
      add_conv("conv6", h + types(triple_wish()), h);
      add_conv("conv7", h, h);
    }
    this->add_linear("fc1", h, h * (with_triples_ ? 3 : 2));
    this->add_linear("fc2", last, h);
    this->add_linear("fc3", static_cast<std::uint64_t>(this->outputs()), last);
  }

  [[nodiscard]] FeatureWish wish() const override { return {.edges = o_.edge_matrices}; }
  [[nodiscard]] std::string description() const override {
    return fmt::format("{} GNN with hidden size {}", with_triples_ ? "1-2-3" : "1-2", o_.hidden);
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override { return {{{"fc3"}, 1}}; }
  [[nodiscard]] double numbers_of(const GraphView& graph) const override {
    const auto n = static_cast<double>(graph.num_nodes), edges = static_cast<double>(graph.edge_feature_rows());
    const double matrices = o_.edge_matrices ? edges * o_.hidden * (o_.hidden + 3.0) : 0;
    return 4.0 * o_.hidden * (n + sets_of(graph)) + matrices;
  }
  [[nodiscard]] double recorded_bytes(const GraphView& graph) const override {
    const bool all_pairs = o_.pairs == PairSets::kMalkin || o_.pairs == PairSets::kLocal;
    // Of every pair, each of its edges replaces a node.
    const double replacements =
        all_pairs ? static_cast<double>(graph.num_nodes) * static_cast<double>(graph.edge_feature_rows()) : 0;
    return sets_of(graph) * (6 * sizeof(Index) + 3 * sizeof(std::int64_t)) + replacements * 2 * sizeof(Index);
  }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const tape::Segments& members = f.graphs().members();
    Value h = f.nodes();
    const Value edges = o_.edge_matrices ? f.edges() : Value();
    for (const std::string name : {"conv1", "conv2", "conv3"}) h = tape::elu(node_conv(f, h, edges, name));
    const Value nodes =
        o_.pooling == NodePooling::kSum ? tape::segment_sum(h, members) : tape::segment_mean(h, members);
    std::vector<Value> seen = {nodes, read_sets(f, h, pair_wish(), "conv4", "conv5")};
    if (with_triples_) seen.push_back(read_sets(f, h, triple_wish(), "conv6", "conv7"));
    Value z = tape::elu(f.linear(tape::concat<S>(seen), "fc1"));
    z = f.dropout(z, o_.dropout, "0", Rows::kGraphs);
    return {.outputs = f.linear(tape::elu(f.linear(z, "fc2")), "fc3"), .auxiliary = {}, .runs = 1};
  }

 private:
  // The columns that are set, or those of the first categorical column, if there are not too many for all the types.
  [[nodiscard]] LabelColumns label_columns() const {
    const DataShape& shape = this->shape();
    if (o_.labels) {
      const int columns = node_columns(shape, {});
      if (*o_.labels > columns) {
        throw Error(
            ErrorKind::kUsage,
            fmt::format("model option 'labels' is {}, and nodes have {} columns", *o_.labels, columns),
            "it counts the first columns, one of which is 1 where a node has its label; 0: there are no labels");
      }
      return {.first = 0, .count = std::max(*o_.labels, 1), .any = *o_.labels > 0};
    }
    if (shape.node_categories.empty()) return {};
    const int known = shape.node_categories.front() - 1;
    if (known < 1 || known > kMostLabels) return {};
    return {.first = shape.node_features, .count = known, .any = true};
  }

  [[nodiscard]] SetWish pair_wish() const {
    return {family_of(o_.pairs), SetTypes::kInvariant, labels_, o_.pair_types};
  }
  [[nodiscard]] SetWish triple_wish() const {
    return {o_.triples == TripleSets::kMalkin ? SetFamily::kConnectedThreeMalkin : SetFamily::kConnectedThreeLocal,
            o_.published_types ? SetTypes::kPublished : SetTypes::kInvariant, labels_, o_.triple_types};
  }
  [[nodiscard]] std::uint64_t types(const SetWish& wish) const {
    if (!std::is_sorted(wish.known_types.begin(), wish.known_types.end())) {
      throw Error(ErrorKind::kUsage, "model options 'pair_types' and 'triple_types' are lists in ascending order",
                  "leave them out, and there is a column for every type that can be");
    }
    return static_cast<std::uint64_t>(wish.known_types.empty() ? possible_types(labels_.count, wish.family)
                                                               : static_cast<std::int64_t>(wish.known_types.size()));
  }

  // Pairs and triples of a graph.
  [[nodiscard]] double sets_of(const GraphView& graph) const {
    const auto n = static_cast<double>(graph.num_nodes);
    double edges = 0, squares = 0;
    for (std::uint64_t v = 0; v < graph.num_nodes; ++v) {
      const auto [first, last] = graph.entries_of(v);
      const auto degree = static_cast<double>(last - first);
      edges += degree;
      squares += degree * degree;
    }
    double all = count_sets(n, edges, squares, pair_wish().family);
    if (with_triples_) all += count_sets(n, edges, squares, triple_wish().family);
    return all;
  }

  void add_node_conv(const std::string& name, std::uint64_t in, std::uint64_t out) {
    if (!o_.edge_matrices) return add_conv(name, in, out);
    add_nnconv(this->parameters_, name, in, out, static_cast<std::uint64_t>(edge_columns(this->shape(), wish())),
               static_cast<std::uint64_t>(o_.edge_hidden));
  }
  void add_conv(const std::string& name, std::uint64_t in, std::uint64_t out) {
    const auto fan_in = static_cast<std::int64_t>(in);
    this->parameters_.add(name + ".weight", {in, out}, Init::kUniform).fan_in = fan_in;
    this->parameters_.add(name + ".root_weight", {in, out}, Init::kUniform).fan_in = fan_in;
    this->parameters_.add(name + ".bias", {out}, Init::kUniform).fan_in = fan_in;
  }

  [[nodiscard]] Value node_conv(Formula<S>& f, Value h, Value edges, const std::string& name) const {
    if (edges) return nnconv(f, h, edge_matrices(f, edges, name), name, EdgeSum::kSum, 1);
    return convolve(f, h, h, f.graphs().neighbours(), name);
  }

  // mean over neighbours of W^T x + R^T x + b, where W^T x is `messages` times W.
  [[nodiscard]] Value convolve(Formula<S>& f, Value messages, Value own, const tape::Segments& neighbours,
                               const std::string& name) const {
    return tape::matmul(tape::segment_mean(messages, neighbours), f.parameter(name + ".weight")) +
           tape::matmul(own, f.parameter(name + ".root_weight")) + f.parameter(name + ".bias");
  }

  // [z ; one-hot type] times a weight [h + types, out] is z times its first rows, plus the row of the type.
  [[nodiscard]] Value typed_product(Formula<S>& f, Value z, const BatchSets<S>& sets, const tape::Segments& of_type,
                                    const std::string& weight) const {
    const Value w = f.parameter(weight);
    const Index h = z.columns();
    Value row = tape::gather(tape::slice_rows(w, h, w.rows() - h), sets.types, &of_type);
    if (sets.typed) row = row * sets.typed;
    return tape::matmul(z, tape::slice_rows(w, 0, h)) + row;
  }

  // Means of the members' states, two convolutions over sets, the mean over the sets of a graph: [B, h].
  [[nodiscard]] Value read_sets(Formula<S>& f, Value h, const SetWish& wish, const std::string& first,
                                const std::string& second) const {
    const BatchSets<S> sets = make_sets(f, wish);
    const Value z = tape::segment_mean(h, sets.members);
    const tape::Segments of_type = f.grouped(sets.types, static_cast<Index>(types(wish)));
    const Value messages = typed_product(f, z, sets, of_type, first + ".weight");
    Value s = tape::segment_mean(messages, sets.neighbours) +
              typed_product(f, z, sets, of_type, first + ".root_weight") + f.parameter(first + ".bias");
    s = tape::elu(s);
    s = tape::elu(convolve(f, s, s, sets.neighbours, second));
    return tape::segment_mean(s, sets.graphs);
  }

  Kgnn123Options o_;
  bool with_triples_;
  LabelColumns labels_;
};

template <class S>
struct Kgnn12 : Kgnn<S> {
  Kgnn12(const Kgnn12Options& options, NetworkConfig config)
      : Kgnn<S>(Kgnn123Options{options}, false, std::move(config)) {}
};
template <class S>
struct Kgnn123 : Kgnn<S> {
  Kgnn123(const Kgnn123Options& options, NetworkConfig config) : Kgnn<S>(options, true, std::move(config)) {}
};

constexpr auto kVisitKgnn = [](auto& o, const auto& f) {
  f("first_hidden", o.first_hidden, OptionRange{1, 4096}, "width of the first layer");
  f("hidden", o.hidden, OptionRange{1, 4096}, "width of all states after it");
  f("last_hidden", o.last_hidden, OptionRange{1, 4096}, "width before the output");
  f("pooling", o.pooling, kAnyValue, "how the states of the nodes become one; sets are always averaged");
  f("dropout", o.dropout, OptionRange{0, 0.99}, "after the first layer that reads the graph");
  f("edge_matrices", o.edge_matrices, kAnyValue, "nodes send through matrices made of edge features, as for QM9");
  f("edge_hidden", o.edge_hidden, OptionRange{1, 4096}, "width of the networks that make these matrices");
  f("labels", o.labels, OptionRange{0, 4096},
    "how many of the first columns of nodes are a one-hot label that types of sets count; auto: the first category");
  f("pairs", o.pairs, kAnyValue, "all pairs or adjacent ones; a neighbour replaces its own node, or any (local)");
  f("pair_types", o.pair_types, OptionRange{0, 2147483647}, "types that have a column, ascending; none: all");
};

struct Kgnn12Kind {
  using Options = Kgnn12Options;
  static constexpr std::string_view kName = "kgnn12";
  static constexpr std::string_view kSummary = "1-2 GNN: messages between nodes, then between pairs (AAAI 2019)";
  static constexpr auto kVisit = kVisitKgnn;
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = Kgnn12<S>;
};

struct Kgnn123Kind {
  using Options = Kgnn123Options;
  static constexpr std::string_view kName = "kgnn123";
  static constexpr std::string_view kSummary =
      "1-2-3 GNN: messages between nodes, then pairs, and connected triples (AAAI 2019)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    kVisitKgnn(o, f);
    f("triples", o.triples, kAnyValue, "a neighbour replaces its own node of a triple, or any (local)");
    f("triple_types", o.triple_types, OptionRange{0, 2147483647}, "types that have a column, ascending; none: all");
    f("published_types", o.published_types, kAnyValue,
      "types of triples depend on the numbers of nodes, as in the published code");
  };
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = Kgnn123<S>;
};

}  // namespace

const NetworkKind kKgnn12 = taped_kind<Kgnn12Kind>();
const NetworkKind kKgnn123 = taped_kind<Kgnn123Kind>();

}  // namespace agentnet
