#include "nets/ppgn/ppgn.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "agentnet/error.h"
#include "nets/taped/square_rows.h"
#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {
namespace {

enum class PpgnInput { kLabels, kEdges };
enum class PpgnReadout { kEvery, kLast };

struct PpgnOptions {
  std::vector<int> blocks = {400, 400, 400};
  int mlp_depth = 2;
  PpgnInput input = PpgnInput::kLabels;
  int positions = 0;
  PpgnReadout readout = PpgnReadout::kEvery;
  std::vector<int> read_widths = {512, 256};
  bool relu_after_skip = false;
  bool published_single_nodes = false;
};

}  // namespace

template <>
inline constexpr std::array option_names<PpgnInput> = std::to_array<std::string_view>({"labels", "edges"});
template <>
inline constexpr std::array option_names<PpgnReadout> = std::to_array<std::string_view>({"every", "last"});

namespace {

using tape::Activation;

std::string mlp(int k, int which, int layer) { return fmt::format("reg_blocks.{}.mlp{}.convs.{}", k, which, layer); }
std::string skip(int k) { return fmt::format("reg_blocks.{}.skip.conv", k); }
std::string read(std::size_t k) { return fmt::format("fc_layers.{}.fc", k); }

template <class S>
class Ppgn : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;

  Ppgn(const PpgnOptions& options, NetworkConfig config) : TapedNetwork<S>(std::move(config)), o_(options) {
    check_options();
    auto in = static_cast<std::uint64_t>(channels());
    for (int k = 0; k < blocks(); ++k) {
      const auto out = static_cast<std::uint64_t>(o_.blocks[static_cast<std::size_t>(k)]);
      for (const int which : {1, 2}) {
        for (int layer = 0; layer < o_.mlp_depth; ++layer) add_xavier(mlp(k, which, layer), out, layer == 0 ? in : out);
      }
      add_xavier(skip(k), out, in + out);
      in = out;
    }
    const auto C = static_cast<std::uint64_t>(this->outputs());
    if (o_.readout == PpgnReadout::kEvery) {
      for (std::size_t k = 0; k < o_.blocks.size(); ++k) {
        add_xavier(read(k), C, static_cast<std::uint64_t>(o_.blocks[k]) * 2);
      }
    } else {
      in *= 2;
      for (std::size_t k = 0; k < o_.read_widths.size(); ++k) {
        add_xavier(read(k), static_cast<std::uint64_t>(o_.read_widths[k]), in);
        in = static_cast<std::uint64_t>(o_.read_widths[k]);
      }
      add_xavier(read(o_.read_widths.size()), C, in);
    }
  }

  [[nodiscard]] FeatureWish wish() const override { return {.edges = o_.input == PpgnInput::kEdges}; }
  [[nodiscard]] std::string description() const override {
    return fmt::format("PPGN with {} {} of width {}", blocks(), blocks() == 1 ? "block" : "blocks", o_.blocks.back());
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override {
    OutputLayers layers;
    if (o_.readout == PpgnReadout::kLast) return {{{read(o_.read_widths.size())}, 1}};
    for (std::size_t k = 0; k < o_.blocks.size(); ++k) layers.names.push_back(read(k));
    return {layers};
  }
  [[nodiscard]] double numbers_of(const GraphView& graph) const override {
    const auto n = static_cast<double>(graph.num_nodes);
    return n * n * (channels() + 4.0 * *std::max_element(o_.blocks.begin(), o_.blocks.end()));
  }
  [[nodiscard]] double recorded_bytes(const GraphView& graph) const override {
    const auto n = static_cast<double>(graph.num_nodes);
    return n * n * (2 * sizeof(Index) + 3 * sizeof(S));
  }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const SquareRows rows = square_rows(f, /*padded=*/false);
    const tape::Segments others = off_diagonal(f, rows);
    Value u = o_.input == PpgnInput::kLabels ? labels(f, rows) : pairs(f, rows);  // [rows, channels]
    Value scores;
    for (int k = 0; k < blocks(); ++k) {
      const Value product = tape::square_product(branch(f, u, k, 1), branch(f, u, k, 2), rows.squares);
      u = f.linear(tape::concat({u, product}), skip(k), {o_.relu_after_skip ? Activation::kRelu : Activation::kNone});
      if (o_.readout == PpgnReadout::kLast && k + 1 < blocks()) continue;
      const Value seen = maxima(f, u, rows, others);
      const Value more =
          o_.readout == PpgnReadout::kLast ? classify(f, seen) : f.linear(seen, read(static_cast<std::size_t>(k)));
      scores = scores ? scores + more : more;
    }
    return {.outputs = scores, .auxiliary = {}, .runs = 1};
  }

 private:
  void check_options() const {
    constexpr std::size_t kMost = 64;
    if (o_.blocks.empty() || o_.blocks.size() > kMost || o_.read_widths.size() > kMost) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("model option 'blocks' has {} widths, 'read_widths' has {}", o_.blocks.size(),
                              o_.read_widths.size()),
                  fmt::format("there are 1 to {} blocks, and at most {} layers that read them", kMost, kMost));
    }
    if (o_.positions > this->shape().node_features) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("model option 'positions' is {}, and nodes have {} numbers", o_.positions,
                              this->shape().node_features),
                  "it counts the last of the columns of numbers that nodes have; 0: there are no positions");
    }
    if (o_.positions > 0 && o_.input == PpgnInput::kLabels) {
      throw Error(ErrorKind::kUsage, "model option 'positions' needs input = \"edges\"",
                  "with input = \"labels\" there is no channel of distances; set positions = 0");
    }
  }
  void add_xavier(const std::string& name, CheckedSize out, CheckedSize in) {
    this->parameters_.add(name + ".weight", {out, in}, Init::kOwn);
    this->parameters_.add(name + ".bias", {out}, Init::kZero);
  }

  [[nodiscard]] int blocks() const { return static_cast<int>(o_.blocks.size()); }
  // Without any feature there are no channels for labels, instead of one that is constant.
  [[nodiscard]] bool labelled() const {
    return this->shape().node_features > o_.positions || !this->shape().node_categories.empty();
  }
  [[nodiscard]] bool edges_have_features() const {
    return this->shape().edge_features > 0 || !this->shape().edge_categories.empty();
  }
  [[nodiscard]] int node_channels() const {
    return labelled() ? node_columns(this->shape(), wish()) - o_.positions : 0;
  }
  [[nodiscard]] int channels() const {
    const int distances = o_.positions > 0 ? 1 : 0;
    const int edges = edges_have_features() ? edge_columns(this->shape(), wish()) : 0;
    return node_channels() + 1 + (o_.input == PpgnInput::kEdges ? distances + edges : 0);
  }

  // S_ij = A_ij / sqrt(deg_i deg_j) in every channel, and on the diagonals of all but the first the features of nodes.
  [[nodiscard]] Value labels(Formula<S>& f, const SquareRows& rows) const {
    const Value normalised = f.tape().input(normalised_adjacency(f, rows), rows.rows(), 1);
    if (!labelled()) return normalised;
    return tape::concat({normalised, normalised + tape::scatter_add(f.nodes(), rows.diagonal, rows.rows())});
  }

  // deg_j is the sum of column j, and an edge that is given twice counts once.
  [[nodiscard]] const S* normalised_adjacency(Formula<S>& f, const SquareRows& rows) const {
    S* entries = adjacency(f, rows, Multiples::kOnce);
    for (Index b = 0; b < rows.squares.count; ++b) {
      const Index n = rows.squares.size[b];
      S* a = entries + rows.squares.offsets[b];
      std::vector<S> root(static_cast<std::size_t>(n), S(0));
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) root[static_cast<std::size_t>(j)] += a[i * n + j];
      }
      for (S& r : root) r = r > 0 ? S(1) / std::sqrt(r) : S(0);
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j)
          a[i * n + j] *= root[static_cast<std::size_t>(i)] * root[static_cast<std::size_t>(j)];
      }
    }
    return entries;
  }

  // Features of nodes on diagonals, distances, A, features of edges: what the authors give for QM9.
  [[nodiscard]] Value pairs(Formula<S>& f, const SquareRows& rows) const {
    std::vector<Value> parts;
    const Index numbers = this->shape().node_features;  // columns, positions included
    if (labelled()) {
      Value x = f.nodes();
      if (o_.positions > 0) {
        const Index before = numbers - o_.positions, after = x.columns() - numbers;
        std::vector<Value> kept;
        if (before > 0) kept.push_back(tape::slice(x, 0, before));
        if (after > 0) kept.push_back(tape::slice(x, numbers, after));
        x = kept.size() == 1 ? kept[0] : tape::concat<S>(kept);
      }
      parts.push_back(tape::scatter_add(x, rows.diagonal, rows.rows()));
    }
    if (o_.positions > 0) parts.push_back(f.tape().input(distances(f, rows), rows.rows(), 1));
    parts.push_back(f.tape().input(adjacency(f, rows, Multiples::kOnce), rows.rows(), 1));
    if (edges_have_features()) parts.push_back(tape::scatter_add(f.edges(), edge_rows(f, rows), rows.rows()));
    return parts.size() == 1 ? parts[0] : tape::concat<S>(parts);
  }

  [[nodiscard]] const S* distances(Formula<S>& f, const SquareRows& rows) const {
    const GraphArrays<S>& graphs = f.graphs();
    const std::size_t columns = static_cast<std::size_t>(graphs.node_columns());
    const std::size_t first = static_cast<std::size_t>(this->shape().node_features - o_.positions);
    S* all = f.tape().template keep<S>(static_cast<std::size_t>(rows.rows()));
    for (Index b = 0; b < graphs.graphs(); ++b) {
      const auto begin = graphs.members().offsets[b], n = graphs.members().size(b);
      S* to = all + rows.squares.offsets[b];
      for (std::int64_t i = 0; i < n; ++i) {
        const S* p = graphs.node_features().data() + static_cast<std::size_t>(begin + i) * columns + first;
        for (std::int64_t j = 0; j < n; ++j) {
          const S* q = graphs.node_features().data() + static_cast<std::size_t>(begin + j) * columns + first;
          S sum = 0;
          for (int c = 0; c < o_.positions; ++c) sum += (p[c] - q[c]) * (p[c] - q[c]);
          *to++ = std::sqrt(sum);
        }
      }
    }
    return all;
  }

  // relu(W u + b), mlp_depth times, of every entry.
  [[nodiscard]] Value branch(Formula<S>& f, Value u, int k, int which) const {
    for (int layer = 0; layer < o_.mlp_depth; ++layer) u = f.linear(u, mlp(k, which, layer), {Activation::kRelu});
    return u;
  }

  // [B, 2 f]: the largest entry of the diagonal, and of what is beside it.
  [[nodiscard]] Value maxima(Formula<S>& f, Value u, const SquareRows& rows, const tape::Segments& others) const {
    const Value diagonal = tape::gather(u, rows.diagonal);
    const Value beside = o_.published_single_nodes && f.graphs().nodes() == f.graphs().graphs()
                             ? shifted(u, diagonal)
                             : tape::segment_max(u, others);
    return tape::concat({tape::segment_max(diagonal, f.graphs().members()), beside});
  }

  // What the published code takes for the entries beside the diagonal of graphs of one node: u minus
  // |largest + largest of -u| over all of the batch and all channels.
  [[nodiscard]] Value shifted(Value u, Value diagonal) const {
    return u - tape::abs(tape::column_max(tape::row_max(diagonal)) + tape::column_max(tape::row_max(-u)));
  }

  [[nodiscard]] Value classify(Formula<S>& f, Value x) const {
    for (std::size_t k = 0; k < o_.read_widths.size(); ++k) x = f.linear(x, read(k), {Activation::kRelu});
    return f.linear(x, read(o_.read_widths.size()));
  }

  PpgnOptions o_;
};

struct PpgnKind {
  using Options = PpgnOptions;
  static constexpr std::string_view kName = "ppgn";
  static constexpr std::string_view kSummary = "matrix products over pairs of nodes, as strong as 2-FWL (NeurIPS 2019)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    f("blocks", o.blocks, OptionRange{1, 4096}, "width of each block, a list");
    f("mlp_depth", o.mlp_depth, OptionRange{1, 16}, "layers before each factor of the product");
    f("input", o.input, kAnyValue,
      "labels: normalised adjacency in every channel; edges: adjacency, edge features and distances apart");
    f("positions", o.positions, OptionRange{0, 16},
      "how many of the last columns of numbers of nodes are positions, whose distances are a channel");
    f("readout", o.readout, kAnyValue, "which blocks are read: every one, or the last");
    f("read_widths", o.read_widths, OptionRange{1, 65536}, "layers that read the last block, where only that is read");
    f("relu_after_skip", o.relu_after_skip, kAnyValue, "ReLU at the end of a block, as the TensorFlow version has it");
    f("published_single_nodes", o.published_single_nodes, kAnyValue,
      "graphs of one node depend on the rest of their batch, as in the published code");
  };
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = Ppgn<S>;
};

}  // namespace

const NetworkKind kPpgn = taped_kind<PpgnKind>();

}  // namespace agentnet
