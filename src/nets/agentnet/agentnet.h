// AgentNet as a Network: k agents walk each graph for T steps and decide together. The visit itself is in the files of
// its four steps, in their order: node_update, neighbourhood, agent_update, transition; readout between visits;
// rollout.h puts them together and engine.h runs a batch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agentnet/config.h"
#include "nets/agentnet/engine.h"
#include "nets/agentnet/weights.h"
#include "nn/kind.h"
#include "nn/network.h"

namespace agentnet {

inline constexpr const char* kAgentNetKind = "agentnet";
extern const NetworkKind kAgentNet;

// The options that a user sets (src/nets/agentnet/config.cpp), and all of them as JSON.
[[nodiscard]] std::vector<OptionHelp> agentnet_options();
[[nodiscard]] std::string complete_agentnet_options(const std::string& json);

// The options of a rollout that a call asks for. Training leaves no walk options to the caller but takes the
// curriculum's number of agents.
[[nodiscard]] RolloutOptions rollout_options(const AgentNetConfig& config, const Call& call);

// How many agents walk in a step of the training: one, then more and more, then all (AgentNetConfig::solo_steps).
[[nodiscard]] int agents_in_step(const AgentNetConfig& config, std::uint64_t step);

template <class S>
class AgentNetPrepared : public Prepared<S> {
 public:
  explicit AgentNetPrepared(const AgentNetConfig& config) : weights_(config) {}
  void prepare(std::span<const S> parameters, std::span<const S> /*buffers*/) override {
    weights_.inputs = this->inputs();
    weights_.prepare(parameters);
  }
  [[nodiscard]] const Weights<S>& weights() const { return weights_; }

 private:
  Weights<S> weights_;
};

template <class S>
class AgentNet : public Network<S> {
 public:
  // Throws Error (kUsage) for a config that is not valid.
  explicit AgentNet(const AgentNetConfig& config);

  [[nodiscard]] const AgentNetConfig& agentnet_config() const { return config_; }

  void initialise(std::uint64_t seed, std::span<S> parameters) const override;
  [[nodiscard]] bool draws() const override { return true; }
  [[nodiscard]] std::string description() const override;
  void scale_outputs(std::span<S> parameters, std::span<const double> scale,
                     std::span<const double> shift) const override;
  [[nodiscard]] std::unique_ptr<Prepared<S>> make_prepared() const override;
  [[nodiscard]] std::unique_ptr<Runner<S>> make_runner(ThreadPool& pool) const override;
  void before_step(std::uint64_t step, std::span<S> parameters) const override;
  [[nodiscard]] std::optional<WalkTraits> walks() const override {
    return WalkTraits{config_.agents, config_.steps, config_.self_loops};
  }

 private:
  AgentNetConfig config_;
};

}  // namespace agentnet
