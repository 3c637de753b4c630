// What is said of the rows of a request, in the forms in which it is asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "agentnet/predict.h"
#include "http/request.h"
#include "serve/asked.h"
#include "serve/metrics.h"
#include "serve/request_data.h"
#include "serve/served_model.h"

namespace agentnet {

enum class AnswerForm { kJson, kJsonLines, kCsv };

// By an Accept header: text/csv, application/x-ndjson, or JSON for anything else.
[[nodiscard]] AnswerForm answer_form(std::string_view accept);

// The rows in their order, from 0 over all parts: those that are graphs, with their number among the graphs, and those
// that are not.
struct RowVisitor {
  std::function<void(std::uint64_t row, const Dataset& part, std::size_t graph, std::size_t number)> graph;
  std::function<void(const BadRow& bad)> bad;
};
void visit_rows(const RequestData& data, const RowVisitor& visitor);

// One line per row: those of `agentnet predict --keep none`; in JSON with the rollouts of each row.
[[nodiscard]] HttpAnswer prediction_answer(const ServedModel& model, const PredictOptions& options,
                                           const RequestData& data, const Predictions& predictions, AnswerForm form);

// Counts what became of the rows.
void count_rows(const RequestData& data, const Predictions& predictions, ServeMetrics& metrics);

// Explanations, one per row; `may_end` is called now and then and throws what ends the work. Throws Problem beyond the
// limits, and Error as explain() does.
[[nodiscard]] HttpAnswer explanation_answer(const ServedModel& model, const Asked& asked, const RequestData& data,
                                            const std::function<void()>& may_end);

// The viewer's page with predictions and walks.
[[nodiscard]] HttpAnswer view_answer(const ServedModel& model, const Asked& asked, const RequestData& data,
                                     const std::function<void()>& may_end);

// {"model": ..., "version": ..., "rows": [...]} of lines that are objects.
[[nodiscard]] HttpAnswer json_answer(const ServedModel& model, std::string_view lines);

}  // namespace agentnet
