// The functions that AgentNet is made of (docs/spec.md, section 2), on the tape: part of the oracle in plain_model.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agentnet/config.h"
#include "support/tape.h"

namespace agentnet {

// The parameters by name, and the functions that the paper builds from them.
class PlainFunctions {
 public:
  PlainFunctions(const AgentNetConfig& config, const std::map<std::string, Traced>& parameters, Tape& tape)
      : config_(config), parameters_(parameters), tape_(tape) {
    for (std::size_t t = 0; parameters_.contains("time.table") && t <= static_cast<std::size_t>(config_.steps); ++t) {
      // The slope of the time MLP is 0.01 whatever the config says (tests/golden/README.md, section 2).
      times_.push_back(linear("time.1", leaky_relu(linear("time.0", row("time.table", t)), 0.01)));
    }
  }

  [[nodiscard]] const Traced& parameter(const std::string& name) const { return parameters_.at(name); }
  [[nodiscard]] Traced row(const std::string& table, std::size_t r) const {
    const auto h = static_cast<std::size_t>(config_.hidden);
    return slice(parameter(table), r * h, h);
  }
  [[nodiscard]] Traced constant(std::vector<double> values) const { return tape_.leaf(std::move(values)); }
  [[nodiscard]] Traced constant(std::size_t size, double value) const {
    return constant(std::vector<double>(size, value));
  }

  [[nodiscard]] Traced linear(const std::string& name, Traced x) const {
    const Traced y = matvec(parameter(name + ".weight"), x);
    const auto bias = parameters_.find(name + ".bias");
    return bias != parameters_.end() ? add(y, bias->second) : y;
  }
  [[nodiscard]] Traced norm(const std::string& name, Traced x) const {
    return layer_norm(x, parameter(name + ".weight"), parameter(name + ".bias"));
  }
  [[nodiscard]] Traced act(Traced x) const { return leaky_relu(x, config_.slope); }
  [[nodiscard]] Traced edge_act(Traced x) const { return leaky_relu(x, std::max(config_.edge_slope, 0.0)); }

  // x plus what function `name` makes of the time; x itself where the function has no projection.
  [[nodiscard]] Traced with_time(const std::string& name, Traced x, int t) const {
    if (!parameters_.contains(name + ".time.weight")) return x;
    return add(x, linear(name + ".time", act(times_[static_cast<std::size_t>(t)])));
  }
  // An update function f_v, f_n or f_a for step t in a graph of n nodes; f_a may have columns that pass no norm.
  [[nodiscard]] Traced update(const std::string& name, const std::vector<Traced>& parts, int t, std::uint64_t n,
                              Traced window = {}) const {
    Traced x = with_time(name, concat(parts), t);
    if (config_.graph_size) {
      x = add(x, scale(parameter(name + ".size.weight"), std::log2(static_cast<double>(n) + 1.0) / 10.0));
    }
    Traced y = linear(name + ".0", norm(name + ".norm", x));
    if (parameters_.contains(name + ".window.weight")) y = add(y, linear(name + ".window", window));
    return linear(name + ".1", act(y));
  }

  // The scaled sum of docs/spec.md, section 2, of vectors of length h; `all`: how many the parts are a sample of.
  [[nodiscard]] Traced reduce(const std::vector<Traced>& parts, std::size_t all = 0) const {
    if (parts.empty()) return constant(static_cast<std::size_t>(config_.hidden), 0.0);
    const double count = static_cast<double>(all == 0 ? parts.size() : all);
    double factor = 1.0;
    switch (config_.reduce) {
      case Reduce::kSum:
        break;
      case Reduce::kMean:
        factor = 1.0 / count;
        break;
      case Reduce::kLog:
        factor = std::log2(count + 1.0) / count;
        break;
      case Reduce::kSqrt:
        factor = 1.0 / std::sqrt(count);
        break;
    }
    return scale(sum(parts), factor * count / static_cast<double>(parts.size()));
  }

 private:
  const AgentNetConfig& config_;
  const std::map<std::string, Traced>& parameters_;
  Tape& tape_;
  std::vector<Traced> times_;  // [T + 1] of [m h]
};

}  // namespace agentnet
