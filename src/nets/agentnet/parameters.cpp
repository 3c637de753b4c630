#include "nets/agentnet/parameters.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace agentnet {
namespace {

// Of an option that is known to be in its range, none of which is negative.
CheckedSize size_of(int option) { return {static_cast<std::uint64_t>(option)}; }

// One of the paper's update functions: LN -> Linear(in, wide) -> act -> Linear(wide, out), with its projections of
// time and graph size onto the input.
void add_block(ParameterLayout& layout, const std::string& name, CheckedSize in, CheckedSize wide, CheckedSize out,
               bool time, const AgentNetConfig& config) {
  layout.add_norm(name + ".norm", in);
  layout.add_linear(name + ".0", wide, in);
  layout.add_linear(name + ".1", out, wide);
  if (time) layout.add_linear(name + ".time", in, size_of(config.width) * size_of(config.hidden));
  // Starts at zero: the model begins as the one that is not told the size.
  if (config.graph_size) layout.add(name + ".size.weight", {in}, Init::kZero);
}

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

int node_update_width(const AgentNetConfig& config) {
  int parts = 2;
  if (config.merge != Merge::kNone) ++parts;
  if (config.global_communication) ++parts;
  return parts * config.hidden;
}

int neighbourhood_width(const AgentNetConfig& config) { return 2 * config.hidden; }

int agent_update_width(const AgentNetConfig& config) { return 2 * config.hidden + config.edge_width(); }

ParameterLayout agentnet_layout(const AgentNetConfig& config) {
  check_option_ranges(config);
  ParameterLayout layout;
  const CheckedSize h = size_of(config.hidden);
  const CheckedSize mh = size_of(config.width) * h;

  layout.add("agents.weight", {size_of(config.agents), h}, Init::kNormal);
  if (config.node_features > 0) {
    layout.add_linear("embed.node.0", config.input_mlp ? 2 * h : h, size_of(config.node_features));
    if (config.input_mlp) layout.add_linear("embed.node.1", h, 2 * h);
  }
  for (std::size_t j = 0; j < config.node_categories.size(); ++j) {
    layout.add_table("embed.node.table." + std::to_string(j), size_of(config.node_categories[j]), h);
  }
  if (!config.edge_kernel) {
    if (config.edge_features > 0) {
      layout.add_linear("embed.edge.0", 2 * h, size_of(config.edge_features));
      layout.add_linear("embed.edge.1", h, 2 * h);
    }
    for (std::size_t j = 0; j < config.edge_categories.size(); ++j) {
      layout.add_table("embed.edge.table." + std::to_string(j), size_of(config.edge_categories[j]), h);
    }
  }

  const bool neighbourhood = config.neighbourhood != Neighbourhood::kNone && config.merge == Merge::kNone;
  const bool agent_update = config.merge == Merge::kNone || config.merge == Merge::kNode;
  const bool timed = (config.node_update && config.time_node) || (neighbourhood && config.time_neighbourhood) ||
                     (agent_update && config.time_agent) || config.time_readout;
  if (timed) {
    layout.add("time.table", {size_of(config.steps) + 1, h},
               config.time_table == TimeTable::kSinusoidal ? Init::kOwn : Init::kNormal, /*trainable=*/false);
    layout.add_linear("time.0", mh, h);
    layout.add_linear("time.1", mh, mh);
  }

  const bool edges = config.edge_width() > 0;
  const CheckedSize edge = size_of(config.edge_width());
  if (edges) {
    if (config.node_update) {
      layout.add_norm("agent_message.norm", h + edge);
      layout.add_linear("agent_message.0", h, h + edge);
    }
    if (neighbourhood || config.merge == Merge::kNode || config.merge == Merge::kAgent) {
      if (config.edge_kernel) {
        layout.add_linear("edge_kernel.0", mh, edge);
        layout.add_linear("edge_kernel.1", h * h, mh);
      } else {
        layout.add_norm("node_message.norm", h + edge);
        layout.add_linear("node_message.0", h, h + edge);
      }
    }
  }
  if (config.node_update) {
    const CheckedSize out = agent_update ? h : 2 * h;
    add_block(layout, "node_update", size_of(node_update_width(config)), 2 * mh, out, config.time_node, config);
  }
  if (neighbourhood) {
    add_block(layout, "neighbourhood", size_of(neighbourhood_width(config)), 2 * mh, h, config.time_neighbourhood,
              config);
  }
  if (agent_update) {
    add_block(layout, "agent_update", size_of(agent_update_width(config)), 2 * mh, h, config.time_agent, config);
    if (config.window > 0) {
      layout.add_linear("agent_update.window", 2 * mh, 2 * size_of(config.window), /*bias=*/false);
    }
  }

  if (config.merge == Merge::kWalk) {
    layout.add_norm("move.edge.norm", h);
    layout.add_linear("move.edge.target", h, h, /*bias=*/false);
    layout.add_linear("move.edge.source", h, h);
    if (edges) layout.add_linear("move.edge.feature", h, edge, /*bias=*/false);
    layout.add_linear("move.edge.heads", 2, h, /*bias=*/false);
  }
  if (config.moves == MovePolicy::kLearned) {
    if (config.attention && config.merge != Merge::kWalk) {
      const CheckedSize wide = size_of(config.attention_width) * h;
      layout.add_norm("move.query.norm", h);
      layout.add_linear("move.query.0", wide, h);
      layout.add_norm("move.key.norm", 2 * h + edge);
      layout.add_linear("move.key.0", wide, 2 * h + edge);
    }
    if (config.exploration != Exploration::kNone) {
      layout.add("move.preference.weight", {4}, Init::kOwn);
    }
    if (config.exploration == Exploration::kAgent) {
      layout.add_norm("move.explore.norm", h);
      layout.add_linear("move.explore.0", mh, h);
      layout.add_linear("move.explore.1", 4, mh, /*bias=*/false);
    }
    if (config.window_moves) {
      // Starts at zero: the first moves are those of a model without it.
      layout.add_norm("move.window.norm", h);
      layout.add("move.window.0.weight", {2 * size_of(config.window), h}, Init::kZero);
      layout.add("move.window.0.bias", {2 * size_of(config.window)}, Init::kZero);
    }
  }

  layout.add_norm("readout.norm", h);
  if (config.readout_mlp) {
    layout.add_linear("readout.0", 2 * mh, h);
    layout.add_linear("readout.1", 2 * h, 2 * mh);
  } else {
    layout.add_linear("readout.0", 2 * h, h);
  }
  if (config.time_readout) layout.add_linear("readout.time", h, mh);
  if (config.head_mlp) {
    layout.add_linear("head.0", 2 * h, 4 * h);
    layout.add_linear("head.1", size_of(config.outputs), 2 * h);
  } else {
    layout.add_linear("head.0", size_of(config.outputs), 4 * h);
  }
  return layout;
}

template <class S>
void initialise_agentnet(const ParameterLayout& layout, const AgentNetConfig& config, std::uint64_t seed,
                         std::span<S> values) {
  initialise(layout, seed, config.slope, values);
  if (const Parameter* table = layout.find("time.table"); table != nullptr && table->init == Init::kOwn) {
    fill_sinusoidal(table->shape[0], table->shape[1], values.data() + table->offset);
  }
  if (const Parameter* preference = layout.find("move.preference.weight")) {
    // Explore at first (docs/spec.md, section 2). The authors' code starts the simplified model at zero instead; the
    // paper, which we follow, says that both start like this.
    constexpr double kStart[4] = {0, 5, -1, 0};  // explored, unexplored, stay, back
    std::copy_n(kStart, 4, values.data() + preference->offset);
  }
}

template void initialise_agentnet(const ParameterLayout&, const AgentNetConfig&, std::uint64_t, std::span<float>);
template void initialise_agentnet(const ParameterLayout&, const AgentNetConfig&, std::uint64_t, std::span<double>);

}  // namespace agentnet
