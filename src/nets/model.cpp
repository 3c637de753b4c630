#include "agentnet/model.h"

#include <numeric>
#include <optional>

#include "agentnet/error.h"
#include "core/thread_pool.h"
#include "nets/agentnet/engine.h"
#include "nets/model_file.h"

namespace agentnet {

struct Model::Impl {
  explicit Impl(const ModelConfig& model_config) : config((validate(model_config), model_config)), layout(config) {}

  ModelConfig config;
  ModelCard card;
  ParameterLayout layout;
  std::vector<float> parameters;

  // Made when first needed, and again when the number of threads or the weights change.
  struct Runner {
    Runner(const ModelConfig& config, int threads) : pool(threads), engine(config, pool) {}
    ThreadPool pool;
    Engine<float> engine;
  };
  std::unique_ptr<Runner> runner;

  Runner& with_threads(int threads) {
    if (runner == nullptr || runner->pool.size() != threads) {
      runner.reset();
      runner = std::make_unique<Runner>(config, threads);
      runner->engine.set_parameters(parameters);
    }
    return *runner;
  }
};

Model::Model(const ModelConfig& config, std::uint64_t seed) : impl_(std::make_unique<Impl>(config)) {
  impl_->parameters.resize(impl_->layout.size());
  initialise<float>(impl_->layout, config, seed, impl_->parameters);
}

Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

Model Model::load(const std::filesystem::path& path) {
  ModelFile file = read_model_file(path);
  Model model(file.config, 0);
  model.impl_->card = std::move(file.card);
  model.impl_->parameters = std::move(file.parameters);
  return model;
}

void Model::save(const std::filesystem::path& path) const {
  write_model_file(path, impl_->config, impl_->card, impl_->parameters);
}

const ModelConfig& Model::config() const { return impl_->config; }
const ModelCard& Model::card() const { return impl_->card; }
ModelCard& Model::card() { return impl_->card; }
std::span<const float> Model::parameters() const { return impl_->parameters; }

std::vector<ParameterInfo> Model::parameter_infos() const {
  std::vector<ParameterInfo> all;
  for (const Parameter& p : impl_->layout.all()) all.push_back({p.name, p.shape, p.offset, p.trainable});
  return all;
}

void Model::set_parameters(std::span<const float> values) {
  if (values.size() != impl_->parameters.size()) {
    throw Error(ErrorKind::kUsage,
                "the model has " + std::to_string(impl_->parameters.size()) + " parameters, " +
                    std::to_string(values.size()) + " were given",
                "give one value for each, in the order of parameter_infos()");
  }
  impl_->parameters.assign(values.begin(), values.end());
  impl_->runner.reset();
}

RunWork& RunWork::operator+=(const RunWork& other) {
  nodes_touched += other.nodes_touched;
  edges_read += other.edges_read;
  bytes_read += other.bytes_read;
  pages_read += other.pages_read;
  return *this;
}

std::vector<float> Model::run(std::span<const GraphView> graphs, const RunOptions& options, Walks* walks,
                              RunWork* work) const {
  std::vector<std::uint64_t> ids = options.graph_ids;
  if (ids.empty()) {
    ids.resize(graphs.size());
    std::iota(ids.begin(), ids.end(), std::uint64_t{0});
  }
  if (ids.size() != graphs.size()) {
    throw Error(ErrorKind::kUsage,
                std::to_string(ids.size()) + " graph ids for " + std::to_string(graphs.size()) + " graphs",
                "give one id per graph, or none");
  }
  RolloutOptions rollout;
  rollout.seed = options.seed;
  rollout.epoch = options.rollout;
  rollout.greedy = options.greedy;
  rollout.temperature = options.temperature;
  rollout.max_neighbours = options.max_neighbours;
  if (options.may_end) rollout.may_end = &options.may_end;
  Engine<float>& engine = impl_->with_threads(options.threads).engine;
  std::vector<float> outputs(graphs.size() * static_cast<std::size_t>(impl_->config.outputs));
  std::optional<Trace<float>> trace;
  if (walks != nullptr) trace.emplace();
  engine.predict({graphs, ids}, rollout, outputs, trace ? &*trace : nullptr);
  if (walks != nullptr) {
    walks->agents = impl_->config.agents;
    walks->positions = std::move(trace->positions);
    walks->nodes_touched = engine.work().nodes_touched;
  }
  if (work != nullptr) {
    const RolloutWork& done = engine.work();
    *work = {done.nodes_touched, done.edges_read, done.bytes_read, done.pages_read};
  }
  return outputs;
}

}  // namespace agentnet
