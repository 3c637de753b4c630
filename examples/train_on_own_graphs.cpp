// Trains a model on graphs that this program makes itself, tests it, and writes a model file.
//
//   train_on_own_graphs [MODEL_FILE]
//
// The task: the colours of a ring's nodes alternate, red and blue; have two neighbours changed places somewhere? That
// changes no count of nodes, edges or colours: a model has to look at who is next to whom, and agents have to find it.
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

agentnet::Dataset rings(int count) {
  agentnet::Dataset data;
  data.source = "coloured rings";
  // What the numbers mean. It is kept in the model file, so that predictions have names.
  data.schema.task = agentnet::Task::kClassification;
  data.schema.targets = {"order"};
  data.schema.classes = {"alternating", "swapped"};
  data.schema.nodes.categories = {{.name = "colour", .values = {"red", "blue"}}};

  std::mt19937 random(1);
  for (int i = 0; i < count; ++i) {
    const bool swapped = i % 2 == 1;
    const auto nodes = static_cast<std::uint32_t>(2 * (4 + random() % 5));
    const double target = swapped ? 1 : 0;  // an index into schema.classes
    data.graphs.add(coloured_ring(nodes, swapped), {&target, 1});
  }
  return data;
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
  const agentnet::Dataset data = rings(600);
  agentnet::Split split;  // to learn from, to choose the best epoch by, to test on
  for (std::size_t i = 0; i < data.graphs.size(); ++i) {
    (i < 400 ? split.train : i < 500 ? split.valid : split.test).push_back(i);
  }

  agentnet::ModelConfig model;  // features and outputs are filled in from the schema
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
