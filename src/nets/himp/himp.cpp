#include "nets/himp/himp.h"

#include <fmt/core.h>

#include <algorithm>

#include "nets/himp/junction_tree.h"
#include "nets/taped/encoders.h"
#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {
namespace {

using tape::Activation;

struct HimpOptions {
  int layers = 3;
  int hidden = 128;
  bool tree = true;
  double dropout = 0;
};

// The junction trees of a batch, cliques numbered through: K cliques, T directed edges of trees, P pairs of an atom and
// a clique that it is in. In memory of the tape.
struct Trees {
  Index cliques = 0;
  std::span<const Index> types;              // [K]
  std::span<const Index> senders;            // [T]
  tape::Segments by_sender, by_receiver;     // of the edges
  std::span<const Index> atoms, cliques_of;  // [P] each
  tape::Segments by_atom, by_clique;         // of the pairs
  tape::Segments of_graph;                   // of the cliques
  RowNames names;
};

// The same as lists, while they are made.
struct TreeLists {
  std::vector<Index> types, senders, receivers, atoms, cliques_of;
  std::vector<std::int64_t> of_graph{0};
};

void add_tree(const JunctionTree& tree, Index first_atom, TreeLists& lists) {
  const auto first = static_cast<Index>(lists.types.size());
  for (const auto& [a, b] : tree.edges) {
    lists.senders.insert(lists.senders.end(), {first + a, first + b});
    lists.receivers.insert(lists.receivers.end(), {first + b, first + a});
  }
  for (std::size_t c = 0; c < tree.cliques.size(); ++c) {
    lists.types.push_back(static_cast<Index>(tree.types[c]));
    for (const Index atom : tree.cliques[c]) {
      lists.atoms.push_back(first_atom + atom);
      lists.cliques_of.push_back(first + static_cast<Index>(c));
    }
  }
  lists.of_graph.push_back(static_cast<std::int64_t>(lists.types.size()));
}

TreeLists recorded_trees(const RecordedDraws& recorded) {
  const auto values = [&](const char* name) { return std::span(recorded.marks.at(name)); };
  const auto indices = [](std::span<const std::int64_t> from) { return std::vector<Index>(from.begin(), from.end()); };
  const auto edges = values("tree.edge_index"), pairs = values("tree.atom2clique");
  TreeLists lists;
  lists.types = indices(values("tree.x_clique"));
  lists.senders = indices(edges.first(edges.size() / 2));
  lists.receivers = indices(edges.subspan(edges.size() / 2));
  lists.atoms = indices(pairs.first(pairs.size() / 2));
  lists.cliques_of = indices(pairs.subspan(pairs.size() / 2));
  for (const std::int64_t count : values("tree.num_cliques")) lists.of_graph.push_back(lists.of_graph.back() + count);
  return lists;
}

template <class S, class T>
std::span<const T> kept(Formula<S>& f, const std::vector<T>& values) {
  T* to = f.tape().template keep<T>(values.size());
  std::copy(values.begin(), values.end(), to);
  return {to, values.size()};
}

template <class S>
Trees make_trees(Formula<S>& f) {
  const GraphArrays<S>& graphs = f.graphs();
  const tape::Segments &members = graphs.members(), &neighbours = graphs.neighbours();
  TreeLists lists;
  if (f.recorded() != nullptr) {
    lists = recorded_trees(*f.recorded());
  } else {
    for (Index g = 0; g < members.count; ++g) {
      const auto first = static_cast<Index>(members.offsets[g]);
      const SimpleGraph graph(static_cast<Index>(members.size(g)), neighbours.offsets + first, neighbours.members,
                              first);
      add_tree(junction_tree(graph), first, lists);
    }
  }
  Trees trees;
  trees.cliques = static_cast<Index>(lists.types.size());
  trees.types = kept(f, lists.types);
  trees.senders = kept(f, lists.senders);
  trees.by_sender = f.grouped(lists.senders, trees.cliques);
  trees.by_receiver = f.grouped(lists.receivers, trees.cliques);
  trees.atoms = kept(f, lists.atoms);
  trees.cliques_of = kept(f, lists.cliques_of);
  trees.by_atom = f.grouped(lists.atoms, graphs.nodes());
  trees.by_clique = f.grouped(lists.cliques_of, trees.cliques);
  trees.of_graph = {
      .count = members.count, .rows = trees.cliques, .offsets = kept(f, lists.of_graph).data(), .disjoint = true};
  auto* graph = f.tape().template keep<std::uint64_t>(lists.types.size());
  auto* number = f.tape().template keep<std::uint32_t>(lists.types.size());
  for (std::size_t g = 0; g + 1 < lists.of_graph.size(); ++g) {
    for (std::int64_t c = lists.of_graph[g]; c < lists.of_graph[g + 1]; ++c) {
      graph[c] = graphs.ids()[g];
      number[c] = static_cast<std::uint32_t>(c - lists.of_graph[g]);
    }
  }
  trees.names = {graph, number};
  return trees;
}

template <class S>
class Himp : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  Himp(const HimpOptions& options, NetworkConfig config) : TapedNetwork<S>(std::move(config)), o_(options) {
    const auto H = static_cast<std::uint64_t>(o_.hidden);
    const DataShape& shape = this->shape();
    add_encoder(this->parameters_, kAtoms, shape.node_categories, node_columns(shape, kTables), H);
    if (o_.tree)
      this->parameters_.add("clique_encoder.weight", {static_cast<std::uint64_t>(kCliqueTypes), H}, Init::kNormal);
    for (int l = 0; l < o_.layers; ++l) {
      add_encoder(this->parameters_, bonds(l), shape.edge_categories, edge_columns(shape, kTables), H);
      add_convolution("atom", l);
      if (!o_.tree) continue;
      add_convolution("clique", l);
      this->add_linear(fmt::format("atom2clique_lins.{}", l), H, H);
      this->add_linear(fmt::format("clique2atom_lins.{}", l), H, H);
    }
    this->add_linear("atom_lin", H, H);
    if (o_.tree) this->add_linear("clique_lin", H, H);
    this->add_linear("lin", this->outputs(), H);
  }

  [[nodiscard]] FeatureWish wish() const override { return kTables; }
  [[nodiscard]] std::string description() const override {
    return fmt::format("HIMP with {} layers, hidden size {}{}", o_.layers, o_.hidden, o_.tree ? "" : ", without tree");
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override { return {{{"lin"}, 1}}; }
  [[nodiscard]] double numbers_per_node() const override { return 14.0 * o_.hidden; }
  [[nodiscard]] double numbers_per_edge() const override { return 3.0 * o_.hidden; }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const Trees trees = o_.tree ? make_trees(f) : Trees();
    const tape::Segments& members = f.graphs().members();
    Value x = encode_nodes(f, kAtoms, o_.hidden), t;
    if (trees.cliques > 0) {
      const Value table = f.parameter("clique_encoder.weight");
      t = tape::embedding<S>(std::span(&table, 1), trees.types, trees.cliques);
    }
    for (int l = 0; l < o_.layers; ++l) {
      x = f.dropout(convolve(f, x, neighbours(f, x, l), "atom", l), o_.dropout, Rows::kNodes);
      if (t) t = next_cliques(f, t, x, trees, l);
      if (o_.tree) x = x + clique_messages(f, t, trees, l);
    }
    Value y = f.linear(f.dropout(tape::segment_mean(x, members), o_.dropout, Rows::kGraphs), "atom_lin");
    if (o_.tree) {
      const Value mean = t ? tape::segment_mean(t, trees.of_graph) : f.tape().filled(members.count, o_.hidden, S(0));
      y = y + f.linear(f.dropout(mean, o_.dropout, Rows::kGraphs), "clique_lin");
    }
    return {
        .outputs = f.linear(f.dropout(tape::relu(y), o_.dropout, Rows::kGraphs), "lin"), .auxiliary = {}, .runs = 1};
  }

 private:
  static constexpr const char* kAtoms = "atom_encoder.embeddings";
  [[nodiscard]] static std::string bonds(int l) { return fmt::format("bond_encoders.{}.embeddings", l); }

  void add_convolution(const char* what, int l) {
    const auto H = static_cast<std::uint64_t>(o_.hidden);
    const std::string name = fmt::format("{}_convs.{}.", what, l);
    this->parameters_.add(name + "eps", {1}, Init::kZero);
    this->add_linear(name + "nn.0", H * 2, H);
    this->add_batch_norm(name + "nn.1", H * 2);
    this->add_linear(name + "nn.3", H, H * 2);
    this->add_batch_norm(fmt::format("{}_batch_norms.{}", what, l), H);
  }
  // relu(BN(mlp((1 + eps) x + sum)))
  [[nodiscard]] static Value convolve(Formula<S>& f, Value x, Value sum, const char* what, int l) {
    const std::string name = fmt::format("{}_convs.{}.", what, l);
    Value z = x + f.parameter(name + "eps") * x + sum;
    z = f.batch_norm(f.linear(z, name + "nn.0"), name + "nn.1", {Activation::kRelu});
    return f.batch_norm(f.linear(z, name + "nn.3"), fmt::format("{}_batch_norms.{}", what, l), {Activation::kRelu});
  }

  // The sum over edges u -> v of relu(x_u + e_uv).
  [[nodiscard]] Value neighbours(Formula<S>& f, Value x, int l) const {
    const GraphArrays<S>& graphs = f.graphs();
    const Value e = encode_edges(f, bonds(l), o_.hidden, this->shape());
    if (!e) return tape::segment_sum(tape::relu(x), graphs.neighbours());
    return tape::segment_sum(tape::relu(tape::gather(x, graphs.senders(), &graphs.sent()) + e), graphs.received());
  }

  [[nodiscard]] Value next_cliques(Formula<S>& f, Value t, Value x, const Trees& trees, int l) const {
    const Value mean = tape::segment_mean(tape::gather(x, trees.atoms, &trees.by_atom), trees.by_clique);
    t = t + f.linear(mean, fmt::format("atom2clique_lins.{}", l), {Activation::kRelu});
    const Value sum = tape::segment_sum(tape::gather(t, trees.senders, &trees.by_sender), trees.by_receiver);
    return f.dropout(convolve(f, t, sum, "clique", l), o_.dropout, trees.names);
  }

  [[nodiscard]] Value clique_messages(Formula<S>& f, Value t, const Trees& trees, int l) const {
    const Value mean = t ? tape::segment_mean(tape::gather(t, trees.cliques_of, &trees.by_clique), trees.by_atom)
                         : f.tape().filled(f.graphs().nodes(), o_.hidden, S(0));
    return f.linear(mean, fmt::format("clique2atom_lins.{}", l), {Activation::kRelu});
  }

  HimpOptions o_;
};

struct HimpKind {
  using Options = HimpOptions;
  static constexpr std::string_view kName = "himp";
  static constexpr std::string_view kSummary = "messages between atoms and in the tree of rings and bonds (HIMP)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    f("layers", o.layers, OptionRange{1, 256}, "layers");
    f("hidden", o.hidden, OptionRange{1, 4096}, "width of the states of atoms and of rings and bonds");
    f("tree", o.tree, kAnyValue, "messages go between atoms and the tree of rings and bonds, and inside that");
    f("dropout", o.dropout, OptionRange{0, 0.99}, "of all states after each layer, and three times in the readout");
  };
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = Himp<S>;
};

}  // namespace

const NetworkKind kHimp = taped_kind<HimpKind>();

}  // namespace agentnet
