#include "support/model_variants.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace agentnet {
namespace {

std::vector<ModelVariant> make_variants() {
  constexpr auto kAgent = Exploration::kAgent;
  constexpr auto kRandom = MovePolicy::kRandom;
  constexpr auto kEveryNode = StartPolicy::kEveryNode;
  std::vector<ModelVariant> variants = {
      {"AgentNet", {}},

      // Moves.
      {"Simplified", {.attention = false, .exploration = kAgent}},
      {"SimplifiedWithAttention", {.exploration = kAgent}},
      {"AttentionAlone", {.exploration = Exploration::kNone}},
      {"PreferenceAlone", {.attention = false}},
      {"RandomWalk", {.moves = kRandom}},
      {"WideAttention", {.attention_width = 2}},
      {"NoSelfLoops", {.self_loops = false}},
      {"SimplifiedNoSelfLoops", {.attention = false, .exploration = kAgent, .self_loops = false}},
      {"RandomWalkNoSelfLoops", {.moves = kRandom, .self_loops = false}},
      {"FastForgetting", {.visited_decay = 0.5}},
      {"LowTemperature", {.temperature = 0.1}},
      {"Greedy", {}, /*greedy=*/true},

      {"Window", {.window = 2}},
      {"WindowMoves", {.window = 3, .window_moves = true}},
      {"WindowMovesAlone", {.attention = false, .exploration = Exploration::kNone, .window = 2, .window_moves = true}},
      {"WindowNoSelfLoops", {.self_loops = false, .window = 2, .window_moves = true}},
      {"WindowEdgesOfAgents", {.edge_features = 2, .exploration = kAgent, .window = 2, .window_moves = true}},
      {"WindowSampledNeighbours", {.max_neighbours = 2, .window = 2, .window_moves = true}},

      // Policies of starts and moves that the paper's proofs mention.
      {"StillAgents", {.agents = 1, .start = kEveryNode, .moves = MovePolicy::kStay}},
      {"StillAgentsNoSelfLoops",
       {.agents = 2, .edge_features = 2, .start = kEveryNode, .moves = MovePolicy::kStay, .self_loops = false}},
      {"EveryNode", {.agents = 1, .start = kEveryNode}},
      {"OneNode", {.start = StartPolicy::kOneNode}},
      {"ChosenNodes", {.start = StartPolicy::kChosen, .start_nodes = {0}}},
      {"NonBacktracking", {.moves = MovePolicy::kNonBacktracking}},
      {"NonBacktrackingNoSelfLoops", {.edge_features = 2, .moves = MovePolicy::kNonBacktracking, .self_loops = false}},
      {"DepthFirst", {.moves = MovePolicy::kDepthFirst}},
      {"DepthFirstNoSelfLoops", {.edge_features = 2, .moves = MovePolicy::kDepthFirst, .self_loops = false}},
      {"SampledDepthFirst", {.max_neighbours = 2, .moves = MovePolicy::kDepthFirst}},

      // Sizes and input.
      {"OneAgent", {.agents = 1}},
      {"NarrowMlps", {.width = 1}},
      {"LinearInput", {.input_mlp = false}},
      {"NodeCategories", {.node_categories = {3, 5}}},
      {"DenseAndCategoricalNodes", {.node_features = 3, .node_categories = {3, 5}}},
      {"OtherSlopes", {.edge_features = 2, .slope = 0.3, .edge_slope = 0.0}},

      {"SampledNeighbours", {.max_neighbours = 2}},
      {"SampledMergedWalk", {.max_neighbours = 2, .merge = Merge::kWalk, .reduce = Reduce::kSum}},
      {"SampledMolecules",
       {.node_categories = {6, 3}, .edge_categories = {4, 2}, .max_neighbours = 2, .reduce = Reduce::kMean}},

      // Updates.
      {"NoNodeUpdate", {.node_update = false}},
      {"NoNeighbourhood", {.neighbourhood = Neighbourhood::kNone}},
      {"NoUpdateOfNodes", {.node_update = false, .neighbourhood = Neighbourhood::kNone}},
      {"NeighbourhoodOfAll", {.neighbourhood = Neighbourhood::kAll}},
      {"NoNodeUpdateNeighbourhoodOfAll", {.node_update = false, .neighbourhood = Neighbourhood::kAll}},
      {"NoGlobalCommunication", {.global_communication = false}},
      {"SumReduce", {.reduce = Reduce::kSum}},
      {"MeanReduce", {.reduce = Reduce::kMean}},
      {"SqrtReduce", {.reduce = Reduce::kSqrt}},
      {"GraphSize", {.graph_size = true}},
      {"MergedNode", {.merge = Merge::kNode}},
      {"MergedAgent", {.merge = Merge::kAgent}},
      {"MergedWalk", {.merge = Merge::kWalk}},
      {"MergedWalkAttentionAlone", {.merge = Merge::kWalk, .exploration = Exploration::kNone}},
      {"MergedWalkOfAgents",
       {.merge = Merge::kWalk, .reduce = Reduce::kSum, .exploration = kAgent, .self_loops = false}},
      {"DenseEdgesMergedWalk", {.edge_features = 2, .merge = Merge::kWalk}},
      {"MergedNodeNoGlobal", {.merge = Merge::kNode, .global_communication = false}},
      {"MergedAgentGraphSize", {.merge = Merge::kAgent, .graph_size = true}},

      // Time.
      {"NoTimeForNodes", {.time_node = false}},
      {"NoTimeForNeighbourhood", {.time_neighbourhood = false}},
      {"NoTimeForAgents", {.time_agent = false}},
      {"NoTimeForReadout", {.time_readout = false}},
      {"NoTime", {.time_node = false, .time_neighbourhood = false, .time_agent = false, .time_readout = false}},

      // Readout.
      {"ReadoutMlp", {.readout_mlp = true}},
      {"HeadMlp", {.head_mlp = true}},
      {"BothMlps", {.outputs = 3, .readout_mlp = true, .head_mlp = true}},

      // Edge features.
      {"DenseEdges", {.edge_features = 2}},
      {"EdgeCategories", {.edge_categories = {4, 2}}},
      {"DenseAndCategoricalEdges", {.edge_features = 2, .edge_categories = {4, 2}}},
      {"Molecules", {.node_categories = {6, 3}, .edge_categories = {4, 2}, .reduce = Reduce::kMean}},
      {"EdgeKernel", {.outputs = 1, .edge_features = 2, .edge_kernel = true, .head_mlp = true}},
      {"DenseEdgesNoSelfLoops", {.edge_features = 2, .self_loops = false}},
      {"DenseEdgesSimplified", {.edge_features = 2, .attention = false, .exploration = kAgent}},
      {"DenseEdgesRandomWalk", {.edge_features = 2, .moves = kRandom}},
      {"DenseEdgesNoNodeUpdate", {.edge_features = 2, .node_update = false}},
      {"DenseEdgesNoNeighbourhood", {.edge_features = 2, .neighbourhood = Neighbourhood::kNone}},
      {"DenseEdgesNeighbourhoodOfAll", {.edge_features = 2, .neighbourhood = Neighbourhood::kAll}},
      {"DenseEdgesMergedNode", {.edge_features = 2, .merge = Merge::kNode}},
      {"DenseEdgesMergedAgent", {.edge_features = 2, .merge = Merge::kAgent}},
      {"EdgeKernelMergedNode", {.edge_features = 2, .edge_kernel = true, .merge = Merge::kNode}},
      {"EdgeKernelNeighbourhoodOfAll", {.edge_features = 2, .edge_kernel = true, .neighbourhood = Neighbourhood::kAll}},
  };
  for (ModelVariant& variant : variants) {
    if (variant.config.node_categories.empty()) variant.config.node_features = 3;
  }
  variants.push_back({"NoFeatures", {}});
  for (ModelVariant& variant : variants) {
    variant.config.hidden = 4;
    variant.config.agents = std::min(variant.config.agents, 3);
    // 3: the least at which a node can have been left two moves ago; a search takes longer to turn back and be done.
    variant.config.steps = variant.config.moves == MovePolicy::kDepthFirst ? 9 : 3;
  }
  return variants;
}

// A candidate has its own block, so that node ids need no limit of their own here.
double unit(RandomKey key, std::size_t graph, int agent, int step, std::uint64_t node) {
  const auto counter = random_counter(graph, static_cast<std::uint32_t>(agent), static_cast<std::uint32_t>(step),
                                      static_cast<std::uint32_t>(node));
  return to_unit_double(philox(counter, key)[0]);
}

}  // namespace

const std::vector<ModelVariant>& model_variants() {
  static const std::vector<ModelVariant> kVariants = make_variants();
  return kVariants;
}

const ModelVariant& variant_named(const std::string& name) {
  for (const ModelVariant& variant : model_variants()) {
    if (variant.name == name) return variant;
  }
  throw std::logic_error("no variant " + name);
}

std::vector<double> random_parameters(const ParameterLayout& layout, std::uint64_t seed) {
  RandomSequence random(seed, Purpose::kTest);
  std::vector<double> values;
  for (const Parameter& p : layout.all()) {
    const double centre = p.init == Init::kOne ? 1.0 : 0.0;
    for (std::size_t i = 0; i < p.size; ++i) values.push_back(centre + 0.5 * random.normal());
  }
  return values;
}

FeatureOptions features_of(const AgentNetConfig& config) {
  return {.node_dense = config.node_features,
          .node_categories = config.node_categories,
          .edge_dense = config.edge_features,
          .edge_categories = config.edge_categories,
          .double_precision = true};
}

GraphParts messy_graph(const AgentNetConfig& config, std::uint32_t n, std::uint64_t seed) {
  RandomSequence random(seed, Purpose::kTest, 1);
  const RandomGraphOptions options = {.isolated_nodes = 1, .multi_edges = 0.3, .self_loops = 0.3, .directed = true};
  return with_features(random_graph(random, n, 0.4, options), random, features_of(config));
}

SeededNoise::SeededNoise(std::uint64_t seed, std::vector<GraphView> graphs, bool uniform)
    : starts_(random_key(seed, Purpose::kTest, 2)),
      moves_(random_key(seed, Purpose::kTest, 3)),
      graphs_(std::move(graphs)),
      uniform_(uniform) {}

std::uint64_t SeededNoise::start(std::size_t graph, int agent) {
  const double nodes = static_cast<double>(graphs_.at(graph).num_nodes);
  return static_cast<std::uint64_t>(unit(starts_, graph, agent, 0, 0) * nodes);
}

double SeededNoise::noise(std::size_t graph, int agent, int step, std::uint64_t node) {
  const double u = unit(moves_, graph, agent, step, node);
  return uniform_ ? u : -std::log(-std::log(u));
}

}  // namespace agentnet
