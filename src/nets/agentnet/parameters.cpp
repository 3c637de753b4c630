#include "nets/agentnet/parameters.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/random.h"

namespace agentnet {

int node_update_width(const ModelConfig& config) {
  int parts = 2;
  if (config.merge != Merge::kNone) ++parts;
  if (config.global_communication) ++parts;
  return parts * config.hidden;
}

int neighbourhood_width(const ModelConfig& config) { return 2 * config.hidden; }

int agent_update_width(const ModelConfig& config) { return 2 * config.hidden + config.edge_width(); }

ParameterLayout::ParameterLayout(const ModelConfig& config) {
  const int h = config.hidden;
  const int mh = config.width * h;

  add("agents.weight", {config.agents, h}, Init::kNormal);
  if (config.node_features > 0) {
    add_linear("embed.node.0", config.input_mlp ? 2 * h : h, config.node_features);
    if (config.input_mlp) add_linear("embed.node.1", h, 2 * h);
  }
  for (std::size_t j = 0; j < config.node_categories.size(); ++j) {
    add("embed.node.table." + std::to_string(j) + ".weight", {config.node_categories[j], h}, Init::kNormal);
  }
  if (!config.edge_kernel) {
    if (config.edge_features > 0) {
      add_linear("embed.edge.0", 2 * h, config.edge_features);
      add_linear("embed.edge.1", h, 2 * h);
    }
    for (std::size_t j = 0; j < config.edge_categories.size(); ++j) {
      add("embed.edge.table." + std::to_string(j) + ".weight", {config.edge_categories[j], h}, Init::kNormal);
    }
  }

  const bool neighbourhood = config.neighbourhood != Neighbourhood::kNone && config.merge == Merge::kNone;
  const bool agent_update = config.merge == Merge::kNone || config.merge == Merge::kNode;
  const bool timed = (config.node_update && config.time_node) || (neighbourhood && config.time_neighbourhood) ||
                     (agent_update && config.time_agent) || config.time_readout;
  if (timed) {
    add("time.table", {config.steps + 1, h},
        config.time_table == TimeTable::kSinusoidal ? Init::kSinusoidal : Init::kNormal, /*trainable=*/false);
    add_linear("time.0", mh, h);
    add_linear("time.1", mh, mh);
  }

  const int edge = config.edge_width();
  if (edge > 0) {
    if (config.node_update) {
      add_norm("agent_message.norm", h + edge);
      add_linear("agent_message.0", h, h + edge);
    }
    if (neighbourhood || config.merge == Merge::kNode || config.merge == Merge::kAgent) {
      if (config.edge_kernel) {
        add_linear("edge_kernel.0", mh, edge);
        add_linear("edge_kernel.1", h * h, mh);
      } else {
        add_norm("node_message.norm", h + edge);
        add_linear("node_message.0", h, h + edge);
      }
    }
  }
  if (config.node_update) {
    const int out = agent_update ? h : 2 * h;
    add_block("node_update", node_update_width(config), 2 * mh, out, config.time_node, config);
  }
  if (neighbourhood) {
    add_block("neighbourhood", neighbourhood_width(config), 2 * mh, h, config.time_neighbourhood, config);
  }
  if (agent_update) {
    add_block("agent_update", agent_update_width(config), 2 * mh, h, config.time_agent, config);
  }

  if (config.merge == Merge::kWalk) {
    add_norm("move.edge.norm", h);
    add_linear("move.edge.target", h, h, /*bias=*/false);
    add_linear("move.edge.source", h, h);
    if (edge > 0) add_linear("move.edge.feature", h, edge, /*bias=*/false);
    add_linear("move.edge.heads", 2, h, /*bias=*/false);
  }
  if (config.moves == MovePolicy::kLearned) {
    if (config.attention && config.merge != Merge::kWalk) {
      const int wide = config.attention_width * h;
      add_norm("move.query.norm", h);
      add_linear("move.query.0", wide, h);
      add_norm("move.key.norm", 2 * h + edge);
      add_linear("move.key.0", wide, 2 * h + edge);
    }
    if (config.exploration != Exploration::kNone) {
      add("move.preference.weight", {4}, Init::kPreference);
    }
    if (config.exploration == Exploration::kAgent) {
      add_norm("move.explore.norm", h);
      add_linear("move.explore.0", mh, h);
      add_linear("move.explore.1", 4, mh, /*bias=*/false);
    }
  }

  add_norm("readout.norm", h);
  if (config.readout_mlp) {
    add_linear("readout.0", 2 * mh, h);
    add_linear("readout.1", 2 * h, 2 * mh);
  } else {
    add_linear("readout.0", 2 * h, h);
  }
  if (config.time_readout) add_linear("readout.time", h, mh);
  if (config.head_mlp) {
    add_linear("head.0", 2 * h, 4 * h);
    add_linear("head.1", config.outputs, 2 * h);
  } else {
    add_linear("head.0", config.outputs, 4 * h);
  }
}

void ParameterLayout::add(std::string name, std::vector<std::int64_t> shape, Init init, bool trainable) {
  Parameter p;
  p.name = std::move(name);
  p.size = 1;
  for (const std::int64_t d : shape) p.size *= static_cast<std::size_t>(d);
  p.shape = std::move(shape);
  p.init = init;
  p.trainable = trainable;
  p.offset = size_;
  size_ += p.size;
  parameters_.push_back(std::move(p));
}

void ParameterLayout::add_linear(const std::string& name, int out, int in, bool bias) {
  add(name + ".weight", {out, in}, Init::kKaiming);
  if (bias) add(name + ".bias", {out}, Init::kZero);
}

void ParameterLayout::add_norm(const std::string& name, int width) {
  add(name + ".weight", {width}, Init::kOne);
  add(name + ".bias", {width}, Init::kZero);
}

void ParameterLayout::add_block(const std::string& name, int in, int wide, int out, bool time,
                                const ModelConfig& config) {
  add_norm(name + ".norm", in);
  add_linear(name + ".0", wide, in);
  add_linear(name + ".1", out, wide);
  if (time) add_linear(name + ".time", in, config.width * config.hidden);
  // Starts at zero: the model begins as the one that is not told the size.
  if (config.graph_size) add(name + ".size.weight", {in}, Init::kZero);
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

namespace {

// Row t = the Transformer's encoding of position t: sin and cos interleaved, base 10000.
template <class S>
void fill_sinusoidal(std::int64_t rows, std::int64_t columns, S* values) {
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const double frequency = std::pow(10000.0, -static_cast<double>(c - c % 2) / static_cast<double>(columns));
      const double angle = static_cast<double>(t) * frequency;
      values[t * columns + c] = static_cast<S>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
}

}  // namespace

template <class S>
void initialise(const ParameterLayout& layout, const ModelConfig& config, std::uint64_t seed, std::span<S> values) {
  for (std::size_t i = 0; i < layout.all().size(); ++i) {
    const Parameter& p = layout.all()[i];
    S* out = values.data() + p.offset;
    RandomSequence random(seed, Purpose::kInit, 0, i);
    switch (p.init) {
      case Init::kZero:
      case Init::kOne:
        for (std::size_t j = 0; j < p.size; ++j) out[j] = p.init == Init::kOne ? S(1) : S(0);
        break;
      case Init::kNormal:
        for (std::size_t j = 0; j < p.size; ++j) out[j] = static_cast<S>(random.normal());
        break;
      case Init::kKaiming: {
        const auto fan_in = static_cast<double>(p.shape.back());
        const double bound = std::sqrt(6 / ((1 + config.slope * config.slope) * fan_in));
        for (std::size_t j = 0; j < p.size; ++j) out[j] = static_cast<S>((2 * random.uniform() - 1) * bound);
        break;
      }
      case Init::kSinusoidal:
        fill_sinusoidal(p.shape[0], p.shape[1], out);
        break;
      case Init::kPreference: {
        // Explore at first (docs/spec.md, section 2). The authors' code starts the simplified model at zero instead;
        // the paper, which we follow, says that both start like this.
        constexpr double kStart[4] = {0, 5, -1, 0};
        for (std::size_t j = 0; j < 4; ++j) out[j] = static_cast<S>(kStart[j]);
        break;
      }
    }
  }
}

template void initialise(const ParameterLayout&, const ModelConfig&, std::uint64_t, std::span<float>);
template void initialise(const ParameterLayout&, const ModelConfig&, std::uint64_t, std::span<double>);

}  // namespace agentnet
