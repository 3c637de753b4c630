#include <algorithm>
#include <cmath>
#include <optional>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/formats/writers.h"
#include "data/io/lines.h"
#include "data/io/output.h"
#include "graph/set_arrays.h"

namespace agentnet {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kUsage, fmt::format("tu cannot hold {}", what), "write csv, jsonl or agentset");
}

void check(const Dataset& data) {
  const Schema& schema = data.schema;
  const auto check_labels = [](const FeatureSchema& features, const char* owner) {
    for (const CategoryColumn& column : features.categories) {
      for (const std::string& value : column.values) {
        const auto number = to_integer(value);
        if (!number || std::to_string(*number) != value)
          refuse(fmt::format("the {} label {}, which is no whole number", owner, in_quotes(value)));
      }
    }
  };
  check_labels(schema.nodes, "node");
  check_labels(schema.edges, "edge");
  if (schema.task != Task::kClassification) return;
  for (const std::string& name : schema.classes) {
    if (name.find_first_of("\r\n") != std::string::npos) refuse("the class name " + in_quotes(name));
  }
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    if (std::isnan(data.graphs.targets(g)[0])) refuse("a graph without a label");
  }
}

bool has_words(const Schema& schema) {
  return schema.task == Task::kClassification &&
         std::any_of(schema.classes.begin(), schema.classes.end(), [](const std::string& name) {
           const auto number = to_integer(name);
           return !number || std::to_string(*number) != name;
         });
}

class TuWriter {
 public:
  TuWriter(const Dataset& data, const std::filesystem::path& path)
      : data_(data),
        folder_(path),
        name_(path.has_filename() ? path.filename().string() : path.parent_path().filename().string()),
        named_classes_(has_words(data.schema)) {}

  void write() {
    write_graphs();
    write_edges();
    write_nodes();
    folder_.commit();
  }

 private:
  [[nodiscard]] std::filesystem::path file(const char* kind) const {
    return folder_.file(fmt::format("{}_{}.txt", name_, kind));
  }

  void write_graphs() {
    const std::size_t targets = data_.schema.targets.size();
    TextOutput indicator(file("graph_indicator"));
    std::optional<TextOutput> out;
    if (targets > 0)
      out.emplace(file(data_.schema.task == Task::kClassification ? "graph_labels" : "graph_attributes"));
    for (std::size_t g = 0; g < data_.graphs.size(); ++g) {
      for (std::uint64_t u = 0; u < data_.graphs.view(g).num_nodes; ++u) indicator.print("{}\n", g + 1);
      for (std::size_t t = 0; t < targets; ++t) {
        const std::string text =
            named_classes_ ? fmt::format("{}", data_.graphs.targets(g)[t]) : target_text(data_, g, t);
        out->print("{}{}", t > 0 ? ", " : "", text.empty() ? "nan" : text);
      }
      if (out) out->write("\n");
    }
    indicator.commit();
    if (out) out->commit();
    if (named_classes_) write_class_names();
  }

  // Other readers of this layout take labels for numbers: words get one each, and their names a file of their own.
  void write_class_names() {
    TextOutput out(file("class_names"));
    for (std::size_t c = 0; c < data_.schema.classes.size(); ++c) out.print("{} {}\n", c, data_.schema.classes[c]);
    out.commit();
  }

  // The rows of labels and attributes, one file each if there are any.
  struct RowFiles {
    std::optional<TextOutput> labels, attributes;
    const FeatureSchema& schema;

    void write(const CategoryRows& categories, const DenseRows& dense, std::uint64_t row) {
      for (std::size_t c = 0; labels && c < schema.categories.size(); ++c) {
        const auto number = static_cast<std::size_t>(categories.row(row)[c]);
        labels->print("{}{}", c > 0 ? ", " : "", schema.categories[c].values.at(number));
      }
      if (labels) labels->write("\n");
      const auto width = static_cast<std::size_t>(dense.width);
      for (std::size_t c = 0; attributes && c < width; ++c) {
        attributes->print("{}{}", c > 0 ? ", " : "", dense_text(dense.f32[dense.start(row) + c]));
      }
      if (attributes) attributes->write("\n");
    }
    void commit() {
      if (labels) labels->commit();
      if (attributes) attributes->commit();
    }
  };

  void write_nodes() {
    RowFiles files{{}, {}, data_.schema.nodes};
    if (!data_.schema.nodes.categories.empty()) files.labels.emplace(file("node_labels"));
    if (!data_.schema.nodes.dense.empty() && !only_constant_features(data_))
      files.attributes.emplace(file("node_attributes"));
    for (std::size_t g = 0; g < data_.graphs.size(); ++g) {
      const GraphView graph = data_.graphs.view(g);
      for (std::uint64_t u = 0; u < graph.num_nodes; ++u) files.write(graph.node_categories, graph.node_dense, u);
    }
    files.commit();
  }

  void write_edges() {
    TextOutput pairs(file("A"));
    RowFiles files{{}, {}, data_.schema.edges};
    if (!data_.schema.edges.categories.empty()) files.labels.emplace(file("edge_labels"));
    if (!data_.schema.edges.dense.empty()) files.attributes.emplace(file("edge_attributes"));
    std::uint64_t first = 1;
    for (std::size_t g = 0; g < data_.graphs.size(); ++g) {
      const GraphView graph = data_.graphs.view(g);
      for_each_edge(graph, [&](std::uint64_t u, std::uint64_t v, std::uint64_t row) {
        pairs.print("{}, {}\n", first + u, first + v);
        files.write(graph.edge_categories, graph.edge_dense, row);
      });
      first += graph.num_nodes;
    }
    pairs.commit();
    files.commit();
  }

  const Dataset& data_;
  OutputFolder folder_;
  std::string name_;
  bool named_classes_;  // some class is not spelled as a whole number
};

}  // namespace

LeftOut write_tu(const Dataset& data, const std::filesystem::path& path) {
  check(data);
  TuWriter(data, path).write();
  return left_out(data);
}

}  // namespace agentnet
