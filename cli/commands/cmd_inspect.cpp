// agentnet inspect DATA: what the program understood of a set of graphs, and what it suggests.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>

#include "agentnet/error.h"
#include "command_list.h"
#include "core/counted.h"
#include "core/json.h"
#include "core/print.h"
#include "core/text.h"
#include "data/huge/mapped_set.h"
#include "data/tables/statistics.h"
#include "graph/set_arrays.h"
#include "graph/set_file.h"
#include "nets/kinds.h"
#include "options/data_options.h"
#include "options/piped_data.h"
#include "options/split_options.h"
#include "run/advice.h"
#include "train/feature_scale.h"

namespace agentnet {
namespace {

struct InspectOptions {
  DataArguments data;
  SplitArguments split;
  bool json = false;
  bool no_estimate = false;
};

struct Findings {
  Dataset data;
  SetStatistics statistics;
  FeatureSummary features;
  std::vector<Split> splits;
  std::optional<Advice> advice;  // for sets with targets
  std::optional<double> step_seconds;
  int threads = 1;
  bool distances = false;
};

Json spread_json(const Spread& spread) {
  return {{"total", static_cast<std::uint64_t>(spread.total)},
          {"mean", spread.mean},
          {"min", static_cast<std::uint64_t>(spread.min)},
          {"max", static_cast<std::uint64_t>(spread.max)}};
}

// `numbers` is of the dense columns, or empty where there are no rows.
Json features_json(const FeatureSchema& schema, const std::vector<ColumnSummary>& numbers) {
  Json columns = Json::array();
  for (const CategoryColumn& column : schema.categories) {
    columns.push_back({{"name", column.name}, {"kind", "categories"}, {"values", column.values.size()}});
  }
  for (std::size_t c = 0; c < schema.dense.size(); ++c) {
    Json column = {{"name", schema.dense[c]}, {"kind", "dense"}};
    if (c < numbers.size()) {
      const ColumnSummary& n = numbers[c];
      column.update({{"mean", n.mean},
                     {"deviation", n.deviation},
                     {"min", n.least},
                     {"max", n.most},
                     {"centre", n.scale.centre},
                     {"spread", n.scale.spread}});
    }
    columns.push_back(column);
  }
  return columns;
}

Json targets_json(const Findings& found) {
  Json targets = Json::array();
  for (const TargetStatistics& target : found.statistics.targets) {
    Json column = {{"name", target.name}, {"blanks", target.blanks}};
    if (found.data.schema.task == Task::kMultilabel) column["positives"] = target.positives;
    if (found.data.schema.task == Task::kRegression) {
      column["mean"] = target.values.mean;
      column["deviation"] = target.deviation;
      column["min"] = target.values.min;
      column["max"] = target.values.max;
    }
    targets.push_back(column);
  }
  return targets;
}

// What was chosen of the network's options; the others have their defaults.
Json model_choices(const Advice& advice) {
  const Json options = parse_json(advice.model.options, "model options");
  Json chosen = Json::object();
  for (const Choice& choice : advice.reasons) {
    if (const std::string section = "model."; choice.key.starts_with(section)) {
      const std::string key = choice.key.substr(section.size());
      chosen[key] = options.at(key);
    }
  }
  return chosen;
}

Json advice_json(const Findings& found) {
  const Advice& advice = *found.advice;
  const std::uint64_t steps = training_steps(advice.train, found.statistics.graphs);
  Json json = {{"task", task_name(found.data.schema.task)},
               {"metric", advice.train.metric},
               {"kind", advice.model.kind},
               {"model", model_choices(advice)},
               {"batch", advice.train.batch},
               {"learning_rate", advice.train.learning_rate},
               {"epochs", advice.train.epochs},
               {"steps_per_epoch", steps / advice.train.epochs}};
  if (found.step_seconds) {
    json["seconds_per_step"] = *found.step_seconds;
    json["seconds"] = *found.step_seconds * static_cast<double>(steps);
    json["threads"] = found.threads;
  }
  return json;
}

void print_json(std::ostream& out, const Findings& found) {
  const Dataset& data = found.data;
  const SetStatistics& s = found.statistics;
  Json json = {{"source", data.source},        {"format", data.format},   {"task", task_name(data.schema.task)},
               {"graphs", s.graphs},           {"rows", data.num_rows()}, {"nodes", spread_json(s.nodes)},
               {"edges", spread_json(s.edges)}};
  json["degree"] = {{"mean", s.degree.mean},
                    {"min", static_cast<std::uint64_t>(s.degree.min)},
                    {"max", static_cast<std::uint64_t>(s.degree.max)}};
  json["self_loops"] = s.self_loops;
  json["one_way_edges"] = s.one_way_edges;
  json["isolated_nodes"] = s.isolated_nodes;
  json["disconnected_graphs"] = s.disconnected_graphs;
  json["node_features"] = features_json(data.schema.nodes, found.features.nodes);
  json["edge_features"] = features_json(data.schema.edges, found.features.edges);
  json["positions"] = !data.graphs.arrays().positions.empty();
  json["targets"] = targets_json(found);
  json["unused_columns"] = data.unused_columns;
  json["notes"] = data.notes;
  json["classes"] = Json::array();
  for (std::size_t c = 0; c < s.class_counts.size(); ++c) {
    json["classes"].push_back({{"name", data.schema.classes[c]}, {"count", s.class_counts[c]}});
  }
  json["duplicates"] = {
      {"groups", s.duplicate_groups}, {"graphs", s.graphs_in_groups}, {"conflicting_groups", s.conflicting_groups}};
  json["repeated_ids"] = s.repeated_ids;
  json["bad_rows"] = Json::array();
  for (const BadRow& row : data.bad_rows) {
    json["bad_rows"].push_back({{"row", row.row}, {"id", row.id}, {"where", row.where}, {"status", row.message}});
  }
  json["notes"] = data.notes;
  json["official_split"] = data.official.has_value();
  if (!found.splits.empty()) json["splits"] = Json::array();
  for (const Split& split : found.splits) {
    json["splits"].push_back(
        {{"train", split.train.size()}, {"valid", split.valid.size()}, {"test", split.test.size()}});
  }
  if (found.advice) json["suggested"] = advice_json(found);
  print_to(out, "{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_spread(std::ostream& out, const char* what, const Spread& spread) {
  print_to(out, "  {:<14} mean {:.1f}, min {:.0f}, max {:.0f}, total {:.0f}\n", what, spread.mean, spread.min,
           spread.max, spread.total);
}

void print_features(std::ostream& out, const char* what, const FeatureSchema& schema) {
  constexpr std::size_t kMostNamed = 12;
  std::vector<std::string> texts;
  for (const CategoryColumn& column : schema.categories) {
    texts.push_back(
        fmt::format("{} ({})", printable(column.name), counted(column.values.size(), "category", "categories")));
  }
  for (const std::string& name : schema.dense) texts.push_back(fmt::format("{} (number)", printable(name)));
  if (texts.empty()) texts.emplace_back("none");
  if (texts.size() > kMostNamed) {
    const std::size_t more = texts.size() - kMostNamed;
    texts.resize(kMostNamed);
    texts.push_back(fmt::format("and {} more", more));
  }
  print_to(out, "  {:<14} {}\n", what, join_text(texts, ", "));
}

std::string numbers_text(const ColumnSummary& n) {
  if (n.different == 1) {
    return fmt::format("{:.4g} everywhere{}", n.mean, n.scale.changes_nothing() ? "" : ", which is read as 1");
  }
  if (n.different == 2) {
    return fmt::format("{:.4g} or {:.4g}{}", n.least, n.most,
                       n.scale.changes_nothing() ? "" : ", which are read as 0 and 1");
  }
  return fmt::format("mean {:.4g}, spread {:.4g}, from {:.4g} to {:.4g}", n.mean, n.deviation, n.least, n.most);
}

// What models read numbers in units of; of the training part it may be a little different.
void print_numbers(std::ostream& out, const Findings& found) {
  constexpr std::size_t kMostShown = 20;
  std::size_t shown = 0;
  const auto print = [&](const char* what, const FeatureSchema& schema, const std::vector<ColumnSummary>& columns) {
    for (std::size_t c = 0; c < columns.size() && shown < kMostShown; ++c, ++shown) {
      print_to(out, "  {:<14} {} {}: {}\n", shown == 0 ? "numbers" : "", what, printable(schema.dense.at(c)),
               numbers_text(columns[c]));
    }
  };
  print("node", found.data.schema.nodes, found.features.nodes);
  print("edge", found.data.schema.edges, found.features.edges);
  const std::size_t all = found.features.nodes.size() + found.features.edges.size();
  if (all > shown) print_to(out, "  {:<14} and {} more (--json lists all)\n", "", all - shown);
}

void print_targets(std::ostream& out, const Findings& found) {
  constexpr std::size_t kMostShown = 12;
  const Schema& schema = found.data.schema;
  const SetStatistics& s = found.statistics;
  std::size_t shown = 0;
  if (schema.task == Task::kClassification) {
    // Labels that a file has no name for are called class: nothing was chosen.
    if (s.targets[0].name != "class") print_to(out, "  {:<14} {}\n", "target", printable(s.targets[0].name));
    for (std::size_t c = 0; c < s.class_counts.size() && shown < kMostShown; ++c, ++shown) {
      print_to(out, "  {:<14} {}: {} ({:.1f} %)\n", c == 0 ? "classes" : "", printable(schema.classes[c]),
               s.class_counts[c], 100.0 * static_cast<double>(s.class_counts[c]) / static_cast<double>(s.graphs));
    }
    if (s.class_counts.size() > shown) print_to(out, "  {:<14} and {} more\n", "", s.class_counts.size() - shown);
    if (s.targets[0].blanks > 0) print_to(out, "  {:<14} {} without a label\n", "", s.targets[0].blanks);
    return;
  }
  for (const TargetStatistics& target : s.targets) {
    if (shown == kMostShown) {
      print_to(out, "  {:<14} and {} more\n", "", s.targets.size() - shown);
      break;
    }
    const char* head = shown++ == 0 ? "targets" : "";
    const std::string blanks = target.blanks > 0 ? fmt::format(", {}", counted(target.blanks, "blank", "blanks")) : "";
    if (schema.task == Task::kMultilabel) {
      print_to(out, "  {:<14} {}: {} yes, {} no{}\n", head, printable(target.name), target.positives,
               s.graphs - target.blanks - target.positives, blanks);
    } else {
      print_to(out, "  {:<14} {}: mean {:.4g}, deviation {:.4g}, from {:.4g} to {:.4g}{}\n", head,
               printable(target.name), target.values.mean, target.deviation, target.values.min, target.values.max,
               blanks);
    }
  }
}

void print_notes(std::ostream& out, const Findings& found) {
  const SetStatistics& s = found.statistics;
  const auto note = [&](bool holds, const std::string& text) {
    if (holds) print_to(out, "  {:<14} {}\n", "note", text);
  };
  note(s.one_way_edges > 0, fmt::format("{} can be walked one way only (--undirected adds the way back)",
                                        counted(s.one_way_edges, "edge", "edges")));
  note(s.self_loops > 0, counted(s.self_loops, "self loop", "self loops"));
  note(s.disconnected_graphs > 0, fmt::format("{} of several parts; agents stay in the part where they start",
                                              counted(s.disconnected_graphs, "graph", "graphs")));
  note(!found.data.graphs.arrays().positions.empty() && !found.distances,
       "positions are there and not used (--distances joins all nodes, with their distance)");
  note(s.duplicate_groups > 0, fmt::format("{} look the same as another one ({}; {} with different targets)",
                                           counted(s.graphs_in_groups, "graph", "graphs"),
                                           counted(s.duplicate_groups, "group", "groups"), s.conflicting_groups));
  note(s.repeated_ids > 0,
       fmt::format("{} share their id with another one", counted(s.repeated_ids, "graph", "graphs")));
  for (const std::string& text : found.data.notes) note(true, text);
  note(found.data.official.has_value(), "comes with a split (--split official)");
}

std::string duration_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.1f} days", seconds / 86400);
}

void print_text(std::ostream& out, const Findings& found) {
  constexpr std::size_t kMostBadRows = 5;
  const Dataset& data = found.data;
  const SetStatistics& s = found.statistics;
  print_to(out, "{}: {} ({}), {}\n", data.source, counted(s.graphs, "graph", "graphs"), data.format,
           data.schema.task == Task::kNone ? "no targets" : task_name(data.schema.task));
  print_spread(out, "nodes", s.nodes);
  print_spread(out, "edges", s.edges);
  print_to(out, "  {:<14} mean {:.1f}, min {:.0f}, max {:.0f}\n", "degree", s.degree.mean, s.degree.min, s.degree.max);
  print_features(out, "node features", data.schema.nodes);
  print_features(out, "edge features", data.schema.edges);
  print_numbers(out, found);
  print_targets(out, found);
  if (!data.unused_columns.empty()) {
    print_to(out, "  {:<14} {} (text; --target says otherwise)\n", "left out",
             printable(join_text(data.unused_columns, ", ")));
  }
  print_notes(out, found);
  for (std::size_t i = 0; i < data.bad_rows.size() && i < kMostBadRows; ++i) {
    print_to(out, "  {:<14} {}: {}\n", i == 0 ? "not graphs" : "", data.bad_rows[i].where, data.bad_rows[i].message);
  }
  if (data.bad_rows.size() > kMostBadRows) {
    print_to(out, "  {:<14} and {} more of {} rows (--json lists all)\n", "", data.bad_rows.size() - kMostBadRows,
             data.num_rows());
  }
  for (std::size_t f = 0; f < found.splits.size(); ++f) {
    const Split& split = found.splits[f];
    print_to(out, "  {:<14} {}train {}, valid {}, test {}\n", f == 0 ? "split" : "",
             found.splits.size() > 1 ? fmt::format("{}: ", f) : "", split.train.size(), split.valid.size(),
             split.test.size());
  }
  if (!found.advice) return;
  const Advice& a = *found.advice;
  print_to(out, "suggested for a start: {}, measured by {}; {}, batches of {}, {}\n", task_name(data.schema.task),
           a.train.metric, builtin_kinds().make(a.model)->description(), a.train.batch,
           counted(a.train.epochs, "epoch"));
  if (found.step_seconds) {
    const double seconds = *found.step_seconds * static_cast<double>(training_steps(a.train, found.statistics.graphs));
    print_to(out, "training with that takes about {} on this machine ({}, {:.3g} s per step, measured)\n",
             duration_text(seconds), counted(static_cast<std::uint64_t>(found.threads), "thread", "threads"),
             *found.step_seconds);
  }
}

void run_inspect(const InspectOptions& options, const Console& console) {
  DataOptions reading = options.data.parsed();
  reading.official = true;
  reading.ask_for_targets = false;  // what there is to choose from is a finding
  reading.check_up_to = kAnySize;   // all of it is read anyway
  prepare_for_split(options.split, reading);
  Findings found;
  found.data = read_data(reopenable(options.data.source, console), reading);
  found.threads = reading.threads;
  found.distances = reading.distances;
  found.statistics = statistics_of(found.data);
  std::vector<std::size_t> all(found.data.graphs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  found.features = summarise_features(found.data.graphs, all);
  found.splits = splits_of(found.data, options.split, reading.threads);
  tell_left_out(found.data, found.splits, options.split.spec, console);
  if (found.data.schema.task != Task::kNone) {
    found.advice = advise(found.data, found.statistics);
    if (!options.no_estimate) {
      found.step_seconds = measure_step_seconds(found.data, *builtin_kinds().make(found.advice->model),
                                                found.advice->train, reading.threads);
    }
  }
  if (options.json) {
    print_json(console.out, found);
  } else {
    print_text(console.text(), found);
  }
}

}  // namespace

CommandRun define_inspect(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  add_data_options(app, options->data);
  add_split_options(app, options->split);
  app.add_flag("--json", options->json, "as JSON");
  app.add_flag("--no-estimate", options->no_estimate, "do not measure how long training would take");
  return [options](const Console& console) { run_inspect(*options, console); };
}

}  // namespace agentnet
