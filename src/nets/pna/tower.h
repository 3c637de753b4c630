// What PNA and DGN share: statistics of the messages that a node receives, scaled by its degree, and the readout.
//
// Letters: N nodes, E edges, D_v the number of edges that v receives, F the width of the messages.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "agentnet/error.h"
#include "core/option_table.h"
#include "core/text.h"
#include "nets/taped/taped_network.h"
#include "nn/kind.h"

namespace agentnet {

enum class GraphPooling { kSum, kMean, kMax };

template <>
inline constexpr std::array option_names<GraphPooling> = std::to_array<std::string_view>({"sum", "mean", "max"});

inline const std::vector<std::string> kAllScalers = {"identity", "amplification", "attenuation"};

// Throws Error (kUsage), naming the option, for a list that is empty or has a word that is not known.
inline void check_words(const char* option, const std::vector<std::string>& words,
                        const std::vector<std::string>& known) {
  const auto what = [&] { return fmt::format("it can have {}", join_text(known, ", ")); };
  if (words.empty()) throw Error(ErrorKind::kUsage, fmt::format("model option '{}' is empty", option), what());
  for (const std::string& word : words) {
    if (std::find(known.begin(), known.end(), word) != known.end()) continue;
    throw Error(ErrorKind::kUsage, fmt::format("model option '{}' has {}", option, in_quotes(word)), what());
  }
}

// delta: the mean over the nodes of a set of log(D + 1).
[[nodiscard]] double mean_log_degree(const GraphSet& set);
// That as advice for the option `mean_log_degree`.
[[nodiscard]] std::vector<OptionChoice> advise_log_degree(const SetSize& set);

// A batch's nodes as scalers and norms see them.
template <class S>
class NodeScales {
 public:
  NodeScales(Formula<S>& f, double mean_log_degree);
  // [N, 1]: 1, log(D + 1) / delta, delta / log(D + 1); 0 for a node that receives nothing, which has no statistics.
  [[nodiscard]] tape::Value<S> of(const std::string& scaler) const;
  // [N, 1]: 1 / sqrt(number of nodes of the graph).
  [[nodiscard]] tape::Value<S> size_norm() const { return size_norm_; }
  [[nodiscard]] bool lonely_nodes() const { return lonely_; }

 private:
  tape::Value<S> identity_, amplification_, attenuation_, size_norm_;
  bool lonely_ = false;
};

// NAME.fully_connected.L.linear for L = 0 .. layers - 1, with relu between them: hidden width except for the last.
inline std::string mlp_layer(const std::string& name, int layer) {
  return fmt::format("{}.fully_connected.{}.linear", name, layer);
}
// Weights by Xavier's rule, divided by the number of inputs (see scale_own_weights), biases zero.
void add_mlp(ParameterLayout& layout, const std::string& name, int layers, CheckedSize in, CheckedSize hidden,
             CheckedSize out);
void add_small_linear(ParameterLayout& layout, const std::string& name, CheckedSize out, CheckedSize in);
// Divides the weights that add_small_linear() made by their number of inputs, once they are drawn.
template <class S>
void scale_own_weights(const ParameterLayout& layout, std::span<S> values);

// The layers after the first.
template <class S>
tape::Value<S> rest_of_mlp(Formula<S>& f, tape::Value<S> z, const std::string& name, int layers);

// Messages [E, F]: pretrans([h_u ; h_v ; e_uv]) of the edges u -> v. The first layer is linear in each part, so that
// its products run over nodes, of which there are fewer than edges.
template <class S>
tape::Value<S> messages(Formula<S>& f, tape::Value<S> h, tape::Value<S> e, const std::string& name, int layers);

// mean, sum, max, min, std, var of the messages that each node receives: [N, F].
template <class S>
tape::Value<S> statistic(Formula<S>& f, tape::Value<S> m, const std::string& aggregator);

// posttrans([h ; A s_1 ; A s_2 ; ...]) for scalers s: a scaler multiplies a row, so that it can come after the product.
// h may be none. Without scalers A is taken as it is.
template <class S>
tape::Value<S> after_messages(Formula<S>& f, tape::Value<S> h, tape::Value<S> A, const NodeScales<S>& scales,
                              const std::vector<std::string>& scalers, const std::string& name, int layers);

template <class S>
tape::Value<S> pool_graphs(tape::Value<S> h, const tape::Segments& members, GraphPooling pooling) {
  switch (pooling) {
    case GraphPooling::kSum:
      return tape::segment_sum(h, members);
    case GraphPooling::kMax:
      return tape::segment_max(h, members);
    case GraphPooling::kMean:
      break;
  }
  return tape::segment_mean(h, members);
}

// NAME.FC_layers.0, 1, 2: d to d/2 to d/4 to C, relu between them.
void add_readout(ParameterLayout& layout, const std::string& name, std::uint64_t in, std::uint64_t outputs);
inline constexpr int kReadoutLayers = 3;
template <class S>
tape::Value<S> read_out(Formula<S>& f, tape::Value<S> x, const std::string& name);

}  // namespace agentnet
