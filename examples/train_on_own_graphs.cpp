// Trains a model on graphs that this program makes itself, tests it, and writes a model file.
//
//   train_on_own_graphs [MODEL_FILE]
//
// The task: the colours of a ring's nodes alternate, red and blue; have two neighbours changed places somewhere? That
// changes no count of nodes, edges or colours: a model has to look at who is next to whom, and agents have to find it.
#include <agentnet/config.h>
#include <agentnet/data.h>
#include <agentnet/error.h>
#include <agentnet/predict.h>
#include <agentnet/train.h>

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

// A graph is a list of edges and rows of features, like `edge_index` and `x` of a PyG Data object. There is no batch
// vector: a set keeps its graphs apart.
agentnet::Graph coloured_ring(std::uint32_t nodes, bool swapped) {
  agentnet::GraphParts parts;
  parts.num_nodes = nodes;
  parts.undirected = true;  // u - v is listed once and can be walked both ways
  for (std::uint32_t v = 0; v < nodes; ++v) {
    parts.from.push_back(v);
    parts.to.push_back((v + 1) % nodes);
    // A category is the number of a word and gets an embedding of its own; numbers would go to node_dense.
    parts.node_categories.push_back(static_cast<std::int32_t>(v % 2));
  }
  if (swapped) std::swap(parts.node_categories[0], parts.node_categories[1]);
  return agentnet::Graph(std::move(parts));
}

// What the numbers mean. It is kept in the model file, so that predictions have names.
agentnet::Schema schema() {
  agentnet::Schema schema;
  schema.task = agentnet::Task::kClassification;
  schema.targets = {"order"};
  schema.classes = {"alternating", "swapped"};
  schema.nodes.categories = {{.name = "colour", .values = {"red", "blue"}}};
  return schema;
}

// Adds rings of `smallest` to `smallest` + 8 nodes and returns their numbers in the set.
std::vector<std::size_t> add_rings(agentnet::GraphSet& graphs, int count, std::uint32_t smallest) {
  std::mt19937 random(smallest);
  std::vector<std::size_t> numbers;
  for (int i = 0; i < count; ++i) {
    const bool swapped = i % 2 == 1;
    const auto nodes = static_cast<std::uint32_t>(smallest + 2 * (random() % 5));
    const double target = swapped ? 1 : 0;  // an index into schema.classes
    numbers.push_back(graphs.size());
    graphs.add(coloured_ring(nodes, swapped), {&target, 1});
  }
  return numbers;
}

double accuracy(const agentnet::Model& model, const agentnet::Dataset& data, const std::vector<std::size_t>& part) {
  const agentnet::GraphSet graphs = data.graphs.subset(part);
  // Agents walk at random, so a prediction is the mean over several rollouts.
  const agentnet::Predictions p = agentnet::predict(model, graphs.views(), {.rollouts = 8});
  std::size_t right = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const bool says_swapped = p.mean[2 * i + 1] > p.mean[2 * i];
    right += says_swapped == (graphs.targets(i)[0] == 1);
  }
  return static_cast<double>(right) / static_cast<double>(graphs.size());
}

void run(const std::string& file) {
  agentnet::Dataset data;
  data.source = "coloured rings";
  data.schema = schema();
  agentnet::Split split;
  split.train = add_rings(data.graphs, 400, 8);
  split.valid = add_rings(data.graphs, 100, 8);  // to choose the best epoch by
  split.test = add_rings(data.graphs, 100, 18);  // larger than any that the model has learned from

  agentnet::AgentNetConfig model;  // features and outputs are filled in from the schema
  model.hidden = 16;
  model.agents = 4;
  model.steps = 8;
  agentnet::TrainConfig config;  // AdamW with the authors' schedule; the loss follows from the task
  config.epochs = 20;
  config.batch = 16;
  config.learning_rate = 3e-3;

  agentnet::TrainHooks hooks;
  hooks.on_epoch = [](const agentnet::EpochRecord& epoch) {
    if (epoch.epoch % 5 != 0) return;
    std::printf("epoch %2d   loss %.3f   validation accuracy %.2f\n", static_cast<int>(epoch.epoch), epoch.loss,
                epoch.metric.value_or(0));
  };
  const agentnet::TrainResult result = agentnet::train(data, split, model, config, /*threads=*/2, hooks);

  result.model.save(file);
  std::printf("test accuracy %.2f on %d graphs (best epoch: %d), model in %s\n",
              accuracy(result.model, data, split.test), static_cast<int>(split.test.size()),
              static_cast<int>(result.best_epoch), file.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : "rings.safetensors");
  } catch (const agentnet::Error& error) {  // what went wrong, and what to do about it
    std::fprintf(stderr, "error: %s\nhint: %s\n", error.what(), error.hint().c_str());
    return agentnet::exit_code(error.kind());
  }
}
