#include "support/tape.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace agentnet {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

// An operation on each entry alone: `value(x)` and its derivative `slope(x)`.
template <class Value, class Slope>
Traced elementwise(Traced x, Value value, Slope slope) {
  std::vector<double> y;
  for (const double v : x.value()) y.push_back(value(v));
  return x.tape().record(std::move(y), [x, slope](Tape& tape, const std::vector<double>& dy) {
    auto& dx = tape.gradient_sum(x);
    for (std::size_t i = 0; i < dy.size(); ++i) dx[i] += dy[i] * slope(x[i]);
  });
}

std::vector<double> softmax_of(const std::vector<double>& x) {
  const double largest = *std::max_element(x.begin(), x.end());
  std::vector<double> y;
  double total = 0;
  for (const double v : x) total += y.emplace_back(std::exp(v - largest));
  for (double& v : y) v /= total;
  return y;
}

}  // namespace

const std::vector<double>& Traced::value() const { return tape_->entries_[index_].value; }

Traced Tape::record(std::vector<double> value, Backward backward) {
  entries_.push_back({std::move(value), {}, std::move(backward)});
  return {this, entries_.size() - 1};
}

void Tape::backward(Traced result) {
  require(result.size() == 1, "backward starts from a number");
  for (Entry& entry : entries_) entry.gradient.assign(entry.value.size(), 0.0);
  entries_[result.index_].gradient[0] = 1.0;
  for (std::size_t i = result.index_ + 1; i-- > 0;) {
    if (entries_[i].backward) entries_[i].backward(*this, entries_[i].gradient);
  }
}

Traced add(Traced a, Traced b) { return sum(std::vector<Traced>{a, b}); }

Traced sum(std::span<const Traced> parts) {
  require(!parts.empty(), "the sum of no vectors has no length");
  std::vector<double> y(parts[0].size(), 0.0);
  for (const Traced& part : parts) {
    require(part.size() == y.size(), "sum of vectors of different lengths");
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += part[i];
  }
  return parts[0].tape().record(
      std::move(y), [inputs = std::vector(parts.begin(), parts.end())](Tape& tape, const std::vector<double>& dy) {
        for (const Traced& part : inputs) {
          auto& dx = tape.gradient_sum(part);
          for (std::size_t i = 0; i < dy.size(); ++i) dx[i] += dy[i];
        }
      });
}

Traced elementwise_max(std::span<const Traced> parts) {
  require(!parts.empty(), "the maximum of no vectors has no length");
  std::vector<double> y = parts[0].value();
  std::vector<Traced> winner(y.size(), parts[0]);
  for (const Traced& part : parts) {
    require(part.size() == y.size(), "maximum of vectors of different lengths");
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (part[i] > y[i]) y[i] = part[i], winner[i] = part;
    }
  }
  return parts[0].tape().record(std::move(y), [winner](Tape& tape, const std::vector<double>& dy) {
    for (std::size_t i = 0; i < dy.size(); ++i) tape.gradient_sum(winner[i])[i] += dy[i];
  });
}

Traced dot(Traced a, Traced b) {
  require(a.size() == b.size(), "dot product of vectors of different lengths");
  double y = 0;
  for (std::size_t i = 0; i < a.size(); ++i) y += a[i] * b[i];
  return a.tape().record({y}, [a, b](Tape& tape, const std::vector<double>& dy) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      tape.gradient_sum(a)[i] += dy[0] * b[i];
      tape.gradient_sum(b)[i] += dy[0] * a[i];
    }
  });
}

Traced scale(Traced x, double factor) {
  return elementwise(
      x, [factor](double v) { return factor * v; }, [factor](double) { return factor; });
}

Traced multiply(Traced x, Traced factor) {
  require(factor.size() == 1, "multiply takes a number");
  std::vector<double> y;
  for (const double v : x.value()) y.push_back(v * factor[0]);
  return x.tape().record(std::move(y), [x, factor](Tape& tape, const std::vector<double>& dy) {
    for (std::size_t i = 0; i < dy.size(); ++i) {
      tape.gradient_sum(x)[i] += dy[i] * factor[0];
      tape.gradient_sum(factor)[0] += dy[i] * x[i];
    }
  });
}

Traced concat(std::span<const Traced> parts) {
  require(!parts.empty(), "nothing to concatenate");
  std::vector<double> y;
  for (const Traced& part : parts) y.insert(y.end(), part.value().begin(), part.value().end());
  return parts[0].tape().record(
      std::move(y), [inputs = std::vector(parts.begin(), parts.end())](Tape& tape, const std::vector<double>& dy) {
        std::size_t at = 0;
        for (const Traced& part : inputs) {
          for (double& dx : tape.gradient_sum(part)) dx += dy[at++];
        }
      });
}

Traced slice(Traced x, std::size_t first, std::size_t count) {
  require(first + count <= x.size(), "slice out of range");
  const auto begin = x.value().begin() + static_cast<std::ptrdiff_t>(first);
  return x.tape().record(std::vector(begin, begin + static_cast<std::ptrdiff_t>(count)),
                         [x, first](Tape& tape, const std::vector<double>& dy) {
                           auto& dx = tape.gradient_sum(x);
                           for (std::size_t i = 0; i < dy.size(); ++i) dx[first + i] += dy[i];
                         });
}

Traced matvec(Traced matrix, Traced x) {
  const std::size_t in = x.size();
  const std::size_t out = matrix.size() / in;
  require(out * in == matrix.size(), "the matrix has no whole number of rows");
  const auto& weights = matrix.value();
  const auto& input = x.value();
  std::vector<double> y(out, 0.0);
  for (std::size_t o = 0; o < out; ++o) {
    for (std::size_t i = 0; i < in; ++i) y[o] += weights[o * in + i] * input[i];
  }
  return x.tape().record(std::move(y), [matrix, x, in](Tape& tape, const std::vector<double>& dy) {
    const auto& w = matrix.value();
    const auto& v = x.value();
    auto& dw = tape.gradient_sum(matrix);
    auto& dx = tape.gradient_sum(x);
    for (std::size_t o = 0; o < dy.size(); ++o) {
      for (std::size_t i = 0; i < in; ++i) {
        dw[o * in + i] += dy[o] * v[i];
        dx[i] += dy[o] * w[o * in + i];
      }
    }
  });
}

Traced transposed_matvec(Traced matrix, Traced x) {
  const std::size_t in = x.size();
  const std::size_t out = matrix.size() / in;
  require(out * in == matrix.size(), "the matrix has no whole number of columns");
  std::vector<double> y(out, 0.0);
  for (std::size_t i = 0; i < in; ++i) {
    for (std::size_t o = 0; o < out; ++o) y[o] += x[i] * matrix[i * out + o];
  }
  return x.tape().record(std::move(y), [matrix, x, in, out](Tape& tape, const std::vector<double>& dy) {
    for (std::size_t i = 0; i < in; ++i) {
      for (std::size_t o = 0; o < out; ++o) {
        tape.gradient_sum(matrix)[i * out + o] += dy[o] * x[i];
        tape.gradient_sum(x)[i] += dy[o] * matrix[i * out + o];
      }
    }
  });
}

Traced layer_norm(Traced x, Traced weight, Traced bias) {
  require(x.size() == weight.size() && x.size() == bias.size(), "layer norm of another width");
  const double n = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (const double v : x.value()) mean += v / n;
  for (const double v : x.value()) variance += (v - mean) * (v - mean) / n;
  const double inverse = 1.0 / std::sqrt(variance + 1e-5);
  std::vector<double> normal, y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    normal.push_back((x[i] - mean) * inverse);
    y.push_back(normal[i] * weight[i] + bias[i]);
  }
  return x.tape().record(
      std::move(y), [x, weight, bias, normal, inverse, n](Tape& tape, const std::vector<double>& dy) {
        double mean_dn = 0, mean_dn_normal = 0;  // dn = gradient of the normalised vector
        for (std::size_t i = 0; i < dy.size(); ++i) {
          const double dn = dy[i] * weight[i];
          mean_dn += dn / n;
          mean_dn_normal += dn * normal[i] / n;
          tape.gradient_sum(weight)[i] += dy[i] * normal[i];
          tape.gradient_sum(bias)[i] += dy[i];
        }
        for (std::size_t i = 0; i < dy.size(); ++i) {
          tape.gradient_sum(x)[i] += inverse * (dy[i] * weight[i] - mean_dn - normal[i] * mean_dn_normal);
        }
      });
}

Traced leaky_relu(Traced x, double slope) {
  return elementwise(
      x, [slope](double v) { return v > 0 ? v : slope * v; }, [slope](double v) { return v > 0 ? 1.0 : slope; });
}

Traced softmax(Traced x) {
  const std::vector<double> p = softmax_of(x.value());
  return x.tape().record(p, [x, p](Tape& tape, const std::vector<double>& dy) {
    double mean = 0;
    for (std::size_t i = 0; i < p.size(); ++i) mean += p[i] * dy[i];
    for (std::size_t i = 0; i < p.size(); ++i) tape.gradient_sum(x)[i] += p[i] * (dy[i] - mean);
  });
}

Traced log_softmax(Traced x) {
  const std::vector<double>& v = x.value();
  const double largest = *std::max_element(v.begin(), v.end());
  double total = 0;
  for (const double e : v) total += std::exp(e - largest);
  std::vector<double> y = v;
  for (double& e : y) e -= largest + std::log(total);
  return x.tape().record(std::move(y), [x](Tape& tape, const std::vector<double>& dy) {
    const std::vector<double> p = softmax_of(x.value());
    double all = 0;
    for (const double d : dy) all += d;
    for (std::size_t i = 0; i < p.size(); ++i) tape.gradient_sum(x)[i] += dy[i] - p[i] * all;
  });
}

Traced softplus(Traced x) {
  return elementwise(
      x, [](double v) { return std::max(v, 0.0) + std::log1p(std::exp(-std::abs(v))); },
      [](double v) { return 1.0 / (1.0 + std::exp(-v)); });
}

Traced square(Traced x) {
  return elementwise(
      x, [](double v) { return v * v; }, [](double v) { return 2.0 * v; });
}

Traced absolute(Traced x) {
  return elementwise(
      x, [](double v) { return std::abs(v); }, [](double v) { return v > 0   ? 1.0
                                                                     : v < 0 ? -1.0
                                                                             : 0.0; });
}

Traced one_with_gradient_of(Traced x) {
  require(x.size() == 1, "a weight is a number");
  return x.tape().record({1.0}, [x](Tape& tape, const std::vector<double>& dy) { tape.gradient_sum(x)[0] += dy[0]; });
}

}  // namespace agentnet
