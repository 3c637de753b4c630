#include "nn/parameters.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/random.h"

namespace agentnet {

Parameter& ParameterLayout::add(std::string name, std::vector<std::int64_t> shape, Init init, bool trainable) {
  Parameter p;
  p.name = std::move(name);
  p.size = 1;
  for (const std::int64_t d : shape) p.size *= static_cast<std::size_t>(d);
  p.fan_in = shape.empty() ? 1 : shape.back();
  p.shape = std::move(shape);
  p.init = init;
  p.trainable = trainable;
  p.offset = size_;
  size_ += p.size;
  parameters_.push_back(std::move(p));
  return parameters_.back();
}

void ParameterLayout::add_linear(const std::string& name, std::int64_t out, std::int64_t in, bool bias) {
  add(name + ".weight", {out, in}, Init::kKaiming);
  if (bias) add(name + ".bias", {out}, Init::kZero);
}

void ParameterLayout::add_torch_linear(const std::string& name, std::int64_t out, std::int64_t in, bool bias) {
  add(name + ".weight", {out, in}, Init::kUniform);
  if (bias) add(name + ".bias", {out}, Init::kUniform).fan_in = in;
}

void ParameterLayout::add_norm(const std::string& name, std::int64_t width) {
  add(name + ".weight", {width}, Init::kOne);
  add(name + ".bias", {width}, Init::kZero);
}

void ParameterLayout::add_table(const std::string& name, std::int64_t categories, std::int64_t width) {
  add(name + ".weight", {categories, width}, Init::kNormal).vocabulary = true;
}

const Parameter* ParameterLayout::find(std::string_view name) const {
  for (const Parameter& p : parameters_) {
    if (p.name == name) return &p;
  }
  return nullptr;
}

const Parameter& ParameterLayout::at(std::string_view name) const {
  const Parameter* p = find(name);
  if (p == nullptr) throw std::logic_error("no parameter named " + std::string(name));
  return *p;
}

template <class S>
void initialise(const ParameterLayout& layout, std::uint64_t seed, double slope, std::span<S> values) {
  for (std::size_t i = 0; i < layout.all().size(); ++i) {
    const Parameter& p = layout.all()[i];
    S* out = values.data() + p.offset;
    RandomSequence random(seed, Purpose::kInit, 0, i);
    const auto fan_in = static_cast<double>(p.fan_in);
    const auto fill_uniform = [&](double bound) {
      for (std::size_t j = 0; j < p.size; ++j) out[j] = static_cast<S>((2 * random.uniform() - 1) * bound);
    };
    switch (p.init) {
      case Init::kZero:
      case Init::kOne:
        std::fill_n(out, p.size, p.init == Init::kOne ? S(1) : S(0));
        break;
      case Init::kNormal:
        for (std::size_t j = 0; j < p.size; ++j) out[j] = static_cast<S>(random.normal());
        break;
      case Init::kKaiming:
        fill_uniform(std::sqrt(6 / ((1 + slope * slope) * fan_in)));
        break;
      case Init::kUniform:
        fill_uniform(1 / std::sqrt(fan_in));
        break;
      case Init::kOwn:
        break;
    }
  }
}

template <class S>
void zero_unseen_categories(const ParameterLayout& layout, std::span<S> values) {
  for (const Parameter& p : layout.all()) {
    if (!p.vocabulary) continue;
    const auto width = static_cast<std::size_t>(p.shape.back());
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(p.offset + p.size - width), width, S(0));
  }
}

template void initialise(const ParameterLayout&, std::uint64_t, double, std::span<float>);
template void initialise(const ParameterLayout&, std::uint64_t, double, std::span<double>);
template void zero_unseen_categories(const ParameterLayout&, std::span<float>);
template void zero_unseen_categories(const ParameterLayout&, std::span<double>);

}  // namespace agentnet
