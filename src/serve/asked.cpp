#include "serve/asked.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "core/suggest.h"
#include "core/text.h"
#include "serve/problem.h"

namespace agentnet {
namespace {

constexpr int kMostForConfidence = 1000;  // rollouts, if the request does not say

[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& wanted) {
  throw Problem(400, fmt::format("{}={} makes no sense", name, in_quotes(value)),
                fmt::format("{} is {}", name, wanted));
}

template <class Number>
Number number_of(const std::string& name, const std::string& value, Number least, Number most) {
  Number number = {};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || !(number >= least && number <= most)) {
    refuse(name, value, fmt::format("a number from {} to {}", least, most));
  }
  return number;
}

bool flag_of(const std::string& name, const std::string& value) {
  if (value.empty() || value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  refuse(name, value, "true or false");
}

}  // namespace

Asked asked_of(const AskedFields& fields, const ServeOptions& options, bool explain) {
  Asked asked;
  asked.predicting = options.predicting;
  asked.explaining.recorded = 2;
  bool own_rollouts = false;
  constexpr auto kAnySeed = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [name, value] : fields) {
    if (name == "model") {
      asked.model = value;
    } else if (name == "rollouts") {
      asked.predicting.rollouts = number_of(name, value, 1, options.rollouts);
      own_rollouts = true;
    } else if (name == "seed") {
      asked.predicting.seed = number_of<std::uint64_t>(name, value, 0, kAnySeed);
    } else if (name == "greedy") {
      asked.predicting.greedy = flag_of(name, value);
    } else if (name == "draws") {
      if (value != "content" && value != "row") refuse(name, value, "content or row");
      asked.predicting.draws = value == "row" ? DrawKey::kRow : DrawKey::kContent;
    } else if (name == "max_neighbours") {
      asked.predicting.max_neighbours = number_of(name, value, 0, std::numeric_limits<int>::max());
    } else if (name == "confidence" && !explain) {
      asked.predicting.confidence = number_of(name, value, 0.0, 1.0);
      if (!(asked.predicting.confidence > 0 && asked.predicting.confidence < 1)) {
        refuse(name, value, "a probability, such as 0.99");
      }
    } else if (name == "recorded" && explain) {
      asked.explaining.recorded = number_of(name, value, 0, 64);
    } else if (name == "leave_one_out" && explain) {
      asked.explaining.leave_one_out = number_of<std::uint64_t>(name, value, 0, 1000);
    } else if (name == "about" && explain) {
      asked.about = value;
    } else {
      std::vector<std::string> known = {"model", "rollouts", "seed", "greedy", "draws", "max_neighbours"};
      for (const char* more : {"recorded", "leave_one_out", "about"}) {
        if (explain) known.emplace_back(more);
      }
      if (!explain) known.emplace_back("confidence");
      const auto meant = closest_match(name, known);
      throw Problem(400, fmt::format("there is no option {}", in_quotes(name)),
                    meant ? fmt::format("did you mean {}?", *meant) : "options are " + join_text(known, ", "));
    }
  }
  if (asked.predicting.confidence > 0 && !own_rollouts) {
    asked.predicting.rollouts = std::min(kMostForConfidence, options.rollouts);
  }
  return asked;
}

}  // namespace agentnet
