#include "agentnet/model.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "agentnet/error.h"
#include "core/checked.h"
#include "core/thread_pool.h"
#include "nets/model_file.h"
#include "nets/model_inside.h"

namespace agentnet {
namespace {

// What one call works in.
struct Workplace {
  Workplace(const Network<float>& network, int threads) : pool(threads), runner(network.make_runner(pool)) {}
  ThreadPool pool;
  std::unique_ptr<Runner<float>> runner;
};

// Kept for the next call, so that it need not start threads and allocate again. Safe for several threads. A process
// that was forked has the places but not their threads: it leaves them where they are, and makes its own.
class Workplaces {
 public:
  ~Workplaces() { leave_those_of_the_parent(); }

  [[nodiscard]] std::unique_ptr<Workplace> take(const Network<float>& network, int threads) {
    {
      const std::scoped_lock lock(mutex_);
      leave_those_of_the_parent();
      const auto at = std::find_if(free_.begin(), free_.end(), [&](const std::unique_ptr<Workplace>& place) {
        return place->pool.size() == threads;
      });
      if (at != free_.end()) {
        std::unique_ptr<Workplace> place = std::move(*at);
        free_.erase(at);
        return place;
      }
    }
    return std::make_unique<Workplace>(network, threads);
  }
  void give_back(std::unique_ptr<Workplace> place) {
    constexpr std::size_t kMost = 8;  // as many callers at once are served without making new ones
    const std::scoped_lock lock(mutex_);
    if (free_.size() == kMost) free_.erase(free_.begin());
    free_.push_back(std::move(place));
  }

 private:
  void leave_those_of_the_parent() {
    if (process_ == ::getpid()) return;
    process_ = ::getpid();
    for (std::unique_ptr<Workplace>& place : free_) static_cast<void>(place.release());  // joining would wait for ever
    free_.clear();
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Workplace>> free_;
  pid_t process_ = ::getpid();
};

[[noreturn]] void refuse(const std::string& what, const std::string& hint) {
  throw Error(ErrorKind::kUsage, what, hint);
}

}  // namespace

struct Model::Impl {
  Impl(std::shared_ptr<const Network<float>> its_network, std::vector<float> its_parameters,
       std::vector<float> its_buffers, InputScale its_inputs)
      : network(std::move(its_network)),
        parameters(std::move(its_parameters)),
        buffers(std::move(its_buffers)),
        inputs(std::move(its_inputs)) {}

  std::shared_ptr<const Network<float>> network;
  ModelCard card;
  std::vector<float> parameters, buffers;
  InputScale inputs;
  Workplaces workplaces;

  // Made when first needed, by whoever comes first.
  [[nodiscard]] const Prepared<float>& ready() {
    const std::scoped_lock lock(mutex_);
    if (prepared_ == nullptr) {
      prepared_ = network->make_prepared();
      prepared_->read_inputs_as(inputs);
      prepared_->prepare(parameters, buffers);
    }
    return *prepared_;
  }
  void weights_changed() { prepared_.reset(); }

 private:
  std::mutex mutex_;
  std::unique_ptr<Prepared<float>> prepared_;
};

Model::Model(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Model::Model(const NetworkConfig& config, std::uint64_t seed) {
  auto network = builtin_kinds().make(config);
  std::vector<float> parameters(network->parameters().size()), buffers(network->buffers().size());
  network->initialise(seed, parameters);
  network->initialise_buffers(buffers);
  impl_ = std::make_unique<Impl>(std::move(network), std::move(parameters), std::move(buffers), InputScale{});
}

Model::Impl& Model::impl() const {
  if (impl_ == nullptr) throw std::logic_error("a model is used that was moved from");
  return *impl_;
}

Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

Model ModelInside::make(std::shared_ptr<const Network<float>> network, std::vector<float> parameters,
                        std::vector<float> buffers, InputScale inputs, ModelCard card) {
  Model model(
      std::make_unique<Model::Impl>(std::move(network), std::move(parameters), std::move(buffers), std::move(inputs)));
  model.card() = std::move(card);
  return model;
}

Model ModelInside::load(const std::filesystem::path& path, const KindTable& kinds) {
  ModelFile file = read_model_file(path, kinds);
  return make(std::move(file.network), std::move(file.parameters), std::move(file.buffers), std::move(file.inputs),
              std::move(file.card));
}

void ModelInside::save(const Model& model, const std::filesystem::path& path, FileSystem& fs) {
  const Model::Impl& impl = model.impl();
  write_model_file(path, *impl.network, impl.card, impl.parameters, impl.buffers, impl.inputs, fs);
}

const std::shared_ptr<const Network<float>>& ModelInside::network(const Model& model) { return model.impl().network; }
const Prepared<float>& ModelInside::prepared(const Model& model) { return model.impl().ready(); }
std::span<const float> ModelInside::buffers(const Model& model) { return model.impl().buffers; }
const InputScale& ModelInside::inputs(const Model& model) { return model.impl().inputs; }

Model Model::load(const std::filesystem::path& path) { return ModelInside::load(path, builtin_kinds()); }
void Model::save(const std::filesystem::path& path) const { ModelInside::save(*this, path, FileSystem::real()); }

const NetworkConfig& Model::config() const { return impl().network->config(); }
std::string Model::description() const { return impl().network->description(); }
bool Model::draws() const { return impl().network->draws(); }
bool Model::walks() const { return impl().network->walks().has_value(); }
const ModelCard& Model::card() const { return impl().card; }
ModelCard& Model::card() { return impl().card; }
std::span<const float> Model::parameters() const { return impl().parameters; }

std::vector<ParameterInfo> Model::parameter_infos() const {
  std::vector<ParameterInfo> all;
  for (const Parameter& p : impl().network->parameters().all()) all.push_back({p.name, p.shape, p.offset, p.trainable});
  return all;
}

void Model::set_parameters(std::span<const float> values) {
  if (values.size() != impl().parameters.size()) {
    refuse("the model has " + std::to_string(impl().parameters.size()) + " parameters, " +
               std::to_string(values.size()) + " were given",
           "give one value for each, in the order of parameter_infos()");
  }
  impl().parameters.assign(values.begin(), values.end());
  impl().weights_changed();
}

std::vector<float> Model::run(std::span<const GraphView> graphs, const RunOptions& options, Walks* walks,
                              RunWork* work) const {
  std::vector<std::uint64_t> ids = options.graph_ids;
  if (ids.empty()) {
    ids.resize(graphs.size());
    std::iota(ids.begin(), ids.end(), std::uint64_t{0});
  }
  if (ids.size() != graphs.size()) {
    refuse(std::to_string(ids.size()) + " graph ids for " + std::to_string(graphs.size()) + " graphs",
           "give one id per graph, or none");
  }
  Call call;
  call.seed = options.seed;
  call.number = options.rollout;
  call.greedy = options.greedy;
  call.temperature = options.temperature;
  call.max_neighbours = options.max_neighbours;
  if (options.may_end) call.may_end = &options.may_end;
  const Network<float>& network = *impl().network;
  if (!network.walks() && (walks != nullptr || call.asks_for_walks())) {
    refuse("the model is " + network.description() + ": nobody walks in it",
           "leave out walks, greedy moves, temperature and max_neighbours");
  }
  std::unique_ptr<Workplace> place = impl().workplaces.take(network, options.threads);
  place->runner->use(impl().ready());
  std::vector<float> outputs(to_allocate(CheckedSize(graphs.size()) * network.outputs()));
  place->runner->outputs({graphs, ids}, call, outputs, walks);
  if (work != nullptr) *work = place->runner->work();
  impl().workplaces.give_back(std::move(place));
  return outputs;
}

}  // namespace agentnet
