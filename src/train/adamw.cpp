#include "train/adamw.h"

#include <cmath>
#include <stdexcept>

namespace agentnet {

template <class S>
AdamW<S>::AdamW(const ParameterLayout& layout, const AdamWOptions& options)
    : options_(options), first_(layout.size(), S(0)), second_(layout.size(), S(0)) {
  for (const Parameter& p : layout.all()) {
    if (!p.trainable) continue;
    if (!trainable_.empty() && trainable_.back().last == p.offset) {
      trainable_.back().last += p.size;
    } else {
      trainable_.push_back({p.offset, p.offset + p.size});
    }
  }
}

template <class S>
void AdamW<S>::step(std::span<S> values, std::span<const S> gradient, double learning_rate) {
  ++steps_;
  const auto n = static_cast<double>(steps_);
  const S beta1 = static_cast<S>(options_.beta1), beta2 = static_cast<S>(options_.beta2);
  const S keep = static_cast<S>(1 - learning_rate * options_.weight_decay);
  const S rate = static_cast<S>(learning_rate / (1 - std::pow(options_.beta1, n)));
  const S unbias = static_cast<S>(1 / std::sqrt(1 - std::pow(options_.beta2, n)));
  const S epsilon = static_cast<S>(options_.epsilon);
  for (const Range& r : trainable_) {
    S* p = values.data();
    const S* g = gradient.data();
    S* m = first_.data();
    S* v = second_.data();
    for (std::size_t i = r.first; i < r.last; ++i) {
      m[i] = beta1 * m[i] + (1 - beta1) * g[i];
      v[i] = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
      p[i] = keep * p[i] - rate * m[i] / (std::sqrt(v[i]) * unbias + epsilon);
    }
  }
}

template <class S>
void AdamW<S>::restore(std::uint64_t steps, std::span<const S> first_moment, std::span<const S> second_moment) {
  if (first_moment.size() != first_.size() || second_moment.size() != second_.size()) {
    throw std::logic_error("AdamW: moments of another model");
  }
  steps_ = steps;
  first_.assign(first_moment.begin(), first_moment.end());
  second_.assign(second_moment.begin(), second_moment.end());
}

template <class S>
double clip_norm(std::span<S> gradient, double limit) {
  double squares[4] = {};  // in double: a float's sum of a million squares has lost its last digits
  std::size_t i = 0;
  for (; i + 4 <= gradient.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const auto x = static_cast<double>(gradient[i + lane]);
      squares[lane] += x * x;
    }
  }
  for (; i < gradient.size(); ++i) squares[0] += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
  const double norm = std::sqrt(squares[0] + squares[1] + squares[2] + squares[3]);
  if (norm > limit) {
    const S scale = static_cast<S>(limit / norm);
    for (S& g : gradient) g *= scale;
  }
  return norm;
}

template class AdamW<float>;
template class AdamW<double>;
template double clip_norm(std::span<float>, double);
template double clip_norm(std::span<double>, double);

}  // namespace agentnet
