#include "data/tables/fingerprint.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/files/checksum.h"
#include "core/files/mapped_file.h"
#include "data/tables/schema_json.h"
#include "graph/set_file_layout.h"

namespace agentnet {
namespace {

// The header and the table of sections at the beginning of a graph set file, in which every section has its checksum.
constexpr std::size_t kSetTable = sizeof(SetHeader) + kMostSections * sizeof(SetSection);

}  // namespace

std::string fingerprint(const Dataset& data) {
  Checksum sum;
  const auto add = [&](const void* bytes, std::size_t size) {
    sum.update({static_cast<const std::byte*>(bytes), size});
  };
  const auto add_rows = [&](const auto* values, std::uint64_t rows, int width) {
    if (values != nullptr) add(values, rows * static_cast<std::uint64_t>(width) * sizeof(*values));
  };
  const auto add_dense = [&](const DenseRows& dense, std::uint64_t rows) {
    add_rows(dense.f32, dense.same ? 1 : rows, dense.width);
    add_rows(dense.f64, dense.same ? 1 : rows, dense.width);
  };
  const std::string schema = schema_to_json(data.schema);
  add(schema.data(), schema.size());
  const MappedFile* file = nullptr;
  for (std::size_t g = 0; g < data.graphs.size(); ++g) {
    const GraphView view = data.graphs.view(g);
    const std::uint64_t nodes = view.num_nodes, edges = view.num_edges();
    const std::array<std::uint64_t, 2> sizes = {nodes, edges};
    add(sizes.data(), sizeof(sizes));
    const auto targets = data.graphs.targets(g);
    add(targets.data(), targets.size_bytes());
    if (view.file != nullptr) {
      if (std::exchange(file, view.file) != view.file) {
        const auto bytes = view.file->bytes();
        add(bytes.data(), std::min(bytes.size(), kSetTable));
      }
      continue;
    }
    add_rows(view.offsets, nodes + 1, 1);
    add_rows(view.neighbours, edges, 1);
    add_rows(view.wide_neighbours, edges, 1);
    if (view.edge_rows != nullptr) add_rows(view.edge_rows, edges + 1, 1);
    const std::uint64_t edge_rows = view.edge_feature_rows();
    add_dense(view.node_dense, nodes);
    add_rows(view.node_categories.data, nodes, view.node_categories.width);
    add_dense(view.edge_dense, edge_rows);
    add_rows(view.edge_categories.data, edge_rows, view.edge_categories.width);
  }
  return sum.hex();
}

}  // namespace agentnet
