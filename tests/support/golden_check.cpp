// The comparing half of golden_case.h.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "support/golden_case.h"

namespace agentnet {
namespace {

std::vector<double> log_softmax_rows(std::vector<double> values, std::size_t width) {
  for (auto row = values.begin(); row != values.end(); row += static_cast<std::ptrdiff_t>(width)) {
    const auto end = row + static_cast<std::ptrdiff_t>(width);
    const double most = *std::max_element(row, end);
    double total = 0;
    for (auto v = row; v != end; ++v) total += std::exp(*v - most);
    for (auto v = row; v != end; ++v) *v -= most + std::log(total);
  }
  return values;
}

class Complaints {
 public:
  void add(std::string complaint) {
    if (!complaint.empty()) list_.push_back(std::move(complaint));
  }
  [[nodiscard]] std::vector<std::string> list() && { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

std::string position_mismatch(const GoldenCase& golden, const GoldenAnswer& answer) {
  if (answer.positions.size() != golden.positions.size()) return "positions: another number of steps";
  for (std::size_t t = 0; t < golden.positions.size(); ++t) {
    if (answer.positions[t].size() != golden.positions[t].size()) return "positions: another number of agents";
    for (std::size_t a = 0; a < golden.positions[t].size(); ++a) {
      if (answer.positions[t][a] == golden.positions[t][a]) continue;
      std::ostringstream text;
      text << "positions: agent " << a << " is on node " << answer.positions[t][a] << " at t = " << t << ", not on "
           << golden.positions[t][a];
      return text.str();
    }
  }
  return {};
}

void compare_inputs(const GoldenCase& golden, const std::string& what, const std::vector<std::vector<double>>& actual,
                    const std::vector<std::vector<double>>& expected, Complaints& complaints) {
  // One tensor in the file, hence one scale for all graphs.
  double allowed = 0;
  for (const auto& part : expected) allowed = std::max(allowed, gradient_tolerance(golden, part));
  if (actual.size() != expected.size()) return complaints.add("gradient of " + what + ": another number of graphs");
  for (std::size_t graph = 0; graph < expected.size(); ++graph) {
    const std::string name = "gradient of " + what + " of graph " + std::to_string(graph);
    complaints.add(mismatch(name, actual[graph], expected[graph], allowed));
  }
}

}  // namespace

double forward_tolerance(const GoldenCase& golden, const std::vector<double>& expected) {
  return (golden.double_precision ? 1e-9 : 1e-5) * largest_entry(expected);
}

double gradient_tolerance(const GoldenCase& golden, const std::vector<double>& expected) {
  return (golden.double_precision ? 1e-9 : 1e-4) * (largest_entry(expected) + 1e-3 * golden.largest_gradient);
}

std::vector<std::string> golden_mismatches(const GoldenCase& golden, const GoldenAnswer& answer) {
  Complaints complaints;
  complaints.add(position_mismatch(golden, answer));
  complaints.add(mismatch("step readouts", answer.step_readouts, golden.step_readouts,
                          forward_tolerance(golden, golden.step_readouts)));
  // Not for an answer of the wrong size, which has no rows; the comparison below says so.
  const bool probabilities =
      golden.loss == GoldenLoss::kCrossEntropy && answer.outputs.size() == golden.final_output.size();
  const auto classes = static_cast<std::size_t>(golden.config.outputs);
  complaints.add(mismatch("output", probabilities ? log_softmax_rows(answer.outputs, classes) : answer.outputs,
                          golden.final_output, forward_tolerance(golden, golden.final_output)));
  complaints.add(mismatch("loss", {answer.loss}, {golden.loss_value}, forward_tolerance(golden, {golden.loss_value})));
  if (!golden.has_gradients) return std::move(complaints).list();

  if (answer.gradient.size() != golden.parameters.size()) {
    complaints.add("gradient: " + std::to_string(answer.gradient.size()) + " values instead of " +
                   std::to_string(golden.parameters.size()));
    return std::move(complaints).list();
  }
  for (const GoldenGradient& gradient : golden.gradients) {
    const auto first = answer.gradient.begin() + static_cast<std::ptrdiff_t>(gradient.offset);
    const std::vector<double> actual(first, first + static_cast<std::ptrdiff_t>(gradient.values.size()));
    if (gradient.mathematically_zero) {
      const double allowed = (golden.double_precision ? 1e-9 : 1e-4) * golden.largest_gradient;
      complaints.add(mismatch("gradient of " + gradient.name + " (zero but for rounding)", actual,
                              std::vector<double>(actual.size(), 0.0), allowed));
    } else {
      complaints.add(mismatch("gradient of " + gradient.name, actual, gradient.values,
                              gradient_tolerance(golden, gradient.values)));
    }
  }
  if (answer.node_feature_gradients) {
    compare_inputs(golden, "node features", *answer.node_feature_gradients, golden.node_feature_gradients, complaints);
  }
  if (answer.edge_feature_gradients) {
    compare_inputs(golden, "edge features", *answer.edge_feature_gradients, golden.edge_feature_gradients, complaints);
  }
  return std::move(complaints).list();
}

}  // namespace agentnet
