#include "view/page/page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "agentnet/error.h"
#include "agentnet/metrics.h"
#include "data/syntax/csv.h"
#include "nets/model_inside.h"
#include "predict/reading.h"
#include "view/page/json_text.h"
#include "view/page/page_detail.h"
#include "view/page/viewer_page.h"
#include "view/tables/how_wrong.h"

namespace agentnet {
namespace {

constexpr std::string_view kToken = "__AGENTNET_DATA__";

// Everything about the listed graphs in rows, whichever way it was handed in.
struct Table {
  Task task = Task::kNone;
  std::size_t outputs = 0;
  std::vector<double> mean, walk_spread;  // [G, C]
  std::vector<double> targets;            // as train/metrics.h; empty: there are none
  std::size_t target_width = 0;

  [[nodiscard]] Answers answers() const { return {task, static_cast<int>(outputs), mean, targets}; }
};

void check(const PageData& page) {
  const auto require = [](bool good, const char* what) {
    if (!good) throw Error(ErrorKind::kUsage, fmt::format("the parts of the page do not belong together: {}", what));
  };
  require(page.model != nullptr && page.data != nullptr, "there is no model or no data");
  const std::size_t graphs = page.graphs.size(), explained = page.explanations.size();
  const auto outputs = static_cast<std::size_t>(page.model->outputs());
  require(std::all_of(page.graphs.begin(), page.graphs.end(), [&](auto g) { return g < page.data->graphs.size(); }),
          "a graph is not in the data");
  if (page.predictions != nullptr) {
    require(page.predictions->mean.size() == graphs * outputs, "there are more or fewer predictions than graphs");
  } else {
    require(explained == graphs && page.explained.empty(), "not every graph has a prediction");
  }
  require(page.explained.empty() ? explained <= graphs : explained == page.explained.size(),
          "it is not known which graphs the explanations are of");
  require(std::all_of(page.explained.begin(), page.explained.end(), [&](auto row) { return row < graphs; }),
          "an explanation is of a graph that is not listed");
  for (const Explanation& one : page.explanations) {
    require(one.mean.size() == outputs, "an explanation has other outputs than the model");
  }
}

Table table_of(const PageData& page) {
  Table table;
  // A model whose card says nothing gives raw numbers.
  table.task = task_of(*page.model) == Task::kNone ? Task::kRegression : task_of(*page.model);
  table.outputs = static_cast<std::size_t>(page.model->outputs());
  if (page.predictions != nullptr) {
    table.mean = page.predictions->mean;
    table.walk_spread = page.predictions->walk_spread;
  } else {
    for (const Explanation& one : page.explanations) {
      table.mean.insert(table.mean.end(), one.mean.begin(), one.mean.end());
      table.walk_spread.insert(table.walk_spread.end(), one.walk_spread.begin(), one.walk_spread.end());
    }
  }
  table.target_width = table.task == Task::kClassification ? 1 : table.outputs;
  const GraphSet& graphs = page.data->graphs;
  const bool labelled = page.data->schema.task == table.task &&
                        static_cast<std::size_t>(std::max(0, graphs.num_targets())) == table.target_width;
  for (std::size_t i = 0; labelled && i < page.graphs.size(); ++i) {
    const auto row = graphs.targets(page.graphs[i]);
    table.targets.insert(table.targets.end(), row.begin(), row.end());
  }
  return table;
}

bool any_known(const Table& table) {
  return std::any_of(table.targets.begin(), table.targets.end(), [](double y) { return !std::isnan(y); });
}

void write_model(JsonText& json, const PageData& page) {
  std::uint64_t parameters = 0;  // of the tensors: the flat buffer may be padded between them
  for (const ParameterInfo& info : page.model->parameter_infos()) {
    std::uint64_t size = 1;
    for (const std::int64_t extent : info.shape) size *= static_cast<std::uint64_t>(extent);
    parameters += size;
  }
  json.key("model").open('{');
  const WalkTraits walks = ModelInside::network(*page.model)->walks().value_or(WalkTraits{});
  json.key("kind").string(page.model->config().kind);
  json.key("description").string(page.model->description());
  json.key("agents").integer(static_cast<std::uint64_t>(walks.agents));  // 0: nobody walks
  json.key("steps").integer(static_cast<std::uint64_t>(walks.steps));
  json.key("parameters").integer(parameters);
  json.key("file").string(page.model_file);
  json.close('}');
}

void write_training(JsonText& json, const PageTraining& training) {
  json.key("training");
  if (training.metric.empty()) {
    json.null();
    return;
  }
  json.open('{').key("metric").string(training.metric);
  json.key("epochs").list(training.epochs, [&](const EpochRecord& record) {
    json.open('{').key("epoch").integer(record.epoch);
    json.key("loss").number(record.loss).key("learning_rate").number(record.learning_rate);
    json.key("metric").number(record.metric.value_or(std::numeric_limits<double>::quiet_NaN()));
    json.key("best").boolean(record.best).close('}');
  });
  json.close('}');
}

void write_evaluation(JsonText& json, const PageData& page, const Table& table) {
  json.key("evaluation");
  if (!page.scores || !any_known(table)) {
    json.null();
    return;
  }
  const Scores scores =
      all_scores(table.task, static_cast<int>(table.outputs), table.mean, table.targets, page.graphs.size());
  json.open('{').key("scores").open('{');
  for (const Metric metric : metrics_for(table.task)) {
    json.key(metric_name(metric)).number(score_named(scores, metric_name(metric)));
  }
  json.close('}');
  json.key("confusion");
  if (table.task == Task::kClassification) {
    json.list(confusion_matrix(table.answers()), [&](const std::vector<std::uint64_t>& row) {
      json.list(row, [&](std::uint64_t count) { json.integer(count); });
    });
  } else {
    json.null();
  }
  json.key("calibration");
  if (table.task == Task::kRegression) {
    json.null();
  } else {
    json.list(calibration_bins(table.answers()), [&](const CalibrationBin& bin) {
      json.open('{').key("confidence").number(bin.confidence).key("accuracy").number(bin.accuracy);
      json.key("count").integer(bin.count).close('}');
    });
  }
  // Beside the score that the page shows them next to: the one that chose the model, or the first.
  std::string metric = page.training.metric;
  if (std::isnan(score_named(scores, metric))) metric = metric_name(metrics_for(table.task).front());
  json.key("baselines").open('{');
  for (const PageBaseline& baseline : page.baselines) {
    json.key(baseline.name).number(score_named(baseline.scores, metric));
  }
  json.close('}').close('}');
}

bool finite_row(const Table& table, std::size_t i) {
  const auto finite = [&](const std::vector<double>& values) {
    const auto row = std::span(values).subspan(i * table.outputs, table.outputs);
    return std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); });
  };
  return finite(table.mean) && finite(table.walk_spread);
}

void write_numbers(JsonText& json, std::span<const double> values) {
  // The page draws no number that is not one; such a row is marked as not finite, and the scores are missing.
  json.list(values, [&](double value) { json.number(std::isfinite(value) ? value : 0); });
}

std::string id_of(const Dataset& data, std::size_t graph) {
  const std::string_view id = data.graphs.id(graph);
  if (!id.empty()) return std::string(id);
  return fmt::format("{}", data.rows.empty() ? graph : data.rows[graph]);
}

// An undirected edge counts once, a self loop too.
std::uint64_t edges_of(const GraphView& graph, const Explanation* explanation) {
  if (explanation != nullptr) return explanation->num_edges;
  constexpr std::uint64_t kMostScanned = 1 << 20;  // entries; of larger graphs, half of them is close enough
  if (graph.num_edges() > kMostScanned) return (graph.num_edges() + 1) / 2;
  std::uint64_t ordered = 0, loops = 0;
  for (std::uint64_t node = 0; node < graph.num_nodes; ++node) {
    for (auto [e, last] = graph.entries_of(node); e < last; ++e) {
      const std::uint64_t to = graph.neighbour(e);
      ordered += to > node ? 1 : 0;
      loops += to == node ? 1 : 0;
    }
  }
  const std::uint64_t backwards = graph.num_edges() - ordered - loops;
  return loops + (ordered == backwards ? ordered : graph.num_edges() - loops);
}

struct RecordedWalks {
  std::vector<std::string> details;
  std::map<std::size_t, std::size_t> of_row;  // the row's place among them
  std::map<std::size_t, const Explanation*> explanations;
};

RecordedWalks walks_of(const PageData& page) {
  RecordedWalks walks;
  const Spelling spelling(page.data->schema, page.names);
  std::uint64_t room = page.most_walk_bytes;
  for (std::size_t i = 0; i < page.explanations.size(); ++i) {
    const std::size_t row = page.explained.empty() ? i : page.explained[i];
    const Explanation& found = page.explanations[i];
    walks.explanations.emplace(row, &found);
    const std::size_t graph = page.graphs[row];
    const DetailSource source = {row, &found, page.data->graphs.view(graph), page.data->graphs.notes(graph), &spelling};
    std::string detail = detail_json(source, found.walks.size());
    if (detail.size() > room) detail = detail_json(source, 1);
    if (detail.size() > room) continue;
    room -= detail.size();
    if (walks.of_row.emplace(row, walks.details.size()).second) walks.details.push_back(std::move(detail));
  }
  return walks;
}

void write_rows(JsonText& json, const PageData& page, const Table& table, const RecordedWalks& walks) {
  const auto smiles = page.data->columns.find(kSmilesColumn);
  json.key("graphs").open('[');
  for (std::size_t i = 0; i < page.graphs.size(); ++i) {
    const std::size_t graph = page.graphs[i];
    const GraphView view = page.data->graphs.view(graph);
    json.open('{').key("id").string(id_of(*page.data, graph));
    if (smiles != page.data->columns.end()) json.key("smiles").string(smiles->second[graph]);
    json.key("target").open('[');
    for (std::size_t t = 0; t < table.target_width; ++t) {
      json.number(table.targets.empty() ? std::numeric_limits<double>::quiet_NaN()
                                        : table.targets[i * table.target_width + t]);
    }
    json.close(']');
    write_numbers(json.key("mean"), std::span(table.mean).subspan(i * table.outputs, table.outputs));
    write_numbers(json.key("walk_spread"), std::span(table.walk_spread).subspan(i * table.outputs, table.outputs));
    const auto explanation = walks.explanations.find(i);
    json.key("nodes")
        .integer(view.num_nodes)
        .key("edges")
        .integer(edges_of(view, explanation == walks.explanations.end() ? nullptr : explanation->second));
    if (!finite_row(table, i)) json.key("finite").boolean(false);
    const auto detail = walks.of_row.find(i);
    if (detail == walks.of_row.end()) {
      json.key("detail").null();
    } else {
      json.key("detail").integer(detail->second);
    }
    json.close('}');
  }
  json.close(']');
}

}  // namespace

bool has_viewer() { return !viewer_page().empty(); }

void require_viewer() {
  if (has_viewer()) return;
  throw Error(ErrorKind::kFailure, "this build has no viewer: it was made with AGENTNET_WEB=OFF",
              "build agentnet with -DAGENTNET_WEB=ON, which takes npm");
}

std::string page_json(const PageData& page, std::size_t* walks) {
  check(page);
  const Table table = table_of(page);
  const RecordedWalks recorded = walks_of(page);
  JsonText json;
  json.open('{').key("version").integer(1);
  json.key("title").string(page.title).key("created").string(page.created);
  write_model(json, page);
  json.key("task").string(task_name(table.task));
  json.key("outputs").list(output_names(*page.model), [&](const std::string& name) { json.string(name); });
  write_training(json, page.training);
  write_evaluation(json, page, table);
  write_rows(json, page, table, recorded);
  json.key("details").list(recorded.details, [&](const std::string& detail) { json.raw(detail); });
  json.close('}');
  if (walks != nullptr) *walks = recorded.details.size();
  return json.take();
}

std::string_view empty_page() {
  require_viewer();
  return viewer_page();
}

std::string page_with(std::string_view json) {
  const std::string_view page = empty_page();
  const std::size_t at = page.find(kToken);
  if (at == std::string_view::npos) {
    throw Error(ErrorKind::kFailure, "the viewer's page of this build has no place for data", "build agentnet again");
  }
  std::string html;
  html.reserve(page.size() + json.size());
  html.append(page.substr(0, at)).append(json).append(page.substr(at + kToken.size()));
  return html;
}

std::string page_html(const PageData& page, std::size_t* walks) {
  require_viewer();  // before the work
  return page_with(page_json(page, walks));
}

}  // namespace agentnet
