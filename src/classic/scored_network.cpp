#include "classic/scored_network.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "agentnet/error.h"

namespace agentnet {
namespace {

constexpr const char* kScale = "output.scale";
constexpr const char* kShift = "output.shift";

// ln(1 / (1 + e^-z)), without overflow on either side.
double log_sigmoid(double z) { return std::min(z, 0.0) - std::log1p(std::exp(-std::abs(z))); }
double sigmoid(double z) { return std::exp(log_sigmoid(z)); }

struct ScoredPrepared : Prepared<float> {
  explicit ScoredPrepared(const ScoredNetwork& its_network) : network(its_network) {}
  void prepare(std::span<const float> its_parameters, std::span<const float> buffers) override {
    if (!network.fitted()) return;
    parameters = its_parameters;
    scorer = network.make_scorer(its_parameters, buffers);
  }
  const ScoredNetwork& network;
  std::span<const float> parameters;
  std::unique_ptr<GraphScorer> scorer;
};

[[noreturn]] void no_steps() { throw std::logic_error("a classical model is fitted, not trained by steps"); }

class ScoredRunner : public Runner<float> {
 public:
  ScoredRunner(const ScoredNetwork& network, ThreadPool& pool) : network_(network), pool_(pool) {}

  void use(const Prepared<float>& weights) override { weights_ = &static_cast<const ScoredPrepared&>(weights); }

  void outputs(const Batch& batch, const Call& call, std::span<float> outputs, Walks* /*walks*/) override {
    if (weights_ == nullptr || weights_->scorer == nullptr) {
      throw Error(ErrorKind::kUsage, "the model is yet to be fitted to data", "train it: agentnet train DATA -o RUN");
    }
    check_columns(network_.shape(), batch);
    const auto scale = tensor_of(network_.parameters(), weights_->parameters, kScale);
    const auto shift = tensor_of(network_.parameters(), weights_->parameters, kShift);
    work_ = {};
    for (const GraphView& graph : batch.graphs) {
      work_.nodes_touched += graph.num_nodes;
      work_.edges_read += graph.num_edges();
    }
    pool_.run(batch.graphs.size(), [&](std::size_t g, int) {
      if (call.may_end != nullptr) (*call.may_end)();
      std::vector<double> z(scale.size());
      weights_->scorer->scores(batch.graphs[g], z);
      for (std::size_t s = 0; s < z.size(); ++s) {
        z[s] = static_cast<double>(scale[s]) * z[s] + static_cast<double>(shift[s]);
      }
      scores_to_outputs(network_.task(), z, outputs.subspan(g * network_.outputs(), network_.outputs()));
    });
  }

  [[nodiscard]] std::size_t shards(const Batch& /*batch*/, const Call& /*call*/) const override { return 1; }
  [[nodiscard]] std::size_t sum_width() const override { return network_.parameters().size(); }
  void add_shards(const Batch& /*batch*/, const Call& /*call*/, const LossFunction<float>& /*loss*/,
                  std::size_t /*first*/, std::size_t /*last*/, SumTree<float>& /*sums*/) override {
    no_steps();
  }
  void finish(std::span<float> /*sum*/, std::span<float> /*gradient*/) override { no_steps(); }

  [[nodiscard]] RunWork work() const override { return work_; }
  [[nodiscard]] std::size_t memory() const override { return 0; }

 private:
  const ScoredNetwork& network_;
  ThreadPool& pool_;
  const ScoredPrepared* weights_ = nullptr;
  RunWork work_;
};

}  // namespace

std::size_t num_scores(Task task, std::size_t outputs) {
  return task == Task::kClassification && outputs == 2 ? 1 : outputs;
}

void scores_to_outputs(Task task, std::span<const double> z, std::span<float> outputs) {
  if (task == Task::kClassification && z.size() == 1) {
    outputs[0] = 0;
    outputs[1] = static_cast<float>(z[0]);
    return;
  }
  for (std::size_t c = 0; c < z.size(); ++c) {
    outputs[c] = static_cast<float>(task == Task::kClassification ? log_sigmoid(z[c]) : z[c]);
  }
}

void scores_to_predictions(Task task, std::span<const double> z, std::span<double> predictions) {
  if (task == Task::kRegression) {
    std::copy(z.begin(), z.end(), predictions.begin());
  } else if (task == Task::kClassification && z.size() == 1) {
    predictions[1] = sigmoid(z[0]);
    predictions[0] = 1 - predictions[1];
  } else {
    double sum = 0;
    for (std::size_t c = 0; c < z.size(); ++c) sum += predictions[c] = sigmoid(z[c]);
    if (task != Task::kClassification || !(sum > 0)) return;
    for (double& p : predictions) p /= sum;
  }
}

ScoredNetwork::ScoredNetwork(NetworkConfig config) : Network(std::move(config)) {
  const Json options = parse_json(config_.options, "model options");
  if (!options.contains("fitted")) return;
  fitted_ = options.at("fitted");
  try {
    std::string name;
    read_member(fitted_, "task", name);
    task_ = task_from_name(name);
  } catch (const Error& e) {
    throw Error(ErrorKind::kUsage, std::string("'fitted': ") + e.what(), e.hint());
  }
  if (task_ == Task::kNone) throw Error(ErrorKind::kUsage, "'fitted': a model of no task", "train the model again");
  parameters_.add(kScale, {CheckedSize(scores())}, Init::kZero);
  parameters_.add(kShift, {CheckedSize(scores())}, Init::kZero);
}

void ScoredNetwork::initialise(std::uint64_t /*seed*/, std::span<float> parameters) const {
  std::fill(parameters.begin(), parameters.end(), 0.0F);
}

void ScoredNetwork::scale_outputs(std::span<float> parameters, std::span<const double> scale,
                                  std::span<const double> shift) const {
  if (task_ != Task::kRegression) throw std::logic_error("only numbers have units");
  const auto a = tensor_of(parameters_, parameters, kScale), b = tensor_of(parameters_, parameters, kShift);
  for (std::size_t s = 0; s < a.size(); ++s) {
    a[s] = static_cast<float>(static_cast<double>(a[s]) * scale[s]);
    b[s] = static_cast<float>(static_cast<double>(b[s]) * scale[s] + shift[s]);
  }
}

std::unique_ptr<Prepared<float>> ScoredNetwork::make_prepared() const {
  return std::make_unique<ScoredPrepared>(*this);
}
std::unique_ptr<Runner<float>> ScoredNetwork::make_runner(ThreadPool& pool) const {
  return std::make_unique<ScoredRunner>(*this, pool);
}

std::span<const float> tensor_of(const ParameterLayout& layout, std::span<const float> values, const char* name) {
  const Parameter& p = layout.at(name);
  return values.subspan(p.offset, p.size);
}
std::span<float> tensor_of(const ParameterLayout& layout, std::span<float> values, const char* name) {
  const Parameter& p = layout.at(name);
  return values.subspan(p.offset, p.size);
}

std::shared_ptr<const Network<double>> no_double(const NetworkConfig& config) {
  throw Error(ErrorKind::kUsage, "a model of kind " + config.kind + " has no double precision twin",
              "use it in single precision");
}

std::vector<OptionChoice> no_advice(const SetSize& /*set*/) { return {}; }

}  // namespace agentnet
