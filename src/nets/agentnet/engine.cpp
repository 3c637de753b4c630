#include "nets/agentnet/engine.h"

#include <algorithm>
#include <mutex>
#include <string>

#include "agentnet/error.h"
#include "core/checked.h"
#include "core/files/mapped_file.h"

namespace agentnet {

namespace {

// Rows that the products of a shard should have: enough for full speed, few enough that what a visit works on stays in
// the second-level cache. Measured with bench_train_step; see docs/performance.md.
constexpr std::uint64_t kAgentsPerShard = 160;

// Elements of a table of features.
std::size_t table_size(std::uint64_t rows, int width) {
  return to_allocate(CheckedSize(rows) * static_cast<std::uint64_t>(width));
}

// What came of files that were changed meanwhile is worth nothing.
void check_files(std::span<const GraphView> graphs) {
  const MappedFile* checked = nullptr;
  for (const GraphView& graph : graphs) {
    if (graph.file != nullptr && graph.file != checked) graph.file->check();
    checked = graph.file;
  }
}

}  // namespace

template <class S>
Engine<S>::Engine(const AgentNetConfig& config, ThreadPool& pool)
    : pool_(pool),
      own_weights_(std::make_unique<Weights<S>>((validate(config), config))),
      weights_(own_weights_.get()) {
  for (int i = 0; i < pool.size(); ++i) rollouts_.push_back(std::make_unique<Rollout<S>>());
}

template <class S>
int Engine<S>::agents_of(const RolloutOptions& options) const {
  return options.agents > 0 ? options.agents : config().agents;
}

template <class S>
std::vector<Shard> Engine<S>::shards_of(const Batch& batch, const RolloutOptions& options) const {
  std::vector<std::uint64_t> cost;
  for (const GraphView& graph : batch.graphs) cost.push_back(agents_on(config(), agents_of(options), graph));
  return make_shards(cost, kAgentsPerShard);
}

template <class S>
std::size_t Engine<S>::shards(const Batch& batch, const RolloutOptions& options) const {
  return shards_of(batch, options).size();
}

template <class S>
RolloutTask<S> Engine<S>::task(const Batch& batch, const Shard& shard, const RolloutOptions& options,
                               bool training) const {
  const std::size_t first = shard.members.front(), count = shard.members.size();
  return {weights_, batch.graphs.subspan(first, count), batch.ids.subspan(first, count), first, options, training};
}

template <class S>
void Engine<S>::run(std::size_t first, std::size_t last, const std::function<void(std::size_t, Rollout<S>&)>& f) {
  std::mutex mutex;
  const auto work = [&](std::size_t at, int worker) {
    Rollout<S>& rollout = *rollouts_[static_cast<std::size_t>(worker)];
    f(first + at, rollout);
    const std::scoped_lock lock(mutex);
    work_ += rollout.work();
  };
  work_ = {};
  if (pickup_order.empty()) {
    pool_.run(last - first, work);
  } else {
    pool_.run_in_order(pickup_order, work);
  }
}

template <class S>
void Engine<S>::start_trace(Trace<S>& trace, const Batch& batch) const {
  const auto size = [](int option) { return CheckedSize(static_cast<std::uint64_t>(option)); };
  const std::size_t graphs = batch.graphs.size();
  trace.first_agent.assign(1, 0);
  CheckedSize agents = 0;
  for (const GraphView& graph : batch.graphs) {
    agents += agents_on(config(), config().agents, graph);
    trace.first_agent.push_back(to_allocate(agents));
  }
  const CheckedSize visits = size(config().steps) + 1;
  // All sizes are known before the first memory is taken.
  const std::size_t positions = to_allocate(agents * sizeof(std::uint64_t)) / sizeof(std::uint64_t);
  const std::size_t step_outputs = to_allocate(visits * graphs * size(config().outputs) * sizeof(S)) / sizeof(S);
  const std::size_t agent_states = to_allocate(visits * agents * size(config().hidden) * sizeof(S)) / sizeof(S);
  trace.positions.assign(to_allocate(visits), std::vector<std::uint64_t>(positions));
  trace.step_outputs.assign(step_outputs, S(0));
  trace.agent_states.assign(agent_states, S(0));
}

template <class S>
void Engine<S>::fill_trace(Trace<S>& trace, const Shard& shard, std::size_t graphs, const Rollout<S>& rollout) const {
  const auto h = static_cast<std::size_t>(config().hidden);
  const auto C = static_cast<std::size_t>(config().outputs);
  const std::size_t first = shard.members.front(), count = shard.members.size();
  const std::size_t first_agent = trace.first_agent[first], agents = trace.first_agent[first + count] - first_agent;
  for (std::size_t t = 0; t < trace.positions.size(); ++t) {
    const int visit = static_cast<int>(t);
    for (std::size_t a = 0; a < agents; ++a) {
      trace.positions[t][first_agent + a] = rollout.position(visit, static_cast<Index>(a));
      std::copy_n(rollout.agents_after(visit).row(static_cast<Index>(a)), h,
                  trace.agent_states.data() + (t * trace.first_agent.back() + first_agent + a) * h);
    }
    for (std::size_t g = 0; g < count; ++g) {
      std::copy_n(rollout.step_output(visit).row(static_cast<Index>(g)), C,
                  trace.step_outputs.data() + (t * graphs + first + g) * C);
    }
  }
}

template <class S>
void Engine<S>::predict(const Batch& batch, const RolloutOptions& options, std::span<S> outputs, Trace<S>* trace) {
  check_columns(config().shape(), batch);
  const std::vector<Shard> shards = shards_of(batch, options);
  const auto C = static_cast<std::size_t>(config().outputs);
  if (trace != nullptr) start_trace(*trace, batch);
  run(0, shards.size(), [&](std::size_t s, Rollout<S>& rollout) {
    if (options.may_end != nullptr) (*options.may_end)();
    rollout.forward(task(batch, shards[s], options, /*training=*/false));
    for (std::size_t g = 0; g < shards[s].members.size(); ++g) {
      std::copy_n(rollout.outputs().row(static_cast<Index>(g)), C, outputs.data() + shards[s].members[g] * C);
    }
    if (trace != nullptr) fill_trace(*trace, shards[s], batch.graphs.size(), rollout);
  });
  check_files(batch.graphs);
}

template <class S>
void Engine<S>::explain(const Batch& batch, const RolloutOptions& options, const LossFunction<S>& score,
                        const Look& look) {
  check_columns(config().shape(), batch);
  const std::vector<Shard> shards = shards_of(batch, options);
  const auto C = static_cast<std::size_t>(config().outputs);
  run(0, shards.size(), [&](std::size_t s, Rollout<S>& rollout) {
    if (options.may_end != nullptr) (*options.may_end)();
    const std::size_t first = shards[s].members.front(), count = shards[s].members.size();
    RolloutTask<S> explaining = task(batch, shards[s], options, /*training=*/true);
    explaining.explaining = true;
    rollout.forward(explaining);
    if (score) {
      const Matrix<S> outputs = rollout.outputs();
      std::vector<S> d_outputs(count * C, S(0));
      score(first, count, {outputs.data, outputs.ld}, {d_outputs.data(), static_cast<Stride>(C)});
      rollout.backward_to_states({d_outputs.data(), static_cast<Stride>(C)});
    }
    look(first, count, rollout);
  });
  check_files(batch.graphs);
}

template <class S>
double Engine<S>::gradients(const Batch& batch, const RolloutOptions& options, const LossFunction<S>& loss,
                            std::span<S> gradient, const Wanted& wanted) {
  if (wanted.trace != nullptr) start_trace(*wanted.trace, batch);
  if (wanted.inputs != nullptr) {
    wanted.inputs->assign(batch.graphs.size(), {});
    for (std::size_t i = 0; i < batch.graphs.size(); ++i) {
      const GraphView& g = batch.graphs[i];
      (*wanted.inputs)[i].nodes.assign(table_size(g.num_nodes, g.node_dense.width), S(0));
      (*wanted.inputs)[i].edges.assign(table_size(g.edge_feature_rows(), g.edge_dense.width), S(0));
    }
  }
  const std::size_t count = shards(batch, options);
  SumTree<S> sums(count, sum_width(), buffers_);
  add_shards(batch, options, loss, 0, count, sums, wanted);
  typename SumTree<S>::Total total = sums.total();
  finish(*total.values, gradient);
  buffers_.give_back(std::move(total.values));
  return total.loss;
}

template <class S>
void Engine<S>::add_shards(const Batch& batch, const RolloutOptions& options, const LossFunction<S>& loss,
                           std::size_t first, std::size_t last, SumTree<S>& sums, const Wanted& wanted) {
  check_columns(config().shape(), batch);
  const std::vector<Shard> shards = shards_of(batch, options);
  const auto C = static_cast<std::size_t>(config().outputs);
  run(first, last, [&](std::size_t s, Rollout<S>& rollout) {
    const std::size_t front = shards[s].members.front(), count = shards[s].members.size();
    rollout.forward(task(batch, shards[s], options, /*training=*/true));
    const Matrix<S> outputs = rollout.outputs();
    std::vector<S> d_outputs(count * C, S(0));
    const double share = loss(front, count, {outputs.data, outputs.ld}, {d_outputs.data(), static_cast<Stride>(C)});
    auto buffer = sums.begin();
    rollout.backward({d_outputs.data(), static_cast<Stride>(C)}, buffer->data(),
                     wanted.inputs != nullptr ? wanted.inputs->data() + front : nullptr);
    sums.finish(s, std::move(buffer), share);
    if (!wanted.outputs.empty()) {
      for (std::size_t g = 0; g < count; ++g) {
        std::copy_n(outputs.row(static_cast<Index>(g)), C, wanted.outputs.data() + (front + g) * C);
      }
    }
    if (wanted.trace != nullptr) fill_trace(*wanted.trace, shards[s], batch.graphs.size(), rollout);
  });
  check_files(batch.graphs);
}

template <class S>
void Engine<S>::finish(std::span<S> sum, std::span<S> gradient) const {
  weights_->finish_gradient(sum);
  std::copy_n(sum.begin(), layout().size(), gradient.begin());
  for (const Parameter& p : layout().all()) {
    if (!p.trainable) std::fill_n(gradient.begin() + static_cast<std::ptrdiff_t>(p.offset), p.size, S(0));
  }
}

template <class S>
std::size_t Engine<S>::memory() const {
  std::size_t bytes = buffers_.memory();
  for (const auto& rollout : rollouts_) bytes += rollout->memory();
  return bytes;
}

template class Engine<float>;
template class Engine<double>;

}  // namespace agentnet
