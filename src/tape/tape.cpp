#include "tape/tape.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace agentnet::tape {
namespace {

// Narrow matrices lie dense: a few columns of cache lines do not crowd each other out of the first-level cache, and the
// gap of leading_dimension() would be a good part of the memory. (Measured with 64 floats: as fast, and a sixth less.)
template <class S>
constexpr Stride row_distance(Index columns) {
  constexpr Stride kPerLine = 64 / static_cast<Stride>(sizeof(S)), kFewLines = 4;
  const Stride lines = (static_cast<Stride>(columns) + kPerLine - 1) / kPerLine;
  return lines <= kFewLines ? lines * kPerLine : leading_dimension<S>(columns);
}

}  // namespace

std::string to_string(Shape shape) {
  return "[" + std::to_string(shape.rows) + ", " + std::to_string(shape.columns) + "]";
}

void wrong_shape(std::string_view operation, std::string_view what, Shape a, Shape b) {
  throw std::logic_error(std::string(operation) + ": " + std::string(what) + ", " + to_string(a) + " and " +
                         to_string(b));
}

// ---- values ------------------------------------------------------------------------------------

template <class S>
Shape Value<S>::shape() const {
  return tape_->nodes_[id_].shape;
}

template <class S>
Matrix<S> Value<S>::data() const {
  const auto& node = tape_->nodes_[id_];
  if (!node.leaf && (tape_->stage_ == Tape<S>::Stage::kRecording || !node.wanted)) {
    throw std::logic_error("tape: the value of " + std::string(node.name) + " was not asked for in run()");
  }
  return node.value;
}

template <class S>
Matrix<S> Value<S>::gradient() const {
  const auto& node = tape_->nodes_[id_];
  if (!node.leaf || !node.wants_gradient || tape_->stage_ != Tape<S>::Stage::kDone) {
    throw std::logic_error("tape: a gradient is there after backward(), for inputs that asked for one");
  }
  return node.gradient;
}

template <class S>
bool Value<S>::wants_gradient() const {
  return tape_->nodes_[id_].wants_gradient;
}

// ---- recording ---------------------------------------------------------------------------------

template <class S>
void Tape<S>::begin(Mode mode) {
  mode_ = mode;
  nodes_.clear();
  inputs_.clear();
  wanted_.clear();
  recorded_.reset();
  stage_ = Stage::kRecording;
}

template <class S>
Value<S> Tape<S>::add_leaf(Matrix<S> data, Shape shape, Matrix<S> gradient, bool wants, bool parameter) {
  if (stage_ != Stage::kRecording) throw std::logic_error("tape: recorded after run(); begin() starts anew");
  Node node;
  node.name = parameter ? "parameter" : "input";
  node.shape = shape;
  node.leaf = true;
  node.parameter = parameter;
  node.wants_gradient = wants && mode_.gradients;
  node.value = data;
  node.gradient = gradient;
  nodes_.push_back(node);
  return {this, static_cast<std::uint32_t>(nodes_.size() - 1)};
}

template <class S>
Value<S> Tape<S>::input(Matrix<S> data, Index rows, Index columns, bool differentiate) {
  return add_leaf(data, {rows, columns}, {}, differentiate, false);
}

template <class S>
Value<S> Tape<S>::input(const S* data, Index rows, Index columns, bool differentiate) {
  return input(Matrix<S>{const_cast<S*>(data), columns}, rows, columns, differentiate);  // only ever read
}

template <class S>
Value<S> Tape<S>::parameter(const S* weight, S* gradient, Index rows, Index columns) {
  return add_leaf({const_cast<S*>(weight), columns}, {rows, columns}, {gradient, columns}, gradient != nullptr, true);
}

template <class S>
Value<S> Tape<S>::filled(Index rows, Index columns, S value) {
  S* data = keep<S>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  std::fill_n(data, static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), value);
  return input(data, rows, columns);
}

template <class S>
typename Tape<S>::Node& Tape<S>::add_node(const Recipe<S>& recipe) {
  if (stage_ != Stage::kRecording) throw std::logic_error("tape: recorded after run(); begin() starts anew");
  Node node;
  node.name = recipe.name;
  node.shape = recipe.shape;
  node.first_input = static_cast<std::uint32_t>(inputs_.size());
  node.inputs = static_cast<std::uint32_t>(recipe.inputs.size());
  node.reads_inputs = recipe.reads_inputs;
  node.reads_output = recipe.reads_output;
  node.repeatable = recipe.repeatable;
  node.in_place = recipe.in_place;
  node.in_place_backward = recipe.in_place_backward;
  node.saved_bytes = recipe.saved_bytes;
  node.forward_bytes = recipe.forward_bytes;
  node.backward_bytes = recipe.backward_bytes;
  for (const Value<S>& value : recipe.inputs) {
    if (value.tape_ != this) {
      throw std::logic_error(std::string(recipe.name) + ": an input is of another tape, or of none");
    }
    inputs_.push_back(value.id_);
    node.wants_gradient = node.wants_gradient || (nodes_[value.id_].wants_gradient && !recipe.stops_gradient);
  }
  return nodes_.emplace_back(node);
}

// ---- planning ----------------------------------------------------------------------------------

// What is computed at all, when it is read for the last time, and what going backward will read.
template <class S>
void Tape<S>::plan(std::span<const Value<S>> wanted) {
  wanted_.clear();
  for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
    Node& node = nodes_[id];
    node.used = node.wanted = node.kept = node.repeated = false;
    node.last_use = id;
  }
  for (const Value<S>& value : wanted) {
    Node& node = nodes_[value.id_];
    if (node.wanted) continue;
    node.wanted = node.used = true;
    wanted_.push_back(value.id_);
  }
  for (auto id = static_cast<std::uint32_t>(nodes_.size()); id-- > 0;) {
    Node& node = nodes_[id];
    if (!node.used || node.leaf) continue;
    if (node.wants_gradient && node.reads_output) node.kept = true;
    for (std::uint32_t i = 0; i < node.inputs; ++i) {
      Node& input = nodes_[input_of(node, i)];
      input.used = true;
      input.last_use = std::max(input.last_use, id);
      const bool read = node.wants_gradient && i < 32 && ((node.reads_inputs >> i) & 1u) != 0;
      if (read) input.kept = true;
    }
  }
  for (Node& node : nodes_) {
    node.repeated = node.used && node.kept && node.repeatable && !node.wanted;
    for (std::uint32_t i = 0; i < node.inputs && node.repeated; ++i) {
      const Node& input = nodes_[input_of(node, i)];
      node.repeated = input.leaf || input.kept;
    }
  }
}

// Whether a value, once computed, stays until its own backward is done.
template <class S>
bool Tape<S>::stays(const Node& node) const {
  return node.leaf || node.wanted || (node.kept && !node.repeated);
}

template <class S>
void Tape<S>::clear_state() {
  for (Node& node : nodes_) {
    node.value_place = node.gradient_place = node.saved_place = {};
    node.present = node.leaf;
    node.started = node.parameter;
  }
  offsets_.reset();
}

// Both passes without arithmetic: what they take.
template <class S>
std::size_t Tape<S>::rehearse() {
  clear_state();
  forward_pass(true);
  if (mode_.gradients) {
    for (const std::uint32_t id : wanted_) {
      Node& node = nodes_[id];
      if (!node.wants_gradient || node.parameter) continue;
      node.gradient_place = offsets_.take(bytes_of(node.shape));
      node.started = true;
    }
    backward_pass(true);
  }
  const std::size_t peak = offsets_.peak();
  clear_state();
  return peak;
}

template <class S>
std::size_t Tape<S>::bytes_needed(std::span<const Value<S>> wanted) {
  if (stage_ != Stage::kRecording) throw std::logic_error("tape: bytes_needed() is asked before run()");
  plan(wanted);
  return rehearse();
}

template <class S>
void Tape<S>::ensure_memory(std::size_t bytes) {
  if (bytes <= memory_bytes_ && memory_) return;
  memory_.reset();
  memory_bytes_ = 0;
  memory_.reset(static_cast<std::byte*>(::operator new (std::max<std::size_t>(bytes, 64), std::align_val_t{64})));
  memory_bytes_ = bytes;
}

template <class S>
std::size_t Tape<S>::bytes_of(Shape shape) {
  return static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(row_distance<S>(shape.columns)) * sizeof(S);
}

template <class S>
Matrix<S> Tape<S>::matrix_at(Place place, Shape shape) const {
  return {reinterpret_cast<S*>(memory_.get() + place.offset), row_distance<S>(shape.columns)};
}

// ---- forward -----------------------------------------------------------------------------------

template <class S>
void Tape<S>::run(std::span<const Value<S>> wanted) {
  if (stage_ != Stage::kRecording) throw std::logic_error("tape: run() once per recording");
  plan(wanted);
  ensure_memory(rehearse());
  forward_pass(false);
  stage_ = Stage::kRan;
}

template <class S>
void Tape<S>::forward_pass(bool rehearsal) {
  // What is kept for the way back lies together: small pieces in the gaps that large values leave would make these too
  // small for the next ones.
  for (Node& node : nodes_) {
    if (node.used && node.wants_gradient) node.saved_place = offsets_.take(node.saved_bytes);
  }
  for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
    Node& node = nodes_[id];
    if (!node.used || node.leaf) continue;
    compute(id, false, rehearsal);
    for (std::uint32_t i = 0; i < node.inputs; ++i) {
      Node& input = nodes_[input_of(node, i)];
      if (input.last_use == id && !stays(input)) release_value(input);
    }
  }
}

template <class S>
void Tape<S>::release_value(Node& node) {
  if (node.leaf) return;
  offsets_.give_back(node.value_place);
  node.present = false;
}

// The result takes over the buffer of an input that nobody else will read.
template <class S>
bool Tape<S>::take_over_value(std::uint32_t id) {
  Node& node = nodes_[id];
  if (node.in_place < 0) return false;
  Node& input = nodes_[input_of(node, static_cast<std::uint32_t>(node.in_place))];
  if (stays(input) || input.last_use != id || input.shape != node.shape) return false;
  node.value_place = std::exchange(input.value_place, {});
  input.present = false;
  return true;
}

template <class S>
void Tape<S>::compute(std::uint32_t id, bool again, bool rehearsal) {
  Node& node = nodes_[id];
  if (again || !take_over_value(id)) node.value_place = offsets_.take(bytes_of(node.shape));
  if (!again && !node.wants_gradient) node.saved_place = offsets_.take(node.saved_bytes);
  Place scratch = offsets_.take(node.forward_bytes);
  if (!rehearsal) {
    node.value = matrix_at(node.value_place, node.shape);
    Run<S> work(*this, node, scratch, again);
    node.forward(node.state, work);
  }
  node.present = true;
  offsets_.give_back(scratch);
  if (!node.wants_gradient) offsets_.give_back(node.saved_place);
}

// ---- backward ----------------------------------------------------------------------------------

template <class S>
void Tape<S>::backward(std::span<const Seed<S>> seeds) {
  if (stage_ != Stage::kRan) throw std::logic_error("tape: backward() follows run(), once");
  if (!mode_.gradients) throw std::logic_error("tape: begin() was told of no gradients");
  if (seeds.size() != wanted_.size()) throw std::logic_error("tape: backward() takes a seed per value of run()");
  for (const std::uint32_t id : wanted_) {  // in this order, as in the rehearsal
    const auto seed = std::find_if(seeds.begin(), seeds.end(), [&](const Seed<S>& s) { return s.of.id_ == id; });
    if (seed == seeds.end()) throw std::logic_error("tape: backward() takes a seed per value of run()");
    Node& node = nodes_[id];
    if (!node.wants_gradient) continue;
    if (!node.parameter) {
      node.gradient_place = offsets_.take(bytes_of(node.shape));
      node.gradient = matrix_at(node.gradient_place, node.shape);
    }
    for (Index i = 0; i < node.shape.rows; ++i) {
      const S* from = seed->gradient.row(i);
      S* to = node.gradient.row(i);
      for (Index j = 0; j < node.shape.columns; ++j) to[j] = node.started ? to[j] + from[j] : from[j];
    }
    node.started = true;
  }
  backward_pass(false);
  stage_ = Stage::kDone;
}

template <class S>
void Tape<S>::backward_pass(bool rehearsal) {
  for (auto id = static_cast<std::uint32_t>(nodes_.size()); id-- > 0;) {
    Node& node = nodes_[id];
    if (!node.used || node.leaf) continue;
    if (!node.wanted && !node.reads_output) release_value(node);  // whoever read it comes later in the formula
    if (node.wants_gradient && node.started) differentiate(id, rehearsal);
    offsets_.give_back(node.gradient_place);
    offsets_.give_back(node.saved_place);
    if (!node.wanted) release_value(node);
  }
}

// A value that was not kept is computed again, from inputs that were kept for it.
template <class S>
void Tape<S>::ensure_value(std::uint32_t id, bool rehearsal) {
  const Node& node = nodes_[id];
  if (node.present) return;
  for (std::uint32_t i = 0; i < node.inputs; ++i) ensure_value(input_of(node, i), rehearsal);
  compute(id, true, rehearsal);
}

// Buffers for the gradients of the inputs; the first one may be the result's own.
template <class S>
void Tape<S>::start_gradients(std::uint32_t id, bool rehearsal) {
  Node& node = nodes_[id];
  for (std::uint32_t i = 0; i < node.inputs; ++i) {
    const std::uint32_t from = input_of(node, i);
    Node& input = nodes_[from];
    if (!input.wants_gradient || input.started || input.gradient_place.bytes > 0) continue;
    bool alone = static_cast<int>(i) == node.in_place_backward && input.shape == node.shape;
    for (std::uint32_t k = 0; k < node.inputs && alone; ++k) alone = k == i || input_of(node, k) != from;
    if (alone) {
      input.gradient_place = std::exchange(node.gradient_place, {});
    } else {
      input.gradient_place = offsets_.take(bytes_of(input.shape));
    }
    if (!rehearsal) input.gradient = matrix_at(input.gradient_place, input.shape);
  }
}

template <class S>
void Tape<S>::differentiate(std::uint32_t id, bool rehearsal) {
  Node& node = nodes_[id];
  for (std::uint32_t i = 0; i < node.inputs && i < 32; ++i) {
    if (((node.reads_inputs >> i) & 1u) != 0) ensure_value(input_of(node, i), rehearsal);
  }
  if (node.reads_output) ensure_value(id, rehearsal);
  start_gradients(id, rehearsal);
  Place scratch = offsets_.take(node.backward_bytes);
  if (!rehearsal) {
    Run<S> work(*this, node, scratch, false);
    node.backward(node.state, work);
  }
  for (std::uint32_t i = 0; i < node.inputs; ++i) {
    Node& input = nodes_[input_of(node, i)];
    if (!input.wants_gradient) continue;
    if (!rehearsal && !input.started) throw std::logic_error(std::string(node.name) + ": an input got no gradient");
    input.started = true;
  }
  offsets_.give_back(scratch);
}

template <class S>
Gradient<S> Run<S>::d_in(std::uint32_t i) {
  Node& node = input(i);
  if (!node.wants_gradient) return {};
  const Gradient<S> gradient{node.gradient, node.started};
  node.started = true;
  return gradient;
}

template class Tape<float>;
template class Tape<double>;
template class Run<float>;
template class Run<double>;
template class Value<float>;
template class Value<double>;

}  // namespace agentnet::tape
