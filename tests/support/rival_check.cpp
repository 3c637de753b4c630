// The comparing half of rival_case.h.
#include <utility>

#include "support/mismatch.h"
#include "support/rival_case.h"

namespace agentnet {
namespace {

class Comparison {
 public:
  explicit Comparison(const RivalCase& rival) : rival_(rival) {}

  void forward(const std::string& what, const std::vector<double>& actual, const std::vector<double>& expected) {
    const double share = rival_.double_precision ? 1e-10 : 1e-5;
    add(mismatch(what, actual, expected, share * largest_entry(expected)));
  }
  void gradient(const std::string& what, const std::vector<double>& actual, const std::vector<double>& expected) {
    const double share = rival_.double_precision ? 1e-10 : 1e-4;
    const double allowed = share * (largest_entry(expected) + 1e-3 * rival_.largest_gradient);
    add(mismatch("gradient of " + what, actual, expected, allowed));
  }
  // `entries` of them, zero but for rounding.
  void zero_gradient(const std::string& what, const std::vector<double>& actual, std::size_t entries) {
    const double allowed = (rival_.double_precision ? 1e-10 : 1e-5) * rival_.largest_gradient;
    add(mismatch("gradient of " + what + " (zero but for rounding)", actual, std::vector<double>(entries, 0.0),
                 allowed));
  }
  void optional_forward(const std::string& what, const std::vector<double>& actual,
                        const std::optional<RivalNumbers>& expected) {
    if (expected) forward(what, actual, expected->values);
  }
  void add(std::string complaint) {
    if (!complaint.empty()) list_.push_back(std::move(complaint));
  }
  [[nodiscard]] std::vector<std::string> list() && { return std::move(list_); }

 private:
  const RivalCase& rival_;
  std::vector<std::string> list_;
};

using Named = std::map<std::string, std::vector<double>>;

void compare_gradients(const RivalCase& rival, const Named& answer, Comparison& compare) {
  for (const auto& [name, expected] : rival.gradients) {
    const auto found = answer.find(name);
    if (found == answer.end()) {
      compare.add("gradient of " + name + " is missing");
    } else if (rival.zero_gradients.contains(name)) {
      compare.zero_gradient(name, found->second, expected.values.size());
    } else {
      compare.gradient(name, found->second, expected.values);
    }
  }
  for (const auto& [name, actual] : answer) {
    if (!rival.gradients.contains(name)) compare.zero_gradient(name, actual, actual.size());
  }
}

void compare_buffers(const RivalCase& rival, const Named& answer, Comparison& compare) {
  for (const auto& [name, expected] : rival.buffers_after) {
    const auto found = answer.find(name);
    if (found == answer.end()) {
      compare.add("running statistic " + name + " is missing");
    } else {
      compare.forward("running statistic " + name, found->second, expected.values);
    }
  }
}

void compare_input_gradients(const RivalCase& rival, const Named& answer, Comparison& compare) {
  for (const auto& [name, actual] : answer) {
    const auto expected = rival.input_gradients.find(name);
    if (expected == rival.input_gradients.end()) {
      compare.add("gradient of the input " + name + " was not recorded");
    } else {
      compare.gradient("the input " + name, actual, expected->second.values);
    }
  }
}

}  // namespace

std::vector<std::string> rival_mismatches(const RivalCase& rival, const RivalAnswer& answer) {
  Comparison compare(rival);
  compare.forward("output", answer.output, rival.output.values);
  compare.optional_forward("auxiliary output", answer.auxiliary_output, rival.auxiliary_output);
  compare.forward("loss", {answer.loss}, {rival.loss_value});
  compare_gradients(rival, answer.gradients, compare);
  compare_input_gradients(rival, answer.input_gradients, compare);
  compare_buffers(rival, answer.buffers_after, compare);
  compare.optional_forward("output in evaluation mode", answer.evaluation_output, rival.evaluation_output);
  compare.optional_forward("auxiliary output in evaluation mode", answer.auxiliary_evaluation_output,
                           rival.auxiliary_evaluation_output);
  return std::move(compare).list();
}

}  // namespace agentnet
