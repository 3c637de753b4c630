// What every network on the tape has to do, whatever its formula.
#include "nets/taped/taped_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "agentnet/error.h"
#include "core/random.h"
#include "core/thread_pool.h"
#include "nets/kinds.h"

namespace agentnet {
namespace {

constexpr const char* kAgentNetName = "agentnet";

// Rings with chords, one or two of each size; numbers and categories on nodes and edges. With a scale, numbers of which
// it makes these.
std::vector<Graph> some_graphs(std::size_t count, const InputScale* scale = nullptr) {
  const auto number = [&](double seen, const ColumnScale& column) {
    return static_cast<float>(scale != nullptr ? seen * column.spread + column.centre : seen);
  };
  const InputScale columns = scale != nullptr ? *scale : InputScale{{{}, {}}, {{}}};
  RandomSequence random(5, Purpose::kTest);
  std::vector<Graph> graphs;
  for (std::size_t g = 0; g < count; ++g) {
    GraphParts parts;
    parts.num_nodes = 3 + g % 9;
    parts.undirected = true;
    const auto n = static_cast<std::uint32_t>(parts.num_nodes);
    for (std::uint32_t v = 0; v < n; ++v) {
      parts.from.push_back(v);
      parts.to.push_back((v + 1) % n);
      if (v >= 3 && random.below(3) == 0) {
        parts.from.push_back(v);
        parts.to.push_back(v - 3);
      }
      parts.node_categories.push_back(static_cast<std::int32_t>(random.below(3)));
      for (const ColumnScale& c : columns.nodes) parts.node_dense.push_back(number(random.normal(), c));
    }
    for (std::size_t e = 0; e < parts.from.size(); ++e) {
      parts.edge_categories.push_back(static_cast<std::int32_t>(random.below(2)));
      parts.edge_dense.push_back(number(random.normal(), columns.edges[0]));
    }
    graphs.emplace_back(std::move(parts));
  }
  return graphs;
}

const DataShape kShape{
    .node_features = 2, .node_categories = {4}, .edge_features = 1, .edge_categories = {3}, .outputs = 2};

std::string small_options(std::string_view kind) {
  if (kind == "gin") return R"({"layers": 3, "hidden": 24, "learn_eps": true, "random_features": 1})";
  if (kind == "dropgin") return R"({"layers": 2, "hidden": 16, "runs": 5, "drop": 0.2})";
  if (kind == "gin-mol") return R"({"layers": 3, "hidden": 20, "virtual_node": true})";
  if (kind == "mpnn") return R"({"hidden": 8, "edge_hidden": 12})";
  if (kind == "dropmpnn") return R"({"hidden": 8, "edge_hidden": 12, "runs": 3, "drop": 0.2})";
  if (kind == "gnn1") return R"({"first_hidden": 6, "hidden": 9, "edge_hidden": 12})";
  if (kind == "dropgnn1") return R"({"first_hidden": 6, "hidden": 9, "edge_hidden": 12, "runs": 3, "drop": 0.2})";
  if (kind == "kgnn1") return R"({"first_hidden": 12, "hidden": 20})";
  if (kind == "pna")
    return R"({"layers": 2, "hidden": 12, "towers": 3, "edge_hidden": 5, "gru": true, "dropout": 0.1})";
  if (kind == "crawl") {
    return R"({"layers": 2, "hidden": 12, "steps": 9, "eval_steps": 7, "window": 4, "kernel": 5, "virtual_node": true,
               "start_ratio": 0.6, "dropout": 0.1})";
  }
  if (kind == "gsn") {
    return R"({"layers": 2, "hidden": 12, "max_cycle": 6, "max_clique": 4, "also_read": [0], "inject_ids": true,
               "cycle_values": ["0 1 3", "0 2"], "dropout": 0.1})";
  }
  if (kind == "dgn") {
    return R"({"layer": "towers", "layers": 2, "hidden": 12, "towers": 3, "edge_hidden": 5,
               "aggregators": ["mean", "dir1-dx", "dir2-av"], "dropout": 0.1})";
  }
  if (kind == "cin") {
    return R"({"layers": 2, "hidden": 12, "max_ring": 7, "learn_eps": true, "read_every": true, "dropout": 0.1,
               "dropout_before": "readout"})";
  }
  if (kind == "himp") return R"({"layers": 2, "hidden": 12, "dropout": 0.1})";
  if (kind == "ppgn") return R"({"blocks": [7, 6], "read_widths": [5]})";
  if (kind == "ppgn-smp") return R"({"layers": 2, "hidden": 7})";
  if (kind == "smp") return R"({"layer": "zinc", "layers": 2, "hidden": 6, "towers": 2, "final_hidden": 7})";
  if (kind == "kgnn12") return R"({"first_hidden": 6, "hidden": 9, "edge_matrices": true, "edge_hidden": 5})";
  if (kind == "kgnn123") return R"({"first_hidden": 6, "hidden": 9})";
  if (kind == "esan-ds") return R"({"conv": "mol", "layers": 2, "hidden": 6, "channels": [5], "fraction": 0.5})";
  if (kind == "esan-dss") return R"({"layers": 2, "hidden": 6, "policy": "edge-deleted", "degree": 3})";
  throw std::logic_error("no small options for " + std::string(kind));
}

// Squared distance to 1.
double loss(std::size_t, std::size_t count, Matrix<const float> y, Matrix<float> dy) {
  double total = 0;
  for (std::size_t g = 0; g < count; ++g) {
    for (int c = 0; c < kShape.outputs; ++c) {
      const float d = y.row(static_cast<Index>(g))[c] - 1;
      total += d * d;
      dy.row(static_cast<Index>(g))[c] = 2 * d;
    }
  }
  return total;
}

struct Result {
  double loss = 0;
  std::vector<float> gradient, buffers, outputs;
  bool operator==(const Result&) const = default;
};

class TapedKinds : public testing::TestWithParam<std::string> {
 protected:
  TapedKinds()
      : network_(builtin_kinds().make({.kind = GetParam(), .options = small_options(GetParam()), .shape = kShape})),
        prepared_(network_->make_prepared()),
        parameters_(network_->parameters().size()),
        buffers_(network_->buffers().size()),
        graphs_(some_graphs(40)) {
    network_->initialise(3, parameters_);
    network_->initialise_buffers(buffers_);
    prepared_->prepare(parameters_, buffers_);
    for (const Graph& graph : graphs_) views_.push_back(graph.view());
    for (std::size_t g = 0; g < views_.size(); ++g) ids_.push_back(g);
  }

  [[nodiscard]] std::vector<float> outputs(int threads, std::size_t first, std::size_t count,
                                           std::uint64_t number = 0) {
    ThreadPool pool(threads);
    const auto runner = network_->make_runner(pool);
    runner->use(*prepared_);
    std::vector<float> y(count * network_->outputs());
    runner->outputs({std::span(views_).subspan(first, count), std::span(ids_).subspan(first, count)},
                    {.seed = 1, .number = number}, y, nullptr);
    return y;
  }

  [[nodiscard]] Result step(int threads) {
    ThreadPool pool(threads);
    const auto runner = network_->make_runner(pool);
    runner->use(*prepared_);
    Result result{0, std::vector<float>(parameters_.size()), buffers_, outputs(threads, 0, views_.size())};
    result.loss = runner->gradients({views_, ids_}, {.seed = 1, .training = true}, loss, result.gradient);
    runner->update_buffers(result.buffers);
    return result;
  }

  static void limit(Runner<float>& runner, std::uint64_t bytes) {
    dynamic_cast<TapedRunner<float>&>(runner).limit_memory(bytes);
  }

  std::shared_ptr<const Network<float>> network_;
  std::unique_ptr<Prepared<float>> prepared_;
  std::vector<float> parameters_, buffers_;
  std::vector<Graph> graphs_;
  std::vector<GraphView> views_;
  std::vector<std::uint64_t> ids_;
};

TEST_P(TapedKinds, GiveTheSameBytesAtAnyNumberOfThreads) {
  const Result one = step(1);
  EXPECT_TRUE(std::isfinite(one.loss));
  for (const int threads : {2, 3, 8}) EXPECT_EQ(step(threads), one) << threads << " threads";
}

TEST_P(TapedKinds, AnswerForAGraphAsIfItWereAlone) {
  const std::vector<float> all = outputs(2, 0, views_.size());
  for (const std::size_t g : {std::size_t{0}, std::size_t{7}, views_.size() - 1}) {
    const std::vector<float> alone = outputs(1, g, 1);
    for (std::size_t c = 0; c < alone.size(); ++c) EXPECT_EQ(alone[c], all[g * alone.size() + c]) << g;
  }
}

TEST_P(TapedKinds, DrawAnewInEveryCallIfTheyDrawAtAll) {
  EXPECT_EQ(outputs(1, 0, 5, 0) != outputs(1, 0, 5, 1), network_->draws());
  EXPECT_EQ(outputs(1, 0, 5, 1), outputs(1, 0, 5, 1));
}

TEST_P(TapedKinds, CanAnswerInOtherUnits) {
  const std::vector<float> before = outputs(1, 0, 6);
  const std::vector<double> scale = {3, 0.5}, shift = {-1, 20};
  network_->scale_outputs(parameters_, scale, shift);
  const std::vector<float> after = outputs(1, 0, 6);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double expected = before[i] * scale[i % 2] + shift[i % 2];
    EXPECT_NEAR(after[i], expected, 1e-4 * (1 + std::abs(expected)));
  }
}

// Every kind reads numbers through the scale of the weights: raw data gives what scaled data gives without.
TEST_P(TapedKinds, ReadNumbersThroughTheScaleOfTheWeights) {
  const InputScale scale{{{.centre = 100, .spread = 4}, {.centre = -3, .spread = 0.5}}, {{.centre = 7, .spread = 16}}};
  const std::vector<float> scaled = outputs(1, 0, views_.size());
  graphs_ = some_graphs(40, &scale);  // numbers of which the scale makes those of before
  views_.clear();
  for (const Graph& graph : graphs_) views_.push_back(graph.view());
  const std::vector<float> raw = outputs(1, 0, views_.size());
  prepared_->read_inputs_as(scale);
  prepared_->prepare(parameters_, buffers_);
  const std::vector<float> found = outputs(1, 0, views_.size());
  double apart = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], scaled[i], 2e-3 * (1 + std::abs(scaled[i])));
    apart = std::max<double>(apart, std::abs(raw[i] - scaled[i]));
  }
  const bool reads = true;
  if (reads) {
    EXPECT_GT(apart, 0.01) << "the numbers matter";
  }
}

TEST_P(TapedKinds, TakeValuesThatWereNeverSeen) {
  GraphParts parts;
  parts.num_nodes = 2;
  parts.node_dense = {1, 2, 3, 4};
  parts.node_categories = {1000, 3};  // past the vocabulary, and the last of it
  const Graph graph(std::move(parts));
  views_ = {graph.view()};
  for (const float y : outputs(1, 0, 1)) EXPECT_TRUE(std::isfinite(y));
}

TEST_P(TapedKinds, RefuseWalks) {
  ThreadPool pool(1);
  const auto runner = network_->make_runner(pool);
  runner->use(*prepared_);
  std::vector<float> y(network_->outputs());
  const Batch batch{std::span(views_).first(1), std::span(ids_).first(1)};
  Walks walks;
  EXPECT_THROW(runner->outputs(batch, {}, y, &walks), Error);
  EXPECT_THROW(runner->outputs(batch, {.greedy = true}, y, nullptr), Error);
}

TEST_P(TapedKinds, NeedNoFeatures) {
  const DataShape bare{.outputs = 2};
  const auto network = builtin_kinds().make({.kind = GetParam(), .options = small_options(GetParam()), .shape = bare});
  std::vector<float> parameters(network->parameters().size()), buffers(network->buffers().size()), y(2);
  network->initialise(3, parameters);
  network->initialise_buffers(buffers);
  const auto prepared = network->make_prepared();
  prepared->prepare(parameters, buffers);
  ThreadPool pool(1);
  const auto runner = network->make_runner(pool);
  runner->use(*prepared);
  GraphParts parts;
  parts.num_nodes = 3;
  parts.from = {0, 1};
  parts.to = {1, 2};
  parts.undirected = true;
  const Graph graph(std::move(parts));
  const std::vector<GraphView> views = {graph.view()};
  runner->outputs({views, std::span(ids_).first(1)}, {}, y, nullptr);
  for (const float value : y) EXPECT_TRUE(std::isfinite(value));
}

TEST_P(TapedKinds, RefuseABatchThatTakesMoreMemoryThanItMay) {
  ThreadPool pool(1);
  const auto runner = network_->make_runner(pool);
  runner->use(*prepared_);
  for (std::size_t g = 0; g < views_.size(); ++g) views_[g].number = 100 + g;
  std::vector<float> gradient(parameters_.size());
  try {
    limit(*runner, 3000);
    static_cast<void>(runner->gradients({views_, ids_}, {.training = true}, loss, gradient));
    FAIL() << "3000 bytes were enough";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::kData);
    EXPECT_THAT(e.what(), testing::HasSubstr("may take 3 kB"));
    EXPECT_THAT(e.what(), testing::ContainsRegex("graph 1[0-9]+, has 11 nodes"));  // one of the largest
    EXPECT_THAT(e.hint(), testing::HasSubstr("--max-memory"));
  }
  std::vector<float> y(views_.size() * network_->outputs());
  EXPECT_THROW(runner->outputs({views_, ids_}, {}, y, nullptr), Error);
  // What is promised is kept, and enough is enough.
  constexpr std::uint64_t kEnough = 50'000'000;
  limit(*runner, kEnough);
  static_cast<void>(runner->gradients({views_, ids_}, {.training = true}, loss, gradient));
  EXPECT_LT(runner->memory(), kEnough);
}

// Pairs, sets and subgraphs of this graph are too many to list, so that they must be counted before.
TEST_P(TapedKinds, CountWhatALargeGraphWouldTakeBeforeListingIt) {
  const std::set<std::string> counted = {"ppgn", "ppgn-smp", "smp", "kgnn12", "kgnn123", "esan-ds", "esan-dss"};
  if (!counted.contains(GetParam())) GTEST_SKIP() << "its memory grows with nodes and edges";
  GraphParts parts;
  parts.num_nodes = 200'000;
  parts.undirected = true;
  for (std::uint32_t v = 1; v < parts.num_nodes; ++v) {
    parts.from.push_back(v - 1);
    parts.to.push_back(v);
  }
  parts.node_dense.resize(2 * parts.num_nodes);
  parts.node_categories.resize(parts.num_nodes);
  parts.edge_dense.resize(parts.from.size());
  parts.edge_categories.resize(parts.from.size());
  const Graph graph(std::move(parts));
  const std::vector<GraphView> views = {graph.view()};
  ThreadPool pool(1);
  const auto runner = network_->make_runner(pool);
  runner->use(*prepared_);
  std::vector<float> y(network_->outputs());
  constexpr std::uint64_t kLimit = 1'000'000'000;
  try {
    limit(*runner, kLimit);
    runner->outputs({views, std::span(ids_).first(1)}, {}, y, nullptr);
    FAIL() << "it was run";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("has 200000 nodes and 399998 edges"));
  }
  EXPECT_LT(runner->memory(), kLimit);
}

// Not what is fitted as a whole (tests/classic): it answers nothing before that.
std::vector<std::string> taped_kinds() {
  std::vector<std::string> names;
  for (const NetworkKindInfo& kind : network_kinds()) {
    const bool fitted = builtin_kinds().at(kind.name).fitter != nullptr;
    if (kind.name != kAgentNetName && !fitted) names.push_back(kind.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, TapedKinds, testing::ValuesIn(taped_kinds()), [](const auto& kind) {
  std::string name = kind.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace agentnet
