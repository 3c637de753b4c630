#include "support/golden_case.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "agentnet/error.h"
#include "core/files/safetensors.h"
#include "nets/agentnet/parameters.h"
#include "support/golden_config.h"
#include "support/shared_dir.h"

namespace agentnet {
namespace {

std::vector<double> reals(const TensorInfo& tensor) {
  if (tensor.dtype == Dtype::kF64) return tensor.copy<double>();
  const std::vector<float> values = tensor.copy<float>();
  return {values.begin(), values.end()};
}

std::vector<double> rows_of(const std::vector<double>& table, std::size_t width, const std::vector<std::size_t>& rows) {
  std::vector<double> picked;
  for (const std::size_t row : rows) {
    if ((row + 1) * width > table.size()) throw Error(ErrorKind::kData, "golden case: a table has too few rows");
    const auto first = table.begin() + static_cast<std::ptrdiff_t>(row * width);
    picked.insert(picked.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  return picked;
}

}  // namespace

// Reads one file, part by part.
class GoldenLoader {
 public:
  explicit GoldenLoader(const std::filesystem::path& path) : file_(SafetensorsFile::open(path)) {}

  GoldenCase load() {
    golden_.name = text("name");
    expect(text("format") == "agentnet-golden-1", "its format is " + text("format"));
    golden_.double_precision = text("dtype") == "f64";
    expect(golden_.double_precision || text("dtype") == "f32", "its dtype is " + text("dtype"));
    golden_.has_gradients = text("has_grad") == "true";
    golden_.largest_gradient = std::stod(text("grad_absmax"));
    golden_.config = golden_config(file_);
    agents_ = static_cast<std::size_t>(golden_.config.agents);
    load_graphs();
    load_targets();
    load_randomness();
    load_parameters();
    load_results();
    if (golden_.has_gradients) load_input_gradients();
    return std::move(golden_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::kData, "golden case " + file_.source_name() + ": " + what);
  }
  void expect(bool condition, const std::string& otherwise) const {
    if (!condition) fail(otherwise);
  }
  [[nodiscard]] const std::string& text(const std::string& key) const { return golden_metadata(file_, key); }
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name) const {
    return file_.at(name).copy<std::int64_t>();
  }
  // Integer features too: the caller knows which kind they are.
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const {
    const TensorInfo& tensor = file_.at(name);
    if (tensor.dtype != Dtype::kI64) return reals(tensor);
    const std::vector<std::int64_t> values = tensor.copy<std::int64_t>();
    return {values.begin(), values.end()};
  }

  void load_graphs() {
    graph_of_node_ = integers("graph.batch");
    const auto num_graphs = static_cast<std::size_t>(std::stoul(text("num_graphs")));
    nodes_.resize(num_graphs);
    edges_.resize(num_graphs);
    for (std::size_t node = 0; node < graph_of_node_.size(); ++node) nodes_.at(graph_at(node)).push_back(node);

    const std::vector<std::int64_t> ends = integers("graph.edge_index");
    const std::size_t num_edges = ends.size() / 2;
    const auto from = [&](std::size_t e) { return static_cast<std::size_t>(ends[e]); };
    const auto to = [&](std::size_t e) { return static_cast<std::size_t>(ends[num_edges + e]); };
    for (std::size_t e = 0; e < num_edges; ++e) {
      expect(graph_at(from(e)) == graph_at(to(e)), "an edge leads from one graph to another");
      edges_[graph_at(from(e))].push_back(e);
    }
    for (std::size_t g = 0; g < num_graphs; ++g) {
      // In the order that a Graph keeps its edges in, so that row r of its features is edge edges_[g][r].
      std::stable_sort(edges_[g].begin(), edges_[g].end(), [&](std::size_t a, std::size_t b) {
        return std::pair(from(a), to(a)) < std::pair(from(b), to(b));
      });
      GraphParts parts;
      parts.num_nodes = nodes_[g].size();
      for (const std::size_t e : edges_[g]) {
        parts.from.push_back(static_cast<std::uint32_t>(local(from(e))));
        parts.to.push_back(static_cast<std::uint32_t>(local(to(e))));
      }
      add_features("graph.x", nodes_[g], parts.node_dense, parts.node_dense64, parts.node_categories);
      if (golden_.config.has_edges()) {
        add_features("graph.edge_attr", edges_[g], parts.edge_dense, parts.edge_dense64, parts.edge_categories);
      }
      const GraphParts given = parts;
      golden_.graphs.emplace_back(std::move(parts));
      check_edge_rows(golden_.graphs.back().view(), given);
    }
  }

  void add_features(const std::string& name, const std::vector<std::size_t>& rows, std::vector<float>& dense,
                    std::vector<double>& dense64, std::vector<std::int32_t>& categories) const {
    const TensorInfo& tensor = file_.at(name);
    expect(tensor.shape.size() == 2, name + " is no table");
    const std::vector<double> values = rows_of(numbers(name), static_cast<std::size_t>(tensor.shape[1]), rows);
    if (tensor.dtype == Dtype::kI64) {
      for (const double v : values) categories.push_back(static_cast<std::int32_t>(v));
    } else if (tensor.dtype == Dtype::kF64) {
      dense64 = values;
    } else {
      for (const double v : values) dense.push_back(static_cast<float>(v));
    }
  }

  // The expected gradients of edge features are put in the same order; see to it that it is the right one.
  void check_edge_rows(const GraphView& view, const GraphParts& given) const {
    const auto width = static_cast<std::size_t>(view.edge_dense.width);
    std::vector<double> row(width);
    for (std::size_t r = 0; width > 0 && r < given.from.size(); ++r) {
      view.edge_dense.copy(r, row.data());
      for (std::size_t c = 0; c < width; ++c) {
        const std::size_t at = r * width + c;
        const double expected = given.edge_dense64.empty() ? given.edge_dense[at] : given.edge_dense64[at];
        expect(row[c] == expected, "the graph keeps the features of its edges in an order of its own");
      }
    }
  }

  void load_targets() {
    const std::string& loss = text("loss");
    if (loss == "nll")
      golden_.loss = GoldenLoss::kCrossEntropy;
    else if (loss == "bce")
      golden_.loss = GoldenLoss::kBinaryCrossEntropy;
    else if (loss == "mse")
      golden_.loss = GoldenLoss::kSquaredError;
    else
      fail("its loss is " + loss);
    golden_.targets = numbers("graph.y");
    const auto columns = golden_.loss == GoldenLoss::kCrossEntropy ? 1U : static_cast<unsigned>(golden_.config.outputs);
    expect(golden_.targets.size() == nodes_.size() * columns, "its targets do not fit its graphs");
  }

  void load_randomness() {
    const std::vector<std::int64_t> starts = integers("rng.init_pos");
    expect(starts.size() == nodes_.size() * agents_, "its start positions do not fit its agents");
    for (std::size_t a = 0; a < starts.size(); ++a) {
      golden_.noise.starts_[{a / agents_, static_cast<int>(a % agents_)}] = local_of_agent(a, starts[a]);
    }
    const std::vector<std::int64_t> step = integers("rng.noise.step"), agent = integers("rng.noise.agent"),
                                    node = integers("rng.noise.node");
    const std::vector<double> value = numbers("rng.noise.value"), logit = numbers("trace.logit");
    for (std::size_t i = 0; i < value.size(); ++i) {
      const auto a = static_cast<std::size_t>(agent.at(i));
      const GoldenNoise::Key key = {a / agents_, static_cast<int>(a % agents_), static_cast<int>(step.at(i)),
                                    local_of_agent(a, node.at(i))};
      expect(golden_.noise.draws_.emplace(key, GoldenDraw{value[i], logit.at(i)}).second, "a draw is there twice");
    }
  }

  void load_parameters() {
    const ParameterLayout layout = agentnet_layout(golden_.config);
    golden_.parameters.resize(layout.size());
    const std::set<std::string> unreached = golden_names(file_, "params_without_grad");
    const std::set<std::string> frozen = golden_names(file_, "params_frozen");
    std::set<std::string> used;
    for (const GoldenParameter& p : golden_parameters(golden_.config, layout)) {
      used.insert(p.name);
      const TensorInfo& tensor = file_.at("param." + p.name);
      expect(std::equal(tensor.shape.begin(), tensor.shape.end(), p.shape.begin(), p.shape.end()),
             "param." + p.name + " is of another shape");
      const std::vector<double> values = reals(tensor);
      std::copy(values.begin(), values.end(), golden_.parameters.begin() + static_cast<std::ptrdiff_t>(p.offset));
      if (!golden_.has_gradients || frozen.contains(p.name)) continue;
      const bool zero = p.name == "key.0.bias" || p.name == "key.1.bias";
      if (unreached.contains(p.name)) {
        golden_.gradients.push_back({p.name, p.offset, std::vector<double>(values.size(), 0.0), zero});
      } else {
        golden_.gradients.push_back({p.name, p.offset, reals(file_.at("grad." + p.name)), zero});
        expect(golden_.gradients.back().values.size() == values.size(), "grad." + p.name + " is of another shape");
      }
    }
    for (const TensorInfo& tensor : file_.tensors()) {
      if (!tensor.name.starts_with("param.")) continue;
      const std::string name = tensor.name.substr(6);
      // A case without gradients has nobody to tell which parameters count; its outputs do.
      if (used.contains(name) || unreached.contains(name) || frozen.contains(name) || !golden_.has_gradients) continue;
      fail("the reference uses its parameter " + name + ", our model has none like it");
    }
  }

  void load_results() {
    const std::vector<std::int64_t> positions = integers("out.pos");
    const std::size_t batch_agents = nodes_.size() * agents_;
    expect(positions.size() == (static_cast<std::size_t>(golden_.config.steps) + 1) * batch_agents,
           "out.pos is of another shape");
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (i % batch_agents == 0) golden_.positions.emplace_back();
      golden_.positions.back().push_back(local_of_agent(i % batch_agents, positions[i]));
    }
    golden_.step_readouts = numbers("out.step_readout");
    golden_.final_output = numbers("out.final");
    golden_.loss_value = numbers("out.loss").at(0);
    golden_.agent_states = numbers("trace.agent_emb");
    if (file_.find("trace.node_emb") != nullptr) golden_.node_states = numbers("trace.node_emb");
  }

  void load_input_gradients() {
    for (std::size_t g = 0; g < nodes_.size(); ++g) {
      golden_.node_feature_gradients.push_back(input_gradient("x", golden_.config.node_features, nodes_[g]));
      golden_.edge_feature_gradients.push_back(input_gradient("edge_attr", golden_.config.edge_features, edges_[g]));
    }
  }

  [[nodiscard]] std::vector<double> input_gradient(const std::string& input, int width,
                                                   const std::vector<std::size_t>& rows) const {
    if (width == 0) return {};
    return rows_of(numbers("grad_input." + input), static_cast<std::size_t>(width), rows);
  }

  [[nodiscard]] std::size_t graph_at(std::size_t node) const {
    return static_cast<std::size_t>(graph_of_node_.at(node));
  }
  [[nodiscard]] std::uint64_t local(std::size_t node) const { return node - nodes_[graph_at(node)].front(); }
  [[nodiscard]] std::uint64_t local_of_agent(std::size_t agent, std::int64_t node) const {
    const auto at = static_cast<std::size_t>(node);
    expect(graph_at(at) == agent / agents_, "an agent is outside its graph");
    return local(at);
  }

  SafetensorsFile file_;
  GoldenCase golden_;
  std::size_t agents_ = 0;                       // k
  std::vector<std::int64_t> graph_of_node_;      // [nodes of the batch]
  std::vector<std::vector<std::size_t>> nodes_;  // [B]: its nodes in the batch
  std::vector<std::vector<std::size_t>> edges_;  // [B]: its edges in the batch, in the order of its Graph
};

GoldenCase load_golden_case(const std::filesystem::path& path) { return GoldenLoader(path).load(); }

std::uint64_t GoldenNoise::start(std::size_t graph, int agent) const {
  const auto found = starts_.find({graph, agent});
  if (found == starts_.end()) throw Error(ErrorKind::kMismatch, "no recorded start of this agent");
  return found->second;
}

double GoldenNoise::noise(std::size_t graph, int agent, int step, std::uint64_t node) const {
  const auto found = draws_.find({graph, agent, step, node});
  if (found != draws_.end()) return found->second.value;
  throw Error(ErrorKind::kMismatch, "no recorded draw for graph " + std::to_string(graph) + ", agent " +
                                        std::to_string(agent) + ", step " + std::to_string(step) + ", node " +
                                        std::to_string(node));
}

std::vector<GraphView> GoldenCase::views() const {
  std::vector<GraphView> views;
  for (const Graph& graph : graphs) views.push_back(graph.view());
  return views;
}

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files = recorded_cases(committed_golden_dir());
  std::filesystem::path folder;
  if (const char* named = std::getenv("AGENTNET_GOLDEN_DIR"); named != nullptr && *named != '\0') {
    folder = named;
  } else if (const auto shared = shared_dir()) {
    folder = *shared / "golden" / "public";
    if (!std::filesystem::is_directory(folder)) return files;
  } else {
    return files;
  }
  const auto others = recorded_cases(folder);
  files.insert(files.end(), others.begin(), others.end());
  return files;
}

}  // namespace agentnet
