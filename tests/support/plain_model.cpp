#include "support/plain_model.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "support/plain_functions.h"
#include "support/plain_walk.h"

namespace agentnet {
namespace {

void require(bool condition, const std::string& what) {
  if (!condition) throw std::logic_error("plain model: " + what);
}

std::vector<Traced> dense_rows(Tape& tape, const DenseRows& rows, std::uint64_t count, int width) {
  std::vector<Traced> traced;
  if (width == 0 || count == 0) return traced;
  require(rows.width == width, "the graph's features are not those of the config");
  for (std::uint64_t row = 0; row < count; ++row) {
    std::vector<double> values(static_cast<std::size_t>(width));
    rows.copy(row, values.data());
    traced.push_back(tape.leaf(std::move(values)));
  }
  return traced;
}

std::uint64_t num_edge_rows(const GraphView& view) {
  return view.edge_rows != nullptr ? view.edge_rows[view.num_edges()] : view.num_edges();
}

}  // namespace

PlainRun::PlainRun(const AgentNetConfig& config, const ParameterLayout& layout, std::span<const double> parameters,
                   std::span<const GraphView> graphs, const PlainOptions& options)
    : layout_(layout) {
  require(config.dropout == 0.0, "dropout is not covered");
  require(config.merge == Merge::kNone || config.node_update, "merged updates are part of the node update");
  require(parameters.size() == layout.size(), "parameters of another layout");
  require(options.noise != nullptr, "no source of noise");
  for (const Parameter& p : layout_.all()) {
    const auto values = parameters.subspan(p.offset, p.size);
    parameters_[p.name] = tape_.leaf({values.begin(), values.end()});
  }

  const auto visits = static_cast<std::size_t>(config.steps) + 1;
  result_.positions.resize(visits);
  result_.moves.resize(visits - 1);
  result_.step_readouts.resize(visits);
  result_.agent_states.resize(visits);
  result_.node_states.resize(visits);
  const PlainFunctions functions(config, parameters_, tape_);
  for (std::size_t graph = 0; graph < graphs.size(); ++graph) {
    const GraphView& view = graphs[graph];
    node_features_.push_back(dense_rows(tape_, view.node_dense, view.num_nodes, config.node_features));
    edge_features_.push_back(dense_rows(tape_, view.edge_dense, num_edge_rows(view), config.edge_features));
    PlainWalk walk(config, functions, view, graph, options, node_features_.back(), edge_features_.back());
    std::vector<Traced> readouts;
    for (int t = 0; t <= config.steps; ++t) {
      readouts.push_back(walk.visit(t));
      walk.report(t, result_);
      result_.step_readouts[static_cast<std::size_t>(t)].push_back(readouts.back().value());
    }
    outputs_.push_back(scale(sum(readouts), 1.0 / static_cast<double>(visits)));
    result_.outputs.push_back(outputs_.back().value());
  }
}

Traced PlainRun::traced_loss(PlainLoss kind, std::span<const double> targets) {
  const std::size_t per_graph = kind == PlainLoss::kCrossEntropy ? 1 : outputs_.at(0).size();
  require(targets.size() == outputs_.size() * per_graph, "targets of another size");
  std::vector<Traced> terms;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (std::isnan(targets[i])) continue;
    const Traced output = outputs_[i / per_graph];
    if (kind == PlainLoss::kCrossEntropy) {
      terms.push_back(scale(slice(log_softmax(output), static_cast<std::size_t>(targets[i]), 1), -1.0));
      continue;
    }
    const Traced y = slice(output, i % per_graph, 1);
    const Traced difference = add(y, tape_.leaf({-targets[i]}));
    if (kind == PlainLoss::kBinaryCrossEntropy) terms.push_back(add(softplus(y), scale(y, -targets[i])));
    if (kind == PlainLoss::kSquaredError) terms.push_back(square(difference));
    if (kind == PlainLoss::kAbsoluteError) terms.push_back(absolute(difference));
  }
  return terms.empty() ? tape_.leaf({0.0}) : scale(sum(terms), 1.0 / static_cast<double>(terms.size()));
}

double PlainRun::backward(PlainLoss kind, std::span<const double> targets) {
  const Traced result = traced_loss(kind, targets);
  tape_.backward(result);
  return result[0];
}

std::vector<double> PlainRun::gradient() const {
  std::vector<double> flat(layout_.size(), 0.0);
  for (const Parameter& p : layout_.all()) {
    if (!p.trainable) continue;
    const auto& gradient = tape_.gradient(parameters_.at(p.name));
    std::copy(gradient.begin(), gradient.end(), flat.begin() + static_cast<std::ptrdiff_t>(p.offset));
  }
  return flat;
}

std::vector<double> PlainRun::gradients_of(const std::vector<Traced>& rows) const {
  std::vector<double> flat;
  for (const Traced& row : rows) {
    const auto& gradient = tape_.gradient(row);
    flat.insert(flat.end(), gradient.begin(), gradient.end());
  }
  return flat;
}

std::vector<double> PlainRun::node_feature_gradient(std::size_t graph) const {
  return gradients_of(node_features_.at(graph));
}

std::vector<double> PlainRun::edge_feature_gradient(std::size_t graph) const {
  return gradients_of(edge_features_.at(graph));
}

}  // namespace agentnet
