#include "support/mismatch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <sstream>

namespace agentnet {

std::string mismatch(const std::string& what, const std::vector<double>& actual, const std::vector<double>& expected,
                     double allowed) {
  std::ostringstream text;
  if (actual.size() != expected.size()) {
    text << what << ": " << actual.size() << " values instead of " << expected.size();
    return text.str();
  }
  std::size_t worst = 0, wrong = 0;
  double worst_error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::abs(actual[i] - expected[i]);
    if (error <= allowed) continue;  // false for NaN
    ++wrong;
    if (wrong > 1 && !(error > worst_error)) continue;
    worst = i;
    worst_error = error;
  }
  if (wrong == 0) return {};
  text.precision(17);
  text << what << ": " << wrong << " of " << expected.size() << " values off; entry " << worst << " is "
       << actual[worst] << " instead of " << expected[worst] << ", error " << worst_error << ", allowed " << allowed;
  return text.str();
}

double largest_entry(const std::vector<double>& values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  return most;
}

}  // namespace agentnet
