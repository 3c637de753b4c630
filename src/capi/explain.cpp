// Why a model says what it says, as JSON lines and as the viewer's page.
#include "agentnet/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "agentnet/error.h"
#include "capi/asking.h"
#include "predict/reading.h"
#include "view/page/page.h"
#include "view/page/page_walks.h"
#include "view/page/run_page.h"
#include "view/tables/explained_graph.h"

namespace agentnet::capi {
namespace {

const std::vector<std::string> kExplainOptions = {"output",     "influence",     "recorded",
                                                  "most_nodes", "leave_one_out", "fidelity"};
constexpr std::size_t kAtOnce = 32;  // graphs

ExplainOptions explain_options(const Question& question) {
  const Json& json = question.json();
  ExplainOptions options;
  const int usual = options.walks.rollouts;
  options.walks = question.options();
  if (!json.contains("rollouts")) options.walks.rollouts = usual;
  options.output = option_or(json, "output", options.output);
  options.influence = option_or(json, "influence", options.influence);
  options.recorded = option_or(json, "recorded", options.recorded);
  options.most_nodes = option_or(json, "most_nodes", options.most_nodes);
  options.leave_one_out = option_or(json, "leave_one_out", options.leave_one_out);
  options.fidelity = option_or(json, "fidelity", options.fidelity);
  return options;
}

std::string lines_about(const Question& question) {
  const Dataset& data = question.data();
  ExplainOptions options = explain_options(question);
  if (!question.model().walks()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("the model is {}: nobody walks in it, and nothing is explained", question.model().description()),
        "explain an AgentNet");
  }
  const Spelling spelling(data.schema);
  const ExplainedSet set{task_of(question.model()), output_names(question.model()), spelling};
  const bool by_row = options.walks.draws == DrawKey::kRow;
  const std::uint64_t first_graph = options.walks.first_graph;
  std::string lines;
  for (std::size_t i = 0; i < question.graphs().size();) {
    const std::size_t count = by_row ? 1 : std::min(kAtOnce, question.graphs().size() - i);
    options.walks.first_graph = first_graph + question.graphs()[i];
    const std::vector<Explanation> all =
        explain(question.model(), std::span(question.views()).subspan(i, count), options);
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t g = question.graphs()[i + j];
      const std::uint64_t row = data.rows.empty() ? g : data.rows[g];
      const std::string_view id = data.graphs.id(g);
      Explanation explanation = all[j];
      explanation.graph = g;
      lines += explanation_json({.set = set,
                                 .id = id.empty() ? std::to_string(row) : std::string(id),
                                 .row = row,
                                 .graph = question.views()[i + j],
                                 .targets = {},
                                 .marks = data.graphs.notes(g).marks,
                                 .explanation = explanation});
    }
    i += count;
  }
  return lines;
}

// The set with the model's targets, where it has any.
Dataset with_truth(const agentnet_set& set, const Model& model) {
  Dataset data = borrowed_from(set.data);
  fit_to_model(data, model, /*with_targets=*/data.schema.task != Task::kNone);
  return data;
}

std::string page_about(const Question& question, const agentnet_set& set, const Caller& caller) {
  require_viewer();
  const Json& json = question.json();
  const Dataset data = with_truth(set, question.model());
  const Predictions predictions = predict(question.model(), question.views(), question.options());
  PageData page;
  page.title = option_or(json, "title", page_title(data.source));
  page.created = page_maker();
  page.model = &question.model();
  page.data = &data;
  page.graphs = question.graphs();
  page.predictions = &predictions;
  page.scores = data.schema.task != Task::kNone;
  WalkChoice choice;
  choice.graphs = option_or(json, "walks", choice.graphs);
  choice.walks = question.options();
  choice.recorded = option_or(json, "recorded", choice.recorded);
  choice.should_stop = [&](std::size_t /*done*/, std::size_t /*of*/) { return caller.stopped(); };
  if (question.model().walks()) add_walks(page, choice);
  caller.check();
  return page_html(page);
}

}  // namespace
}  // namespace agentnet::capi

using namespace agentnet;        // NOLINT: these functions stand outside of namespaces
using namespace agentnet::capi;  // NOLINT

int agentnet_explain(const agentnet_model* model, const agentnet_set* set, const uint64_t* graphs, uint64_t count,
                     const char* options, const agentnet_control* control, char** lines, agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    auto& out = required(lines, "lines");
    const Question question(model, set, graphs, count, options, kExplainOptions, caller);
    out = new_text(lines_about(question));
  });
}

int agentnet_page(const agentnet_model* model, const agentnet_set* set, const uint64_t* graphs, uint64_t count,
                  const char* options, const agentnet_control* control, char** html, agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    auto& out = required(html, "html");
    const Question question(model, set, graphs, count, options, {"title", "walks", "recorded"}, caller);
    out = new_text(page_about(question, required(set, "set"), caller));
  });
}
