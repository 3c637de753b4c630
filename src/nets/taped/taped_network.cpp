#include "nets/taped/taped_network.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "agentnet/error.h"
#include "core/random.h"
#include "nets/taped/memory_check.h"

namespace agentnet {

template <class S>
void TapedNetwork<S>::initialise(std::uint64_t seed, std::span<S> parameters) const {
  agentnet::initialise<S>(this->parameters_, seed, 0, parameters);
  for (std::size_t i = 0; i < this->parameters_.all().size(); ++i) {
    const Parameter& table = this->parameters_.all()[i];
    if (table.init != Init::kOwn) continue;
    RandomSequence random(seed, Purpose::kInit, 0, i);
    const double bound = std::sqrt(6 / static_cast<double>(table.shape.front() + table.shape.back()));
    for (S& value : parameters.subspan(table.offset, table.size)) {
      value = static_cast<S>((2 * random.uniform() - 1) * bound);
    }
  }
}

// outputs = share * sum over layers of (W x + b), so W and b of all of them are scaled, and the shift goes to the
// first.
template <class S>
void TapedNetwork<S>::scale_outputs(std::span<S> parameters, std::span<const double> scale,
                                    std::span<const double> shift) const {
  for (const OutputLayers& layers : output_layers()) {
    double missing = 1;  // the share of the shift that is still to be added
    for (const std::string& name : layers.names) {
      const Parameter& weight = this->parameters_.at(name + ".weight");
      const Parameter& bias = this->parameters_.at(name + ".bias");
      const std::size_t inputs = weight.size / this->outputs();
      for (std::size_t c = 0; c < this->outputs(); ++c) {
        S* row = parameters.data() + weight.offset + c * inputs;
        for (std::size_t i = 0; i < inputs; ++i) row[i] = static_cast<S>(row[i] * scale[c]);
        S& b = parameters[bias.offset + c];
        b = static_cast<S>(b * scale[c] + missing * shift[c] / layers.share);
      }
      missing = 0;
    }
  }
}

template <class S>
double TapedNetwork<S>::numbers_of(const GraphView& graph) const {
  return static_cast<double>(graph.num_nodes) * numbers_per_node() +
         static_cast<double>(graph.edge_feature_rows()) * numbers_per_edge();
}

template <class S>
std::unique_ptr<Prepared<S>> TapedNetwork<S>::make_prepared() const {
  return std::make_unique<TapedPrepared<S>>();
}

template <class S>
std::unique_ptr<Runner<S>> TapedNetwork<S>::make_runner(ThreadPool& pool) const {
  return std::make_unique<TapedRunner<S>>(*this, pool);
}

template <class S>
void TapedRunner<S>::check_call(const Call& call, const Walks* walks) const {
  if (weights_ == nullptr) throw std::logic_error("TapedRunner: no weights yet");
  if (walks == nullptr && !call.asks_for_walks()) return;
  throw Error(ErrorKind::kUsage, network_.description() + ": nobody walks in it",
              "leave out walks, greedy moves, temperature and max_neighbours");
}

template <class S>
Formula<S> TapedRunner<S>::begin(const Batch& batch, const Call& call, S* gradients, S* statistics) {
  if (call.may_end != nullptr) (*call.may_end)();
  check_memory(batch, call, counted_bytes(batch));
  graphs_.assign(network_.shape(), network_.wish(), weights_->inputs(), batch);
  work_.nodes_touched += static_cast<std::uint64_t>(graphs_.nodes());
  work_.edges_read += static_cast<std::uint64_t>(graphs_.edges());
  tape_.begin({.training = call.training, .gradients = gradients != nullptr});
  return {tape_,     graphs_,
          call,      {network_.parameters(), network_.buffers(), weights_->parameters.data(), gradients, statistics},
          recorded_, recorded_ != nullptr && gradients != nullptr};
}

template <class S>
double TapedRunner<S>::counted_bytes(const Batch& batch) const {
  double bytes = 0;
  for (const GraphView& graph : batch.graphs) bytes += network_.recorded_bytes(graph);
  return bytes;
}

// Before the memory is taken, because a system that has none left kills the program without a word.
template <class S>
void TapedRunner<S>::check_memory(const Batch& batch, const Call& call, double bytes) const {
  if (bytes <= static_cast<double>(max_bytes_)) return;
  refuse_for_memory({network_.description(), bytes, max_bytes_}, batch, call,
                    [&](const GraphView& graph) { return network_.numbers_of(graph); });
}

template <class S>
void TapedRunner<S>::forward(const Batch& batch, const Call& call, const TapedAnswer<S>& answer) {
  const std::size_t buffers =
      answer.auxiliary ? tape_.bytes_needed({answer.outputs, answer.auxiliary}) : tape_.bytes_needed({answer.outputs});
  const std::size_t known = buffers + graphs_.memory();
  check_memory(batch, call, counted_bytes(batch) + static_cast<double>(known));
  if (answer.auxiliary) {
    tape_.run({answer.outputs, answer.auxiliary});
  } else {
    tape_.run({answer.outputs});
  }
  note(seen_.outputs, answer.outputs, answer.outputs.data());
  seen_.auxiliary.clear();
  if (answer.auxiliary) note(seen_.auxiliary, answer.auxiliary, answer.auxiliary.data());
}

template <class S>
void TapedRunner<S>::note(std::vector<S>& to, tape::Value<S> value, Matrix<S> from) {
  to.clear();
  if (recorded_ == nullptr) return;
  for (Index i = 0; i < value.rows(); ++i) to.insert(to.end(), from.row(i), from.row(i) + value.columns());
}

// The graphs [first, end) of a batch that are evaluated together: as many as have some 4 million numbers at a time (16
// MB in single precision), or one.
template <class S>
std::size_t TapedRunner<S>::end_of_piece(const Batch& batch, std::size_t first) const {
  constexpr double kNumbers = 4 << 20;
  double numbers = 0;
  std::size_t end = first;
  while (end < batch.graphs.size()) {
    const GraphView& graph = batch.graphs[end];
    numbers += network_.numbers_of(graph);
    if (numbers > kNumbers && end > first) break;
    ++end;
  }
  return end;
}

template <class S>
void TapedRunner<S>::outputs(const Batch& batch, const Call& call, std::span<S> outputs, Walks* walks) {
  check_call(call, walks);
  work_ = {};
  const std::size_t C = network_.outputs();
  for (std::size_t first = 0, end = 0; first < batch.graphs.size(); first = end) {
    // In training all graphs of a batch are normalised together.
    end = call.training ? batch.graphs.size() : end_of_piece(batch, first);
    const std::size_t count = end - first;
    statistics_.assign(weights_->buffers.begin(), weights_->buffers.end());
    const Batch piece{batch.graphs.subspan(first, count), batch.ids.subspan(first, count)};
    Formula<S> formula = begin(piece, call, nullptr, statistics_.data());
    const TapedAnswer<S> answer = network_.answer(formula);
    forward(piece, call, answer);
    for (std::size_t i = 0; i < count; ++i) {
      const S* row = answer.outputs.data().row(static_cast<Index>(i));
      std::copy_n(row, C, outputs.begin() + static_cast<std::ptrdiff_t>((first + i) * C));
    }
  }
}

template <class S>
void TapedRunner<S>::add_shards(const Batch& batch, const Call& call, const LossFunction<S>& loss, std::size_t first,
                                std::size_t last, SumTree<S>& sums) {
  check_call(call, nullptr);
  work_ = {};
  if (first >= last) return;
  auto sum = sums.begin();
  S* statistics = sum->data() + network_.parameters().size();
  std::copy(weights_->buffers.begin(), weights_->buffers.end(), statistics);
  Formula<S> formula = begin(batch, call, sum->data(), statistics);
  const TapedAnswer<S> answer = network_.answer(formula);
  forward(batch, call, answer);
  const double total = backward(formula, answer, batch.graphs.size(), loss);
  sums.finish(0, std::move(sum), total);
}

template <class S>
double TapedRunner<S>::backward(Formula<S>& formula, const TapedAnswer<S>& answer, std::size_t graphs,
                                const LossFunction<S>& loss) {
  const auto C = static_cast<Stride>(network_.outputs());
  const auto runs = static_cast<std::size_t>(answer.auxiliary ? answer.runs : 0);
  const std::size_t entries = graphs * static_cast<std::size_t>(C);
  d_outputs_.assign(entries * (1 + runs), S(0));
  const Matrix<S> d_main{d_outputs_.data(), C};
  const Matrix<S> y = answer.outputs.data();
  double total = loss(0, graphs, {y.data, y.ld}, d_main);
  if (runs == 0) {
    tape_.backward({{answer.outputs, d_main}});
  } else {
    const Matrix<S> d_auxiliary{d_outputs_.data() + entries, C};
    const Matrix<S> a = answer.auxiliary.data();
    double auxiliary = 0;
    for (std::size_t r = 0; r < runs; ++r) {
      const auto run = static_cast<Index>(r);
      const auto stride = static_cast<Stride>(runs);
      auxiliary += loss(0, graphs, {a.row(run), stride * a.ld}, {d_auxiliary.row(run), stride * C});
    }
    const auto weigh = [](S* d, std::size_t n, double weight) {
      for (std::size_t i = 0; i < n; ++i) d[i] = static_cast<S>(d[i] * weight);
    };
    const double per_run = kAuxiliaryShare / static_cast<double>(runs);
    weigh(d_main.data, entries, 1 - kAuxiliaryShare);
    weigh(d_auxiliary.data, entries * runs, per_run);
    total = (1 - kAuxiliaryShare) * total + per_run * auxiliary;
    tape_.backward({{answer.outputs, d_main}, {answer.auxiliary, d_auxiliary}});
  }
  if (recorded_ != nullptr) {
    if (const auto x = formula.node_input()) note(seen_.d_nodes, x, x.gradient());
    if (const auto e = formula.edge_input()) note(seen_.d_edges, e, e.gradient());
  }
  return total;
}

template <class S>
void TapedRunner<S>::finish(std::span<S> sum, std::span<S> gradient) {
  std::copy_n(sum.begin(), gradient.size(), gradient.begin());
  const auto& parameters = network_.parameters();
  for (const Parameter& p : parameters.all()) {
    if (!p.trainable) std::fill_n(gradient.begin() + static_cast<std::ptrdiff_t>(p.offset), p.size, S(0));
  }
  statistics_.assign(sum.begin() + static_cast<std::ptrdiff_t>(parameters.size()), sum.end());
}

template <class S>
void TapedRunner<S>::update_buffers(std::span<S> buffers) {
  std::copy(statistics_.begin(), statistics_.end(), buffers.begin());
}

template class TapedNetwork<float>;
template class TapedNetwork<double>;
template class TapedRunner<float>;
template class TapedRunner<double>;

}  // namespace agentnet
