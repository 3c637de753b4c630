// A user who has graphs in arrays and never names a file but the model's: training, a model file, prediction; and what
// a library without its helpers says where it would need one.
#include <agentnet/config.h>
#include <agentnet/data.h>
#include <agentnet/error.h>
#include <agentnet/predict.h>
#include <agentnet/train.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace {

// Two triangles, or one ring of six.
agentnet::Graph six_nodes(bool ring) {
  agentnet::GraphParts parts;
  parts.num_nodes = 6;
  parts.undirected = true;
  for (std::uint32_t v = 0; v < 6; ++v) {
    parts.from.push_back(v);
    parts.to.push_back(ring ? (v + 1) % 6 : (v / 3) * 3 + (v + 1) % 3);
  }
  return agentnet::Graph(parts);
}

// What happens to a file of three bytes that say that it is packed.
std::string packed_file(const std::string& path) {
  std::ofstream(path, std::ios::binary) << "\x1f\x8b\x08";
  try {
    (void)agentnet::read_data(path, {});
    return "read";
  } catch (const agentnet::Error& error) {
    return error.kind() == agentnet::ErrorKind::kUsage ? "cannot be unpacked" : "is damaged";
  }
}

}  // namespace

// usage: training FOLDER
int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  agentnet::Dataset data;
  data.schema.task = agentnet::Task::kClassification;
  data.schema.targets = {"shape"};
  data.schema.classes = {"triangles", "ring"};
  for (int i = 0; i < 64; ++i) {
    const double target = i % 2;
    data.graphs.add(six_nodes(i % 2 == 1), {&target, 1});
  }
  agentnet::AgentNetConfig network;
  network.hidden = 8;
  network.agents = 1;
  network.steps = 6;
  agentnet::TrainConfig config;
  config.epochs = 2;
  const agentnet::Split split = agentnet::make_split(data, "stratified:0.8,0.1,0.1");
  const agentnet::TrainResult result = agentnet::train(data, split, network, config);
  result.model.save(folder + "/trained.safetensors");
  const agentnet::Model model = agentnet::Model::load(folder + "/trained.safetensors");
  const agentnet::Predictions first = agentnet::predict(result.model, data.graphs.views(), {.rollouts = 2});
  const agentnet::Predictions second = agentnet::predict(model, data.graphs.views(), {.rollouts = 2});
  std::printf("%d epochs; a saved model predicts the %s; a packed file %s\n", static_cast<int>(result.history.size()),
              first.mean == second.mean ? "same" : "other", packed_file(folder + "/packed.gz").c_str());
}
