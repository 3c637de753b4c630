#include "agentnet/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "agentnet/error.h"
#include "core/thread_pool.h"
#include "graph/graph_without.h"
#include "nets/agentnet/engine.h"
#include "support/graphs.h"
#include "support/model_variants.h"
#include "support/small_model.h"

namespace agentnet {
namespace {

// A model at which everything matters, and graphs with the features that it reads, in single precision.
Model model_of(const AgentNetConfig& config, Task task = Task::kClassification) {
  Model model(config, 3);
  const std::vector<double> values = random_parameters(agentnet_layout(config), 11);
  model.set_parameters(std::vector<float>(values.begin(), values.end()));
  model.card().task = std::string(task_name(task));
  return model;
}

GraphParts with_features_for(const AgentNetConfig& config, GraphParts parts, std::uint64_t seed) {
  FeatureOptions features = features_of(config);
  features.double_precision = false;
  RandomSequence random(seed, Purpose::kTest);
  return with_features(std::move(parts), random, features);
}

std::vector<Graph> some_graphs(const AgentNetConfig& config) {
  std::vector<Graph> graphs;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    RandomSequence random(seed, Purpose::kTest, 1);
    graphs.emplace_back(with_features_for(config, random_graph(random, 12, 0.25, {.self_loops = 0.1}), seed));
  }
  return graphs;
}

std::vector<GraphView> views_of(const std::vector<Graph>& graphs) {
  std::vector<GraphView> views;
  for (const Graph& graph : graphs) views.push_back(graph.view());
  return views;
}

std::size_t agents_on(const AgentNetConfig& config, std::size_t nodes) {
  return static_cast<std::size_t>(config.agents) * (config.start == StartPolicy::kEveryNode ? nodes : 1);
}

class ExplainVariant : public testing::TestWithParam<ModelVariant> {};

TEST_P(ExplainVariant, SaysWhatPredictSaysBitForBitAndCountsEveryVisit) {
  const AgentNetConfig& config = GetParam().config;
  const Model model = model_of(config);
  const std::vector<Graph> graphs = some_graphs(config);
  const PredictOptions walks{.rollouts = 3, .seed = 4, .greedy = GetParam().greedy};
  const Predictions said = predict(model, views_of(graphs), walks);
  const std::vector<Explanation> all = explain(model, views_of(graphs), {.walks = walks, .recorded = 3});
  ASSERT_EQ(all.size(), graphs.size());
  std::vector<double> mean, walk_spread;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const Explanation& e = all[g];
    mean.insert(mean.end(), e.mean.begin(), e.mean.end());
    walk_spread.insert(walk_spread.end(), e.walk_spread.begin(), e.walk_spread.end());
    const auto agents = static_cast<double>(agents_on(config, graphs[g].num_nodes()));
    EXPECT_NEAR(std::accumulate(e.visits.begin(), e.visits.end(), 0.0), agents * (config.steps + 1), 1e-9);
    // The same again from the walks themselves.
    std::vector<double> visits(e.nodes.size(), 0.0);
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> crossings;
    for (const RecordedRollout& walk : e.walks) {
      for (const AgentWalk& agent : walk.agents) {
        for (std::size_t t = 0; t < agent.path.size(); ++t) {
          visits[agent.path[t]] += 1.0 / 3;
          if (t > 0) {
            const auto ends = std::minmax(agent.path[t - 1], agent.path[t]);
            crossings[{ends.first, ends.second}] += 1.0 / 3;
          }
        }
      }
    }
    for (std::size_t n = 0; n < visits.size(); ++n) {
      EXPECT_NEAR(e.visits[n], visits[n], 1e-9);
      EXPECT_TRUE(visits[n] == 0 || e.touched[n] > 0);
      EXPECT_TRUE(e.touched[n] > 0 || e.influence[n] == 0);
    }
    EXPECT_FALSE(e.directed);
    for (const ExplainedEdge& edge : e.edges) EXPECT_NEAR(edge.crossings, (crossings[{edge.from, edge.to}]), 1e-9);
  }
  EXPECT_EQ(mean, said.mean);
  EXPECT_EQ(walk_spread, said.walk_spread);
}

TEST_P(ExplainVariant, ChoicesAreProbabilitiesAndWhatWasTakenIsAmongThem) {
  const Model model = model_of(GetParam().config);
  const std::vector<Graph> graphs = some_graphs(GetParam().config);
  const auto all = explain(model, views_of(graphs), {.walks = {.rollouts = 2, .greedy = GetParam().greedy}});
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const Explanation& e = all[g];
    ASSERT_EQ(e.walks.size(), 2U);
    for (const RecordedRollout& walk : e.walks) {
      ASSERT_EQ(walk.agents.size(), agents_on(GetParam().config, graphs[g].num_nodes()));
      for (const AgentWalk& agent : walk.agents) {
        ASSERT_EQ(agent.choices.size() + 1, agent.path.size());
        for (std::size_t t = 0; t + 1 < agent.path.size(); ++t) {
          const Choices& choices = agent.choices[t];
          if (choices.nodes.empty()) {  // nowhere to go
            EXPECT_EQ(agent.path[t], agent.path[t + 1]);
            continue;
          }
          EXPECT_NEAR(std::accumulate(choices.probability.begin(), choices.probability.end(), 0.0), 1, 1e-5);
          const auto taken = std::find(choices.nodes.begin(), choices.nodes.end(), agent.path[t + 1]);
          ASSERT_NE(taken, choices.nodes.end());
          if (GetParam().greedy && GetParam().config.moves == MovePolicy::kLearned) {
            const float p = choices.probability[static_cast<std::size_t>(taken - choices.nodes.begin())];
            EXPECT_FLOAT_EQ(p, *std::max_element(choices.probability.begin(), choices.probability.end()));
          }
        }
      }
    }
  }
}

// Whatever happens to nodes that were not touched, and to edges between them, the output keeps its bits.
TEST_P(ExplainVariant, NodesThatWereNotTouchedCannotMatter) {
  AgentNetConfig config = GetParam().config;
  config.agents = std::min(config.agents, 2);
  config.steps = std::min(config.steps, 3);
  const Model model = model_of(config, Task::kRegression);  // numbers as they are: probabilities could be full
  int untouched = 0, outputs_changed = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    RandomSequence random(seed, Purpose::kTest, 2);
    const GraphParts parts = with_features_for(config, random_graph(random, 40, 0.06), seed);
    const Graph graph(parts);
    const GraphView view = graph.view();
    const ExplainOptions options{.walks = {.rollouts = 2, .greedy = GetParam().greedy, .draws = DrawKey::kRow},
                                 .influence = false};
    const Explanation e = explain(model, {&view, 1}, options).front();
    const std::vector<double> before = predict(model, {&view, 1}, options.walks).mean;
    const auto outside = [&](std::uint32_t n) { return e.touched[n] == 0; };
    const auto change = [&](auto&& which) {
      GraphParts other = parts;
      const auto nodes = static_cast<std::size_t>(parts.num_nodes);
      for (std::size_t i = 0; i < other.node_dense.size(); ++i) {
        if (which(static_cast<std::uint32_t>(i / (other.node_dense.size() / nodes)))) other.node_dense[i] += 1;
      }
      for (std::size_t i = 0; i < other.node_categories.size(); ++i) {
        const std::size_t columns = config.node_categories.size();
        const int size = config.node_categories[i % columns];
        if (which(static_cast<std::uint32_t>(i / columns))) {
          other.node_categories[i] = (other.node_categories[i] + 1) % size;
        }
      }
      return other;
    };
    GraphParts changed = change(outside);
    for (std::size_t i = 0; i < changed.from.size(); ++i) {  // a different edge where neither end was seen
      if (outside(changed.from[i]) && outside(changed.to[i])) changed.to[i] = changed.from[i];
    }
    untouched += static_cast<int>(std::count(e.touched.begin(), e.touched.end(), 0.0));
    const Graph other(changed);
    const GraphView other_view = other.view();
    EXPECT_EQ(predict(model, {&other_view, 1}, options.walks).mean, before);
    const Graph all_changed(change([](std::uint32_t) { return true; }));
    const GraphView all_view = all_changed.view();
    outputs_changed += predict(model, {&all_view, 1}, options.walks).mean != before ? 1 : 0;
  }
  const bool all_touched = config.neighbourhood == Neighbourhood::kAll || config.start == StartPolicy::kEveryNode;
  EXPECT_TRUE(untouched > 20 || all_touched);
  EXPECT_TRUE(outputs_changed > 0 || (config.node_features == 0 && config.node_categories.empty()));
}

INSTANTIATE_TEST_SUITE_P(All, ExplainVariant, testing::ValuesIn(model_variants()),
                         [](const auto& param) { return param.param.name; });

AgentNetConfig linear_inputs() {
  AgentNetConfig config;
  config.hidden = 8;
  config.agents = 3;
  config.steps = 4;
  config.node_features = 3;
  config.edge_features = 2;
  config.input_mlp = false;
  return config;
}

// Where states are linear in the features, <dS/dv, v> is the gradient with respect to the features times the features:
// what the engine's gradients say, which the golden cases and finite differences check.
TEST(Explain, InfluenceIsGradientTimesInput) {
  const AgentNetConfig config = linear_inputs();
  Model model = model_of(config);
  std::vector<float> values(model.parameters().begin(), model.parameters().end());
  for (const ParameterInfo& p : model.parameter_infos()) {
    if (p.name.find("embed") == std::string::npos || p.name.find("bias") == std::string::npos) continue;
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(p.offset), p.shape[0], 0.0F);
  }
  model.set_parameters(values);
  RandomSequence random(5, Purpose::kTest);
  const GraphParts parts = with_features_for(config, random_graph(random, 10, 0.3, {.self_loops = 0.3}), 6);
  const Graph graph(parts);
  const GraphView view = graph.view();
  const Explanation e = explain(model, {&view, 1}, {.walks = {.rollouts = 1, .seed = 2}, .output = 1}).front();
  const std::uint64_t id = e.draw_key;

  ThreadPool pool(1);
  Engine<float> engine(config, pool);
  engine.set_parameters(values);
  std::vector<float> gradient(values.size());
  std::vector<InputGradient<float>> inputs;
  RolloutOptions options;
  options.seed = 2;
  const auto margin = [](std::size_t, std::size_t, Matrix<const float> outputs, Matrix<float> d) {
    d.row(0)[0] = -1;
    d.row(0)[1] = 1;
    return double{outputs.row(0)[1]} - double{outputs.row(0)[0]};
  };
  engine.gradients({{&view, 1}, {&id, 1}}, options, margin, gradient, {nullptr, {}, &inputs});
  double largest = 0;
  for (std::size_t n = 0; n < 10; ++n) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) sum += double{inputs[0].nodes[3 * n + c]} * double{parts.node_dense[3 * n + c]};
    EXPECT_NEAR(e.influence[n], sum, 1e-4 * (1 + std::abs(sum))) << "node " << n;
    largest = std::max(largest, std::abs(sum));
  }
  EXPECT_GT(largest, 1e-3);  // or the comparison means nothing
  for (const ExplainedEdge& edge : e.edges) {
    double sum = 0;
    for (const auto& [from, to] : {std::pair(edge.from, edge.to), std::pair(edge.to, edge.from)}) {
      if (edge.from == edge.to && sum != 0) break;  // a loop is there once
      for (std::uint64_t entry = view.offsets[from]; entry < view.offsets[from + 1]; ++entry) {
        if (view.neighbour(entry) != to) continue;
        std::vector<float> x(2);
        view.edge_dense.copy(entry, x.data());
        for (std::size_t c = 0; c < 2; ++c) sum += double{inputs[0].edges[2 * entry + c]} * double{x[c]};
      }
    }
    EXPECT_NEAR(edge.influence, sum, 1e-4 * (1 + std::abs(sum)));
  }
}

TEST(Explain, OfTwoClassesThePredictedOneIsExplained) {
  const AgentNetConfig config = linear_inputs();
  const Model model = model_of(config);
  const std::vector<Graph> graphs = some_graphs(config);
  const auto views = views_of(graphs);
  const auto chosen = explain(model, views, {.walks = {.rollouts = 4}});
  const auto first = explain(model, views, {.walks = {.rollouts = 4}, .output = 0});
  for (std::size_t g = 0; g < views.size(); ++g) {
    EXPECT_EQ(chosen[g].output, chosen[g].mean[1] > chosen[g].mean[0] ? 1 : 0);
    for (std::size_t n = 0; n < chosen[g].nodes.size(); ++n) {
      EXPECT_NEAR(chosen[g].influence[n], (chosen[g].output == 0 ? 1 : -1) * first[g].influence[n], 1e-5);
    }
  }
}

TEST(Explain, IsTheSameForAnyNumberOfThreads) {
  const AgentNetConfig config = linear_inputs();
  const Model model = model_of(config);
  std::vector<Graph> graphs;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    RandomSequence random(seed, Purpose::kTest);
    graphs.emplace_back(with_features_for(config, random_graph(random, 9, 0.3), seed));
  }
  const auto one = explain(model, views_of(graphs), {.walks = {.rollouts = 3}, .fidelity = 0.3});
  const auto many = explain(model, views_of(graphs), {.walks = {.rollouts = 3, .threads = 4}, .fidelity = 0.3});
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    EXPECT_EQ(one[g].influence, many[g].influence);
    EXPECT_EQ(one[g].visits, many[g].visits);
    EXPECT_EQ(one[g].fidelity.without_top, many[g].fidelity.without_top);
    EXPECT_EQ(one[g].walks[1].raw, many[g].walks[1].raw);
  }
}

TEST(Explain, LeavesOutNodesAndEdgesOneByOne) {
  const AgentNetConfig config = linear_inputs();
  const Model model = model_of(config);
  const Graph graph(with_features_for(config, cycle_graph(5), 1));
  const GraphView view = graph.view();
  const ExplainOptions options{.walks = {.rollouts = 4}, .output = 1, .leave_one_out = 5};
  const Explanation e = explain(model, {&view, 1}, options).front();
  const auto score = [&](const GraphView& version) {
    double sum = 0;
    for (std::uint64_t r = 0; r < 4; ++r) {
      const auto raw = model.run({&version, 1}, {.rollout = r, .graph_ids = {e.draw_key}});
      sum += (double{raw[1]} - double{raw[0]}) / 4;
    }
    return sum;
  };
  ASSERT_EQ(e.left_out.size(), 5U);
  for (std::size_t n = 0; n < 5; ++n) {
    std::vector<char> gone(5, 0);
    gone[n] = 1;
    const Graph without = graph_without_nodes(view, gone);
    EXPECT_NEAR(e.left_out[n], score(view) - score(without.view()), 1e-6);
  }
  ASSERT_EQ(e.edges.size(), 5U);
  for (const ExplainedEdge& edge : e.edges) {
    const Graph without = graph_without_edge(view, edge.from, edge.to, /*both_directions=*/true);
    EXPECT_EQ(without.num_edges(), 8U);
    EXPECT_NEAR(edge.left_out, score(view) - score(without.view()), 1e-6);
  }
  const ExplainOptions smaller{.walks = {.rollouts = 1}, .leave_one_out = 4};
  EXPECT_TRUE(explain(model, {&view, 1}, smaller).front().left_out.empty());
}

TEST(Explain, LeavesOutEachDirectionOfADirectedGraphByItself) {
  AgentNetConfig config = linear_inputs();
  const Model model = model_of(config);
  GraphParts parts;
  parts.num_nodes = 4;
  parts.from = {0, 1, 1, 2, 3};
  parts.to = {1, 0, 2, 3, 0};
  const Graph graph(with_features_for(config, parts, 1));
  const GraphView view = graph.view();
  const Explanation e = explain(model, {&view, 1}, {.walks = {.rollouts = 4}, .output = 1, .leave_one_out = 4}).front();
  EXPECT_TRUE(e.directed);
  ASSERT_EQ(e.edges.size(), 5U);
  EXPECT_EQ(e.num_edges, 5U);
  ASSERT_EQ(std::pair(e.edges[0].from, e.edges[0].to), std::pair(0U, 1U));
  ASSERT_EQ(std::pair(e.edges[1].from, e.edges[1].to), std::pair(1U, 0U));
  EXPECT_NE(e.edges[0].left_out, e.edges[1].left_out);
}

// A model that says class 0 on the whole and class 1 in its first rollouts, or the other way round: classes 0 and 1 are
// balanced between what few and what many rollouts say.
Model undecided(const Dataset& data, const GraphView& view, int few, int many) {
  Model model = small_model(data.schema);
  std::vector<float> values(model.parameters().begin(), model.parameters().end());
  const auto infos = model.parameter_infos();
  const auto bias = std::find_if(infos.begin(), infos.end(), [](const auto& p) { return p.name == "head.0.bias"; });
  for (std::size_t c = 2; c < data.schema.classes.size(); ++c) values[bias->offset + c] = -20;
  model.set_parameters(values);
  double of_few = 0, of_many = 0;
  for (int r = 0; r < many; ++r) {
    const auto raw = model.run({&view, 1}, {.rollout = static_cast<std::uint64_t>(r)});
    const double lead = double{raw[1]} - double{raw[0]};
    of_few += r < few ? lead / few : 0;
    of_many += lead / many;
  }
  values[bias->offset + 1] -= static_cast<float>((of_few + of_many) / 2);
  model.set_parameters(values);
  return model;
}

TEST(Explain, OfManyClassesThePredictedOneIsExplained) {
  const Dataset data = read_data("synthetic:csl?graphs=1", {});
  const GraphView view = data.graphs.view(0);
  const Model model = undecided(data, view, 8, 40);
  const auto likeliest = [](const std::vector<double>& row) {
    return static_cast<int>(std::max_element(row.begin(), row.end()) - row.begin());
  };
  const Explanation e = explain(model, {&view, 1}, {.walks = {.rollouts = 40, .draws = DrawKey::kRow}}).front();
  EXPECT_EQ(e.output, likeliest(e.mean));
  // The first rollouts, which guess the class, say another; or this test says nothing.
  EXPECT_NE(likeliest(predict(model, {&view, 1}, {.rollouts = 8, .draws = DrawKey::kRow}).mean), e.output);
  const Explanation asked =
      explain(model, {&view, 1}, {.walks = {.rollouts = 40, .draws = DrawKey::kRow}, .output = e.output}).front();
  EXPECT_EQ(e.influence, asked.influence);
  EXPECT_EQ(e.mean, asked.mean);
}

TEST(Explain, StayingOnALoopOfTheDataIsTakingIt) {
  const AgentNetConfig config = linear_inputs();
  const Model model = model_of(config);
  GraphParts parts;
  parts.num_nodes = 1;
  parts.from = {0};
  parts.to = {0};
  const Graph graph(with_features_for(config, parts, 1));
  const GraphView view = graph.view();
  const Explanation e = explain(model, {&view, 1}, {.walks = {.rollouts = 2}}).front();
  ASSERT_EQ(e.edges.size(), 1U);
  EXPECT_EQ(e.edges[0].crossings, config.agents * config.steps);
  EXPECT_EQ(e.num_edges, 1U);
  EXPECT_EQ(e.nodes_touched, 1);
}

TEST(Explain, FidelityAsksTheGraphsItSpeaksOf) {
  const AgentNetConfig config = linear_inputs();
  const Model model = model_of(config);
  const Graph graph(with_features_for(config, complete_graph(8), 1));
  const GraphView view = graph.view();
  const PredictOptions walks{.rollouts = 5, .draws = DrawKey::kRow, .first_graph = 3};
  const Explanation e = explain(model, {&view, 1}, {.walks = walks, .fidelity = 0.25}).front();
  ASSERT_EQ(e.fidelity.nodes, 2);
  std::vector<std::size_t> order(8);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return e.influence[a] > e.influence[b]; });
  std::vector<char> top(8, 0), rest(8, 1);
  for (const std::size_t n : {order[0], order[1]}) {
    top[n] = 1;
    rest[n] = 0;
  }
  const auto said = [&](const Graph& other) {
    const GraphView other_view = other.view();
    return predict(model, {&other_view, 1}, walks).mean[static_cast<std::size_t>(e.output)];
  };
  EXPECT_EQ(e.fidelity.all, e.mean[static_cast<std::size_t>(e.output)]);
  EXPECT_EQ(e.fidelity.only_top, said(graph_without_nodes(view, rest)));
  EXPECT_EQ(e.fidelity.without_top, said(graph_without_nodes(view, top)));
  EXPECT_NE(e.fidelity.only_random, e.fidelity.all);
}

TEST(Explain, OfALargeGraphOnlyWhatWasNeededIsListed) {
  AgentNetConfig config = linear_inputs();
  config.edge_features = 0;
  const Model model = model_of(config);
  const Graph graph(with_features_for(config, regular_graph(2000, 6, 3), 1));
  const GraphView view = graph.view();
  const ExplainOptions options{.walks = {.rollouts = 6}, .recorded = 1, .most_nodes = 60};
  const Explanation e = explain(model, {&view, 1}, options).front();
  EXPECT_EQ(e.num_nodes, 2000U);
  EXPECT_EQ(e.num_edges, 6000U);
  EXPECT_EQ(e.nodes.size(), 60U);
  const Explanation all = explain(model, {&view, 1}, {.walks = {.rollouts = 6}, .recorded = 1}).front();
  EXPECT_NEAR(e.nodes_touched, std::accumulate(all.touched.begin(), all.touched.end(), 0.0), 1e-9);
  EXPECT_TRUE(std::is_sorted(e.nodes.begin(), e.nodes.end()));
  // The recorded walk goes along edges of the graph, by the numbers of its own nodes.
  std::set<std::pair<std::uint64_t, std::uint64_t>> edges;
  for (const ExplainedEdge& edge : e.edges) {
    edges.insert({e.nodes[edge.from], e.nodes[edge.to]});
    const auto list = view.neighbours_of(e.nodes[edge.from]);
    EXPECT_TRUE(std::binary_search(list.begin(), list.end(), e.nodes[edge.to]));
  }
  ASSERT_EQ(e.walks.size(), 1U);
  for (const AgentWalk& agent : e.walks[0].agents) {
    for (std::size_t t = 1; t < agent.path.size(); ++t) {
      const auto ends = std::minmax(e.nodes[agent.path[t - 1]], e.nodes[agent.path[t]]);
      EXPECT_TRUE(ends.first == ends.second || edges.contains({ends.first, ends.second}));
    }
  }
}

TEST(Explain, RefusesWhatMakesNoSense) {
  const AgentNetConfig config = linear_inputs();
  const Model model = model_of(config);
  const auto refused = [&](const ExplainOptions& options) {
    EXPECT_THROW(static_cast<void>(explain(model, {}, options)), Error);
  };
  refused({.walks = {.rollouts = 0}});
  refused({.walks = {.rollouts = 1, .confidence = 0.9}});
  refused({.output = 2});
  refused({.fidelity = 1});
  refused({.influence = false, .fidelity = 0.2});
}

}  // namespace
}  // namespace agentnet
