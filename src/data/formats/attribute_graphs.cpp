#include "data/formats/attribute_graphs.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "agentnet/error.h"
#include "core/text.h"

namespace agentnet {
namespace {

constexpr std::uint64_t kMostNodes = std::uint64_t{1} << 32;
constexpr std::size_t kMostColumns = 100000;
constexpr std::array<std::string_view, 4> kUsualTargets = {"y", "label", "class", "target"};

}  // namespace

AttributeGraphs::AttributeGraphs(const DataOptions& options, Where where)
    : options_(options), where_(std::move(where)), set_(options) {}

void AttributeGraphs::fail(const char* at, std::string_view message, std::string_view hint) const {
  throw Error(ErrorKind::kData, fmt::format("{}: {}", where_(at), message), std::string(hint));
}

std::uint32_t AttributeGraphs::column(Columns& columns, std::string_view name) {
  if (const auto found = columns.places.find(name)) return static_cast<std::uint32_t>(*found);
  columns.places.add(name);
  columns.names.emplace_back(name);
  return static_cast<std::uint32_t>(columns.names.size() - 1);
}

void AttributeGraphs::begin_graph(const char* at, bool directed) {
  directed_ = directed;
  graph_at_ = at;
  id_.clear();
  numbers_.clear();
  nodes_.clear();
  edges_.clear();
  values_.clear();
}

void AttributeGraphs::begin_node(std::string_view id, const char* at) {
  if (nodes_.size() + 1 >= kMostNodes) fail(at, "the graph has more than 2^32 nodes", "split the graph");
  if (!numbers_.try_emplace(std::string(id), static_cast<std::uint32_t>(nodes_.size())).second) {
    fail(at, fmt::format("the node {} is there twice", in_quotes(id)), "give every node its own id");
  }
  nodes_.emplace_back().at = at;
  in_edge_ = false;
}

void AttributeGraphs::begin_edge(std::string_view from, std::string_view to, const char* from_at, const char* to_at) {
  Edge& edge = edges_.emplace_back();
  edge.at = edge.from_at = from_at;
  edge.to_at = to_at;
  edge.from = std::string(from);
  edge.to = std::string(to);
  in_edge_ = true;
}

void AttributeGraphs::attribute(std::string_view name, std::string_view text, Spelled spelled, const char* at) {
  Columns& columns = in_edge_ ? edge_columns_ : node_columns_;
  std::vector<Value>& values = in_edge_ ? edges_.back().values : nodes_.back().values;
  const std::uint32_t c = column(columns, name);
  if (columns.names.size() > kMostColumns) {
    fail(at, fmt::format("there are more than {} different attributes", kMostColumns), "is the file damaged?");
  }
  values.push_back({c, spelled, std::string(text), at});
}

void AttributeGraphs::graph_value(std::string_view name, std::string_view text, const char* at) {
  values_.push_back({column(graph_columns_, name), Spelled::kPlain, std::string(text), at});
  if (graph_columns_.names.size() > kMostColumns) {
    fail(at, fmt::format("there are more than {} different attributes", kMostColumns), "is the file damaged?");
  }
}

void AttributeGraphs::set_default(bool node, std::string_view name, std::string_view text) {
  Columns& columns = node ? node_columns_ : edge_columns_;
  static_cast<void>(column(columns, name));
  columns.defaults[std::string(name)] = std::string(text);
}

void AttributeGraphs::left_out(std::string_view what) {
  constexpr std::size_t kMost = 1000;
  if (left_out_.size() >= kMost || std::find(left_out_.begin(), left_out_.end(), what) != left_out_.end()) return;
  left_out_.emplace_back(what);
}

void AttributeGraphs::end_graph() {
  Graph& graph = graphs_.emplace_back();
  graph.at = graph_at_;
  graph.id = std::exchange(id_, {});
  const auto number = [this](const std::string& id, const char* at) {
    const auto found = numbers_.find(id);
    if (found == numbers_.end()) {
      fail(at, fmt::format("the graph has no node {}", in_quotes(id)), "list the node, or leave the edge out");
    }
    return found->second;
  };
  for (Edge& edge : edges_) {
    graph.from.push_back(number(edge.from, edge.from_at));
    graph.to.push_back(number(edge.to, edge.to_at));
    graph.one_way.push_back(edge.directed.value_or(directed_) ? 1 : 0);
    graph.edges.push_back({std::move(edge.values), edge.at});
  }
  graph.nodes = std::exchange(nodes_, {});
  graph.values = std::exchange(values_, {});
  edges_.clear();
}

// Takes the attribute `name` away from all nodes if it is a name in every graph, and some graph has two nodes.
void AttributeGraphs::drop_names(std::string_view name) {
  const auto place = node_columns_.places.find(name);
  if (!place) return;
  bool several = false;
  for (const Graph& graph : graphs_) {
    std::unordered_set<std::string_view> seen;
    std::size_t named = 0;
    for (const Element& node : graph.nodes) {
      for (const Value& value : node.values) {
        if (value.column != *place) continue;
        ++named;
        if (!seen.insert(value.text).second) return;  // two nodes share it: it says something
      }
    }
    several = several || named > 1;
  }
  if (!several) return;
  for (Graph& graph : graphs_) {
    for (Element& node : graph.nodes) std::erase_if(node.values, [&](const Value& v) { return v.column == *place; });
  }
  Columns others;
  std::vector<std::uint32_t> moved;
  for (const std::string& other : node_columns_.names) {
    moved.push_back(other == name ? 0 : column(others, other));
  }
  others.defaults = std::move(node_columns_.defaults);
  for (Graph& graph : graphs_) {
    for (Element& node : graph.nodes) {
      for (Value& value : node.values) value.column = moved[value.column];
    }
  }
  node_columns_ = std::move(others);
}

void AttributeGraphs::add_rows(const std::vector<Element>& elements, const Columns& columns, FeatureColumns& features,
                               std::vector<float>& rows, const char* owner) {
  std::vector<const Value*> row(columns.names.size());
  for (const Element& element : elements) {
    std::fill(row.begin(), row.end(), nullptr);
    for (const Value& value : element.values) {
      if (row[value.column] != nullptr) {
        fail(value.at, fmt::format("the {} has two values of {}", owner, in_quotes(columns.names[value.column])),
             "leave one of them out");
      }
      row[value.column] = &value;
    }
    filled_.listed(1 + element.values.size());
    if (!filled_.allow(row.size() - element.values.size())) {
      fail(element.at, "the attributes of all elements together stand for far more values than the file holds",
           "give all elements the same few attributes");
    }
    for (std::size_t c = 0; c < row.size(); ++c) {
      const Value* const value = row[c];
      const char* const at = value != nullptr ? value->at : element.at;
      const auto failing = [&](std::string_view message, std::string_view hint) { fail(at, message, hint); };
      const auto missing = [&](std::string_view, std::string_view) {
        fail(at, fmt::format("the {} has no {}, unlike others", owner, in_quotes(columns.names[c])),
             fmt::format("give every {0} a value, or leave the attribute out with --{0}-columns", owner));
      };
      if (value == nullptr) {
        const auto usual = columns.defaults.find(columns.names[c]);
        rows.push_back(usual != columns.defaults.end() ? features.value(c, usual->second, failing)
                                                       : features.value(c, "", missing));
      } else if (value->spelled == Spelled::kText) {
        rows.push_back(features.word(c, value->text, failing));
      } else {
        rows.push_back(features.value(c, value->text, failing));
      }
    }
  }
}

void AttributeGraphs::choose_targets_of(const std::string& source) {
  const std::vector<std::string>& names = graph_columns_.names;
  kept_ = choose_targets(names, options_.keep, source);
  if (options_.task == Task::kNone) return;
  targets_ = choose_targets(names, options_.targets, source);
  for (const std::string_view usual : kUsualTargets) {
    if (!targets_.empty() || !options_.targets.empty()) break;
    if (const auto found = graph_columns_.places.find(usual)) targets_.push_back(*found);
  }
  std::vector<std::string> target_names;
  for (const std::size_t c : targets_) target_names.push_back(names[c]);
  set_.targets.set_names(target_names);
}

void AttributeGraphs::add_graph(const Graph& graph) {
  GraphParts parts;
  parts.num_nodes = graph.nodes.size();
  parts.from = graph.from;
  parts.to = graph.to;
  add_rows(graph.nodes, node_columns_, set_.nodes, parts.node_dense, "node");
  add_rows(graph.edges, edge_columns_, set_.edges, parts.edge_dense, "edge");
  if (options_.direction != Direction::kDirected) {
    const std::size_t width = edge_columns_.names.size();
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      if (graph.one_way[e] != 0 || graph.from[e] == graph.to[e]) continue;
      parts.from.push_back(graph.to[e]);
      parts.to.push_back(graph.from[e]);
      for (std::size_t c = 0; c < width; ++c) parts.edge_dense.push_back(parts.edge_dense[e * width + c]);
    }
  }
  set_.add(std::move(parts), graph.id, [&] { return where_(graph.at); });
  const auto value = [&](std::size_t c) -> const Value* {
    const auto found =
        std::find_if(graph.values.begin(), graph.values.end(), [&](const Value& v) { return v.column == c; });
    return found != graph.values.end() ? &*found : nullptr;
  };
  for (std::size_t t = 0; t < targets_.size(); ++t) {
    const Value* const own = value(targets_[t]);
    set_.targets.add(t, own != nullptr ? own->text : "", [&] { return where_(own != nullptr ? own->at : graph.at); });
  }
  for (const std::size_t c : kept_) {
    const Value* const own = value(c);
    kept_values_[graph_columns_.names[c]].push_back(own != nullptr ? own->text : "");
  }
}

Dataset AttributeGraphs::finish(const std::string& source, const std::string& format) {
  if (!name_attribute_.empty()) drop_names(name_attribute_);
  set_.nodes.add(node_columns_.names, options_.node_features);
  set_.edges.add(edge_columns_.names, options_.edge_features);
  choose_targets_of(source);
  for (Graph& graph : graphs_) {
    add_graph(graph);
    graph = {};  // what has become a graph is not held twice
  }
  Dataset data = std::move(set_).finish(source, format);
  data.columns = std::move(kept_values_);
  std::vector<std::string> unused;
  for (std::size_t c = 0; c < graph_columns_.names.size(); ++c) {
    const auto taken = [&](const std::vector<std::size_t>& columns) {
      return std::find(columns.begin(), columns.end(), c) != columns.end();
    };
    if (!taken(targets_) && !taken(kept_)) unused.push_back(graph_columns_.names[c]);
  }
  unused.insert(unused.end(), left_out_.begin(), left_out_.end());
  if (!unused.empty()) data.notes.push_back(fmt::format("not used: {}", list_some(unused)));
  return data;
}

}  // namespace agentnet
