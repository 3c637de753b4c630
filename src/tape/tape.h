// Reverse-mode differentiation: a network is written as its formula, the tape runs it forward and backward.
//
//   Tape<double> tape(&pool);                                  // pool: null for one thread
//   tape.begin({.training = true, .gradients = true});
//   auto x = tape.input(features, n, f);                       // [n, f]
//   auto w = tape.parameter(weights, gradient, h, f);          // [h, f], adds to `gradient`
//   auto y = relu(linear(segment_sum(x, neighbours), w, b));   // operations: tape/operations.h
//   tape.run({y});                                             // y.data() is there now
//   tape.backward({{y, dy}});
//
// Writing the formula only records it; run() computes. Because the whole formula is known by then, a buffer is given
// back after its last use, values that are cheap to repeat are repeated going backward instead of kept, and
// the memory of a step is known before it is taken (bytes_needed). From the second step of the same shapes on, nothing
// is allocated.
//
// Same bytes at any number of threads: every element of a result is computed by one task, in an order that depends on
// shapes and data alone; sums over many rows have fixed blocks of rows (kBlockRows).
//
// What is given by pointer (inputs, weights, index arrays) must stay until the last backward() of the recording. A tape
// is used by one thread at a time; its operations spread over the pool.
//
// A wrong shape is a bug of the network, not of the user: std::logic_error with the shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/thread_pool.h"
#include "tape/offsets.h"
#include "tensor/arena.h"
#include "tensor/kernels.h"
#include "tensor/matrix.h"

namespace agentnet::tape {

// Sums over all rows of a matrix are sums over blocks of so many rows, added in the order of the blocks.
inline constexpr Index kBlockRows = 256;

template <class S>
class Tape;
template <class S>
class Run;

struct Shape {
  Index rows = 0;
  Index columns = 0;
  bool operator==(const Shape&) const = default;
};
// "[3, 4]".
[[nodiscard]] std::string to_string(Shape shape);
// Throws std::logic_error "operation: what, [..] and [..]".
[[noreturn]] void wrong_shape(std::string_view operation, std::string_view what, Shape a, Shape b);

// A matrix of the formula: a number on its tape, copied freely, meaningless after the next begin().
template <class S>
class Value {
 public:
  Value() = default;
  [[nodiscard]] Shape shape() const;
  [[nodiscard]] Index rows() const { return shape().rows; }
  [[nodiscard]] Index columns() const { return shape().columns; }
  [[nodiscard]] Tape<S>& tape() const { return *tape_; }
  [[nodiscard]] explicit operator bool() const { return tape_ != nullptr; }
  // After run(): the matrix, if it was asked for there (or is an input or parameter).
  [[nodiscard]] Matrix<S> data() const;
  // After backward(): the gradient of an input that asked for one.
  [[nodiscard]] Matrix<S> gradient() const;
  [[nodiscard]] bool wants_gradient() const;

 private:
  friend class Tape<S>;
  Value(Tape<S>* tape, std::uint32_t id) : tape_(tape), id_(id) {}
  Tape<S>* tape_ = nullptr;
  std::uint32_t id_ = 0;
};

// Where a gradient goes: added to what is there, or the first to be written.
template <class S>
struct Gradient {
  Matrix<S> to;
  bool add = false;
  [[nodiscard]] explicit operator bool() const { return to.data != nullptr; }
  void put(S& at, S value) const { at = add ? at + value : value; }
};

// What an operation is, apart from its arithmetic.
template <class S>
struct Recipe {
  std::string_view name;  // for messages
  Shape shape;            // of the result
  std::span<const Value<S>> inputs;
  std::uint32_t reads_inputs = 0;  // bit i: backward reads the value of input i
  bool reads_output = false;       // backward reads the result
  bool repeatable = false;         // cheap: where the inputs are kept anyway, it is computed again going backward
  bool stops_gradient = false;     // the inputs get no gradient through it
  int in_place = -1;               // the input whose buffer the result may take over
  int in_place_backward = -1;      // the input whose gradient may take over the buffer of the result's gradient
  std::size_t saved_bytes = 0;     // kept from forward to backward
  std::size_t forward_bytes = 0;   // scratch while it runs
  std::size_t backward_bytes = 0;
};

struct Mode {
  bool training = false;   // batch norm by the batch, dropout
  bool gradients = false;  // backward() will follow
};

template <class S>
struct Seed {
  Value<S> of;
  Matrix<S> gradient;  // d loss / d of
};

template <class S>
class Tape {
 public:
  explicit Tape(ThreadPool* pool = nullptr) : pool_(pool) {}
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // Forgets the recording; the memory stays.
  void begin(Mode mode);
  [[nodiscard]] Mode mode() const { return mode_; }

  // ---- leaves ----
  // A matrix from outside; with `differentiate` its gradient is there after backward().
  Value<S> input(Matrix<S> data, Index rows, Index columns, bool differentiate = false);
  // Dense rows, one after the other.
  Value<S> input(const S* data, Index rows, Index columns, bool differentiate = false);
  // A weight [rows, columns], dense rows; backward() adds to gradient, null: it is constant.
  Value<S> parameter(const S* weight, S* gradient, Index rows, Index columns);
  // Every entry the same; zeros and ones.
  Value<S> filled(Index rows, Index columns, S value);

  // ---- for operations ----
  // Adds an operation. forward(Run&) computes Run::out; backward(Run&) adds to Run::d_in of every input that wants it.
  // Both are kept as they are and must be trivial to copy: pointers and numbers.
  template <class F, class B>
  Value<S> record(const Recipe<S>& recipe, const F& forward, const B& backward);
  // n elements that live until the next begin(), for what an operation has to remember.
  template <class T>
  [[nodiscard]] T* keep(std::size_t n) {
    return recorded_.take<T>(n);
  }

  // ---- the step ----
  // Computes the values asked for, and what they need. Once per recording.
  void run(std::span<const Value<S>> wanted);
  void run(std::initializer_list<Value<S>> wanted) { run(std::span(wanted.begin(), wanted.size())); }
  // One seed for each value that run() was asked for, in any order.
  void backward(std::span<const Seed<S>> seeds);
  void backward(std::initializer_list<Seed<S>> seeds) { backward(std::span(seeds.begin(), seeds.size())); }

  // What run() and backward() would take for these values, without running: buffers beyond inputs and weights.
  [[nodiscard]] std::size_t bytes_needed(std::span<const Value<S>> wanted);
  [[nodiscard]] std::size_t bytes_needed(std::initializer_list<Value<S>> wanted) {
    return bytes_needed(std::span(wanted.begin(), wanted.size()));
  }
  // Bytes held from the system.
  [[nodiscard]] std::size_t capacity() const { return memory_bytes_ + recorded_.capacity(); }

 private:
  friend class Value<S>;
  friend class Run<S>;
  using Call = void (*)(const void* state, Run<S>& run);

  struct Node {
    std::string_view name;
    Shape shape;
    std::uint32_t first_input = 0, inputs = 0;
    std::uint32_t reads_inputs = 0;
    bool reads_output = false, repeatable = false, leaf = false, wants_gradient = false, parameter = false;
    int in_place = -1, in_place_backward = -1;
    std::size_t saved_bytes = 0, forward_bytes = 0, backward_bytes = 0;
    const void* state = nullptr;
    Call forward = nullptr, backward = nullptr;
    // Set by plan().
    std::uint32_t last_use = 0;  // the last operation that reads it going forward
    bool used = false, wanted = false, kept = false, repeated = false;
    // While running.
    Matrix<S> value, gradient;
    Place value_place, gradient_place, saved_place;
    bool present = false;  // the value is there
    bool started = false;  // the gradient has been written to
  };

  Value<S> add_leaf(Matrix<S> data, Shape shape, Matrix<S> gradient, bool wants, bool parameter);
  Node& add_node(const Recipe<S>& recipe);
  void plan(std::span<const Value<S>> wanted);
  std::size_t rehearse();
  void clear_state();
  void ensure_memory(std::size_t bytes);
  void forward_pass(bool rehearsal);
  void backward_pass(bool rehearsal);
  void compute(std::uint32_t id, bool again, bool rehearsal);
  bool take_over_value(std::uint32_t id);
  void ensure_value(std::uint32_t id, bool rehearsal);
  void start_gradients(std::uint32_t id, bool rehearsal);
  void differentiate(std::uint32_t id, bool rehearsal);
  void release_value(Node& node);
  [[nodiscard]] bool stays(const Node& node) const;
  [[nodiscard]] Matrix<S> matrix_at(Place place, Shape shape) const;
  [[nodiscard]] static std::size_t bytes_of(Shape shape);
  [[nodiscard]] std::uint32_t input_of(const Node& node, std::uint32_t i) const {
    return inputs_[node.first_input + i];
  }

  struct Release {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };

  ThreadPool* pool_;
  Mode mode_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> wanted_;
  Arena recorded_;  // states of operations
  Offsets offsets_;
  std::unique_ptr<std::byte, Release> memory_;
  std::size_t memory_bytes_ = 0;
  enum class Stage { kRecording, kRan, kDone } stage_ = Stage::kRecording;
};

// An operation at work: its matrices, and threads.
template <class S>
class Run {
 public:
  [[nodiscard]] Matrix<S> in(std::uint32_t i = 0) const { return input(i).value; }
  [[nodiscard]] Shape in_shape(std::uint32_t i = 0) const { return input(i).shape; }
  [[nodiscard]] Matrix<S> out() const { return node_.value; }
  [[nodiscard]] Shape shape() const { return node_.shape; }
  [[nodiscard]] std::uint32_t inputs() const { return node_.inputs; }

  [[nodiscard]] Matrix<S> d_out() const { return node_.gradient; }
  // Where the gradient of input i goes; false if it wants none. To be asked once per input: the next asking adds.
  [[nodiscard]] Gradient<S> d_in(std::uint32_t i = 0);
  [[nodiscard]] bool wants(std::uint32_t i) const { return input(i).wants_gradient; }

  template <class T>
  [[nodiscard]] T* saved() const {
    return reinterpret_cast<T*>(tape_.memory_.get() + node_.saved_place.offset);
  }
  template <class T>
  [[nodiscard]] T* scratch() const {
    return reinterpret_cast<T*>(tape_.memory_.get() + scratch_.offset);
  }

  [[nodiscard]] bool training() const { return tape_.mode_.training; }
  // A forward that was done before: statistics are in saved() and running ones are left alone.
  [[nodiscard]] bool again() const { return again_; }
  [[nodiscard]] const Kernels<S>& kernels() const { return kernels_; }

  [[nodiscard]] int threads() const { return tape_.pool_ != nullptr ? tape_.pool_->size() : 1; }
  // f(first, last) over parts of 0 .. count - 1, in parallel if `cost` (elements touched in all) is worth it. What f
  // writes for one index must not depend on the part it is in. Parts begin at multiples of `grain`.
  template <class F>
  void parallel(Index count, std::size_t cost, const F& f, Index grain = 1) const;

 private:
  friend class Tape<S>;
  using Node = typename Tape<S>::Node;
  Run(Tape<S>& tape, Node& node, Place scratch, bool again)
      : tape_(tape), node_(node), scratch_(scratch), again_(again), kernels_(agentnet::kernels<S>()) {}
  [[nodiscard]] Node& input(std::uint32_t i) const { return tape_.nodes_[tape_.input_of(node_, i)]; }

  Tape<S>& tape_;
  Node& node_;
  Place scratch_;
  bool again_;
  const Kernels<S>& kernels_;
};

template <class S>
template <class F, class B>
Value<S> Tape<S>::record(const Recipe<S>& recipe, const F& forward, const B& backward) {
  struct State {
    F forward;
    B backward;
  };
  static_assert(std::is_trivially_copyable_v<State> && std::is_trivially_destructible_v<State>);
  Node& node = add_node(recipe);
  node.state = new (recorded_.take<State>(1)) State{forward, backward};
  node.forward = [](const void* state, Run<S>& run) { static_cast<const State*>(state)->forward(run); };
  node.backward = [](const void* state, Run<S>& run) { static_cast<const State*>(state)->backward(run); };
  return {this, static_cast<std::uint32_t>(nodes_.size() - 1)};
}

template <class S>
template <class F>
void Run<S>::parallel(Index count, std::size_t cost, const F& f, Index grain) const {
  constexpr std::size_t kWorthWaking = 16384;
  const Index grains = (count + grain - 1) / grain;
  if (threads() == 1 || grains < 2 || cost < kWorthWaking) {
    if (count > 0) f(Index{0}, count);
    return;
  }
  const Index parts = grains < 4 * threads() ? grains : 4 * threads();
  const auto bound = [&](Index part) {
    const auto at = static_cast<Index>(static_cast<std::int64_t>(grains) * part / parts) * grain;
    return at < count ? at : count;
  };
  const auto task = [&](std::size_t part, int) {
    f(bound(static_cast<Index>(part)), bound(static_cast<Index>(part) + 1));
  };
  tape_.pool_->run_near(static_cast<std::size_t>(parts), std::ref(task));  // by reference: no allocation
}

extern template class Tape<float>;
extern template class Tape<double>;
extern template class Run<float>;
extern template class Run<double>;
extern template class Value<float>;
extern template class Value<double>;

}  // namespace agentnet::tape
