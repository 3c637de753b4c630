#include <algorithm>

#include "agentnet/error.h"
#include "core/text.h"
#include "data/formats/writers.h"
#include "data/io/lines.h"
#include "data/io/output.h"
#include "data/tables/symmetry.h"

namespace agentnet {
namespace {

// Text as it stands between tags or in a value: what XML cannot hold throws.
std::string escaped(std::string_view text) {
  const bool utf8 = valid_utf8_prefix(text) == text.size();
  const bool control = std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
  if (!utf8 || control) {
    throw Error(ErrorKind::kUsage, fmt::format("graphml cannot hold the text {}", in_quotes(text)), "write agentset");
  }
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\t':
      case '\n':
      case '\r':
        out += fmt::format("&#{};", static_cast<int>(c));
        break;
      default:
        out += c;
    }
  }
  return out;
}

// Whole numbers as such, so that they keep their order; a reader takes more than 256 of them for no categories.
const char* type_of(const std::vector<std::string>& spellings) {
  const bool whole = std::all_of(spellings.begin(), spellings.end(), [](const std::string& value) {
    return to_integer(value).has_value() && reads_back_as_category(value);
  });
  return whole && spellings.size() <= 256 ? "long" : "string";
}

class GraphmlWriter {
 public:
  GraphmlWriter(const Dataset& data, const std::filesystem::path& path)
      : data_(data), out_(path), with_nodes_(!only_constant_features(data)) {}

  void write() {
    out_.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out_.write("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    if (with_nodes_) write_keys("node", "n", data_.schema.nodes);
    write_keys("edge", "e", data_.schema.edges);
    write_graph_keys();
    for (std::size_t g = 0; g < data_.graphs.size(); ++g) write_graph(g);
    out_.write("</graphml>\n");
    out_.commit();
  }

 private:
  void write_key(const char* owner, const std::string& id, const std::string& name, const char* type) {
    out_.print("  <key id=\"{}\" for=\"{}\" attr.name=\"{}\" attr.type=\"{}\"/>\n", id, owner, escaped(name), type);
  }

  void write_keys(const char* owner, const char* letter, const FeatureSchema& schema) {
    std::size_t number = 0;
    for (const CategoryColumn& column : schema.categories) {
      write_key(owner, fmt::format("{}{}", letter, number++), column.name, type_of(column.values));
    }
    for (const std::string& name : schema.dense) {
      write_key(owner, fmt::format("{}{}", letter, number++), name, "float");
    }
  }

  void write_graph_keys() {
    const Schema& schema = data_.schema;
    const char* type = schema.task == Task::kClassification ? type_of(schema.classes)
                       : schema.task == Task::kMultilabel   ? "int"
                                                            : "double";
    for (std::size_t t = 0; t < schema.targets.size(); ++t) {
      write_key("graph", fmt::format("y{}", t), schema.targets[t], type);
    }
    std::size_t number = 0;
    for (const auto& [name, values] : data_.columns) write_key("graph", fmt::format("c{}", number++), name, "string");
  }

  void write_graph(std::size_t g) {
    const GraphView graph = data_.graphs.view(g);
    const bool once = is_symmetric(graph);
    out_.write("  <graph");
    if (!data_.graphs.id(g).empty()) out_.print(" id=\"{}\"", escaped(data_.graphs.id(g)));
    out_.print(" edgedefault=\"{}\">\n", once ? "undirected" : "directed");
    for (std::size_t t = 0; t < data_.schema.targets.size(); ++t) {
      const std::string text = target_text(data_, g, t);
      if (!text.empty()) out_.print("    <data key=\"y{}\">{}</data>\n", t, escaped(text));
    }
    std::size_t number = 0;
    for (const auto& [name, values] : data_.columns) {
      out_.print("    <data key=\"c{}\">{}</data>\n", number++, escaped(values[g]));
    }
    const bool node_rows = with_nodes_ && (graph.node_categories.width > 0 || graph.node_dense.width > 0);
    for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
      out_.print("    <node id=\"{}\"", u);
      close("node", node_rows, [&] { write_row("n", data_.schema.nodes, graph.node_categories, graph.node_dense, u); });
    }
    const bool edge_rows = graph.edge_categories.width > 0 || graph.edge_dense.width > 0;
    for_each_edge(graph, [&](std::uint64_t u, std::uint64_t v, std::uint64_t row) {
      if (once && u > v) return;
      out_.print("    <edge source=\"{}\" target=\"{}\"", u, v);
      close("edge", edge_rows,
            [&] { write_row("e", data_.schema.edges, graph.edge_categories, graph.edge_dense, row); });
    });
    out_.write("  </graph>\n");
  }

  template <class F>
  void close(const char* element, bool has_row, const F& row) {
    if (!has_row) {
      out_.write("/>\n");
      return;
    }
    out_.write(">");
    row();
    out_.print("</{}>\n", element);
  }

  void write_row(const char* letter, const FeatureSchema& schema, const CategoryRows& categories,
                 const DenseRows& dense, std::uint64_t row) {
    std::size_t number = 0;
    for (std::size_t c = 0; c < schema.categories.size(); ++c) {
      const std::string& value = schema.categories[c].values.at(static_cast<std::size_t>(categories.row(row)[c]));
      out_.print("<data key=\"{}{}\">{}</data>", letter, number++, escaped(value));
    }
    for (int c = 0; c < dense.width; ++c) {
      const float value = dense.f32[dense.start(row) + static_cast<std::uint64_t>(c)];
      out_.print("<data key=\"{}{}\">{}</data>", letter, number++, dense_text(value));
    }
  }

  const Dataset& data_;
  TextOutput out_;
  bool with_nodes_;
};

}  // namespace

LeftOut write_graphml(const Dataset& data, const std::filesystem::path& path) {
  GraphmlWriter(data, path).write();
  return left_out(data, {"ids", "columns"});
}

}  // namespace agentnet
