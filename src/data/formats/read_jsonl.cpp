// JSON lines with the keys of the Hugging Face graph sets or of PyTorch Geometric: one object per graph with edge_index
// ([2, E]), num_nodes, node_feat or x ([n, d]), edge_attr ([E, d]), y (a value or a list), and optionally id, pos ([n,
// 3]) and node_marks ([n], 1 for the nodes that are known to decide the class). Other keys can be targets or kept
// columns; those that are neither are named in Dataset::notes.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "agentnet/error.h"
#include "core/suggest.h"
#include "core/text.h"
#include "data/formats/readers.h"
#include "data/io/lines.h"
#include "data/io/name_index.h"
#include "data/syntax/json_line.h"
#include "data/tables/builder.h"
#include "data/tables/filled_values.h"
#include "data/tables/split_builder.h"

namespace agentnet {
namespace {

constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 32;
// The keys that describe the graph itself: these are no targets.
constexpr std::array<std::string_view, 6> kGraphKeys = {"edge_index", "num_nodes", "node_feat",
                                                        "edge_attr",  "pos",       "node_marks"};
struct Alias {
  std::string_view name, meaning;
};
constexpr std::array kAliases = std::to_array<Alias>({{"x", "node_feat"},
                                                      {"node_features", "node_feat"},
                                                      {"node_attr", "node_feat"},
                                                      {"edge_feat", "edge_attr"},
                                                      {"edge_features", "edge_attr"},
                                                      {"positions", "pos"},
                                                      {"n_nodes", "num_nodes"}});
// Where a file has no y, the first of these is the target.
constexpr std::array<std::string_view, 6> kTargetKeys = {"y", "label", "labels", "target", "targets", "class"};

// The key of ours that one of another library means; itself if it is none.
std::string_view meaning_of(std::string_view key) {
  const auto found = std::find_if(kAliases.begin(), kAliases.end(), [&](const Alias& a) { return a.name == key; });
  return found != kAliases.end() ? found->meaning : key;
}

class JsonlReader {
 public:
  JsonlReader(const Input& input, const DataOptions& options)
      : options_(options),
        lines_(input, input.only_member()),
        source_(input.name()),
        set_(options),
        keep_(options.keep),
        named_targets_(options.targets) {
    edge_kind_ = options.edge_features;
    // Distances are dense, and the bond features beside them stay numbers as well (the QM9 setting).
    if (options.distances && edge_kind_ == FeatureKind::kAuto) edge_kind_ = FeatureKind::kDense;
  }

  Dataset read() {
    while (lines_.next_nonempty()) read_graph();
    Dataset data = std::move(set_).finish(source_, "jsonl");
    check_kept_keys();
    data.columns = std::move(columns_);
    tell_unused(data);
    return data;
  }

  std::uint64_t read_in_parts(const RowParts& parts, const TakePart& take) {
    set_.allow_repeated_ids();
    bool taken = false;
    const auto take_part = [&] {
      Dataset part = set_.take_part(source_, "jsonl");
      part.columns = std::exchange(columns_, {});
      tell_unused(part);
      take(std::move(part));
      taken = true;
    };
    for (std::uint64_t row = 0; lines_.next_nonempty();) {
      if (parts.share.has(row)) {
        read_graph();
        if (set_.size() == parts.rows) take_part();
      }
      set_.skip_to_row(++row);
    }
    if (parts.share.parts == 1) check_kept_keys();  // another part may have the line with the key
    if (set_.size() > 0 || (!taken && set_.num_rows() > 0)) take_part();
    if (set_.num_rows() == 0) static_cast<void>(std::move(set_).finish(source_, "jsonl"));  // throws
    return set_.num_rows();
  }

 private:
  static constexpr std::size_t kMostUnused = 1000;  // keys that are remembered: names may be as many as lines

  void note_unused(const std::string& key) {
    if (is_split_column(key)) return;  // for --split column:NAME
    if (unused_.size() < kMostUnused && unused_set_.insert(key).second) unused_.push_back(key);
  }

  // Of several parts, the first that has a key names it.
  void tell_unused(Dataset& data) {
    const std::span<const std::string> names = std::span(unused_).subspan(told_);
    if (names.empty()) return;
    told_ = unused_.size();
    data.notes.push_back(
        fmt::format("{} {} not used; --target or --keep takes {}", names.size() == 1 ? "the key" : "the keys",
                    list_some(names) + (names.size() == 1 ? " is" : " are"), names.size() == 1 ? "it" : "them"));
  }

  void check_kept_keys() const {
    for (const std::string& key : options_.keep) {
      if (seen_.contains(key)) continue;
      throw Error(ErrorKind::kUsage, fmt::format("no line of {} has the key {}", source_, in_quotes(key)),
                  "correct the name");
    }
  }

  struct Value {
    std::string text;
    const char* at;  // in the line
  };
  // What one line says, with the place of each part for messages.
  struct Record {
    GraphParts parts;
    std::optional<std::uint64_t> num_nodes;
    std::optional<std::uint64_t> node_rows, edge_rows;
    const char *edges_at = nullptr, *node_feat_at = nullptr, *edge_attr_at = nullptr, *pos_at = nullptr,
               *marks_at = nullptr, *num_nodes_at = nullptr;
    std::string id, usual_id;  // by the key that was named, and by "id"
    std::vector<float> positions;
    std::vector<std::uint8_t> marks;
    std::vector<std::vector<Value>> targets;  // per wanted key, its values
    std::map<std::string, std::string> kept;
  };

  // The targets that were named, or the usual key that the first line has.
  [[nodiscard]] std::vector<std::string> target_keys() const {
    if (options_.task == Task::kNone) return {};
    if (!options_.targets.empty()) return options_.targets;
    NameIndex keys;
    JsonLine json(lines_);
    json.begin_object();
    while (json.next_key()) {
      keys.add(json.key());
      json.skip();
    }
    for (const std::string_view usual : kTargetKeys) {
      if (keys.contains(usual) && !keep_.contains(usual)) return {std::string(usual)};
    }
    return {"y"};
  }

  void read_graph() {
    const bool first = !std::exchange(begun_, true);
    if (first) {
      wanted_ = target_keys();
      place_of_target_ = NameIndex(wanted_);
    }
    JsonLine json(lines_);
    Record record;
    record.targets.resize(wanted_.size());
    std::vector<std::string> possible_targets;
    keys_.clear();
    json.begin_object();
    while (json.next_key()) {
      const std::string key = json.key();
      if (!keys_.add(key)) json.fail(json.position(), fmt::format("the key {} is there twice", in_quotes(key)));
      if (first && can_be_target(key) && !json.at_object()) possible_targets.push_back(key);
      read_key(json, key, record);
    }
    json.expect_end();
    if (first && !options_.targets.empty()) {  // a target that the user named must be a key of the first line
      static_cast<void>(choose_targets(possible_targets, wanted_, lines_.place()));
    }
    finish_graph(std::move(record));
  }

  // An id is a target only for who says so.
  [[nodiscard]] bool can_be_target(const std::string& key) const {
    if (std::find(kGraphKeys.begin(), kGraphKeys.end(), meaning_of(key)) != kGraphKeys.end()) return false;
    const bool is_id = key == "id" || key == options_.id_column;
    return !is_id || named_targets_.contains(key);
  }

  // The place of a part of the graph that begins here: once, by whatever name.
  static void begin_part(JsonLine& json, const std::string& key, const char*& at) {
    if (at != nullptr) {
      json.fail(json.position(), fmt::format("{} means what another key of the line says already", in_quotes(key)),
                "leave one of them out");
    }
    at = json.position();
  }

  void read_key(JsonLine& json, const std::string& name, Record& record) {
    const auto target = place_of_target_.find(name);
    const bool kept = keep_.contains(name);
    // Who names a key as a target or to keep means no part of the graph.
    const std::string key(target || kept ? std::string_view(name) : meaning_of(name));
    if (key == "edge_index") {
      read_edges(json, record);
    } else if (key == "num_nodes") {
      const char* const at = json.position();
      begin_part(json, name, record.num_nodes_at);
      record.num_nodes = json.count("number of nodes");
      if (*record.num_nodes == 0) json.fail(at, "the graph has no nodes", "leave empty graphs out");
      if (*record.num_nodes >= kMostNodes) json.fail(at, "the graph has more than 2^32 nodes", "split the graph");
    } else if (key == "node_feat") {
      begin_part(json, name, record.node_feat_at);
      record.node_rows = read_rows(json, set_.nodes, "node_feat", options_.node_features, record.parts.node_dense);
    } else if (key == "edge_attr") {
      begin_part(json, name, record.edge_attr_at);
      record.edge_rows = read_rows(json, set_.edges, "edge_attr", edge_kind_, record.parts.edge_dense);
    } else if (key == "pos") {
      begin_part(json, name, record.pos_at);
      read_positions(json, record);
    } else if (key == "node_marks") {
      record.marks_at = json.position();
      json.begin_array();
      while (json.next_element()) record.marks.push_back(json.count("mark") != 0 ? 1 : 0);
    } else if (target) {
      read_values(json, record.targets[*target]);
    } else if (kept) {
      record.kept[key] = std::string(json.scalar());
      seen_.insert(key);
    } else if (key == options_.id_column) {
      record.id = std::string(json.scalar());
    } else if (key == "id") {
      record.usual_id = std::string(json.scalar());
    } else {
      note_unused(name);
      json.skip();
    }
  }

  static void read_edges(JsonLine& json, Record& record) {
    record.edges_at = json.position();
    std::size_t lists = 0;
    json.begin_array();
    for (; json.next_element(); ++lists) {
      if (lists == 2) {
        json.fail(json.position(), "edge_index has more than two lists",
                  "it is a list of first ends and a list of second ends");
      }
      std::vector<std::uint32_t>& ends = lists == 0 ? record.parts.from : record.parts.to;
      json.begin_array();
      while (json.next_element()) {
        const char* at = json.position();
        const std::uint64_t node = json.count("node");
        if (node >= kMostNodes - 1) json.fail(at, fmt::format("node {} is beyond 2^32 nodes", node));
        ends.push_back(static_cast<std::uint32_t>(node));
      }
    }
    if (lists == 1 || record.parts.from.size() != record.parts.to.size()) {
      json.fail(record.edges_at,
                fmt::format("edge_index has {} first ends but {} second ends", record.parts.from.size(),
                            record.parts.to.size()),
                "give two lists of the same length");
    }
  }

  // A list of rows, or of single values, as features; returns the number of rows.
  std::uint64_t read_rows(JsonLine& json, FeatureColumns& columns, const char* name, FeatureKind kind,
                          std::vector<float>& out) {
    std::uint64_t rows = 0;
    const bool known = columns.size() > 0;
    json.begin_array();
    for (; json.next_element(); ++rows) {
      const char* row_at = json.position();
      std::size_t c = 0;
      const auto read_value = [&] {
        const char* at = json.position();
        if (c >= columns.size()) {
          if (known || rows > 0) {
            json.fail(at, fmt::format("this row of {} has more than {} values", name, columns.size()),
                      "give all rows the same number of values");
          }
          columns.add({fmt::format("{}{}", name, c)}, kind);
        }
        const std::string_view text = json.scalar();
        const auto fail = [&](std::string_view message, std::string_view hint) { json.fail(at, message, hint); };
        out.push_back(json.was_quoted() ? columns.word(c, text, fail) : columns.value(c, text, fail));
        ++c;
      };
      if (json.at_array()) {
        json.begin_array();
        while (json.next_element()) read_value();
      } else {
        read_value();
      }
      if (c < columns.size()) {
        json.fail(row_at, fmt::format("this row of {} has {} values, others have {}", name, c, columns.size()),
                  "give all rows the same number of values");
      }
    }
    return rows;
  }

  static void read_positions(JsonLine& json, Record& record) {
    json.begin_array();
    while (json.next_element()) {
      const char* row_at = json.position();
      std::size_t c = 0;
      json.begin_array();
      for (; json.next_element(); ++c) {
        const char* at = json.position();
        const auto value = to_number(json.scalar());
        const auto narrow = static_cast<float>(value.value_or(std::numeric_limits<double>::infinity()));
        if (!(std::abs(narrow) <= std::numeric_limits<float>::max())) {
          json.fail(at, "a coordinate should be a finite number");
        }
        record.positions.push_back(narrow);
      }
      if (c != 3) json.fail(row_at, fmt::format("a position has 3 coordinates, this one has {}", c));
    }
  }

  // A value, or all values of nested lists in their order.
  static void read_values(JsonLine& json, std::vector<Value>& values, int depth = 0) {
    if (!json.at_array()) {
      const char* at = json.position();
      values.push_back({std::string(json.scalar()), at});
      return;
    }
    if (depth == 8) json.fail(json.position(), "the lists of a target are nested too deep");
    json.begin_array();
    while (json.next_element()) read_values(json, values, depth + 1);
  }

  void finish_graph(Record record) {
    GraphParts& parts = record.parts;
    const auto fail = [this](const char* at, const std::string& message, const char* hint) {
      lines_.fail(at != nullptr ? at : lines_.line().data(), message, hint);
    };
    if (record.edges_at == nullptr && !record.num_nodes && !record.node_rows) {
      fail(nullptr, "the line has none of edge_index, num_nodes and node_feat", "these keys describe a graph");
    }
    std::uint64_t largest = 0;
    for (const std::uint32_t node : parts.from) largest = std::max<std::uint64_t>(largest, node + std::uint64_t{1});
    for (const std::uint32_t node : parts.to) largest = std::max<std::uint64_t>(largest, node + std::uint64_t{1});
    parts.num_nodes = record.num_nodes ? *record.num_nodes : record.node_rows.value_or(largest);
    if (parts.num_nodes == 0) fail(record.edges_at, "the graph has no nodes", "leave empty graphs out");
    if (largest > parts.num_nodes) {
      fail(record.edges_at,
           fmt::format("edge_index names node {}, but the graph's nodes are 0 to {}", largest - 1, parts.num_nodes - 1),
           "number the nodes of every graph from 0");
    }
    if (record.node_rows && *record.node_rows != parts.num_nodes) {
      fail(record.node_feat_at,
           fmt::format("node_feat has {} rows, but the graph has {} nodes", *record.node_rows, parts.num_nodes),
           "give one row per node");
    }
    if (!record.node_rows && set_.nodes.size() > 0)
      fail(nullptr, "the graph has no node_feat, unlike others", "give all graphs the same features");
    if (record.edge_rows && *record.edge_rows != parts.from.size()) {
      fail(record.edge_attr_at,
           fmt::format("edge_attr has {} rows, but the graph has {} edges", *record.edge_rows, parts.from.size()),
           "give one row per edge");
    }
    if (!record.edge_rows && set_.edges.size() > 0 && !parts.from.empty()) {
      fail(nullptr, "the graph has no edge_attr, unlike others", "give all graphs the same features");
    }
    if (record.pos_at != nullptr && record.positions.size() != 3 * parts.num_nodes) {
      fail(record.pos_at,
           fmt::format("pos has {} rows, but the graph has {} nodes", record.positions.size() / 3, parts.num_nodes),
           "give one row per node");
    }
    if (record.marks_at != nullptr && record.marks.size() != parts.num_nodes) {
      fail(record.marks_at,
           fmt::format("node_marks has {} values, but the graph has {} nodes", record.marks.size(), parts.num_nodes),
           "give one per node");
    }
    add_targets(record);
    for (const std::string& key : options_.keep) columns_[key].push_back(record.kept[key]);
    const std::string& id = record.id.empty() ? record.usual_id : record.id;
    set_.add(std::move(parts), id, [this] { return lines_.where(lines_.line().data()); },
             {.positions = record.positions, .marks = record.marks});
  }

  // The first graph decides how many values each key has; a line without the key has blanks.
  void add_targets(const Record& record) {
    const std::vector<std::string>& keys = wanted_;
    if (!std::exchange(targets_named_, true)) {
      std::vector<std::string> names;
      for (std::size_t k = 0; k < keys.size(); ++k) {
        widths_.push_back(record.targets[k].size());
        if (widths_[k] > 1 && options_.task == Task::kClassification) refuse_list(keys[k], record.targets[k]);
        for (std::size_t i = 0; i < widths_[k]; ++i) {
          names.push_back(widths_[k] == 1 ? keys[k] : fmt::format("{}{}", keys[k], i));
        }
      }
      set_.targets.set_names(names);
    }
    filled_.listed(1);
    std::size_t column = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const std::vector<Value>& values = record.targets[k];
      if (!values.empty() && values.size() != widths_[k]) {
        lines_.fail_line(
            fmt::format("{} has {} values, that of the first graph has {}", keys[k], values.size(), widths_[k]),
            "give every graph the same number of targets; null stands for a blank");
      }
      filled_.listed(values.size());
      if (values.empty() && !filled_.allow(widths_[k])) {
        lines_.fail_line(fmt::format("the lines without {} stand for far more blanks than the file holds values",
                                     in_quotes(keys[k])),
                         "write the blanks out, as null");
      }
      for (std::size_t i = 0; i < widths_[k]; ++i, ++column) {
        if (values.empty()) {
          set_.targets.add(column, "");
        } else {
          set_.targets.add(column, values[i].text, [&] { return lines_.where(values[i].at); });
        }
      }
    }
  }

  // The values of a list have no names that --target could choose by.
  [[noreturn]] void refuse_list(const std::string& key, const std::vector<Value>& values) const {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: classification has one target, but the key {} holds {} values", lines_.where(values[0].at),
                    in_quotes(key), values.size()),
        "use --task multilabel or regression, or give each value a key of its own and choose one with --target");
  }

  const DataOptions& options_;
  Lines lines_;
  std::string source_;
  SetBuilder set_;
  FeatureKind edge_kind_ = FeatureKind::kAuto;
  std::vector<std::string> wanted_;  // the keys that are targets; known when the first line is there
  NameIndex place_of_target_;
  const NameIndex keep_, named_targets_;
  NameIndex keys_;                   // of the line that is read
  std::vector<std::size_t> widths_;  // of the targets
  FilledValues filled_;
  std::map<std::string, std::vector<std::string>> columns_;
  bool begun_ = false, targets_named_ = false;
  std::set<std::string> seen_;        // of the keys to keep
  std::vector<std::string> unused_;   // keys, in the order in which they are met
  std::set<std::string> unused_set_;  // the same
  std::size_t told_ = 0;              // of unused_, by earlier parts
};

}  // namespace

Dataset read_jsonl(const Input& input, const DataOptions& options) { return JsonlReader(input, options).read(); }

std::uint64_t read_jsonl_in_parts(const Input& input, const DataOptions& options, RowParts parts,
                                  const TakePart& take) {
  return JsonlReader(input, options).read_in_parts(parts, take);
}

}  // namespace agentnet
