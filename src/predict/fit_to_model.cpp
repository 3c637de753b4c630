// Columns, categories and targets of new data, as a model knows them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "agentnet/error.h"
#include "agentnet/predict.h"
#include "core/text.h"
#include "data/io/lines.h"
#include "data/io/name_index.h"
#include "data/tables/vocabulary.h"
#include "data/tables/wrong_values.h"
#include "graph/set_arrays.h"
#include "predict/reading.h"

namespace agentnet {
namespace {

constexpr std::size_t kMostNamed = 12;  // columns or classes in a message

std::string some_of(std::vector<std::string> texts) {
  if (texts.empty()) return "none";
  const std::size_t all = texts.size();
  if (all > kMostNamed) {
    texts.resize(kMostNamed);
    texts.push_back(fmt::format("and {} more", all - kMostNamed));
  }
  return join_text(texts, ", ");
}

std::string quoted_names(const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(in_quotes(name));
  return some_of(std::move(texts));
}

std::vector<std::string> names_of(const FeatureSchema& schema) {
  std::vector<std::string> names;
  for (const CategoryColumn& column : schema.categories) names.push_back(column.name);
  names.insert(names.end(), schema.dense.begin(), schema.dense.end());
  return names;
}

std::string columns_text(const FeatureSchema& schema) {
  std::vector<std::string> texts;
  for (const CategoryColumn& column : schema.categories) texts.push_back(in_quotes(column.name) + " (categories)");
  for (const std::string& name : schema.dense) texts.push_back(in_quotes(name) + " (numbers)");
  return some_of(std::move(texts));
}

std::vector<std::string> without(std::vector<std::string> names, const std::vector<std::string>& others) {
  const NameIndex known(others);
  std::erase_if(names, [&](const std::string& name) { return known.contains(name); });
  return names;
}

std::string hint_for(const std::vector<std::string>& missing, const std::vector<std::string>& extra) {
  const bool bare = extra == std::vector<std::string>{"constant"};  // which nodes without features get
  const std::string only = missing.size() == 1 && (extra.empty() || bare) ? missing[0] : "";
  if (only == "degree" || only == "constant") return fmt::format("--{} adds the column {}", only, in_quotes(only));
  if (only == "distance") return "--distances adds the column 'distance'";
  if (missing.empty() || missing == std::vector<std::string>{"constant"}) {
    return "leave out the columns that the model was not trained on";
  }
  return "give the data the columns that the model was trained on; agentnet info MODEL lists them";
}

// "the model's node column 'label' is taken from 'tag', by its place".
std::string by_place(const char* owner, const std::vector<std::string>& model, const std::vector<std::string>& data) {
  const bool one = model.size() == 1;
  return fmt::format("the model's {} {} {} {} taken from {}, by {}", owner, one ? "column" : "columns",
                     quoted_names(model), one ? "is" : "are", quoted_names(data), one ? "its place" : "their places");
}

// Columns belong together by their names, or, as other formats give other names, by their places, which is told.
void check_columns(const FeatureSchema& data, const FeatureSchema& model, const char* owner,
                   std::vector<std::string>& told) {
  const std::vector<std::string> missing = without(names_of(model), names_of(data));
  const std::vector<std::string> extra = without(names_of(data), names_of(model));
  if (missing.empty() && extra.empty()) return;
  if (may_match_by_place(data, model)) {
    told.push_back(by_place(owner, missing, extra));
    return;
  }
  std::string difference;  // where the two lists do not show it: some columns are the same
  if (missing.size() < names_of(model).size() && extra.size() < names_of(data).size()) {
    if (!missing.empty()) difference += fmt::format("; missing: {}", quoted_names(missing));
    if (!extra.empty()) difference += fmt::format("; too much: {}", quoted_names(extra));
  }
  throw Error(ErrorKind::kMismatch,
              fmt::format("the model was trained on the {} columns {}; the data has {}{}", owner, columns_text(model),
                          columns_text(data), difference),
              hint_for(missing, extra));
}

// The data's columns for the model's targets.
std::vector<std::size_t> columns_of_targets(const Schema& data, const Schema& model, std::vector<std::string>& told) {
  std::vector<std::size_t> chosen;
  const NameIndex places(data.targets);
  for (const std::string& name : model.targets) {
    if (const auto found = places.find(name)) chosen.push_back(*found);
  }
  if (chosen.size() == model.targets.size()) return chosen;
  if (chosen.empty() && data.targets.size() == model.targets.size()) {  // other names: by their places
    for (std::size_t c = 0; c < data.targets.size(); ++c) chosen.push_back(c);
    told.push_back(by_place("target", model.targets, data.targets));
    return chosen;
  }
  throw Error(ErrorKind::kMismatch,
              fmt::format("the model was trained to predict {}; the data has the targets {}",
                          quoted_names(model.targets), quoted_names(data.targets)),
              "name the columns that hold the true values with --target");
}

// A value of the data's targets as text or number, whatever task it seemed to be: few whole numbers look like classes.
class TargetValues {
 public:
  explicit TargetValues(const Dataset& data) : data_(data) {}

  [[nodiscard]] std::string spelling(std::size_t graph, double value) const {
    return is_class() ? data_.schema.classes[class_of_target(data_, graph, value)] : fmt::format("{}", value);
  }
  [[nodiscard]] double number(std::size_t graph, double value, const std::string& target) const {
    if (!is_class()) return value;
    const std::string text = spelling(graph, value);
    if (const auto number = to_number(text)) return *number;
    throw Error(
        ErrorKind::kMismatch,
        fmt::format("the model predicts numbers, but target {} has the value {}", in_quotes(target), in_quotes(text)),
        "name the columns that hold the true values with --target");
  }

 private:
  [[nodiscard]] bool is_class() const { return data_.schema.task == Task::kClassification; }
  const Dataset& data_;
};

[[noreturn]] void unknown_class(const Schema& data, const Schema& model, const std::string& name) {
  const bool classes = data.task == Task::kClassification;
  throw Error(ErrorKind::kMismatch,
              fmt::format("the model tells the classes {} apart; the data has {} {}", quoted_names(model.classes),
                          classes ? "the class" : "numbers, such as", in_quotes(name)),
              classes ? "leave the graphs of other classes out, or train a model that knows them"
                      : "name the column that holds the classes with --target");
}

void fit_targets(Dataset& data, const Schema& model, std::vector<std::string>& told) {
  if (data.schema.targets.empty()) {
    throw Error(ErrorKind::kMismatch,
                fmt::format("{} has no targets to compare with; the model predicts {}", data.source,
                            quoted_names(model.targets)),
                "name the columns that hold the true values with --target");
  }
  const std::vector<std::size_t> columns = columns_of_targets(data.schema, model, told);
  const TargetValues read(data);
  std::map<std::string, double> number_of_class;
  for (const std::string& name : model.classes) {
    number_of_class.emplace(name, static_cast<double>(number_of_class.size()));
  }
  std::vector<double> values;
  values.reserve(data.graphs.size() * columns.size());
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    for (std::size_t t = 0; t < columns.size(); ++t) {
      const double value = data.graphs.targets(g)[columns[t]];
      if (std::isnan(value)) {
        values.push_back(value);
      } else if (model.task == Task::kClassification) {
        const std::string name = read.spelling(g, value);
        const auto found = number_of_class.find(name);
        if (found == number_of_class.end()) unknown_class(data.schema, model, name);
        values.push_back(found->second);
      } else {
        const double number = read.number(g, value, model.targets[t]);
        if (model.task == Task::kMultilabel && number != 0 && number != 1) {
          throw Error(ErrorKind::kMismatch,
                      fmt::format("the model answers yes/no questions, but target {} has the value {}",
                                  in_quotes(model.targets[t]), number),
                      "answers are 0, 1 or blank; name the columns that hold them with --target");
        }
        values.push_back(number);
      }
    }
  }
  data.schema.task = model.task;
  data.schema.targets = model.targets;
  data.schema.classes = model.classes;
  data.graphs.arrays().targets = std::move(values);
  data.graphs.arrays().num_targets = static_cast<int>(columns.size());
}

// What the model calls each value of a column of the data.
std::vector<std::int32_t> numbers_for(const CategoryColumn& data, const CategoryColumn& model) {
  std::map<std::string_view, std::int32_t> known;
  for (const std::string& value : model.values) known.emplace(value, static_cast<std::int32_t>(known.size()));
  std::vector<std::int32_t> numbers;
  for (const std::string& value : data.values) {
    const auto found = known.find(value);
    numbers.push_back(found != known.end() ? found->second : static_cast<std::int32_t>(model.values.size()));
  }
  return numbers;
}

// A huge mapped set whose categories only have other numbers is left in its file, and the numbers are looked up as they
// are read. Values that the model does not know are then not counted. Returns whether it could.
bool renumber_in_place(Dataset& data, const Schema& model) {
  constexpr std::size_t kHuge = std::size_t{1} << 24;  // values; fewer are rewritten in memory
  SetArrays& set = data.graphs.arrays();
  if (set.mapping == nullptr || set.node_categories.size() + set.edge_categories.size() < kHuge) return false;
  const auto same_columns = [](const FeatureSchema& a, const FeatureSchema& b) {
    return a.dense == b.dense && a.categories.size() == b.categories.size() &&
           std::equal(a.categories.begin(), a.categories.end(), b.categories.begin(),
                      [](const CategoryColumn& x, const CategoryColumn& y) { return x.name == y.name; });
  };
  if (!same_columns(data.schema.nodes, model.nodes) || !same_columns(data.schema.edges, model.edges)) return false;
  const auto renumber = [&](FeatureSchema& own, const FeatureSchema& wanted, std::vector<Renumbering>& columns) {
    for (std::size_t c = 0; c < own.categories.size(); ++c) {
      columns.push_back({set.model_numbers.emplace_back(numbers_for(own.categories[c], wanted.categories[c]))});
    }
    own = wanted;
  };
  set.model_numbers.reserve(model.nodes.categories.size() + model.edges.categories.size());
  renumber(data.schema.nodes, model.nodes, set.node_renumbering);
  renumber(data.schema.edges, model.edges, set.edge_renumbering);
  return true;
}

UnseenValues fit(Dataset& data, const Schema& schema, bool with_targets) {
  const bool has_edges = data.graphs.arrays().num_edges() > 0;
  UnseenValues unseen;
  std::vector<std::string> told;
  check_columns(data.schema.nodes, schema.nodes, "node", told);
  if (has_edges) check_columns(data.schema.edges, schema.edges, "edge", told);
  if (with_targets) fit_targets(data, schema, told);
  // A mapped set that has the model's own vocabulary stays in its file.
  const bool fits = data.schema.nodes == schema.nodes && data.schema.edges == schema.edges;
  if (!fits && !renumber_in_place(data, schema)) unseen = apply_vocabulary(data, schema);
  unseen.by_place = std::move(told);
  return unseen;
}

}  // namespace

UnseenValues fit_to_model(Dataset& data, const Model& model, bool with_targets) {
  return fit(data, schema_of(model), with_targets);
}

UnseenValues fit_to_schema(Dataset& data, const Schema& schema) { return fit(data, schema, /*with_targets=*/false); }

}  // namespace agentnet
