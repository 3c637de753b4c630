// The parameters of a network: names, shapes, places in one flat buffer, and how they start.
//
// All weights live in one array, so that the optimizer, clipping, checkpoints and sums over shards each work on one
// array; a layout gives every tensor its name and its place. Linear weights are stored [out, in].
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/checked.h"

namespace agentnet {

enum class Init {
  kKaiming,  // uniform(-b, b), b = sqrt(6 / ((1 + slope^2) fan_in))
  kUniform,  // uniform(-b, b), b = 1 / sqrt(fan_in): what PyTorch's linear layers start with, biases included
  kZero,
  kOne,     // the scale of a norm
  kNormal,  // N(0, 1): embedding tables
  kOwn,     // filled in by the network itself
};

struct Parameter {
  std::string name;
  std::vector<std::int64_t> shape;
  Init init = Init::kZero;
  bool trainable = true;
  std::int64_t fan_in = 1;  // inputs of the layer that it belongs to
  // An embedding table [categories, width] whose last row stands for values that were never seen.
  bool vocabulary = false;
  std::size_t offset = 0;  // in elements, into the flat buffer
  std::size_t size = 0;
};

// The most elements that the parameters of a network have together, and that any array has which is made for one graph:
// 8 GB of floats. Every product of dimensions that is the size of a part of them fits an Index.
constexpr std::uint64_t kMostElements = 2'000'000'000;

class ParameterLayout {
 public:
  // Appends a tensor; the result may be changed but for name and shape. Throws Error (kUsage) if there would be more
  // than kMostElements parameters.
  Parameter& add(std::string name, const std::vector<CheckedSize>& shape, Init init, bool trainable = true);
  // NAME.weight [out, in] and NAME.bias [out].
  void add_linear(const std::string& name, CheckedSize out, CheckedSize in, bool bias = true);
  // The same, started as PyTorch's linear layers are.
  void add_torch_linear(const std::string& name, CheckedSize out, CheckedSize in, bool bias = true);
  // NAME.weight and NAME.bias [width], ones and zeros.
  void add_norm(const std::string& name, CheckedSize width);
  // NAME.weight [categories, width] of a categorical column.
  void add_table(const std::string& name, CheckedSize categories, CheckedSize width);

  [[nodiscard]] const std::vector<Parameter>& all() const { return parameters_; }
  // Elements of the flat buffer.
  [[nodiscard]] std::size_t size() const { return size_; }
  // The parameter of this name; null if there is none.
  [[nodiscard]] const Parameter* find(std::string_view name) const;
  // The same, for a name that must exist: a missing one is a bug, thrown as std::logic_error.
  [[nodiscard]] const Parameter& at(std::string_view name) const;

 private:
  std::vector<Parameter> parameters_;
  std::map<std::string, std::size_t, std::less<>> places_;  // by name, in parameters_
  std::size_t size_ = 0;
};

// Fills `values` (layout.size() entries) with starting values drawn from `seed`, but for those of Init::kOwn.
// `slope` is that of the activations, for Init::kKaiming.
template <class S>
void initialise(const ParameterLayout& layout, std::uint64_t seed, double slope, std::span<S> values);

// The embedding of a value that was never seen is zero: nothing is added to what the other columns say. Call this once
// on starting weights; training leaves rows alone that no graph uses.
template <class S>
void zero_unseen_categories(const ParameterLayout& layout, std::span<S> values);

}  // namespace agentnet
