#include "support/mean_network.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "agentnet/error.h"
#include "core/option_table.h"
#include "nets/agentnet/agentnet.h"

namespace agentnet {
namespace {

struct MeanOptions {
  bool bias = true;
};

constexpr auto kVisit = [](auto& o, const auto& f) { f("bias", o.bias, kAnyValue, "adds b[c]"); };

MeanOptions options_of(const std::string& json) {
  MeanOptions options;
  options_from_json(Json::parse(json), options, kVisit, "model option");
  return options;
}

std::vector<OptionHelp> option_list() {
  std::vector<OptionHelp> all;
  describe_options<MeanOptions>(
      kVisit, [&](const char* name, const std::string& value, const std::string& allowed, const char* help) {
        all.push_back({name, value, allowed, help});
      });
  return all;
}

std::string complete(const std::string& json) { return options_to_json(options_of(json), kVisit).dump(); }

template <class S>
struct MeanPrepared : Prepared<S> {
  void prepare(std::span<const S> its_parameters, std::span<const S> /*buffers*/) override {
    parameters = its_parameters;
  }
  std::span<const S> parameters;
};

template <class S>
class MeanRunner : public Runner<S> {
 public:
  MeanRunner(const Network<S>& network, ThreadPool& pool) : network_(network), pool_(pool) {}

  void use(const Prepared<S>& weights) override {
    weights_ = static_cast<const MeanPrepared<S>&>(weights).parameters;
    scale_ = &weights.inputs();
  }

  void outputs(const Batch& batch, const Call& /*call*/, std::span<S> outputs, Walks* /*walks*/) override {
    check_columns(network_.shape(), batch);
    pool_.run(batch.graphs.size(), [&](std::size_t g, int) {
      const std::vector<S> y = forward(mean_of(batch.graphs[g]));
      std::copy(y.begin(), y.end(), outputs.begin() + static_cast<std::ptrdiff_t>(g * y.size()));
    });
  }

  [[nodiscard]] std::size_t shards(const Batch& batch, const Call& /*call*/) const override {
    return batch.graphs.size();
  }
  [[nodiscard]] std::size_t sum_width() const override { return network_.parameters().size() + inputs(); }
  void add_shards(const Batch& batch, const Call& /*call*/, const LossFunction<S>& loss, std::size_t first,
                  std::size_t last, SumTree<S>& sums) override {
    check_columns(network_.shape(), batch);
    graphs_ = batch.graphs.size();
    pool_.run(last - first, [&](std::size_t at, int) {
      const std::size_t g = first + at;
      const std::vector<S> x = mean_of(batch.graphs[g]);
      const std::vector<S> y = forward(x);
      std::vector<S> dy(y.size(), S(0));
      const auto C = static_cast<Stride>(y.size());
      const double share = loss(g, 1, {y.data(), C}, {dy.data(), C});
      auto sum = sums.begin();
      for (std::size_t c = 0; c < y.size(); ++c) {
        for (std::size_t i = 0; i < x.size(); ++i) (*sum)[c * x.size() + i] += dy[c] * x[i];
        if (has_bias()) (*sum)[y.size() * x.size() + c] += dy[c];
      }
      std::copy(x.begin(), x.end(), sum->begin() + static_cast<std::ptrdiff_t>(network_.parameters().size()));
      sums.finish(g, std::move(sum), share);
    });
  }
  void finish(std::span<S> sum, std::span<S> gradient) override {
    std::copy_n(sum.begin(), gradient.size(), gradient.begin());
    seen_.assign(sum.begin() + static_cast<std::ptrdiff_t>(gradient.size()), sum.end());
  }
  void update_buffers(std::span<S> buffers) override {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      buffers[i] += S(0.1) * (seen_[i] / static_cast<S>(graphs_) - buffers[i]);
    }
  }

  [[nodiscard]] RunWork work() const override { return {}; }
  [[nodiscard]] std::size_t memory() const override { return seen_.capacity() * sizeof(S); }

 private:
  [[nodiscard]] std::size_t inputs() const { return static_cast<std::size_t>(network_.shape().node_features); }
  [[nodiscard]] bool has_bias() const { return network_.parameters().find("readout.bias") != nullptr; }

  [[nodiscard]] std::vector<S> mean_of(const GraphView& graph) const {
    std::vector<S> sum(inputs(), S(0)), row(inputs());
    for (std::uint64_t v = 0; v < graph.num_nodes; ++v) {
      graph.node_dense.copy(v, row.data());
      scale_row(scale_->nodes, row.data());
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += row[i] / static_cast<S>(graph.num_nodes);
    }
    return sum;
  }
  [[nodiscard]] std::vector<S> forward(const std::vector<S>& x) const {
    std::vector<S> y(network_.outputs(), S(0));
    for (std::size_t c = 0; c < y.size(); ++c) {
      for (std::size_t i = 0; i < x.size(); ++i) y[c] += weights_[c * x.size() + i] * x[i];
      if (has_bias()) y[c] += weights_[y.size() * x.size() + c];
    }
    return y;
  }

  const Network<S>& network_;
  ThreadPool& pool_;
  std::span<const S> weights_;
  const InputScale* scale_ = nullptr;
  std::size_t graphs_ = 0;
  std::vector<S> seen_;
};

template <class S>
class MeanNetwork : public Network<S> {
 public:
  explicit MeanNetwork(const NetworkConfig& config) : Network<S>({"mean", complete(config.options), config.shape}) {
    if (config.shape.node_features == 0) {
      throw Error(ErrorKind::kUsage, "there are no numbers on the nodes to take the mean of", "use other data");
    }
    const bool bias = options_of(config.options).bias;
    const auto inputs = static_cast<std::uint64_t>(config.shape.node_features);
    this->parameters_.add_torch_linear("readout", this->outputs(), inputs, bias);
    this->buffers_.add("seen.mean", {inputs}, Init::kZero);
  }

  void initialise(std::uint64_t seed, std::span<S> parameters) const override {
    agentnet::initialise(this->parameters_, seed, 0, parameters);
  }
  [[nodiscard]] bool draws() const override { return false; }
  [[nodiscard]] std::string description() const override { return "mean of node features, linear readout"; }
  void scale_outputs(std::span<S> parameters, std::span<const double> scale,
                     std::span<const double> shift) const override {
    const Parameter& weight = this->parameters_.at("readout.weight");
    const Parameter& bias = this->parameters_.at("readout.bias");
    const std::size_t inputs = weight.size / this->outputs();
    for (std::size_t c = 0; c < this->outputs(); ++c) {
      for (std::size_t i = 0; i < inputs; ++i) parameters[c * inputs + i] *= static_cast<S>(scale[c]);
      S& b = parameters[bias.offset + c];
      b = static_cast<S>(b * scale[c] + shift[c]);
    }
  }
  [[nodiscard]] std::unique_ptr<Prepared<S>> make_prepared() const override {
    return std::make_unique<MeanPrepared<S>>();
  }
  [[nodiscard]] std::unique_ptr<Runner<S>> make_runner(ThreadPool& pool) const override {
    return std::make_unique<MeanRunner<S>>(*this, pool);
  }
};

template <class S>
std::shared_ptr<const Network<S>> make(const NetworkConfig& config) {
  return std::make_shared<const MeanNetwork<S>>(config);
}

}  // namespace

const NetworkKind kMeanNetwork = {
    .name = "mean",
    .summary = "a linear readout of mean node features; for tests",
    .options = option_list,
    .complete = complete,
    .advise = [](const SetSize&) { return std::vector<OptionChoice>(); },
    .make_float = make<float>,
    .make_double = make<double>,
};

const KindTable& kinds_with_mean_network() {
  static const KindTable kinds({&kAgentNet, &kMeanNetwork});
  return kinds;
}

}  // namespace agentnet
