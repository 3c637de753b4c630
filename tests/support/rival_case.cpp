#include "support/rival_case.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <utility>

#include "agentnet/error.h"
#include "core/files/safetensors.h"
#include "support/shared_dir.h"

namespace agentnet {
namespace {

using Json = nlohmann::json;

RivalNumbers widened(const RivalIntegers& integers) {
  return {integers.shape, {integers.values.begin(), integers.values.end()}};
}

RivalNumbers reals(const TensorInfo& tensor) {
  if (tensor.dtype == Dtype::kF64) return {tensor.shape, tensor.copy<double>()};
  const std::vector<float> values = tensor.copy<float>();
  return {tensor.shape, {values.begin(), values.end()}};
}

// The rows of a table [rows, width] that are named, one after the other.
template <class T, class Out>
void append_rows(const RivalArray<T>& table, const std::vector<std::size_t>& rows, std::vector<Out>& out) {
  const std::size_t width = table.shape.size() > 1 ? table.extent(1) : 1;
  for (const std::size_t row : rows) {
    for (std::size_t c = 0; c < width; ++c) out.push_back(static_cast<Out>(table.values.at(row * width + c)));
  }
}

}  // namespace

// Reads one file, part by part.
class RivalLoader {
 public:
  explicit RivalLoader(const std::filesystem::path& path) : file_(SafetensorsFile::open(path)) {}

  RivalCase load() {
    rival_.name = text("name");
    rival_.model = text("model");
    rival_.options = json("config");
    expect(rival_.options.is_object(), "its config is not a JSON object");
    load_tensors();
    if (rival_.has("graph0.edge_index")) {
      load_enumerations();
      return std::move(rival_);
    }
    rival_.double_precision = text("dtype") == "f64";
    expect(rival_.double_precision || text("dtype") == "f32", "its dtype is " + text("dtype"));
    expect(text("mode") == "train", "its mode is " + text("mode"));
    load_graphs();
    load_targets();
    load_buffers();
    load_results();
    load_gradients();
    return std::move(rival_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kData, "rival case " + file_.source_name() + ": " + what);
  }
  void expect(bool condition, const std::string& otherwise) const {
    if (!condition) fail(otherwise);
  }

  // --- Metadata ---

  [[nodiscard]] const std::string* find_text(const std::string& key) const {
    const auto found = file_.metadata().find(key);
    return found == file_.metadata().end() ? nullptr : &found->second;
  }
  [[nodiscard]] const std::string& text(const std::string& key) const {
    const std::string* found = find_text(key);
    if (found == nullptr) fail("its metadata has no " + key);
    return *found;
  }
  [[nodiscard]] Json json(const std::string& key) const {
    Json value = Json::parse(text(key), nullptr, /*allow_exceptions=*/false);
    expect(!value.is_discarded(), "its " + key + " is not JSON");
    return value;
  }
  // The two collections call the same list by two names; a file without it has an empty one.
  [[nodiscard]] std::set<std::string> names(std::initializer_list<const char*> keys) const {
    for (const char* key : keys) {
      if (find_text(key) != nullptr) return json(key).get<std::set<std::string>>();
    }
    return {};
  }

  // --- Tensors ---

  void load_tensors() {
    const std::map<std::string, RivalTensors*> groups = {
        {"param", &rival_.parameters},    {"grad", &rival_.gradients},    {"grad_input", &rival_.input_gradients},
        {"buf0", &rival_.buffers_before}, {"buf", &rival_.buffers_after}, {"trace", &rival_.traces}};
    for (const TensorInfo& tensor : file_.tensors()) {
      const std::size_t dot = tensor.name.find('.');
      expect(dot != std::string::npos, "its tensor " + tensor.name + " belongs to no group");
      const auto group = groups.find(tensor.name.substr(0, dot));
      if (tensor.dtype == Dtype::kI64) {
        RivalIntegers integers{tensor.shape, tensor.copy<std::int64_t>()};
        if (group != groups.end()) group->second->emplace(tensor.name.substr(dot + 1), widened(integers));
        rival_.integers_.emplace(tensor.name, std::move(integers));
      } else {
        RivalNumbers numbers = reals(tensor);
        if (group != groups.end()) group->second->emplace(tensor.name.substr(dot + 1), numbers);
        rival_.numbers_.emplace(tensor.name, std::move(numbers));
      }
    }
  }

  [[nodiscard]] std::optional<RivalNumbers> find_numbers(const std::string& name) const {
    return rival_.has(name) ? std::optional(rival_.numbers(name)) : std::nullopt;
  }

  // --- Graphs ---

  // The row of edge_index whose nodes receive messages, or that a walker stands on: `from` in a Graph of ours. (The
  // notes, "Receiving row"; CRaWl walks from row 0 to row 1.)
  [[nodiscard]] std::size_t receiving_row() const {
    constexpr std::array<std::string_view, 5> kRowZero = {"gin", "kgnn1", "ppgn", "ppgn_smp", "CRaWl"};
    if (std::find(kRowZero.begin(), kRowZero.end(), rival_.model) != kRowZero.end()) return 0;
    // Convolutions over edge features are those of another library than the ones without.
    const bool sets = rival_.model == "1-2-GNN" || rival_.model == "1-2-3-GNN";
    return sets && !rival_.has("graph.edge_attr") ? 0 : 1;
  }

  void load_graphs() {
    const RivalIntegers& batch = rival_.integers("graph.batch");
    const auto num_graphs = static_cast<std::size_t>(std::stoul(text("num_graphs")));
    expect(batch.values.size() == std::stoul(text("num_nodes")), "its number of nodes is wrong");
    expect(std::is_sorted(batch.values.begin(), batch.values.end()), "its graphs are mixed up");
    std::vector<std::vector<std::size_t>> nodes(num_graphs);
    for (std::size_t node = 0; node < batch.values.size(); ++node) {
      const auto graph = static_cast<std::size_t>(batch.values[node]);
      expect(graph < num_graphs, "a node belongs to no graph");
      nodes[graph].push_back(node);
    }

    const std::size_t row = receiving_row();
    const Edges edges = edges_of(rival_.integers("graph.edge_index"), row);
    rival_.edge_rows.resize(num_graphs);
    for (std::size_t e = 0; e < edges.from.size(); ++e) {
      expect(edges.from[e] < batch.values.size() && edges.to[e] < batch.values.size(), "an edge leads nowhere");
      expect(batch.values[edges.from[e]] == batch.values[edges.to[e]], "an edge leads from one graph to another");
      rival_.edge_rows[static_cast<std::size_t>(batch.values[edges.from[e]])].push_back(e);
    }
    for (std::size_t g = 0; g < num_graphs; ++g) {
      // In the order that a Graph keeps its edges in.
      std::stable_sort(rival_.edge_rows[g].begin(), rival_.edge_rows[g].end(), [&](std::size_t a, std::size_t b) {
        return std::pair(edges.from[a], edges.to[a]) < std::pair(edges.from[b], edges.to[b]);
      });
      rival_.graphs.emplace_back(parts_of(nodes[g], edges, rival_.edge_rows[g]));
    }
    if (const std::string* directed = find_text("directed")) rival_.directed = *directed == "true";
  }

  struct Edges {
    std::vector<std::size_t> from, to;
  };
  [[nodiscard]] Edges edges_of(const RivalIntegers& index, std::size_t receiving_row) const {
    expect(index.shape.size() == 2 && index.shape[0] == 2, "its edges are no table of two rows");
    const std::size_t count = index.extent(1);
    Edges edges;
    for (std::size_t e = 0; e < count; ++e) {
      edges.from.push_back(static_cast<std::size_t>(index.values[receiving_row * count + e]));
      edges.to.push_back(static_cast<std::size_t>(index.values[(1 - receiving_row) * count + e]));
    }
    return edges;
  }

  [[nodiscard]] GraphParts parts_of(const std::vector<std::size_t>& nodes, const Edges& edges,
                                    const std::vector<std::size_t>& rows) const {
    GraphParts parts;
    parts.num_nodes = nodes.size();
    expect(!nodes.empty(), "a graph has no nodes");
    for (const std::size_t e : rows) {
      parts.from.push_back(static_cast<std::uint32_t>(edges.from[e] - nodes.front()));
      parts.to.push_back(static_cast<std::uint32_t>(edges.to[e] - nodes.front()));
    }
    if (rival_.has("graph.pos")) {
      add_positions(nodes, parts);
    } else {
      add_features("graph.x", nodes, parts.node_dense, parts.node_dense64, parts.node_categories);
    }
    add_features("graph.edge_attr", rows, parts.edge_dense, parts.edge_dense64, parts.edge_categories);
    return parts;
  }

  void add_features(const std::string& name, const std::vector<std::size_t>& rows, std::vector<float>& dense,
                    std::vector<double>& dense64, std::vector<std::int32_t>& categories) const {
    if (const auto found = rival_.integers_.find(name); found != rival_.integers_.end()) {
      append_rows(found->second, rows, categories);
    } else if (const auto numbers = rival_.numbers_.find(name); numbers != rival_.numbers_.end()) {
      if (rival_.double_precision) {
        append_rows(numbers->second, rows, dense64);
      } else {
        append_rows(numbers->second, rows, dense);
      }
    }
  }

  // Positions are the last columns of a node's numbers.
  void add_positions(const std::vector<std::size_t>& nodes, GraphParts& parts) const {
    for (const std::size_t node : nodes) {
      for (const char* name : {"graph.x", "graph.pos"}) {
        add_features(name, {node}, parts.node_dense, parts.node_dense64, parts.node_categories);
      }
    }
  }

  void load_targets() {
    static const std::map<std::string, RivalLoss> kLosses = {{"ce", RivalLoss::kCrossEntropy},
                                                             {"nll_logits", RivalLoss::kCrossEntropy},
                                                             {"nll_sum_logits", RivalLoss::kCrossEntropySum},
                                                             {"nll", RivalLoss::kLogLikelihood},
                                                             {"bce", RivalLoss::kBinaryCrossEntropy},
                                                             {"mse", RivalLoss::kSquaredError},
                                                             {"l1", RivalLoss::kAbsoluteError},
                                                             {"l1_sum", RivalLoss::kAbsoluteErrorSum}};
    const auto found = kLosses.find(text("loss"));
    if (found == kLosses.end()) fail("its loss is " + text("loss"));
    rival_.loss = found->second;
    rival_.targets = rival_.numbers("graph.y");
    expect(rival_.targets.extent(0) == rival_.graphs.size(), "its targets are not one per graph");
  }

  // --- What is computed ---

  // Files of the first collection begin with running statistics of 0 and 1 and do not say so.
  void load_buffers() {
    if (rival_.buffers_before.empty()) {
      for (const auto& [name, after] : rival_.buffers_after) {
        RivalNumbers before = after;
        const bool variance = name.ends_with("running_var");
        expect(variance || name.ends_with("running_mean"), "its buffer " + name + " is no running statistic");
        std::fill(before.values.begin(), before.values.end(), variance ? 1.0 : 0.0);
        rival_.buffers_before.emplace(name, std::move(before));
      }
    }
    expect(same_shapes(rival_.buffers_before, rival_.buffers_after), "its buffers before and after differ");
  }
  [[nodiscard]] static bool same_shapes(const RivalTensors& a, const RivalTensors& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      return x.first == y.first && x.second.shape == y.second.shape;
    });
  }

  void load_results() {
    rival_.output = rival_.numbers("out.final");
    expect(rival_.output.extent(0) == rival_.graphs.size(), "its outputs are not one row per graph");
    rival_.loss_value = rival_.numbers("out.loss").values.at(0);
    rival_.auxiliary_output = find_numbers("out.aux");
    rival_.evaluation_output = find_numbers("out.eval");
    rival_.auxiliary_evaluation_output = find_numbers("out.eval_aux");
    if (find_text("dropout") != nullptr) rival_.dropout = json("dropout").get<std::vector<double>>();
  }

  void load_gradients() {
    rival_.unreached = names({"params_without_grad"});
    rival_.zero_gradients = names({"params_zero_grad", "grad_rounding_noise"});
    rival_.largest_gradient = std::stod(text("grad_absmax"));
    for (const auto& [name, parameter] : rival_.parameters) {
      const auto gradient = rival_.gradients.find(name);
      expect((gradient == rival_.gradients.end()) == rival_.unreached.contains(name),
             "it is not clear whether its parameter " + name + " has a gradient");
      if (gradient == rival_.gradients.end()) continue;
      expect(gradient->second.shape == parameter.shape, "the gradient of " + name + " has another shape");
    }
    for (const auto& [name, gradient] : rival_.gradients) {
      expect(rival_.parameters.contains(name), "it has a gradient of " + name + ", but no such parameter");
    }
    for (const std::string& name : rival_.zero_gradients) {
      expect(rival_.gradients.contains(name), "it has no gradient of " + name + " that could be zero");
    }
  }

  // --- Enumerations ---

  void load_enumerations() {
    for (std::size_t g = 0; rival_.has("graph" + std::to_string(g) + ".edge_index"); ++g) {
      const std::string graph = "graph" + std::to_string(g), group = "enum" + std::to_string(g) + ".";
      RivalEnumeration found;
      found.labels = rival_.integers(graph + ".labels").values;
      std::vector<std::size_t> nodes(found.labels.size());
      std::iota(nodes.begin(), nodes.end(), std::size_t{0});
      const Edges edges = edges_of(rival_.integers(graph + ".edge_index"), /*receiving_row=*/0);
      std::vector<std::size_t> rows(edges.from.size());
      std::iota(rows.begin(), rows.end(), std::size_t{0});
      found.graph = Graph(parts_of(nodes, edges, rows));
      constexpr std::string_view kNodes = ".set_nodes";
      for (const auto& [name, array] : rival_.integers_) {
        if (!name.starts_with(group) || !name.ends_with(kNodes)) continue;
        const std::string listing = name.substr(0, name.size() - kNodes.size());
        found.sets.emplace(listing.substr(group.size()),
                           RivalSets{array, rival_.integers(listing + ".assignment"),
                                     rival_.integers(listing + ".edge_index"), rival_.integers(listing + ".iso_raw")});
      }
      expect(!found.sets.empty(), "it lists no sets of graph " + std::to_string(g));
      found.pairs_in_triples = rival_.integers(group + "assignment_2to3");
      rival_.enumerations.push_back(std::move(found));
    }
  }

  SafetensorsFile file_;
  RivalCase rival_;
};

RivalCase load_rival_case(const std::filesystem::path& path) { return RivalLoader(path).load(); }

void RivalCase::fail(const std::string& what) const {
  throw Error(ErrorKind::kData, "rival case " + name + ": " + what);
}

const RivalIntegers& RivalCase::integers(const std::string& tensor) const {
  const auto found = integers_.find(tensor);
  if (found == integers_.end()) fail("it has no integers " + tensor);
  return found->second;
}

std::vector<std::string> RivalCase::names() const {
  std::vector<std::string> all;
  for (const auto& [key, tensor] : integers_) all.push_back(key);
  for (const auto& [key, tensor] : numbers_) all.push_back(key);
  return all;
}

RivalNumbers RivalCase::numbers(const std::string& tensor) const {
  if (const auto found = numbers_.find(tensor); found != numbers_.end()) return found->second;
  return widened(integers(tensor));
}

std::vector<GraphView> RivalCase::views() const {
  std::vector<GraphView> views;
  for (const Graph& graph : graphs) views.push_back(graph.view());
  return views;
}

std::optional<std::vector<std::filesystem::path>> rival_files() {
  std::filesystem::path folder;
  if (const char* named = std::getenv("AGENTNET_RIVALS_DIR"); named != nullptr && *named != '\0') {
    folder = named;
  } else if (const auto shared = shared_dir()) {
    folder = *shared / "golden" / "rivals" / "public";
    if (!std::filesystem::is_directory(folder)) return std::nullopt;
  } else {
    return std::nullopt;
  }
  return recorded_cases(folder);
}

}  // namespace agentnet
