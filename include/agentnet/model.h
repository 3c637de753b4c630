// A model: what it is, its weights, and running it on graphs.
//
//   agentnet::Model model = agentnet::Model::load("model.safetensors");
//   std::vector<float> outputs = model.run(graphs, {.seed = 1});   // [graphs, config().outputs], raw
//
// Running is stochastic by nature: agents sample their moves. The same seed and rollout number give
// the same bytes on the same machine, for any number of threads and whatever else is in the batch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agentnet/graph.h"
#include "agentnet/network.h"

namespace agentnet {

// What travels with the weights besides the config.
struct ModelCard {
  std::string task;                      // "classification", "multilabel", "regression", or empty
  std::vector<std::string> label_names;  // of the outputs, in their order; may be empty
  std::string schema;                    // JSON: the columns, categories and classes of the training data; may be empty
  std::string reading;                   // JSON: the options that the training data was read with; may be empty
  std::map<std::string, std::string> training;  // free text: data, seed, metrics, ...

  bool operator==(const ModelCard&) const = default;
};

struct RunOptions {
  std::uint64_t seed = 0;
  std::uint64_t rollout = 0;  // another number, other walks
  bool greedy = false;        // every agent takes its likeliest move
  double temperature = 0;     // 0: the model's own; does not change which moves are likely
  int max_neighbours = -1;    // of nodes with more, a uniform sample of so many; 0: all; negative: the model's own
  int threads = 1;
  // Numbers that key the random draws of each graph; empty: 0, 1, 2, ...
  std::vector<std::uint64_t> graph_ids = {};
  // Called every few graphs, by any of the threads; what it throws ends the run and comes out of it.
  std::function<void()> may_end = {};
};

// A parameter tensor: its name, its shape, and where it starts in Model::parameters().
struct ParameterInfo {
  std::string name;
  std::vector<std::int64_t> shape;
  std::size_t offset = 0;
  bool trainable = true;
};

// A trained network of any kind. Many threads may call const functions of one model at once: run(), and predict() and
// explain() on top of it; whoever changes a model (card(), set_parameters(), assignment) must be alone with it. A model
// that was moved from can be destroyed and assigned to; anything else throws std::logic_error.
class Model {
 public:
  // A new model with starting weights drawn from `seed`. Throws Error (kUsage) for a config that is not valid.
  Model(const NetworkConfig& config, std::uint64_t seed);
  ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  // Reads a model file (docs/model-file.md). Throws Error (kData) if it is damaged: missing or unknown tensors, wrong
  // shapes, a checksum that does not match, a version this program does not know.
  [[nodiscard]] static Model load(const std::filesystem::path& path);
  // Writes atomically and durably: the file is complete or untouched. Throws Error (kFailure). load() gives back the
  // same bits.
  void save(const std::filesystem::path& path) const;

  // Kind, all options, and the shape of its data; agentnet_config() of agentnet/config.h makes an AgentNet's of it.
  [[nodiscard]] const NetworkConfig& config() const;
  [[nodiscard]] int outputs() const { return config().shape.outputs; }  // C
  // One line for a person: "AgentNet with 16 agents, 8 steps, hidden size 64".
  [[nodiscard]] std::string description() const;
  // Whether answers depend on random draws, so that rollouts are averaged.
  [[nodiscard]] bool draws() const;
  // Whether agents walk, so that walks can be asked for, replayed and explained.
  [[nodiscard]] bool walks() const;
  [[nodiscard]] const ModelCard& card() const;
  [[nodiscard]] ModelCard& card();

  // All weights in one array, and its map.
  [[nodiscard]] std::span<const float> parameters() const;
  [[nodiscard]] std::vector<ParameterInfo> parameter_infos() const;
  // Replaces all weights; throws Error (kUsage) if the number of values is not the model's.
  void set_parameters(std::span<const float> values);

  // One rollout on each graph: raw outputs [graphs, C], row by row (logits for classes, numbers for regression);
  // `walks` and `work` may be null. Throws Error: kMismatch if a graph's features do not fit the model, kData if the
  // file that a graph lies in is damaged or was changed meanwhile, kUsage for walks and options of walks where the
  // model does not walk.
  [[nodiscard]] std::vector<float> run(std::span<const GraphView> graphs, const RunOptions& options,
                                       Walks* walks = nullptr, RunWork* work = nullptr) const;

 private:
  friend struct ModelInside;  // src/nets/model_inside.h
  struct Impl;
  explicit Model(std::unique_ptr<Impl> impl);
  [[nodiscard]] Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace agentnet
