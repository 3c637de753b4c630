// AdamW on the flat parameter buffer, and clipping of the gradient's norm (docs/spec.md, section 5).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/parameters.h"

namespace agentnet {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;
};

template <class S>
class AdamW {
 public:
  AdamW(const ParameterLayout& layout, const AdamWOptions& options);

  // One update of `values` with `gradient` at this learning rate; parameters that are not trainable stay as they are.
  void step(std::span<S> values, std::span<const S> gradient, double learning_rate);

  // Updates made so far, and the two moments, for checkpoints; and back.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] std::span<const S> first_moment() const { return first_; }
  [[nodiscard]] std::span<const S> second_moment() const { return second_; }
  void restore(std::uint64_t steps, std::span<const S> first_moment, std::span<const S> second_moment);
  [[nodiscard]] std::size_t memory() const { return (first_.capacity() + second_.capacity()) * sizeof(S); }

 private:
  struct Range {
    std::size_t first, last;
  };
  AdamWOptions options_;
  std::vector<Range> trainable_;
  std::vector<S> first_, second_;
  std::uint64_t steps_ = 0;
};

// Scales the gradient so that its Euclidean norm is at most `limit`; returns the norm it had.
template <class S>
double clip_norm(std::span<S> gradient, double limit);

}  // namespace agentnet
