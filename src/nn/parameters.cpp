#include "nn/parameters.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "agentnet/error.h"
#include "core/random.h"

namespace agentnet {

Parameter& ParameterLayout::add(std::string name, const std::vector<CheckedSize>& shape, Init init, bool trainable) {
  CheckedSize size = 1;
  for (const CheckedSize d : shape) size *= d;
  const CheckedSize total = CheckedSize(size_) + size;
  if (!total.valid() || total.value() > kMostElements) {
    const auto text = [](CheckedSize s) { return s.valid() ? std::to_string(s.value()) : "more than 2^64"; };
    std::string dimensions;
    for (const CheckedSize d : shape) dimensions += (dimensions.empty() ? "" : " x ") + text(d);
    throw Error(ErrorKind::kUsage,
                fmt::format("the model would be too large: with tensor '{}' ({}) it has {} parameters, the most is {}",
                            name, dimensions, text(total), kMostElements),
                "make its layers, or the number of categories or outputs, smaller");
  }
  if (!places_.emplace(name, parameters_.size()).second) throw std::logic_error("two parameters named " + name);
  Parameter p;
  p.name = std::move(name);
  for (const CheckedSize d : shape) p.shape.push_back(static_cast<std::int64_t>(d.value()));
  p.fan_in = p.shape.empty() ? 1 : p.shape.back();
  p.init = init;
  p.trainable = trainable;
  p.offset = size_;
  p.size = static_cast<std::size_t>(size.value());
  size_ = static_cast<std::size_t>(total.value());
  parameters_.push_back(std::move(p));
  return parameters_.back();
}

void ParameterLayout::add_linear(const std::string& name, CheckedSize out, CheckedSize in, bool bias) {
  add(name + ".weight", {out, in}, Init::kKaiming);
  if (bias) add(name + ".bias", {out}, Init::kZero);
}

void ParameterLayout::add_torch_linear(const std::string& name, CheckedSize out, CheckedSize in, bool bias) {
  add(name + ".weight", {out, in}, Init::kUniform);
  if (bias) add(name + ".bias", {out}, Init::kUniform).fan_in = static_cast<std::int64_t>(in.value());
}

void ParameterLayout::add_norm(const std::string& name, CheckedSize width) {
  add(name + ".weight", {width}, Init::kOne);
  add(name + ".bias", {width}, Init::kZero);
}

void ParameterLayout::add_table(const std::string& name, CheckedSize categories, CheckedSize width) {
  add(name + ".weight", {categories, width}, Init::kNormal).vocabulary = true;
}

const Parameter* ParameterLayout::find(std::string_view name) const {
  const auto at = places_.find(name);
  return at != places_.end() ? &parameters_[at->second] : nullptr;
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
