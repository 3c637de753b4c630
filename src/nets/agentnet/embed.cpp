#include "nets/agentnet/embed.h"

#include <algorithm>
#include <string>

#include "agentnet/error.h"
#include "nets/agentnet/block.h"

namespace agentnet {

namespace {

constexpr Index kChunk = 192;  // rows that go through the projection together

// A row of dense features of a graph.
struct FeatureRow {
  Index graph = 0;
  std::uint64_t row = 0;
};

// The dense features of some rows through Linear -> act -> Linear (or one Linear), forward and backward. Activations
// are recomputed going backward: they cost less than keeping them.
template <class S>
class Projection {
 public:
  Projection(const Walk<S>& walk, const Dense<S>* layers, const LayerSlots* slots, bool edges)
      : walk_(walk), layers_(layers), slots_(slots), edges_(edges) {}

  [[nodiscard]] bool present() const { return layers_[0].ready(); }

  // to[i] += projection of features[i].
  void forward(std::span<const FeatureRow> features, S* const* to) const {
    for_chunks(features.size(), [&](std::size_t first, Index count, Matrix<S> x, Matrix<S> hidden, Matrix<S> out) {
      load(features.subspan(first, static_cast<std::size_t>(count)), x);
      run(count, x, hidden, out);
      for (Index i = 0; i < count; ++i)
        kernels<S>().axpy(width(), S(1), out.row(i), to[first + static_cast<std::size_t>(i)]);
    });
  }

  // from[i] is the gradient of to[i]; d_input, where not null, gets that of the features.
  void backward(std::span<const FeatureRow> features, const S* const* from, InputGradient<S>* inputs) const {
    for_chunks(features.size(), [&](std::size_t first, Index count, Matrix<S> x, Matrix<S> hidden, Matrix<S> out) {
      const auto rows = features.subspan(first, static_cast<std::size_t>(count));
      load(rows, x);
      for (Index i = 0; i < count; ++i) {
        const S* d = from[first + static_cast<std::size_t>(i)];
        std::copy(d, d + width(), out.row(i));
      }
      Matrix<S> d_first = out;
      if (layers_[1].ready()) {
        layers_[0].forward(count, x, activation<S>(walk_.config().slope), hidden);
        accumulate_weights(walk_, count, layers_[1].out(), layers_[1].in(), out, hidden, slots_[1].weight,
                           layers_[1].in(), slots_[1].bias);
        Epilogue<S> gate;
        gate.gate = hidden.data;
        gate.ld_gate = hidden.ld;
        gate.gate_negative = gate.gate_zero = static_cast<S>(walk_.config().slope);
        d_first = walk_.scratch->template matrix<S>(count, layers_[0].out());
        layers_[1].backward_input(count, out, gate, d_first);
      }
      accumulate_weights(walk_, count, layers_[0].out(), layers_[0].in(), d_first, x, slots_[0].weight, layers_[0].in(),
                         slots_[0].bias);
      if (inputs != nullptr) {
        layers_[0].backward_input(count, d_first, {}, x);
        for (Index i = 0; i < count; ++i) {
          const FeatureRow& f = rows[static_cast<std::size_t>(i)];
          InputGradient<S>& g = inputs[f.graph];
          unscale_gradient(scale(), x.row(i));
          S* d = (edges_ ? g.edges : g.nodes).data() + f.row * static_cast<std::uint64_t>(layers_[0].in());
          for (Index j = 0; j < layers_[0].in(); ++j) d[j] += x.row(i)[j];
        }
      }
    });
  }

 private:
  [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(walk_.h); }
  [[nodiscard]] const std::vector<ColumnScale>& scale() const {
    return edges_ ? walk_.weights->inputs.edges : walk_.weights->inputs.nodes;
  }

  template <class F>
  void for_chunks(std::size_t rows, const F& f) const {
    if (rows == 0) return;
    const Index most = static_cast<Index>(std::min<std::size_t>(rows, kChunk));
    Matrix<S> x = walk_.scratch->template matrix<S>(most, layers_[0].in());
    Matrix<S> hidden = walk_.scratch->template matrix<S>(most, layers_[0].out());
    Matrix<S> out = walk_.scratch->template matrix<S>(most, walk_.h);
    for (std::size_t first = 0; first < rows; first += kChunk) {
      f(first, static_cast<Index>(std::min<std::size_t>(rows - first, kChunk)), x, hidden, out);
    }
  }

  void load(std::span<const FeatureRow> rows, Matrix<S> x) const {
    PageReader& pages = walk_.terrain->pages();
    const auto width = static_cast<std::size_t>(layers_[0].in());
    float* copies = nullptr;  // of rows that lie in huge files
    const auto features_of = [&](std::size_t i) -> const DenseRows& {
      const GraphView& graph = walk_.graphs[static_cast<std::size_t>(rows[i].graph)];
      return edges_ ? graph.edge_dense : graph.node_dense;
    };
    const auto is_copied = [&](std::size_t i) {
      const DenseRows& features = features_of(i);
      return !features.same &&
             PageReader::in_huge_file(walk_.graphs[static_cast<std::size_t>(rows[i].graph)], features.f32);
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!is_copied(i)) continue;
      if (copies == nullptr) copies = walk_.scratch->template take<float>(rows.size() * width);
      pages.request(walk_.graphs[static_cast<std::size_t>(rows[i].graph)], features_of(i).f32 + rows[i].row * width,
                    width, copies + i * width);
    }
    pages.finish();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      S* to = x.row(static_cast<Index>(i));
      if (copies != nullptr && is_copied(i)) {
        std::copy_n(copies + i * width, width, to);
      } else {
        features_of(i).copy(rows[i].row, to);
      }
      scale_row(scale(), to);
    }
  }

  void run(Index count, Matrix<S> x, Matrix<S> hidden, Matrix<S> out) const {
    if (layers_[1].ready()) {
      layers_[0].forward(count, x, activation<S>(walk_.config().slope), hidden);
      layers_[1].forward(count, hidden, {}, out);
    } else {
      layers_[0].forward(count, x, {}, out);
    }
  }

  const Walk<S>& walk_;
  const Dense<S>* layers_;
  const LayerSlots* slots_;
  bool edges_;
};

template <class S>
Projection<S> node_projection(const Walk<S>& walk) {
  return {walk, walk.weights->embed_node, walk.weights->embed_node_slots, false};
}
template <class S>
Projection<S> edge_projection(const Walk<S>& walk) {
  return {walk, walk.weights->embed_edge, walk.weights->embed_edge_slots, true};
}

// Calls f(edge row, feature row) for every feature row of the edge rows from `first` on.
template <class S, class F>
void for_edge_features(const Walk<S>& walk, Index first, const F& f) {
  const Terrain<S>& terrain = *walk.terrain;
  for (Index e = first; e < terrain.edge_rows(); ++e) {
    const EdgeOrigin& origin = terrain.edge_origin(e);
    if (origin.loop) continue;
    const GraphView& graph = walk.graphs[static_cast<std::size_t>(origin.graph)];
    for (auto [row, last] = graph.edge_rows_of(origin.entry); row < last; ++row) f(e, FeatureRow{origin.graph, row});
  }
}

// The row of an embedding table that a category selects.
std::size_t table_row(const GraphView& graph, std::int32_t value, std::uint64_t row, std::size_t column,
                      const std::vector<int>& sizes, const char* what) {
  if (value >= 0 && value < sizes[column]) return static_cast<std::size_t>(value);
  const std::string text = std::string(what) + " " + std::to_string(row) + " has category " + std::to_string(value) +
                           " in column " + std::to_string(column) + ", the model knows " +
                           std::to_string(sizes[column]);
  // The columns of files are fitted to the model before it sees them.
  if (graph.file != nullptr) graph.damaged(text);
  throw Error(ErrorKind::kMismatch, text, "map values that were not in the training data to one that was");
}

template <class S>
void embed_nodes(const Walk<S>& walk, Index first, Index last) {
  Terrain<S>& terrain = *walk.terrain;
  const Matrix<S> states = terrain.nodes();
  const auto count = static_cast<std::size_t>(last - first);
  std::vector<FeatureRow> features(count);
  std::vector<S*> to(count);
  for (Index r = first; r < last; ++r) {
    std::fill(states.row(r), states.row(r) + walk.h, S(0));
    features[static_cast<std::size_t>(r - first)] = {terrain.graph_of(r), terrain.node_of(r)};
    to[static_cast<std::size_t>(r - first)] = states.row(r);
    const GraphView& graph = walk.graphs[static_cast<std::size_t>(terrain.graph_of(r))];
    for (std::size_t j = 0; j < walk.weights->node_table_slots.size(); ++j) {
      const std::size_t value =
          table_row(graph, terrain.category(r, j), terrain.node_of(r), j, walk.config().node_categories, "node");
      const S* table = walk.weights->value(walk.weights->node_table_slots[j]);
      kernels<S>().axpy(static_cast<std::size_t>(walk.h), S(1), table + value * static_cast<std::size_t>(walk.h),
                        states.row(r));
    }
  }
  if (node_projection(walk).present()) node_projection(walk).forward(features, to.data());
}

template <class S>
void embed_edges(const Walk<S>& walk, Index first, Index last) {
  Terrain<S>& terrain = *walk.terrain;
  const Matrix<S> states = terrain.edges();
  for (Index e = first; e < last; ++e) std::fill(states.row(e), states.row(e) + walk.e, S(0));
  std::vector<FeatureRow> features;
  std::vector<S*> to;
  std::vector<S> row;
  for_edge_features(walk, first, [&](Index e, FeatureRow f) {
    const GraphView& graph = walk.graphs[static_cast<std::size_t>(f.graph)];
    features.push_back(f);
    to.push_back(states.row(e));
    if (walk.config().edge_kernel) {  // the features themselves
      row.resize(static_cast<std::size_t>(walk.e));
      graph.edge_dense.copy(f.row, row.data());
      scale_row(walk.weights->inputs.edges, row.data());
      for (std::size_t j = 0; j < row.size(); ++j) states.row(e)[j] += row[j];
      return;
    }
    for (std::size_t j = 0; j < walk.weights->edge_table_slots.size(); ++j) {
      const std::size_t value =
          table_row(graph, graph.edge_categories.value(f.row, j), f.row, j, walk.config().edge_categories, "edge");
      const S* table = walk.weights->value(walk.weights->edge_table_slots[j]);
      kernels<S>().axpy(static_cast<std::size_t>(walk.h), S(1), table + value * static_cast<std::size_t>(walk.h),
                        states.row(e));
    }
  });
  if (edge_projection(walk).present()) edge_projection(walk).forward(features, to.data());
  for (Index e = first; e < last; ++e) {
    const EdgeOrigin& origin = terrain.edge_origin(e);
    if (!origin.loop) continue;
    for (Index j = 0; j < walk.e; ++j)
      states.row(e)[j] = S(1) + (origin.own != kNone ? states.row(origin.own)[j] : S(0));
  }
}

}  // namespace

template <class S>
void embed_observed(const Walk<S>& walk) {
  Terrain<S>& terrain = *walk.terrain;
  const Kernels<S>& k = kernels<S>();
  terrain.grow();
  const auto identity = [&](Index first, Index last) {
    Index* rows = walk.scratch->template take<Index>(static_cast<std::size_t>(last - first));
    for (Index r = first; r < last; ++r) rows[r - first] = r;
    return rows;
  };
  if (const Index first = terrain.embedded_nodes, last = terrain.rows(); first < last) {
    terrain.fetch_categories(first, last);
    embed_nodes(walk, first, last);
    k.row_stats(last - first, walk.h, terrain.nodes().data, terrain.nodes().ld, identity(first, last),
                terrain.node_mean(), terrain.node_m2());
    terrain.embedded_nodes = last;
  }
  if (const Index first = terrain.embedded_edges, last = terrain.edge_rows(); first < last) {
    embed_edges(walk, first, last);
    k.row_stats(last - first, walk.e, terrain.edges().data, terrain.edges().ld, identity(first, last),
                terrain.edge_mean(), terrain.edge_m2());
    terrain.embedded_edges = last;
  }
}

template <class S>
void gather_loop_gradients(const Walk<S>& walk) {
  for (Index e = 0; e < walk.terrain->edge_rows(); ++e) {
    const EdgeOrigin& origin = walk.terrain->edge_origin(e);
    if (!origin.loop || origin.own == kNone) continue;
    for (Index j = 0; j < walk.e; ++j) walk.d_edges.row(origin.own)[j] += walk.d_edges.row(e)[j];
  }
}

template <class S>
void embed_backward(const Walk<S>& walk, InputGradient<S>* inputs) {
  Terrain<S>& terrain = *walk.terrain;
  const auto h = static_cast<std::size_t>(walk.h);
  {
    std::vector<FeatureRow> features;
    std::vector<const S*> from;
    for (Index r = 0; r < terrain.rows(); ++r) {
      const S* d = walk.d_nodes.row(r);
      features.push_back({terrain.graph_of(r), terrain.node_of(r)});
      from.push_back(d);
      for (std::size_t j = 0; j < walk.weights->node_table_slots.size(); ++j) {
        const GraphView& graph = walk.graphs[static_cast<std::size_t>(terrain.graph_of(r))];
        const std::size_t value = table_row(graph, terrain.category(r, j), terrain.node_of(r), j,
                                            walk.config().node_categories, "node");  // a file may change meanwhile
        kernels<S>().axpy(h, S(1), d, walk.gradient + walk.weights->node_table_slots[j] + value * h);
      }
    }
    if (node_projection(walk).present()) node_projection(walk).backward(features, from.data(), inputs);
  }
  gather_loop_gradients(walk);
  std::vector<FeatureRow> features;
  std::vector<const S*> from;
  std::vector<S> row;
  for_edge_features(walk, 0, [&](Index e, FeatureRow f) {
    const S* d = walk.d_edges.row(e);
    features.push_back(f);
    from.push_back(d);
    if (walk.config().edge_kernel) {
      if (inputs == nullptr) return;
      S* to = inputs[f.graph].edges.data() + f.row * static_cast<std::uint64_t>(walk.e);
      row.assign(d, d + walk.e);
      unscale_gradient(walk.weights->inputs.edges, row.data());
      for (std::size_t j = 0; j < row.size(); ++j) to[j] += row[j];
      return;
    }
    const GraphView& graph = walk.graphs[static_cast<std::size_t>(f.graph)];
    for (std::size_t j = 0; j < walk.weights->edge_table_slots.size(); ++j) {
      const std::size_t value =
          table_row(graph, graph.edge_categories.value(f.row, j), f.row, j, walk.config().edge_categories, "edge");
      kernels<S>().axpy(h, S(1), d, walk.gradient + walk.weights->edge_table_slots[j] + value * h);
    }
  });
  if (edge_projection(walk).present()) edge_projection(walk).backward(features, from.data(), inputs);
}

#define AGENTNET_INSTANTIATE(S)                        \
  template void embed_observed(const Walk<S>&);        \
  template void gather_loop_gradients(const Walk<S>&); \
  template void embed_backward(const Walk<S>&, InputGradient<S>*);
AGENTNET_INSTANTIATE(float)
AGENTNET_INSTANTIATE(double)
#undef AGENTNET_INSTANTIATE

}  // namespace agentnet
