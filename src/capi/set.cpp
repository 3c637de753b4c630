// Sets of graphs in the C API.
#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "capi/from_arrays.h"
#include "capi/guard.h"
#include "capi/handles.h"
#include "core/text.h"
#include "data/formats/formats.h"
#include "data/io/input.h"
#include "data/tables/features.h"
#include "data/tables/schema_json.h"
#include "graph/append_graph.h"
#include "predict/reading.h"

namespace agentnet::capi {

Dataset borrowed_from(const std::shared_ptr<const Dataset>& base) {
  Dataset data;
  data.source = base->source;
  data.format = base->format;
  data.schema = base->schema;
  data.rows = base->rows;
  data.bad_rows = base->bad_rows;
  data.official = base->official;
  data.columns = base->columns;
  data.unused_columns = base->unused_columns;
  data.notes = base->notes;
  const SetArrays& from = base->graphs.arrays();
  SetArrays& to = data.graphs.arrays();
  to.node_dense_width = from.node_dense_width;
  to.node_category_width = from.node_category_width;
  to.edge_dense_width = from.edge_dense_width;
  to.edge_category_width = from.edge_category_width;
  to.num_targets = from.num_targets;
  const auto lend = [&](auto SetArrays::*... member) {
    ((to.*member = std::remove_reference_t<decltype(to.*member)>::borrowed((from.*member).all())), ...);
  };
  lend(&SetArrays::first_node, &SetArrays::first_edge, &SetArrays::offsets, &SetArrays::neighbours,
       &SetArrays::wide_neighbours, &SetArrays::first_row, &SetArrays::edge_rows, &SetArrays::node_dense,
       &SetArrays::node_row, &SetArrays::node_categories, &SetArrays::edge_dense, &SetArrays::edge_categories,
       &SetArrays::targets, &SetArrays::first_id, &SetArrays::id_text, &SetArrays::positions, &SetArrays::marks,
       &SetArrays::labels, &SetArrays::first_hub, &SetArrays::hubs, &SetArrays::hub_entries, &SetArrays::hub_neighbours,
       &SetArrays::wide_hub_neighbours, &SetArrays::hub_labels);
  // The spans of the renumberings lie in the base, which stays.
  to.node_renumbering = from.node_renumbering;
  to.edge_renumbering = from.edge_renumbering;
  to.mapping = from.mapping;
  to.file = base;
  return data;
}

namespace {

DataOptions reading_from(const char* json, int threads) {
  Json options = options_object(json, "data options");
  DataOptions reading;
  reading.threads = threads;
  reading.keep = option_or(options, "keep", std::vector<std::string>{});
  reading.official = option_or(options, "official", false);
  options.erase("keep");
  options.erase("official");
  apply_json(reading, options.dump());
  return reading;
}

Dataset joined(const std::shared_ptr<const Dataset>& first, const std::shared_ptr<const Dataset>& second) {
  Dataset other = borrowed_from(second);
  static_cast<void>(fit_to_schema(other, first->schema));
  Dataset all;
  all.source = first->source;
  all.format = first->format;
  all.schema = first->schema;
  all.schema.task = Task::kNone;
  all.schema.targets.clear();
  all.schema.classes.clear();
  SetArrays& arrays = all.graphs.arrays();
  for (const GraphSet* graphs : {&first->graphs, &std::as_const(other.graphs)}) {
    for (std::size_t g = 0; g < graphs->size(); ++g) {
      append_graph(arrays, graphs->view(g), {}, graphs->id(g), {});
    }
  }
  arrays.edge_dense_width = static_cast<int>(all.schema.edges.dense.size());
  arrays.edge_category_width = static_cast<int>(all.schema.edges.categories.size());
  return all;
}

Dataset subset_of(const Dataset& data, std::span<const std::size_t> graphs) {
  Dataset part;
  part.source = data.source;
  part.format = data.format;
  part.schema = data.schema;
  part.notes = data.notes;
  part.graphs = data.graphs.subset(graphs);
  SetArrays& arrays = part.graphs.arrays();
  arrays.edge_dense_width = data.graphs.arrays().edge_dense_width;
  arrays.edge_category_width = data.graphs.arrays().edge_category_width;
  for (const std::size_t g : graphs) part.rows.push_back(data.rows.empty() ? g : data.rows[g]);
  for (const auto& [name, values] : data.columns) {
    std::vector<std::string>& chosen = part.columns[name];
    for (const std::size_t g : graphs) chosen.push_back(values[g]);
  }
  return part;
}

// What the numbers of a caller's targets may be.
void check_target(const Schema& schema, double value, std::size_t graph, std::size_t column) {
  if (std::isnan(value)) return;
  const auto refuse = [&](const char* what, const char* hint) {
    throw Error(ErrorKind::kData,
                fmt::format("graph {}: target {} is {}, {}", graph, in_quotes(schema.targets[column]), value, what),
                hint);
  };
  if (schema.task == Task::kClassification) {
    const auto classes = static_cast<double>(schema.classes.size());
    if (value < 0 || value >= classes || value != std::floor(value)) {
      refuse("which is the number of no class", "a class is its place in the list of classes, from 0");
    }
  } else if (schema.task == Task::kMultilabel) {
    if (value != 0 && value != 1) refuse("which is neither yes nor no", "answers are 0, 1 or NaN");
  } else if (std::isinf(value)) {
    refuse("which is not finite", "replace infinite values");
  }
}

Dataset with_targets(const std::shared_ptr<const Dataset>& base, const char* text, const double* values) {
  const Json json = options_object(text, "schema");
  Dataset data = borrowed_from(base);
  Schema& schema = data.schema;
  schema.task = task_from_name(option_or(json, "task", std::string("none")));
  schema.targets = option_or(json, "targets", std::vector<std::string>{});
  schema.classes = option_or(json, "classes", std::vector<std::string>{});
  const bool classes = schema.task == Task::kClassification;
  if (schema.task == Task::kNone || schema.targets.empty() || (classes && schema.targets.size() != 1) ||
      (classes && schema.classes.empty())) {
    throw Error(ErrorKind::kUsage, "the schema of the targets says too little",
                R"(it looks like {"task": "classification", "targets": ["active"], "classes": ["no", "yes"]})");
  }
  const std::size_t columns = schema.targets.size();
  std::vector<double> targets(values, values + data.graphs.size() * columns);
  for (std::size_t i = 0; i < targets.size(); ++i) check_target(schema, targets[i], i / columns, i % columns);
  data.graphs.arrays().targets = std::move(targets);
  data.graphs.arrays().num_targets = static_cast<int>(columns);
  return data;
}

Json parts_json(const Split& split) { return {{"train", split.train}, {"valid", split.valid}, {"test", split.test}}; }

Json info_of(const agentnet_set& set) {
  const Dataset& data = *set.data;
  const SetArrays& arrays = data.graphs.arrays();
  Json info = {{"source", data.source},
               {"format", data.format},
               {"graphs", data.graphs.size()},
               {"nodes", arrays.num_nodes()},
               {"edges", arrays.num_edges()},
               {"schema", parse_json(schema_to_json(data.schema), "schema")},
               {"reading", parse_json(to_json(set.reading), "data options")}};
  info["bad_rows"] = Json::array();
  for (const BadRow& bad : data.bad_rows) {
    info["bad_rows"].push_back({{"row", bad.row}, {"id", bad.id}, {"where", bad.where}, {"message", bad.message}});
  }
  info["rows"] = data.rows;
  info["columns"] = data.columns;
  info["unused_columns"] = data.unused_columns;
  info["notes"] = data.notes;
  info["official"] = data.official ? parts_json(*data.official) : Json(nullptr);
  return info;
}

agentnet_set_view view_of(const Dataset& data) {
  const SetArrays& a = data.graphs.arrays();
  if (!a.wide_neighbours.empty() || !a.node_row.empty() || !a.node_renumbering.empty() || !a.edge_renumbering.empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("the arrays of {} are only for the engine", data.source),
                "huge mapped sets are not handed out; convert a part of it");
  }
  const auto pointer = [](const auto& array) { return array.empty() ? nullptr : array.data(); };
  agentnet_set_view view = {};
  view.size = sizeof(view);
  view.graphs = data.graphs.size();
  view.nodes = a.num_nodes();
  view.edges = a.num_edges();
  view.edge_rows = a.num_rows();
  view.first_node = a.first_node.data();
  view.first_edge = a.first_edge.data();
  view.offsets = a.offsets.data();
  view.neighbours = pointer(a.neighbours);
  view.first_row = pointer(a.first_row);
  view.rows = pointer(a.edge_rows);
  view.node_dense_columns = a.node_dense_width;
  view.node_category_columns = a.node_category_width;
  view.edge_dense_columns = a.edge_dense_width;
  view.edge_category_columns = a.edge_category_width;
  view.target_columns = a.num_targets;
  view.node_dense = pointer(a.node_dense);
  view.node_categories = pointer(a.node_categories);
  view.edge_dense = pointer(a.edge_dense);
  view.edge_categories = pointer(a.edge_categories);
  view.targets = pointer(a.targets);
  view.id_offsets = pointer(a.first_id);
  view.id_text = pointer(a.id_text);
  view.positions = pointer(a.positions);
  view.marks = pointer(a.marks);
  return view;
}

// What a caller has lent, given back with the last set that needs it. Nothing is given back if no set was made.
class Loan {
 public:
  Loan(void (*release)(void*), void* owner) : release_(release), owner_(owner) {}
  ~Loan() {
    if (taken_ && release_ != nullptr) release_(owner_);
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  void take() { taken_ = true; }

 private:
  void (*release_)(void*);
  void* owner_;
  bool taken_ = false;
};

// Returns the options that it was asked for: a model that learns from the set keeps them.
DataOptions compute_features(Dataset& data, const char* text) {
  constexpr std::string_view kAllowed[] = {"degree", "constant", "distances"};
  const Json json = options_object(text, "options");
  const std::vector<std::string> names(std::begin(kAllowed), std::end(kAllowed));
  check_names(json, names, "options");
  DataOptions options;
  apply_json(options, json.dump());
  add_features(data, options);
  return options;
}

}  // namespace
}  // namespace agentnet::capi

using namespace agentnet;        // NOLINT: these functions stand outside of namespaces
using namespace agentnet::capi;  // NOLINT

int agentnet_set_from_arrays(const agentnet_arrays* arrays, const char* schema, const char* options,
                             void (*release)(void* owner), void* owner, agentnet_set** set, agentnet_error** error) {
  return guarded(error, [&] {
    const agentnet_arrays given =
        known(required(arrays, "arrays"), "agentnet_arrays", offsetof(agentnet_arrays, id_offsets));
    auto& out = required(set, "set");
    const auto loan = std::make_shared<Loan>(release, owner);
    Dataset data = dataset_from_arrays(given, schema, loan);
    DataOptions reading = compute_features(data, options);
    out = new_set(std::move(data), std::move(reading));
    loan->take();
  });
}

int agentnet_set_read(const char* source, const char* options, const agentnet_control* control, agentnet_set** set,
                      agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    DataOptions reading = reading_from(options, caller.threads());
    auto& out = required(set, "set");
    Dataset data = read_data(&required(source, "source"), reading);
    out = new_set(std::move(data), std::move(reading));
  });
}

int agentnet_set_read_text(const char* name, const char* text, size_t length, const char* options,
                           const agentnet_control* control, agentnet_set** set, agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    DataOptions reading = reading_from(options, caller.threads());
    auto& out = required(set, "set");
    const Input input = Input::from_text(&required(name, "name"), std::string(&required(text, "text"), length));
    Dataset data = format_for(input, reading).read(input, reading);
    require_kept_columns(data, reading);
    out = new_set(std::move(data), std::move(reading));
  });
}

int agentnet_set_read_for_model(const agentnet_model* model, const char* source, const char* options,
                                const agentnet_control* control, agentnet_set** set, agentnet_error** error) {
  return guarded(error, [&] {
    const Caller caller(control);
    const DataOptions asked = reading_from(options, caller.threads());
    auto& out = required(set, "set");
    const Model& known_model = required(model, "model").model;
    Dataset data = read_for_model(known_model, &required(source, "source"), asked);
    out = new_set(std::move(data), reading_options(known_model, asked));
  });
}

int agentnet_set_subset(const agentnet_set* set, const uint64_t* graphs, uint64_t count, agentnet_set** subset,
                        agentnet_error** error) {
  return guarded(error, [&] {
    const agentnet_set& whole = required(set, "set");
    auto& out = required(subset, "subset");
    if (count > 0) static_cast<void>(required(graphs, "graphs"));
    if (count == 0) throw Error(ErrorKind::kUsage, "no graph is named", "a set has at least one graph");
    out = new_set(subset_of(*whole.data, graph_numbers(graphs, count, whole.data->graphs.size())), whole.reading);
  });
}

int agentnet_set_join(const agentnet_set* first, const agentnet_set* second, agentnet_set** result,
                      agentnet_error** error) {
  return guarded(error, [&] {
    const agentnet_set& one = required(first, "first");
    const agentnet_set& other = required(second, "second");
    required(result, "joined") = new_set(joined(one.data, other.data), one.reading);
  });
}

int agentnet_set_with_targets(const agentnet_set* set, const char* schema, const double* targets,
                              agentnet_set** labelled, agentnet_error** error) {
  return guarded(error, [&] {
    const agentnet_set& bare = required(set, "set");
    auto& out = required(labelled, "labelled");
    out = new_set(with_targets(bare.data, &required(schema, "schema"), &required(targets, "targets")), bare.reading);
  });
}

int agentnet_set_fit(const agentnet_set* set, const agentnet_model* model, agentnet_set** fitted, char** unseen,
                     agentnet_error** error) {
  return guarded(error, [&] {
    const agentnet_set& own = required(set, "set");
    auto& out = required(fitted, "fitted");
    Dataset data = borrowed_from(own.data);
    const UnseenValues values = fit_to_model(data, required(model, "model").model);
    const Json counts = {
        {"nodes", values.nodes}, {"edges", values.edges}, {"by_value", values.by_value}, {"by_place", values.by_place}};
    char* const text = unseen != nullptr ? new_text(counts.dump()) : nullptr;
    out = new_set(std::move(data), own.reading);
    if (unseen != nullptr) *unseen = text;
  });
}

void agentnet_set_free(agentnet_set* set) { delete set; }

uint64_t agentnet_set_size(const agentnet_set* set) { return set != nullptr ? set->data->graphs.size() : 0; }

int agentnet_set_info(const agentnet_set* set, char** json, agentnet_error** error) {
  return guarded(error, [&] {
    const Json info = info_of(required(set, "set"));
    required(json, "json") = new_text(info.dump(-1, ' ', false, Json::error_handler_t::replace));
  });
}

int agentnet_set_split(const agentnet_set* set, const char* spec, uint64_t seed, char** json, agentnet_error** error) {
  return guarded(error, [&] {
    const Dataset& data = *required(set, "set").data;
    Json splits = Json::array();
    for (const Split& split : make_splits(data, &required(spec, "spec"), seed)) splits.push_back(parts_json(split));
    required(json, "json") = new_text(Json{{"splits", std::move(splits)}}.dump());
  });
}

int agentnet_set_write(const agentnet_set* set, const char* path, const char* format, int32_t replace,
                       agentnet_error** error) {
  return guarded(error, [&] {
    static_cast<void>(
        write_data(*required(set, "set").data, &required(path, "path"), format != nullptr ? format : "", replace != 0));
  });
}

int agentnet_set_arrays(const agentnet_set* set, agentnet_set_view* view, agentnet_error** error) {
  return guarded(error, [&] {
    agentnet_set_view& out = required(view, "view");
    if (out.size < sizeof(std::size_t) || out.size > 4096) refuse_size("agentnet_set_view", out.size);
    const std::size_t size = std::min(out.size, sizeof(agentnet_set_view));
    agentnet_set_view all = view_of(*required(set, "set").data);
    all.size = out.size;
    std::memcpy(&out, &all, size);
  });
}
