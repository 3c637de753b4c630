#include "nets/esan/esan_base.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace agentnet {

using tape::Activation;

namespace {

constexpr const char* kNodeTables = "node_encoder.";
constexpr const char* kNodeNumbers = "node_numbers";

std::string bonds(const std::string& conv) { return conv + ".bond_encoder."; }
std::string edge_numbers(const std::string& conv) { return conv + ".edge_numbers"; }

}  // namespace

template <class S>
Esan<S>::Esan(const EsanOptions& options, NetworkConfig config) : TapedNetwork<S>(std::move(config)), o_(options) {}

template <class S>
BagWish Esan<S>::bag_wish() const {
  return {.policy = o_.policy,
          .hops = o_.hops,
          .fraction = o_.fraction,
          .degrees = o_.degree > 0 ? o_.degree + 1 : 0,
          .edges = o_.conv != EsanConv::kGin,
          .double_self_loops = o_.published_self_loops};
}

template <class S>
bool Esan<S>::has_node_features() const {
  return this->shape().node_features > 0 || !this->shape().node_categories.empty();
}

// Degrees replace the constant that nodes without features have.
template <class S>
std::uint64_t Esan<S>::base_width() const {
  if (!has_node_features() && o_.degree > 0) return 0;
  return static_cast<std::uint64_t>(o_.conv == EsanConv::kGin ? node_columns(this->shape(), wish()) : o_.hidden);
}

template <class S>
std::uint64_t Esan<S>::encoded_width() const {
  return base_width() + static_cast<std::uint64_t>(mark_columns(bag_wish()));
}

// OGB's tables start by Xavier's rule, that of ZINC as PyTorch's do.
template <class S>
void Esan<S>::add_tables(const std::string& prefix, const std::vector<int>& vocabularies, std::uint64_t width) {
  for (std::size_t j = 0; j < vocabularies.size(); ++j) {
    const std::string name = prefix + std::to_string(j);
    const auto rows = static_cast<std::uint64_t>(vocabularies[j]);
    if (o_.conv == EsanConv::kMol) {
      this->add_table(name, rows, width);
    } else {
      this->parameters_.add_table(name, rows, width);
    }
  }
}

template <class S>
void Esan<S>::add_encoder() {
  if (o_.conv == EsanConv::kGin || base_width() == 0) return;
  const auto hidden = static_cast<std::uint64_t>(o_.hidden);
  add_tables(kNodeTables, this->shape().node_categories, hidden);
  const auto numbers = static_cast<std::uint64_t>(node_columns(this->shape(), wish()));
  if (numbers > 0) this->add_linear(kNodeNumbers, hidden, numbers);
}

template <class S>
void Esan<S>::add_conv(const std::string& name, std::uint64_t in) {
  const auto out = static_cast<std::uint64_t>(o_.hidden);
  const std::uint64_t inner = o_.conv == EsanConv::kMol ? 2 * out : out;
  if (o_.conv != EsanConv::kGin) {
    this->parameters_.add(name + ".eps", {1}, Init::kZero);
    add_tables(bonds(name), this->shape().edge_categories, in);
    const auto numbers = static_cast<std::uint64_t>(edge_columns(this->shape(), wish()));
    if (numbers > 0) this->add_linear(edge_numbers(name), in, numbers);
  }
  this->add_linear(name + ".mlp.0", inner, in);
  this->add_batch_norm(name + ".mlp.1", inner);
  this->add_linear(name + ".mlp.3", out, inner);
}

template <class S>
void Esan<S>::add_final_layers(std::uint64_t channels) {
  this->add_linear("final_layers.0", 2 * channels, channels);
  this->add_linear("final_layers.2", static_cast<std::uint64_t>(this->outputs()), 2 * channels);
}

template <class S>
tape::Value<S> Esan<S>::encode(Formula<S>& f, const BatchBags<S>& bags) const {
  Value base;
  if (base_width() > 0 && o_.conv == EsanConv::kGin) {
    base = f.nodes();
  } else if (base_width() > 0) {
    if (!this->shape().node_categories.empty()) base = f.node_tables(kNodeTables, o_.hidden);
    if (node_columns(this->shape(), wish()) > 0) {
      const Value numbers = f.linear(f.nodes(), kNodeNumbers);
      base = base ? base + numbers : numbers;
    }
  }
  if (!base) return bags.marks;
  base = tape::gather(base, bags.original, &bags.copies);
  return bags.marks ? tape::concat({bags.marks, base}) : base;
}

// What edges add to a message, [E + self loops, width]: embeddings and numbers; none if edges have no features.
template <class S>
tape::Value<S> Esan<S>::edge_features(Formula<S>& f, const std::string& name, Index width,
                                      std::span<const Index> self_loops) const {
  const GraphArrays<S>& graphs = f.graphs();
  const auto E = static_cast<std::size_t>(graphs.edges());
  const std::size_t tables = this->shape().edge_categories.size();
  if (E == 0) return {};
  Value all;
  if (tables > 0) {
    const std::span<const Index> given = graphs.edge_categories();
    auto* categories = f.tape().template keep<Index>((E + self_loops.size()) * tables);
    Index* to = std::copy(given.begin(), given.end(), categories);
    for (const Index e : self_loops) {
      for (std::size_t j = 0; j < tables; ++j) {
        *to++ = std::min(2 * given[static_cast<std::size_t>(e) * tables + j], this->shape().edge_categories[j] - 1);
      }
    }
    std::vector<Value> weights;
    for (std::size_t j = 0; j < tables; ++j)
      weights.push_back(f.parameter(bonds(name) + std::to_string(j) + ".weight"));
    all = tape::embedding<S>(weights, {categories, (E + self_loops.size()) * tables},
                             static_cast<Index>(E + self_loops.size()));
  }
  if (edge_columns(this->shape(), wish()) > 0) {
    Value numbers = f.edges();
    if (!self_loops.empty()) numbers = tape::stack({numbers, S(2) * tape::gather(numbers, self_loops)});
    numbers = f.linear(numbers, edge_numbers(name));
    all = all ? all + numbers : numbers;
  }
  if (all && all.columns() != width) throw std::logic_error("ESAN: edge features of another width");
  return all;
}

// lin(relu(BN(lin(z))))
template <class S>
tape::Value<S> Esan<S>::mlp(Formula<S>& f, Value z, const std::string& name) const {
  z = f.batch_norm(f.linear(z, name + ".mlp.0"), name + ".mlp.1", {Activation::kRelu});
  return f.linear(z, name + ".mlp.3");
}

// gin: z_i + sum of z_j. zinc, mol: (1 + eps) z_i + sum of relu(z_j + e_ij).
template <class S>
tape::Value<S> Esan<S>::convolve_bags(Formula<S>& f, Value z, const BatchBags<S>& bags, const std::string& name) const {
  if (o_.conv == EsanConv::kGin) return mlp(f, tape::aggregate(z, bags.neighbours), name);
  const Value edges = edge_features(f, name, z.columns(), bags.self_loops);
  Value messages = tape::gather(z, bags.senders, &bags.sent);
  if (edges) messages = messages + tape::gather(edges, bags.edges, &bags.of_edge);
  const Value sum = tape::segment_sum(tape::relu(messages), bags.received);
  return mlp(f, z + f.parameter(name + ".eps") * z + sum, name);
}

template <class S>
tape::Value<S> Esan<S>::convolve_graphs(Formula<S>& f, Value z, const std::string& name) const {
  const GraphArrays<S>& graphs = f.graphs();
  if (o_.conv == EsanConv::kGin) return mlp(f, tape::aggregate(z, graphs.neighbours()), name);
  const Value edges = edge_features(f, name, z.columns(), {});
  Value messages = tape::gather(z, graphs.senders(), &graphs.sent());
  if (edges) messages = messages + edges;
  const Value sum = tape::segment_sum(tape::relu(messages), graphs.received());
  return mlp(f, z + f.parameter(name + ".eps") * z + sum, name);
}

template <class S>
tape::Value<S> Esan<S>::read(Formula<S>& f, Value graphs) const {
  return f.linear(f.linear(graphs, "final_layers.0", {Activation::kRelu}), "final_layers.2");
}

template <class S>
std::string Esan<S>::bag_words() const {
  constexpr std::array kWords = {"deleted edges", "deleted nodes", "ego nets", "ego nets that know their root"};
  const std::string words = kWords[static_cast<std::size_t>(o_.policy)];
  return o_.fraction < 1 ? fmt::format("{}, {:.3g} % of them", words, 100 * o_.fraction) : words;
}

// Subgraphs that are drawn.
template <class S>
double Esan<S>::copies_of(const GraphView& graph) const {
  const auto n = static_cast<double>(graph.num_nodes), edges = static_cast<double>(graph.edge_feature_rows());
  return std::ceil(o_.fraction * (o_.policy == BagPolicy::kEdgeDeleted ? std::max(1.0, edges / 2) : n));
}

template <class S>
double Esan<S>::numbers_of(const GraphView& graph) const {
  const auto n = static_cast<double>(graph.num_nodes), edges = static_cast<double>(graph.edge_feature_rows());
  return copies_of(graph) * o_.hidden * (6 * n + (o_.conv == EsanConv::kGin ? 0 : 3 * edges));
}

// Ego nets have fewer edges than this.
template <class S>
double Esan<S>::recorded_bytes(const GraphView& graph) const {
  const auto n = static_cast<double>(graph.num_nodes), edges = static_cast<double>(graph.edge_feature_rows());
  const bool ego = o_.policy == BagPolicy::kEgoNets || o_.policy == BagPolicy::kEgoNetsPlus;
  const double per_node = 6.0 * sizeof(std::int64_t) + static_cast<double>(sizeof(S)) * mark_columns(bag_wish());
  return copies_of(graph) * (n * per_node + (ego ? 0.0 : 4.0 * sizeof(Index) * edges));
}

template class Esan<float>;
template class Esan<double>;

}  // namespace agentnet
