#include "agentnet/explain.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "agentnet/error.h"
#include "core/thread_pool.h"
#include "explain/counterfactual.h"
#include "explain/walk_tally.h"
#include "nets/agentnet/agentnet.h"
#include "nets/agentnet/engine.h"
#include "nets/model_inside.h"
#include "predict/draw_keys.h"
#include "predict/reading.h"
#include "predict/rollout_average.h"

namespace agentnet {
namespace {

constexpr std::size_t kChunk = 64;  // graphs that are explained together
constexpr int kPilotRollouts = 8;   // that guess which of many classes will be predicted

void check(const Model& model, const ExplainOptions& options) {
  const auto refuse = [](const std::string& what, const std::string& hint) {
    throw Error(ErrorKind::kUsage, what, hint);
  };
  if (options.walks.rollouts < 1) refuse("an explanation without rollouts explains nothing", "take at least one");
  if (options.walks.threads < 1) refuse("nobody works with 0 threads", "take at least one");
  if (options.walks.confidence != 0) {
    refuse("explanations take a fixed number of rollouts", "leave the confidence out");
  }
  if (options.output >= model.outputs()) {
    refuse("the model has no output " + std::to_string(options.output),
           "its outputs are 0 to " + std::to_string(model.outputs() - 1));
  }
  if (options.fidelity < 0 || options.fidelity >= 1) {
    refuse("fidelity needs a share of the nodes between 0 and 1", "0.2 is a good choice");
  }
  if (options.fidelity > 0 && !options.influence) {
    refuse("fidelity needs the influence of nodes", "ask for influence as well");
  }
}

// What is explained is a walk.
const AgentNet<float>& walker(const Model& model) {
  if (const auto* network = dynamic_cast<const AgentNet<float>*>(ModelInside::network(model).get())) return *network;
  throw Error(ErrorKind::kMismatch, "explanations show where agents walked, and the model is " + model.description(),
              "give a model of kind 'agentnet'");
}

std::size_t likeliest(std::span<const double> row) {
  return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

// The explanations of graphs that are run together.
class Chunk {
 public:
  Chunk(const Model& model, Engine<float>& engine, std::span<const GraphView> graphs,
        std::span<const std::uint64_t> keys, std::uint64_t first, const ExplainOptions& options)
      : model_(model),
        engine_(engine),
        graphs_(graphs),
        keys_(keys),
        first_(first),
        options_(options),
        task_(task_of(model)),
        average_(task_, model.outputs(), graphs.size()) {
    for (const GraphView& graph : graphs) tallies_.emplace_back(graph, options.most_nodes);
  }

  std::vector<Explanation> run() {
    choose_outputs();
    for (int r = 0; r < options_.walks.rollouts; ++r) run_rollout(r);
    std::vector<Explanation> all(graphs_.size());
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      const auto predicted = static_cast<int>(likeliest(mean_of(g)));
      if (guessed_ && predicted != explained_[g]) {  // which is rare: once more, about the right class
        ExplainOptions again = options_;
        again.output = predicted;
        all[g] = std::move(
            Chunk(model_, engine_, graphs_.subspan(g, 1), keys_.subspan(g, 1), first_ + g, again).run().front());
      } else {
        finish(g, all[g]);
      }
    }
    return all;
  }

 private:
  [[nodiscard]] std::size_t outputs() const { return static_cast<std::size_t>(model_.outputs()); }
  // Of two classes, what speaks for one speaks against the other: which is meant can be decided at the end.
  [[nodiscard]] bool two_classes() const {
    return options_.output < 0 && task_ == Task::kClassification && outputs() == 2;
  }

  [[nodiscard]] std::span<const double> mean_of(std::size_t g) const {
    return std::span(average_.mean()).subspan(g * outputs(), outputs());
  }

  void choose_outputs() {
    explained_.assign(graphs_.size(), std::max(options_.output, two_classes() ? 1 : 0));
    if (options_.output >= 0 || two_classes() || task_ != Task::kClassification) return;
    PredictOptions pilot = options_.walks;
    pilot.rollouts = std::min(pilot.rollouts, kPilotRollouts);
    guessed_ = true;
    const Predictions said = predict_with_keys(model_, graphs_, keys_, pilot);
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      explained_[g] = static_cast<int>(likeliest(std::span(said.mean).subspan(g * outputs(), outputs())));
    }
  }

  void run_rollout(int r) {
    RolloutOptions rollout{.seed = options_.walks.seed,
                           .epoch = static_cast<std::uint64_t>(r),
                           .greedy = options_.walks.greedy,
                           .max_neighbours = options_.walks.max_neighbours};
    if (options_.walks.may_end) rollout.may_end = &options_.walks.may_end;
    LossFunction<float> score;
    if (options_.influence) {
      score = [&](std::size_t first, std::size_t count, Matrix<const float>, Matrix<float> d_outputs) {
        for (std::size_t g = 0; g < count; ++g) {
          explained_score_gradient(task_, {d_outputs.row(static_cast<Index>(g)), outputs()}, explained_[first + g]);
        }
        return 0.0;
      };
    }
    const WalkTally::What what{engine_.config(), task_, options_.influence, r < options_.recorded};
    std::vector<float> raw(graphs_.size() * outputs());
    engine_.explain(
        {graphs_, keys_}, rollout, score, [&](std::size_t first, std::size_t count, const Rollout<float>& walked) {
          WalkTally::add(std::span(tallies_).subspan(first, count), walked, what);
          for (std::size_t g = 0; g < count; ++g) {
            std::copy_n(walked.outputs().row(static_cast<Index>(g)), outputs(), raw.data() + (first + g) * outputs());
          }
        });
    average_.add(raw);
  }

  void finish(std::size_t g, Explanation& explanation) {
    explanation.graph = first_ + g;
    explanation.draw_key = keys_[g];
    explanation.rollouts = options_.walks.rollouts;
    const auto row = [&](const std::vector<double>& values) {
      const auto part = std::span(values).subspan(g * outputs(), outputs());
      return std::vector<double>(part.begin(), part.end());
    };
    explanation.mean = row(average_.mean());
    explanation.walk_spread = row(average_.walk_spread());
    explanation.output = explained_[g];
    tallies_[g].finish(explanation);
    if (two_classes() && likeliest(explanation.mean) == 0) {
      explanation.output = 0;
      for (double& value : explanation.influence) value = -value;
      for (ExplainedEdge& edge : explanation.edges) edge.influence = -edge.influence;
    }
    if (!options_.influence) explanation.influence.clear();
    if (explanation.nodes.size() < graphs_[g].num_nodes) return;  // only a part is known
    PredictOptions again = options_.walks;
    if (graphs_[g].num_nodes <= options_.leave_one_out) leave_one_out(model_, graphs_[g], again, explanation);
    if (options_.fidelity > 0) measure_fidelity(model_, graphs_[g], again, options_.fidelity, explanation);
  }

  const Model& model_;
  Engine<float>& engine_;
  std::span<const GraphView> graphs_;
  std::span<const std::uint64_t> keys_;  // of random draws
  std::uint64_t first_;                  // number of the first graph
  const ExplainOptions& options_;
  Task task_;
  RolloutAverage average_;
  std::vector<WalkTally> tallies_;
  std::vector<int> explained_;
  bool guessed_ = false;  // by a few rollouts
};

}  // namespace

std::vector<Explanation> explain(const Model& model, std::span<const GraphView> graphs, const ExplainOptions& options) {
  check(model, options);
  const AgentNet<float>& network = walker(model);
  ThreadPool pool(options.walks.threads);
  Engine<float> engine(network.agentnet_config(), pool);
  engine.use(static_cast<const AgentNetPrepared<float>&>(ModelInside::prepared(model)).weights());
  const std::vector<std::uint64_t> keys = draw_keys(graphs, options.walks);
  std::vector<Explanation> all;
  for (std::size_t first = 0; first < graphs.size(); first += kChunk) {
    const std::size_t count = std::min(kChunk, graphs.size() - first);
    Chunk chunk(model, engine, graphs.subspan(first, count), std::span(keys).subspan(first, count),
                options.walks.first_graph + first, options);
    for (Explanation& explanation : chunk.run()) all.push_back(std::move(explanation));
  }
  return all;
}

}  // namespace agentnet
