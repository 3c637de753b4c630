#include "nets/agentnet/agentnet.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace agentnet {
namespace {

// Good results in minutes on a small machine, after the authors' settings (docs/spec.md, section 5): k is the mean
// number of nodes. With as many agents as nodes, more steps than these have brought nothing on real graphs
// (docs/results.md).
constexpr int kHidden = 64, kSteps = 8;
constexpr double kFewestAgents = 2, kMostAgents = 512;

std::vector<OptionChoice> advise(const SetSize& set) {
  const double nodes = set.mean_nodes;
  const auto agents = static_cast<int>(std::clamp(std::round(nodes), kFewestAgents, kMostAgents));
  return {{"agents", std::to_string(agents),
           nodes > kMostAgents ? fmt::format("graphs have {:.0f} nodes in the mean; this many agents see enough", nodes)
                               : "the mean number of nodes"},
          {"steps", std::to_string(kSteps), "enough for so many agents; puzzles may need 16"},
          {"hidden", std::to_string(kHidden), "128 learns more, and takes three times as long"}};
}

template <class S>
class AgentNetRunner : public Runner<S> {
 public:
  AgentNetRunner(const AgentNetConfig& config, ThreadPool& pool) : engine_(config, pool) {}

  void use(const Prepared<S>& weights) override {
    engine_.use(static_cast<const AgentNetPrepared<S>&>(weights).weights());
  }

  void outputs(const Batch& batch, const Call& call, std::span<S> outputs, Walks* walks) override {
    Trace<S> trace;
    engine_.predict(batch, options(call), outputs, walks != nullptr ? &trace : nullptr);
    if (walks == nullptr) return;
    walks->agents = engine_.config().agents;
    walks->positions = std::move(trace.positions);
    walks->nodes_touched = engine_.work().nodes_touched;
  }

  [[nodiscard]] std::size_t shards(const Batch& batch, const Call& call) const override {
    return engine_.shards(batch, options(call));
  }
  [[nodiscard]] std::size_t sum_width() const override { return engine_.sum_width(); }
  void add_shards(const Batch& batch, const Call& call, const LossFunction<S>& loss, std::size_t first,
                  std::size_t last, SumTree<S>& sums) override {
    engine_.add_shards(batch, options(call), loss, first, last, sums);
  }
  void finish(std::span<S> sum, std::span<S> gradient) override { engine_.finish(sum, gradient); }

  [[nodiscard]] RunWork work() const override {
    const RolloutWork& done = engine_.work();
    return {done.nodes_touched, done.edges_read, done.bytes_read, done.pages_read};
  }
  [[nodiscard]] std::size_t memory() const override { return engine_.memory(); }

 private:
  [[nodiscard]] RolloutOptions options(const Call& call) const { return rollout_options(engine_.config(), call); }

  Engine<S> engine_;
};

template <class S>
std::shared_ptr<const Network<S>> make(const NetworkConfig& config) {
  return std::make_shared<const AgentNet<S>>(agentnet_config(config));
}

}  // namespace

const NetworkKind kAgentNet = {
    .name = kAgentNetKind,
    .summary = "k agents walk the graph, read and write its nodes, and decide together (ICLR 2023)",
    .options = agentnet_options,
    .complete = complete_agentnet_options,
    .advise = advise,
    .make_float = make<float>,
    .make_double = make<double>,
};

RolloutOptions rollout_options(const AgentNetConfig& config, const Call& call) {
  RolloutOptions options;
  options.seed = call.seed;
  options.epoch = call.number;
  options.greedy = call.greedy;
  options.temperature = call.temperature;
  options.max_neighbours = call.max_neighbours;
  options.dropout = call.training;
  options.may_end = call.may_end;
  if (call.training) options.agents = agents_in_step(config, call.number);
  return options;
}

int agents_in_step(const AgentNetConfig& config, std::uint64_t step) {
  if (step < config.solo_steps) return 1;
  step -= config.solo_steps;
  for (int agents = 2; agents < config.agents && config.growth_steps > 0; agents *= 2) {
    if (step < config.growth_steps) return agents;
    step -= config.growth_steps;
  }
  return step < config.mixed_steps && step % 2 == 0 ? 1 : config.agents;
}

template <class S>
AgentNet<S>::AgentNet(const AgentNetConfig& config) : Network<S>((validate(config), config)), config_(config) {
  this->parameters_ = agentnet_layout(config);
}

template <class S>
void AgentNet<S>::initialise(std::uint64_t seed, std::span<S> parameters) const {
  initialise_agentnet(this->parameters_, config_, seed, parameters);
}

template <class S>
std::string AgentNet<S>::description() const {
  return fmt::format("AgentNet with {} agents{}, {} steps, hidden size {}", config_.agents,
                     config_.start == StartPolicy::kEveryNode ? " on every node" : "", config_.steps, config_.hidden);
}

// The output is a mean over visits of what the last layer gives, so that scale and shift can move into that layer:
// W'[c, i] = scale[c] W[c, i], b'[c] = scale[c] b[c] + shift[c]   [C, inputs], [C]
template <class S>
void AgentNet<S>::scale_outputs(std::span<S> parameters, std::span<const double> scale,
                                std::span<const double> shift) const {
  const std::string head = config_.head_mlp ? "head.1" : "head.0";
  const Parameter& weight = this->parameters_.at(head + ".weight");
  const Parameter& bias = this->parameters_.at(head + ".bias");
  const std::size_t inputs = weight.size / this->outputs();
  for (std::size_t c = 0; c < this->outputs(); ++c) {
    for (std::size_t i = 0; i < inputs; ++i) {
      S& w = parameters[weight.offset + c * inputs + i];
      w = static_cast<S>(w * scale[c]);
    }
    S& b = parameters[bias.offset + c];
    b = static_cast<S>(b * scale[c] + shift[c]);
  }
}

template <class S>
std::unique_ptr<Prepared<S>> AgentNet<S>::make_prepared() const {
  return std::make_unique<AgentNetPrepared<S>>(config_);
}

template <class S>
std::unique_ptr<Runner<S>> AgentNet<S>::make_runner(ThreadPool& pool) const {
  return std::make_unique<AgentNetRunner<S>>(config_, pool);
}

// Agents that join a growing crowd begin with what those before them have learned: rows [known, 2 known) of the table
// [k, h] become copies of rows [0, known).
template <class S>
void AgentNet<S>::before_step(std::uint64_t step, std::span<S> parameters) const {
  if (config_.growth_steps == 0) return;
  const auto all = static_cast<std::size_t>(config_.agents);
  const Parameter& table = this->parameters_.at("agents.weight");
  const std::size_t width = table.size / all;
  std::uint64_t start = config_.solo_steps;
  for (std::size_t known = 1; known < all; known *= 2, start += config_.growth_steps) {
    if (step != start) continue;
    S* rows = parameters.data() + table.offset;
    for (std::size_t i = known; i < std::min(2 * known, all); ++i) {
      std::copy_n(rows + (i - known) * width, width, rows + i * width);
    }
  }
}

template class AgentNet<float>;
template class AgentNet<double>;

}  // namespace agentnet
