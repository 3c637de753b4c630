// OGB's raw layout: raw/num-node-list.csv, num-edge-list.csv (one line per graph), edge.csv (one line per edge, nodes
// from 0 within their graph), node-feat.csv, edge-feat.csv, graph-label.csv; split/NAME/{train,valid,test}.csv; and,
// for molecules, mapping/mol.csv, whose header names the targets. Edges stand once; both ways can be walked.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "agentnet/error.h"
#include "data/formats/readers.h"
#include "data/io/lines.h"
#include "data/molecules/molecule.h"
#include "data/syntax/csv.h"
#include "data/tables/builder.h"

namespace agentnet {
namespace {

constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 32;

class OgbReader {
 public:
  OgbReader(const Input& input, const DataOptions& options) : input_(input), options_(options), set_(options) {
    set_.set_default_direction(Direction::kUndirected);
    const auto list = input.member_ending_in("num-node-list.csv");
    if (!list) {
      throw Error(ErrorKind::kData, fmt::format("{} has no file num-node-list.csv", input.name()),
                  "give the folder that holds raw/ and split/");
    }
    raw_ = list->substr(0, list->size() - std::string_view("num-node-list.csv").size());
    root_ = raw_.ends_with("raw/") ? raw_.substr(0, raw_.size() - 4) : raw_;
  }

  Dataset read() {
    Lines nodes(input_, raw("num-node-list")), edge_counts(input_, raw("num-edge-list")), edges(input_, raw("edge"));
    std::optional<Lines> node_rows, edge_rows, labels;
    if (input_.has(raw("node-feat"))) node_rows.emplace(input_, raw("node-feat"));
    if (input_.has(raw("edge-feat"))) edge_rows.emplace(input_, raw("edge-feat"));
    if (input_.has(raw("graph-label"))) labels.emplace(input_, raw("graph-label"));
    for (std::uint64_t g = 0; nodes.next_nonempty(); ++g) {
      GraphParts parts;
      parts.num_nodes = single_count(nodes, "number of nodes");
      if (parts.num_nodes == 0) nodes.fail_line(fmt::format("graph {} has no nodes", g), "leave empty graphs out");
      if (parts.num_nodes >= kMostNodes)
        nodes.fail_line(fmt::format("graph {} has more than 2^32 nodes", g), "split it");
      next_line(edge_counts, "the number of edges", g);
      const std::uint64_t num_edges = single_count(edge_counts, "number of edges");
      for (std::uint64_t e = 0; e < num_edges; ++e) read_edge(edges, parts, g);
      for (std::uint64_t u = 0; node_rows && u < parts.num_nodes; ++u) {
        next_line(*node_rows, "a node", g);
        read_features(*node_rows, set_.nodes, "node_feat", options_.node_features, atom_schema(), parts.node_dense);
      }
      for (std::uint64_t e = 0; edge_rows && e < num_edges; ++e) {
        next_line(*edge_rows, "an edge", g);
        read_features(*edge_rows, set_.edges, "edge_feat", options_.edge_features, bond_schema(), parts.edge_dense);
      }
      if (labels) {
        next_line(*labels, "the label", g);
        read_label(*labels, g);
      }
      set_.add(std::move(parts), {}, [&] { return nodes.where(nodes.line().data()); });
    }
    const std::uint64_t graphs = set_.size();
    expect_end(edge_counts, graphs);
    expect_end(edges, graphs);
    if (node_rows) expect_end(*node_rows, graphs);
    if (edge_rows) expect_end(*edge_rows, graphs);
    if (labels) expect_end(*labels, graphs);
    Dataset data = std::move(set_).finish(input_.name(), "ogb");
    if (options_.official) data.official = official_split(data.graphs.size());
    if (!options_.keep.empty()) keep_columns(data);
    return data;
  }

 private:
  [[nodiscard]] std::string raw(const char* name) const { return raw_ + name + ".csv"; }
  [[nodiscard]] std::string mapping() const { return root_ + "mapping/mol.csv"; }

  static void next_line(Lines& lines, const char* what, std::uint64_t graph) {
    if (!lines.next_nonempty()) {
      lines.fail_at_end(fmt::format("the file ends before {} of graph {}", what, graph), "is it cut short?");
    }
  }
  static void expect_end(Lines& lines, std::uint64_t graphs) {
    if (lines.next_nonempty()) {
      lines.fail_line(fmt::format("the file goes on after the last of the {} graphs", graphs),
                      "compare with num-node-list.csv and num-edge-list.csv");
    }
  }
  static std::uint64_t single_count(Lines& lines, const char* what) {
    Fields row(lines, ',');
    const std::uint64_t count = row.count(what);
    row.expect_end(what);
    return count;
  }

  static void read_edge(Lines& lines, GraphParts& parts, std::uint64_t graph) {
    next_line(lines, "an edge", graph);
    Fields row(lines, ',');
    const auto end = [&] {
      const char* at = row.position();
      const std::uint64_t node = row.count("node");
      if (node >= parts.num_nodes) {
        lines.fail(at, fmt::format("there is no node {}: the graph's nodes are 0 to {}", node, parts.num_nodes - 1),
                   "number the nodes of every graph from 0");
      }
      return static_cast<std::uint32_t>(node);
    };
    parts.from.push_back(end());
    parts.to.push_back(end());
    row.expect_end("the two nodes of an edge");
  }

  // OGB's molecules have named columns, the same as those of SMILES strings.
  void name_columns(FeatureColumns& columns, const char* name, std::size_t width, FeatureKind kind,
                    const FeatureSchema& molecules) const {
    if (!input_.has(mapping()) || molecules.categories.size() != width) {
      return columns.add_numbered(name, width, kind);
    }
    std::vector<std::string> names;
    for (const CategoryColumn& column : molecules.categories) names.push_back(column.name);
    columns.add(names, kind);
  }

  void read_features(const Lines& lines, FeatureColumns& columns, const char* name, FeatureKind kind,
                     const FeatureSchema& molecules, std::vector<float>& out) const {
    if (columns.size() == 0) {
      const auto commas = std::count(lines.line().begin(), lines.line().end(), ',');
      name_columns(columns, name, static_cast<std::size_t>(commas) + 1, kind, molecules);
    }
    Fields row(lines, ',');
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const char* at = row.position();
      if (row.at_end()) {
        lines.fail(at, fmt::format("the line has {} values, the first line of the file has {}", c, columns.size()),
                   "give every line the same number of values");
      }
      const std::string_view text = row.text("feature");
      out.push_back(columns.value(
          c, text, [&](std::string_view message, std::string_view hint) { lines.fail(at, message, hint); }));
    }
    row.expect_end(fmt::format("{} values, as in the first line of the file", columns.size()));
  }

  // All columns of mapping/mol.csv but those that name the molecule, if they are as many as the targets.
  std::vector<std::string> target_names(std::size_t count) const {
    std::vector<std::string> names;
    if (input_.has(mapping())) {
      const CsvReader table(input_, mapping());
      for (const std::string& name : table.header()) {
        if (name != "smiles" && name != "mol_id") names.push_back(name);
      }
    }
    if (names.size() == count) return names;
    names.clear();
    for (std::size_t c = 0; c < count; ++c) names.push_back(count == 1 ? "label" : "label" + std::to_string(c));
    return names;
  }

  void read_label(const Lines& lines, std::uint64_t g) {
    values_.clear();
    std::string_view rest = lines.line();
    for (;;) {  // a blank is a value here
      const std::size_t comma = rest.find(',');
      const std::string_view field = rest.substr(0, comma);
      const std::size_t first = std::min(field.find_first_not_of(" \t"), field.size());
      values_.push_back(field.substr(first, field.find_last_not_of(" \t") + 1 - first));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    if (g == 0) {
      const std::vector<std::string> names = target_names(values_.size());
      chosen_ = choose_targets(names, options_.targets.empty() ? names : options_.targets, lines.place());
      std::vector<std::string> chosen_names;
      for (const std::size_t c : chosen_) chosen_names.push_back(names[c]);
      set_.targets.set_names(chosen_names);
      targets_in_file_ = names.size();
    }
    if (values_.size() != targets_in_file_) {
      lines.fail_line(
          fmt::format("the line has {} values, the first line of the file has {}", values_.size(), targets_in_file_),
          "give every graph the same targets; leave unknown ones blank");
    }
    for (std::size_t t = 0; t < chosen_.size(); ++t) set_.targets.add(t, values_[chosen_[t]]);
  }

  std::vector<std::size_t> read_part(const std::string& member, std::size_t graphs, std::vector<bool>& taken) const {
    std::vector<std::size_t> part;
    Lines lines(input_, member);
    while (lines.next_nonempty()) {
      Fields row(lines, ',');
      const char* at = row.position();
      const std::uint64_t graph = row.count("number of the graph");
      if (graph >= graphs) {
        lines.fail(at, fmt::format("there is no graph {}: graphs are 0 to {}", graph, graphs - 1), "check the split");
      }
      if (taken[graph]) lines.fail(at, fmt::format("graph {} is in the split twice", graph), "check the split");
      taken[graph] = true;
      part.push_back(graph);
    }
    return part;
  }

  std::optional<Split> official_split(std::size_t graphs) const {
    const auto train = input_.member_ending_in("/train.csv");
    if (!train || !train->starts_with(root_ + "split/")) return std::nullopt;
    const std::string folder = train->substr(0, train->size() - std::string_view("train.csv").size());
    std::vector<bool> taken(graphs);
    Split split;
    split.train = read_part(folder + "train.csv", graphs, taken);
    split.valid = read_part(folder + "valid.csv", graphs, taken);
    split.test = read_part(folder + "test.csv", graphs, taken);
    return split;
  }

  void keep_columns(Dataset& data) const {
    CsvReader table(input_, mapping());
    std::vector<std::size_t> columns;
    for (const std::string& name : options_.keep) columns.push_back(table.required_column(name));
    std::uint64_t rows = 0;
    for (; table.next(); ++rows) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        data.columns[options_.keep[i]].emplace_back(table.field(columns[i]));
      }
    }
    if (rows != data.graphs.size()) {
      throw Error(
          ErrorKind::kData,
          fmt::format("{} has {} rows, but there are {} graphs", input_.place(mapping()), rows, data.graphs.size()),
          "download the set again");
    }
  }

  const Input& input_;
  const DataOptions& options_;
  SetBuilder set_;
  std::string raw_, root_;  // folders, with the slash
  std::vector<std::string_view> values_;
  std::vector<std::size_t> chosen_;
  std::size_t targets_in_file_ = 0;
};

}  // namespace

Dataset read_ogb(const Input& input, const DataOptions& options) { return OgbReader(input, options).read(); }

}  // namespace agentnet
