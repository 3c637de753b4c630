#include "nets/pna/tower.h"

namespace agentnet {

double mean_log_degree(const GraphSet& set) {
  double sum = 0;
  std::uint64_t nodes = 0;
  for (std::size_t g = 0; g < set.size(); ++g) {
    const GraphView graph = set.view(g);
    for (std::uint64_t v = 0; v < graph.num_nodes; ++v) {
      std::uint64_t degree = 0;
      for (auto [entry, last] = graph.entries_of(v); entry < last; ++entry) degree += graph.edge_rows_of(entry).size();
      sum += std::log(static_cast<double>(degree) + 1);
    }
    nodes += graph.num_nodes;
  }
  return nodes > 0 ? sum / static_cast<double>(nodes) : 0;
}

std::vector<OptionChoice> advise_log_degree(const SetSize& set) {
  const double mean = set.set != nullptr ? mean_log_degree(*set.set) : 0;
  if (mean <= 0) return {};
  return {{"mean_log_degree", fmt::format("{:.6g}", mean), "the mean over all nodes of log(degree + 1)"}};
}

template <class S>
NodeScales<S>::NodeScales(Formula<S>& f, double mean_log_degree) {
  const Index N = f.graphs().nodes();
  const auto column = [&] { return f.tape().template keep<S>(static_cast<std::size_t>(N)); };
  S *identity = column(), *amplification = column(), *attenuation = column(), *norm = column();
  for (Index v = 0; v < N; ++v) {
    const std::int64_t degree = f.graphs().received().size(v);
    const double logarithm = std::log(static_cast<double>(degree) + 1);
    lonely_ = lonely_ || degree == 0;
    identity[v] = degree > 0 ? S(1) : S(0);
    amplification[v] = static_cast<S>(logarithm / mean_log_degree);
    attenuation[v] = degree > 0 ? static_cast<S>(mean_log_degree / logarithm) : S(0);
  }
  const tape::Segments& members = f.graphs().members();
  for (Index g = 0; g < members.count; ++g) {
    const double nodes = static_cast<double>(members.size(g));
    std::fill(norm + members.offsets[g], norm + members.offsets[g + 1], static_cast<S>(1 / std::sqrt(nodes)));
  }
  identity_ = f.tape().input(identity, N, 1);
  amplification_ = f.tape().input(amplification, N, 1);
  attenuation_ = f.tape().input(attenuation, N, 1);
  size_norm_ = f.tape().input(norm, N, 1);
}

template <class S>
tape::Value<S> NodeScales<S>::of(const std::string& scaler) const {
  if (scaler == "identity") return identity_;
  return scaler == "amplification" ? amplification_ : attenuation_;
}

void add_small_linear(ParameterLayout& layout, const std::string& name, CheckedSize out, CheckedSize in) {
  layout.add(name + ".weight", {out, in}, Init::kOwn);
  layout.add(name + ".bias", {out}, Init::kZero);
}

void add_mlp(ParameterLayout& layout, const std::string& name, int layers, CheckedSize in, CheckedSize hidden,
             CheckedSize out) {
  for (int l = 0; l < layers; ++l) {
    add_small_linear(layout, mlp_layer(name, l), l + 1 == layers ? out : hidden, l == 0 ? in : hidden);
  }
}

template <class S>
void scale_own_weights(const ParameterLayout& layout, std::span<S> values) {
  for (const Parameter& p : layout.all()) {
    if (p.init != Init::kOwn) continue;
    for (S& value : values.subspan(p.offset, p.size)) value /= static_cast<S>(p.shape.back());
  }
}

template <class S>
tape::Value<S> rest_of_mlp(Formula<S>& f, tape::Value<S> z, const std::string& name, int layers) {
  for (int l = 1; l < layers; ++l) z = f.linear(tape::relu(z), mlp_layer(name, l));
  return z;
}

template <class S>
tape::Value<S> messages(Formula<S>& f, tape::Value<S> h, tape::Value<S> e, const std::string& name, int layers) {
  const GraphArrays<S>& graphs = f.graphs();
  const tape::Value<S> weight = f.parameter(mlp_layer(name, 0) + ".weight");
  const tape::Value<S> bias = f.parameter(mlp_layer(name, 0) + ".bias");
  const Index in = h.columns();
  const auto part = [&](tape::Value<S> x, Index first) {
    return tape::linear<S>(x, tape::slice(weight, first, x.columns()));
  };
  tape::Value<S> m =
      tape::gather(part(h, 0), graphs.senders(), &graphs.sent()) + tape::spread(part(h, in) + bias, graphs.received());
  if (e) m = m + part(e, 2 * in);
  return rest_of_mlp(f, m, name, layers);
}

template <class S>
tape::Value<S> statistic(Formula<S>& f, tape::Value<S> m, const std::string& aggregator) {
  const tape::Segments& received = f.graphs().received();
  if (aggregator == "mean") return tape::segment_mean(m, received);
  if (aggregator == "sum") return tape::segment_sum(m, received);
  if (aggregator == "max") return tape::segment_max(m, received);
  if (aggregator == "min") return tape::segment_min(m, received);
  if (aggregator == "std") return tape::segment_std(m, received);
  const tape::Value<S> mean = tape::segment_mean(m, received);
  return tape::relu(tape::segment_mean(tape::square(m), received) - tape::square(mean));
}

template <class S>
tape::Value<S> after_messages(Formula<S>& f, tape::Value<S> h, tape::Value<S> A, const NodeScales<S>& scales,
                              const std::vector<std::string>& scalers, const std::string& name, int layers) {
  const tape::Value<S> weight = f.parameter(mlp_layer(name, 0) + ".weight");
  Index column = 0;
  const auto product = [&](tape::Value<S> x) {
    const tape::Value<S> y = tape::linear<S>(x, tape::slice(weight, column, x.columns()));
    column += x.columns();
    return y;
  };
  tape::Value<S> o;
  if (h) o = product(h);
  const auto add = [&](tape::Value<S> y) { o = o ? o + y : y; };
  for (const std::string& scaler : scalers) {
    tape::Value<S> y = product(A);
    // A std of nothing is not zero: what a node without messages has is left out by its scale.
    if (scaler != "identity" || scales.lonely_nodes()) y = y * scales.of(scaler);
    add(y);
  }
  if (scalers.empty()) add(scales.lonely_nodes() ? product(A) * scales.of("identity") : product(A));
  return rest_of_mlp(f, o + f.parameter(mlp_layer(name, 0) + ".bias"), name, layers);
}

namespace {

std::string readout_layer(const std::string& name, int l) { return fmt::format("{}.FC_layers.{}", name, l); }

}  // namespace

void add_readout(ParameterLayout& layout, const std::string& name, std::uint64_t in, std::uint64_t outputs) {
  for (int l = 0; l < kReadoutLayers; ++l) {
    const bool last = l + 1 == kReadoutLayers;
    layout.add_torch_linear(readout_layer(name, l), last ? outputs : in >> (l + 1), in >> l);
  }
}

template <class S>
tape::Value<S> read_out(Formula<S>& f, tape::Value<S> x, const std::string& name) {
  for (int l = 0; l < kReadoutLayers; ++l) {
    const bool last = l + 1 == kReadoutLayers;
    x = f.linear(x, readout_layer(name, l), {last ? tape::Activation::kNone : tape::Activation::kRelu});
  }
  return x;
}

template class NodeScales<float>;
template class NodeScales<double>;
template void scale_own_weights(const ParameterLayout&, std::span<float>);
template void scale_own_weights(const ParameterLayout&, std::span<double>);
#define AGENTNET_TOWER(S)                                                                                   \
  template tape::Value<S> rest_of_mlp(Formula<S>&, tape::Value<S>, const std::string&, int);                \
  template tape::Value<S> messages(Formula<S>&, tape::Value<S>, tape::Value<S>, const std::string&, int);   \
  template tape::Value<S> statistic(Formula<S>&, tape::Value<S>, const std::string&);                       \
  template tape::Value<S> after_messages(Formula<S>&, tape::Value<S>, tape::Value<S>, const NodeScales<S>&, \
                                         const std::vector<std::string>&, const std::string&, int);         \
  template tape::Value<S> read_out(Formula<S>&, tape::Value<S>, const std::string&);
AGENTNET_TOWER(float)
AGENTNET_TOWER(double)
#undef AGENTNET_TOWER

}  // namespace agentnet
