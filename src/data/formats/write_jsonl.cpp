#include <nlohmann/json.hpp>

#include "core/text.h"
#include "data/formats/writers.h"
#include "data/io/lines.h"
#include "data/io/output.h"
#include "graph/set_arrays.h"

namespace agentnet {
namespace {

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// How each category of a column is written: plain where that reads back the same, else in quotes.
std::vector<std::vector<std::string>> category_texts(const FeatureSchema& schema) {
  std::vector<std::vector<std::string>> texts;
  for (const CategoryColumn& column : schema.categories) {
    std::vector<std::string>& values = texts.emplace_back();
    for (const std::string& value : column.values) {
      const bool plain = to_integer(value) && reads_back_as_category(value) && column.values.size() <= 256;
      values.push_back(plain ? value : json_string(value));
    }
  }
  return texts;
}

class JsonlWriter {
 public:
  JsonlWriter(const Dataset& data, const std::filesystem::path& path)
      : data_(data),
        out_(path),
        node_texts_(category_texts(data.schema.nodes)),
        edge_texts_(category_texts(data.schema.edges)),
        with_nodes_(!only_constant_features(data)),
        with_ids_(has_distinct_ids(data.graphs)) {}

  void write() {
    for (std::size_t g = 0; g < data_.graphs.size(); ++g) write_graph(g);
    out_.commit();
  }

 private:
  void write_graph(std::size_t g) {
    const GraphView graph = data_.graphs.view(g);
    out_.write("{");
    if (with_ids_ && !data_.graphs.id(g).empty()) out_.print("\"id\":{},", json_string(data_.graphs.id(g)));
    out_.print("\"num_nodes\":{},\"edge_index\":[[", graph.num_nodes);
    write_list([&](const auto& item) { for_each_edge(graph, [&](auto u, auto, auto) { item("{}", u); }); });
    out_.write("],[");
    write_list([&](const auto& item) { for_each_edge(graph, [&](auto, auto v, auto) { item("{}", v); }); });
    out_.write("]]");
    if (with_nodes_) {
      out_.write(",\"node_feat\":[");
      for (std::uint64_t u = 0; u < graph.num_nodes; ++u) {
        if (u > 0) out_.write(",");
        write_row(graph.node_categories, graph.node_dense, u, node_texts_);
      }
      out_.write("]");
    }
    if (graph.edge_dense.width > 0 || graph.edge_categories.width > 0) {
      out_.write(",\"edge_attr\":[");
      bool first = true;
      for_each_edge(graph, [&](auto, auto, std::uint64_t row) {
        if (!first) out_.write(",");
        first = false;
        write_row(graph.edge_categories, graph.edge_dense, row, edge_texts_);
      });
      out_.write("]");
    }
    write_notes(data_.graphs.notes(g));
    write_targets(g);
    for (const auto& [name, values] : data_.columns) out_.print(",{}:{}", json_string(name), json_string(values[g]));
    out_.write("}\n");
  }

  template <class F>
  void write_list(const F& produce) {
    bool first = true;
    produce([&](fmt::format_string<std::uint64_t&> format, std::uint64_t value) {
      if (!first) out_.write(",");
      first = false;
      out_.print(format, value);
    });
  }

  void write_row(const CategoryRows& categories, const DenseRows& dense, std::uint64_t row,
                 const std::vector<std::vector<std::string>>& texts) {
    out_.write("[");
    const char* comma = "";
    for (std::size_t c = 0; c < texts.size(); ++c) {
      out_.print("{}{}", comma, texts[c].at(static_cast<std::size_t>(categories.row(row)[c])));
      comma = ",";
    }
    for (int c = 0; c < dense.width; ++c) {
      const float value = dense.f32[dense.start(row) + static_cast<std::uint64_t>(c)];
      out_.print("{}{}", comma, dense_text(value));
      comma = ",";
    }
    out_.write("]");
  }

  void write_notes(const NodeNotes& notes) {
    if (!notes.positions.empty()) {
      out_.write(",\"pos\":[");
      for (std::size_t i = 0; i < notes.positions.size(); i += 3) {
        out_.print("{}[{},{},{}]", i > 0 ? "," : "", notes.positions[i], notes.positions[i + 1],
                   notes.positions[i + 2]);
      }
      out_.write("]");
    }
    if (!notes.marks.empty()) out_.print(",\"node_marks\":[{}]", join_text(notes.marks, ","));
  }

  void write_targets(std::size_t g) {
    const std::size_t count = data_.schema.targets.size();
    if (count == 0) return;
    out_.write(",\"y\":[");
    for (std::size_t t = 0; t < count; ++t) {
      const std::string text = target_text(data_, g, t);
      const bool number = data_.schema.task != Task::kClassification || to_number(text).has_value();
      out_.print("{}{}", t > 0 ? "," : "", text.empty() ? "null" : number ? text : json_string(text));
    }
    out_.write("]");
  }

  const Dataset& data_;
  TextOutput out_;
  std::vector<std::vector<std::string>> node_texts_, edge_texts_;
  bool with_nodes_, with_ids_;
};

}  // namespace

LeftOut write_jsonl(const Dataset& data, const std::filesystem::path& path) {
  JsonlWriter(data, path).write();
  LeftOut held = {"positions", "node marks", "columns"};
  if (has_distinct_ids(data.graphs)) held.emplace_back("ids");
  return left_out(data, held);
}

}  // namespace agentnet
