#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/json.h"
#include "core/number.h"
#include "predict/not_finite.h"
#include "view/tables/explained_graph.h"

namespace agentnet {
namespace {

using Json = nlohmann::ordered_json;

// What comes from floats has nine digits; more would be noise. JSON has no word for what is not finite.
Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return rounded_to_digits(value, 9);
}

template <class Values>
Json numbers(const Values& values) {
  Json list = Json::array();
  for (const auto value : values) list.push_back(number(value));
  return list;
}

Json by_name(const std::vector<std::string>& names, const std::vector<double>& values) {
  Json object = Json::object();
  for (std::size_t c = 0; c < names.size(); ++c) object[names[c]] = number(values[c]);
  return object;
}

class ExplanationJson {
 public:
  explicit ExplanationJson(const ExplainedGraph& explained) : explained_(explained), e_(explained.explanation) {}

  [[nodiscard]] Json all() const {
    Json json = {{"id", explained_.id}, {"row", explained_.row}, {"graph", e_.graph}};
    add_prediction(json);
    json["num_nodes"] = e_.num_nodes;
    json["num_edges"] = e_.num_edges;
    json["directed"] = e_.directed;
    json["rollouts"] = e_.rollouts;
    json["nodes"] = nodes();
    json["edges"] = edges();
    json["fidelity"] = fidelity();
    json["recorded"] = recorded();
    return json;
  }

 private:
  void add_prediction(Json& json) const {
    const Task task = explained_.set.task;
    const std::vector<std::string>& names = explained_.set.outputs;
    const Answer answer = answer_of(explained_);
    if (!answer.is_finite) {
      json["prediction"] = nullptr;
      json["status"] = kNotFinite;
    } else if (task == Task::kClassification) {
      json["prediction"] = answer.text;
    } else if (names.size() == 1) {
      json["prediction"] = task == Task::kMultilabel ? Json(e_.mean[0] > 0.5 ? 1 : 0) : number(e_.mean[0]);
    }
    json[task == Task::kRegression ? "values" : "probabilities"] = by_name(names, e_.mean);
    json["walk_spread"] = by_name(names, e_.walk_spread);
    if (!explained_.targets.empty()) {
      const bool classes = task == Task::kClassification;
      json["truth"] = classes ? (truth_of(explained_).empty() ? Json(nullptr) : Json(truth_of(explained_)))
                              : numbers(explained_.targets);
    }
    json["explained_output"] = names[static_cast<std::size_t>(e_.output)];
  }

  [[nodiscard]] Json nodes() const {
    Json list = Json::array();
    for (std::size_t i = 0; i < e_.nodes.size(); ++i) {
      Json node = {{"node", e_.nodes[i]}};
      const std::string label = explained_.set.spelling.node(explained_.graph, e_.nodes[i]);
      if (!label.empty()) node["label"] = label;
      node["visits"] = number(e_.visits[i]);
      node["touched"] = number(e_.touched[i]);
      if (!e_.influence.empty()) node["gradient_times_input"] = number(e_.influence[i]);
      if (!e_.left_out.empty()) node["leave_one_out"] = number(e_.left_out[i]);
      if (!explained_.marks.empty()) node["mark"] = static_cast<int>(explained_.marks[e_.nodes[i]]);
      list.push_back(std::move(node));
    }
    return list;
  }

  [[nodiscard]] Json edges() const {
    Json list = Json::array();
    for (const ExplainedEdge& edge : e_.edges) {
      Json json = {{"from", e_.nodes[edge.from]}, {"to", e_.nodes[edge.to]}};
      const std::string label = explained_.set.spelling.edge(explained_.graph, entry_of(explained_, edge));
      if (!label.empty()) json["label"] = label;
      json["crossings"] = number(edge.crossings);
      if (!e_.influence.empty()) json["gradient_times_input"] = number(edge.influence);
      if (!e_.left_out.empty()) json["leave_one_out"] = number(edge.left_out);
      list.push_back(std::move(json));
    }
    return list;
  }

  [[nodiscard]] Json fidelity() const {
    if (e_.fidelity.nodes == 0) return nullptr;
    return {{"nodes", e_.fidelity.nodes},
            {"all", number(e_.fidelity.all)},
            {"only_top", number(e_.fidelity.only_top)},
            {"without_top", number(e_.fidelity.without_top)},
            {"only_random", number(e_.fidelity.only_random)},
            {"without_random", number(e_.fidelity.without_random)}};
  }

  [[nodiscard]] Json recorded() const {
    Json list = Json::array();
    for (const RecordedRollout& rollout : e_.walks) {
      Json steps = Json::array();
      const std::size_t visits = rollout.agents.empty() ? 0 : rollout.agents[0].path.size();
      for (std::size_t t = 0; t < visits; ++t) steps.push_back(step(rollout, t));
      list.push_back({{"rollout", list.size()}, {"steps", std::move(steps)}});
    }
    return list;
  }

  [[nodiscard]] Json step(const RecordedRollout& rollout, std::size_t t) const {
    const std::size_t c = e_.mean.size();
    std::vector<double> so_far(c, 0);
    for (std::size_t s = 0; s <= t; ++s) {
      for (std::size_t i = 0; i < c; ++i) so_far[i] += rollout.raw[s * c + i] / static_cast<double>(t + 1);
    }
    Json agents = Json::array();
    for (const AgentWalk& walk : rollout.agents) {
      Json agent = {{"position", e_.nodes[walk.path[t]]}};
      if (t < walk.choices.size()) {
        Json candidates = Json::array();
        for (const std::uint32_t node : walk.choices[t].nodes) candidates.push_back(e_.nodes[node]);
        agent["candidates"] = std::move(candidates);
        agent["probabilities"] = numbers(walk.choices[t].probability);
      }
      agents.push_back(std::move(agent));
    }
    return {{"step", t},
            {"raw", numbers(std::span(rollout.raw).subspan(t * c, c))},
            {"raw_so_far", numbers(so_far)},
            {"outputs_so_far", numbers(std::span(rollout.outputs).subspan(t * c, c))},
            {"agents", std::move(agents)}};
  }

  const ExplainedGraph& explained_;
  const Explanation& e_;
};

}  // namespace

std::string explanation_json(const ExplainedGraph& explained) {
  return ExplanationJson(explained).all().dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace agentnet
