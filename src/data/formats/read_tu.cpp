// The TU text layout: NAME_A.txt (edges, numbers of nodes over all graphs, from 1), NAME_graph_indicator.txt (the graph
// of each node), and what there is of NAME_graph_labels.txt, NAME_graph_attributes.txt, NAME_node_labels.txt,
// NAME_node_attributes.txt, NAME_edge_labels.txt, NAME_edge_attributes.txt, one line per graph, node or edge.
#include <fmt/core.h>

#include <functional>
#include <limits>
#include <map>
#include <optional>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/formats/readers.h"
#include "data/io/lines.h"
#include "data/tables/builder.h"

namespace agentnet {
namespace {

// A file with one row per node or edge: labels, which are categories, or attributes, which are numbers.
class RowFile {
 public:
  RowFile(const Input& input, const std::string& member, FeatureColumns& columns, const char* column_name,
          FeatureKind kind)
      : lines_(input, member), columns_(columns), name_(column_name), kind_(kind) {}

  // Appends the values of the next line to `out`. `owner` is what the line belongs to: "node 17".
  template <class Owner>
  void read_row(std::vector<float>& out, const Owner& owner) {
    if (!lines_.next_nonempty()) {
      lines_.fail_at_end(fmt::format("the file ends before the line of {}", owner()), "give one line each");
    }
    if (width_ == 0) {
      width_ = 1;
      for (const char c : lines_.line()) width_ += c == ',' ? 1 : 0;
      first_column_ = columns_.size();
      columns_.add_numbered(name_, width_, kind_);
    }
    Fields row(lines_, ',');
    for (std::size_t c = 0; c < width_; ++c) {
      const char* at = row.position();
      if (row.at_end()) {
        lines_.fail(at, fmt::format("the line has {} values, the first line of the file has {}", c, width_),
                    "give every line the same number of values");
      }
      const std::string_view text = row.text(name_);
      out.push_back(columns_.value(first_column_ + c, text, [&](std::string_view message, std::string_view hint) {
        lines_.fail(at, message, hint);
      }));
    }
    row.expect_end(fmt::format("{} values, as in the first line of the file", width_));
  }

  void expect_end(std::uint64_t rows, const char* what) {
    if (lines_.next_nonempty()) {
      lines_.fail_line(fmt::format("the file goes on after the lines of all {} {}", rows, what), "give one line each");
    }
  }

 private:
  Lines lines_;
  FeatureColumns& columns_;
  const char* name_;
  FeatureKind kind_;
  std::size_t first_column_ = 0, width_ = 0;
};

class TuReader {
 public:
  // Edges usually come graph by graph, and a graph is handed on when the edges of the next one begin. `in_order` false:
  // all graphs wait for the end of the edges.
  TuReader(const Input& input, const DataOptions& options, bool in_order)
      : input_(input), options_(options), in_order_(in_order), set_(options) {
    const auto edges = input.member_ending_in("_A.txt");
    if (!edges) {
      throw Error(ErrorKind::kData, fmt::format("{} has no file that ends in _A.txt", input.name()),
                  "a TU set has NAME_A.txt and NAME_graph_indicator.txt");
    }
    prefix_ = edges->substr(0, edges->size() - std::string_view("A.txt").size());
  }

  // Nothing if the edges are not in order although they were expected to be.
  std::optional<Dataset> read() {
    read_indicator();
    read_node_features();
    read_targets();
    if (!read_edges()) return std::nullopt;
    hand_on(graphs_.size());
    return std::move(set_).finish(input_.name(), "tu");
  }

 private:
  [[nodiscard]] std::string member(const char* name) const { return prefix_ + name + ".txt"; }

  std::optional<RowFile> rows(const char* file, FeatureColumns& columns, const char* column, FeatureKind kind) {
    if (!input_.has(member(file))) return std::nullopt;
    return std::optional<RowFile>(std::in_place, input_, member(file), columns, column, kind);
  }

  void read_indicator() {
    if (!input_.has(member("graph_indicator"))) {
      throw Error(ErrorKind::kData,
                  fmt::format("{} has no file {}", input_.name(), printable(member("graph_indicator"))),
                  "it holds the number of the graph of every node");
    }
    Lines lines(input_, member("graph_indicator"));
    while (lines.next_nonempty()) {
      Fields row(lines);
      const char* at = row.position();
      const std::uint64_t graph = row.count("number of the graph");
      row.expect_end("the number of a graph");
      if (graph == 0) lines.fail(at, "there is no graph 0", "number the graphs from 1");
      if (graph > graphs_.size() + 1) {
        lines.fail(at, fmt::format("graph {} begins here, but graph {} has no nodes yet", graph, graphs_.size() + 1),
                   "number the graphs from 1 in the order of their nodes; leave empty graphs out");
      }
      if (graph_of_.size() == std::numeric_limits<std::uint32_t>::max())
        lines.fail(at, "there are more than 2^32 nodes");
      if (graph > graphs_.size()) graphs_.emplace_back();
      graph_of_.push_back(static_cast<std::uint32_t>(graph - 1));
      local_.push_back(static_cast<std::uint32_t>(graphs_[graph - 1].num_nodes++));
    }
  }

  void read_node_features() {
    auto labels = rows("node_labels", set_.nodes, "label", FeatureKind::kCategories);
    auto attributes = rows("node_attributes", set_.nodes, "attribute", FeatureKind::kDense);
    for (std::size_t i = 0; i < graph_of_.size(); ++i) {
      const auto owner = [i] { return fmt::format("node {}", i + 1); };
      std::vector<float>& features = graphs_[graph_of_[i]].node_dense;
      if (labels) labels->read_row(features, owner);
      if (attributes) attributes->read_row(features, owner);
    }
    if (labels) labels->expect_end(graph_of_.size(), "nodes");
    if (attributes) attributes->expect_end(graph_of_.size(), "nodes");
  }

  using ClassNames = std::map<std::string, std::string, std::less<>>;

  // NAME_class_names.txt, which we write where classes have names: a label and its name per line.
  ClassNames read_class_names() {
    ClassNames names;
    if (!input_.has(member("class_names"))) return names;
    Lines lines(input_, member("class_names"));
    while (lines.next_nonempty()) {
      const std::string_view line = lines.line();
      const std::size_t space = line.find(' ');
      if (space == 0 || space == std::string_view::npos || space + 1 == line.size()) {
        lines.fail_line("the line should be a label and its name, with a space between them", "correct the line");
      }
      if (valid_utf8_prefix(line) != line.size()) lines.fail_line("the name is not UTF-8", "save the file as UTF-8");
      if (!names.emplace(line.substr(0, space), line.substr(space + 1)).second) {
        lines.fail_line(fmt::format("the label {} is there twice", in_quotes(line.substr(0, space))),
                        "give every label one name");
      }
    }
    return names;
  }

  static std::string_view class_name(const ClassNames& names, const Lines& lines, std::string_view label) {
    if (names.empty()) return label;
    const auto found = names.find(label);
    if (found == names.end()) {
      lines.fail(label.data(), fmt::format("the label {} has no name in the file of names", in_quotes(label)),
                 "add its line, or remove that file");
    }
    return found->second;
  }

  // Class labels if there are any and the user does not name an attribute.
  void read_targets() {
    if (options_.task == Task::kNone) return;
    const bool attributes_wanted = !options_.targets.empty() && options_.targets[0].starts_with("attribute");
    const char* file = "graph_labels";
    if (!input_.has(member(file)) || attributes_wanted) file = "graph_attributes";
    if (!input_.has(member(file))) {
      static_cast<void>(choose_targets({}, options_.targets, input_.name()));
      return;
    }
    Lines lines(input_, member(file));
    const bool are_labels = std::string_view(file) == "graph_labels";
    const ClassNames names_of_classes = are_labels ? read_class_names() : ClassNames{};
    std::vector<std::string> names;
    std::vector<std::size_t> chosen;
    std::vector<std::string_view> values;
    std::uint64_t count = 0;
    for (; lines.next_nonempty(); ++count) {
      values.clear();
      for (Fields row(lines, ','); !row.at_end();) values.push_back(row.text("target"));
      if (count == 0) {
        for (std::size_t c = 0; c < values.size(); ++c) {
          const std::string name = are_labels ? "class" : "attribute";
          names.push_back(values.size() == 1 ? name : name + std::to_string(c));
        }
        chosen = choose_targets(names, options_.targets.empty() ? names : options_.targets, lines.place());
        std::vector<std::string> chosen_names;
        for (const std::size_t c : chosen) chosen_names.push_back(names[c]);
        set_.targets.set_names(chosen_names);
        are_labels ? set_.targets.set_classes() : set_.targets.set_numbers();
      }
      if (values.size() != names.size()) {
        lines.fail_line(
            fmt::format("the line has {} values, the first line of the file has {}", values.size(), names.size()),
            "give every graph the same targets");
      }
      if (count < graphs_.size()) {
        for (std::size_t t = 0; t < chosen.size(); ++t)
          set_.targets.add(t, class_name(names_of_classes, lines, values[chosen[t]]));
      }
    }
    if (count != graphs_.size()) {
      lines.fail_at_end(fmt::format("the file has {} lines, but {} names {} graphs", count,
                                    input_.place(member("graph_indicator")), graphs_.size()),
                        "give one line per graph, and every graph a node");
    }
  }

  bool read_edges() {
    Lines lines(input_, member("A"));
    auto labels = rows("edge_labels", set_.edges, "label", FeatureKind::kCategories);
    auto attributes = rows("edge_attributes", set_.edges, "attribute", FeatureKind::kDense);
    std::uint64_t count = 0;
    for (; lines.next_nonempty(); ++count) {
      Fields row(lines, ',');
      const auto end = [&] {
        const char* at = row.position();
        const std::uint64_t node = row.count("number of the node");
        if (node == 0 || node > graph_of_.size()) {
          lines.fail(at, fmt::format("there is no node {}: nodes are 1 to {}", node, graph_of_.size()),
                     "number the nodes from 1 over all graphs");
        }
        return static_cast<std::size_t>(node - 1);
      };
      const std::size_t from = end(), to = end();
      row.expect_end("the two nodes of an edge");
      const std::uint32_t graph = graph_of_[from];
      if (graph != graph_of_[to]) {
        lines.fail_line(fmt::format("node {} is in graph {}, but node {} in graph {}", from + 1, graph + 1, to + 1,
                                    graph_of_[to] + 1),
                        "an edge joins nodes of one graph");
      }
      if (graph < handed_on_) return false;
      if (in_order_) hand_on(graph);
      GraphParts& parts = graphs_[graph];
      parts.from.push_back(local_[from]);
      parts.to.push_back(local_[to]);
      const auto owner = [count] { return fmt::format("edge {}", count + 1); };
      if (labels) labels->read_row(parts.edge_dense, owner);
      if (attributes) attributes->read_row(parts.edge_dense, owner);
    }
    if (labels) labels->expect_end(count, "edges");
    if (attributes) attributes->expect_end(count, "edges");
    return true;
  }

  // Adds all graphs before number `end`.
  void hand_on(std::size_t end) {
    for (; handed_on_ < end; ++handed_on_) {
      set_.add(std::move(graphs_[handed_on_]), {},
               [this] { return fmt::format("{}: graph {}", input_.name(), handed_on_ + 1); });
    }
  }

  const Input& input_;
  const DataOptions& options_;
  bool in_order_;
  SetBuilder set_;
  std::string prefix_;
  std::vector<std::uint32_t> graph_of_, local_;  // of each node
  std::vector<GraphParts> graphs_;               // waiting for their edges
  std::size_t handed_on_ = 0;
};

}  // namespace

Dataset read_tu(const Input& input, const DataOptions& options) {
  if (auto data = TuReader(input, options, true).read()) return *std::move(data);
  return *TuReader(input, options, false).read();
}

}  // namespace agentnet
