// Reverse-mode differentiation on small vectors, as plain as it gets: the arithmetic of the oracle in
// plain_model.h. Every operation is recorded on a tape and undone in reverse; nothing is clever or fast.
//
//   Tape tape;
//   Traced w = tape.leaf({1, 2, 3, 4}), x = tape.leaf({5, 6});   // a matrix is its rows, one after another
//   Traced y = dot(matvec(w, x), x);                             // a number is a vector of length 1
//   tape.backward(y);
//   tape.gradient(w);                                            // d y / d w, in the shape of w
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <span>
#include <vector>

namespace agentnet {

class Tape;

// A vector on a tape: a handle, cheap to copy, valid as long as its tape.
class Traced {
 public:
  Traced() = default;
  [[nodiscard]] const std::vector<double>& value() const;
  [[nodiscard]] std::size_t size() const { return value().size(); }
  [[nodiscard]] double operator[](std::size_t i) const { return value().at(i); }
  [[nodiscard]] Tape& tape() const { return *tape_; }

 private:
  friend class Tape;
  Traced(Tape* tape, std::size_t index) : tape_(tape), index_(index) {}
  Tape* tape_ = nullptr;
  std::size_t index_ = 0;
};

class Tape {
 public:
  // Adds to the gradients of an operation's inputs, given that of its result.
  using Backward = std::function<void(Tape& tape, const std::vector<double>& gradient)>;

  Tape() = default;
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // An input, or a constant whose gradient nobody asks for.
  Traced leaf(std::vector<double> value) { return record(std::move(value), {}); }
  Traced record(std::vector<double> value, Backward backward);

  // Differentiates `result` (of length 1) with respect to everything; earlier gradients are forgotten.
  void backward(Traced result);
  [[nodiscard]] const std::vector<double>& gradient(Traced x) const { return entries_.at(x.index_).gradient; }

  // For operations: where the gradient of one of their inputs is added up.
  std::vector<double>& gradient_sum(Traced x) { return entries_.at(x.index_).gradient; }

 private:
  friend class Traced;
  struct Entry {
    std::vector<double> value, gradient;
    Backward backward;
  };
  std::deque<Entry> entries_;  // addresses stay, so a value can be read while more is recorded
};

// Vectors of equal length.
[[nodiscard]] Traced add(Traced a, Traced b);
[[nodiscard]] Traced sum(std::span<const Traced> parts);              // of at least one
[[nodiscard]] Traced elementwise_max(std::span<const Traced> parts);  // the gradient goes to the first that is largest
[[nodiscard]] Traced dot(Traced a, Traced b);

[[nodiscard]] Traced scale(Traced x, double factor);
[[nodiscard]] Traced multiply(Traced x, Traced factor);  // by a number on the tape

[[nodiscard]] Traced concat(std::span<const Traced> parts);
[[nodiscard]] Traced slice(Traced x, std::size_t first, std::size_t count);

[[nodiscard]] Traced matvec(Traced matrix, Traced x);             // W x, W [out, in] with in = size of x
[[nodiscard]] Traced transposed_matvec(Traced matrix, Traced x);  // W^T x, W [in, out]: x as a row times W

// Biased variance, eps 1e-5, then times `weight` plus `bias`.
[[nodiscard]] Traced layer_norm(Traced x, Traced weight, Traced bias);
[[nodiscard]] Traced leaky_relu(Traced x, double slope);
[[nodiscard]] Traced softmax(Traced x);
[[nodiscard]] Traced log_softmax(Traced x);
[[nodiscard]] Traced softplus(Traced x);  // log(1 + exp(x))
[[nodiscard]] Traced square(Traced x);
[[nodiscard]] Traced absolute(Traced x);

// The value 1 with the gradient of x (of length 1): docs/spec.md, section 2, step 4.
[[nodiscard]] Traced one_with_gradient_of(Traced x);

}  // namespace agentnet
