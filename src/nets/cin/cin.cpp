#include "nets/cin/cin.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "agentnet/error.h"
#include "nets/cin/batch_cells.h"
#include "nets/taped/encoders.h"
#include "nets/taped/taped_kind.h"
#include "nets/taped/taped_network.h"

namespace agentnet {
namespace {

enum class CellPooling { kSum, kMean };
enum class DropoutPlace { kFirst, kReadout, kLast };

struct CinOptions {
  int layers = 4;
  int hidden = 128;
  int max_ring = 18;
  bool embed_edges = true;
  bool coboundaries = true;
  bool learn_eps = false;
  bool read_every = false;
  CellPooling start = CellPooling::kSum;
  CellPooling pooling = CellPooling::kSum;
  CellPooling readout = CellPooling::kSum;
  std::vector<int> read_dims = {0, 1, 2};
  int read_factor = 2;
  double dropout = 0;
  DropoutPlace dropout_before = DropoutPlace::kLast;
};

}  // namespace

template <>
inline constexpr std::array option_names<CellPooling> = std::to_array<std::string_view>({"sum", "mean"});
template <>
inline constexpr std::array option_names<DropoutPlace> = std::to_array<std::string_view>({"lin1", "readout", "lin2"});

namespace {

using tape::Activation;

template <class S>
class Cin : public TapedNetwork<S> {
 public:
  using Value = tape::Value<S>;
  // Of nodes, edges and rings; none where a batch has no such cells.
  using States = std::array<Value, kCellDims>;

  Cin(const CinOptions& options, NetworkConfig config) : TapedNetwork<S>(std::move(config)), o_(options) {
    check();
    const auto H = static_cast<std::uint64_t>(o_.hidden);
    const DataShape& shape = this->shape();
    add_encoder(this->parameters_, "v_embed_init", shape.node_categories, node_columns(shape, kTables), H);
    if (reads_edges()) {
      add_encoder(this->parameters_, "e_embed_init", shape.edge_categories, edge_columns(shape, kTables), H);
    }
    for (int l = 0; l < o_.layers; ++l) {
      for (int d = 0; d < kCellDims; ++d) {
        const std::string name = level(l, d);
        if (o_.learn_eps) {
          for (const char* eps : {"eps1", "eps2"}) this->parameters_.add(name + eps, {1}, Init::kZero);
        }
        if (o_.coboundaries && d + 1 < kCellDims) this->add_linear(name + "msg_up_nn.1", H, H * 2);
        for (const char* network : {"update_up_nn.", "update_boundaries_nn."}) add_update(name + network, H);
        this->add_linear(name + "combine_nn.0", H, H * 2);
        this->add_batch_norm(name + "combine_nn.1", H);
      }
    }
    const std::uint64_t read = H * static_cast<std::uint64_t>(o_.read_factor);
    for (const int d : o_.read_dims) {
      this->add_linear(read_name(d), read, o_.read_every ? H * static_cast<std::uint64_t>(o_.layers) : H,
                       /*bias=*/!o_.read_every);
    }
    this->add_linear("lin2", this->outputs(), read);
  }

  [[nodiscard]] FeatureWish wish() const override { return kTables; }
  [[nodiscard]] std::string description() const override {
    return fmt::format("CIN with {} layers, hidden size {}, rings up to {}", o_.layers, o_.hidden, o_.max_ring);
  }
  [[nodiscard]] std::vector<OutputLayers> output_layers() const override { return {{{"lin2"}, 1}}; }
  [[nodiscard]] double numbers_per_node() const override { return 8.0 * o_.hidden; }
  [[nodiscard]] double numbers_per_edge() const override { return 8.0 * o_.hidden; }

  [[nodiscard]] TapedAnswer<S> answer(Formula<S>& f) const override {
    const BatchCells cells = find_batch_cells(f, o_.max_ring);
    States x = start(f, cells);
    std::array<std::vector<Value>, kCellDims> all;
    for (int l = 0; l < o_.layers; ++l) {
      States next;
      for (std::size_t d = 0; d < kCellDims; ++d) {
        if (x[d]) next[d] = update(f, x, cells, l, static_cast<int>(d));
      }
      x = next;
      for (std::size_t d = 0; d < kCellDims; ++d) {
        if (x[d]) all[d].push_back(x[d]);
      }
    }
    if (o_.read_every) {
      for (std::size_t d = 0; d < kCellDims; ++d) {
        if (x[d]) x[d] = tape::concat<S>(all[d]);
      }
    }
    return {.outputs = read(f, x, cells), .auxiliary = {}, .runs = 1};
  }

 private:
  void check() const {
    std::vector<int> seen;
    for (const int d : o_.read_dims) {
      const bool twice = std::find(seen.begin(), seen.end(), d) != seen.end();
      if (d >= 0 && d < kCellDims && !twice) {
        seen.push_back(d);
        continue;
      }
      throw Error(ErrorKind::kUsage, fmt::format("model option 'read_dims' has {}{}", d, twice ? " twice" : ""),
                  "it can have 0 (nodes), 1 (edges) and 2 (rings)");
    }
    if (seen.empty()) throw Error(ErrorKind::kUsage, "model option 'read_dims' is empty", "give it 0, 1 or 2");
  }
  [[nodiscard]] bool reads_edges() const {
    return o_.embed_edges && (!this->shape().edge_categories.empty() || edge_columns(this->shape(), kTables) > 0);
  }
  [[nodiscard]] static std::string level(int l, int d) { return fmt::format("convs.{}.mp_levels.{}.", l, d); }
  [[nodiscard]] static std::string read_name(int d) { return fmt::format("lin1s.{}", d); }

  void add_update(const std::string& name, std::uint64_t H) {
    for (const char* layer : {"0", "3"}) this->add_linear(name + layer, H, H);
    for (const char* layer : {"1", "4"}) this->add_batch_norm(name + layer, H);
  }
  [[nodiscard]] static Value update_network(Formula<S>& f, Value z, const std::string& name) {
    z = f.batch_norm(f.linear(z, name + "0"), name + "1", {Activation::kRelu});
    return f.batch_norm(f.linear(z, name + "3"), name + "4", {Activation::kRelu});
  }
  [[nodiscard]] static Value pool(Value x, const tape::Segments& segments, CellPooling pooling) {
    return pooling == CellPooling::kSum ? tape::segment_sum(x, segments) : tape::segment_mean(x, segments);
  }

  // Embeddings of nodes and edges; a ring has half the sum over its edges of the sum of their ends.
  [[nodiscard]] States start(Formula<S>& f, const BatchCells& cells) const {
    States x;
    x[0] = encode_nodes(f, "v_embed_init", o_.hidden);
    if (cells.edges > 0) {
      const Value ends = pool(x[0], cells.boundary[0], o_.start);
      x[1] = ends;
      if (reads_edges()) {
        x[1] = tape::segment_mean(encode_edges(f, "e_embed_init", o_.hidden, this->shape()), cells.edge_rows);
      }
      if (cells.rings > 0) x[2] = S(0.5) * pool(ends, cells.boundary[1], o_.start);
    }
    for (std::size_t d = 0; d < kCellDims; ++d) {
      if (!x[d]) continue;
      x[d] = d == 0 ? f.dropout(x[d], o_.dropout, Rows::kNodes) : f.dropout(x[d], o_.dropout, cells.names[d - 1]);
    }
    return x;
  }

  [[nodiscard]] Value update(Formula<S>& f, const States& x, const BatchCells& cells, int l, int d) const {
    const std::string name = level(l, d);
    const auto at = static_cast<std::size_t>(d);
    const auto own = [&](const char* eps) { return o_.learn_eps ? x[at] + f.parameter(name + eps) * x[at] : x[at]; };
    Value up = own("eps1"), boundary = own("eps2");
    if (d + 1 < kCellDims && x[at + 1]) up = up + upper_messages(f, x[at], x[at + 1], cells.pairs[at], name);
    if (d > 0) boundary = boundary + tape::segment_sum(x[at - 1], cells.boundary[at - 1]);
    const Value both = tape::concat<S>(
        {update_network(f, up, name + "update_up_nn."), update_network(f, boundary, name + "update_boundaries_nn.")});
    return f.batch_norm(f.linear(both, name + "combine_nn.0"), name + "combine_nn.1", {Activation::kRelu});
  }

  // Over the cells u on the boundary of a common cell c: the sum of relu(msg_up_nn.1[x_u ; x_c]). It is linear in each
  // part, so that cells go through it before they are looked up.
  [[nodiscard]] Value upper_messages(Formula<S>& f, Value x, Value above, const CellPairs& pairs,
                                     const std::string& name) const {
    if (!o_.coboundaries) {
      return tape::segment_sum(tape::gather(x, pairs.sender, &pairs.by_sender), pairs.by_receiver);
    }
    const Value weight = f.parameter(name + "msg_up_nn.1.weight");
    const Value from = tape::linear<S>(x, tape::slice(weight, 0, o_.hidden), f.parameter(name + "msg_up_nn.1.bias"));
    const Value shared = tape::linear<S>(above, tape::slice(weight, o_.hidden, o_.hidden));
    const Value m =
        tape::gather(from, pairs.sender, &pairs.by_sender) + tape::gather(shared, pairs.shared, &pairs.by_shared);
    return tape::segment_sum(tape::relu(m), pairs.by_receiver);
  }

  [[nodiscard]] Value read(Formula<S>& f, const States& x, const BatchCells& cells) const {
    const Index B = f.graphs().graphs(), wide = o_.read_every ? o_.hidden * o_.layers : o_.hidden;
    std::vector<Value> dims;
    for (const int d : o_.read_dims) {
      const auto at = static_cast<std::size_t>(d);
      Value y = x[at] ? pool(x[at], cells.of_graph[at], o_.pooling) : f.tape().filled(B, wide, S(0));
      if (o_.dropout_before == DropoutPlace::kFirst) y = f.dropout(y, o_.dropout, Rows::kGraphs);
      dims.push_back(f.linear(y, read_name(d), {Activation::kRelu}));
    }
    if (o_.dropout_before == DropoutPlace::kReadout) {
      const Value together = f.dropout(tape::stack<S>(dims), o_.dropout, names_of_dims(f, dims.size()));
      for (std::size_t i = 0; i < dims.size(); ++i) dims[i] = tape::slice_rows(together, static_cast<Index>(i) * B, B);
    }
    Value sum = dims[0];
    for (std::size_t i = 1; i < dims.size(); ++i) sum = sum + dims[i];
    if (o_.readout == CellPooling::kMean) sum = S(1) / static_cast<S>(dims.size()) * sum;
    if (o_.dropout_before == DropoutPlace::kLast) sum = f.dropout(sum, o_.dropout, Rows::kGraphs);
    return f.linear(sum, "lin2");
  }
  // Row i B + g: dimension i of graph g.
  [[nodiscard]] static RowNames names_of_dims(Formula<S>& f, std::size_t dims) {
    const auto ids = f.graphs().ids();
    auto* graph = f.tape().template keep<std::uint64_t>(dims * ids.size());
    auto* member = f.tape().template keep<std::uint32_t>(dims * ids.size());
    for (std::size_t i = 0; i < dims * ids.size(); ++i) {
      graph[i] = ids[i % ids.size()];
      member[i] = static_cast<std::uint32_t>(i / ids.size());
    }
    return {graph, member};
  }

  CinOptions o_;
};

struct CinKind {
  using Options = CinOptions;
  static constexpr std::string_view kName = "cin";
  static constexpr std::string_view kSummary = "messages between nodes, edges and rings (CIN)";
  static constexpr auto kVisit = [](auto& o, const auto& f) {
    f("layers", o.layers, OptionRange{1, 256}, "layers");
    f("hidden", o.hidden, OptionRange{1, 4096}, "width of the states of nodes, edges and rings");
    f("max_ring", o.max_ring, OptionRange{2, 64}, "the largest rings, cycles without chords; 2: none");
    f("embed_edges", o.embed_edges, kAnyValue, "edges start with their features, instead of the sum of their ends");
    f("coboundaries", o.coboundaries, kAnyValue, "a message knows the cell that its two cells share");
    f("learn_eps", o.learn_eps, kAnyValue, "a cell's own state counts 1 + eps, eps learned");
    f("read_every", o.read_every, kAnyValue, "read every layer side by side, instead of the last");
    f("start", o.start, kAnyValue, "how the ends of edges, and the edges of rings, become what these start with");
    f("pooling", o.pooling, kAnyValue, "how the states of cells become that of the graph");
    f("readout", o.readout, kAnyValue, "how nodes, edges and rings are put together then");
    f("read_dims", o.read_dims, OptionRange{0, 2}, "which are read: 0 nodes, 1 edges, 2 rings");
    f("read_factor", o.read_factor, OptionRange{1, 64}, "the layer before the last has so many times 'hidden'");
    f("dropout", o.dropout, OptionRange{0, 0.99}, "of the states that cells start with, and once in the readout");
    f("dropout_before", o.dropout_before, kAnyValue,
      "where that is: before its first layer, before dimensions are "
      "put together, or before the last layer");
  };
  static std::vector<OptionChoice> advise(const SetSize&) { return {}; }
  template <class S>
  using Made = Cin<S>;
};

}  // namespace

const NetworkKind kCin = taped_kind<CinKind>();

}  // namespace agentnet
