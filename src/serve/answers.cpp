#include "serve/answers.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/explain.h"
#include "core/json.h"
#include "core/text.h"
#include "predict/not_finite.h"
#include "predict/prediction_table.h"
#include "serve/problem.h"
#include "view/page/page.h"
#include "view/page/run_page.h"
#include "view/tables/explained_graph.h"

namespace agentnet {
namespace {

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string id_of(const Dataset& part, std::size_t graph) {
  const std::string_view id = part.graphs.id(graph);
  return id.empty() ? std::to_string(part.rows[graph]) : std::string(id);
}

int explained_output_of(const ServedModel& model, const std::string& about) {
  if (about.empty()) return -1;
  const auto found = std::find(model.outputs.begin(), model.outputs.end(), about);
  if (found != model.outputs.end()) return static_cast<int>(found - model.outputs.begin());
  throw Problem(400, fmt::format("the model has no output {}", in_quotes(about)),
                "it has " + join_text(model.outputs, ", "));
}

ExplainOptions explain_options(const ServedModel& model, const Asked& asked, const std::function<void()>& may_end) {
  ExplainOptions options = asked.explaining;
  options.walks = asked.predicting;
  options.walks.threads = 1;
  options.walks.may_end = may_end;
  options.output = explained_output_of(model, asked.about);
  return options;
}

// Graphs whose rows follow one another are explained together: draws by row begin with the number of the first.
std::vector<Explanation> explain_rows(const ServedModel& model, const Dataset& part, ExplainOptions options) {
  const std::vector<GraphView> views = part.graphs.views();
  std::vector<Explanation> all;
  for (std::size_t first = 0, end = 0; first < views.size(); first = end) {
    for (end = first + 1; end < views.size() && part.rows[end] == part.rows[end - 1] + 1;) ++end;
    options.walks.first_graph = part.rows[first];
    for (Explanation& one : explain(model.model, std::span(views).subspan(first, end - first), options)) {
      one.graph = all.size();
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace

AnswerForm answer_form(std::string_view accept) {
  if (accept.find("text/csv") != std::string_view::npos) return AnswerForm::kCsv;
  for (const char* lines : {"application/x-ndjson", "application/ndjson", "application/jsonl"}) {
    if (accept.find(lines) != std::string_view::npos) return AnswerForm::kJsonLines;
  }
  return AnswerForm::kJson;
}

void visit_rows(const RequestData& data, const RowVisitor& visitor) {
  std::size_t number = 0;
  for (const Dataset& part : data.parts) {
    std::size_t g = 0, b = 0;
    while (g < part.graphs.size() || b < part.bad_rows.size()) {
      if (g == part.graphs.size() || (b < part.bad_rows.size() && part.bad_rows[b].row < part.rows[g])) {
        visitor.bad(part.bad_rows[b++]);
      } else {
        visitor.graph(part.rows[g], part, g, number);
        ++g;
        ++number;
      }
    }
  }
}

HttpAnswer json_answer(const ServedModel& model, std::string_view lines) {
  std::string text = fmt::format(R"({{"model":"{}","version":"{}","rows":[)", model.name, model.version);
  for (const char c : lines) text += c == '\n' ? ',' : c;
  if (text.back() == ',') text.pop_back();
  return http_answer(200, "application/json", text + "]}\n");
}

HttpAnswer prediction_answer(const ServedModel& model, const PredictOptions& options, const RequestData& data,
                             const Predictions& predictions, AnswerForm form) {
  const bool csv = form == AnswerForm::kCsv;
  const PredictionTable table(model.task, model.outputs,
                              csv ? PredictionTable::Form::kCsv : PredictionTable::Form::kJsonLines,
                              options.confidence > 0);
  const auto width = static_cast<std::size_t>(predictions.outputs);
  std::string text = table.header();
  const auto add = [&](std::uint64_t row, const Dataset& part, std::size_t g, std::size_t number) {
    const auto values = [&](const std::vector<double>& all) { return std::span(all).subspan(number * width, width); };
    text += table.row(row, part.graphs.id(g),
                      {values(predictions.mean), values(predictions.walk_spread), predictions.rollouts[number],
                       !predictions.settled.empty() && predictions.settled[number] != 0});
    if (csv || options.confidence > 0) return;
    // How many rollouts there were stands before the status, as it does with a confidence.
    const std::size_t status = text.rfind(",\"status\":");
    text.insert(status, fmt::format(",\"rollouts\":{}", predictions.rollouts[number]));
  };
  visit_rows(data, {add, [&](const BadRow& bad) { text += table.bad_row(bad.row, bad.id, bad.message); }});
  if (form == AnswerForm::kJson) return json_answer(model, text);
  return http_answer(200, csv ? "text/csv; charset=utf-8" : "application/x-ndjson", std::move(text));
}

void count_rows(const RequestData& data, const Predictions& predictions, ServeMetrics& metrics) {
  const std::uint64_t wild = not_finite(predictions).size();
  std::uint64_t bad = 0;
  for (const Dataset& part : data.parts) bad += part.bad_rows.size();
  if (wild > 0) metrics.add_rows(ServeMetrics::Rows::kNoNumber, wild);
  if (bad > 0) metrics.add_rows(ServeMetrics::Rows::kNoGraph, bad);
  metrics.add_rows(ServeMetrics::Rows::kAnswered, predictions.rollouts.size() - wild);
}

HttpAnswer explanation_answer(const ServedModel& model, const Asked& asked, const RequestData& data,
                              const std::function<void()>& may_end) {
  const ExplainOptions options = explain_options(model, asked, may_end);
  std::string lines;
  for (const Dataset& part : data.parts) {
    const Spelling spelling(part.schema, {});
    const ExplainedSet set{model.task, model.outputs, spelling};
    const std::vector<GraphView> views = part.graphs.views();
    const std::vector<Explanation> explanations = explain_rows(model, part, options);
    std::size_t b = 0;
    const auto add_bad_before = [&](std::uint64_t row) {
      for (; b < part.bad_rows.size() && part.bad_rows[b].row < row; ++b) {
        const BadRow& bad = part.bad_rows[b];
        lines += dumped({{"id", bad.id.empty() ? std::to_string(bad.row) : bad.id},
                         {"row", bad.row},
                         {"status", bad.message}}) +
                 "\n";
      }
    };
    for (std::size_t g = 0; g < views.size(); ++g) {
      add_bad_before(part.rows[g]);
      lines += explanation_json(
          {.set = set, .id = id_of(part, g), .row = part.rows[g], .graph = views[g], .explanation = explanations[g]});
    }
    add_bad_before(std::numeric_limits<std::uint64_t>::max());
  }
  return json_answer(model, lines);
}

HttpAnswer view_answer(const ServedModel& model, const Asked& asked, const RequestData& data,
                       const std::function<void()>& may_end) {
  if (!has_viewer()) throw Problem(501, "this program was built without the viewer's page");
  const ExplainOptions options = explain_options(model, asked, may_end);
  const auto full =
      std::find_if(data.parts.begin(), data.parts.end(), [](const Dataset& part) { return part.graphs.size() > 0; });
  if (full == data.parts.end()) {
    const bool told = !data.parts.empty() && !data.parts[0].bad_rows.empty();
    throw Problem(400, told ? data.parts[0].bad_rows[0].message : "there is no graph to show");
  }
  PageData page;
  page.title = fmt::format("{} rows, asked of {}", full->graphs.size(), model.name);
  page.created = page_maker();
  page.model_file = model.name;
  page.model = &model.model;
  page.data = &*full;
  page.graphs.resize(full->graphs.size());
  std::iota(page.graphs.begin(), page.graphs.end(), std::size_t{0});
  page.explanations = explain_rows(model, *full, options);
  return http_answer(200, "text/html; charset=utf-8", page_html(page));
}

}  // namespace agentnet
