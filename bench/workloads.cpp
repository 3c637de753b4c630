#include "workloads.h"

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <optional>

#include "core/files/safetensors.h"
#include "core/random.h"

namespace agentnet {

namespace {

std::optional<std::filesystem::path> shared_perf() {
  const char* named = std::getenv("AGENTNET_SHARED_DIR");
  const std::filesystem::path root = named != nullptr
                                         ? std::filesystem::path(named)
                                         : std::filesystem::path(AGENTNET_SOURCE_DIR).parent_path() / "shared";
  const auto perf = root / "perf";
  if (std::filesystem::is_directory(perf)) return perf;
  return std::nullopt;
}

struct Shape {
  const char* name;
  const char* file;  // of the recorded graphs
  std::vector<int> hidden;
  int agents, steps, features;
  // For graphs of the same shape: how many, mean nodes, mean degree, and whether a few hubs hold most edges.
  std::uint32_t graphs, nodes;
  double degree;
  bool hubs;
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"mutag", "mutag.safetensors", {32, 64, 128}, 18, 16, 7, 32, 16, 2.2, false},
      {"dd64", "dd64.safetensors", {64}, 284, 8, 89, 32, 257, 5.0, false},
      {"reddit64", "reddit64.safetensors", {64}, 350, 4, 1, 8, 514, 2.3, true},
      {"wl128", "wl128.safetensors", {128}, 16, 16, 1, 300, 16, 6.0, false},
  };
  return all;
}

AgentNetConfig config_of(const Shape& shape, int hidden) {
  AgentNetConfig c;
  c.hidden = hidden;
  c.agents = shape.agents;
  c.steps = shape.steps;
  c.node_features = shape.features;
  c.outputs = 2;
  return c;
}

// The graphs of a recorded batch: node ids are global in the file.
void load(const std::filesystem::path& path, Workload& w) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  const auto batch = file.at("graph.batch").copy<std::int64_t>();
  const auto edges = file.at("graph.edge_index").copy<std::int64_t>();
  const auto x = file.at("graph.x").copy<float>();
  const auto y = file.at("graph.y").copy<std::int64_t>();
  const std::size_t count = edges.size() / 2, width = x.size() / batch.size();
  std::vector<GraphParts> parts(y.size());
  std::vector<std::int64_t> first(y.size(), -1);
  for (std::size_t n = 0; n < batch.size(); ++n) {
    const auto g = static_cast<std::size_t>(batch[n]);
    if (first[g] < 0) first[g] = static_cast<std::int64_t>(n);
    ++parts[g].num_nodes;
    parts[g].node_dense.insert(parts[g].node_dense.end(), x.begin() + static_cast<std::ptrdiff_t>(n * width),
                               x.begin() + static_cast<std::ptrdiff_t>((n + 1) * width));
  }
  for (std::size_t e = 0; e < count; ++e) {
    const auto g = static_cast<std::size_t>(batch[static_cast<std::size_t>(edges[e])]);
    parts[g].from.push_back(static_cast<std::uint32_t>(edges[e] - first[g]));
    parts[g].to.push_back(static_cast<std::uint32_t>(edges[count + e] - first[g]));
  }
  for (auto& p : parts) w.graphs.emplace_back(std::move(p));
  w.labels.assign(y.begin(), y.end());
  w.recorded = true;
}

// Random graphs of the same shape: a tree, for connectedness, and random edges up to the degree; with hubs, new nodes
// prefer to attach to the first few.
void make(const Shape& shape, Workload& w) {
  RandomSequence random(1, Purpose::kData);
  for (std::uint32_t g = 0; g < shape.graphs; ++g) {
    GraphParts p;
    p.undirected = true;
    p.num_nodes = shape.nodes;
    const auto node = [&](std::uint32_t below) {
      const bool hub = shape.hubs && random.uniform() < 0.8;
      return static_cast<std::uint32_t>(random.below(hub ? std::min<std::uint32_t>(below, 2) : below));
    };
    const auto wanted = static_cast<std::size_t>(shape.degree * shape.nodes / 2);
    for (std::uint32_t v = 1; v < shape.nodes; ++v) {
      p.from.push_back(v);
      p.to.push_back(node(v));
    }
    while (p.from.size() < wanted) {
      const auto v = static_cast<std::uint32_t>(1 + random.below(shape.nodes - 1));
      p.from.push_back(v);
      p.to.push_back(node(v));
    }
    const auto width = static_cast<std::size_t>(shape.features);
    p.node_dense.assign(static_cast<std::size_t>(shape.nodes) * width, width == 1 ? 1.0F : 0.0F);
    for (std::size_t v = 0; width > 1 && v < shape.nodes; ++v) p.node_dense[v * width + random.below(width)] = 1;
    w.graphs.emplace_back(std::move(p));
    w.labels.push_back(static_cast<double>(g % 2));
  }
}

}  // namespace

std::vector<GraphView> Workload::views() const {
  std::vector<GraphView> all;
  for (const Graph& g : graphs) all.push_back(g.view());
  return all;
}

std::vector<Workload> training_workloads() {
  std::vector<Workload> all;
  const auto recorded = shared_perf();
  for (const Shape& shape : shapes()) {
    for (const int hidden : shape.hidden) {
      Workload w;
      w.name = shape.name;
      w.config = config_of(shape, hidden);
      if (recorded) {
        load(*recorded / shape.file, w);
      } else {
        make(shape, w);
      }
      all.push_back(std::move(w));
    }
  }
  return all;
}

Graph regular_graph(std::uint32_t nodes, int degree, std::uint64_t seed) {
  GraphParts p;
  p.undirected = true;
  p.num_nodes = nodes;
  RandomSequence random(seed, Purpose::kData);
  std::vector<std::uint32_t> order(nodes);
  std::iota(order.begin(), order.end(), 0U);
  for (int cycle = 0; cycle < degree / 2; ++cycle) {  // a union of random cycles through all nodes
    random.shuffle(order);
    for (std::uint32_t i = 0; i < nodes; ++i) {
      p.from.push_back(order[i]);
      p.to.push_back(order[(i + 1) % nodes]);
    }
  }
  p.node_dense.assign(nodes, 1.0F);
  return Graph(std::move(p));
}

double minimal_gflop(const AgentNetConfig& c, std::size_t graphs, const RolloutWork& work, bool training) {
  const double h = c.hidden, m = c.width, wide = 2 * m * h, visits = c.steps + 1.0;
  const double agents = static_cast<double>(graphs) * c.agents;
  const double block = 2 * (2 * h) * wide + 2 * wide * h;  // two parts of h columns in, h out
  double forward = 0;
  forward +=
      static_cast<double>(work.occupied) * block + static_cast<double>(graphs) * visits * 2 * h * wide;  // node update
  forward += static_cast<double>(work.looking) * block;                                          // neighbourhood
  forward += agents * visits * block;                                                            // agent update
  forward += agents * c.steps * 2 * h * (2 * h) + static_cast<double>(work.candidates) * 2 * h;  // move
  forward +=
      agents * visits * 2 * h * (2 * h) + static_cast<double>(graphs) * visits * 2 * (4 * h) * c.outputs;  // readout
  forward += static_cast<double>(work.nodes_touched) * 2 * (2 * h) * h;  // input projection, second layer
  const double first = static_cast<double>(work.nodes_touched) * 2 * c.node_features * (2 * h);
  // The first layer of the projection has no gradient to hand on.
  return (training ? 3 * forward + 2 * first : forward + first) * 1e-9;
}

}  // namespace agentnet
