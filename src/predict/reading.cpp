#include "predict/reading.h"

#include <fmt/core.h>

#include <algorithm>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/formats/formats.h"
#include "data/formats/smiles_table.h"
#include "data/huge/mapped_set.h"
#include "data/io/name_index.h"
#include "data/io/read_in_parts.h"
#include "data/syntax/csv.h"
#include "data/tables/columns.h"
#include "data/tables/options_json.h"
#include "data/tables/schema_json.h"
#include "data/tables/vocabulary.h"

namespace agentnet {
namespace {

// Columns that are computed, not read, have these names (data/features.h).
constexpr std::string_view kDegree = "degree", kConstant = "constant", kDistance = "distance";

// How to read numbers so that they become what the model has: of one kind if all its columns are. A small file would
// otherwise look different from the training file, whose numbers had more values.
FeatureKind kind_of(const FeatureSchema& schema) {
  const auto read = [](std::string_view name) { return !is_computed_column(name); };
  const bool dense = std::any_of(schema.dense.begin(), schema.dense.end(), read);
  const bool categories = std::any_of(schema.categories.begin(), schema.categories.end(),
                                      [&](const CategoryColumn& column) { return read(column.name); });
  if (dense == categories) return FeatureKind::kAuto;
  return dense ? FeatureKind::kDense : FeatureKind::kCategories;
}

// `to` takes over what `from` says other than the default.
template <class T>
void take_over(T& to, const T& from, const T& usual) {
  if (from != usual) to = from;
}

bool has_category(const FeatureSchema& schema, std::string_view name) {
  return std::any_of(schema.categories.begin(), schema.categories.end(),
                     [&](const CategoryColumn& column) { return column.name == name; });
}

bool has_dense(const FeatureSchema& schema, std::string_view name) {
  return std::find(schema.dense.begin(), schema.dense.end(), name) != schema.dense.end();
}

// Whether the columns have all that was chosen, so that the choice can be made among them.
bool has_chosen(const FeatureSchema& schema, const std::vector<std::string>& chosen) {
  std::vector<std::string> names = schema.dense;
  for (const CategoryColumn& column : schema.categories) names.push_back(column.name);
  try {
    ColumnChoice(chosen).require(names, "", "");
    return true;
  } catch (const Error&) {
    return false;
  }
}

// What the card says of how the graphs are made comes too late for graphs that are.
void leave_out_making(const std::string& source, const DataOptions& asked, DataOptions& reading) {
  reading.format = asked.format;
  reading.direction = asked.direction;
  reading.node_features = asked.node_features;
  reading.edge_features = asked.edge_features;
  reading.id_column = asked.id_column;
  reading.smiles_column = asked.smiles_column;
  reading.max_atoms = asked.max_atoms;
  reading.bounds = asked.bounds;
  reading.largest_fragment = asked.largest_fragment;
  reading.targets = asked.targets;
  if (reading.task != Task::kNone) reading.task = asked.task;
  const bool columns = !reading.node_columns.empty() || !reading.edge_columns.empty();
  if (!reading.degree && !reading.constant && !reading.distances && !columns) return;
  DataOptions plain;
  plain.format = asked.format;
  plain.max_unpack_ratio = asked.max_unpack_ratio;
  plain.check_up_to = 0;  // only names are taken from it
  const Schema has = read_data(source, plain).schema;
  if (has_category(has.nodes, kDegree)) reading.degree = asked.degree;
  if (has_dense(has.nodes, kConstant)) reading.constant = asked.constant;
  if (has_dense(has.edges, kDistance)) reading.distances = asked.distances;
  // A set that was made with the same choice of columns has no others; one with other names is matched by place.
  if (!has_chosen(has.nodes, reading.node_columns)) reading.node_columns = asked.node_columns;
  if (!has_chosen(has.edges, reading.edge_columns)) reading.edge_columns = asked.edge_columns;
}

// What the card says of columns is what the training table had, not a demand: it holds where this table has them, too,
// and elsewhere the usual names do. What the user asks for is left to the reader, which insists on it.
class CardColumns {
 public:
  CardColumns(const DataOptions& asked, const DataOptions& reading)
      : id_(asked.id_column.empty() && !reading.id_column.empty()),
        smiles_(asked.smiles_column.empty() && !reading.smiles_column.empty()) {}

  [[nodiscard]] bool settled() const { return !id_ && !smiles_; }

  void settle(const Input& input, DataOptions& reading) const {
    if (settled()) return;
    const Format* const format =
        reading.format.empty() ? find_format(input, reading.smiles_column) : &format_by_name(reading.format);
    const std::string_view name = format != nullptr ? format->name : "";
    if (name == "csv") {
      if (const auto graphs = input.member_ending_in("graphs.csv")) settle_id(CsvReader(input, *graphs), reading);
    } else if (name == "smiles" || (name.empty() && may_be_table(input))) {
      const SmilesTable opened = open_smiles_table(input, "");
      settle_id(opened.table, reading);
      settle_smiles(opened, input.name(), reading);
    }
  }

 private:
  // Whether a file without any of the usual names for SMILES strings may yet be a table.
  static bool may_be_table(const Input& input) {
    try {
      return open_smiles_table(input, "").table.header().size() > 1;
    } catch (const Error&) {
      return false;  // whoever reads it says what is wrong with it
    }
  }
  void settle_id(const CsvReader& table, DataOptions& reading) const {
    if (id_ && !table.column({reading.id_column})) reading.id_column.clear();
  }
  void settle_smiles(const SmilesTable& opened, const std::string& source, DataOptions& reading) const {
    const CsvReader& table = opened.table;
    if (!smiles_ || table.column({reading.smiles_column})) return;
    if (!opened.smiles) {
      throw Error(ErrorKind::kMismatch,
                  fmt::format("the model was trained with SMILES from column {}, which {} lacks; its columns are {}",
                              in_quotes(reading.smiles_column), source, list_some(table.header())),
                  "name the column that has them with --smiles-column");
    }
    reading.smiles_column.clear();
  }

  bool id_, smiles_;  // whether the card alone names the column
};

// A table may have columns that the training table had not: the targets are the model's, by their names, unless the
// user names others.
void name_targets(const std::string& source, const Schema& schema, const DataOptions& asked, DataOptions& reading) {
  if (!asked.targets.empty() || format_of(source, reading) != "smiles") return;
  const Input input = open_source(source, unpack_limit(reading));
  const SmilesTable opened = open_smiles_table(input, reading.smiles_column);
  const CsvReader& table = opened.table;
  for (const std::string& name : schema.targets) {
    if (table.column({name})) continue;
    throw Error(ErrorKind::kMismatch,
                fmt::format("the model was trained to predict {}, but {} has no such column; columns are {}",
                            in_quotes(name), source, list_some(table.header())),
                "name the column that holds the true values with --target");
  }
  reading.targets = schema.targets;
}

bool can_be_read(const std::string& source, const DataOptions& options) {
  constexpr std::size_t kRows = 4096;  // in memory at a time
  try {
    read_in_parts(source, options, kRows, [](Dataset&&) {});
    return true;
  } catch (const Error&) {
    return false;
  }
}

// To be called where reading threw `error`. Words where the card asks for numbers are not malformed: model and data do
// not match if the user did not ask for numbers, and the data can be read without. That is a second reading, but of
// data that is refused anyway.
[[noreturn]] void refuse(const Error& error, const std::string& source, const DataOptions& asked,
                         const DataOptions& reading) {
  DataOptions plain = reading;
  bool numbers = false;  // whether the model alone asks for them
  const auto leave_out = [&](FeatureKind& kind, FeatureKind own) {
    if (kind != FeatureKind::kDense || own == FeatureKind::kDense) return;
    kind = own;
    numbers = true;
  };
  leave_out(plain.node_features, asked.node_features);
  leave_out(plain.edge_features, asked.edge_features);
  if (error.kind() == ErrorKind::kUsage &&
      (reading.node_columns != asked.node_columns || reading.edge_columns != asked.edge_columns)) {
    DataOptions all = reading;
    all.node_columns = asked.node_columns;
    all.edge_columns = asked.edge_columns;
    if (can_be_read(source, all)) {
      throw Error(ErrorKind::kMismatch,
                  fmt::format("the model was trained on chosen columns that the data lacks: {}", error.what()),
                  "give the data these columns, or name those that stand for them with --node-columns, --edge-columns");
    }
  }
  if (error.kind() == ErrorKind::kData && numbers && can_be_read(source, plain)) {
    throw Error(ErrorKind::kMismatch,
                fmt::format("the model was trained on numbers where the data has words: {}", error.what()),
                "give the data the columns that the model was trained on; agentnet info MODEL lists them");
  }
  throw;  // what is being handled
}

Dataset read_as_trained(const std::string& source, const DataOptions& asked, const DataOptions& reading) {
  try {
    return read_data(source, reading);
  } catch (const Error& error) {
    refuse(error, source, asked, reading);
  }
}

// Targets that only the card asks for, and a task that they cannot make, are a mismatch, not a mistake of the user.
Dataset read_with_targets(const Model& model, const std::string& source, const DataOptions& asked) {
  const DataOptions reading = reading_options_for(model, source, asked, WithTargets::kYes);
  try {
    return read_as_trained(source, asked, reading);
  } catch (const Error& error) {
    const bool may_be_targets = error.kind() == ErrorKind::kUsage && asked.targets.empty() && !asked.task;
    if (!may_be_targets || !can_be_read(source, reading_options_for(model, source, asked, WithTargets::kNo))) throw;
    throw Error(ErrorKind::kMismatch,
                fmt::format("the data does not have what the model was trained to predict: {}", error.what()),
                "name the columns that hold the true values with --target");
  }
}

std::vector<int> category_sizes(const FeatureSchema& schema) {
  std::vector<int> sizes;
  for (const CategoryColumn& column : schema.categories) sizes.push_back(static_cast<int>(column.values.size()) + 1);
  return sizes;
}

}  // namespace

DataShape shape_of(const Schema& schema) {
  DataShape shape;
  shape.node_features = static_cast<int>(schema.nodes.dense.size());
  shape.node_categories = category_sizes(schema.nodes);
  shape.edge_features = static_cast<int>(schema.edges.dense.size());
  shape.edge_categories = category_sizes(schema.edges);
  const std::size_t outputs =
      schema.task == Task::kClassification ? std::max<std::size_t>(2, schema.classes.size()) : schema.targets.size();
  shape.outputs = std::max(1, static_cast<int>(outputs));
  return shape;
}

Schema schema_of(const Model& model) {
  if (model.card().schema.empty()) {
    throw Error(ErrorKind::kMismatch, "the model file does not say which columns its training data had",
                "it was saved without a schema; models that agentnet train writes have one");
  }
  const char* const damaged = "save the model again";
  try {
    Schema schema = schema_from_json(model.card().schema, "model");
    if (shape_of(schema) == model.config().shape) return schema;
  } catch (const Error& error) {
    throw Error(ErrorKind::kData, error.what(), damaged);
  }
  throw Error(ErrorKind::kMismatch, "the model's schema has other columns or classes than its weights", damaged);
}

Task task_of(const Model& model) {
  const ModelCard& card = model.card();
  if (!card.task.empty()) return task_from_name(card.task);
  return card.schema.empty() ? Task::kNone : schema_of(model).task;
}

std::vector<std::string> output_names(const Model& model) {
  std::vector<std::string> names = model.card().label_names;
  if (!model.card().schema.empty()) {
    const Schema schema = schema_of(model);
    names = schema.task == Task::kClassification ? schema.classes : schema.targets;
  }
  while (names.size() < static_cast<std::size_t>(model.outputs())) {  // a training set of one class
    names.push_back(fmt::format("output{}", names.size()));
  }
  return names;
}

DataOptions reading_options(const Model& model, const DataOptions& options) {
  const DataOptions usual;
  DataOptions reading;
  if (!model.card().reading.empty()) {
    try {
      apply_json(reading, model.card().reading);
    } catch (const Error& error) {
      throw Error(ErrorKind::kData, fmt::format("model: how to read data is damaged: {}", error.what()),
                  "save the model again");
    }
  }
  const Schema schema = schema_of(model);
  if (reading.node_features == FeatureKind::kAuto) reading.node_features = kind_of(schema.nodes);
  if (reading.edge_features == FeatureKind::kAuto) reading.edge_features = kind_of(schema.edges);

  take_over(reading.format, options.format, usual.format);
  take_over(reading.task, options.task, usual.task);
  take_over(reading.targets, options.targets, usual.targets);
  take_over(reading.smiles_column, options.smiles_column, usual.smiles_column);
  take_over(reading.id_column, options.id_column, usual.id_column);
  take_over(reading.direction, options.direction, usual.direction);
  take_over(reading.node_features, options.node_features, usual.node_features);
  take_over(reading.edge_features, options.edge_features, usual.edge_features);
  take_over(reading.bounds, options.bounds, usual.bounds);
  take_over(reading.node_columns, options.node_columns, usual.node_columns);
  take_over(reading.edge_columns, options.edge_columns, usual.edge_columns);
  take_over(reading.largest_fragment, options.largest_fragment, usual.largest_fragment);
  take_over(reading.degree, options.degree, usual.degree);
  take_over(reading.constant, options.constant, usual.constant);
  take_over(reading.distances, options.distances, usual.distances);
  take_over(reading.max_atoms, options.max_atoms, usual.max_atoms);
  // How far to trust a file is nothing that a model, which may be a stranger's, has a say in.
  reading.max_unpack_ratio = options.max_unpack_ratio;
  reading.keep = options.keep;
  reading.official = options.official;
  reading.threads = options.threads;
  reading.check_up_to = options.check_up_to;
  if (reading.task == Task::kNone) reading.targets.clear();
  return reading;
}

DataOptions reading_options_for(const Model& model, const std::string& source, const DataOptions& options,
                                WithTargets targets) {
  DataOptions asked = options;
  if (targets == WithTargets::kNo) asked.task = Task::kNone;
  DataOptions reading = reading_options(model, asked);
  if (is_made_already(source)) {
    leave_out_making(source, asked, reading);
    return reading;
  }
  const CardColumns columns(asked, reading);
  if (!columns.settled()) columns.settle(open_source(source, unpack_limit(reading)), reading);
  if (targets == WithTargets::kYes) name_targets(source, schema_of(model), asked, reading);
  return reading;
}

void settle_columns(const Input& input, const DataOptions& asked, DataOptions& reading) {
  CardColumns(asked, reading).settle(input, reading);
}

std::uint64_t read_in_parts_for_model(const std::string& source, const DataOptions& asked, const DataOptions& reading,
                                      RowParts parts, const std::function<void(Dataset&&)>& take) {
  try {
    return read_in_parts(source, reading, parts, take);
  } catch (const Error& error) {
    refuse(error, source, asked, reading);
  }
}

Dataset read_for_model(const Model& model, const std::string& source, const DataOptions& options,
                       UnseenValues* unseen) {
  Dataset data = read_as_trained(source, options, reading_options_for(model, source, options, WithTargets::kNo));
  const UnseenValues found = fit_to_model(data, model);
  if (unseen != nullptr) *unseen = found;
  return data;
}

Dataset read_labelled(const Model& model, const std::string& source, const DataOptions& options, UnseenValues* unseen) {
  Dataset data = read_with_targets(model, source, options);
  const UnseenValues found = fit_to_model(data, model, /*with_targets=*/true);
  if (unseen != nullptr) *unseen = found;
  return data;
}

}  // namespace agentnet
