// Networks that are written as their formula on the tape: what they all share.
//
// A network of this kind says which parameters it has and writes its answer down (src/nets/gin/gin.cpp is an example);
// everything that a Network, its Prepared and its Runner do is here. A batch is one shard, because batch norms look at
// all of it; the operations of the tape spread over the threads, with the same bytes for any number of them. In
// evaluation graphs do not know of each other, and a batch is run in pieces of bounded size.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/memory.h"
#include "nets/taped/formula.h"
#include "nn/network.h"

namespace agentnet {

// What a formula ends with. The loss of the batch is (1 - share) loss(outputs) + share (mean over runs of loss(run)).
template <class S>
struct TapedAnswer {
  tape::Value<S> outputs;    // [B, C]
  tape::Value<S> auxiliary;  // [B R, C]: row b R + r is run r; or none
  Index runs = 1;
};
inline constexpr double kAuxiliaryShare = 0.25;

// Layers (NAME.weight [C, in], NAME.bias [C]) whose sum, times `share`, is the outputs or the auxiliary ones.
struct OutputLayers {
  std::vector<std::string> names;
  double share = 1;
};

template <class S>
class TapedNetwork : public Network<S> {
 public:
  [[nodiscard]] virtual FeatureWish wish() const { return {}; }
  // Writes the network down for the graphs of the formula.
  [[nodiscard]] virtual TapedAnswer<S> answer(Formula<S>& formula) const = 0;
  [[nodiscard]] virtual std::vector<OutputLayers> output_layers() const = 0;
  // Numbers that are kept per node and per edge at a time, roughly: how many graphs are evaluated together.
  [[nodiscard]] virtual double numbers_per_node() const { return 0; }
  [[nodiscard]] virtual double numbers_per_edge() const { return 0; }
  // The same of a whole graph, for networks whose states belong to other things than nodes and edges.
  [[nodiscard]] virtual double numbers_of(const GraphView& graph) const;
  // Bytes that writing the formula down takes for a graph, roughly, before anything of it is run: what is counted from
  // the graph by the network itself, such as pairs of nodes. Looked at before they are taken.
  [[nodiscard]] virtual double recorded_bytes(const GraphView& /*graph*/) const { return 0; }

  void initialise(std::uint64_t seed, std::span<S> parameters) const override;
  [[nodiscard]] bool draws() const override { return false; }
  void scale_outputs(std::span<S> parameters, std::span<const double> scale,
                     std::span<const double> shift) const override;
  [[nodiscard]] std::unique_ptr<Prepared<S>> make_prepared() const override;
  [[nodiscard]] std::unique_ptr<Runner<S>> make_runner(ThreadPool& pool) const override;

 protected:
  using Network<S>::Network;

  // Linear layers and norms of the layouts, started as PyTorch's are.
  void add_linear(const std::string& name, CheckedSize out, CheckedSize in, bool bias = true) {
    this->parameters_.add_torch_linear(name, out, in, bias);
  }
  // NAME.weight [categories, width], started by Xavier's rule.
  void add_table(const std::string& name, CheckedSize categories, CheckedSize width) {
    this->parameters_.add(name + ".weight", {categories, width}, Init::kOwn).vocabulary = true;
  }
  void add_batch_norm(const std::string& name, CheckedSize width) {
    agentnet::add_batch_norm(this->parameters_, this->buffers_, name, width);
  }
};

// Weights as they are.
template <class S>
struct TapedPrepared : Prepared<S> {
  void prepare(std::span<const S> its_parameters, std::span<const S> its_buffers) override {
    parameters = its_parameters;
    buffers = its_buffers;
  }
  std::span<const S> parameters, buffers;
};

template <class S>
class TapedRunner : public Runner<S> {
 public:
  TapedRunner(const TapedNetwork<S>& network, ThreadPool& pool) : network_(network), tape_(&pool) {}

  void use(const Prepared<S>& weights) override { weights_ = static_cast<const TapedPrepared<S>*>(&weights); }
  void outputs(const Batch& batch, const Call& call, std::span<S> outputs, Walks* walks) override;
  [[nodiscard]] std::size_t shards(const Batch& batch, const Call& /*call*/) const override {
    return batch.graphs.empty() ? 0 : 1;
  }
  // Running statistics travel behind the gradient, so that whoever finishes has them.
  [[nodiscard]] std::size_t sum_width() const override {
    return network_.parameters().size() + network_.buffers().size();
  }
  void add_shards(const Batch& batch, const Call& call, const LossFunction<S>& loss, std::size_t first,
                  std::size_t last, SumTree<S>& sums) override;
  void finish(std::span<S> sum, std::span<S> gradient) override;
  void update_buffers(std::span<S> buffers) override;
  [[nodiscard]] RunWork work() const override { return work_; }
  [[nodiscard]] std::size_t memory() const override {
    return tape_.capacity() + graphs_.memory() + (d_outputs_.capacity() + statistics_.capacity()) * sizeof(S);
  }

  // Bytes that a call may take: what would take more is refused before it is taken (Error, kData). Unless this is
  // called: as many as the machine has.
  void limit_memory(std::uint64_t bytes) { max_bytes_ = bytes; }

  // ---- for recorded cases ----
  // Later calls take their draws from here, and gradients of inputs are kept; null: no longer.
  void replay(const RecordedDraws* draws) { recorded_ = draws; }
  // Of the last call, row by row; empty where there was none.
  struct Seen {
    std::vector<S> outputs, auxiliary;  // [B, C], [B R, C]
    std::vector<S> d_nodes, d_edges;    // gradients of the inputs
  };
  [[nodiscard]] const Seen& seen() const { return seen_; }

 private:
  [[nodiscard]] std::size_t end_of_piece(const Batch& batch, std::size_t first) const;
  void check_call(const Call& call, const Walks* walks) const;
  [[nodiscard]] Formula<S> begin(const Batch& batch, const Call& call, S* gradients, S* statistics);
  [[nodiscard]] double counted_bytes(const Batch& batch) const;
  void check_memory(const Batch& batch, const Call& call, double bytes) const;
  void forward(const Batch& batch, const Call& call, const TapedAnswer<S>& answer);
  double backward(Formula<S>& formula, const TapedAnswer<S>& answer, std::size_t graphs, const LossFunction<S>& loss);
  void note(std::vector<S>& to, tape::Value<S> value, Matrix<S> from);

  const TapedNetwork<S>& network_;
  tape::Tape<S> tape_;
  GraphArrays<S> graphs_;
  const TapedPrepared<S>* weights_ = nullptr;
  std::vector<S> d_outputs_;   // [B, C], then [B R, C]
  std::vector<S> statistics_;  // of the last training call
  RunWork work_;
  std::uint64_t max_bytes_ = usable_memory();
  const RecordedDraws* recorded_ = nullptr;
  Seen seen_;
};

extern template class TapedNetwork<float>;
extern template class TapedNetwork<double>;
extern template class TapedRunner<float>;
extern template class TapedRunner<double>;

}  // namespace agentnet
